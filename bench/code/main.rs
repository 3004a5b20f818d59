//! How long `search_code` takes in process, on an index that is there: `cargo bench --bench code --
//! ROOT QUESTIONS`, where QUESTIONS has one on each line. `KEN_HOME` says where the index is.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::path::Path;
use std::time::{Duration, Instant};

use kenning::config::{Config, ProcessEnv};
use kenning::engine::{CodeQuery, Engine, Filter, Granularity, Rerank, Target, parse_query};
use kenning_model::Silent;

const ROUNDS: usize = 3;

fn main() {
    let arguments: Vec<String> = std::env::args().filter(|text| text != "--bench").collect();
    let [_, root, questions] = arguments.as_slice() else {
        println!("nothing to measure: give an indexed root and a file of questions");
        return;
    };
    let root = Path::new(root).canonicalize().unwrap();
    let text = std::fs::read_to_string(questions).unwrap();
    let questions: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    let config = Config::load(&root, &[], &ProcessEnv::from_process()).unwrap();
    let engine = Engine::new(config, Target::Root(root));
    let index = engine.code(None).unwrap();
    let ask = |text: &str| {
        // Parsing belongs to a search, so it is measured too.
        let started = Instant::now();
        let parsed = parse_query(text);
        let query = CodeQuery {
            rerank: Rerank::Off,
            granularity: Granularity::for_query(&parsed),
            text,
            parsed: &parsed,
            limit: 10,
            semantic_weight: 0.7,
            filter: Filter::default(),
            tests: None,
            context: None,
        };
        let answer = engine.search_code(&index, &query, &Silent).unwrap();
        std::hint::black_box(answer.hits.len());
        started.elapsed()
    };
    let first = ask(questions[0]);
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..ROUNDS {
        times.extend(questions.iter().map(|question| ask(question)));
    }
    times.sort_unstable();
    let at = |part: usize| times[(times.len() - 1) * part / 100].as_secs_f64() * 1e3;
    let first = first.as_secs_f64() * 1e3;
    println!(
        "{{\"questions\": {}, \"first\": {first:.3}, \"p50\": {:.3}, \"p95\": {:.3}, \"max\": {:.3}}}",
        questions.len(),
        at(50),
        at(95),
        at(100)
    );
}
