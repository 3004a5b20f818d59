//! The only functions of the command line that print text. Names and texts of a repository may hold
//! anything, so everything passes through `sanitize` here, on a terminal and in a pipe.

use std::borrow::Cow;
use std::io::{IsTerminal, Write};

use serde_json::Value;

use super::CommandError;
use super::sanitize::{SgrPolicy, escape_json, sanitize_text};
use crate::config::is_colour_unwanted;

/// Prints a line or several on standard output; fails if the pipe is closed.
pub fn print_line(text: &str) -> Result<(), CommandError> {
    let mut stdout = std::io::stdout().lock();
    let policy = sgr_policy(stdout.is_terminal());
    writeln!(stdout, "{}", sanitize_text(text, policy)).map_err(CommandError::Io)
}

/// Returns the text as [`print_line`] shows it, for a pager.
pub fn visible_text(text: &str) -> Cow<'_, str> {
    sanitize_text(text, sgr_policy(std::io::stdout().is_terminal()))
}

/// Prints a message on standard error. An error is ignored: it could not be reported anywhere.
pub fn print_message(text: &str) {
    let mut stderr = std::io::stderr().lock();
    let policy = sgr_policy(stderr.is_terminal());
    let _ = writeln!(stderr, "{}", sanitize_text(text, policy));
}

/// True if messages are shown on a terminal.
pub fn is_stderr_terminal() -> bool {
    std::io::stderr().is_terminal()
}

/// Asks a question on standard error; the answer is typed on the same line.
pub fn print_question(text: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = write!(stderr, "{} ", sanitize_text(text, SgrPolicy::Drop));
    let _ = stderr.flush();
}

/// Formats JSON on one line. Control characters and direction marks are escaped.
pub fn json_line(value: &Value) -> String {
    escape_json(&value.to_string())
}

/// Formats JSON: indented on a terminal, compact in a pipe.
pub fn json_text(value: &Value) -> String {
    if std::io::stdout().is_terminal() {
        let pretty = serde_json::to_string_pretty(value);
        escape_json(&pretty.unwrap_or_else(|_| value.to_string()))
    } else {
        json_line(value)
    }
}

/// Colours are for terminals of people who want them.
fn sgr_policy(is_terminal: bool) -> SgrPolicy {
    if is_terminal && !is_colour_unwanted() { SgrPolicy::KeepOurs } else { SgrPolicy::Drop }
}
