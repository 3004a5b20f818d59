//! What `shire` and `spox` have in common: programs of a few hundred kilobytes that hand over to the
//! `ken` beside them, so that the disk and the linker see the rest once. They use nothing of the
//! library, or they would carry all of it.
#![allow(clippy::print_stderr)]

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// As `ken` expects it, in `front::cli::alias`.
const CALLED_AS: &str = "--called-as";

/// What a shell says of a program that is not there.
const NOT_FOUND: u8 = 127;

/// Hands everything over to `ken`; the first of the arguments is the program itself.
pub fn called_as(name: &str, arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let ken = ken();
    let mut command = Command::new(&ken);
    command.arg(CALLED_AS).arg(name);
    command.args(arguments.skip(1));
    match hand_over(&mut command) {
        Ok(code) => code,
        Err(error) => {
            let ken = ken.display();
            eprintln!(
                "error: `{name}` is another name of `ken`, and {ken} cannot be started: {error}\n\
                 hint: install both into one folder, as `cargo install --path .` does"
            );
            NOT_FOUND.into()
        }
    }
}

/// Beside this program, else wherever the shell would find it.
fn ken() -> PathBuf {
    let name = format!("ken{}", std::env::consts::EXE_SUFFIX);
    let here = std::env::current_exe().ok();
    let beside = here.and_then(|here| Some(here.parent()?.join(&name)));
    let beside = beside.filter(|path| path.is_file());
    beside.unwrap_or_else(|| PathBuf::from(name))
}

/// Becomes the other program, so that signals reach it.
#[cfg(unix)]
fn hand_over(command: &mut Command) -> io::Result<ExitCode> {
    use std::os::unix::process::CommandExt;

    Err(command.exec())
}

#[cfg(not(unix))]
fn hand_over(command: &mut Command) -> io::Result<ExitCode> {
    let code = command.status()?.code();
    Ok(code.and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}
