//! `callers`: the definitions that call a definition, and their callers. Calls through an interface
//! that the definition fulfils are included. `call_hierarchy` has the walk.

use std::sync::LazyLock;

use super::call_hierarchy;
use crate::graph::Direction;
use crate::ops::{Family, OpEffect, OpEntry, Origin, ReplyType, schema};

/// Replies with a [`call_hierarchy::CallsReply`] whose `callers` is set. An unknown or ambiguous
/// name is an error with suggestions.
pub static OP: OpEntry = OpEntry {
    name: "callers",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "What calls a function, method or initializer, from the resolved graph: each caller with \
              path, line, the lines of its calls, confidence and reason; `depth` follows the callers \
              of callers. Calls through an interface that it fulfils are included and say so. Use it \
              instead of grep: it knows scopes, imports and types.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<call_hierarchy::CallsArgs>),
    reply: ReplyType::of::<call_hierarchy::CallsReply>(),
    examples: &[
        "ken callers Session.login",
        "ken callers parse_url --depth 3",
        "ken callers src/session.rs:42 --confidence low",
    ],
    run: |call, args| call_hierarchy::run(call, args, Direction::Callers),
};
