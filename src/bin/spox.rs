//! The `spox` binary: `ken`, called by this name.

mod alias;

fn main() -> std::process::ExitCode {
    alias::called_as("spox", std::env::args_os())
}
