//! MCP over standard input and output: the process around the protocol. The protocol itself, and
//! everything that knows the MCP library, is in `server`.

mod lines;
mod methods;
mod profile;
mod server;
mod stop;
mod wording;
mod work;

use std::io::Write;
use std::sync::Arc;

use crate::engine::Engine;

pub use profile::{Profile, ProfileError};

/// Serves until the input ends or a signal comes; what is in flight then finishes first.
pub fn serve(engine: Arc<Engine>, profile: Profile) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let outcome = runtime.block_on(server::run(engine, profile));
    // A thread may sit in a blocking read of standard input for ever: do not wait for it.
    runtime.shutdown_background();
    let reason = outcome?;
    // The contract wants a word on stderr; a closed one is no reason to fail.
    let _ = writeln!(std::io::stderr(), "kenning: {reason}; shut down");
    Ok(())
}
