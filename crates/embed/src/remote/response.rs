//! Interpretation of an answer: rows in the order of the texts, or an error, and whether a retry
//! may help.

use std::time::Duration;

use serde_json::Value;

use super::Api;
use super::http::{HttpFailure, HttpReply};
use super::retry::{FailedAttempt, RetryAdvice};
use crate::EmbedError;
use kenning_model::redact;

/// One vector of an answer, and the index of its text if the answer gives it.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorRow {
    pub index: Option<usize>,
    pub values: Vec<f32>,
}

/// Returns one row for each of the `expected` texts, or the failure with advice on a retry.
pub fn read_rows(
    api: &Api,
    answer: Result<HttpReply, HttpFailure>,
    expected: usize,
    timeout: Duration,
) -> Result<Vec<Vec<f32>>, FailedAttempt> {
    let answer = answer.map_err(|reason| no_answer_error(api, reason, timeout))?;
    if !(200..300).contains(&answer.status) {
        return Err(refusal_error(api, &answer));
    }
    let malformed = |message: String| FailedAttempt {
        error: EmbedError::Malformed { provider: api.provider.to_string(), message },
        again: RetryAdvice::Soon,
    };
    let rows = (api.rows)(&answer.body).map_err(|problem| {
        let said = error_message(api, &answer.body);
        malformed(format!("{problem} in {said:?}"))
    })?;
    order_rows(rows, expected).map_err(|disorder| match disorder {
        RowOrderError::Missing { found } => FailedAttempt {
            error: EmbedError::PartialAnswer {
                provider: api.provider.to_string(),
                expected,
                found,
            },
            again: RetryAdvice::Soon,
        },
        RowOrderError::Nonsense(text) => malformed(text),
    })
}

/// The rows of a reply do not match the texts.
#[derive(Debug, PartialEq)]
enum RowOrderError {
    Missing { found: usize },
    Nonsense(String),
}

/// Sorts rows into the order of the texts. Services may answer in any order, and number their rows.
fn order_rows(rows: Vec<VectorRow>, expected: usize) -> Result<Vec<Vec<f32>>, RowOrderError> {
    let mut places: Vec<Option<Vec<f32>>> = vec![None; expected];
    for (position, row) in rows.into_iter().enumerate() {
        let index = row.index.unwrap_or(position);
        let Some(place) = places.get_mut(index) else {
            return Err(RowOrderError::Nonsense(format!(
                "a vector for text {index}, of {expected}"
            )));
        };
        if place.is_some() {
            return Err(RowOrderError::Nonsense(format!("two vectors for text {index}")));
        }
        if row.values.iter().any(|value| !value.is_finite()) {
            return Err(RowOrderError::Nonsense(format!(
                "a vector for text {index} that is no vector"
            )));
        }
        *place = Some(row.values);
    }
    let found = places.iter().flatten().count();
    if found == expected {
        Ok(places.into_iter().flatten().collect())
    } else {
        Err(RowOrderError::Missing { found })
    }
}

/// Converts a missing reply. Timeouts and broken connections are worth a retry.
fn no_answer_error(api: &Api, reason: HttpFailure, timeout: Duration) -> FailedAttempt {
    match reason {
        HttpFailure::TimedOut => FailedAttempt {
            error: EmbedError::TimedOut {
                provider: api.provider.to_string(),
                seconds: timeout.as_secs_f64().ceil() as u64,
            },
            again: RetryAdvice::Soon,
        },
        HttpFailure::Unreachable(why) => {
            FailedAttempt { error: unreachable_error(api, &why), again: RetryAdvice::Never }
        }
        HttpFailure::Broken(why) => {
            FailedAttempt { error: unreachable_error(api, &why), again: RetryAdvice::Soon }
        }
    }
}

/// Returns the error for a service that cannot be reached.
fn unreachable_error(api: &Api, why: &str) -> EmbedError {
    EmbedError::Unreachable {
        provider: api.provider.to_string(),
        url: redact::hide_credentials(&api.url).into_owned(),
        why: redact::hide_secrets(why).into_owned(),
    }
}

/// Converts a reply with an error status.
fn refusal_error(api: &Api, answer: &HttpReply) -> FailedAttempt {
    let provider = api.provider.to_string();
    let status = answer.status;
    let message = error_message(api, &answer.body);
    let again = match (status, answer.retry_after) {
        // An exhausted quota has the status of a rate limit, but a retry does not help.
        (429, _) if message.contains("exceeded your current quota") => RetryAdvice::Never,
        // llama.cpp's server reports a text that is longer than its batch in these words.
        (500, _) if message.contains("too large to process") => RetryAdvice::Never,
        (429 | 503, Some(wish)) => RetryAdvice::After(wish),
        (408 | 425 | 429 | 500..=599, _) => RetryAdvice::Soon,
        _ => RetryAdvice::Never,
    };
    let error = match status {
        401 | 403 => EmbedError::BadKey { provider, message },
        400 | 404 | 422 if is_about_the_model(&message) => EmbedError::ModelNotFound {
            provider,
            model: api.model.clone(),
            message,
            remedy: api.missing_model.clone(),
        },
        _ => EmbedError::Refused { provider, status, message },
    };
    FailedAttempt { error, again }
}

/// True if a message is about a missing model. Services agree on neither status nor code for it.
fn is_about_the_model(message: &str) -> bool {
    let message = message.to_lowercase();
    let reasons = [
        "not found",
        "not supported",
        "not exist",
        "unknown model",
        "not_found",
        "unsupported model",
        "invalid model",
        "is not a valid model",
    ];
    message.contains("model") && reasons.iter().any(|reason| message.contains(reason))
}

/// Returns the service's error message: short, on one line, and without the key.
fn error_message(api: &Api, body: &[u8]) -> String {
    const LONGEST: usize = 300;
    let text = String::from_utf8_lossy(body);
    let json: Option<Value> = serde_json::from_slice(body).ok();
    let said = json.as_ref().and_then(find_message).unwrap_or(&text);
    let redacted = match &api.key {
        Some(key) => key.redact(said),
        None => said.to_string(),
    };
    let plain = redact::hide_secrets(&redacted);
    let words: Vec<&str> = plain.split_whitespace().collect();
    let line: String = words.join(" ").chars().take(LONGEST).collect();
    if line.is_empty() { "no reason given".to_string() } else { line }
}

/// Finds the message in the JSON of an error; services put it in different fields.
fn find_message(json: &Value) -> Option<&str> {
    let places = ["/error/message", "/error", "/detail", "/detail/0/msg", "/message"];
    let mut found = places.iter().filter_map(|place| json.pointer(place));
    found.find_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(index: Option<usize>, value: f32) -> VectorRow {
        VectorRow { index, values: vec![value] }
    }

    #[test]
    fn rows_come_into_the_order_of_the_texts() {
        let numbered = vec![row(Some(1), 1.0), row(Some(0), 0.5)];
        assert_eq!(order_rows(numbered, 2), Ok(vec![vec![0.5], vec![1.0]]));
        let plain = vec![row(None, 1.0), row(None, 2.0)];
        assert_eq!(order_rows(plain, 2), Ok(vec![vec![1.0], vec![2.0]]));
    }

    #[test]
    fn rows_that_do_not_fit_are_seen() {
        let missing = Err(RowOrderError::Missing { found: 1 });
        assert_eq!(order_rows(vec![row(Some(1), 1.0)], 2), missing);
        let nonsense = [
            vec![row(Some(0), 1.0), row(Some(0), 2.0)],
            vec![row(Some(2), 1.0), row(Some(0), 2.0)],
            vec![row(None, 1.0), row(None, f32::INFINITY)],
            vec![row(None, 1.0), row(None, 1.0), row(None, 1.0)],
        ];
        for rows in nonsense {
            let outcome = order_rows(rows.clone(), 2);
            assert!(matches!(outcome, Err(RowOrderError::Nonsense(_))), "{rows:?}");
        }
    }
}
