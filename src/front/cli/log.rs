//! Logging to stderr only: stdout belongs to answers and to the protocol. Configured secrets are
//! redacted from every line.

use std::io::{self, IsTerminal, Write};

use tracing_subscriber::EnvFilter;

use crate::config::{is_colour_unwanted, redact_text};
use crate::ops::OpError;

/// Starts logging at the configured level, or the one that `-v` chooses. A second call in one
/// process, as tests make, changes nothing.
pub fn start_logging(configured: &str, verbosity: u8) -> Result<(), OpError> {
    // `-v` wins over the setting: it is typed for this run.
    let directives = match verbosity {
        0 => configured,
        1 => "kenning=info",
        2 => "kenning=debug",
        _ => "trace",
    };
    let filter = EnvFilter::try_new(normalize_levels(directives)?)
        .map_err(|error| OpError::bad_argument(format!("log level {directives:?}: {error}")))?;
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| RedactedStderr)
        .with_ansi(std::io::stderr().is_terminal() && !is_colour_unwanted())
        .with_target(verbosity > 1)
        .try_init();
    Ok(())
}

/// Standard error without the configured keys: libraries log what they send.
struct RedactedStderr;

/// The subscriber writes a whole event at once, so no key is cut in two.
impl Write for RedactedStderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        io::stderr().write_all(redact_text(&text).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Checks and normalises log directives. A bare word that is no level would silently be taken for a
/// module's name. swift-index's words for levels are accepted.
fn normalize_levels(directives: &str) -> Result<String, OpError> {
    let levels: Result<Vec<String>, OpError> = directives
        .split(',')
        .map(|directive| {
            let (module, level) = match directive.trim().split_once('=') {
                Some((module, level)) => (Some(module), level),
                None => (None, directive.trim()),
            };
            let level = match level.to_lowercase().as_str() {
                "off" | "error" | "warn" | "info" | "debug" | "trace" => level.to_lowercase(),
                "warning" => "warn".to_string(),
                "notice" => "info".to_string(),
                "critical" => "error".to_string(),
                _ => {
                    return Err(OpError::bad_argument(format!("unknown log level {level:?}"))
                        .hint("use off, error, warn, info, debug or trace"));
                }
            };
            Ok(match module {
                Some(module) => format!("{module}={level}"),
                None => level,
            })
        })
        .collect();
    Ok(levels?.join(","))
}

#[cfg(test)]
mod tests {
    use super::normalize_levels;

    #[test]
    fn levels_are_checked() {
        assert_eq!(normalize_levels("warn,rmcp=error").unwrap(), "warn,rmcp=error");
        assert_eq!(normalize_levels("Notice").unwrap(), "info");
        assert!(normalize_levels("verbose").is_err());
    }
}
