//! `mlx`: a server with MLX models, which run on Apple silicon. Speaks OpenAI's API.

use super::remote::Remote;
use super::{EmbedError, Embedder, Provider, ProviderSettings, State, openai};

pub static PROVIDER: Provider = Provider {
    name: NAME,
    aliases: &[],
    summary: "an MLX server on Apple silicon, with an OpenAI-compatible API",
    state: |settings| state(settings, HostPlatform::current()),
    open: |settings| open(settings, HostPlatform::current()),
};

const NAME: &str = "mlx";
/// Where mlx-omni-server listens if nobody says otherwise.
const BASE: &str = "http://localhost:10240/v1";
const MODEL: &str = "mlx-community/Qwen3-Embedding-0.6B-4bit-DWQ";

const WHY: &str = "MLX runs on Apple silicon, which this machine is not";
const REMEDY: &str = "set MLX_BASE_URL to an MLX server on another machine";

/// The kind of this machine: MLX runs on Apple silicon only.
#[derive(Clone, Copy)]
enum HostPlatform {
    AppleSilicon,
    Other,
}

impl HostPlatform {
    /// Returns the kind of this machine.
    fn current() -> HostPlatform {
        if cfg!(all(target_os = "macos", target_arch = "aarch64")) {
            HostPlatform::AppleSilicon
        } else {
            HostPlatform::Other
        }
    }
}

/// Reports whether the server can be used from this machine.
fn state(settings: &ProviderSettings, machine: HostPlatform) -> State {
    let service = settings.service(NAME);
    let model = service.model.unwrap_or_else(|| MODEL.to_string());
    match (service.url, machine) {
        (None, HostPlatform::Other) => {
            State::Unavailable { why: WHY.to_string(), remedy: REMEDY.to_string() }
        }
        (url, _) => openai::state_at(NAME, url.as_deref().unwrap_or(BASE), model),
    }
}

/// Opens the model of a local MLX server.
fn open(
    settings: &ProviderSettings,
    machine: HostPlatform,
) -> Result<Box<dyn Embedder>, EmbedError> {
    let service = settings.service(NAME);
    let unavailable = |why: String, remedy: &str| EmbedError::Unavailable {
        provider: NAME.to_string(),
        why,
        remedy: remedy.to_string(),
    };
    if let (None, HostPlatform::Other) = (&service.url, machine) {
        return Err(unavailable(WHY.to_string(), REMEDY));
    }
    let mut api = openai::api(NAME, service, BASE, MODEL)?;
    // It has one graphics processor to share.
    api.batch_size = 32;
    match Remote::open(api, &settings.limits) {
        Err(EmbedError::Unreachable { url, why, .. }) => Err(unavailable(
            format!("nothing answers at {url}: {why}"),
            "start an MLX server with an OpenAI-compatible API, or set MLX_BASE_URL",
        )),
        outcome => outcome,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Service;

    fn why(url: Option<&str>, machine: HostPlatform) -> String {
        let mut settings = ProviderSettings::default();
        let url = url.map(str::to_string);
        settings.set(NAME, Service { url, ..Service::default() });
        let Err(EmbedError::Unavailable { why, .. }) = open(&settings, machine) else {
            panic!("nothing listens here");
        };
        match state(&settings, machine) {
            State::Unavailable { .. } => why,
            State::Available { why, .. } => panic!("{why}"),
        }
    }

    #[test]
    fn elsewhere_it_takes_an_address() {
        assert_eq!(why(None, HostPlatform::Other), WHY);
        // Port 9 is for discarding, and nobody listens there.
        let url = Some("http://127.0.0.1:9/v1");
        assert!(why(url, HostPlatform::Other).contains("127.0.0.1:9"));
        assert!(why(url, HostPlatform::AppleSilicon).contains("127.0.0.1:9"));
    }
}
