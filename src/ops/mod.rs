//! The product: every operation that Kenning offers, declared once. The command line, MCP, HTTP and
//! the web page take names, schemas, help and behaviour from here and add none of their own.
//!
//! To add an operation: a file with a `pub static OP`, and a line in [`ALL`].
//!
//! An operation gets checked arguments ([`Args`]) and the engine, and returns a typed [`Reply`] or
//! an [`OpError`]. It does not print, and does not know which entry point called it.

mod args;
mod capabilities;
pub mod code;
pub mod collections;
mod diagram_reply;
pub mod doctor;
mod error;
pub mod graph;
pub(crate) mod number_format;
pub mod operation;
mod ordered_map;
pub mod overview;
pub mod packages;
mod peer_forward;
mod percent_encoding;
mod prompts;
mod reply;
mod schema;
pub mod skills;
pub mod specs;

use std::any::Any;
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use serde_json::Value;

use crate::engine::{CodeIndex, Engine, PackageView};

pub use args::{Args, find_unknown_argument};
pub use capabilities::{
    BackgroundWork, ChangeNotifier, Extension, FAMILY_CAPABILITIES, FamilyCapabilities, ListChange,
    Method, Resource, ResourceBody, ResourceContents, Template, find_capabilities,
    resource_not_found,
};
pub use error::{ErrorDetails, ErrorKind, OpError};
pub use kenning_draw::stylesheet as drawing_stylesheet;
pub use kenning_model::{Progress, Silent};
pub use kenning_text::fuzzy_match::nearest;
pub use ordered_map::OrderedMap;
pub use prompts::{Prompt, PromptArgument, find as find_prompt};
pub use reply::{Reply, ReplyData, ReplyType};

/// Every operation, by family, in the order in which clients list them. The order is user-visible,
/// and the reference follows it.
pub static ALL: &[&OpEntry] = &[
    &specs::list_specs::OP,
    &specs::get_spec_requirements::OP,
    &specs::get_scenario::OP,
    &specs::search_specs::OP,
    &specs::get_spec::OP,
    &specs::list_changes::OP,
    &specs::get_change::OP,
    &specs::validate_spec::OP,
    &specs::validate_change::OP,
    &specs::trace::OP,
    &specs::specs_coverage::OP,
    &overview::OP,
    &doctor::OP,
    &code::providers::OP,
    &code::model::OP,
    &code::index_codebase::OP,
    &code::search_code::OP,
    &code::code_research::OP,
    &code::watch_codebase::OP,
    &code::status::OP,
    &code::collections::OP,
    &code::forget::OP,
    &code::export_edges::OP,
    &graph::OP,
    &code::callers::OP,
    &code::callees::OP,
    &code::find_references::OP,
    &code::implementations::OP,
    &code::search_symbols::OP,
    &code::get_symbol::OP,
    &code::get_file_symbols::OP,
    &code::get_package_symbols::OP,
    &code::impact::OP,
    &code::review::OP,
    &code::history::OP,
    &code::rename::OP,
    &code::hint::OP,
    &code::unused::OP,
    &collections::search_code_semantic::OP,
    &collections::search_code_fulltext::OP,
    &collections::search_code_by_payload::OP,
    &packages::search_packages::OP,
    &packages::get_package::OP,
    &packages::package_dependencies::OP,
    &packages::package_dependents::OP,
    &packages::dependency_graph::OP,
    &packages::list_packages::OP,
    &packages::index_status::OP,
    &packages::package_path::OP,
    &packages::package_impact::OP,
    &packages::package_cycles::OP,
    &packages::package_health::OP,
    &packages::package_graph::OP,
    &skills::skill::OP,
    &skills::list_skills::OP,
    &skills::validate_skills::OP,
    &skills::suggest_skills::OP,
];

/// Short commands of operations, for people: `ken symbol` runs what `ken get-symbol` runs. The
/// command line adds flags of its own to some, such as `ken search`.
pub static SHORT_COMMANDS: &[(&str, &OpEntry)] = &[
    ("search", &code::search_code::OP),
    ("index", &code::index_codebase::OP),
    ("watch", &code::watch_codebase::OP),
    ("research", &code::code_research::OP),
    ("symbols", &code::search_symbols::OP),
    ("symbol", &code::get_symbol::OP),
    ("outline", &code::get_file_symbols::OP),
    ("references", &code::find_references::OP),
    ("grep", &collections::search_code_fulltext::OP),
    ("edges", &code::export_edges::OP),
];

/// Short commands with other arguments than their operation.
const SEPARATE_COMMANDS: [&str; 3] = ["watch", "edges", "grep"];

/// Operations grouped under one word on the command line. `ken specs list` and `ken list-specs` run
/// the same operation.
pub static GROUPS: &[Group] = &[
    Group {
        name: "packages",
        about: "The packages of a repository: search, dependencies, paths, cycles, health",
        commands: &[
            ("search", &packages::search_packages::OP),
            ("list", &packages::list_packages::OP),
            ("show", &packages::get_package::OP),
            ("dependencies", &packages::package_dependencies::OP),
            ("dependents", &packages::package_dependents::OP),
            ("tree", &packages::dependency_graph::OP),
            ("path", &packages::package_path::OP),
            ("impact", &packages::package_impact::OP),
            ("cycles", &packages::package_cycles::OP),
            ("health", &packages::package_health::OP),
            ("graph", &packages::package_graph::OP),
            ("symbols", &code::get_package_symbols::OP),
            ("status", &packages::index_status::OP),
        ],
    },
    Group {
        name: "skills",
        about: "Agent skills: what there is, what one says, what is wrong, which one suits",
        commands: &[
            ("list", &skills::list_skills::OP),
            ("show", &skills::skill::OP),
            ("validate", &skills::validate_skills::OP),
            ("suggest", &skills::suggest_skills::OP),
        ],
    },
    Group {
        name: "specs",
        about: "The specs of a repository and the changes under way",
        commands: &[
            ("list", &specs::list_specs::OP),
            ("requirements", &specs::get_spec_requirements::OP),
            ("scenario", &specs::get_scenario::OP),
            ("search", &specs::search_specs::OP),
            ("show", &specs::get_spec::OP),
            ("validate", &specs::validate_spec::OP),
            ("changes", &specs::list_changes::OP),
            ("change", &specs::get_change::OP),
            ("validate-change", &specs::validate_change::OP),
            ("trace", &specs::trace::OP),
            ("coverage", &specs::specs_coverage::OP),
        ],
    },
];

/// Optional arguments that the command line also takes by position. Required ones always are
/// positional, and come first.
pub static POSITIONAL_ARGUMENTS: &[(&OpEntry, &str)] = &[
    (&specs::trace::OP, "spec_id"),
    (&specs::specs_coverage::OP, "spec_id"),
    (&specs::validate_spec::OP, "spec_id"),
    (&specs::validate_change::OP, "change_id"),
    (&skills::validate_skills::OP, "path"),
    (&code::impact::OP, "symbol"),
    (&code::review::OP, "base"),
    (&graph::OP, "of"),
    (&graph::OP, "name"),
];

/// Arguments that may be longer than `MAX_TEXT_BYTES`: a person or a client pastes whatever it
/// has, and the operation reads the beginning.
pub static LONG_TEXTS: &[(&OpEntry, &str)] =
    &[(&code::search_code::OP, "query"), (&skills::suggest_skills::OP, "task")];

/// The most bytes of any other text in the arguments. Nothing that is searched for is longer, and
/// the time of most searches grows with the text.
const MAX_TEXT_BYTES: usize = 64 * 1024;

/// A word on the command line with several operations below it.
#[derive(Debug)]
pub struct Group {
    /// The word.
    pub name: &'static str,
    /// Its line in the help.
    pub about: &'static str,
    /// The operations with their names within the group.
    pub commands: &'static [(&'static str, &'static OpEntry)],
}

/// One operation.
#[derive(Debug)]
pub struct OpEntry {
    /// As MCP clients call it; the command line says it with dashes.
    pub name: &'static str,
    /// The contract that words its errors.
    pub family: Family,
    /// Decides if its schema and wording are frozen.
    pub origin: Origin,
    /// Its purpose and when to use it, for an agent in a hurry.
    pub summary: &'static str,
    /// Decides the lane of the executor, the timeout over HTTP and the annotations over MCP.
    pub effect: OpEffect,
    /// The JSON Schema of the arguments, built on first use: literal for contract tools, derived
    /// for our own.
    pub schema: LazyLock<Value>,
    /// The type of its reply.
    pub reply: ReplyType,
    /// Command lines, for `--help`.
    pub examples: &'static [&'static str],
    /// The operation itself. It may block: entry points call it on a thread of its own.
    pub run: fn(&Call, &Args) -> Result<Reply, OpError>,
}

/// The engine and the progress of a running operation.
pub struct Call<'a> {
    /// The configuration, the indexes and the providers.
    pub engine: &'a Engine,
    /// Takes progress reports, and says if the work is cancelled.
    pub progress: &'a dyn Progress,
    /// The time when the question arrived. Answers show the tree as it was then, or newer.
    pub asked_at: Instant,
}

impl<'a> Call<'a> {
    /// Creates the call of a question that arrives now.
    pub fn new(engine: &'a Engine, progress: &'a dyn Progress) -> Call<'a> {
        Call { engine, progress, asked_at: Instant::now() }
    }

    /// Returns the code index that a question is about, up to date with its tree.
    pub fn code(&self, address: Option<&str>) -> Result<Arc<CodeIndex>, OpError> {
        Ok(self.engine.fresh_code(address, self.asked_at, self.progress)?)
    }

    /// Returns the packages that a question is about, up to date with the tree.
    pub fn packages(&self) -> Result<Arc<PackageView>, OpError> {
        self.engine.refresh(self.asked_at, self.progress)?;
        Ok(self.engine.packages()?)
    }
}

/// The contract that an operation belongs to; it decides how errors are worded on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// The tools of spox.
    Specs,
    /// The tools of swift-index.
    Code,
    /// The tools of code-indexer.
    Collections,
    /// The tool of ccski.
    Skills,
    /// The tools of shire.
    Packages,
}

impl Family {
    pub const ALL: [Family; 5] =
        [Family::Specs, Family::Code, Family::Collections, Family::Skills, Family::Packages];

    /// The name, as `--toolsets` and the reference use it.
    pub fn as_str(self) -> &'static str {
        match self {
            Family::Specs => "specs",
            Family::Code => "code",
            Family::Collections => "collections",
            Family::Skills => "skills",
            Family::Packages => "packages",
        }
    }

    /// Parses the name of a family.
    pub fn parse(text: &str) -> Option<Family> {
        Family::ALL.into_iter().find(|family| family.as_str() == text)
    }
}

/// The origin of an operation: frozen by a contract, or ours to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Frozen: name, schema and errors belong to a written contract.
    Contract,
    /// Our own, and free to change between versions.
    Kenning,
}

/// The effect of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpEffect {
    /// Changes nothing that another call can see.
    Reads,
    /// Changes only Kenning's own state; calling it again changes nothing more.
    Updates,
}

/// Finds an operation by name, with `_` or `-` between words.
pub fn find(name: &str) -> Option<&'static OpEntry> {
    ALL.iter().copied().find(|op| op.name == name.replace('-', "_"))
}

/// Returns a hint for the name of an unknown operation.
pub fn suggest_name(name: &str) -> String {
    let known = ALL.iter().map(|op| op.name);
    match nearest(name, known).first() {
        Some(nearest) => format!("did you mean {nearest}?"),
        None => "`ken --help` and /openapi.json list what there is".to_string(),
    }
}

/// The number of retries after a change on a backend overtook a call. Each takes milliseconds, and
/// each new snapshot is likely to live longer than the call.
const MAX_RETRIES: usize = 5;

impl OpEntry {
    /// Returns an error for an argument that this operation does not take, with the nearest name.
    pub fn unknown_argument(&self, given: &Value) -> Option<OpError> {
        args::find_unknown_argument(self.name, &self.schema, given)
    }

    /// Checks the arguments against the schema and runs, here or on a peer. Retries if a writer
    /// replaced the index meanwhile.
    pub fn call(&self, call: &Call, raw: &Value) -> Result<Reply, OpError> {
        let args = Args::check(&self.schema, raw)?;
        self.check_text_sizes(raw)?;
        // The contracts let a client send more than a tool knows; our own operations do not.
        if self.origin == Origin::Kenning
            && let Some(error) = self.unknown_argument(raw)
        {
            return Err(error);
        }
        peer_forward::run_here_or_forward(self, call, raw, || {
            let mut outcome = (self.run)(call, &args);
            for _ in 0..MAX_RETRIES {
                match &outcome {
                    Err(error) if error.kind == ErrorKind::Conflict => {
                        outcome = (self.run)(call, &args);
                    }
                    _ => break,
                }
            }
            // Every test thereby checks that replies survive the trip to another machine.
            debug_assert!(
                outcome.as_ref().map_or(true, |reply| self.reply.matches_reply(reply)),
                "{} replies with another type than it declares: {outcome:?}",
                self.name
            );
            outcome
        })
    }

    /// Refuses a text that is too long to search for.
    fn check_text_sizes(&self, raw: &Value) -> Result<(), OpError> {
        for (name, value) in raw.as_object().into_iter().flatten() {
            let is_long_text = |(op, long): &(&OpEntry, &str)| op.name == self.name && long == name;
            let bytes = longest_text(value);
            if bytes > MAX_TEXT_BYTES && !LONG_TEXTS.iter().any(is_long_text) {
                let most = MAX_TEXT_BYTES / 1024;
                let message =
                    format!("`{name}` has a text of {} KiB; at most {most}", bytes / 1024);
                return Err(OpError::bad_argument(message).hint("ask for a part of it"));
            }
        }
        Ok(())
    }

    /// Runs and returns the object that the operation replies with, for callers inside of the
    /// program.
    pub fn fetch_object<T: Any>(&self, call: &Call, raw: &Value) -> Result<T, OpError> {
        self.call(call, raw)?.into_object()
    }

    /// Runs and returns the list that the operation replies with.
    pub fn fetch_list<T: Any>(&self, call: &Call, raw: &Value) -> Result<Vec<T>, OpError> {
        self.call(call, raw)?.into_list()
    }

    /// Runs on this machine and packs the outcome for a peer, which asks in place of its caller.
    pub fn answer_peer(&self, call: &Call, raw: &Value) -> Value {
        peer_forward::run_for_peer(self, call, raw)
    }

    /// The name of the command: dashes in place of underscores.
    pub fn command(&self) -> String {
        self.name.replace('_', "-")
    }

    /// Returns the examples without their command, each with a leading space, or empty.
    pub fn example_arguments(&self) -> impl Iterator<Item = &'static str> {
        let command = self.example_command();
        self.examples.iter().filter_map(move |example| example.strip_prefix(command.as_str()))
    }

    /// Returns the shortest command with the arguments of the operation.
    fn example_command(&self) -> String {
        let short = SHORT_COMMANDS.iter().find(|(_, op)| op.name == self.name);
        if short.is_some_and(|(name, _)| SEPARATE_COMMANDS.contains(name)) {
            format!("ken {}", self.command())
        } else {
            self.command_line()
        }
    }

    /// Returns the words that a user types, such as `ken specs list` or `ken symbol`. The short
    /// form is preferred, because people find it in the help.
    pub fn command_line(&self) -> String {
        if let Some((name, _)) = SHORT_COMMANDS.iter().find(|(_, op)| op.name == self.name) {
            return format!("ken {name}");
        }
        let commands = GROUPS.iter().flat_map(|group| {
            let commands = group.commands.iter();
            commands.map(move |(name, op)| (group.name, *name, op.name))
        });
        let mut grouped = commands.filter(|(_, _, op)| *op == self.name);
        match grouped.next() {
            Some((group, name, _)) => format!("ken {group} {name}"),
            None => format!("ken {}", self.command()),
        }
    }
}

/// Returns the bytes of the longest text in a value.
fn longest_text(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(longest_text).max().unwrap_or(0),
        Value::Object(fields) => fields.values().map(longest_text).max().unwrap_or(0),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_unique_and_summaries_fit() {
        let mut names = HashSet::new();
        for op in ALL {
            assert!(names.insert(op.name), "{} twice", op.name);
            assert!(op.summary.len() < 1024, "{}: too long for an agent", op.name);
            assert!(!op.examples.is_empty(), "{}: no example", op.name);
        }
    }

    #[test]
    fn schemas_are_plain_objects_without_nullable_types() {
        for op in ALL {
            let schema = &op.schema;
            assert_eq!(schema["type"], "object", "{}", op.name);
            let text = schema.to_string();
            assert!(!text.contains("null"), "{}: {text}", op.name);
            assert!(!text.contains("$ref"), "{}: {text}", op.name);
            for (name, property) in schema["properties"].as_object().unwrap() {
                assert!(property["type"].is_string(), "{}.{name}: {property}", op.name);
                assert!(property["description"].is_string(), "{}.{name}", op.name);
            }
        }
    }

    #[test]
    fn groups_gather_what_there_is() {
        let mut names: HashSet<String> = ALL.iter().map(|op| op.command()).collect();
        for (name, op) in SHORT_COMMANDS {
            assert!(names.insert(name.to_string()), "{name} twice");
            assert!(find(op.name).is_some(), "{name}");
        }
        for group in GROUPS {
            assert!(names.insert(group.name.to_string()), "{} twice", group.name);
            for (name, op) in group.commands {
                assert!(find(op.name).is_some(), "{} {name}", group.name);
            }
        }
    }

    #[test]
    fn arguments_by_position_exist_and_follow_none_that_are_required() {
        for (op, name) in POSITIONAL_ARGUMENTS {
            let schema = &op.schema;
            assert!(schema["properties"][*name].is_object(), "{} {name}", op.name);
            assert!(schema["required"].is_null(), "{}", op.name);
        }
    }

    #[test]
    fn only_pasted_texts_may_be_long() {
        let long = "a ".repeat(MAX_TEXT_BYTES);
        for (op, argument, is_allowed) in [
            (&code::search_code::OP, json!({ "query": long }), true),
            (&packages::search_packages::OP, json!({ "query": long }), false),
            (&code::search_symbols::OP, json!({ "query": "a", "list": ["b", long] }), false),
            (&collections::search_code_by_payload::OP, json!({ "payload": { "a": long } }), false),
        ] {
            let outcome = op.check_text_sizes(&argument);
            assert_eq!(outcome.is_ok(), is_allowed, "{}: {outcome:?}", op.name);
        }
        for (op, argument) in LONG_TEXTS {
            assert!(op.schema["properties"][*argument].is_object(), "{} {argument}", op.name);
        }
    }

    #[test]
    fn examples_call_the_operation() {
        for op in ALL {
            for example in op.examples {
                let command = op.example_command();
                assert!(example.starts_with(&command), "{example} is not {command}");
            }
            assert_eq!(op.example_arguments().count(), op.examples.len(), "{}", op.name);
        }
    }
}
