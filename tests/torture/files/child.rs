//! One case in a child process, which is watched and killed at a bound.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use kenning_lang::code;
use kenning_model::RepoPath;

use crate::cases::{Case, CaseFamily};

/// The bounds of one file.
pub struct Limits {
    /// Processor time.
    pub seconds: f64,
    /// Peak memory.
    pub megabytes: usize,
}

impl Limits {
    /// True if the child ended by itself within the bounds.
    pub fn accepts(&self, outcome: &ChildOutcome) -> bool {
        outcome.exit == ChildExit::Success
            && outcome.seconds <= self.seconds
            && outcome.megabytes <= self.megabytes
    }
}

/// The end of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChildExit {
    Success,
    /// It panicked or aborted.
    Failure,
    /// It was killed because it took far more than the bounds.
    Killed,
}

impl ChildExit {
    /// The word for a report.
    pub fn name(self) -> &'static str {
        match self {
            ChildExit::Success => "ended",
            ChildExit::Failure => "ABORTED",
            ChildExit::Killed => "KILLED",
        }
    }
}

/// The figures of one case.
pub struct ChildOutcome {
    pub exit: ChildExit,
    pub seconds: f64,
    pub megabytes: usize,
    /// The file was too much for the parser and was read as plain text.
    pub is_plain_text: bool,
}

/// A child may use this many times its bounds before it is killed, so that reports tell more than
/// that it was killed.
const KILL_FACTOR: usize = 5;

/// Parses the case that the arguments name: language, family, unit, size.
pub fn parse_case(arguments: &[String]) {
    code::count_parser_memory();
    let [language, family, unit, size] = arguments else { panic!("not a case: {arguments:?}") };
    let family = *CaseFamily::ALL.iter().find(|known| known.name() == family).unwrap();
    let case = Case { language: language.clone(), family, unit: unit.replace("\\0", "\0") };
    let text = case.text(size.parse().unwrap());
    let path = RepoPath::new(&case.file_name()).unwrap();
    let mut start = Instant::now();
    let mut phases = Vec::new();
    let facts = code::read_in_steps(&path, &text, &mut |phase| {
        phases.push(format!("{phase:?}:{:.2}", start.elapsed().as_secs_f64()));
        start = Instant::now();
    });
    let spans = facts.chunks.iter().map(|chunk| chunk.span.end_byte - chunk.span.start_byte);
    let covered: u32 = spans.sum();
    let is_plain_text = facts.problems.iter().any(|problem| problem.message.starts_with("too "));
    let usage = Usage::read("self").unwrap_or_default();
    println!(
        "{} {} {covered} {} {is_plain_text}",
        usage.seconds,
        usage.megabytes,
        phases.join(",")
    );
}

/// Parses every file of a real tree in this process. Lists what became plain text: bounds that meet
/// source written by people are too low.
pub fn parse_tree(folder: &Path) {
    code::count_parser_memory();
    let mut open = vec![folder.to_path_buf()];
    let (mut files, mut bytes, mut seconds) = (0, 0, 0.0);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                open.push(entry.path());
            }
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some(path) = RepoPath::new(&name).filter(|_| kind.is_file()) else { continue };
            let Ok(text) = std::fs::read_to_string(entry.path()) else { continue };
            if text.len() > 1 << 20 {
                continue;
            }
            let before = Usage::read("self").unwrap_or_default().seconds;
            let facts = code::read(&path, &text);
            let taken = Usage::read("self").unwrap_or_default().seconds - before;
            (files, bytes, seconds) = (files + 1, bytes + text.len(), seconds + taken);
            if facts.problems.iter().any(|problem| problem.message.starts_with("too ")) {
                println!(
                    "plain text: {taken:.2} s {} bytes {}",
                    text.len(),
                    entry.path().display()
                );
            }
        }
    }
    println!("{files} files, {bytes} bytes, {seconds:.2} s of processor time");
}

/// Runs one case in a child of this program.
pub fn run_case(case: &Case, size: usize, limits: &Limits) -> ChildOutcome {
    let program = std::env::current_exe().unwrap();
    let child = Command::new(program)
        // A NUL cannot be in an argument.
        .args(["child", &case.language, case.family.name(), &case.unit.replace('\0', "\\0")])
        .arg(size.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    watch_child(child, limits)
}

/// Waits for a child, and kills it when it has used too much.
fn watch_child(mut child: Child, limits: &Limits) -> ChildOutcome {
    let id = child.id().to_string();
    let mut last = Usage::default();
    let mut pause = Duration::from_millis(1);
    let exit = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break if status.success() { ChildExit::Success } else { ChildExit::Failure };
        }
        last = Usage::read(&id).unwrap_or(last);
        let is_over = last.seconds > limits.seconds * KILL_FACTOR as f64
            || last.megabytes > limits.megabytes * KILL_FACTOR;
        if is_over {
            child.kill().unwrap();
            child.wait().unwrap();
            break ChildExit::Killed;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    };
    let mut told = String::new();
    child.stdout.take().unwrap().read_to_string(&mut told).unwrap();
    let mut words = told.split_whitespace();
    let mut number = || words.next().and_then(|word| word.parse::<f64>().ok());
    let (seconds, megabytes) = (number(), number());
    ChildOutcome {
        exit,
        seconds: seconds.unwrap_or(last.seconds),
        megabytes: megabytes.map_or(last.megabytes, |megabytes| megabytes as usize),
        is_plain_text: told.trim_end().ends_with("true"),
    }
}

/// Processor time and peak memory of a process so far.
#[derive(Clone, Copy, Default)]
struct Usage {
    seconds: f64,
    megabytes: usize,
}

impl Usage {
    /// Reads the figures of a process from `/proc`; `None` where there is none.
    fn read(process: &str) -> Option<Usage> {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The name of the program stands in parentheses and may contain blanks.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        let kilobytes = peak.trim().trim_end_matches(" kB").parse::<usize>().ok()?;
        // Linux counts in hundredths of a second on every architecture.
        Some(Usage { seconds: ticks / 100.0, megabytes: kilobytes / 1024 })
    }
}
