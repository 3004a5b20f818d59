//! Everything that needs the real binaries, a real tree on disk, or the source itself.

#![allow(clippy::unwrap_used)]

mod build;
mod cli;
mod code;
mod contract_code;
mod contract_packages;
mod contract_research;
mod contract_skills;
mod contract_specs;
mod docs;
mod graph_tools;
mod oracle;
mod shutdown;
mod skills;
mod stdio;
mod support;
mod tidy;
mod trace;
