//! The `kenning` binary: `ken` under the name of its packages, which `uvx` and `npx` start.

mod exec_shim;

fn main() -> std::process::ExitCode {
    exec_shim::run_ken(std::env::args_os())
}
