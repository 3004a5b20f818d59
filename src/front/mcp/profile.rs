//! Profiles: the tools, the name and the instructions of an MCP server. A profile of an original
//! program has exactly its tools and its name; the others have everything of the chosen families.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::engine::Engine;
use crate::ops::{
    self, Extension, Family, OFFERINGS, Offering, OpEffect, OpEntry, OpError, Origin, Prompt,
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
    pub offerings: Vec<&'static dyn Offering>,
    /// The part of the offerings that is shown.
    pub surface: Surface,
    /// The text that clients give to the model at the start.
    pub instructions: String,
}

/// The part of its offerings that a server shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// Only tools, as in the contracts of the originals. Descriptions that change, and the work
    /// behind them, belong to the tools.
    Tools,
    /// Resources, prompts and extensions too.
    Whole,
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
    /// Returns the profile with the tools of all families, including those that we add.
    pub fn everything() -> Profile {
        Profile::from_families(&Family::ALL)
    }

    /// Returns the profile of one of the original programs.
    pub fn from_name(name: &str) -> Result<Profile, ProfileError> {
        let known = PROFILES.iter().find(|(profile, _)| *profile == name);
        let (server_name, family) = known.ok_or_else(|| ProfileError::UnknownProfile {
            name: name.to_string(),
            known: PROFILES.map(|(profile, _)| profile).join(", "),
        })?;
        let tools = ops::ALL.iter().copied();
        let tools = tools.filter(|op| op.family == *family && op.origin == Origin::Contract);
        let tools: Vec<&OpEntry> = tools.collect();
        Ok(Profile {
            server_name: Cow::from(*server_name),
            version: VERSION,
            offerings: offerings_for(&[*family]),
            surface: Surface::Tools,
            instructions: write_instructions(&tools),
            tools,
        })
    }

    /// Returns the offerings with resources, if this server shows them.
    pub fn resource_offerings(&self) -> Vec<&'static dyn Offering> {
        let offerings = self.offerings.iter().copied();
        offerings
            .filter(|offering| self.surface == Surface::Whole && offering.scheme().is_some())
            .collect()
    }

    /// The prompts that this server offers.
    pub fn prompts(&self) -> Vec<&'static Prompt> {
        let offerings = self.offerings.iter();
        let shown = offerings.filter(|_| self.surface == Surface::Whole);
        shown.flat_map(|offering| offering.prompts()).collect()
    }

    /// The extensions that this server declares.
    pub fn extensions(&self) -> impl Iterator<Item = &'static Extension> {
        let offerings = self.offerings.iter();
        let shown = offerings.filter(|_| self.surface == Surface::Whole);
        shown.filter_map(|offering| offering.extension())
    }

    /// Returns the server's capabilities in the protocol's JSON.
    pub fn capabilities(&self) -> Value {
        let mut capabilities = json!({ "tools": { "listChanged": true } });
        if !self.resource_offerings().is_empty() {
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
        let tools = self.tools.iter();
        let tools = tools.map(|op| self.tool_entry(op, engine, client));
        json!({ "resultType": "complete", "tools": tools.collect::<Vec<_>>() })
    }

    /// One tool in the protocol's JSON. Its description is the family's current one, if it has one.
    fn tool_entry(&self, op: &OpEntry, engine: &Engine, client: &str) -> Value {
        let own = self.offerings.iter();
        let own = own.filter(|offering| offering.family() == op.family);
        // Only the skills family has such a description today.
        let mut current = own.filter_map(|offering| offering.description(engine, op.name, client));
        let description = current.next().unwrap_or_else(|| op.summary.to_string());
        json!({
            "name": op.name,
            "description": description,
            "inputSchema": &*op.schema,
            // None of ours destroys anything or leaves the machine.
            "annotations": {
                "readOnlyHint": op.effect == OpEffect::Reads,
                "destructiveHint": false,
                "idempotentHint": true,
                "openWorldHint": false,
            },
        })
    }

    /// Finds a tool by name; the error suggests a similar one.
    pub fn find_tool(&self, name: &str) -> Result<&'static OpEntry, OpError> {
        let mut tools = self.tools.iter().copied();
        if let Some(tool) = tools.find(|tool| tool.name == name) {
            return Ok(tool);
        }
        let known = self.tools.iter().map(|tool| tool.name);
        let nearest = ops::nearest(name, known);
        let message = match nearest.first() {
            Some(nearest) => format!("unknown tool {name:?}; did you mean {nearest:?}?"),
            None => format!("unknown tool {name:?}; tools/list has those of this profile"),
        };
        Err(OpError::bad_argument(message).data(json!({ "suggestions": nearest })))
    }

    /// Returns the profile of a list of families, such as `specs,packages`.
    pub fn from_toolsets(list: &str) -> Result<Profile, ProfileError> {
        let names = list.split(',').map(str::trim);
        let families: Result<Vec<Family>, ProfileError> = names
            .map(|name| {
                Family::parse(name).ok_or_else(|| ProfileError::UnknownToolset {
                    name: name.to_string(),
                    known: Family::ALL.map(Family::as_str).join(", "),
                })
            })
            .collect();
        Ok(Profile::from_families(&families?))
    }

    /// Returns the profile with all tools of the families.
    fn from_families(families: &[Family]) -> Profile {
        let tools = ops::ALL.iter().copied();
        let tools: Vec<&OpEntry> = tools.filter(|op| families.contains(&op.family)).collect();
        let instructions = format!(
            "Kenning knows this repository. Ask it before you search by hand: an answer costs \
             fewer tokens than grepping. An error says what to do next.\n\n{}",
            write_instructions(&tools)
        );
        Profile {
            server_name: Cow::from("kenning"),
            version: VERSION,
            tools,
            offerings: offerings_for(families),
            surface: Surface::Whole,
            instructions,
        }
    }
}

/// The offerings of the families.
fn offerings_for(families: &[Family]) -> Vec<&'static dyn Offering> {
    let offerings = OFFERINGS.iter().copied();
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
    ("overview", "first: what is known here"),
    ("callers", "and callees with path:line and how sure"),
    ("find_references", "for every use"),
    ("implementations", "of a type"),
    ("impact", "of a change"),
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
        let purposes = PURPOSES.iter().filter(|(name, _)| {
            let mut tools = tools.iter();
            tools.any(|op| op.name == *name && op.family == family && op.origin == origin)
        });
        let purposes = purposes.map(|(name, purpose)| format!("{name} {purpose}"));
        let unsaid = tools
            .iter()
            .filter(|op| op.family == family && op.origin == origin && !has_purpose(op.name));
        let unsaid = unsaid.map(|op| op.name.to_string());
        purposes.chain(unsaid).collect::<Vec<_>>().join(", ")
    };
    let lines = Family::ALL.into_iter().filter_map(|family| {
        let contract = told(family, Origin::Contract);
        let own = told(family, Origin::Kenning);
        let name = family.as_str();
        // Family names are ASCII, so the first byte is a letter.
        let name = name[..1].to_uppercase() + &name[1..];
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
    fn instructions_fit_where_clients_cut() {
        let all = PROFILES.map(|(name, _)| Profile::from_name(name).unwrap());
        for profile in all.iter().chain([&Profile::everything()]) {
            assert!(profile.instructions.len() < 2048, "{}", profile.server_name);
        }
    }

    /// A server speaks of the tools that it has and of no others.
    #[test]
    fn instructions_speak_of_what_is_offered() {
        let all = PROFILES.map(|(name, _)| Profile::from_name(name).unwrap());
        for profile in all.iter().chain([&Profile::everything()]) {
            let words = profile.instructions.split(|c: char| !c.is_alphanumeric() && c != '_');
            let words: Vec<&str> = words.filter(|word| word.contains('_')).collect();
            let is_offered = |name: &str| profile.tools.iter().any(|tool| tool.name == name);
            for word in &words {
                assert!(is_offered(word), "{}: {word}", profile.server_name);
            }
            for tool in &profile.tools {
                let is_named = words.contains(&tool.name) || !tool.name.contains('_');
                assert!(is_named, "{}: {}", profile.server_name, tool.name);
            }
        }
    }

    #[test]
    fn a_guess_is_like_what_was_asked_for() {
        let profile = Profile::everything();
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
