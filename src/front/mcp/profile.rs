//! Profiles: the tools, the name and the instructions of an MCP server. A profile of an original
//! program has exactly its tools and its name; the others have everything of the chosen families.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::agent_toolset::{AGENT_TOOLS, AgentTool};
use crate::engine::Engine;
use crate::ops::{
    self, ErrorDetails, Extension, FAMILY_CAPABILITIES, Family, FamilyCapabilities, OpEffect,
    OpEntry, OpError, Origin, Prompt, operation,
};

/// The tools and the identity of a server.
#[derive(Clone, Debug)]
pub struct Profile {
    /// The name that the server gives itself.
    pub server_name: Cow<'static, str>,
    /// The version that it gives itself.
    pub version: Cow<'static, str>,
    /// The offered operations, in the order of `ops::ALL`.
    pub tools: Vec<&'static OpEntry>,
    /// The resources, prompts, extensions and background work of the tools' families.
    pub offerings: Vec<&'static dyn FamilyCapabilities>,
    /// The part of the offerings that is shown.
    pub surface: OfferedParts,
    /// The text that clients give to the model at the start.
    pub instructions: String,
    /// The length of the tool list.
    pub detail: ListDetail,
}

/// The detail in which a server lists its tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListDetail {
    /// Summaries and schemas as the operations declare them.
    Whole,
    /// The same without [`RARE_ARGUMENTS`].
    Common,
    /// The short descriptions and arguments of [`AGENT_TOOLS`].
    Agent,
}

/// The part of its offerings that a server shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfferedParts {
    /// Only tools, as in the contracts of the originals. Descriptions that change, and the work
    /// behind them, belong to the tools.
    Tools,
    /// Resources, prompts and extensions too.
    Whole,
}

/// The form of an answer. Every token of it costs. Text and structured content therefore repeat
/// each other only where a program needs both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerForm {
    /// JSON as text and as structured content, as the contracts of the originals say.
    Contract,
    /// Compact text.
    Text,
    /// Compact text, and structured content for a client that asked for it.
    TextAndStructured,
}

/// An unknown name on the command line.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ProfileError {
    #[error("unknown profile {name:?}; there are {known}")]
    UnknownProfile { name: String, known: String },
    #[error("unknown toolset {name:?}; there are {known}")]
    UnknownToolset { name: String, known: String },
}

/// The default version of a server: Kenning's own.
const VERSION: Cow<'static, str> = Cow::Borrowed(env!("CARGO_PKG_VERSION"));

/// The original programs, each with its family.
const PROFILES: [(&str, Family); 5] = [
    ("spox", Family::Specs),
    ("swiftindex", Family::Code),
    ("code-indexer", Family::Collections),
    ("skills", Family::Skills),
    ("shire", Family::Packages),
];

impl Profile {
    /// Returns the profile of `ken serve`: the tools of all contracts, and the gateway to the other
    /// operations.
    pub fn contracts_and_gateway() -> Profile {
        let contract = ops::ALL.iter().copied().filter(|op| op.origin == Origin::Contract);
        Profile::new(contract.chain([&operation::OP]).collect(), &Family::ALL, ListDetail::Common)
    }

    /// Returns the profile of an agent's context: a few tools with short descriptions.
    pub fn agent() -> Profile {
        let tools = AGENT_TOOLS.iter().map(|tool| tool.op).collect();
        Profile::new(tools, &Family::ALL, ListDetail::Agent)
    }

    /// Returns the profile with the tools of all families, including those that we add.
    pub fn all_families() -> Profile {
        Profile::from_families(&Family::ALL)
    }

    /// True for the profile of an agent's context, whose servers index on demand.
    pub fn is_for_agents(&self) -> bool {
        self.detail == ListDetail::Agent
    }

    /// Returns the profile of one of the original programs.
    pub fn from_name(name: &str) -> Result<Profile, ProfileError> {
        let known = PROFILES.iter().find(|(profile, _)| *profile == name);
        let (server_name, family) = known.ok_or_else(|| ProfileError::UnknownProfile {
            name: name.to_string(),
            known: PROFILES.map(|(profile, _)| profile).join(", "),
        })?;
        let tools: Vec<&OpEntry> = ops::ALL
            .iter()
            .copied()
            .filter(|op| op.family == *family && op.origin == Origin::Contract)
            .collect();
        Ok(Profile {
            server_name: Cow::from(*server_name),
            version: VERSION,
            offerings: capabilities_for(&[*family]),
            surface: OfferedParts::Tools,
            instructions: write_instructions(&tools),
            tools,
            detail: ListDetail::Whole,
        })
    }

    /// Chooses the form of an operation's answers. An agent's context gets text of all operations;
    /// elsewhere the tools of the contracts keep their form.
    pub fn answer_form(&self, op: &OpEntry) -> AnswerForm {
        let is_contract = op.origin == Origin::Contract && !self.is_for_agents();
        if self.surface == OfferedParts::Tools || is_contract {
            AnswerForm::Contract
        } else {
            AnswerForm::Text
        }
    }

    /// Returns the offerings with resources, if this server shows them.
    pub fn resource_capabilities(&self) -> Vec<&'static dyn FamilyCapabilities> {
        let offerings = self.offerings.iter().copied();
        offerings
            .filter(|offering| self.surface == OfferedParts::Whole && offering.scheme().is_some())
            .collect()
    }

    /// The prompts that this server offers.
    pub fn prompts(&self) -> Vec<&'static Prompt> {
        let offerings = self.offerings.iter();
        let shown = offerings.filter(|_| self.surface == OfferedParts::Whole);
        shown.flat_map(|offering| offering.prompts()).collect()
    }

    /// The extensions that this server declares.
    pub fn extensions(&self) -> impl Iterator<Item = &'static Extension> {
        let offerings = self.offerings.iter();
        let shown = offerings.filter(|_| self.surface == OfferedParts::Whole);
        shown.filter_map(|offering| offering.extension())
    }

    /// Returns the server's capabilities in the protocol's JSON.
    pub fn capabilities(&self) -> Value {
        let mut capabilities = json!({ "tools": { "listChanged": true } });
        if !self.resource_capabilities().is_empty() {
            capabilities["resources"] = json!({ "listChanged": true });
        }
        if !self.prompts().is_empty() {
            capabilities["prompts"] = json!({});
        }
        for extension in self.extensions() {
            capabilities["extensions"][extension.id] = (extension.settings)();
        }
        capabilities
    }

    /// Returns the result of `tools/list` in the protocol's JSON, for a client named `client`.
    pub fn tool_list(&self, engine: &Engine, client: &str) -> Value {
        let mut listed = self.tools.clone();
        if self.surface == OfferedParts::Whole {
            // A stable sort: families that the repository has nothing of come last.
            let absent = absent_families(engine);
            listed.sort_by_key(|op| absent.contains(&op.family));
        }
        let tools = listed.iter().map(|op| self.tool_entry(op, engine, client));
        json!({ "resultType": "complete", "tools": tools.collect::<Vec<_>>() })
    }

    /// One tool in the protocol's JSON. Its description is the family's current one, if it has one.
    fn tool_entry(&self, op: &OpEntry, engine: &Engine, client: &str) -> Value {
        let own = self.offerings.iter().filter(|offering| offering.family() == op.family);
        // Only the skills family has such a description today.
        let mut descriptions =
            own.filter_map(|offering| offering.description(engine, op.name, client));
        let current = descriptions.next();
        let description = match (current, self.agent_tool(op)) {
            (Some(current), _) => current,
            (None, Some(short)) => short.description().to_string(),
            (None, None) => op.summary.to_string(),
        };
        let mut entry = json!({
            "name": op.name,
            "description": description,
            "inputSchema": self.listed_schema(op),
            "annotations": annotations(op),
        });
        if self.surface == OfferedParts::Whole && KEPT_LOADED.contains(&op.name) {
            entry["_meta"] = json!({
                "anthropic/alwaysLoad": true,
                "anthropic/maxResultSizeChars": MAX_RESULT_CHARS,
            });
        }
        entry
    }

    /// The short form of a tool, on a server for agents.
    fn agent_tool(&self, op: &OpEntry) -> Option<&'static AgentTool> {
        AgentTool::find(op).filter(|_| self.detail == ListDetail::Agent)
    }

    /// The schema of a tool as this server lists it.
    pub fn listed_schema(&self, op: &OpEntry) -> Value {
        if let Some(short) = self.agent_tool(op) {
            return short.schema();
        }
        let mut schema = Value::clone(&op.schema);
        let rare = RARE_ARGUMENTS.iter().find(|(name, _)| *name == op.name);
        if let (ListDetail::Common, Some((_, rare))) = (self.detail, rare)
            && let Some(properties) = schema["properties"].as_object_mut()
        {
            properties.retain(|name, _| !rare.contains(&name.as_str()));
        }
        schema
    }

    /// Finds a tool by name; the error suggests a similar one. A server with the gateway also takes
    /// the name of an operation that it does not list.
    pub fn find_tool(&self, name: &str) -> Result<&'static OpEntry, OpError> {
        let mut tools = self.tools.iter().copied();
        if let Some(tool) = tools.find(|tool| tool.name == name) {
            return Ok(tool);
        }
        let has_gateway = self.tools.iter().any(|tool| tool.name == operation::OP.name);
        if has_gateway && let Some(unlisted) = ops::ALL.iter().find(|op| op.name == name) {
            return Ok(unlisted);
        }
        let known = self.tools.iter().map(|tool| tool.name);
        let nearest = ops::nearest(name, known);
        let message = match nearest.first() {
            Some(nearest) => format!("unknown tool {name:?}; did you mean {nearest:?}?"),
            None => format!("unknown tool {name:?}; tools/list has those of this profile"),
        };
        Err(OpError::bad_argument(message).details(ErrorDetails::of_suggestions(nearest)))
    }

    /// Returns the profile of a list of families, such as `specs,packages`, or of one of the names
    /// `agent` and `all`.
    pub fn from_toolsets(list: &str) -> Result<Profile, ProfileError> {
        match list.trim() {
            "agent" => return Ok(Profile::agent()),
            "all" => return Ok(Profile::all_families()),
            _ => {}
        }
        let names = list.split(',').map(str::trim);
        let families: Result<Vec<Family>, ProfileError> = names
            .map(|name| {
                Family::parse(name).ok_or_else(|| ProfileError::UnknownToolset {
                    name: name.to_string(),
                    known: format!("agent, all, {}", Family::ALL.map(Family::as_str).join(", ")),
                })
            })
            .collect();
        Ok(Profile::from_families(&families?))
    }

    /// Returns the profile with all tools of the families.
    fn from_families(families: &[Family]) -> Profile {
        let all = ops::ALL.iter().copied();
        let tools = all.filter(|op| families.contains(&op.family)).collect();
        Profile::new(tools, families, ListDetail::Whole)
    }

    /// Returns a profile under Kenning's own name.
    fn new(tools: Vec<&'static OpEntry>, families: &[Family], detail: ListDetail) -> Profile {
        let instructions = match detail {
            ListDetail::Whole | ListDetail::Common => {
                format!("{INTRODUCTION}\n\n{}", write_instructions(&tools))
            }
            // The descriptions say when to use each tool.
            ListDetail::Agent => INTRODUCTION.to_string(),
        };
        Profile {
            server_name: Cow::from("kenning"),
            version: VERSION,
            tools,
            offerings: capabilities_for(families),
            surface: OfferedParts::Whole,
            instructions,
            detail,
        }
    }
}

/// The beginning of the instructions of our own servers.
const INTRODUCTION: &str = "Kenning knows this repository as it is now. Ask it before you grep or \
                            read files: an answer costs fewer tokens. An error says what to do next.";

/// The arguments that we add to tools of the contracts and that few calls need. `ken serve` takes
/// them and leaves them out of its list, which every conversation pays for. `operation` lists them.
const RARE_ARGUMENTS: &[(&str, &[&str])] = &[
    ("get_scenario", &["occurrence"]),
    ("index_codebase", &["name", "scip"]),
    ("search_code", &["offset", "language", "kind", "package", "rerank", "explain", "budget"]),
    ("code_research", &["confidence", "include_tests", "path"]),
    ("dependency_graph", &["kind"]),
    ("get_package", &["kind"]),
    ("package_dependencies", &["kind"]),
    ("package_dependents", &["kind"]),
];

/// The size up to which a client should pass an answer on whole. Answers are smaller unless a call
/// raises its budget.
const MAX_RESULT_CHARS: usize = 100_000;

/// The tools that a client should not defer behind a tool search.
const KEPT_LOADED: [&str; 2] = ["search_code", "code_research"];

/// The hints that a client shows or acts on. Of a tool that only reads, two of the four mean
/// nothing, and each costs context. No tool of ours destroys anything or leaves the machine.
fn annotations(op: &OpEntry) -> Value {
    match op.effect {
        OpEffect::Reads => json!({ "readOnlyHint": true, "openWorldHint": false }),
        OpEffect::Updates => json!({
            "readOnlyHint": false, "destructiveHint": false, "idempotentHint": true,
            "openWorldHint": false,
        }),
    }
}

/// The families that the repository has nothing of. Code always counts as present.
fn absent_families(engine: &Engine) -> Vec<Family> {
    let has_specs = engine.specs().is_ok_and(|specs| specs.has_any());
    let has_packages = engine.packages().is_ok_and(|view| !view.graph.is_empty());
    let has_skills = !engine.skills().skills.is_empty();
    let families = [
        (Family::Specs, has_specs),
        (Family::Packages, has_packages),
        (Family::Skills, has_skills),
    ];
    families.into_iter().filter(|(_, is_there)| !is_there).map(|(family, _)| family).collect()
}

/// The offerings of the families.
fn capabilities_for(families: &[Family]) -> Vec<&'static dyn FamilyCapabilities> {
    let offerings = FAMILY_CAPABILITIES.iter().copied();
    offerings.filter(|offering| families.contains(&offering.family())).collect()
}

/// The purposes of tools, in the order in which an agent needs them. Instructions list only the
/// tools that a server offers. A tool without a line here appears by its name alone.
const PURPOSES: &[(&str, &str)] = &[
    ("list_specs", "for the index"),
    ("get_spec_requirements", "for one spec's structure"),
    ("get_scenario", "for one scenario"),
    ("search_specs", "to find requirements by meaning"),
    ("get_spec", "for a whole spec"),
    ("list_changes", "and get_change for what is proposed"),
    ("validate_spec", "and validate_change for mistakes"),
    ("trace", "from a requirement to code and tests and back"),
    ("specs_coverage", "for requirements that seem to lack either"),
    ("index_codebase", "once"),
    ("search_code", "for the code that answers a question"),
    ("code_research", "for callers, implementations and dependencies"),
    ("watch_codebase", "to keep the index fresh"),
    ("operation", "lists and runs all other operations, such as callers, impact and trace"),
    ("overview", "first: what is known here"),
    ("callers", "and callees with path:line and how sure"),
    ("find_references", "for every use"),
    ("implementations", "of a type"),
    ("impact", "of a change"),
    ("history", "and rename of a definition"),
    ("search_symbols", "by name"),
    ("get_symbol", "for one"),
    ("get_file_symbols", "for an outline"),
    ("get_package_symbols", "for a package's"),
    ("unused", "for what nobody needs"),
    ("export_edges", "for the whole graph"),
    ("status", "says how fresh an index is and what was skipped"),
    ("collections", "lists what is indexed"),
    ("forget", "removes an index"),
    ("providers", "says who can make vectors"),
    ("search_code_semantic", "by meaning"),
    ("search_code_fulltext", "for exact text"),
    ("search_code_by_payload", "by path, language, kind or symbol"),
    ("skill", "lists what there is and loads one by name"),
    ("suggest_skills", "finds those that suit a task"),
    ("list_skills", "shows all with their folders"),
    ("validate_skills", "holds them to the rules"),
    ("search_packages", "to find one"),
    ("get_package", "for its details"),
    ("package_dependencies", "and package_dependents for its neighbours"),
    ("dependency_graph", "for everything below it"),
    ("list_packages", "for all"),
    ("index_status", "for freshness"),
    ("package_path", "says why A needs B"),
    ("package_impact", "says what a change of A can break"),
    ("package_cycles", "and package_health what looks wrong"),
    ("package_graph", "draws"),
];

/// True if the tool has a line of its own, or is named in another tool's line.
fn has_purpose(tool: &str) -> bool {
    let mut purposes = PURPOSES.iter();
    purposes
        .any(|(name, purpose)| *name == tool || purpose.split_whitespace().any(|word| word == tool))
}

/// Writes a line for each family with tools: first those of its contract, then those that we add.
fn write_instructions(tools: &[&OpEntry]) -> String {
    let told = |family: Family, origin: Origin| {
        let purposes = PURPOSES
            .iter()
            .filter(|(name, _)| {
                let mut tools = tools.iter();
                tools.any(|op| op.name == *name && op.family == family && op.origin == origin)
            })
            .map(|(name, purpose)| format!("{name} {purpose}"));
        let unsaid = tools
            .iter()
            .filter(|op| op.family == family && op.origin == origin && !has_purpose(op.name))
            .map(|op| op.name.to_string());
        purposes.chain(unsaid).collect::<Vec<_>>().join(", ")
    };
    let lines = Family::ALL.into_iter().filter_map(|family| {
        let contract = told(family, Origin::Contract);
        let own = told(family, Origin::Kenning);
        let lower = family.as_str();
        // Family names are ASCII, so the first byte is a letter.
        let name = lower[..1].to_uppercase() + &lower[1..];
        match (contract.is_empty(), own.is_empty()) {
            (true, true) => None,
            (false, false) => Some(format!("{name}: {contract}. Beyond these: {own}.")),
            _ => Some(format!("{name}: {contract}{own}.")),
        }
    });
    lines.collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shire_profile_is_exactly_the_contract() {
        let profile = Profile::from_name("shire").unwrap();
        let names: Vec<_> = profile.tools.iter().map(|op| op.name).collect();
        assert_eq!(
            names,
            [
                "search_packages",
                "get_package",
                "package_dependencies",
                "package_dependents",
                "dependency_graph",
                "list_packages",
                "index_status"
            ]
        );
        assert_eq!(profile.server_name, "shire");
    }

    #[test]
    fn rare_arguments_exist_and_are_optional() {
        for (name, rare) in RARE_ARGUMENTS {
            let op = ops::find(name).unwrap();
            for argument in *rare {
                assert!(op.schema["properties"][argument].is_object(), "{name} {argument}");
                let required = op.schema["required"].as_array();
                let is_required = required.is_some_and(|all| all.iter().any(|one| one == argument));
                assert!(!is_required, "{name} {argument}");
            }
        }
    }

    /// An agent pays for the list in every conversation.
    #[test]
    fn tool_lists_are_small() {
        let shop = crate::engine::testing::shop(&[("a.rs", "")]);
        for (profile, most_tools, most_bytes) in
            [(Profile::agent(), 6, 4_096), (Profile::contracts_and_gateway(), 20, 12_288)]
        {
            assert_eq!(profile.tools.len(), most_tools);
            let mut bytes = profile.tool_list(&shop.engine, "client").to_string().len();
            if profile.is_for_agents() {
                bytes += profile.instructions.len();
            }
            assert!(bytes <= most_bytes, "{bytes} of {most_bytes}");
        }
    }

    fn own_profiles() -> [Profile; 3] {
        [Profile::all_families(), Profile::contracts_and_gateway(), Profile::agent()]
    }

    #[test]
    fn instructions_fit_where_clients_cut() {
        let all = PROFILES.map(|(name, _)| Profile::from_name(name).unwrap());
        for profile in all.iter().chain(&own_profiles()) {
            assert!(profile.instructions.len() < 2048, "{}", profile.server_name);
        }
    }

    /// A server speaks of the tools that it has and of no others.
    #[test]
    fn instructions_speak_of_what_is_offered() {
        let all = PROFILES.map(|(name, _)| Profile::from_name(name).unwrap());
        for profile in all.iter().chain(&own_profiles()) {
            let words: Vec<&str> = profile
                .instructions
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .filter(|word| word.contains('_'))
                .collect();
            let is_offered = |name: &str| profile.tools.iter().any(|tool| tool.name == name);
            for word in &words {
                assert!(is_offered(word), "{}: {word}", profile.server_name);
            }
            if profile.detail == ListDetail::Agent {
                continue;
            }
            for tool in &profile.tools {
                let is_named = words.contains(&tool.name) || !tool.name.contains('_');
                assert!(is_named, "{}: {}", profile.server_name, tool.name);
            }
        }
    }

    #[test]
    fn a_guess_is_like_what_was_asked_for() {
        let profile = Profile::all_families();
        for (name, words) in
            [("nope", "tools/list"), ("serch_code", "did you mean \"search_code\"?")]
        {
            let error = profile.find_tool(name).err().unwrap().to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn unknown_names_list_the_known() {
        let error = Profile::from_name("shyre").unwrap_err().to_string();
        assert!(error.contains("shire"), "{error}");
        let error = Profile::from_toolsets("packages,speks").unwrap_err().to_string();
        assert!(error.contains("\"speks\"") && error.contains("specs"), "{error}");
    }
}
