//! What an operation answers, before a door gives it a form.

use serde::Serialize;
use serde_json::Value;

#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// One thing.
    Object(Value),
    /// Several things. Text shows a bare array; structured content, which must be an object for
    /// older clients, holds it under `results`.
    List(Vec<Value>),
    /// A document in a format of its own (DOT, SVG, …), shown as it is.
    Document { text: String, format: &'static str },
    /// A text that is the whole answer, to be shown byte for byte and in no other form: a client
    /// that prefers structured content would see it escaped.
    Text(String),
    /// A sentence in place of an answer, where the contract wants a success that says
    /// "not found". A shell still sees it as a failure.
    Notice(String),
    /// The same for a name that there is not, with what to do next for those who may be told more.
    NotFound { text: String, hint: String },
}

impl Reply {
    pub fn object(value: impl Serialize) -> Reply {
        Reply::Object(to_value(value))
    }

    pub fn list(items: impl IntoIterator<Item = impl Serialize>) -> Reply {
        Reply::List(items.into_iter().map(to_value).collect())
    }

    /// Compact text for a reader that pays by the token.
    pub fn text(&self) -> String {
        match self {
            Reply::Object(value) => value.to_string(),
            Reply::List(items) => serde_json::to_string(items).expect("values are JSON"),
            Reply::Document { text, .. } => text.clone(),
            Reply::Text(text) | Reply::Notice(text) | Reply::NotFound { text, .. } => text.clone(),
        }
    }

    /// The same as data, for a program; an object, or nothing. It takes the reply apart, because
    /// a list of a thousand packages is not copied for free.
    pub fn into_structured(self) -> Option<Value> {
        match self {
            Reply::Object(value) => Some(value),
            Reply::List(items) => {
                let results = [("results".to_string(), Value::from(items))];
                Some(Value::Object(results.into_iter().collect()))
            }
            Reply::Document { text, format } => {
                Some(serde_json::json!({ "format": format, "text": text }))
            }
            Reply::Text(_) | Reply::Notice(_) | Reply::NotFound { .. } => None,
        }
    }
}

fn to_value(value: impl Serialize) -> Value {
    serde_json::to_value(value).expect("wire types have text keys")
}
