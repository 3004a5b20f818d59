//! The toolset for an agent's context: few tools, few arguments, descriptions for a model that has
//! ten seconds. `ken install` configures it, because an agent pays for the list in every
//! conversation.
//!
//! The operations take all of their arguments here too; the list only leaves the rarer ones out.

use serde_json::{Map, Value};

use crate::ops::{self, OpEntry};

/// A tool of the toolset.
pub struct AgentTool {
    pub op: &'static OpEntry,
    /// When to use it, with one example.
    description: &'static str,
    /// The listed arguments.
    arguments: &'static [&'static str],
}

/// The tools, the most useful first.
pub static AGENT_TOOLS: &[AgentTool] = &[
    AgentTool {
        op: &ops::code::search_code::OP,
        description: "Find code by meaning or by name. Use it before grep: one call returns the \
                      code itself with path and lines, best first, from the files as they are \
                      now. Example: {\"query\": \"where are failed requests retried\"} or \
                      {\"query\": \"parseUrl\"}",
        arguments: &["query", "limit", "file_filter"],
    },
    AgentTool {
        op: &ops::code::code_research::OP,
        description: "Answer a question or a pasted bug report in one call, in place of many greps \
                      and reads: the source of the functions that matter, how they call each other, \
                      their callers and tests. Also `what calls X`, `what implements X`, `what \
                      tests cover X`. Example: {\"query\": \"how are sessions renewed\"}",
        arguments: &["query", "depth"],
    },
    AgentTool {
        op: &ops::code::callers::OP,
        description: "Every call of a function or method, with path:line and confidence. grep \
                      finds the name in comments and misses renamed imports; this does neither. \
                      Example: {\"symbol\": \"Session.login\"}",
        arguments: &["symbol", "depth"],
    },
    AgentTool {
        op: &ops::code::get_symbol::OP,
        description: "The source of one definition, its callers and callees counted. Use it \
                      instead of reading a file. Example: {\"symbol\": \"Session.login\"} or \
                      {\"symbol\": \"src/session.rs:12\"}",
        arguments: &["symbol"],
    },
    AgentTool {
        op: &ops::code::impact::OP,
        description: "What a change can break and which tests reach it. Ask before you edit, with \
                      a symbol; or after, without arguments, about the uncommitted changes",
        arguments: &["symbol"],
    },
    AgentTool {
        op: &ops::operation::OP,
        description: "Run any other operation: find_references, implementations, unused, \
                      package_impact, search_specs, trace, suggest_skills and more. Without \
                      arguments, lists them. Example: {\"name\": \"unused\", \"arguments\": {}}",
        arguments: &["name", "arguments"],
    },
];

impl AgentTool {
    /// Finds the tool of an operation.
    pub fn find(op: &OpEntry) -> Option<&'static AgentTool> {
        AGENT_TOOLS.iter().find(|tool| tool.op.name == op.name)
    }

    pub fn description(&self) -> &'static str {
        self.description
    }

    /// The operation's schema with the listed arguments only.
    pub fn schema(&self) -> Value {
        let mut schema = Value::clone(&self.op.schema);
        if let Some(properties) = schema["properties"].as_object_mut() {
            let listed: Map<String, Value> = properties
                .iter()
                .filter(|(name, _)| self.arguments.contains(&name.as_str()))
                .map(|(name, property)| (name.clone(), property.clone()))
                .collect();
            *properties = listed;
        }
        schema
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn required_and_listed_arguments_exist() {
        for tool in AGENT_TOOLS {
            let schema = tool.schema();
            let properties = schema["properties"].as_object().unwrap();
            assert_eq!(properties.len(), tool.arguments.len(), "{}", tool.op.name);
            for required in schema["required"].as_array().into_iter().flatten() {
                let is_listed = properties.contains_key(required.as_str().unwrap());
                assert!(is_listed, "{} {required}", tool.op.name);
            }
        }
    }
}
