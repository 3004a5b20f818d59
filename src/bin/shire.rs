//! The `shire` binary: `ken`, called by this name.

mod exec_shim;

fn main() -> std::process::ExitCode {
    exec_shim::run_ken_as("shire", std::env::args_os())
}
