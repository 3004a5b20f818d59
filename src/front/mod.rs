//! The doors. Each parses, calls one operation, and renders; none has behaviour of its own.

pub mod cli;
pub mod mcp;
