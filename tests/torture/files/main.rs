//! Parses files that nobody would write, each in a process of its own, and records processor time,
//! peak memory and exit.
//!
//! `cargo test --locked -p kenning-lang --test hostile-files` runs a bounded part and fails if a
//! file exceeds the bounds. `-- --all` after it runs all of them, `-- --help` lists the options.
//! The bounds are of processor time: a busy machine does not change the result.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used)]

mod cases;
mod child;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use cases::{Case, CaseFamily};
use child::{ChildOutcome, Limits};

/// The command line of the harness.
struct Options {
    /// Bytes of each file.
    size: usize,
    limits: Limits,
    jobs: usize,
    /// Every n-th case is run.
    every: usize,
    language: Option<String>,
    families: Vec<CaseFamily>,
    /// Cases that take at least this many seconds are listed.
    listed_seconds: f64,
}

const HELP: &str = "\
  --all             every file (without it: every 499th)
  --every N         every N-th file
  --size BYTES      size of each file (1048576)
  --seconds N       processor seconds per file (2; 8 in a debug build)
  --megabytes N     peak memory per file (500)
  --list-seconds N  list files from this time on
  --jobs N          files at once
  --language NAME   one language
  --family NAME     units, tokens, nested or sources
  --tree FOLDER     parse the files of a real tree and list those that became plain text";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "child") {
        child::parse_case(&arguments[1..]);
        return ExitCode::SUCCESS;
    }
    if let [first, folder] = &arguments[..]
        && first == "--tree"
    {
        child::parse_tree(std::path::Path::new(folder));
        return ExitCode::SUCCESS;
    }
    let Some(options) = read_options(&arguments) else {
        println!("{HELP}");
        return ExitCode::SUCCESS;
    };
    let all = cases::all_cases(options.language.as_deref(), &options.families);
    let mut chosen = cases::regressions();
    chosen.extend(all.into_iter().step_by(options.every));
    let outcomes = run_cases(&chosen, &options);
    report(&chosen, &outcomes, &options)
}

/// Reads the command line; `None` if it asks for help or has an option of the test harness that
/// lists tests.
fn read_options(arguments: &[String]) -> Option<Options> {
    let mut options = Options {
        size: 1 << 20,
        // Without optimisation, the phases after the parse take several times as long.
        limits: Limits { seconds: if cfg!(debug_assertions) { 8.0 } else { 2.0 }, megabytes: 500 },
        jobs: std::thread::available_parallelism().map_or(1, usize::from),
        every: 499,
        language: None,
        families: CaseFamily::ALL.to_vec(),
        listed_seconds: f64::INFINITY,
    };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut number = || words.next().unwrap().parse::<usize>().unwrap();
        match word.as_str() {
            "--all" => options.every = 1,
            "--every" => options.every = number(),
            "--size" => options.size = number(),
            "--jobs" => options.jobs = number(),
            "--megabytes" => options.limits.megabytes = number(),
            "--seconds" => options.limits.seconds = words.next()?.parse().ok()?,
            "--list-seconds" => options.listed_seconds = words.next()?.parse().ok()?,
            "--language" => options.language = words.next().cloned(),
            "--family" => {
                let name = words.next()?;
                options.families.retain(|family| family.name() == name);
            }
            "--help" | "--list" => return None,
            _ => {}
        }
    }
    Some(options)
}

/// Runs the cases on several threads; the outcomes are in the order of the cases.
fn run_cases(cases: &[Case], options: &Options) -> Vec<ChildOutcome> {
    let next = AtomicUsize::new(0);
    let outcomes = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(case) = cases.get(index) else { break };
                    let outcome = child::run_case(case, options.size, &options.limits);
                    if outcome.seconds >= options.listed_seconds {
                        println!("{}", describe(case, &outcome));
                    }
                    outcomes.lock().unwrap().insert(index, outcome);
                }
            });
        }
    });
    outcomes.into_inner().unwrap().into_values().collect()
}

/// One line about a case.
fn describe(case: &Case, outcome: &ChildOutcome) -> String {
    format!(
        "{:7.2} s {:6} MB  {:10} {:12} {:8} {:?}",
        outcome.seconds,
        outcome.megabytes,
        outcome.exit.name(),
        case.language,
        case.family.name(),
        case.unit,
    )
}

/// Prints a summary and every case that exceeded a bound.
fn report(cases: &[Case], outcomes: &[ChildOutcome], options: &Options) -> ExitCode {
    let pairs = || cases.iter().zip(outcomes);
    let bad: Vec<_> = pairs().filter(|(_, outcome)| !options.limits.accepts(outcome)).collect();
    for (case, outcome) in &bad {
        println!("EXCEEDED {}", describe(case, outcome));
    }
    let slowest = outcomes.iter().map(|outcome| outcome.seconds).fold(0.0, f64::max);
    let largest = outcomes.iter().map(|outcome| outcome.megabytes).max().unwrap_or(0);
    let plain = outcomes.iter().filter(|outcome| outcome.is_plain_text).count();
    println!(
        "{} files of {} bytes: {} over the bounds, {plain} as plain text; slowest {slowest:.2} s of processor time, most memory {largest} MB",
        outcomes.len(),
        options.size,
        bad.len(),
    );
    if bad.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
