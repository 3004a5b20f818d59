//! `operation`: the gateway to the operations that a server does not list. Each listed tool costs an
//! agent context in every conversation, so most operations are reached through this one.
//!
//! It is not in [`super::ALL`]: the command line and HTTP offer every operation by its own name.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::schema::derive_schema;
use super::{
    ALL, Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, find, nearest,
};

/// Replies with a text that lists the operations. Servers run a named operation directly; see
/// [`resolve`].
pub static OP: OpEntry = OpEntry {
    name: "operation",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "Run one of the other operations: callers, references, impact of a change, unused \
              code, package paths, traces of requirements and more. Without arguments, lists \
              them with their arguments.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(derive_schema::<OperationArgs>),
    reply: ReplyType::TEXT,
    examples: &["ken operation"],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct OperationArgs {
    /// The operation, such as callers; leave it out to list all
    name: Option<String>,
    /// Its arguments, such as {"symbol": "parse"}
    arguments: Option<Map<String, Value>>,
}

/// The meaning of a call of the gateway.
pub enum GatewayCall {
    /// A list of all operations.
    List,
    /// One operation with its arguments.
    Run(&'static OpEntry, Value),
}

/// Decides what a call of the gateway means. The server then runs the operation itself, so that its
/// progress, its limits and its errors are those of a direct call.
pub fn resolve(raw: &Value) -> Result<GatewayCall, OpError> {
    let args = Args::check(&OP.schema, raw)?;
    if let Some(error) = OP.unknown_argument(raw) {
        return Err(error);
    }
    choose(args.parse()?)
}

/// Finds the named operation; the error suggests a similar name.
fn choose(OperationArgs { name, arguments }: OperationArgs) -> Result<GatewayCall, OpError> {
    let Some(name) = name else {
        return Ok(GatewayCall::List);
    };
    match find(&name) {
        Some(op) => Ok(GatewayCall::Run(op, arguments.map_or(Value::Null, Value::Object))),
        None => {
            let hint = match nearest(&name, ALL.iter().map(|op| op.name)).first() {
                Some(nearest) => format!("did you mean {nearest:?}?"),
                None => "call `operation` without arguments to list all".to_string(),
            };
            Err(OpError::bad_argument(format!("unknown operation {name:?}")).hint(hint))
        }
    }
}

/// Lists the operations, or runs the named one.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    match choose(args.parse()?)? {
        GatewayCall::List => Ok(Reply::Text(list_operations())),
        GatewayCall::Run(op, arguments) => op.call(call, &arguments),
    }
}

/// One line for each operation: name, arguments, and the first sentence of its summary. An optional
/// argument has a question mark.
fn list_operations() -> String {
    let lines = ALL.iter().map(|op| {
        let required = op.schema["required"].as_array().cloned().unwrap_or_default();
        let properties = op.schema["properties"].as_object();
        let arguments = properties.into_iter().flatten().map(|(name, _)| {
            let is_required = required.iter().any(|one| one == name.as_str());
            format!("{name}{}", if is_required { "" } else { "?" })
        });
        let arguments = arguments.collect::<Vec<_>>().join(", ");
        format!("{}({arguments}): {}", op.name, first_sentence(op.summary))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the text up to the first full stop, colon or semicolon that ends a clause.
fn first_sentence(text: &str) -> &str {
    let ends = [". ", ": ", "; "].iter().filter_map(|end| text.find(end));
    let end = ends.min().unwrap_or(text.len());
    text[..end].trim_end_matches('.')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_lists_runs_or_says_what_is_wrong() {
        assert!(matches!(resolve(&json!({})).unwrap(), GatewayCall::List));
        match resolve(&json!({"name": "callers", "arguments": {"symbol": "parse"}})).unwrap() {
            GatewayCall::Run(op, arguments) => {
                assert_eq!((op.name, arguments), ("callers", json!({"symbol": "parse"})));
            }
            GatewayCall::List => panic!("not run"),
        }
        for (call, words) in [
            (json!({"name": "caller"}), "did you mean \"callers\"?"),
            (json!({"name": "qwertz"}), "without arguments"),
            (json!({"nam": "callers"}), "did you mean `name`?"),
            (json!({"name": "callers", "arguments": "x"}), "arguments"),
        ] {
            let error = resolve(&call).err().unwrap().to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn the_list_has_a_line_for_each_operation() {
        let list = list_operations();
        assert_eq!(list.lines().count(), ALL.len());
        assert!(list.contains("get_symbol(symbol, lines?, first_line?, path?): "), "{list}");
    }
}
