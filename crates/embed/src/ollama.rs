//! `ollama`: models that Ollama runs on this machine or another.

use serde::Deserialize;
use serde_json::{Value, json};

use super::remote::{Api, HttpFailure, Remote, VectorRow, check_url, probe};
use super::{EmbedError, Embedder, Provider, ProviderSettings, Purpose, Service, State};

pub static PROVIDER: Provider = Provider {
    name: NAME,
    aliases: &[],
    summary: "a model that Ollama runs, on this machine unless OLLAMA_HOST says otherwise",
    state,
    open,
};

const NAME: &str = "ollama";
const MODEL: &str = "nomic-embed-text";

/// Reports whether the server runs and has the model.
fn state(settings: &ProviderSettings) -> State {
    let service = settings.service(NAME);
    let (base, model) = (base_url(&service), model_name(&service));
    let unavailable = |why: String, remedy: String| State::Unavailable { why, remedy };
    if let Err(error) = check_url(NAME, &base) {
        return unavailable(error.to_string(), "check OLLAMA_HOST".to_string());
    }
    let start = || "start it with `ollama serve`, or set OLLAMA_HOST".to_string();
    match probe(&format!("{base}/api/tags")) {
        Ok((200, body)) => match has_model(&body, &model) {
            Some(true) => {
                State::Available { why: format!("Ollama runs at {base} and has the model"), model }
            }
            Some(false) => unavailable(
                format!("Ollama runs at {base}, but has no model {model}"),
                pull_advice(&model),
            ),
            None => unavailable(format!("what answers at {base} is not Ollama"), start()),
        },
        Ok((status, _)) => unavailable(format!("{base} answers {status}"), start()),
        Err(HttpFailure::TimedOut) => unavailable(format!("{base} does not answer"), start()),
        Err(HttpFailure::Unreachable(why) | HttpFailure::Broken(why)) => {
            unavailable(format!("nothing answers at {base}: {why}"), start())
        }
    }
}

/// Opens the configured model.
fn open(settings: &ProviderSettings) -> Result<Box<dyn Embedder>, EmbedError> {
    let service = settings.service(NAME);
    let (base, model) = (base_url(&service), model_name(&service));
    check_url(NAME, &base)?;
    let api = Api {
        provider: NAME,
        url: format!("{base}/api/embed"),
        key: service.key,
        dimension: service.dimension,
        // It embeds on this machine's cores: a larger batch wins nothing and loses the progress.
        batch_size: 64,
        missing_model: pull_advice(&model),
        model,
        request,
        rows: parse_rows,
    };
    match Remote::open(api, &settings.limits) {
        Err(EmbedError::Unreachable { why, .. }) => Err(EmbedError::Unavailable {
            provider: NAME.to_string(),
            why: format!("nothing answers at {base}: {why}"),
            remedy: "start it with `ollama serve`, or set OLLAMA_HOST".to_string(),
        }),
        outcome => outcome,
    }
}

/// Returns the configured model, else the default.
fn model_name(service: &Service) -> String {
    service.model.clone().unwrap_or_else(|| MODEL.to_string())
}

/// Returns the command that downloads a model.
fn pull_advice(model: &str) -> String {
    format!("run `ollama pull {model}`")
}

/// Returns the address of the server. `OLLAMA_HOST` may be a host, a host with a port, or a URL.
/// The server itself listens on the same variable, so it may also be the wildcard address.
fn base_url(service: &Service) -> String {
    const PORT: &str = "11434";
    let given = service.url.as_deref().unwrap_or("localhost").trim();
    let (scheme, rest) = given.split_once("://").unwrap_or(("http", given));
    let rest = rest.trim_end_matches('/');
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let authority = match authority.strip_prefix("0.0.0.0") {
        Some(port) => format!("127.0.0.1{port}"),
        None => authority.to_string(),
    };
    // The colons of an IPv6 address are in brackets.
    let after_brackets = authority.rsplit(']').next().unwrap_or_default();
    let needs_port = !given.contains("://") && !after_brackets.contains(':');
    if needs_port {
        format!("{scheme}://{authority}:{PORT}{path}")
    } else {
        format!("{scheme}://{authority}{path}")
    }
}

/// True if the list of models contains this one; a name without a tag means `latest`. `None` if the
/// body is not such a list.
fn has_model(body: &[u8], model: &str) -> Option<bool> {
    #[derive(Deserialize)]
    struct Tags {
        models: Vec<Tag>,
    }
    #[derive(Deserialize)]
    struct Tag {
        name: String,
    }
    let tags: Tags = serde_json::from_slice(body).ok()?;
    let full = |name: &str| {
        if name.contains(':') {
            name.to_lowercase()
        } else {
            format!("{name}:latest").to_lowercase()
        }
    };
    Some(tags.models.iter().any(|tag| full(&tag.name) == full(model)))
}

/// Returns the request body.
fn request(api: &Api, texts: &[String], _purpose: Purpose) -> Value {
    json!({"model": api.model, "input": texts, "truncate": true})
}

/// Parses `{"embeddings": [[…], …]}`.
fn parse_rows(body: &[u8]) -> Result<Vec<VectorRow>, String> {
    #[derive(Deserialize)]
    struct Body {
        embeddings: Vec<Vec<f32>>,
    }
    let body: Body = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let rows = body.embeddings.into_iter().map(|values| VectorRow { index: None, values });
    Ok(rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_as_users_write_it() {
        let check = |url: Option<&str>, expected| {
            let service = Service { url: url.map(str::to_string), ..Service::default() };
            assert_eq!(base_url(&service), expected, "{url:?}");
        };
        check(None, "http://localhost:11434");
        check(Some("gpu.local"), "http://gpu.local:11434");
        check(Some("gpu.local:8080"), "http://gpu.local:8080");
        check(Some("0.0.0.0"), "http://127.0.0.1:11434");
        check(Some("0.0.0.0:9"), "http://127.0.0.1:9");
        check(Some("[::1]"), "http://[::1]:11434");
        check(Some("[::1]:9"), "http://[::1]:9");
        check(Some("https://ollama.example/"), "https://ollama.example");
        check(Some("http://h:1/behind/"), "http://h:1/behind");
    }

    #[test]
    fn finds_a_model_with_or_without_its_tag() {
        let body = br#"{"models": [{"name": "nomic-embed-text:latest"}, {"name": "bge-m3:567m"}]}"#;
        assert_eq!(has_model(body, "nomic-embed-text"), Some(true));
        assert_eq!(has_model(body, "nomic-embed-text:v1.5"), Some(false));
        assert_eq!(has_model(body, "bge-m3"), Some(false));
        assert_eq!(has_model(body, "bge-m3:567M"), Some(true));
        assert_eq!(has_model(b"<html>", "bge-m3"), None);
    }
}
