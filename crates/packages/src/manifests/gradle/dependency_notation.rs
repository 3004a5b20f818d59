//! The notations of a dependency in a build script: `implementation("group:name:1.0")` and its many
//! variants. Only literals and names are read; a computed dependency is reported as lost.

use super::ast::{Argument, Chain, ChainLink, Expression, Script, Statement};
use super::script_facts::Notation;
use super::string_template::Template;
use super::version_catalog::to_accessor;
use kenning_model::DepKind;

/// The result of parsing one statement of a `dependencies` block.
pub enum ParsedStatement {
    Dependencies {
        /// The configuration that the dependencies are added to.
        configuration: String,
        notations: Vec<Notation>,
        /// The version that the block behind the dependency states.
        version: Option<Template>,
        /// True if every dependency could be read.
        is_whole: bool,
    },
    /// The statement declares no dependency.
    Nothing,
}

/// Calls that wrap a dependency without changing which one it is.
const WRAPPERS: &[&str] = &["create", "enforcedPlatform", "platform", "testFixtures", "variantOf"];

/// Calls and properties that give no package: files, Gradle itself, packages of npm.
const NO_PACKAGES: &[&str] = &[
    "configurations",
    "devNpm",
    "fileTree",
    "files",
    "gradleApi",
    "gradleKotlinDsl",
    "gradleTestKit",
    "layout",
    "localGroovy",
    "npm",
    "objects",
    "optionalNpm",
    "peerNpm",
    "rootDir",
    "sourceSets",
    "tasks",
    "zipTree",
];

/// Calls among dependencies that declare none. Some belong to tasks that choose what to pack.
const NO_CONFIGURATIONS: &[&str] =
    &["apply", "constraints", "dependency", "exclude", "include", "println", "relocate"];

/// Parses a statement of a `dependencies` block: a single call whose name is the configuration, or
/// `add("configuration", …)`.
pub fn parse_dependency(script: &Script, chain: &Chain) -> ParsedStatement {
    let [link, ..] = &chain.links[..] else {
        return ParsedStatement::Nothing;
    };
    let is_single = chain.links.len() == 1;
    let Some(mut arguments) = link.call.as_deref().filter(|_| is_single) else {
        return ParsedStatement::Nothing;
    };
    let mut configuration = link.name.to_string();
    // `add("implementation", …)` is the long form, and also Kotlin's call by name.
    if configuration == "add" {
        let Some((name, rest)) = arguments.split_first() else {
            return ParsedStatement::Nothing;
        };
        let name = name.value.template().and_then(|name| name.as_text());
        configuration = name.unwrap_or_default();
        arguments = rest;
    }
    if NO_CONFIGURATIONS.contains(&link.name) || arguments.is_empty() {
        return ParsedStatement::Nothing;
    }
    let mut notations = Vec::new();
    let is_whole = read_arguments(arguments, &mut notations);
    ParsedStatement::Dependencies {
        configuration,
        notations,
        version: block_version(script, link),
        is_whole,
    }
}

/// Returns the kind of the dependencies in a configuration. The names are those of Gradle's own
/// plugins and of Android's variants, so only their endings are compared. Any other configuration
/// holds the tools of some plugin.
pub fn configuration_kind(configuration: &str) -> DepKind {
    let name = configuration.to_lowercase();
    if configuration == "classpath" {
        DepKind::Build
    } else if is_test(configuration) || name.starts_with("developmentonly") {
        DepKind::Dev
    } else if name.starts_with("kapt") || name.starts_with("ksp") {
        DepKind::Build
    } else if name.ends_with("compileonly")
        || name.ends_with("compileonlyapi")
        || name.starts_with("provided")
    {
        DepKind::Peer
    } else if ["implementation", "api", "runtimeonly", "compile", "runtime"]
        .iter()
        .any(|end| name.ends_with(end))
    {
        DepKind::Runtime
    } else {
        DepKind::Build
    }
}

/// True if a source set or a configuration is for tests or benchmarks.
pub fn is_test(name: &str) -> bool {
    name.starts_with("test") || name.contains("Test") || name.starts_with("jmh")
}

/// Reads the dependencies in the arguments of a call. Returns false if one is computed.
fn read_arguments(arguments: &[Argument], notations: &mut Vec<Notation>) -> bool {
    let named = |name| {
        let found = arguments.iter().find(|argument| argument.name.as_deref() == Some(name));
        found.and_then(|argument: &Argument| argument.value.template())
    };
    // Groovy's map notation: `group: "a", name: "b", version: "1"`.
    if let Some(name) = named("name") {
        notations.extend(join_coordinates(named("group"), name, named("version")));
        return true;
    }
    if let Some(path) = named("path") {
        notations.push(Notation::Project(path));
        return true;
    }
    if let Some(parts) = separate_parts(arguments) {
        let mut parts = parts.into_iter();
        let group = parts.next();
        if let Some(name) = parts.next() {
            notations.extend(join_coordinates(group, name, parts.next()));
        }
        return true;
    }
    // Several notations in one call: `implementation("a:b:1", "c:d:2")`. Named arguments such as
    // `transitive: false` are options.
    let mut is_whole = true;
    for argument in arguments.iter().filter(|argument| argument.name.is_none()) {
        is_whole &= read_value(&argument.value, notations);
    }
    is_whole
}

/// The parts of `("group", "name", "version")`: several texts, none of which is coordinates by
/// itself.
fn separate_parts(arguments: &[Argument]) -> Option<Vec<Template>> {
    let parts: Vec<Template> =
        arguments.iter().map(|argument| argument.value.template()).collect::<Option<_>>()?;
    let is_part = |part: &Template| part.as_text().is_some_and(|text| !text.contains(':'));
    let (first, others) = parts.split_first()?;
    let is_apart = !others.is_empty() && is_part(first) && is_part(&others[0]);
    is_apart.then_some(parts)
}

/// Joins `group:name:version`. `None` without a group.
fn join_coordinates(
    group: Option<Template>,
    name: Template,
    version: Option<Template>,
) -> Option<Notation> {
    let mut whole = group?.join(Template::text(":")).join(name);
    if let Some(version) = version {
        whole = whole.join(Template::text(":")).join(version);
    }
    Some(Notation::Coordinates(whole))
}

/// Reads one argument. Returns false if it is computed.
fn read_value(value: &Expression, notations: &mut Vec<Notation>) -> bool {
    match value {
        Expression::Text(template) => notations.push(Notation::Coordinates(template.clone())),
        Expression::List(inner) => return read_arguments(inner, notations),
        Expression::Closure => {}
        Expression::Computed => return false,
        Expression::Chain(chain) => return read_chain(chain, notations),
    }
    true
}

/// Reads a call or a property as a dependency. Returns false if it is computed.
fn read_chain(chain: &Chain, notations: &mut Vec<Notation>) -> bool {
    // `project(":a").sourceSets.test` is still about the project.
    let called = |link: &&ChainLink| link.call.is_some();
    if let Some(link) = chain.links.iter().find(|link| link.name == "project" && called(link)) {
        return read_project(link, notations);
    }
    if chain.links.iter().any(|link| NO_PACKAGES.contains(&link.name)) {
        return true;
    }
    if let Some(path) = chain.reference() {
        // A bare `project` is the project itself.
        if path == "project" {
            return true;
        }
        notations.push(Notation::Reference(path));
        return true;
    }
    let mut links = chain.links.iter();
    let call = links.find_map(|link| Some((link.name, link.call.as_deref()?)));
    call.is_some_and(|(name, arguments)| {
        let catalog = chain.links[0].name;
        read_call(name, arguments, catalog, notations)
    })
}

/// Reads a call that returns a dependency. `catalog` is the name that it is called on.
fn read_call(
    name: &str,
    arguments: &[Argument],
    catalog: &str,
    notations: &mut Vec<Notation>,
) -> bool {
    let text = |index: usize| arguments.get(index)?.value.template();
    match name {
        "kotlin" | "embeddedKotlin" => {
            let Some(module) = text(0) else { return false };
            let group = Template::text("org.jetbrains.kotlin");
            let name = Template::text("kotlin-").join(module);
            notations.extend(join_coordinates(Some(group), name, text(1)));
            true
        }
        "findLibrary" | "findBundle" => {
            let Some(alias) = text(0).and_then(|alias| alias.as_text()) else {
                return false;
            };
            let bundles = if name == "findBundle" { "bundles." } else { "" };
            let alias = to_accessor(&alias);
            notations.push(Notation::Reference(format!("{catalog}.{bundles}{alias}")));
            true
        }
        "listOf" | "setOf" | "arrayOf" => read_arguments(arguments, notations),
        name if WRAPPERS.contains(&name) => read_arguments(arguments, notations),
        _ => false,
    }
}

/// Reads `project(":a")` or `project(path: ":a", configuration: "b")`. Without arguments it is the
/// project itself, which is no dependency.
fn read_project(link: &ChainLink, notations: &mut Vec<Notation>) -> bool {
    let arguments = link.call.as_deref().unwrap_or_default();
    let Some(first) = arguments.first() else {
        return true;
    };
    if let Expression::Chain(chain) = &first.value
        && let [ChainLink { name: "mapOf", call: Some(entries), .. }] = &chain.links[..]
    {
        return read_arguments(entries, notations);
    }
    let path = arguments
        .iter()
        .find(|argument| argument.name.as_deref() == Some("path"))
        .unwrap_or(first)
        .value
        .template();
    let is_known = path.is_some();
    notations.extend(path.map(Notation::Project));
    is_known
}

/// The version in `implementation("a:b") { version { strictly("1.0") } }`, in Gradle's own short
/// form.
fn block_version(script: &Script, link: &ChainLink) -> Option<Template> {
    for statement in script.parse_statements(link.block.as_ref()?) {
        if let Statement::Expression(Expression::Chain(chain)) = statement
            && let [ChainLink { name: "version", block: Some(block), .. }] = &chain.links[..]
        {
            let mut version = RichVersion::default();
            for statement in script.parse_statements(block) {
                if let Statement::Expression(Expression::Chain(chain)) = statement {
                    version.read_constraint(&chain);
                }
            }
            return version.short_form();
        }
    }
    None
}

/// A rich version of Gradle: its constraints by strength.
#[derive(Default)]
pub struct RichVersion {
    pub strictly: Option<Template>,
    pub require: Option<Template>,
    pub prefer: Option<Template>,
}

impl RichVersion {
    /// Reads one call in a `version` block.
    fn read_constraint(&mut self, chain: &Chain) {
        let [ChainLink { name, call: Some(arguments), .. }] = &chain.links[..] else {
            return;
        };
        let value = arguments.first().and_then(|argument| argument.value.template());
        match *name {
            "strictly" => self.strictly = value,
            "require" => self.require = value,
            "prefer" => self.prefer = value,
            _ => {}
        }
    }

    /// The short form `strictly!!prefer`, else the required version, else the preferred one.
    pub fn short_form(self) -> Option<Template> {
        let insists = self.strictly.map(|version| {
            let version = version.join(Template::text("!!"));
            version.join(self.prefer.clone().unwrap_or_default())
        });
        insists.or(self.require).or(self.prefer)
    }
}
