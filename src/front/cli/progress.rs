//! The progress of long work on a terminal, and the last words of work that a signal ended.

use std::collections::HashMap;
use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::render;
use crate::front::human_format::{format_duration, group_digits};
use crate::front::signals::{self, ForcedExit};
use crate::ops::{ErrorKind, OpError, Progress};

/// True while the line of a bar is on the terminal.
static IS_LINE_SHOWN: AtomicBool = AtomicBool::new(false);
/// True if errors are printed as JSON.
static WANTS_JSON: AtomicBool = AtomicBool::new(false);

/// The time before a bar appears. A bar that flashes by helps nobody.
const PATIENCE: Duration = Duration::from_millis(500);

/// A line that is overwritten at most ten times a second, and only on a terminal.
pub struct ProgressBar {
    /// The start of the work.
    started: Instant,
    /// False if stderr is no terminal.
    is_shown: bool,
    /// The state of the line.
    shown: Mutex<BarState>,
}

/// The state of the line. Workers report from many threads, so a lock guards it.
#[derive(Default)]
struct BarState {
    /// The last time at which the line was written.
    last: Option<Instant>,
    /// The stage that the line shows, and since when.
    stage: Option<(String, Instant)>,
    /// The pace of each stage. Stages can run side by side.
    stages: HashMap<String, StagePace>,
}

/// The start time of a stage, with its count then and now.
struct StagePace {
    /// The start of the stage.
    since: Instant,
    /// The count at the start.
    from: usize,
    /// The last count.
    done: usize,
}

impl ProgressBar {
    /// Starts a bar. Nothing is shown before [`PATIENCE`].
    pub fn new() -> ProgressBar {
        ProgressBar {
            started: Instant::now(),
            is_shown: std::io::stderr().is_terminal(),
            shown: Mutex::new(BarState::default()),
        }
    }
}

impl Drop for ProgressBar {
    fn drop(&mut self) {
        clear_line();
    }
}

impl BarState {
    /// Records that a stage has reached `done`. Returns its gain since its start, and the time
    /// since then. A smaller count than before restarts the stage.
    fn record_pace(&mut self, stage: &str, done: usize) -> (usize, Duration) {
        let known = self.stages.get_mut(stage).filter(|pace| pace.done <= done);
        if let Some(pace) = known {
            pace.done = done;
            return (done - pace.from, pace.since.elapsed());
        }
        let pace = StagePace { since: Instant::now(), from: done, done };
        self.stages.insert(stage.to_string(), pace);
        (0, Duration::ZERO)
    }

    /// True if the line keeps showing another stage. Stages that run side by side take turns of one
    /// second, so that each can be read.
    fn is_line_taken(&mut self, stage: &str) -> bool {
        // One second is long enough to read a line, and short enough to see that both stages move.
        const TURN: Duration = Duration::from_secs(1);
        let current = self.stage.as_ref().filter(|(name, _)| name != stage);
        let is_about_another = current.is_some_and(|(_, since)| since.elapsed() < TURN);
        let is_new = self.stage.as_ref().is_none_or(|(name, _)| name != stage);
        if is_new && !is_about_another {
            self.stage = Some((stage.to_string(), Instant::now()));
        }
        is_about_another
    }
}

impl Progress for ProgressBar {
    fn report(&self, stage: &str, done: usize, total: Option<usize>) {
        if !self.is_shown {
            return;
        }
        let mut shown = self.shown.lock().expect("no holder panics");
        let pace = shown.record_pace(stage, done);
        let is_early = self.started.elapsed() < PATIENCE;
        let is_same = shown.stage.as_ref().is_some_and(|(name, _)| name == stage);
        // Ten writes a second look smooth, and cost nothing on a slow terminal.
        let is_fresh = |last: Instant| last.elapsed() < Duration::from_millis(100);
        let is_soon = is_same && shown.last.is_some_and(is_fresh);
        if is_early || is_soon || shown.is_line_taken(stage) {
            return;
        }
        shown.last = Some(Instant::now());
        // After a finished stage, the next one may be shown at once.
        shown.stage.take_if(|_| total == Some(done));
        let width = terminal_size::terminal_size_of(std::io::stderr())
            .map_or(80, |(width, _)| usize::from(width.0));
        let line = format_line(stage, done, total, pace, width);
        IS_LINE_SHOWN.store(true, Ordering::Relaxed);
        let _ = write!(std::io::stderr(), "\r\x1b[K{line}");
    }

    fn is_cancelled(&self) -> bool {
        signals::is_stopped()
    }
}

/// Formats `indexing files  ████░░  120 of 225  86 a second  2 s left`, as far as it fits. The rate
/// appears once it has a basis of 300 ms.
fn format_line(
    stage: &str,
    done: usize,
    total: Option<usize>,
    (gained, elapsed): (usize, Duration),
    width: usize,
) -> String {
    // A rate over less time jumps too much to be read.
    const MIN_TIME: Duration = Duration::from_millis(300);
    let is_known = gained > 0 && elapsed >= MIN_TIME;
    let rate = is_known.then(|| gained as f64 / elapsed.as_secs_f64());
    let mut parts = vec![stage.to_string()];
    parts.extend(total.map(|total| draw_bar(done, total)));
    parts.push(match total {
        Some(total) => format!("{} of {}", group_digits(done as u64), group_digits(total as u64)),
        None => group_digits(done as u64),
    });
    parts.extend(rate.map(|rate| match rate {
        rate if rate < 10.0 => format!("{rate:.1} a second"),
        rate => format!("{} a second", group_digits(rate as u64)),
    }));
    let left = total
        .and_then(|total| Some(total.saturating_sub(done) as f64 / rate?))
        .and_then(|seconds| Duration::try_from_secs_f64(seconds.ceil()).ok())
        .filter(|left| !left.is_zero());
    parts.extend(left.map(|left| format!("{} left", format_duration(left))));
    // A line that wraps cannot be written over. The last column stays free for the cursor.
    let join = |parts: &[String]| parts.join("  ");
    if total.is_some() && join(&parts).chars().count() >= width {
        parts.remove(1);
    }
    let line = join(&parts);
    line.chars().take(width.saturating_sub(1)).collect()
}

/// Draws a bar of twenty cells.
fn draw_bar(done: usize, total: usize) -> String {
    const CELLS: usize = 20;
    let full = done.min(total) * CELLS / total.max(1);
    "█".repeat(full) + &"░".repeat(CELLS - full)
}

/// Progress of work that shows nothing but can be cancelled by a signal.
pub struct HiddenProgress;

impl Progress for HiddenProgress {
    fn report(&self, _stage: &str, _done: usize, _total: Option<usize>) {}

    fn is_cancelled(&self) -> bool {
        signals::is_stopped()
    }
}

/// Prints the last words before a signal ends the process by force. Clears the line of a bar and
/// resets colours.
pub fn print_last_words(ending: ForcedExit) {
    clear_line();
    if std::io::stderr().is_terminal() {
        let _ = write!(std::io::stderr(), "\x1b[0m");
    }
    match ending {
        ForcedExit::Server(reason) => {
            let _ = writeln!(std::io::stderr(), "kenning: {reason}; shut down");
        }
        ForcedExit::Command(_) => {
            let form = if WANTS_JSON.load(Ordering::Relaxed) {
                render::OutputForm::Json
            } else {
                render::OutputForm::People
            };
            let message = "cancelled; what was stored is kept, and the next run goes on from there";
            render::print_error(
                &add_stop_reason(OpError::new(ErrorKind::Cancelled, message)),
                form,
            );
        }
    }
}

/// Sets the form of errors for this process.
pub fn set_error_form(form: render::OutputForm) {
    WANTS_JSON.store(form == render::OutputForm::Json, Ordering::Relaxed);
}

/// Adds the reason of the signal to the error of cancelled work.
pub fn add_stop_reason(error: OpError) -> OpError {
    match signals::stop_reason() {
        Some(reason) => OpError { message: format!("{reason}: {}", error.message), ..error },
        None => error,
    }
}

/// Clears the line of a bar, if one is shown.
fn clear_line() {
    if IS_LINE_SHOWN.swap(false, Ordering::Relaxed) {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(done: usize, total: Option<usize>, pace: (usize, f64), width: usize, expected: &str) {
        let pace = (pace.0, Duration::from_secs_f64(pace.1));
        assert_eq!(format_line("indexing files", done, total, pace, width), expected);
    }

    #[test]
    fn a_line_tells_how_far_how_fast_and_how_long() {
        check(
            1500,
            Some(3000),
            (1500, 2.0),
            80,
            "indexing files  ██████████░░░░░░░░░░  1,500 of 3,000  750 a second  2 s left",
        );
        // Where the line would wrap, the bar goes first.
        check(
            1500,
            Some(3000),
            (1500, 2.0),
            60,
            "indexing files  1,500 of 3,000  750 a second  2 s left",
        );
        check(1500, Some(3000), (1500, 2.0), 20, "indexing files  1,5");
        check(7, None, (7, 2.0), 80, "indexing files  7  3.5 a second");
        let half = "indexing files  ██████████░░░░░░░░░░  1 of 2";
        check(1, Some(2), (0, 5.0), 80, half);
        check(1, Some(2), (1, 0.1), 80, half);
        let none = "indexing files  ░░░░░░░░░░░░░░░░░░░░  0 of 0";
        check(0, Some(0), (0, 1.0), 80, none);
    }

    #[test]
    fn a_stage_that_begins_anew_has_a_pace_of_its_own() {
        let mut shown = BarState::default();
        assert_eq!(shown.record_pace("embedding", 5).0, 0);
        assert_eq!(shown.record_pace("indexing", 100).0, 0);
        assert_eq!(shown.record_pace("embedding", 25).0, 20);
        assert_eq!(shown.record_pace("embedding", 5).0, 0);
        assert_eq!(shown.record_pace("indexing", 130).0, 30);
        assert!(!shown.is_line_taken("embedding"));
        assert!(shown.is_line_taken("indexing"));
        assert!(!shown.is_line_taken("embedding"));
    }
}
