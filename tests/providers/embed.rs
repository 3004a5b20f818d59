//! Texts in, vectors out, through the providers as `ken` configures them: for comparing what they
//! give with what others give. Reads a JSON list of texts, writes a JSON object.
//!
//!     cargo run --example embed -- openai query < texts.json

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use kenning::config::{Config, ProcessEnv};
use kenning::engine::{Engine, Purpose, Target};
use kenning::ops::OpError;
use kenning_model::Silent;
use serde_json::json;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let provider = arguments.first().ok_or("give the name of a provider")?;
    let purpose = match arguments.get(1).map(String::as_str) {
        Some("query") => Purpose::Query,
        Some("document") | None => Purpose::Document,
        Some(other) => return Err(format!("{other}: neither query nor document").into()),
    };
    let texts: Vec<String> = serde_json::from_reader(std::io::stdin())?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let root = Path::new(".");
    let config = Config::load(root, &[], &ProcessEnv::from_process())?;
    let engine = Engine::new(config, Target::Root(root.to_path_buf()));
    let embedder = engine.embedder(Some(provider)).map_err(OpError::from)?;
    let vectors = embedder.embed(&texts, purpose, &Silent)?;
    let identity = embedder.identity();
    let shown = json!({
        "provider": identity.provider,
        "model": identity.model,
        "dimension": identity.dimension,
        "vectors": vectors.rows().collect::<Vec<_>>(),
    });
    println!("{shown}");
    Ok(())
}
