//! The `ken` binary; everything is in the library.

fn main() -> std::process::ExitCode {
    kenning::front::cli::ken(std::env::args_os())
}
