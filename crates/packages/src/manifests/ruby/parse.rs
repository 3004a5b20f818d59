//! Parses one Gemfile or gemspec, literals only: a name, version or requirement that the program
//! computes is left out. It does not decide which gems live in this repository.
//!
//! Blocks are tracked by their byte ranges in one preorder traversal, so nesting costs no machine
//! stack.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use tree_sitter::Node;

use super::super::normalize_dependencies::kind_text;
use super::super::syntax_tree::{SyntaxTree, children, preorder, start_line};
use super::ParsedManifest;
use kenning_model::{DepKind, Problem, RepoPath};

/// The facts of one file. A gemspec has no directives; a Gemfile has nothing but gems and those.
#[derive(Default, Serialize, Deserialize)]
pub struct RubyFile {
    pub name: Option<String>,
    pub version: Option<String>,
    pub summary: Option<String>,
    pub gems: Vec<Gem>,
    pub gemspecs: Vec<GemspecDirective>,
}

impl RubyFile {
    /// True if the file gives nothing to a package.
    fn is_empty(&self) -> bool {
        self.name.is_none() && self.gems.is_empty() && self.gemspecs.is_empty()
    }
}

/// One `gem` or `add_dependency` line.
#[derive(Serialize, Deserialize)]
pub struct Gem {
    pub name: String,
    #[serde(with = "kind_text")]
    pub kind: DepKind,
    pub requirement: Option<String>,
    pub source: GemSource,
}

/// The source that a Gemfile takes a gem from.
#[derive(Clone, Default, Serialize, Deserialize)]
pub enum GemSource {
    /// By its name alone, or from a directory that is computed.
    #[default]
    Unsaid,
    /// A directory, relative to that of the file.
    Path(String),
    /// From a git repository or a server that is named.
    Elsewhere,
}

/// `gemspec path: "x", name: "y"` in a Gemfile: the gem of that directory, and its dependencies.
#[derive(Serialize, Deserialize)]
pub struct GemspecDirective {
    pub path: String,
    pub name: Option<String>,
}

/// Groups that a production installation leaves out, by convention. Bundler itself gives no group a
/// meaning.
const DEV_GROUPS: &[&str] = &[
    "benchmark",
    "ci",
    "debug",
    "dev",
    "development",
    "doc",
    "docs",
    "lint",
    "rubocop",
    "test",
    "tests",
];

/// Parses a file in one traversal of its syntax tree.
pub fn parse_ruby_file(path: &RepoPath, text: &str) -> ParsedManifest<RubyFile> {
    let syntax = match SyntaxTree::parse(tree_sitter_ruby::LANGUAGE, path, text) {
        Ok(syntax) => syntax,
        Err(problem) => return ParsedManifest::from_problem(problem),
    };
    // A syntax error does not stop the traversal: the rest of the tree is usable.
    let error = syntax.first_error(path);
    let is_broken = error.is_some();
    let mut reader = GemfileParser {
        path,
        syntax: &syntax,
        constants: HashMap::new(),
        scopes: Vec::new(),
        callee_end: 0,
        file: RubyFile::default(),
        problems: error.into_iter().collect(),
    };
    for node in preorder(syntax.root()) {
        reader.leave_scopes(node.start_byte());
        match node.kind() {
            "assignment" => reader.read_assignment(node),
            "call" => reader.read_call(node),
            "identifier" => reader.read_identifier(node),
            _ => {}
        }
    }
    // A Gemfile may well be empty, but one that is broken and says nothing is just broken.
    let is_usable = !is_broken || !reader.file.is_empty();
    ParsedManifest { facts: is_usable.then_some(reader.file), problems: reader.problems }
}

/// The state of the traversal.
struct GemfileParser<'s> {
    path: &'s RepoPath,
    syntax: &'s SyntaxTree<'s>,
    /// Variables and constants of the file that are literal strings.
    constants: HashMap<&'s str, String>,
    /// The blocks that the current node is in, outermost first.
    scopes: Vec<GroupScope<'s>>,
    /// The end of the last called method's name. It distinguishes a bare `gemspec` from the name in
    /// a call.
    callee_end: usize,
    file: RubyFile,
    problems: Vec<Problem>,
}

/// The settings that a `group`, `path` or `git` block gives to the gems in it.
#[derive(Default)]
struct GroupScope<'s> {
    /// The byte at which the block ends.
    end: usize,
    groups: Vec<String>,
    optional: bool,
    source: GemSource,
    /// The variable of an `each` over literals, and its values.
    each: Option<(&'s str, Vec<String>)>,
}

/// The arguments of a call.
#[derive(Default)]
struct Arguments<'s> {
    positional: Vec<Node<'s>>,
    options: HashMap<&'s str, Node<'s>>,
}

impl<'s> GemfileParser<'s> {
    /// Reads `spec.name = "x"`, or records `VERSION = "1.0"` for later use.
    fn read_assignment(&mut self, node: Node<'s>) {
        let sides = node.child_by_field_name("left");
        let Some((left, right)) = sides.zip(node.child_by_field_name("right")) else {
            return;
        };
        let value = self.read_literal(right);
        // A plain name on the left is a variable or a constant; `spec.name` is a call in the
        // grammar.
        if left.kind() != "call" {
            if let Some(value) = value {
                self.constants.insert(self.syntax.text(left), value);
            }
            return;
        }
        match self.method_name(left) {
            "name" => self.file.name = value,
            "version" => self.file.version = value,
            "summary" => self.file.summary = value,
            _ => {}
        }
    }

    /// Closes the blocks that end before a position.
    fn leave_scopes(&mut self, position: usize) {
        while self.scopes.last().is_some_and(|scope| scope.end <= position) {
            self.scopes.pop();
        }
    }

    /// Reads a bare `gemspec`, which the grammar does not treat as a call.
    fn read_identifier(&mut self, node: Node<'s>) {
        if self.syntax.text(node) == "gemspec" && node.start_byte() >= self.callee_end {
            self.read_gemspec(&Arguments::default());
        }
    }

    /// Reads a call. With a receiver it belongs to a gemspec or a loop, without one to a Gemfile.
    fn read_call(&mut self, node: Node<'s>) {
        let method = self.method_name(node);
        let callee = node.child_by_field_name("method");
        self.callee_end = callee.map_or(self.callee_end, |callee| callee.end_byte());
        let arguments = self.read_arguments(node);
        if node.child_by_field_name("receiver").is_some() {
            match method {
                "add_dependency" | "add_runtime_dependency" => {
                    self.read_gem(node, &arguments, Some(DepKind::Runtime));
                }
                "add_development_dependency" => self.read_gem(node, &arguments, Some(DepKind::Dev)),
                "each" => self.enter_each(node),
                "new" => self.read_specification(node, &arguments),
                _ => {}
            }
            return;
        }
        match method {
            "gem" => self.read_gem(node, &arguments, None),
            "gemspec" => self.read_gemspec(&arguments),
            _ if node.child_by_field_name("block").is_some() => {
                self.enter_scope(node, method, &arguments);
            }
            _ => {}
        }
    }

    /// Reads `Gem::Specification.new "name", "1.0" do …`.
    fn read_specification(&mut self, node: Node<'s>, arguments: &Arguments<'s>) {
        let receiver = node.child_by_field_name("receiver");
        if receiver.is_some_and(|node| self.syntax.text(node) == "Gem::Specification") {
            let value = |index| self.read_literal(*arguments.positional.get(index)?);
            let (name, version) = (value(0), value(1));
            self.file.name = name;
            self.file.version = version;
        }
    }

    /// Enters a loop over literals: `%w[a b].each do |gem| …`.
    fn enter_each(&mut self, node: Node<'s>) {
        let over = node
            .child_by_field_name("receiver")
            .filter(|list| matches!(list.kind(), "array" | "string_array"));
        let block = node.child_by_field_name("block");
        let variable = block.and_then(|block| block.child_by_field_name("parameters"));
        if let (Some(list), Some(variable)) = (over, variable) {
            let variable = self.syntax.text(variable).trim_matches('|').trim();
            let values = self.read_literals(&[list]).unwrap_or_default();
            self.scopes.push(GroupScope {
                end: node.end_byte(),
                each: Some((variable, values)),
                ..GroupScope::default()
            });
        }
    }

    /// Enters a block that gives groups or a source to the gems in it. Other blocks change nothing.
    fn enter_scope(&mut self, node: Node<'s>, method: &str, arguments: &Arguments<'s>) {
        let mut scope = GroupScope { end: node.end_byte(), ..GroupScope::default() };
        match method {
            "group" => {
                scope.groups = self.read_literals(&arguments.positional).unwrap_or_default();
                let optional = arguments.options.get("optional");
                scope.optional = optional.is_some_and(|value| self.syntax.text(*value) == "true");
            }
            "path" => {
                let directory =
                    arguments.positional.first().and_then(|node| self.read_literal(*node));
                scope.source = directory.map_or(GemSource::Unsaid, GemSource::Path);
            }
            "git" | "github" | "source" => scope.source = GemSource::Elsewhere,
            _ => return,
        }
        self.scopes.push(scope);
    }

    /// Reads one gem. A gemspec states its kind by the method; a Gemfile by groups.
    fn read_gem(&mut self, node: Node<'s>, arguments: &Arguments<'s>, kind: Option<DepKind>) {
        let Some((first, requirements)) = arguments.positional.split_first() else {
            return;
        };
        let names = self.gem_names(*first);
        if names.is_empty() {
            let problem = Problem::new(self.path, "a gem whose name is computed was left out");
            self.problems.push(problem.at_line(start_line(node)));
        }
        let requirement = self
            .read_literals(requirements)
            .map(|parts| parts.join(", "))
            .filter(|text| !text.is_empty());
        let kind = kind.unwrap_or_else(|| self.kind_by_groups(arguments));
        let source = self.gem_source(arguments);
        self.file.gems.extend(names.into_iter().map(|name| Gem {
            name,
            kind,
            requirement: requirement.clone(),
            source: source.clone(),
        }));
    }

    /// The gems that one line declares: several in a loop, none if the name is computed.
    fn gem_names(&self, node: Node<'s>) -> Vec<String> {
        let text = self.syntax.text(node);
        let loops = self.scopes.iter().rev().filter_map(|scope| scope.each.as_ref());
        match loops.into_iter().find(|(variable, _)| *variable == text) {
            Some((_, values)) => values.clone(),
            None => self.read_literal(node).into_iter().collect(),
        }
    }

    /// The kind of a gem by its groups. It is for development only if all of its groups are.
    fn kind_by_groups(&self, arguments: &Arguments<'s>) -> DepKind {
        let mut groups: Vec<&str> = Vec::new();
        let of_scopes = self.scopes.iter().flat_map(|scope| &scope.groups);
        groups.extend(of_scopes.map(String::as_str));
        let options: Vec<Node> = ["group", "groups"]
            .map(|key| arguments.options.get(key).copied())
            .into_iter()
            .flatten()
            .collect();
        let of_options = self.read_literals(&options).unwrap_or_default();
        groups.extend(of_options.iter().map(String::as_str));
        if !groups.is_empty() && groups.iter().all(|group| DEV_GROUPS.contains(group)) {
            DepKind::Dev
        } else if self.scopes.iter().any(|scope| scope.optional) {
            DepKind::Optional
        } else {
            DepKind::Runtime
        }
    }

    /// The source of a gem: its own options, else the innermost block that states one.
    fn gem_source(&self, arguments: &Arguments<'s>) -> GemSource {
        if let Some(value) = arguments.options.get("path") {
            return self.read_literal(*value).map_or(GemSource::Unsaid, GemSource::Path);
        }
        // The options of Bundler that take a gem from outside of the repository.
        let remote = ["git", "github", "gitlab", "bitbucket", "gist", "source"];
        if remote.iter().any(|key| arguments.options.contains_key(key)) {
            return GemSource::Elsewhere;
        }
        let of_scopes = self.scopes.iter().rev().map(|scope| &scope.source);
        let mut said = of_scopes.filter(|source| !matches!(source, GemSource::Unsaid));
        said.next().cloned().unwrap_or_default()
    }

    /// Reads a `gemspec` directive.
    fn read_gemspec(&mut self, arguments: &Arguments<'s>) {
        let option = |key| arguments.options.get(key).map(|value| self.read_literal(*value));
        // A directory that is computed could be any, so the directive then says nothing.
        if let Some(path) = option("path").unwrap_or_else(|| Some(".".to_string())) {
            let name = option("name").flatten();
            self.file.gemspecs.push(GemspecDirective { path, name });
        }
    }

    /// The name of the called method; empty if there is none.
    fn method_name(&self, call: Node) -> &'s str {
        let method = call.child_by_field_name("method");
        method.map_or("", |node| self.syntax.text(node))
    }

    /// Splits the arguments of a call into positional ones and options.
    fn read_arguments(&self, call: Node<'s>) -> Arguments<'s> {
        let mut arguments = Arguments::default();
        let Some(list) = call.child_by_field_name("arguments") else {
            return arguments;
        };
        for node in children(list) {
            if node.kind() != "pair" {
                arguments.positional.push(node);
                continue;
            }
            let sides = node.child_by_field_name("key");
            if let Some((key, value)) = sides.zip(node.child_by_field_name("value")) {
                let key = self.syntax.text(key).trim_start_matches(':');
                arguments.options.insert(key, value);
            }
        }
        arguments
    }

    /// The literal strings and symbols of `nodes` and of the arrays among them. `None` if any is
    /// computed.
    fn read_literals(&self, nodes: &[Node<'s>]) -> Option<Vec<String>> {
        let mut literals = Vec::new();
        for node in nodes {
            match node.kind() {
                "array" | "string_array" | "symbol_array" => {
                    for element in children(*node) {
                        literals.push(self.read_literal(element)?);
                    }
                }
                _ => literals.push(self.read_literal(*node)?),
            }
        }
        Some(literals)
    }

    /// Returns the value of a literal string or symbol, or of a name that is bound to one.
    fn read_literal(&self, node: Node<'s>) -> Option<String> {
        match node.kind() {
            "string" | "bare_string" | "bare_symbol" | "delimited_symbol" => {
                self.string_contents(node)
            }
            "chained_string" => {
                children(node).into_iter().map(|part| self.string_contents(part)).collect()
            }
            "simple_symbol" => Some(self.syntax.text(node).trim_start_matches(':').to_string()),
            "identifier" | "constant" => self.constants.get(self.syntax.text(node)).cloned(),
            "call" if self.method_name(node) == "freeze" => {
                self.string_contents(node.child_by_field_name("receiver")?)
            }
            _ => None,
        }
    }

    /// The contents of a string. `None` if it interpolates.
    fn string_contents(&self, node: Node<'s>) -> Option<String> {
        let mut contents = String::new();
        for part in children(node) {
            match part.kind() {
                "string_content" => contents += self.syntax.text(part),
                "escape_sequence" => contents += self.syntax.text(part).trim_start_matches('\\'),
                _ => return None,
            }
        }
        Some(contents)
    }
}
