//! Interprets the statements of one build or settings script as Gradle does. The script's project
//! and the values of names are resolved later, when all files are known.
//!
//! Every branch of a condition counts, because conditions are not evaluated.

use std::collections::{HashMap, HashSet};

use super::ast::{Argument, Chain, ChainLink, Expression, Script, Statement, TokenRange};
use super::block_context::{BlockContext, BlockKind};
use super::dependency_notation::{self, ParsedStatement, configuration_kind};
use super::script_facts::{
    BuildScript, CatalogDeclaration, DependencyDeclaration, IncludedBuild, Property, Section,
    SectionTarget, element_name,
};
use super::string_template::Template;
use kenning_model::DepKind;

/// Interprets a script. Blocks are read from a queue and not by recursion, so that nesting costs no
/// machine stack.
pub fn interpret_script(script: &Script) -> BuildScript {
    let mut reader = GradleScriptParser {
        script,
        facts: BuildScript::default(),
        sections: HashMap::new(),
        extras: HashSet::new(),
        computed: HashSet::new(),
        open: vec![(script.full_range(), BlockContext::default())],
    };
    reader.section_index(SectionTarget::Own);
    // Sections and properties are collected in one pass over all blocks.
    while let Some((block, scope)) = reader.open.pop() {
        let mut inner = Vec::new();
        for statement in script.parse_statements(&block) {
            reader.read_statement(statement, &scope, &mut inner);
        }
        // Reversed, so that blocks are read in the order of the file.
        reader.open.extend(inner.into_iter().rev());
    }
    // Known only now: more entries may be given to an extra property before its block is read.
    let extras = reader.extras;
    for (name, property) in &mut reader.facts.properties {
        property.is_extra = extras.contains(first_name(name));
        if reader.computed.contains(name) {
            property.value = Template::unknown_value();
        }
    }
    reader.facts
}

/// The first name of a path: `versions` of `versions.kotlin` or `versions[0]`.
fn first_name(path: &str) -> &str {
    path.split(['.', '[']).next().unwrap_or_default()
}

/// The state of interpreting one script.
pub struct GradleScriptParser<'s, 't> {
    script: &'s Script<'t>,
    pub facts: BuildScript,
    /// The index of the section of each target.
    sections: HashMap<SectionTarget, usize>,
    /// The extra properties, by the first of their names.
    extras: HashSet<String>,
    /// Properties that are, somewhere, given a computed value.
    computed: HashSet<String>,
    /// Blocks still to be read, the next one last.
    open: Vec<(TokenRange, BlockContext)>,
}

impl<'t> GradleScriptParser<'_, 't> {
    /// Interprets one statement. Blocks inside of it are added to `inner`.
    fn read_statement(
        &mut self,
        statement: Statement<'t>,
        scope: &BlockContext,
        inner: &mut Vec<(TokenRange, BlockContext)>,
    ) {
        match statement {
            Statement::Block(block) => inner.push((block, scope.clone())),
            Statement::Expression(Expression::Chain(chain)) => {
                self.read_call(&chain, scope);
                self.open_blocks(&chain, "", scope, inner);
            }
            Statement::Expression(_) => {}
            Statement::Assignment { is_local, is_delegated, target, value } => {
                let variable = if is_local { target.path()[0] } else { "" };
                if let Some(chain) = value.chain() {
                    self.open_blocks(chain, variable, scope, inner);
                }
                match (is_local, is_delegated) {
                    (true, true) => self.define_delegated(variable, &value),
                    (true, false) => self.define_local(variable, &value, scope),
                    (false, _) => self.read_assignment(&target, &value, scope),
                }
            }
        }
    }

    /// The index of the section for a target, created if needed.
    pub fn section_index(&mut self, target: SectionTarget) -> usize {
        let sections = &mut self.facts.sections;
        *self.sections.entry(target.clone()).or_insert_with(|| {
            sections.push(Section { target, ..Section::default() });
            sections.len() - 1
        })
    }

    /// The index of a declared catalog, created if needed.
    pub fn catalog_index(&mut self, name: String) -> usize {
        let catalogs = &mut self.facts.settings.catalogs;
        let known = catalogs.iter().position(|catalog| catalog.name == name);
        known.unwrap_or_else(|| {
            catalogs.push(CatalogDeclaration { name, ..CatalogDeclaration::default() });
            catalogs.len() - 1
        })
    }

    /// Interprets a call by the block that contains it.
    fn read_call(&mut self, chain: &Chain<'t>, scope: &BlockContext) {
        match &scope.place {
            BlockKind::Dependencies => self.read_dependency(chain, scope),
            BlockKind::Catalog(index) => self.read_catalog_entry(chain, *index),
            BlockKind::IncludedBuild(index) => self.read_substitution(chain, *index),
            BlockKind::Extra => self.set_extra(chain),
            BlockKind::Project | BlockKind::Other => self.read_project_call(chain, scope),
            BlockKind::SourceSets | BlockKind::Catalogs => {}
        }
    }

    /// Interprets a call in a `dependencies` block.
    fn read_dependency(&mut self, chain: &Chain<'t>, scope: &BlockContext) {
        let section = &mut self.facts.sections[scope.section];
        match dependency_notation::parse_dependency(self.script, chain) {
            ParsedStatement::Dependencies { configuration, notations, version, is_whole } => {
                let declared = configuration_kind(&configuration);
                let kind = match scope.kind {
                    // A test's source set says dev, but its annotation processors still build.
                    Some(DepKind::Dev) if declared != DepKind::Build => DepKind::Dev,
                    Some(DepKind::Build) => DepKind::Build,
                    _ => declared,
                };
                let line = chain.line;
                section.dependencies.extend(notations.into_iter().map(|notation| {
                    DependencyDeclaration { kind, notation, version: version.clone(), line }
                }));
                if !is_whole {
                    section.lost.push(line);
                }
            }
            ParsedStatement::Nothing => {}
        }
    }

    /// Interprets a call among the statements of a project or of the settings.
    fn read_project_call(&mut self, chain: &Chain<'t>, scope: &BlockContext) {
        let Some(link) = chain.links.last() else {
            return;
        };
        // `include` on an object, as in `spec.include(…)`, belongs to a task.
        let is_first = chain.links.len() == 1;
        let Some(arguments) = &link.call else { return };
        let texts = || collect_texts(arguments).into_iter();
        let settings = &mut self.facts.settings;
        match link.name {
            "include" if is_first => settings.includes.extend(texts()),
            "includeFlat" if is_first => settings.flat_includes.extend(texts()),
            "includeBuild" if is_first => settings
                .builds
                .extend(texts().map(|path| IncludedBuild { path, substitutions: Vec::new() })),
            "apply" if is_first => {
                let from = arguments.iter().filter(|it| it.name.as_deref() == Some("from"));
                let section = &mut self.facts.sections[scope.section];
                section.applies.extend(from.filter_map(|it| path_of_file(&it.value)));
            }
            "set" => self.set_extra(chain),
            // `version("1.0")` and `setVersion("1.0")` are forms of the assignment.
            name if scope.place == BlockKind::Project => {
                if let Some(argument) = arguments.first() {
                    let name = name.strip_prefix("set").map_or(name.to_string(), str::to_lowercase);
                    self.set_identity(&name, &argument.value, scope);
                }
            }
            _ => {}
        }
    }

    /// Interprets `set("kotlinVersion", "2.0")` on extra properties.
    fn set_extra(&mut self, chain: &Chain<'t>) {
        let Some((link, before)) = chain.links.split_last() else {
            return;
        };
        let arguments = link.call.as_deref().unwrap_or_default();
        if let ("set", [name, value]) = (link.name, arguments)
            && before.last().is_none_or(|link| is_extra(link.name))
            && let Some(name) = name.value.template().and_then(|name| name.as_text())
        {
            self.define_extra(name, &value.value);
        }
    }

    /// Interprets an assignment: of the settings, of the project's identity, or of a property.
    fn read_assignment(
        &mut self,
        target: &Chain<'t>,
        value: &Expression<'t>,
        scope: &BlockContext,
    ) {
        let path = target.path();
        // `project(":a").x = …` configures another project and defines no property here.
        let is_settings = matches!(path[..], ["project", _]);
        match (&path[..], &scope.place) {
            (["rootProject", "name"], _) => self.facts.settings.root_name = value.template(),
            (["project", "projectDir"], _) if target.links[0].call.is_some() => {
                let project = first_text(&target.links[0]);
                let directory = project.zip(path_of_file(value));
                self.facts.settings.directories.extend(directory);
            }
            (["project", "name"], _) if target.links[0].call.is_some() => {
                let name = first_text(&target.links[0]).zip(value.template());
                self.facts.settings.names.extend(name);
            }
            ([name] | ["project" | "it", name], BlockKind::Project)
                if matches!(*name, "group" | "version" | "description") =>
            {
                self.set_identity(name, value, scope);
            }
            (_, BlockKind::Extra) => self.define_extra(path.join("."), value),
            (_, BlockKind::Project | BlockKind::Dependencies) if !is_settings => {
                if let Some(name) = target.reference() {
                    if path.iter().any(|name| is_extra(name)) {
                        self.define_extra(name, value)
                    } else {
                        self.define(name, value)
                    }
                }
            }
            _ => {}
        }
    }

    /// Sets the group, version or description of the section's projects. Other names are ignored.
    fn set_identity(&mut self, name: &str, value: &Expression<'t>, scope: &BlockContext) {
        let section = &mut self.facts.sections[scope.section];
        let field = match name {
            "group" => &mut section.group,
            "version" => &mut section.version,
            "description" => &mut section.description,
            _ => return,
        };
        *field = Some(value.template().unwrap_or_else(Template::unknown_value));
    }

    /// Defines a variable: `def x = "1.0"`. Variables of unrelated blocks are ignored, because
    /// their scope is not tracked.
    fn define_local(&mut self, name: &str, value: &Expression<'t>, scope: &BlockContext) {
        if scope.place != BlockKind::Other && scope.place != BlockKind::SourceSets {
            self.define(name.to_string(), value);
        }
    }

    /// Defines an extra property: `val x by extra("1.0")`.
    fn define_delegated(&mut self, name: &str, value: &Expression<'t>) {
        let call = value
            .chain()
            .and_then(|chain| chain.links.last())
            .filter(|link| is_extra(link.name))
            .and_then(|link| link.call.as_ref());
        if let Some(argument) = call.and_then(|arguments| arguments.first()) {
            self.define_extra(name.to_string(), &argument.value);
        }
    }

    /// Defines a property that the projects below see too.
    fn define_extra(&mut self, name: String, value: &Expression<'t>) {
        self.extras.insert(first_name(&name).to_string());
        self.define(name, value);
    }

    /// Defines a property. Of a map or a list, each entry becomes a property.
    fn define(&mut self, name: String, value: &Expression<'t>) {
        if let Some(value) = value.template() {
            // A property that refers to itself has no value: `val kotlinVersion = kotlinVersion`.
            if value.as_reference() != Some(&name) {
                let property = Property { value, is_extra: false };
                self.facts.properties.insert(name, property);
            }
            return;
        }
        let entries = match value {
            Expression::List(entries) => Some(entries),
            Expression::Chain(chain) => match &chain.links[..] {
                [ChainLink { name: "mapOf" | "mutableMapOf", call, .. }] => call.as_ref(),
                _ => None,
            },
            _ => None,
        };
        let Some(entries) = entries else {
            self.computed.insert(name);
            return;
        };
        for (index, entry) in entries.iter().enumerate() {
            let name = match &entry.name {
                Some(key) => format!("{name}.{key}"),
                None => element_name(&name, index),
            };
            self.define(name, &entry.value);
        }
    }

    /// Interprets `from(files("x.toml"))`, `version("a", "1.0")` or `library("a",
    /// "group:name:1.0")` in a catalog.
    fn read_catalog_entry(&mut self, chain: &Chain<'t>, index: usize) {
        let catalog = &mut self.facts.settings.catalogs[index];
        let first = &chain.links[0];
        let arguments = first.call.as_deref().unwrap_or_default();
        if first.name == "from" {
            catalog.file = arguments.first().and_then(|argument| path_of_file(&argument.value));
            return;
        }
        catalog.entries.add_declaration(chain);
    }

    /// Interprets `substitute(module("group:name")).using(project(":path"))` in an included build.
    fn read_substitution(&mut self, chain: &Chain<'t>, index: usize) {
        let argument_of = |name: &[&str]| {
            let link = chain.links.iter().find(|link| name.contains(&link.name))?;
            let argument = link.call.as_ref()?.first()?.value.chain()?;
            first_text(argument.links.last()?)
        };
        if let (Some(module), Some(project)) =
            (argument_of(&["substitute"]), argument_of(&["using", "with"]))
        {
            let build = &mut self.facts.settings.builds[index];
            build.substitutions.push((module, project));
        }
    }
}

/// True for the names of the extra properties in Groovy and Kotlin.
pub fn is_extra(name: &str) -> bool {
    matches!(name, "ext" | "extra")
}

/// The literal text of the argument `path`, else of the first argument.
pub fn first_text(link: &ChainLink) -> Option<String> {
    let arguments = link.call.as_ref()?;
    let path = arguments.iter().find(|argument| argument.name.as_deref() == Some("path"));
    path.or(arguments.first())?.value.template()?.as_text()
}

/// The arguments that are texts, also those in lists.
fn collect_texts(arguments: &[Argument]) -> Vec<Template> {
    let mut texts = Vec::new();
    for argument in arguments {
        let list = match &argument.value {
            Expression::List(inner) => inner,
            Expression::Chain(chain) if matches!(chain.links[0].name, "listOf" | "arrayOf") => {
                chain.links[0].call.as_deref().unwrap_or_default()
            }
            _ => std::slice::from_ref(argument),
        };
        texts.extend(list.iter().filter_map(|it| it.value.template()));
    }
    texts
}

/// The path in `file("x")`, `files("x")`, `new File(rootDir, "x")`, `rootDir.resolve("x")` or a
/// plain text. The root's and the script's directory are treated as one.
fn path_of_file(value: &Expression) -> Option<Template> {
    if let Some(template) = value.template() {
        return Some(template);
    }
    let link =
        value.chain()?.links.iter().rev().find(|link| {
            matches!(link.name, "file" | "files" | "File" | "resolve" | "dir" | "uri")
        })?;
    link.call.as_ref()?.last()?.value.template()
}
