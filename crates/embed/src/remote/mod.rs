//! An embedder behind a socket. It sends texts in batches, with a few concurrent requests, and
//! retries when a service fails. Each provider describes its requests and answers as an [`Api`].

mod batch;
mod http;
mod response;
mod retry;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use serde_json::Value;

use super::query_prefix::add_prefix;
use super::{EmbedError, Embedder, Identity, Limits, Purpose, Secret, Vectors};
use http::Http;
use kenning_model::Progress;
use retry::{Clock, RetryPolicy, StopSignal, SystemClock, retry};

pub use http::HttpFailure;
pub use response::VectorRow;

/// The protocol of one service.
pub struct Api {
    pub provider: &'static str,
    /// The address that texts are posted to.
    pub url: String,
    pub key: Option<Secret>,
    pub model: String,
    /// The required length of vectors; `None` asks the service once.
    pub dimension: Option<usize>,
    /// The default number of texts per request.
    pub batch_size: usize,
    /// The remedy to report if the service does not have the model.
    pub missing_model: String,
    /// Builds the request for these texts.
    pub request: fn(&Api, &[String], Purpose) -> Value,
    /// Parses the rows of an answer.
    pub rows: fn(&[u8]) -> Result<Vec<VectorRow>, String>,
}

/// An [`Embedder`] through an [`Api`].
pub struct Remote {
    identity: Identity,
    limits: Limits,
    line: Arc<Connection>,
}

/// The state that all workers share.
struct Connection {
    api: Api,
    http: Http,
    patience: RetryPolicy,
    clock: Box<dyn Clock>,
}

/// The interval at which a waiting call checks for cancellation.
const GLANCE: Duration = Duration::from_millis(20);

impl Remote {
    /// Opens a service. Asks for the dimension if it is not known.
    pub fn open(api: Api, limits: &Limits) -> Result<Box<dyn Embedder>, EmbedError> {
        let remote = Remote::with_clock(api, limits, Box::new(SystemClock))?;
        Ok(Box::new(remote))
    }

    fn with_clock(api: Api, limits: &Limits, clock: Box<dyn Clock>) -> Result<Remote, EmbedError> {
        let line = Connection::new(api, limits, clock);
        let dimension = match line.api.dimension {
            Some(dimension) => dimension,
            None => line.ask_dimension()?,
        };
        Ok(Remote {
            identity: Identity {
                provider: line.api.provider.to_string(),
                model: line.api.model.clone(),
                dimension,
            },
            limits: limits.clone(),
            line: Arc::new(line),
        })
    }
}

impl Embedder for Remote {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn embed(
        &self,
        texts: &[&str],
        purpose: Purpose,
        progress: &dyn Progress,
    ) -> Result<Vectors, EmbedError> {
        let count = self.limits.batch_size.unwrap_or(self.line.api.batch_size);
        let batches = batch::split_batches(texts, count, self.limits.batch_bytes);
        let stop = Arc::new(StopSignal::default());
        let mut work =
            EmbedCall { remote: self, texts, purpose, outcomes: channel(), stop: stop.clone() };
        let outcome = work.run(&batches, progress);
        // Stops workers that still wait for an answer. A request under way ends with its answer or
        // its time limit.
        stop.set();
        outcome
    }
}

/// One call of `embed`. Its workers own their data, so that a cancelled call returns at once. At
/// most `concurrency` of them then run into their time limits.
struct EmbedCall<'a> {
    remote: &'a Remote,
    texts: &'a [&'a str],
    purpose: Purpose,
    outcomes: (Sender<BatchResult>, Receiver<BatchResult>),
    stop: Arc<StopSignal>,
}

/// The number of a batch, and its result.
type BatchResult = (usize, Result<Vectors, EmbedError>);

impl EmbedCall<'_> {
    /// Sends the batches, at most `concurrency` at a time, and returns the vectors in order.
    fn run(
        &mut self,
        batches: &[Range<usize>],
        progress: &dyn Progress,
    ) -> Result<Vectors, EmbedError> {
        let mut finished: Vec<Option<Vectors>> = batches.iter().map(|_| None).collect();
        let mut waiting = batches.iter().enumerate();
        let at_once = self.remote.limits.concurrency.max(1);
        for (number, batch) in waiting.by_ref().take(at_once) {
            self.send(number, batch);
        }
        let mut texts_done = 0;
        for _ in batches {
            let (number, vectors) = self.next_result(progress)?;
            let vectors = vectors?;
            texts_done += vectors.len();
            finished[number] = Some(vectors);
            progress.report("embedding", texts_done, Some(self.texts.len()));
            if let Some((number, batch)) = waiting.next() {
                self.send(number, batch);
            }
        }
        let dimension = self.remote.identity.dimension;
        let mut all = Vectors::with_capacity(dimension, self.texts.len());
        finished.into_iter().flatten().for_each(|rows| all.append(rows));
        Ok(all)
    }

    /// Starts a worker for one request, with its retries.
    fn send(&self, number: usize, batch: &Range<usize>) {
        let model = &self.remote.line.api.model;
        let texts: Vec<String> = self.texts[batch.clone()]
            .iter()
            .map(|text| add_prefix(model, self.purpose, batch::sendable_part(text)))
            .collect();
        let line = self.remote.line.clone();
        let stop = self.stop.clone();
        let sender = self.outcomes.0.clone();
        let (purpose, dimension) = (self.purpose, self.remote.identity.dimension);
        std::thread::spawn(move || {
            let work = AssertUnwindSafe(|| {
                let rows = line.request_rows(&texts, purpose, &stop)?;
                line.to_vectors(&rows, dimension)
            });
            // A worker that panicked without a result would block the call for ever.
            let outcome = catch_unwind(work).unwrap_or_else(|_| {
                Err(EmbedError::Malformed {
                    provider: line.api.provider.to_string(),
                    message: "reading it failed; this is a defect of Kenning".to_string(),
                })
            });
            // The receiver is gone if the call was cancelled.
            let _ = sender.send((number, outcome));
        });
    }

    /// Waits for the next result; checks for cancellation meanwhile.
    fn next_result(&self, progress: &dyn Progress) -> Result<BatchResult, EmbedError> {
        loop {
            if progress.is_cancelled() {
                return Err(EmbedError::Cancelled);
            }
            match self.outcomes.1.recv_timeout(GLANCE) {
                Ok(outcome) => return Ok(outcome),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    unreachable!("this holds a sender itself")
                }
            }
        }
    }
}

impl Connection {
    fn new(api: Api, limits: &Limits, clock: Box<dyn Clock>) -> Connection {
        Connection {
            http: Http::new(&api.url, limits.timeout),
            patience: RetryPolicy { retries: limits.retries, delay: limits.retry_delay },
            clock,
            api,
        }
    }

    /// Returns one row per text, in the order of the texts.
    fn request_rows(
        &self,
        texts: &[String],
        purpose: Purpose,
        stop: &StopSignal,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let body = (self.api.request)(&self.api, texts, purpose).to_string();
        self.send_request(&body, texts.len(), stop)
    }

    /// Sends a request with retries.
    fn send_request(
        &self,
        body: &str,
        expected: usize,
        stop: &StopSignal,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        retry(&self.patience, &*self.clock, stop, || {
            let key = self.api.key.as_ref();
            let answer = self.http.post(&self.api.url, key, body.as_bytes());
            response::read_rows(&self.api, answer, expected, self.http.timeout())
        })
    }

    /// Checks the dimension of the rows and normalizes them.
    fn to_vectors(&self, rows: &[Vec<f32>], dimension: usize) -> Result<Vectors, EmbedError> {
        let mut vectors = Vectors::with_capacity(dimension, rows.len());
        for row in rows {
            if row.len() != dimension {
                return Err(EmbedError::WrongDimension {
                    provider: self.api.provider.to_string(),
                    model: self.api.model.clone(),
                    expected: dimension,
                    found: row.len(),
                });
            }
            vectors.push(row);
        }
        Ok(vectors)
    }

    /// Embeds one word and returns the length of its vector.
    fn ask_dimension(&self) -> Result<usize, EmbedError> {
        let rows =
            self.request_rows(&["dimension".to_string()], Purpose::Query, &StopSignal::default())?;
        match rows.first().map(Vec::len) {
            Some(0) | None => Err(EmbedError::Malformed {
                provider: self.api.provider.to_string(),
                message: "an empty vector".to_string(),
            }),
            Some(dimension) => Ok(dimension),
        }
    }
}

/// A client for requests other than embedding, such as reranking, whose reply has a row per item.
pub struct RowClient(Arc<Connection>);

impl RowClient {
    pub fn new(api: Api, limits: &Limits) -> RowClient {
        RowClient(Arc::new(Connection::new(api, limits, Box::new(SystemClock))))
    }

    /// Returns one row for each of `expected` items, in their order.
    pub fn ask(
        &self,
        body: &Value,
        expected: usize,
        progress: &dyn Progress,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let (sender, answer) = channel();
        let (line, body) = (self.0.clone(), body.to_string());
        let stop = Arc::new(StopSignal::default());
        let stopped = stop.clone();
        std::thread::spawn(move || {
            // The receiver is gone if the call was cancelled.
            let _ = sender.send(line.send_request(&body, expected, &stopped));
        });
        loop {
            match answer.recv_timeout(GLANCE) {
                Ok(rows) => return rows,
                Err(RecvTimeoutError::Timeout) if !progress.is_cancelled() => {}
                Err(_) => {
                    stop.set();
                    return Err(EmbedError::Cancelled);
                }
            }
        }
    }
}

/// Sends a plain GET with a short timeout, to check whether a service is there.
pub fn probe(url: &str) -> Result<(u16, Vec<u8>), HttpFailure> {
    const SHORT: Duration = Duration::from_secs(2);
    let answer = Http::new(url, SHORT).get(url)?;
    Ok((answer.status, answer.body))
}

/// Checks an address from the user: http or https, a host, and no password in it.
pub fn check_url(provider: &str, url: &str) -> Result<(), EmbedError> {
    let wrong = |message: &str| EmbedError::Setting {
        provider: provider.to_string(),
        message: format!("`{provider}.url` {message}"),
    };
    let uri: ureq::http::Uri =
        url.parse().map_err(|_| wrong("is not an address such as http://localhost:8080/v1"))?;
    if !matches!(uri.scheme_str(), Some("http" | "https")) {
        return Err(wrong("must begin with http:// or https://"));
    }
    let authority = uri.authority().map(|authority| authority.as_str());
    match authority {
        None | Some("") => Err(wrong("names no host")),
        // A password would be visible wherever the address is shown.
        Some(authority) if authority.contains('@') => Err(wrong("must not hold a password")),
        Some(_) => Ok(()),
    }
}
