//! The `spox` binary: `ken`, called by this name.

mod exec_shim;

fn main() -> std::process::ExitCode {
    exec_shim::run_ken_as("spox", std::env::args_os())
}
