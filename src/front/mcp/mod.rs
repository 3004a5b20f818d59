//! MCP over standard input and output: the process around the protocol. The protocol itself, and
//! everything that knows the MCP library, is in `server`.

mod changes;
mod lines;
mod methods;
mod profile;
mod prompts;
mod resources;
mod server;
mod stop;
mod wire;
mod wording;
mod work;

use std::io::Write;
use std::sync::Arc;

use changes::Changes;

use crate::engine::Engine;
use crate::ops::Running;

pub use profile::{Profile, ProfileError, Surface};

/// Serves until the input ends or a signal comes; what is in flight then finishes first.
pub fn serve(engine: Arc<Engine>, profile: Profile) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let changes = Changes::default();
    let running = begin(&engine, &profile, &changes);
    let outcome = runtime.block_on(server::run(engine, profile, changes));
    // A thread may sit in a blocking read of standard input for ever: do not wait for it.
    runtime.shutdown_background();
    drop(running);
    let reason = outcome?;
    // The contract wants a word on stderr; a closed one is no reason to fail.
    let _ = writeln!(std::io::stderr(), "kenning: {reason}; shut down");
    Ok(())
}

/// What the families do while this server runs. The contracts of the originals want a word on
/// stderr about it; otherwise whoever asks for logs gets it.
fn begin(engine: &Arc<Engine>, profile: &Profile, changes: &Changes) -> Vec<Running> {
    let offerings = profile.offerings.iter();
    let running = offerings.filter_map(|offering| offering.start(engine, changes.teller()));
    let running: Vec<Running> = running.collect();
    for work in &running {
        match profile.surface {
            Surface::Tools => {
                let _ = writeln!(std::io::stderr(), "kenning: {}", work.began);
            }
            Surface::Whole => tracing::info!("{}", work.began),
        }
    }
    running
}
