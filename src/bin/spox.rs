//! The `spox` binary; everything is in the library.

fn main() -> std::process::ExitCode {
    kenning::front::cli::spox(std::env::args_os())
}
