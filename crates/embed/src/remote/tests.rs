//! The services as they are recorded, and their faults, by one that misbehaves on purpose.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;

use super::*;
use crate::testing::{FakeService, Request, ServiceReaction};
use crate::{PROVIDERS, ProviderSettings, Service, State, find, openai};
use kenning_model::Silent;

const KEY: &str = "sk-very-secret";

/// Three numbers that tell texts apart: the length, the first byte, and one for good measure.
fn vector(text: &str) -> [f32; 3] {
    let first = text.bytes().next().unwrap_or(0);
    [text.len() as f32, f32::from(first), 1.0]
}

fn normalised(text: &str) -> Vec<f32> {
    let mut vectors = Vectors::new(3);
    vectors.push(&vector(text));
    vectors.into_flat()
}

fn inputs(request: &Request) -> Vec<String> {
    let texts = request.body["input"].as_array().unwrap().iter();
    texts.map(|text| text.as_str().unwrap().to_string()).collect()
}

/// OpenAI's shape, last text first, as a service may.
fn good(request: &Request) -> String {
    let texts = inputs(request).into_iter().enumerate().rev();
    let rows = texts.map(|(index, text)| json!({"index": index, "embedding": vector(&text)}));
    json!({"object": "list", "data": rows.collect::<Vec<_>>()}).to_string()
}

fn answer(request: &Request) -> ServiceReaction {
    ServiceReaction::Answer(200, "", good(request))
}

/// Waits that take no time; what they would have been.
#[derive(Clone, Default)]
struct Noted(Arc<Mutex<Vec<u64>>>);

impl Clock for Noted {
    fn wait(&self, duration: Duration, _stop: &StopSignal) {
        self.0.lock().unwrap().push(duration.as_millis() as u64);
    }

    fn random_fraction(&self) -> f64 {
        1.0
    }
}

fn limits() -> Limits {
    Limits { retries: 2, retry_delay: Duration::from_millis(100), ..Limits::default() }
}

fn service(fake: &FakeService, path: &str) -> Service {
    Service { url: Some(fake.url(path)), key: Secret::new(KEY), ..Service::default() }
}

fn remote(fake: &FakeService, limits: &Limits, clock: &Noted) -> Remote {
    let service =
        Service { model: Some("m".to_string()), dimension: Some(3), ..service(fake, "/v1") };
    let api = openai::api("openai", service, "", "").unwrap();
    Remote::with_clock(api, limits, Box::new(clock.clone())).unwrap()
}

/// Embeds two texts with a service that acts so; the outcome, the number of requests, the waits.
fn embed(
    act: impl Fn(usize, &Request) -> ServiceReaction + Send + Sync + 'static,
) -> (Result<Vectors, EmbedError>, usize, Vec<u64>) {
    let fake = FakeService::new(act);
    let clock = Noted::default();
    let remote = remote(&fake, &limits(), &clock);
    let outcome = remote.embed(&["one", "three"], Purpose::Document, &Silent);
    let waits = clock.0.lock().unwrap().clone();
    (outcome, fake.requests().len(), waits)
}

fn rows_of(texts: &[&str]) -> Vec<f32> {
    texts.iter().flat_map(|text| normalised(text)).collect()
}

/// It stumbles as `act` says, and the third answer is good.
fn recovers(act: impl Fn(&Request) -> ServiceReaction + Send + Sync + 'static, waits: &[u64]) {
    let (outcome, requests, waited) = embed(move |number, request| match number {
        0 | 1 => act(request),
        _ => answer(request),
    });
    assert_eq!(outcome.unwrap().into_flat(), rows_of(&["one", "three"]));
    assert_eq!((requests, waited.as_slice()), (3, waits));
}

/// It answers so and never otherwise.
fn fails(
    act: impl Fn(&Request) -> ServiceReaction + Send + Sync + 'static,
    expected_requests: usize,
) -> EmbedError {
    let (outcome, requests, _) = embed(move |_, request| act(request));
    let error = outcome.unwrap_err();
    assert_eq!(requests, expected_requests, "{error}");
    assert!(!error.to_string().contains(KEY), "{error}");
    assert!(!format!("{error:?}").contains(KEY), "{error:?}");
    error
}

fn status(status: u16, body: &'static str) -> impl Fn(&Request) -> ServiceReaction {
    move |_| ServiceReaction::Answer(status, "", body.to_string())
}

#[test]
fn haste_and_hiccups_pass() {
    recovers(status(500, "oops"), &[100, 200]);
    recovers(status(503, "loading"), &[100, 200]);
    recovers(status(429, "slow down"), &[100, 200]);
    let wish =
        |_: &Request| ServiceReaction::Answer(429, "retry-after: 7\r\n", "slow down".to_string());
    recovers(wish, &[7000, 7000]);
    let wish = |_: &Request| ServiceReaction::Answer(429, "retry-after-ms: 250\r\n", String::new());
    recovers(wish, &[250, 250]);
}

#[test]
fn broken_answers_are_asked_for_again() {
    recovers(
        |request| {
            let whole = good(request);
            ServiceReaction::Answer(200, "", whole[..whole.len() / 2].to_string())
        },
        &[100, 200],
    );
    recovers(|request| ServiceReaction::BreakOff(good(request)), &[100, 200]);
    recovers(status(200, r#"{"data": []}"#), &[100, 200]);
}

#[test]
fn patience_ends() {
    let error = fails(status(500, r#"{"error": {"message": "out of\nmemory"}}"#), 3);
    assert_eq!(error.to_string(), "openai answered 500: out of memory");
    let error = fails(status(200, "{"), 3);
    assert!(matches!(error, EmbedError::Malformed { .. }), "{error}");
}

#[test]
fn what_asking_again_cannot_mend_is_asked_once() {
    let quoting = format!(r#"{{"error": {{"message": "bad key {KEY}"}}}}"#);
    let error = fails(move |_| ServiceReaction::Answer(401, "", quoting.clone()), 1);
    assert_eq!(error.to_string(), "openai rejects the key: bad key [hidden]");
    let error = fails(status(403, ""), 1);
    assert!(matches!(error, EmbedError::BadKey { .. }), "{error}");
    let error = fails(status(400, r#"{"detail": "input too long"}"#), 1);
    assert_eq!(error.to_string(), "openai answered 400: input too long");
    let quota = r#"{"error": {"message": "You exceeded your current quota"}}"#;
    assert!(matches!(fails(status(429, quota), 1), EmbedError::Refused { .. }));
    let long = r#"{"error": {"message": "input (3002 tokens) is too large to process"}}"#;
    let error = fails(status(500, long), 1);
    assert!(error.to_string().contains("3002 tokens"), "{error}");
    let missing = r#"{"error": {"message": "The model `m` does not exist"}}"#;
    let error = fails(status(404, missing), 1);
    assert!(matches!(error, EmbedError::ModelNotFound { .. }), "{error}");
    assert!(error.remedy().unwrap().contains("openai.model"));
}

#[test]
fn a_key_does_not_follow_elsewhere() {
    let elsewhere = FakeService::new(|_, request| answer(request));
    let address: &'static str = format!("location: {}\r\n", elsewhere.url("/v1")).leak();
    let error = fails(move |_| ServiceReaction::Answer(307, address, String::new()), 1);
    assert!(matches!(error, EmbedError::Refused { status: 307, .. }), "{error}");
    assert_eq!(elsewhere.requests().len(), 0);
}

#[test]
fn rows_that_are_missing_or_of_another_length_are_errors() {
    let one = r#"{"data": [{"index": 1, "embedding": [1, 2, 3]}]}"#;
    let partial =
        EmbedError::PartialAnswer { provider: "openai".to_string(), expected: 2, found: 1 };
    assert_eq!(fails(status(200, one), 3), partial);
    let short = r#"{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [2]}]}"#;
    let error = fails(status(200, short), 1);
    let wrong = "openai returned vectors with 1 dimensions for m; 3 were expected";
    assert_eq!(error.to_string(), wrong);
}

#[test]
fn silence_has_its_time() {
    let fake = FakeService::new(|_, _| ServiceReaction::FallSilent);
    let limits = Limits { timeout: Duration::from_millis(50), ..limits() };
    let remote = remote(&fake, &limits, &Noted::default());
    let error = remote.embed(&["x"], Purpose::Query, &Silent).unwrap_err();
    assert!(matches!(error, EmbedError::TimedOut { .. }), "{error}");
    assert_eq!(fake.requests().len(), 3);
}

#[test]
fn a_worker_that_panics_is_an_answer() {
    let fake = FakeService::new(|_, request| answer(request));
    let mut remote = remote(&fake, &limits(), &Noted::default());
    let line = Arc::get_mut(&mut remote.line).unwrap();
    line.api.rows = |_| panic!("on purpose");
    let error = remote.embed(&["x"], Purpose::Query, &Silent).unwrap_err();
    assert!(matches!(error, EmbedError::Malformed { .. }), "{error}");
}

/// Cancelled as soon as the service has the request in hand.
struct UntilAsked<'a>(&'a FakeService);

impl Progress for UntilAsked<'_> {
    fn report(&self, _stage: &str, _done: usize, _total: Option<usize>) {}

    fn is_cancelled(&self) -> bool {
        !self.0.requests().is_empty()
    }
}

#[test]
fn a_cancelled_call_does_not_wait_for_the_answer() {
    let fake = FakeService::new(|_, _| ServiceReaction::FallSilent);
    let limits = Limits {
        // Nobody would wait for this test if it ended with this time.
        timeout: Duration::from_secs(3600),
        ..limits()
    };
    let remote = remote(&fake, &limits, &Noted::default());
    let outcome = remote.embed(&["x"], Purpose::Query, &UntilAsked(&fake));
    assert_eq!(outcome, Err(EmbedError::Cancelled));
}

struct Counted(Mutex<Vec<usize>>);

impl Progress for Counted {
    fn report(&self, _stage: &str, done: usize, total: Option<usize>) {
        assert_eq!(total, Some(10));
        self.0.lock().unwrap().push(done);
    }

    fn is_cancelled(&self) -> bool {
        false
    }
}

#[test]
fn batches_keep_the_order_and_the_limits() {
    static MOST: AtomicUsize = AtomicUsize::new(0);
    static NOW: AtomicUsize = AtomicUsize::new(0);
    let fake = FakeService::new(|_, request| {
        MOST.fetch_max(NOW.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        let act = answer(request);
        NOW.fetch_sub(1, Ordering::SeqCst);
        act
    });
    let limits = Limits { batch_size: Some(3), concurrency: 2, ..limits() };
    let remote = remote(&fake, &limits, &Noted::default());
    let owned: Vec<String> = (1..=10).map(|n| "x".repeat(n)).collect();
    let texts: Vec<&str> = owned.iter().map(String::as_str).collect();
    let counted = Counted(Mutex::default());
    let vectors = remote.embed(&texts, Purpose::Document, &counted).unwrap();
    assert_eq!(vectors.into_flat(), rows_of(&texts));
    let mut sizes: Vec<usize> = fake.requests().iter().map(|r| inputs(r).len()).collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [1, 3, 3, 3]);
    assert!(MOST.load(Ordering::SeqCst) <= 2);
    assert_eq!(counted.0.lock().unwrap().last(), Some(&10));
    assert!(remote.embed(&[], Purpose::Query, &Silent).unwrap().is_empty());
}

/// Opens a provider on a fake and embeds one text for each purpose.
fn recorded(
    provider: &str,
    path: &str,
    act: fn(&Request) -> ServiceReaction,
) -> (Vec<Request>, Identity) {
    let fake = FakeService::new(move |_, request| act(request));
    let mut settings = ProviderSettings::new(limits());
    settings.set(provider, service(&fake, path));
    let embedder = (find(provider).unwrap().open)(&settings).unwrap();
    for purpose in [Purpose::Query, Purpose::Document] {
        let vectors = embedder.embed(&["fn main"], purpose, &Silent).unwrap();
        assert_eq!(vectors.len(), 1);
    }
    (fake.requests(), embedder.identity().clone())
}

fn headers_have_key(request: &Request) -> bool {
    let expected = format!("authorization: Bearer {KEY}");
    request.headers.lines().any(|line| line.eq_ignore_ascii_case(&expected))
}

#[test]
fn ollama_as_recorded() {
    let (requests, identity) = recorded("ollama", "", |_| {
        let body = r#"{"model":"nomic-embed-text","embeddings":[[0.010071029,-0.0017594862]],
            "total_duration":14143917,"load_duration":1019500,"prompt_eval_count":8}"#;
        ServiceReaction::Answer(200, "content-type: application/json\r\n", body.to_string())
    });
    assert_eq!(identity.dimension, 2);
    assert_eq!(identity.model, "nomic-embed-text");
    // The first one asked for the dimension.
    assert_eq!(requests.len(), 3);
    assert!(requests.iter().all(|request| request.line == "POST /api/embed"));
    assert_eq!(
        requests[1].body,
        json!({"model": "nomic-embed-text", "input": ["search_query: fn main"], "truncate": true})
    );
    assert_eq!(requests[2].body["input"][0], "search_document: fn main");
}

#[test]
fn voyage_as_recorded() {
    let (requests, identity) = recorded("voyage", "/v1/embeddings", |_| {
        let row = vec![0.5; 1024];
        let body = json!({"object": "list", "model": "voyage-code-3",
            "data": [{"object": "embedding", "embedding": row, "index": 0}],
            "usage": {"total_tokens": 3}});
        ServiceReaction::Answer(200, "content-type: application/json\r\n", body.to_string())
    });
    assert_eq!((identity.model.as_str(), identity.dimension), ("voyage-code-3", 1024));
    // Its dimension is known: nothing is asked beforehand.
    assert_eq!(requests.len(), 2);
    assert!(requests.iter().all(headers_have_key));
    let expected = |input_type: &str| json!({"model": "voyage-code-3", "input": ["fn main"], "input_type": input_type});
    assert_eq!(requests[0].body, expected("query"));
    assert_eq!(requests[1].body, expected("document"));
}

#[test]
fn openai_as_recorded() {
    let (requests, identity) = recorded("openai", "/v1", |_| {
        let row = vec![0.5; 1536];
        let body = json!({"object": "list", "model": "text-embedding-3-small",
            "data": [{"object": "embedding", "index": 0, "embedding": row}],
            "usage": {"prompt_tokens": 2, "total_tokens": 2}});
        ServiceReaction::Answer(200, "", body.to_string())
    });
    assert_eq!(identity.dimension, 1536);
    assert!(requests.iter().all(headers_have_key));
    assert_eq!(requests[0].line, "POST /v1/embeddings");
    let expected = json!({"model": "text-embedding-3-small", "input": ["fn main"],
        "encoding_format": "float"});
    assert_eq!(requests[0].body, expected);
}

#[test]
fn mlx_speaks_as_openai_does() {
    let (requests, identity) = recorded("mlx", "/v1", answer);
    assert_eq!(identity.dimension, 3);
    assert_eq!(requests[0].line, "POST /v1/embeddings");
    let query = requests[1].body["input"][0].as_str().unwrap();
    assert!(query.starts_with("Instruct: "), "{query}");
    assert_eq!(requests[2].body["input"][0], "fn main");
}

fn ollama_state(status: u16, body: &'static str) -> State {
    let fake = FakeService::new(move |_, _| ServiceReaction::Answer(status, "", body.to_string()));
    let mut settings = ProviderSettings::default();
    settings.set("ollama", service(&fake, ""));
    let state = (find("ollama").unwrap().state)(&settings);
    // A look carries no key.
    assert!(fake.requests().iter().all(|request| !headers_have_key(request)));
    assert_eq!(fake.requests()[0].line, "GET /api/tags");
    state
}

#[test]
fn ollama_says_what_is_missing() {
    let has = r#"{"models":[{"name":"nomic-embed-text:latest","size":274302450}]}"#;
    assert!(matches!(ollama_state(200, has), State::Available { .. }));
    let State::Unavailable { remedy, .. } = ollama_state(200, r#"{"models":[]}"#) else {
        panic!("the model is not there");
    };
    assert_eq!(remedy, "run `ollama pull nomic-embed-text`");
    for (status, body) in [(200, "<html>"), (502, "")] {
        let State::Unavailable { remedy, .. } = ollama_state(status, body) else {
            panic!("this is not Ollama");
        };
        assert!(remedy.contains("ollama serve"), "{remedy}");
    }
}

#[test]
fn an_ollama_without_the_model_says_how_to_get_it() {
    let fake = FakeService::new(|_, _| {
        let body = r#"{"error":"model \"nomic-embed-text\" not found, try pulling it first"}"#;
        ServiceReaction::Answer(404, "", body.to_string())
    });
    let mut settings = ProviderSettings::new(limits());
    settings.set("ollama", service(&fake, ""));
    let error = crate::open("ollama", &settings).err().unwrap();
    assert!(matches!(error, EmbedError::ModelNotFound { .. }), "{error}");
    assert_eq!(error.remedy().unwrap(), "run `ollama pull nomic-embed-text`");
}

#[test]
fn addresses_are_checked_before_use() {
    let check = |url: &str, expected: &str| {
        let error = check_url("openai", url).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(!error.contains("pa55"), "{error}");
    };
    check("ftp://h/v1", "http:// or https://");
    check("localhost:8080", "http");
    check("http://user:pa55@h/v1", "must not hold");
    check("no address", "not an address");
    assert_eq!(check_url("openai", "https://h/v1"), Ok(()));
}

#[test]
fn names_and_aliases_are_unique() {
    let mut names: Vec<&str> = PROVIDERS
        .iter()
        .flat_map(|provider| provider.aliases.iter().copied().chain([provider.name]))
        .collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
    assert_eq!(find("OpenAI").unwrap().name, "openai");
    let error = find("opnai").err().unwrap().to_string();
    assert!(error.contains("there are") && error.contains("openai"), "{error}");
}
