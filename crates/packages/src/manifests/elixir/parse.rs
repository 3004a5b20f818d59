//! Parses one `mix.exs`, literals only. It follows values through module attributes and functions
//! of the file, and leaves out what else the program computes.
//!
//! All clauses of a function that lists dependencies count, because conditions are not evaluated.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use tree_sitter::Node;

use super::super::normalize_dependencies::kind_text;
use super::super::syntax_tree::{SyntaxTree, children, preorder, start_line};
use super::ParsedManifest;
use kenning_model::{DepKind, Problem, RepoPath};

/// The facts in the `project` function of a `mix.exs`.
#[derive(Serialize, Deserialize)]
pub struct MixProject {
    /// The OTP application, which names the package.
    pub app: Option<String>,
    pub version: Option<String>,
    pub description: Option<String>,
    /// True if it has `apps_path`.
    pub is_umbrella: bool,
    pub dependencies: Vec<MixDependency>,
}

/// One entry of the dependency list.
#[derive(Serialize, Deserialize)]
pub struct MixDependency {
    pub name: String,
    #[serde(with = "kind_text")]
    pub kind: DepKind,
    pub requirement: Option<String>,
    pub source: DependencySource,
}

/// The source that a dependency's options state.
#[derive(Serialize, Deserialize)]
pub enum DependencySource {
    /// Hex, or a git repository.
    Remote,
    /// A directory, relative to that of the file.
    Path(String),
    /// The sibling directory of that name: `in_umbrella: true`.
    Umbrella,
}

/// Parses a file. A file without a literal `project` function has no facts.
pub fn parse_mix_exs(path: &RepoPath, text: &str) -> ParsedManifest<MixProject> {
    let syntax = match SyntaxTree::parse(tree_sitter_elixir::LANGUAGE, path, text) {
        Ok(syntax) => syntax,
        Err(problem) => return ParsedManifest::from_problem(problem),
    };
    let mut problems: Vec<Problem> = syntax.first_error(path).into_iter().collect();
    let facts = MixModule::new(&syntax).read_project(path, &mut problems);
    if facts.is_none() && problems.is_empty() {
        problems.push(Problem::new(path, "it has no literal project function"));
    }
    ParsedManifest { facts, problems }
}

/// The definitions of the file, by name.
struct MixModule<'s> {
    syntax: &'s SyntaxTree<'s>,
    /// Module attributes, such as `@version`. The last definition counts.
    attributes: HashMap<&'s str, Node<'s>>,
    /// The bodies of each function, one for each of its clauses.
    functions: HashMap<&'s str, Vec<Node<'s>>>,
}

/// The most indirections through names before a value is reached.
const MAX_INDIRECTIONS: usize = 8;

impl<'s> MixModule<'s> {
    /// Collects all definitions first, because functions may be used before they are defined.
    fn new(syntax: &'s SyntaxTree<'s>) -> MixModule<'s> {
        let mut module =
            MixModule { syntax, attributes: HashMap::new(), functions: HashMap::new() };
        for node in preorder(syntax.root()) {
            match node.kind() {
                "unary_operator" => module.define_attribute(node),
                "call" => module.define_function(node),
                _ => {}
            }
        }
        module
    }

    /// Records `@version "1.0"`.
    fn define_attribute(&mut self, node: Node<'s>) {
        let Some(call) = node.child_by_field_name("operand") else {
            return;
        };
        if !self.syntax.text(node).starts_with('@') || call.kind() != "call" {
            return;
        }
        if let [name, arguments] = children(call)[..]
            && let [value] = children(arguments)[..]
        {
            self.attributes.insert(self.syntax.text(name), value);
        }
    }

    /// Records the body of `def name do … end` or `defp name(:test), do: …`.
    fn define_function(&mut self, node: Node<'s>) {
        let parts = children(node);
        let [target, arguments, ..] = parts[..] else {
            return;
        };
        if !matches!(self.syntax.text(target), "def" | "defp") {
            return;
        }
        let mut head = None;
        let mut body = parts.get(2).copied();
        for argument in children(arguments) {
            match argument.kind() {
                "keywords" => body = self.read_options(argument).get("do").copied().or(body),
                _ => head = head.or(Some(argument)),
            }
        }
        let Some((head, body)) = head.zip(body) else {
            return;
        };
        // The head is `name`, `name(…)`, or one of these with a guard. It begins with the name.
        let head = self.syntax.text(head);
        let end = head.find(|c: char| !c.is_alphanumeric() && c != '_');
        let name = &head[..end.unwrap_or(head.len())];
        self.functions.entry(name).or_default().push(body);
    }

    /// Reads the first keyword list in `project`. Problems of dependencies are added to `problems`.
    fn read_project(&self, path: &RepoPath, problems: &mut Vec<Problem>) -> Option<MixProject> {
        let body = *self.functions.get("project")?.first()?;
        let keywords = preorder(body).find(|node| node.kind() == "keywords")?;
        let options = self.read_options(keywords);
        let text = |key| options.get(key).and_then(|value| self.read_literal(*value));
        let list = options.get("deps").map(|value| DependencyList::collect(self, *value, path));
        let (dependencies, lost) =
            list.map(|list| (list.dependencies, list.problems)).unwrap_or_default();
        problems.extend(lost);
        Some(MixProject {
            app: text("app"),
            version: text("version"),
            description: text("description").map(|text| join_words(&text)),
            is_umbrella: options.contains_key("apps_path"),
            dependencies,
        })
    }

    /// The pairs of a keyword list, or of a list that contains one.
    fn read_options(&self, node: Node<'s>) -> HashMap<&'s str, Node<'s>> {
        let mut options = HashMap::new();
        for child in children(node) {
            match child.kind() {
                "keywords" => options.extend(self.read_keywords(child)),
                "pair" => options.extend(self.read_pair(child)),
                _ => {}
            }
        }
        options
    }

    /// The pairs of a `keywords` node, in order. Names may repeat.
    fn read_keywords(&self, node: Node<'s>) -> Vec<(&'s str, Node<'s>)> {
        let pairs = children(node).into_iter();
        pairs.filter_map(|pair| self.read_pair(pair)).collect()
    }

    /// Splits `key: value`. A key may be quoted.
    fn read_pair(&self, node: Node<'s>) -> Option<(&'s str, Node<'s>)> {
        let key = self
            .syntax
            .text(node.child_by_field_name("key")?)
            .trim()
            .trim_end_matches(':')
            .trim_matches('"');
        Some((key, node.child_by_field_name("value")?))
    }

    /// Resolves a node to itself, or to the single value of the attribute or function that it
    /// names. `None` if the value is computed.
    fn resolve(&self, mut node: Node<'s>) -> Option<Node<'s>> {
        for _ in 0..MAX_INDIRECTIONS {
            node = match node.kind() {
                "unary_operator" => *self.attributes.get(self.attribute_name(node)?)?,
                "identifier" => self.single_value(self.syntax.text(node))?,
                "call" => self.single_value(self.called_name(node)?)?,
                _ => return Some(node),
            };
        }
        None
    }

    /// The name in `@name`.
    fn attribute_name(&self, node: Node<'s>) -> Option<&'s str> {
        self.syntax.text(node).strip_prefix('@')
    }

    /// The name of a local call; `None` for a call on a module.
    fn called_name(&self, call: Node<'s>) -> Option<&'s str> {
        let target = call.child_by_field_name("target")?;
        (target.kind() == "identifier").then(|| self.syntax.text(target))
    }

    /// The value of a function that has one clause and does nothing but return it.
    fn single_value(&self, name: &str) -> Option<Node<'s>> {
        let [body] = self.functions.get(name)?[..] else {
            return None;
        };
        if body.kind() != "do_block" {
            return Some(body);
        }
        match children(body)[..] {
            [value] => Some(value),
            _ => None,
        }
    }

    /// The text of a string or an atom. Interpolation and escapes make it computed.
    fn read_literal(&self, node: Node<'s>) -> Option<String> {
        let node = self.resolve(node)?;
        match node.kind() {
            "atom" => Some(self.syntax.text(node).trim_start_matches(':').to_string()),
            "string" | "quoted_atom" => {
                let mut text = String::new();
                for part in children(node) {
                    match part.kind() {
                        "quoted_content" => text += self.syntax.text(part),
                        _ => return None,
                    }
                }
                Some(text)
            }
            _ => None,
        }
    }

    /// The atoms of `:test`, `[:dev, :test]` or `~w(dev test)a`.
    fn read_atoms(&self, node: Node<'s>) -> Option<Vec<String>> {
        let node = self.resolve(node)?;
        match node.kind() {
            "list" => children(node).into_iter().map(|child| self.read_literal(child)).collect(),
            "sigil" => {
                let content =
                    children(node).into_iter().find(|part| part.kind() == "quoted_content");
                let words = self.syntax.text(content?).split_whitespace();
                Some(words.map(str::to_string).collect())
            }
            _ => Some(vec![self.read_literal(node)?]),
        }
    }
}

/// The dependencies that the value of `deps:` leads to.
struct DependencyList<'m, 's> {
    module: &'m MixModule<'s>,
    dependencies: Vec<MixDependency>,
    problems: Vec<Problem>,
    /// Values still to be visited: the attributes and functions that lists come from.
    open: Vec<Node<'s>>,
    /// Names that were followed, so that recursive functions end.
    followed: HashSet<&'s str>,
    /// The ids of nodes that were read as a whole. Nodes inside of them are skipped.
    consumed: HashSet<usize>,
}

impl<'m, 's> DependencyList<'m, 's> {
    /// Visits the value of `deps:` and everything that it names.
    fn collect(
        module: &'m MixModule<'s>,
        value: Node<'s>,
        path: &RepoPath,
    ) -> DependencyList<'m, 's> {
        let mut list = DependencyList {
            module,
            dependencies: Vec::new(),
            problems: Vec::new(),
            open: vec![value],
            followed: HashSet::new(),
            consumed: HashSet::new(),
        };
        while let Some(start) = list.open.pop() {
            let mut consumed_end = 0;
            for node in preorder(start).filter(|node| node.is_named()) {
                if node.start_byte() < consumed_end {
                    continue;
                }
                list.visit_node(node, path);
                if list.consumed.contains(&node.id()) {
                    consumed_end = node.end_byte();
                }
            }
        }
        list
    }

    /// Reads a node that is an entry, a keyword list or a name. Other nodes are only passed
    /// through, so `base() ++ [{:a, "1"}]` works.
    fn visit_node(&mut self, node: Node<'s>, path: &RepoPath) {
        match node.kind() {
            "tuple" => self.read_tuple(node),
            "list" => {
                self.read_keyword_list(node);
                self.problems.extend(computed_tuples(node).map(|tuple| {
                    let message = "a dependency whose name is computed was left out";
                    Problem::new(path, message).at_line(start_line(tuple))
                }));
            }
            "identifier" => self.follow_name(self.module.syntax.text(node)),
            _ => {}
        }
    }

    /// Queues the attribute or the function of that name, once.
    fn follow_name(&mut self, name: &'s str) {
        if self.followed.insert(name) {
            let bodies = self.module.functions.get(name).into_iter().flatten().rev();
            self.open.extend(bodies.chain(self.module.attributes.get(name)));
        }
    }

    /// Reads `{:plug, "~> 1.0", only: :test}`.
    fn read_tuple(&mut self, node: Node<'s>) {
        self.consumed.insert(node.id());
        let parts = children(node);
        let Some((name, rest)) = parts.split_first() else {
            return;
        };
        if !matches!(name.kind(), "atom" | "quoted_atom") || rest.is_empty() {
            return;
        }
        if let Some(name) = self.module.read_literal(*name) {
            self.dependencies.push(build_dependency(self.module, name, rest));
        }
    }

    /// Reads `[plug: "~> 1.0"]`, which is the same list in another notation.
    fn read_keyword_list(&mut self, list: Node<'s>) {
        let keywords = children(list).into_iter();
        for keywords in keywords.filter(|child| child.kind() == "keywords") {
            self.consumed.insert(keywords.id());
            for (name, value) in self.module.read_keywords(keywords) {
                let dependency = build_dependency(self.module, name.to_string(), &[value]);
                self.dependencies.push(dependency);
            }
        }
    }
}

/// Joins a heredoc to one line, without its indentation.
fn join_words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The tuples of a list that do not begin with an atom. Their names are computed.
fn computed_tuples(list: Node) -> impl Iterator<Item = Node> {
    let tuples = children(list).into_iter().filter(|node| node.kind() == "tuple");
    tuples.filter(|tuple| {
        let first = children(*tuple).first().map(Node::kind);
        !matches!(first, Some("atom" | "quoted_atom"))
    })
}

/// Builds a dependency from the parts behind its name. Mix's options decide the kind: `only:`
/// without `:prod` is dev, then `optional:`, then `runtime: false`.
fn build_dependency(module: &MixModule, name: String, rest: &[Node]) -> MixDependency {
    let mut requirement = None;
    let mut options = HashMap::new();
    for part in rest {
        match part.kind() {
            "keywords" | "list" => options.extend(module.read_options(*part)),
            _ => requirement = requirement.or(module.read_literal(*part)),
        }
    }
    let is = |key, expected| {
        let value = options.get(key);
        value.is_some_and(|value| module.syntax.text(*value) == expected)
    };
    let environments = options.get("only").and_then(|only| module.read_atoms(*only));
    let kind = match environments {
        Some(environments) if !environments.iter().any(|name| name == "prod") => DepKind::Dev,
        _ if is("optional", "true") => DepKind::Optional,
        _ if is("runtime", "false") => DepKind::Build,
        _ => DepKind::Runtime,
    };
    let path = options.get("path").and_then(|path| module.read_literal(*path));
    let source = match path {
        Some(path) => DependencySource::Path(path),
        None if is("in_umbrella", "true") => DependencySource::Umbrella,
        None => DependencySource::Remote,
    };
    // `hex:` names the package if it differs from the application.
    let package = options.get("hex").and_then(|package| module.read_literal(*package));
    MixDependency { name: package.unwrap_or(name), kind, requirement, source }
}
