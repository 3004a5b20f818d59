//! Feeds mutated real files to every parser and decoder. None may panic, and none may take long.
//!
//! `cargo test --locked --test fuzz` runs a few hundred inputs per target. For more:
//!
//!     cargo test --locked --test fuzz -- --seconds 300 --corpus ~/.cargo/registry/src
//!
//! `--target NAME` chooses one target, `--seed N` another sequence of inputs. The same seed, corpus
//! and number of executions give the same inputs. An input that fails is stored in
//! `target/fuzz/TARGET-SEED-EXECUTION`; `--target NAME --input FILE` tries it again.
//!
//! The mutations are random and not guided by coverage: that would need a second build of all
//! dependencies with instrumentation. Each target runs in a process of its own, so that an abort
//! is noticed too.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used)]

mod corpus;
mod mutation;
mod server;
mod targets;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use kenning_testing::Random;

use corpus::Corpus;
use mutation::mutate;
use targets::{TARGETS, Target};

/// The longest processor time of one input. A busy machine does not change the result. A debug
/// build of a parser takes tens of milliseconds for most inputs.
const SLOW: Duration = Duration::from_secs(10);

/// The command line.
struct Options {
    /// Where files are taken from; this repository if empty.
    corpora: Vec<PathBuf>,
    target: Option<String>,
    seed: u64,
    /// Runs per target. `None` if the time decides.
    executions: Option<u64>,
    seconds: u64,
    /// A stored input to try.
    input: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    let options = read_options(&arguments);
    let is_child = arguments.first().is_some_and(|first| first == "child");
    let mut failures = 0;
    let chosen = |target: &&Target| options.target.as_ref().is_none_or(|name| name == target.name);
    for target in TARGETS.iter().filter(chosen) {
        if let Some(file) = &options.input {
            run_input(target, file);
        } else if is_child {
            failures += run_target(target, &options);
        } else if !run_child(target, &arguments) {
            failures += 1;
        }
    }
    if options.target.as_deref().is_none_or(|name| name == server::NAME) && !is_child {
        failures += server::run(&options_of_server(&options));
    }
    ExitCode::from(u8::from(failures > 0))
}

/// Reads the command line. Options of the test harness of Rust are ignored.
fn read_options(arguments: &[String]) -> Options {
    let mut options = Options {
        corpora: Vec::new(),
        target: None,
        seed: 1,
        executions: Some(150),
        seconds: 0,
        input: None,
    };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--corpus" => options.corpora.extend(words.next().map(PathBuf::from)),
            "--target" => options.target = words.next().cloned(),
            "--input" => options.input = words.next().map(PathBuf::from),
            "--seed" => options.seed = words.next().unwrap().parse().unwrap(),
            "--executions" => options.executions = Some(words.next().unwrap().parse().unwrap()),
            "--seconds" => {
                options.seconds = words.next().unwrap().parse().unwrap();
                options.executions = None;
            }
            _ => {}
        }
    }
    if options.corpora.is_empty() {
        options.corpora.push(PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    }
    options
}

/// The part of the options that the target `server` uses.
fn options_of_server(options: &Options) -> server::Bounds {
    server::Bounds {
        seed: options.seed,
        messages: options.executions.unwrap_or(u64::MAX),
        until: options.end(),
    }
}

impl Options {
    /// The time at which a target stops; `None` if executions decide.
    fn end(&self) -> Option<Instant> {
        let is_timed = self.executions.is_none();
        is_timed.then(|| Instant::now() + Duration::from_secs(self.seconds))
    }
}

/// Runs one target in a process of its own. Returns false if it failed or died.
fn run_child(target: &Target, arguments: &[String]) -> bool {
    let own = std::env::current_exe().unwrap();
    let mut command = Command::new(own);
    command.arg("child").args(arguments).args(["--target", target.name]);
    let status = command.status().unwrap();
    if status.code().is_none() {
        println!("{}: the process died: {status}; its input is in {:?}", target.name, last_input());
    }
    status.success()
}

/// Runs one target here. Returns the number of failures, of which one is enough to stop.
fn run_target(target: &Target, options: &Options) -> u64 {
    let corpus = Corpus::read(&options.corpora, target.files);
    let mut random = Random::new(options.seed);
    let end = options.end();
    let started = Instant::now();
    let mut slowest = Duration::ZERO;
    let mut executions = 0;
    std::panic::set_hook(Box::new(|_| {}));
    while options.executions.is_none_or(|most| executions < most)
        && end.is_none_or(|end| Instant::now() < end)
    {
        let seed = corpus.choose(&mut random);
        let bytes = mutate(&seed.bytes, &corpus, &mut random);
        // An abort cannot be caught, so the input is stored before it is tried.
        store(&last_input(), &bytes);
        let begun = processor_time();
        let path = seed.name.clone();
        let outcome = std::panic::catch_unwind(|| (target.run)(&path, &bytes));
        let took = processor_time().saturating_sub(begun);
        slowest = slowest.max(took);
        executions += 1;
        if outcome.is_err() || took > SLOW {
            let file = folder().join(format!("{}-{}-{executions}", target.name, options.seed));
            store(&file, &bytes);
            let how = if outcome.is_err() { "panicked" } else { "was slow" };
            println!("{}: {how} at {path}, {took:?}: {}", target.name, file.display());
            return 1;
        }
    }
    println!(
        "{}: {executions} executions in {:.0} s, slowest {:.0} ms, {} files",
        target.name,
        started.elapsed().as_secs_f64(),
        slowest.as_secs_f64() * 1000.0,
        corpus.len(),
    );
    0
}

/// Returns the processor time that this thread has used. Targets read on the thread that calls them.
fn processor_time() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// Tries one stored input, and prints its time.
fn run_input(target: &Target, file: &Path) {
    let bytes = std::fs::read(file).unwrap();
    let begun = processor_time();
    (target.run)("Cargo.toml", &bytes);
    println!("{}: {:?}", target.name, processor_time().saturating_sub(begun));
}

/// The folder of inputs that failed.
fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/fuzz")
}

/// The file of the input that is being tried.
fn last_input() -> PathBuf {
    folder().join("last-input")
}

fn store(file: &Path, bytes: &[u8]) {
    std::fs::create_dir_all(folder()).unwrap();
    std::fs::write(file, bytes).unwrap();
}
