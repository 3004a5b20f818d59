//! `reranker`: a service at `RERANKER_URL` that speaks `/rerank`, as Cohere, Jina and code-indexer's
//! users know it, or as Hugging Face's text-embeddings-inference does.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{OpenedReranker, Reranker, RerankerEntry};
use crate::remote::{Api, RowClient, VectorRow, check_url};
use crate::{EmbedError, Limits, ProviderSettings, Secret};
use kenning_model::Progress;

pub static ENTRY: RerankerEntry = RerankerEntry { name: "reranker", open };

/// A reranking service with an API like Cohere's or TEI's.
struct RerankService {
    url: String,
    key: Option<Secret>,
    model: String,
    limits: Limits,
}

/// Opens the configured service; `None` if there is none.
fn open(settings: &ProviderSettings) -> Option<OpenedReranker> {
    let service = settings.service(ENTRY.name);
    let url = service.url?;
    if let Err(wrong) = check_url(ENTRY.name, &url) {
        return Some(Err(wrong));
    }
    Some(Ok(Box::new(RerankService {
        url: endpoint(&url),
        key: service.key,
        model: service.model.unwrap_or_default(),
        limits: settings.limits.clone(),
    })))
}

/// Returns the endpoint. A user gives the service's address, or the endpoint itself.
fn endpoint(url: &str) -> String {
    let url = url.trim_end_matches('/');
    if url.ends_with("/rerank") { url.to_string() } else { format!("{url}/rerank") }
}

impl Reranker for RerankService {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    /// The full weight: a user who sets up a reranker wants its order.
    fn weight(&self) -> f32 {
        1.0
    }

    fn scores(
        &self,
        question: &str,
        texts: &[&str],
        progress: &dyn Progress,
    ) -> Result<Vec<f32>, EmbedError> {
        let asker = RowClient::new(self.api(), &self.limits);
        let mut scores = Vec::with_capacity(texts.len());
        for texts in texts.chunks(AT_ONCE) {
            scores.extend(self.score_batch(&asker, question, texts, progress)?);
        }
        Ok(scores)
    }
}

/// The number of texts per request that services commonly accept.
const AT_ONCE: usize = 32;

impl RerankService {
    /// Scores one batch of texts.
    fn score_batch(
        &self,
        asker: &RowClient,
        question: &str,
        texts: &[&str],
        progress: &dyn Progress,
    ) -> Result<Vec<f32>, EmbedError> {
        let mut documents = json!({"query": question, "documents": texts, "top_n": texts.len()});
        if !self.model.is_empty() {
            documents["model"] = Value::from(self.model.as_str());
        }
        let rows = match asker.ask(&documents, texts.len(), progress) {
            // The service does not know the field `documents`; text-embeddings-inference uses
            // `texts`.
            Err(EmbedError::Refused { status: 400 | 422, .. }) => {
                let plain = json!({"query": question, "texts": texts, "truncate": true});
                asker.ask(&plain, texts.len(), progress)?
            }
            rows => rows?,
        };
        Ok(rows.into_iter().map(|row| row[0]).collect())
    }

    /// Returns the API for one request.
    fn api(&self) -> Api {
        Api {
            provider: ENTRY.name,
            url: self.url.clone(),
            key: self.key.clone(),
            model: self.model.clone(),
            dimension: Some(1),
            batch_size: usize::MAX,
            missing_model: "set `reranker.model` to one that the service has".to_string(),
            request: |_, _, _| Value::Null,
            rows: parse_rows,
        }
    }
}

/// An answer in either format: a list, or a list in `results`.
#[derive(Deserialize)]
#[serde(untagged)]
enum ScoresReply {
    Plain(Vec<Score>),
    Wrapped { results: Vec<Score> },
}

/// The score of one text.
#[derive(Deserialize)]
struct Score {
    index: usize,
    #[serde(alias = "relevance_score")]
    score: f32,
}

/// Parses a reply. A score becomes a row of one number.
fn parse_rows(body: &[u8]) -> Result<Vec<VectorRow>, String> {
    let answer: ScoresReply = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let (ScoresReply::Plain(scores) | ScoresReply::Wrapped { results: scores }) = answer;
    let row = |score: Score| VectorRow { index: Some(score.index), values: vec![score.score] };
    Ok(scores.into_iter().map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Service as Given;
    use crate::rerank;
    use crate::testing::{FakeService, ServiceReaction};
    use kenning_model::Silent;

    fn ask(fake: &FakeService) -> Result<Vec<f32>, EmbedError> {
        let mut settings = ProviderSettings::new(Limits { retries: 0, ..Limits::default() });
        let given = Given {
            url: Some(fake.url("/v1")),
            key: Secret::new("sk-1"),
            model: Some("judge".to_string()),
            ..Given::default()
        };
        settings.set(ENTRY.name, given);
        assert!(rerank::is_enabled(&settings));
        let reranker = rerank::open(&settings).unwrap();
        assert_eq!(reranker.name(), "reranker");
        reranker.scores("why", &["a", "b"], &Silent)
    }

    #[test]
    fn a_service_is_asked_as_cohere_is() {
        let fake = FakeService::new(|_, _| {
            let body = r#"{"results":[{"index":1,"relevance_score":0.9},
                                      {"index":0,"relevance_score":0.2}]}"#;
            ServiceReaction::Answer(200, "", body.to_string())
        });
        assert_eq!(ask(&fake).unwrap(), [0.2, 0.9]);
        let request = &fake.requests()[0];
        assert_eq!(request.line, "POST /v1/rerank");
        assert!(request.headers.contains("authorization: Bearer sk-1"), "{}", request.headers);
        let expected =
            json!({"query": "why", "documents": ["a", "b"], "top_n": 2, "model": "judge"});
        assert_eq!(request.body, expected);
    }

    #[test]
    fn one_that_knows_no_documents_is_given_texts() {
        let fake = FakeService::new(|_, request| match request.body.get("texts") {
            None => ServiceReaction::Answer(422, "", "missing field `texts`".to_string()),
            Some(_) => ServiceReaction::Answer(
                200,
                "",
                r#"[{"index":0,"score":3.5},{"index":1,"score":-2.0}]"#.to_string(),
            ),
        });
        assert_eq!(ask(&fake).unwrap(), [3.5, -2.0]);
    }

    #[test]
    fn scores_for_some_of_the_texts_are_no_answer() {
        let some = r#"{"results":[{"index":1,"relevance_score":0.9}]}"#;
        for body in [some, "{}", "[]"] {
            let fake =
                FakeService::new(move |_, _| ServiceReaction::Answer(200, "", body.to_string()));
            assert!(ask(&fake).is_err(), "{body}");
        }
    }

    #[test]
    fn many_texts_go_in_parts() {
        let fake = FakeService::new(|_, request| {
            let texts = request.body["documents"].as_array().unwrap().iter();
            let scores = texts.enumerate().map(|(index, text)| {
                let score: f32 = text.as_str().unwrap().parse().unwrap();
                json!({"index": index, "relevance_score": score})
            });
            let body = json!({"results": scores.collect::<Vec<_>>()});
            ServiceReaction::Answer(200, "", body.to_string())
        });
        let mut settings = ProviderSettings::default();
        let given = Given { url: Some(fake.url("/v1")), ..Given::default() };
        settings.set(ENTRY.name, given);
        let owned: Vec<String> = (0..50).map(|number| number.to_string()).collect();
        let texts: Vec<&str> = owned.iter().map(String::as_str).collect();
        let reranker = rerank::open(&settings).unwrap();
        let scores = reranker.scores("why", &texts, &Silent).unwrap();
        let expected: Vec<f32> = (0..50u8).map(f32::from).collect();
        assert_eq!(scores, expected);
        assert_eq!(fake.requests().len(), 2);
    }

    #[test]
    fn nothing_is_asked_of_a_service_that_is_not_set_up() {
        let settings = ProviderSettings::default();
        assert!(!rerank::is_enabled(&settings));
        assert_eq!(rerank::open(&settings).unwrap().name(), "late");
    }

    #[test]
    fn addresses_of_a_service_and_of_its_endpoint() {
        for given in ["http://h:1/v1", "http://h:1/v1/", "http://h:1/v1/rerank"] {
            assert_eq!(endpoint(given), "http://h:1/v1/rerank");
        }
    }

    #[test]
    fn both_shapes_of_an_answer() {
        for body in [
            r#"{"results":[{"index":1,"relevance_score":0.5},{"index":0,"relevance_score":0.1}]}"#,
            r#"[{"index":1,"score":0.5},{"index":0,"score":0.1}]"#,
        ] {
            let rows = parse_rows(body.as_bytes()).unwrap();
            let seen: Vec<_> = rows.iter().map(|row| (row.index, row.values[0])).collect();
            assert_eq!(seen, [(Some(1), 0.5), (Some(0), 0.1)]);
        }
        assert!(parse_rows(b"{}").is_err());
    }
}
