//! How fast the embedded model is: `cargo bench --bench model -- FILE…` opens it, encodes the files in
//! pieces of a chunk's size on one thread, and a question many times.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use kenning_embed::static_model::Model;

/// About as much as a chunk has.
const PIECE: usize = 1400;

const LEAST: Duration = Duration::from_secs(2);

const QUESTION: &str = "how is a request retried after the connection was lost";

fn main() {
    let files = std::env::args().skip(1).filter(|word| word != "--bench");
    let texts: Vec<String> = files.filter_map(|file| std::fs::read_to_string(file).ok()).collect();
    let started = Instant::now();
    let model = Model::embedded();
    let opened = started.elapsed();
    let mut vector = vec![0.0; model.dimension()];
    let started = Instant::now();
    model.encode(QUESTION, &mut vector);
    let first = started.elapsed();
    println!(
        "model {:.1} MB, opened in {:.3} ms, the first question in {:.3} ms",
        model.size() as f64 / 1e6,
        opened.as_secs_f64() * 1e3,
        first.as_secs_f64() * 1e3
    );
    let mut encoder = model.encoder();
    let question = repeated(|| {
        encoder.encode(QUESTION, &mut vector);
        1
    });
    println!("a question: {:.2} µs", 1e6 / question);
    let pieces: Vec<&str> = texts.iter().flat_map(|text| pieces(text)).collect();
    if pieces.is_empty() {
        println!("nothing to encode: give source files");
        return;
    }
    let bytes = repeated(|| {
        for piece in &pieces {
            encoder.encode(piece, &mut vector);
            black_box(&vector);
        }
        pieces.iter().map(|piece| piece.len()).sum()
    });
    println!("source: {:.1} MB/s on one core, {} pieces", bytes / 1e6, pieces.len());
}

/// How much is done in a second.
fn repeated(mut work: impl FnMut() -> usize) -> f64 {
    let started = Instant::now();
    let mut done = 0;
    while started.elapsed() < LEAST {
        done += work();
    }
    done as f64 / started.elapsed().as_secs_f64()
}

/// Cut at line ends.
fn pieces(text: &str) -> Vec<&str> {
    let mut rest = text;
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let mut line_ends = rest.match_indices('\n').map(|(at, _)| at + 1);
        let end = line_ends.find(|&at| at >= PIECE);
        let end = end.unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces
}
