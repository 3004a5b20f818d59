//! The doors. Each parses, calls one operation, and renders; none has behaviour of its own.

mod amounts;
pub mod cli;
mod hit;
pub mod http;
pub mod mcp;
mod signals;
mod stop;
mod tag;
mod web;
mod work;
