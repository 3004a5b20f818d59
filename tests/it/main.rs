//! Everything that needs the real binaries, a real tree on disk, or the source itself.

#![allow(clippy::unwrap_used)]

mod build;
mod cli;
mod code;
mod contract_code;
mod contract_collections;
mod contract_packages;
mod contract_skills;
mod contract_specs;
mod docs;
mod http;
mod oracle;
mod ripgrep;
mod shutdown;
mod skills;
mod stdio;
mod support;
mod tidy;
mod trace;
