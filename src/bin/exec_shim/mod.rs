//! The code that `shire`, `spox` and `kenning` share: shims of a few hundred kilobytes that execute
//! the `ken` beside them. They link nothing of the library, which is thus linked and installed only
//! once.
#![allow(clippy::print_stderr)]
// Each binary compiles this file and calls one of its two functions.
#![allow(dead_code)]

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// The flag before the name of the shim. `front::cli::argv0` reads it.
const CALLED_AS: &str = "--called-as";

/// The exit code of a shell that does not find a program.
const NOT_FOUND: u8 = 127;

/// Executes `ken` under another name, with the arguments except the first, which is the shim
/// itself.
///
/// On Unix it returns only if `ken` cannot be started. Elsewhere it waits for `ken` and passes its
/// exit code on.
pub fn run_ken_as(name: &str, arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let mut command = Command::new(ken_path());
    command.arg(CALLED_AS).arg(name).args(arguments.skip(1));
    execute(&mut command, name)
}

/// Executes `ken` as itself, with the arguments except the first. It returns as [`run_ken_as`]
/// does.
pub fn run_ken(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let mut command = Command::new(ken_path());
    command.args(arguments.skip(1));
    execute(&mut command, "kenning")
}

fn execute(command: &mut Command, name: &str) -> ExitCode {
    exec_command(command).unwrap_or_else(|error| {
        let ken = command.get_program().display();
        eprintln!(
            "error: `{name}` is another name of `ken`, and {ken} cannot be started: {error}\n\
             hint: install both into one folder, as `cargo install --path .` does"
        );
        NOT_FOUND.into()
    })
}

/// Returns the path of `ken`: beside this program, else its bare name, which `PATH` resolves.
fn ken_path() -> PathBuf {
    let name = format!("ken{}", std::env::consts::EXE_SUFFIX);
    let here = std::env::current_exe().ok();
    let beside =
        here.and_then(|here| Some(here.parent()?.join(&name))).filter(|path| path.is_file());
    beside.unwrap_or_else(|| PathBuf::from(name))
}

/// Replaces this process by the other program, so that signals reach it.
#[cfg(unix)]
fn exec_command(command: &mut Command) -> io::Result<ExitCode> {
    use std::os::unix::process::CommandExt;

    Err(command.exec())
}

// Windows cannot replace a process. A code outside of 0 to 255 counts as a failure.
#[cfg(not(unix))]
fn exec_command(command: &mut Command) -> io::Result<ExitCode> {
    let code = command.status()?.code();
    Ok(code.and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}
