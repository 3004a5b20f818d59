//! Everything that needs the real binaries, a real tree on disk, or the source itself.

#![allow(clippy::unwrap_used)]

mod build;
mod cli;
mod code;
mod code_answers;
mod code_runs;
mod contract_code;
mod contract_collections;
mod contract_packages;
mod contract_research;
mod contract_skills;
mod contract_specs;
mod deploy;
mod docs;
mod freshness;
mod graph;
mod graph_answers;
mod graph_scip;
mod graph_tools;
mod hostile_git;
mod hostile_tree;
mod http;
mod install;
mod keys;
mod oracle;
mod plugins;
mod poll;
mod rankings;
mod release;
mod research_answers;
mod review;
mod ripgrep;
mod roots;
mod secrets;
mod shutdown;
mod skills;
mod specs;
mod stdio;
mod stop;
mod support;
mod terminal_commands;
mod tidy;
mod trace;
mod trust;
mod web;
