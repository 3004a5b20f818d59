//! How fast files are read: `cargo bench --bench extract -- DIRECTORY…` reads every file of each
//! directory on one thread and prints megabytes a second per language, with where the time goes.
//! It walks plainly: what `source` would skip is skipped here only by name and size.

#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use kenning_lang::code::{ExtractionPhase, read_in_steps};
use kenning_lang::skip_rules;
use kenning_model::RepoPath;

/// Larger files are not read, as in an index with its defaults.
const MAX_BYTES: u64 = 1024 * 1024;

/// The cost of reading the files of one language.
#[derive(Default)]
struct Total {
    files: usize,
    bytes: usize,
    refused: usize,
    time: Duration,
    /// By [`Step`], in order.
    steps: [Duration; 4],
    slowest: (Duration, String),
}

fn main() {
    let directories = std::env::args().skip(1).filter(|word| word != "--bench");
    for directory in directories {
        let mut totals = BTreeMap::new();
        let root = Path::new(&directory);
        visit(root, root, &mut totals);
        print(&directory, &totals);
    }
}

fn visit(root: &Path, directory: &Path, totals: &mut BTreeMap<&'static str, Total>) {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return;
    };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (path, name) = (entry.path(), entry.file_name());
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        let is_skipped =
            ["vendor", "node_modules", ".git", "target"].iter().any(|skipped| name == *skipped);
        if kind.is_dir() && !is_skipped {
            visit(root, &path, totals);
        }
        if kind.is_file() && entry.metadata().is_ok_and(|meta| meta.len() <= MAX_BYTES) {
            measure(root, &path, totals);
        }
    }
}

fn measure(root: &Path, path: &Path, totals: &mut BTreeMap<&'static str, Total>) {
    let inside = path.strip_prefix(root).unwrap_or(path);
    let Ok(text) = std::fs::read_to_string(path) else {
        return;
    };
    let Some(path) = inside.to_str().and_then(RepoPath::new) else {
        return;
    };
    if skip_rules::skip_reason(&path, &text).is_some() {
        return;
    }
    let mut steps = [Duration::ZERO; 4];
    let begin = Instant::now();
    let mut last = begin;
    let facts = read_in_steps(&path, &text, &mut |step: ExtractionPhase| {
        let now = Instant::now();
        steps[step as usize] = now - last;
        last = now;
    });
    let time = begin.elapsed();
    let total = totals.entry(facts.language).or_default();
    total.files += 1;
    total.bytes += text.len();
    total.refused += facts.problems.len();
    total.time += time;
    for (sum, step) in total.steps.iter_mut().zip(steps) {
        *sum += step;
    }
    if time > total.slowest.0 {
        total.slowest = (time, path.to_string());
    }
}

fn print(directory: &str, totals: &BTreeMap<&'static str, Total>) {
    println!("{directory}");
    println!(
        "{:<12}{:>7}{:>9}{:>8}{:>8} |{:>7}{:>9}{:>10}{:>8} % | refused, slowest",
        "language", "files", "MB", "s", "MB/s", "parse", "captures", "assemble", "chunks"
    );
    let mut all = (0, Duration::ZERO);
    for (language, total) in totals {
        let megabytes = total.bytes as f64 / 1e6;
        let seconds = total.time.as_secs_f64();
        let share = |step: usize| 100.0 * total.steps[step].as_secs_f64() / seconds;
        println!(
            "{language:<12}{:>7}{megabytes:>9.2}{seconds:>8.2}{:>8.2} |{:>7.0}{:>9.0}{:>10.0}{:>8.0}   | {}, {:.0} ms {}",
            total.files,
            megabytes / seconds,
            share(0),
            share(1),
            share(2),
            share(3),
            total.refused,
            total.slowest.0.as_secs_f64() * 1e3,
            total.slowest.1
        );
        all = (all.0 + total.bytes, all.1 + total.time);
    }
    let (megabytes, seconds) = (all.0 as f64 / 1e6, all.1.as_secs_f64());
    println!("{:<12}{:>7}{megabytes:>9.2}{seconds:>8.2}{:>8.2}", "all", "", megabytes / seconds);
}
