//! `voyage`: Voyage AI, whose models embed a question otherwise than its answer.

use serde_json::{Value, json};

use super::remote::{Api, Remote, check_url};
use super::{EmbedError, Embedder, Provider, ProviderSettings, Purpose, State, openai};

pub static PROVIDER: Provider = Provider {
    name: NAME,
    aliases: &["voyageai"],
    summary: "Voyage AI, a service with models for code",
    state,
    open,
};

const NAME: &str = "voyage";
const URL: &str = "https://api.voyageai.com/v1/embeddings";
const MODEL: &str = "voyage-code-3";

/// Models of the present generation: how long their vectors are by default. Each can be asked for
/// 256, 512, 1024 or 2048 numbers.
const KNOWN: &[(&str, usize)] = &[
    ("voyage-code-3", 1024),
    ("voyage-3-large", 1024),
    ("voyage-3.5", 1024),
    ("voyage-3.5-lite", 1024),
];

const NO_KEY: &str = "no key is set";
const REMEDY: &str = "set VOYAGE_API_KEY";

/// Reports whether a key is set.
fn state(settings: &ProviderSettings) -> State {
    let service = settings.service(NAME);
    match service.key {
        None => State::Unavailable { why: NO_KEY.to_string(), remedy: REMEDY.to_string() },
        Some(_) => State::Available {
            model: service.model.unwrap_or_else(|| MODEL.to_string()),
            why: format!("a key is set; texts go to {}", service.url.as_deref().unwrap_or(URL)),
        },
    }
}

/// Opens the configured model.
fn open(settings: &ProviderSettings) -> Result<Box<dyn Embedder>, EmbedError> {
    let service = settings.service(NAME);
    let Some(key) = service.key else {
        return Err(EmbedError::Unavailable {
            provider: NAME.to_string(),
            why: NO_KEY.to_string(),
            remedy: REMEDY.to_string(),
        });
    };
    let url = service.url.unwrap_or_else(|| URL.to_string());
    check_url(NAME, &url)?;
    let model = service.model.unwrap_or_else(|| MODEL.to_string());
    let api = Api {
        provider: NAME,
        url,
        key: Some(key),
        dimension: service.dimension.or(own_dimension(&model)),
        batch_size: 128,
        missing_model: "set `voyage.model` to one that Voyage AI has, such as voyage-code-3"
            .to_string(),
        model,
        request,
        rows: openai::parse_rows,
    };
    Remote::open(api, &settings.limits)
}

/// Returns the dimension that a known model has by default.
fn own_dimension(model: &str) -> Option<usize> {
    let known = KNOWN.iter().find(|(name, _)| *name == model);
    known.map(|(_, dimension)| *dimension)
}

/// Returns the request body. Voyage embeds queries and documents differently.
fn request(api: &Api, texts: &[String], purpose: Purpose) -> Value {
    let input_type = match purpose {
        Purpose::Query => "query",
        Purpose::Document => "document",
    };
    let mut body = json!({"model": api.model, "input": texts, "input_type": input_type});
    if let (Some(own), Some(wanted)) = (own_dimension(&api.model), api.dimension)
        && own != wanted
    {
        body["output_dimension"] = Value::from(wanted);
    }
    body
}
