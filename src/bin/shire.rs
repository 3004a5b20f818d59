//! The `shire` binary; everything is in the library.

fn main() -> std::process::ExitCode {
    kenning::front::cli::shire(std::env::args_os())
}
