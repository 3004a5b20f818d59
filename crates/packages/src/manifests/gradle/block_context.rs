//! The context of a statement in a build script: its block, its target projects, and the kind that
//! it gives to dependencies.

use super::ast::{Chain, ChainLink, TokenRange};
use super::dependency_notation::is_test;
use super::interpret_script::{GradleScriptParser, first_text, is_extra};
use super::script_facts::SectionTarget;
use kenning_model::DepKind;

/// The context of a statement.
#[derive(Clone, Default)]
pub struct BlockContext {
    /// The kind of block that contains the statement.
    pub place: BlockKind,
    /// The index of the section that the statement belongs to.
    pub section: usize,
    /// The kind that a runtime dependency gets in this block, such as dev in a test's source set.
    pub kind: Option<DepKind>,
}

/// The kind of a block. It decides how a call inside of it is interpreted.
#[derive(Clone, Default, PartialEq)]
pub enum BlockKind {
    /// Among the statements of a project, or of the settings.
    #[default]
    Project,
    /// A block that configures something else. It may still contain `dependencies`.
    Other,
    Dependencies,
    /// `ext { … }`: extra properties.
    Extra,
    SourceSets,
    /// `versionCatalogs { … }`.
    Catalogs,
    /// In the catalog of that index.
    Catalog(usize),
    /// In the block of the included build of that index.
    IncludedBuild(usize),
}

/// The number of calls before a block that may matter to it. It bounds the cost of long chains.
const MAX_CALLS_BEFORE: usize = 8;

/// Blocks whose dependencies are not those of the project, such as constraints and the published
/// POM.
const FOREIGN_BLOCKS: &[&str] = &[
    "components",
    "constraints",
    "dependencyManagement",
    "modules",
    "pom",
    "publishing",
    "resolutionStrategy",
];

impl<'t> GradleScriptParser<'_, 't> {
    /// Opens the blocks of a chain, each with the context that its call gives. `variable` is the
    /// name that the chain is assigned to: `val jvmTest by getting { … }`.
    pub fn open_blocks(
        &mut self,
        chain: &Chain<'t>,
        variable: &str,
        scope: &BlockContext,
        inner: &mut Vec<(TokenRange, BlockContext)>,
    ) {
        for (index, link) in chain.links.iter().enumerate() {
            let is_foreign = FOREIGN_BLOCKS.contains(&link.name);
            let Some(block) = link.block.clone().filter(|_| !is_foreign) else {
                continue;
            };
            let before = &chain.links[index.saturating_sub(MAX_CALLS_BEFORE)..index];
            if let Some(scope) = self.block_scope(link, before, variable, scope) {
                inner.push((block, scope));
            }
        }
    }

    /// Returns the context of a call's block; `None` if nothing in it matters.
    fn block_scope(
        &mut self,
        link: &ChainLink<'t>,
        before: &[ChainLink<'t>],
        variable: &str,
        outer: &BlockContext,
    ) -> Option<BlockContext> {
        let mut scope = outer.clone();
        match (link.name, &outer.place) {
            (_, BlockKind::SourceSets) | ("dependencies", _) => {
                let argument = first_text(link).unwrap_or_default();
                let before = before.iter().map(|link| link.name);
                let mut names = before.chain([variable, &argument, link.name]);
                if names.any(is_test) {
                    scope.kind = Some(DepKind::Dev);
                }
                scope.place = match link.name {
                    "dependencies" => BlockKind::Dependencies,
                    _ => BlockKind::Other,
                };
            }
            // A declaration's own block was read with it; what else is there is a loop.
            (_, BlockKind::Dependencies) if before.is_empty() && link.call.is_some() => {
                return None;
            }
            (_, BlockKind::Dependencies | BlockKind::IncludedBuild(_)) => {}
            (_, BlockKind::Catalog(_)) => return None,
            (name, BlockKind::Catalogs) => {
                let name = first_text(link).unwrap_or_else(|| name.to_string());
                scope.place = BlockKind::Catalog(self.catalog_index(name));
            }
            (_, BlockKind::Project | BlockKind::Other | BlockKind::Extra) => {
                self.enter_block(&mut scope, link, before)?;
            }
        }
        Some(scope)
    }

    /// Changes the context to that of a block among the statements of a project or of the settings.
    fn enter_block(
        &mut self,
        scope: &mut BlockContext,
        link: &ChainLink<'t>,
        before: &[ChainLink<'t>],
    ) -> Option<()> {
        let owner = before.last().map_or("", |link| link.name);
        match link.name {
            "buildscript" => scope.kind = Some(DepKind::Build),
            "ext" | "extra" => scope.place = BlockKind::Extra,
            "apply" | "with" if is_extra(owner) => scope.place = BlockKind::Extra,
            "sourceSets" => scope.place = BlockKind::SourceSets,
            "testing" => {
                scope.kind = Some(DepKind::Dev);
                scope.place = BlockKind::Other;
            }
            "versionCatalogs" => scope.place = BlockKind::Catalogs,
            "create" if owner == "versionCatalogs" => {
                scope.place = BlockKind::Catalog(self.catalog_index(first_text(link)?));
            }
            "includeBuild" => {
                let last = self.facts.settings.builds.len().checked_sub(1)?;
                scope.place = BlockKind::IncludedBuild(last);
            }
            _ => match block_target(link, before) {
                Some(target) => scope.section = self.section_index(target),
                None => scope.place = BlockKind::Other,
            },
        }
        Some(())
    }
}

/// Returns the projects that a block configures, if its call names any. A filtered selection of
/// projects is computed.
fn block_target(link: &ChainLink, before: &[ChainLink]) -> Option<SectionTarget> {
    let of_name = |name: &str| match name {
        "allprojects" => Some(SectionTarget::OwnAndBelow),
        "subprojects" => Some(SectionTarget::Below),
        _ => None,
    };
    let chosen = before.iter().find_map(|link| of_name(link.name));
    match (link.name, chosen) {
        ("each" | "forEach" | "configureEach" | "all", Some(target)) if before.len() == 1 => {
            Some(target)
        }
        (_, Some(_)) => Some(SectionTarget::Computed),
        ("project", None) => first_text(link).map(SectionTarget::Project),
        ("configure", None) => {
            let chain = link.call.as_ref()?.first()?.value.chain();
            let target = chain.and_then(|chain| match &chain.links[..] {
                [link] => of_name(link.name).or_else(|| block_target(link, &[])),
                _ => None,
            });
            Some(target.unwrap_or(SectionTarget::Computed))
        }
        (name, None) => of_name(name),
    }
}
