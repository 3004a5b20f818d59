//! Goes on with an index update after a command has answered. A command waits only a moment for the
//! index to catch up; a process of its own does the rest, as `git gc --auto` does.

use std::path::Path;
use std::process::{Command as Process, Stdio};

use super::command_session::CommandSession;

/// Starts `ken refresh` for every root whose update did not end in time. It is detached, so the
/// command returns at once.
///
/// A failure is ignored: the next question goes on with the update.
pub fn continue_updates(session: &CommandSession) {
    for root in session.engine.roots_with_unfinished_updates() {
        let _ = start_refresh(&root);
    }
}

/// Runs this program again. Its own process group keeps Ctrl-C in the terminal away from it.
fn start_refresh(root: &Path) -> std::io::Result<()> {
    let mut refresh = Process::new(std::env::current_exe()?);
    refresh.arg("refresh").arg("--root").arg(root).current_dir(root);
    refresh.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut refresh, 0);
    refresh.spawn()?;
    Ok(())
}
