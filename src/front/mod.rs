//! The entry points. Each parses, calls one operation, and renders; none has behaviour of its own.

pub mod cli;
mod etag;
mod executor;
mod hit;
pub mod http;
mod human;
pub mod mcp;
mod shutdown;
mod signals;
mod snippet;
mod web;
