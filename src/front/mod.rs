//! The entry points: command line, MCP, HTTP and web page. Each parses, calls one operation, and
//! renders; none has behaviour of its own. `executor`, `shutdown` and `signals` are what the
//! servers share.

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
