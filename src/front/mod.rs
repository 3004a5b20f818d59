//! The entry points: command line, MCP, HTTP and web page. Each parses, calls one operation, and
//! renders; none has behaviour of its own. `executor`, `shutdown` and `signals` are what the
//! servers share.

pub mod cli;
mod compact_text;
mod etag;
mod executor;
mod hit_view;
pub mod http;
mod human_format;
pub mod mcp;
mod query_highlight;
mod shutdown;
mod signals;
mod web;
