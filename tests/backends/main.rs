//! One suite over every backend: the same corpus, the same changes, the same questions; the embedded
//! store is the yardstick. `tests/backends/run` brings a PostgreSQL to run it on, and a Qdrant is used
//! when `QDRANT_TEST_URL` names one. What is left out is said aloud.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod changes;
mod corpus;
mod encryption;
mod faults;
#[path = "../it/poll.rs"]
mod poll;
mod process;
mod questions;
mod readers;
mod recorded;
mod subject;
