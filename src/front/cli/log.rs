//! Logging, to stderr only: stdout belongs to answers and to the protocol.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

use crate::ops::OpError;

/// Starts logging at the configured level, or the one that `-v` asks for. A second call in one
/// process, as tests make, changes nothing.
pub fn start(configured: &str, verbosity: u8) -> Result<(), OpError> {
    let directives = match verbosity {
        0 => configured,
        1 => "kenning=info",
        2 => "kenning=debug",
        _ => "trace",
    };
    let filter = EnvFilter::try_new(directives).map_err(|error| {
        OpError::bad_argument(format!("log level {directives:?}: {error}"))
            .hint("use error, warn, info, debug or trace")
    })?;
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(verbosity > 1)
        .try_init();
    Ok(())
}
