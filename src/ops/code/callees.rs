//! `callees`: the definitions that a definition calls, and those that they call. Calls that leave
//! the repository are not listed, because the graph has no node for them. `call_hierarchy` has the
//! walk.

use std::sync::LazyLock;

use super::call_hierarchy;
use crate::graph::Direction;
use crate::ops::{Family, OpEffect, OpEntry, Origin, ReplyType, schema};

/// Replies with a [`call_hierarchy::CallsReply`] whose `callees` is set. An unknown or ambiguous
/// name is an error with suggestions.
pub static OP: OpEntry = OpEntry {
    name: "callees",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "What a function, method or type calls, from the resolved graph: each callee with path, \
              line, where it is called, confidence and reason; `depth` follows further. A call of an \
              interface's method also shows what it may dispatch to, and says so. Calls that leave \
              the repository are not listed.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<call_hierarchy::CallsArgs>),
    reply: ReplyType::of::<call_hierarchy::CallsReply>(),
    examples: &["ken callees Session.login", "ken callees main --depth 2 --skip-tests"],
    run: |call, args| call_hierarchy::run(call, args, Direction::Callees),
};
