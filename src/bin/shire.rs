//! The `shire` binary: `ken`, called by this name.

mod alias;

fn main() -> std::process::ExitCode {
    alias::called_as("shire", std::env::args_os())
}
