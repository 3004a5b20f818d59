//! `openai`: OpenAI's embeddings API, and the many services that speak it.

use serde::Deserialize;
use serde_json::{Value, json};

use super::remote::{Api, HttpFailure, Remote, VectorRow, check_url, probe};
use super::{EmbedError, Embedder, Provider, ProviderSettings, Purpose, Service, State};

pub static PROVIDER: Provider = Provider {
    name: NAME,
    aliases: &[],
    summary: "OpenAI, or any service with an OpenAI-compatible /v1/embeddings",
    state,
    open,
};

const NAME: &str = "openai";
const BASE: &str = "https://api.openai.com/v1";
const MODEL: &str = "text-embedding-3-small";

/// Models whose dimension is known, and whether it can be shortened on request.
const KNOWN: &[(&str, usize, DimensionChoice)] = &[
    ("text-embedding-3-small", 1536, DimensionChoice::Free),
    ("text-embedding-3-large", 3072, DimensionChoice::Free),
    ("text-embedding-ada-002", 1536, DimensionChoice::Fixed),
];

/// Tells whether a model shortens its vectors on request.
#[derive(Clone, Copy, PartialEq)]
enum DimensionChoice {
    Fixed,
    Free,
}

/// Reports whether a key or an address is set, and whether a service answers at the address.
fn state(settings: &ProviderSettings) -> State {
    let service = settings.service(NAME);
    let model = service.model.clone().unwrap_or_else(|| MODEL.to_string());
    match (&service.url, &service.key) {
        (None, None) => State::Unavailable {
            why: "no key is set".to_string(),
            remedy: "set OPENAI_API_KEY, or OPENAI_BASE_URL for a service of your own".to_string(),
        },
        (None, Some(_)) => {
            State::Available { model, why: format!("a key is set; texts go to {BASE}") }
        }
        (Some(url), _) => state_at(NAME, url, model),
    }
}

/// Reports the state of a compatible service at `url`.
pub fn state_at(provider: &str, url: &str, model: String) -> State {
    if let Err(error) = check_url(provider, url) {
        return State::Unavailable {
            why: error.to_string(),
            remedy: "give an address such as http://localhost:8080/v1".to_string(),
        };
    }
    let models = endpoint(url).replace("/embeddings", "/models");
    match probe(&models) {
        // Even a refusal is an answer: without a key, many do not list their models.
        Ok(_) => State::Available { model, why: format!("a service answers at {url}") },
        Err(reason) => State::Unavailable {
            why: match reason {
                HttpFailure::TimedOut => format!("{url} does not answer"),
                HttpFailure::Unreachable(why) | HttpFailure::Broken(why) => format!("{url}: {why}"),
            },
            remedy: format!("start it, or set `{provider}.url` to where it runs"),
        },
    }
}

/// Opens the configured model.
fn open(settings: &ProviderSettings) -> Result<Box<dyn Embedder>, EmbedError> {
    let service = settings.service(NAME);
    if let (None, None) = (&service.url, &service.key) {
        return Err(EmbedError::Unavailable {
            provider: NAME.to_string(),
            why: "no key is set".to_string(),
            remedy: "set OPENAI_API_KEY, or OPENAI_BASE_URL for a service of your own".to_string(),
        });
    }
    let api = api(NAME, service, BASE, MODEL)?;
    Remote::open(api, &settings.limits)
}

/// Returns the API of a compatible service.
pub fn api(
    provider: &'static str,
    service: Service,
    base: &str,
    model: &str,
) -> Result<Api, EmbedError> {
    let url = service.url.unwrap_or_else(|| base.to_string());
    check_url(provider, &url)?;
    let model = service.model.unwrap_or_else(|| model.to_string());
    let known = find_known_model(&model).map(|(_, dimension, _)| *dimension);
    Ok(Api {
        provider,
        url: endpoint(&url),
        key: service.key,
        missing_model: format!("set `{provider}.model` to a model that it has"),
        dimension: service.dimension.or(known),
        batch_size: 256,
        model,
        request,
        rows: parse_rows,
    })
}

/// Returns the entry of a model whose dimension is known without asking.
fn find_known_model(model: &str) -> Option<&'static (&'static str, usize, DimensionChoice)> {
    KNOWN.iter().find(|(name, _, _)| *name == model)
}

/// Completes an address. Users give the base (`…/v1`), the host alone, or the whole endpoint.
fn endpoint(url: &str) -> String {
    let url = url.trim_end_matches('/');
    let after_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
    if url.ends_with("/embeddings") {
        url.to_string()
    } else if after_scheme.contains('/') {
        format!("{url}/embeddings")
    } else {
        format!("{url}/v1/embeddings")
    }
}

/// Returns the request body. It has a dimension only if that differs from the model's own, because
/// most compatible services reject the field.
fn request(api: &Api, texts: &[String], _purpose: Purpose) -> Value {
    let mut body = json!({"model": api.model, "input": texts, "encoding_format": "float"});
    if let (Some((_, own, DimensionChoice::Free)), Some(wanted)) =
        (find_known_model(&api.model), api.dimension)
        && *own != wanted
    {
        body["dimensions"] = Value::from(wanted);
    }
    body
}

/// Parses `{"data": [{"index": 0, "embedding": […]}, …]}`.
pub fn parse_rows(body: &[u8]) -> Result<Vec<VectorRow>, String> {
    #[derive(Deserialize)]
    struct Body {
        data: Vec<Item>,
    }
    #[derive(Deserialize)]
    struct Item {
        index: Option<usize>,
        embedding: Vec<f32>,
    }
    let body: Body = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let items =
        body.data.into_iter().map(|item| VectorRow { index: item.index, values: item.embedding });
    Ok(items.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_as_users_write_it() {
        let check = |url, expected| assert_eq!(endpoint(url), expected, "{url}");
        check(BASE, "https://api.openai.com/v1/embeddings");
        check("http://localhost:8080", "http://localhost:8080/v1/embeddings");
        check("http://localhost:8080/", "http://localhost:8080/v1/embeddings");
        check("http://h/api/v3/", "http://h/api/v3/embeddings");
        check("http://h:7997/embeddings", "http://h:7997/embeddings");
    }

    #[test]
    fn a_length_is_asked_for_only_where_it_can_be_had() {
        let asked = |model: &str, dimension| {
            let service =
                Service { model: Some(model.to_string()), dimension, ..Service::default() };
            let api = api(NAME, service, BASE, MODEL).unwrap();
            request(&api, &[], Purpose::Query)["dimensions"].clone()
        };
        assert_eq!(asked("text-embedding-3-large", Some(256)), 256);
        assert_eq!(asked("text-embedding-3-large", Some(3072)), Value::Null);
        assert_eq!(asked("text-embedding-3-large", None), Value::Null);
        assert_eq!(asked("nomic-embed-text", Some(256)), Value::Null);
    }

    #[test]
    fn without_a_key_the_remedy_is_named() {
        let State::Unavailable { remedy, .. } = state(&ProviderSettings::default()) else {
            panic!("there is no key");
        };
        assert!(remedy.contains("OPENAI_API_KEY"), "{remedy}");
    }
}
