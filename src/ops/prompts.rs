//! Prompts: guides through the tools for one kind of task each, which a client offers to its user.
//! They hold no facts; the tools that they name find those. A step whose tools a server does not
//! have is left out.

use serde_json::{Map, Value};

use super::{ErrorDetails, ErrorKind, Family, FamilyCapabilities, OpError};

/// One guide.
#[derive(Debug)]
pub struct Prompt {
    /// The name by which a client asks for it.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// The purpose, in one line.
    pub description: &'static str,
    /// The arguments; all are required.
    pub arguments: &'static [PromptArgument],
    /// The task. `{argument}` is replaced by its value.
    pub task: &'static str,
    /// The steps in order, each with the family whose tools it needs.
    pub steps: &'static [(Family, &'static str)],
    /// The result that the agent should produce.
    pub outcome: &'static str,
}

/// A value that a user fills in.
#[derive(Debug)]
pub struct PromptArgument {
    /// The name, which `{name}` refers to in the texts.
    pub name: &'static str,
    /// A description for the person who fills it in.
    pub description: &'static str,
}

impl Prompt {
    /// Returns the text for the agent, with the steps that `families` can serve. All arguments are
    /// required.
    pub fn text(&self, families: &[Family], given: &Map<String, Value>) -> Result<String, OpError> {
        // Steps are numbered after filtering, so that a server without some families has no gaps.
        let steps = self.steps.iter();
        let steps = steps.filter(|(family, _)| families.contains(family));
        let steps = steps.enumerate();
        let steps = steps.map(|(index, (_, step))| format!("{}. {step}", index + 1));
        let steps: Vec<String> = steps.collect();
        let mut text = format!("{}\n\n{}\n\n{}", self.task, steps.join("\n"), self.outcome);
        for argument in self.arguments {
            let value = given.get(argument.name).and_then(Value::as_str);
            let value = value.map(str::trim).filter(|value| !value.is_empty());
            let value = value.ok_or_else(|| self.missing_argument(argument))?;
            // Values are inserted as they are: the text goes to the same model that the user talks
            // to.
            text = text.replace(&format!("{{{}}}", argument.name), value);
        }
        Ok(text)
    }

    /// The error for an argument that is missing or blank. Its hint is the argument's description.
    fn missing_argument(&self, argument: &PromptArgument) -> OpError {
        let (prompt, name) = (self.name, argument.name);
        OpError::bad_argument(format!("the prompt {prompt:?} needs `{name}`, as text"))
            .hint(argument.description)
    }
}

/// Finds a prompt by name; the error lists the known names.
pub fn find(prompts: &[&'static Prompt], name: &str) -> Result<&'static Prompt, OpError> {
    let found = prompts.iter().find(|prompt| prompt.name == name);
    found.copied().ok_or_else(|| {
        let known: Vec<&str> = prompts.iter().map(|prompt| prompt.name).collect();
        OpError::new(ErrorKind::NotFound, format!("there is no prompt {name:?}"))
            .hint(format!("there are {}", known.join(", ")))
            .details(ErrorDetails::of_suggestions(known))
    })
}

/// The prompts of one family.
#[derive(Debug)]
pub struct Guides(Family, &'static [Prompt]);

impl FamilyCapabilities for Guides {
    /// The family that the prompts belong to.
    fn family(&self) -> Family {
        self.0
    }

    /// The prompts, in the order in which clients list them.
    fn prompts(&self) -> &'static [Prompt] {
        self.1
    }
}

/// Guides that start from code.
pub const CODE_GUIDES: &Guides = &Guides(
    Family::Code,
    &[
        Prompt {
            name: "explore",
            title: "Explore a question",
            description: "Find out how something works in this repository, from search to call chain",
            arguments: &[PromptArgument {
                name: "query",
                description: "The question in plain words, or a name",
            }],
            task: "Find out, in this repository: {query}",
            steps: &[
                (
                    Family::Code,
                    "search_code with the question. If it names code, search_symbols with the name.",
                ),
                (
                    Family::Code,
                    "code_research with the question at depth 2. Its `took` says which walk it made; \
                     ask again in other words (`what calls X`, `all implementations of X`) if another \
                     is needed.",
                ),
                (
                    Family::Code,
                    "get_symbol for the two or three definitions that matter most. Read whole files \
                     only if that is not enough.",
                ),
                (Family::Packages, "search_packages with the subject, to see whose package it is."),
                (
                    Family::Specs,
                    "search_specs with the question: a requirement may say what is intended.",
                ),
            ],
            outcome: "Answer in a few sentences, then list the places as path:line with one line on \
                      each. Say what rests on medium or low confidence, and what you did not find.",
        },
        Prompt {
            name: "explore-area",
            title: "Explore a part of the tree",
            description: "Understand a directory or file: what it defines, who uses it, what it needs",
            arguments: &[PromptArgument {
                name: "path",
                description: "A directory or file below the root",
            }],
            task: "Explain the part of this repository at {path}",
            steps: &[
                (
                    Family::Code,
                    "search_code with `file_filter` set to {path} and a query such as `entry point` or \
                     `public API`, to see which files carry it.",
                ),
                (Family::Code, "get_file_symbols for those files: outlines before texts."),
                (
                    Family::Code,
                    "impact with `file` for the central one: what depends on it, and which tests \
                     reach it.",
                ),
                (Family::Code, "code_research `what does X depend on` for its main definition."),
                (
                    Family::Packages,
                    "get_package for the package that it belongs to, then package_dependents.",
                ),
                (Family::Specs, "trace with `file`: which requirements speak of it."),
            ],
            outcome: "Describe its purpose, its main definitions with path:line, what comes in and what \
                      goes out, and where a newcomer should begin to read.",
        },
        Prompt {
            name: "onboard",
            title: "Get to know the repository",
            description: "A first tour: packages, entry points, conventions, where things are",
            arguments: &[],
            task: "Get to know this repository well enough to work in it.",
            steps: &[
                (
                    Family::Code,
                    "status: how large it is, which languages, whether the index is fresh. If there is \
                     none, index_codebase.",
                ),
                (
                    Family::Packages,
                    "list_packages, then package_graph or package_health for how they hang together.",
                ),
                (
                    Family::Code,
                    "search_code for `main entry point`, `configuration`, `error handling` and \
                     `tests`; code_research with each entry point at depth 2.",
                ),
                (Family::Specs, "list_specs: what the project promises."),
                (
                    Family::Skills,
                    "list_skills: what is already written down about how to work here.",
                ),
            ],
            outcome: "Write one page: what it is for, its parts and how they depend on each other, the \
                      way of one typical request through the code with path:line, how to build and \
                      test, and three things that surprised you.",
        },
    ],
);

/// Guides that start from packages.
pub const PACKAGE_GUIDES: &Guides = &Guides(
    Family::Packages,
    &[
        Prompt {
            name: "explore-package",
            title: "Explore a package",
            description: "Understand one package: what it offers, what it needs, who uses it",
            arguments: &[PromptArgument {
                name: "name",
                description: "The package's exact name; search_packages finds it",
            }],
            task: "Explain the package {name}",
            steps: &[
                (
                    Family::Packages,
                    "get_package {name}. If there is none, search_packages and take the nearest.",
                ),
                (
                    Family::Packages,
                    "package_dependencies with internal_only, then package_dependents.",
                ),
                (
                    Family::Code,
                    "get_package_symbols {name}: its public names. get_symbol for the central ones.",
                ),
                (Family::Code, "callers of one or two of them: how others use it."),
            ],
            outcome: "Describe what it is for, its public face with path:line, its neighbours in both \
                      directions, and what a change of it would touch.",
        },
        Prompt {
            name: "impact-analysis",
            title: "Judge a change before making it",
            description: "Find what a change of a package or definition can break, and the tests to run",
            arguments: &[PromptArgument {
                name: "name",
                description: "A package, or a definition as a name or Type.member",
            }],
            task: "Judge what a change of {name} can break.",
            steps: &[
                (
                    Family::Packages,
                    "package_impact {name}, if it is a package: who depends on it, and by which chain.",
                ),
                (
                    Family::Code,
                    "impact with `symbol` {name}, if it is a definition: what depends on it, riskiest \
                     first, and the tests that reach it.",
                ),
                (
                    Family::Code,
                    "find_references for what ranks highest, and get_symbol to see whether the use \
                     would really break.",
                ),
                (Family::Specs, "trace with `symbol`: requirements that must still hold."),
            ],
            outcome: "List what breaks for certain, what may break and why you are not sure, what is \
                      safe, the tests to run, and the order in which to make the change.",
        },
        Prompt {
            name: "understand-dependency",
            title: "Understand a dependency",
            description: "Why one package needs another, and for what",
            arguments: &[
                PromptArgument { name: "from", description: "The package that depends" },
                PromptArgument { name: "to", description: "The package that is depended on" },
            ],
            task: "Explain why {from} depends on {to}.",
            steps: &[
                (
                    Family::Packages,
                    "package_path from {from} to {to}: the chain, and who declares each link.",
                ),
                (Family::Code, "get_package_symbols {to}: what it offers."),
                (
                    Family::Code,
                    "find_references for the names that are likely used, and look for places in {from}.",
                ),
                (
                    Family::Packages,
                    "package_health: whether the dependency is declared but not used.",
                ),
            ],
            outcome: "Say what {from} takes from {to}, with path:line, how deep the tie is, and what it \
                      would cost to cut it.",
        },
    ],
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops;

    fn all() -> impl Iterator<Item = &'static Prompt> {
        CODE_GUIDES.1.iter().chain(PACKAGE_GUIDES.1)
    }

    fn given(prompt: &Prompt) -> Map<String, Value> {
        let arguments = prompt.arguments.iter();
        let arguments = arguments.map(|one| (one.name.to_string(), Value::from("kettle")));
        arguments.collect()
    }

    #[test]
    fn steps_name_tools_that_there_are() {
        for prompt in all() {
            for (family, step) in prompt.steps {
                let words = step.split(|c: char| !c.is_alphanumeric() && c != '_');
                let mut tools = words.filter_map(ops::find);
                let has_own = tools.any(|op| op.family == *family);
                assert!(has_own, "{}: {step}", prompt.name);
                let words = step.split(|c: char| !c.is_alphanumeric() && c != '_');
                let unknown = words.filter(|word| word.contains('_') && ops::find(word).is_none());
                let unknown: Vec<&str> = unknown.collect();
                let arguments = ["file_filter", "internal_only"];
                assert!(
                    unknown.iter().all(|word| arguments.contains(word)),
                    "{}: {unknown:?}",
                    prompt.name
                );
            }
        }
    }

    #[test]
    fn arguments_are_filled_in_and_asked_for() {
        for prompt in all() {
            let text = prompt.text(&Family::ALL, &given(prompt)).unwrap();
            assert!(!text.contains('{'), "{text}");
            assert_eq!(text.contains("kettle"), !prompt.arguments.is_empty());
            if let Some(first) = prompt.arguments.first() {
                let error = prompt.text(&Family::ALL, &Map::new()).unwrap_err();
                assert_eq!(error.kind, ErrorKind::BadArgument);
                assert!(error.message.contains(first.name), "{error}");
            }
        }
    }

    #[test]
    fn steps_of_families_that_are_not_served_are_left_out() {
        for prompt in all() {
            let text = prompt.text(&[Family::Packages], &given(prompt)).unwrap();
            assert!(!text.contains("code_research") && !text.contains("list_specs"));
        }
    }
}
