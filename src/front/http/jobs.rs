//! Indexing in the background: `POST /indexer/index` begins a job and answers at once. The job can
//! be polled, or followed as events, until newer ones take its place. Jobs are in memory only:
//! after a restart, run the index again.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, SystemTime};

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use http_body_util::channel::Channel;
use serde::Serialize;
use serde_json::{Map, Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::dispatch::{await_in_time, json_response, parse_arguments, text_response};
use super::in_flight::RequestGuard;
use super::problem_details::Problem;
use super::routes::HttpServer;
use crate::engine::Engine;
use crate::front::executor::{Executor, ProgressStep};
use crate::front::shutdown::Stop;
use crate::ops::code::index_codebase::{self, IndexCodebaseReply};
use crate::ops::{self, Args, ErrorKind, OpError, Reply};

/// The latest jobs. Older ones are dropped once they have ended.
#[derive(Default)]
pub struct Jobs(Mutex<VecDeque<Arc<Job>>>);

/// One job. Its state is a watch channel, so that any number of listeners can follow it.
struct Job {
    /// The identifier in URLs.
    id: String,
    /// The canonical path of the repository.
    root: PathBuf,
    /// The current state.
    state: watch::Sender<JobState>,
}

/// The state of a job, as its route shows it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JobState {
    /// The identifier.
    job_id: String,
    /// The status.
    status: JobStatus,
    /// The repository.
    path: String,
    /// The start, in RFC 3339.
    started_at: String,
    /// The last step, while it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<JobProgress>,
    /// The end, in RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    finished_at: Option<String>,
    /// The reply of `index_codebase`, if it succeeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<IndexCodebaseReply>,
    /// The error, if it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// The status of a job.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum JobStatus {
    /// It has begun and not ended.
    Running,
    /// It succeeded; `result` is present.
    Done,
    /// The server stopped. The next run continues.
    Cancelled,
    /// It failed; `error` is present.
    Failed,
}

/// The progress of a job.
#[derive(Serialize)]
struct JobProgress {
    /// The stage, for people.
    stage: String,
    /// The work done in this stage.
    done: usize,
    /// The work of this stage, if it is known.
    total: Option<usize>,
}

impl JobState {
    /// The state as JSON.
    fn to_json(&self) -> Value {
        json!(self)
    }

    /// The name of the server-sent event for this state.
    fn event_name(&self) -> &'static str {
        match self.status {
            JobStatus::Running => "progress",
            JobStatus::Done => "done",
            JobStatus::Cancelled => "cancelled",
            JobStatus::Failed => "failed",
        }
    }
}

/// The number of jobs that are kept.
const MAX_JOBS: usize = 100;

impl Job {
    /// True if the job has ended.
    fn is_over(&self) -> bool {
        self.state.borrow().status != JobStatus::Running
    }
}

impl Jobs {
    /// Returns the number of running jobs.
    pub fn running_count(&self) -> usize {
        let jobs = self.0.lock().expect("no holder panics");
        jobs.iter().filter(|job| !job.is_over()).count()
    }

    /// Finds a job by its id.
    fn find_job(&self, id: &str) -> Option<Arc<Job>> {
        let jobs = self.0.lock().expect("no holder panics");
        jobs.iter().find(|job| job.id == id).cloned()
    }

    /// Registers a job for a repository. Fails with 409 if one is running there: two writers would
    /// only wait for each other.
    fn begin_job(&self, id: String, root: PathBuf) -> Result<Arc<Job>, Problem> {
        let mut jobs = self.0.lock().expect("no holder panics");
        let at_work = jobs.iter().find(|job| job.root == root && !job.is_over());
        let path = root.display().to_string();
        if let Some(other) = at_work {
            let message = format!("{path} is being indexed by job {}", other.id);
            return Err(Problem::new(StatusCode::CONFLICT, message)
                .hint("wait for that job")
                .with_data(json!({ "jobId": other.id })));
        }
        // Running jobs are never dropped, even if that exceeds the limit.
        while jobs.len() >= MAX_JOBS && jobs.front().is_some_and(|job| job.is_over()) {
            jobs.pop_front();
        }
        let state = JobState {
            job_id: id.clone(),
            status: JobStatus::Running,
            path,
            started_at: now(),
            progress: None,
            finished_at: None,
            result: None,
            error: None,
        };
        let job = Arc::new(Job { id, root, state: watch::channel(state).0 });
        jobs.push_back(job.clone());
        Ok(job)
    }
}

/// `POST /indexer/index`: starts a job and answers 201.
pub async fn start_job(server: &Arc<HttpServer>, request: Request) -> Result<Response, Problem> {
    let body = parse_arguments(request).await?;
    let wanted = parse_request(&body)?;
    // Asking a server which collections it has blocks, as looking at a disk does.
    let locate = move |engine: &Arc<Engine>| locate_repository(engine, wanted);
    let looking = server.executor.run_query(ROUTE, locate);
    let (root, arguments) = await_in_time(server, ROUTE, looking).await?;
    // A job counts as in flight, so that a stopping server waits for it.
    let Some(flight) = server.in_flight.try_enter(usize::MAX) else {
        return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "no room for a job"));
    };
    let job = server.jobs.begin_job(server.identifiers.next_id(), root)?;
    tokio::spawn(run_job(server.clone(), job.clone(), arguments, flight));
    let location = format!("/indexer/jobs/{}", job.id);
    let mut response = json_response(&json!({
        "message": "Indexing started", "jobId": job.id, "status": "running", "url": location,
    }));
    *response.status_mut() = StatusCode::CREATED;
    if let Ok(location) = HeaderValue::from_str(&location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

/// The route, as error messages name it.
const ROUTE: &str = "/indexer/index";

/// The schema of the route's body: the arguments of `index_codebase`, and code-indexer's names for
/// them.
pub static SCHEMA: LazyLock<Value> = LazyLock::new(schema);

/// Extends the schema of `index_codebase` with code-indexer's argument names.
fn schema() -> Value {
    let mut schema = index_codebase::OP.schema.clone();
    let properties = &mut schema["properties"];
    properties["path"]["description"] = "The repository".into();
    properties["projectId"] = json!({
        "type": "string", "description": "An alias of `path`, which takes precedence",
    });
    properties["name"]["description"] =
        "An alias of `collectionName`, which takes precedence".into();
    properties["collectionName"] = json!({
        "type": "string",
        "description": "The name of the collection; without `path`, the indexed collection to refresh",
    });
    properties["excludePatterns"] = json!({
        "type": "array", "items": { "type": "string" }, "maxItems": 0,
        "description": "Not supported: set index.exclude in the repository's kenning.toml",
    });
    schema["required"] = json!([]);
    schema
}

/// Converts the body to arguments of `index_codebase`. Refuses unknown arguments and exclude
/// patterns. The path may be missing.
fn parse_request(body: &Value) -> Result<Map<String, Value>, OpError> {
    if let Some(error) = ops::find_unknown_argument(ROUTE, &SCHEMA, body) {
        return Err(error);
    }
    let mut wanted: Map<String, Value> = Args::check(&SCHEMA, body)?.parse()?;
    let excluded = wanted.remove("excludePatterns");
    if excluded.is_some_and(|list| list.as_array().is_some_and(|list| !list.is_empty())) {
        let message = "`excludePatterns` belong to the repository, so that every run knows them";
        return Err(OpError::bad_argument(message)
            .hint("list them under index.exclude in its kenning.toml"));
    }
    for (name, first, second) in [("path", "path", "projectId"), ("name", "collectionName", "name")]
    {
        let mut given = [wanted.remove(first), wanted.remove(second)].into_iter().flatten();
        if let Some(given) = given.find(|text| text != "") {
            wanted.insert(name.to_string(), given);
        }
    }
    Ok(wanted)
}

/// Returns the root of the repository and the arguments of `index_codebase`. The name of a
/// collection is enough for a repository that is already indexed.
fn locate_repository(
    engine: &Engine,
    mut wanted: Map<String, Value>,
) -> Result<(PathBuf, Value), OpError> {
    let text = |name: &str| wanted.get(name).and_then(Value::as_str);
    let path = match (text("path"), text("name")) {
        (Some(path), _) => {
            engine.check_confinement(Path::new(path))?;
            engine.base_directory().join(path)
        }
        (None, Some(name)) => {
            let mut known = engine.known_collections()?.into_iter();
            let found = known.find(|collection| collection.is_called(name));
            let collection = found.ok_or_else(|| {
                let message = format!("there is no collection {name:?}");
                OpError::new(ErrorKind::NotFound, message)
                    .hint("give `path` to index a directory under that name")
            })?;
            collection.root
        }
        (None, None) => {
            let message = "`path` or `collectionName` is required";
            return Err(OpError::bad_argument(message));
        }
    };
    let root = engine.check_root(&path)?;
    wanted.insert("path".to_string(), path.display().to_string().into());
    Ok((root, Value::Object(wanted)))
}

/// Runs a job and publishes its state.
async fn run_job(server: Arc<HttpServer>, job: Arc<Job>, arguments: Value, _flight: RequestGuard) {
    let cancelled = CancellationToken::new();
    let (sender, mut steps) = Executor::step_channel();
    let running = server.executor.run_operation(
        &index_codebase::OP,
        arguments,
        cancelled.clone(),
        Some(sender),
    );
    let overdue = wait_after_stop(&server.stop, JOB_GRACE);
    tokio::pin!(running, overdue);
    let outcome = loop {
        tokio::select! {
            outcome = &mut running => break outcome,
            // Files stored so far are kept, and the next run continues from there.
            () = server.stop.wait_until_stopped(), if !cancelled.is_cancelled() => cancelled.cancel(),
            // Does not wait for a thread that does not check for cancellation.
            () = &mut overdue => break Err(OpError::new(
                ErrorKind::Cancelled,
                "cancelled: the server stops; the next run goes on where this one stopped",
            )),
            Some(step) = steps.recv() => job.state.send_modify(|state| {
                let ProgressStep { stage, done, total } = step;
                state.progress = Some(JobProgress { stage, done, total });
            }),
        }
    };
    job.state.send_modify(|state| {
        state.finished_at = Some(now());
        match outcome.and_then(Reply::into_object) {
            Ok(result) => {
                state.status = JobStatus::Done;
                state.result = Some(result);
            }
            Err(error) => {
                let is_cancelled = error.kind == ErrorKind::Cancelled;
                state.status = if is_cancelled { JobStatus::Cancelled } else { JobStatus::Failed };
                state.error = Some(error.to_string());
            }
        }
    });
}

/// The time that a cancelled job gets to end by itself when the server stops.
const JOB_GRACE: Duration = Duration::from_millis(300);

/// Waits until the server stops, and `patience` longer.
async fn wait_after_stop(stop: &Stop, patience: Duration) {
    stop.wait_until_stopped().await;
    tokio::time::sleep(patience).await;
}

/// `GET /indexer/jobs/{id}`: the state, or a stream of states if the caller accepts events.
pub fn show_job(
    server: &Arc<HttpServer>,
    id: &str,
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    let job = server.jobs.find_job(id).ok_or_else(|| {
        Problem::new(StatusCode::NOT_FOUND, format!("there is no job {id:?}"))
            .hint("a job is forgotten when a hundred newer ones have begun")
    })?;
    if accepts_events(headers) {
        Ok(stream_events(server, &job))
    } else {
        Ok(json_response(&job.state.borrow().to_json()))
    }
}

/// True if the caller accepts server-sent events.
pub fn accepts_events(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|accepted| accepted.contains("text/event-stream"))
}

/// Sends an event for each change, until the job is over or the server stops.
fn stream_events(server: &Arc<HttpServer>, job: &Arc<Job>) -> Response {
    let (mut sender, body) = Channel::<Bytes>::new(8);
    let mut changes = job.state.subscribe();
    let stop = server.stop.clone();
    tokio::spawn(async move {
        loop {
            let (event, is_over) = {
                let state = changes.borrow_and_update();
                let is_over = state.status != JobStatus::Running;
                (format!("event: {}\ndata: {}\n\n", state.event_name(), state.to_json()), is_over)
            };
            if sender.send_data(Bytes::from(event)).await.is_err() || is_over {
                return;
            }
            if !matches!(stop.unless_stopped(changes.changed()).await, Some(Ok(()))) {
                return;
            }
        }
    });
    let mut response = text_response(String::new(), "text/event-stream");
    let no_store = HeaderValue::from_static("no-store");
    response.headers_mut().insert(header::CACHE_CONTROL, no_store);
    *response.body_mut() = Body::new(body);
    response
}

/// The current time, in RFC 3339.
fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}
