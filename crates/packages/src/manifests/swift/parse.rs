//! Parses one `Package.swift`, literals only, and follows `let` constants of the file. Every
//! literal `.package(…)` counts, under any condition. The roles of the targets that use a
//! dependency decide its kind.

use std::collections::HashMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use tree_sitter::Node;

use super::super::syntax_tree::{SyntaxTree, children, preorder, start_line};
use super::ParsedManifest;
use kenning_model::{Problem, RepoPath};

/// The facts of one `Package.swift`.
#[derive(Default, Serialize, Deserialize)]
pub struct SwiftPackage {
    pub name: Option<String>,
    /// The version in the comment `swift-tools-version`.
    pub tools_version: Option<String>,
    /// The names of libraries, executables and plugins that others can use.
    pub products: Vec<String>,
    pub dependencies: Vec<SwiftDependency>,
    /// The packages and products that targets depend on.
    pub uses: Vec<ProductUse>,
}

/// One `.package(…)`.
#[derive(Serialize, Deserialize)]
pub struct SwiftDependency {
    /// The `name:` argument, by which targets may refer to the package.
    pub name: Option<String>,
    pub requirement: Option<String>,
    pub source: PackageSource,
}

/// The location of a package.
#[derive(Serialize, Deserialize)]
pub enum PackageSource {
    Path(String),
    /// A git repository, by its URL, or a package of a registry, by its identity.
    Remote(String),
}

/// A package or a product that a target uses.
#[derive(Serialize, Deserialize)]
pub struct ProductUse {
    pub name: String,
    pub by: TargetRole,
}

/// The role of a target, which decides the kind of the dependencies that it uses. If several
/// targets use one, the first variant in this order decides.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum TargetRole {
    /// A target that ships, or no literal target at all.
    Product,
    /// A plugin or a macro: it runs while others are built.
    Build,
    Test,
}

/// Parses a file. Without a call of `Package(…)` it has no facts.
pub fn parse_package_swift(path: &RepoPath, text: &str) -> ParsedManifest<SwiftPackage> {
    let syntax = match SyntaxTree::parse(tree_sitter_swift::LANGUAGE, path, text) {
        Ok(syntax) => syntax,
        Err(problem) => return ParsedManifest::from_problem(problem),
    };
    let mut reader = SwiftManifestParser::new(path, &syntax);
    reader.package.tools_version = tools_version(text);
    for node in preorder(syntax.root()) {
        reader.visit_node(node);
    }
    let error = syntax.first_error(path);
    if !reader.is_package {
        let nothing = Problem::new(path, "it declares no package");
        return ParsedManifest::from_problem(error.unwrap_or(nothing));
    }
    reader.problems.extend(error);
    ParsedManifest::with_problems(reader.package, reader.problems)
}

/// Parses `// swift-tools-version:5.9`, which must be the first line.
fn tools_version(text: &str) -> Option<String> {
    let comment = text.trim_start().lines().next()?.strip_prefix("//")?.trim_start();
    let (key, version) = comment.split_once(':')?;
    let version = version.split(';').next().unwrap_or_default().trim();
    (key.trim_end().eq_ignore_ascii_case("swift-tools-version") && !version.is_empty())
        .then(|| version.to_string())
}

/// The state of the traversal.
struct SwiftManifestParser<'s> {
    path: &'s RepoPath,
    syntax: &'s SyntaxTree<'s>,
    /// Constants of the file that are literal strings.
    constants: HashMap<&'s str, String>,
    /// The byte range in which the last target lists its dependencies, and the target's role.
    target: (Range<usize>, TargetRole),
    /// Strings before this byte belong to a call that was read as a whole. They are no names of
    /// dependencies.
    read_until: usize,
    /// True once `Package(…)` was seen.
    is_package: bool,
    package: SwiftPackage,
    problems: Vec<Problem>,
}

/// A call with its arguments. An argument without a label has an empty one.
struct SwiftCall<'s> {
    name: &'s str,
    arguments: Vec<(&'s str, Node<'s>)>,
}

impl<'s> SwiftCall<'s> {
    /// The argument of a label.
    fn argument(&self, label: &str) -> Option<Node<'s>> {
        let found = self.arguments.iter().find(|(name, _)| *name == label);
        found.map(|(_, value)| *value)
    }
}

impl<'s> SwiftManifestParser<'s> {
    fn new(path: &'s RepoPath, syntax: &'s SyntaxTree<'s>) -> SwiftManifestParser<'s> {
        let mut reader = SwiftManifestParser {
            path,
            syntax,
            constants: HashMap::new(),
            target: (0..0, TargetRole::Product),
            read_until: 0,
            is_package: false,
            package: SwiftPackage::default(),
            problems: Vec::new(),
        };
        // A constant may be declared below the function that uses it.
        for node in preorder(syntax.root()) {
            if node.kind() == "property_declaration" {
                reader.read_constant(node);
            }
        }
        reader
    }

    /// Records `let version: Version = "1.2.3"`.
    fn read_constant(&mut self, node: Node<'s>) {
        let name = node.child_by_field_name("name");
        let value = node.child_by_field_name("value").and_then(|value| self.read_literal(value));
        if let (Some(name), Some(value)) = (name, value) {
            self.constants.insert(self.syntax.text(name), value);
        }
    }

    /// Reads a call, or a string in a target's dependency list.
    fn visit_node(&mut self, node: Node<'s>) {
        match node.kind() {
            "call_expression" => {
                if let Some(call) = self.parse_call(node) {
                    self.read_call(node, &call);
                }
            }
            // A product or a target, by its name alone.
            "line_string_literal" if self.is_in_target(node) => {
                if let Some(name) =
                    self.read_literal(node).filter(|_| self.read_until <= node.start_byte())
                {
                    self.package.uses.push(ProductUse { name, by: self.target.1 });
                }
            }
            _ => {}
        }
    }

    /// True if a node is in the dependency list of the last target.
    fn is_in_target(&self, node: Node) -> bool {
        self.target.0.contains(&node.start_byte())
    }

    /// Reads a call of the manifest's vocabulary; all others are ignored.
    fn read_call(&mut self, node: Node<'s>, call: &SwiftCall<'s>) {
        match call.name {
            "Package" => {
                self.is_package = true;
                self.package.name = self.argument_text(call, "name").or(self.package.name.take());
            }
            "package" => self.read_dependency(node, call),
            "product" => self.read_product(node, call),
            "library" | "executable" => {
                self.package.products.extend(self.argument_text(call, "name"))
            }
            "target" | "executableTarget" => self.read_target(node, call, TargetRole::Product),
            "testTarget" => self.read_target(node, call, TargetRole::Test),
            "macro" => self.read_target(node, call, TargetRole::Build),
            "plugin" => self.read_plugin(node, call),
            _ => {}
        }
    }

    /// Reads `.product(name: "NIO", package: "swift-nio")`.
    fn read_product(&mut self, node: Node<'s>, call: &SwiftCall<'s>) {
        let by = if self.is_in_target(node) { self.target.1 } else { TargetRole::Product };
        if let Some(name) = self.argument_text(call, "package") {
            self.package.uses.push(ProductUse { name, by });
            self.read_until = node.end_byte();
        }
    }

    /// Reads `.target(name: …, dependencies: […])`, or a reference to one in such a list.
    fn read_target(&mut self, node: Node<'s>, call: &SwiftCall<'s>, user: TargetRole) {
        if self.is_in_target(node) {
            self.read_until = node.end_byte();
        } else if let Some(list) = call.argument("dependencies") {
            self.target = (list.byte_range(), user);
        }
    }

    /// Reads a plugin: one that a target uses, or one that is declared as a product or a target.
    fn read_plugin(&mut self, node: Node<'s>, call: &SwiftCall<'s>) {
        if let Some(name) = self.argument_text(call, "package") {
            let by = TargetRole::Build;
            self.package.uses.push(ProductUse { name, by });
        } else if call.argument("targets").is_some() {
            self.package.products.extend(self.argument_text(call, "name"));
        } else {
            self.read_target(node, call, TargetRole::Build);
        }
    }

    /// Reads `.package(…)`. A computed location is reported.
    fn read_dependency(&mut self, node: Node<'s>, call: &SwiftCall<'s>) {
        let path = self.argument_text(call, "path").map(PackageSource::Path);
        let remote = self.argument_text(call, "url").or_else(|| self.argument_text(call, "id"));
        if let Some(source) = path.or(remote.map(PackageSource::Remote)) {
            let dependency = SwiftDependency {
                name: self.argument_text(call, "name"),
                requirement: self.read_requirement(call),
                source,
            };
            self.package.dependencies.push(dependency);
        } else if ["path", "url", "id"].iter().any(|label| call.argument(label).is_some()) {
            let problem =
                Problem::new(self.path, "a package whose location is computed was left out");
            self.problems.push(problem.at_line(start_line(node)));
        }
    }

    /// Reads the version requirement as written: `from: 1.0.0`, `1.0.0..<2.0.0`, `branch: main`.
    /// Quotes are dropped, and the longer forms of `from` and `exact` are shortened.
    fn read_requirement(&self, call: &SwiftCall<'s>) -> Option<String> {
        for (label, value) in &call.arguments {
            match *label {
                "from" | "exact" | "branch" | "revision" => {
                    return Some(format!("{label}: {}", self.read_literal(*value)?));
                }
                "" if value.kind() == "call_expression" => {
                    let inner = self.parse_call(*value)?;
                    let (_, version) = inner.arguments.first()?;
                    let label = match inner.name {
                        "upToNextMajor" => "from",
                        name => name,
                    };
                    return Some(format!("{label}: {}", self.read_literal(*version)?));
                }
                "" => return self.read_range(*value),
                _ => {}
            }
        }
        None
    }

    /// Reads `"1.0.0"..<"2.0.0"` or `"1.0.0"..."1.9.0"`.
    fn read_range(&self, node: Node<'s>) -> Option<String> {
        let start = node.child_by_field_name("start")?;
        let end = node.child_by_field_name("end")?;
        let after_start = self.syntax.text(node).get(start.end_byte() - node.start_byte()..)?;
        let operator = after_start.get(..after_start.find(self.syntax.text(end))?)?.trim();
        Some(format!("{}{operator}{}", self.read_literal(start)?, self.read_literal(end)?))
    }

    /// Parses `.name(…)`, `Name(…)` or `a.b.name(…)`. The name is the last one.
    fn parse_call(&self, node: Node<'s>) -> Option<SwiftCall<'s>> {
        let [callee, suffix] = children(node)[..] else {
            return None;
        };
        let name = match callee.kind() {
            "simple_identifier" => callee,
            "prefix_expression" => callee.child_by_field_name("target")?,
            "navigation_expression" => {
                callee.child_by_field_name("suffix")?.child_by_field_name("suffix")?
            }
            _ => return None,
        };
        let list = children(suffix).into_iter().find(|part| part.kind() == "value_arguments");
        let arguments = children(list?).into_iter().filter_map(|argument| {
            let value = argument.child_by_field_name("value")?;
            let label = argument.child_by_field_name("name");
            Some((label.map_or("", |label| self.syntax.text(label)), value))
        });
        Some(SwiftCall { name: self.syntax.text(name), arguments: arguments.collect() })
    }

    /// The literal text of a labelled argument.
    fn argument_text(&self, call: &SwiftCall<'s>, label: &str) -> Option<String> {
        self.read_literal(call.argument(label)?)
    }

    /// The text of a string, or of a constant that is one. Interpolation makes it computed.
    fn read_literal(&self, node: Node<'s>) -> Option<String> {
        match node.kind() {
            "simple_identifier" => self.constants.get(self.syntax.text(node)).cloned(),
            "line_string_literal" => {
                let mut text = String::new();
                for part in children(node) {
                    match part.kind() {
                        "line_str_text" => text += self.syntax.text(part),
                        _ => return None,
                    }
                }
                Some(text)
            }
            _ => None,
        }
    }
}
