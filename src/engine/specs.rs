//! The specs of a repository, always read from the disk; only search needs an index.
//!
//! Reading needs no index and is therefore never stale. Search needs vectors, which are stored.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::rules_from_settings::{self, code_rules};
use super::{Engine, EngineError, Target};
use crate::config::{Config, ConfigError};
use crate::indexing::IndexError;
use kenning_embed::{EmbedError, Embedder, Purpose};
use kenning_knowledge::SpecBuildError;
use kenning_knowledge::spec_build::{
    self, ReadRules, SpecBuild, SpecLayout, SpecTree, StampedSpec,
};
use kenning_knowledge::spec_index_file::{SpecFile, SpecIndex};
use kenning_knowledge::specs::{SpecSearch, find_requirement, nearest, snippet};
use kenning_model::BuildMode;
use kenning_model::{Change, Problem, Progress, RepoPath};
use kenning_packages::database::DatabaseVersion;
use kenning_source as source;
use kenning_store::StoreError;
use kenning_text::case_folding;

pub use kenning_knowledge::spec_build::SpecReport;

/// The specs that a query is about.
///
/// It borrows the engine and holds no contents: each call reads the files again.
pub struct Specs<'a> {
    engine: &'a Engine,
    root: PathBuf,
    layout: SpecLayout,
}

/// The answer of a spec search.
///
/// The hits come from the index, and the staleness says how far it is behind the disk.
pub struct SpecSearchAnswer {
    pub hits: Vec<RequirementHit>,
    pub staleness: Staleness,
}

/// One requirement that matches.
pub struct RequirementHit {
    pub spec_id: String,
    pub requirement: String,
    /// The best scenario, if it matches better than the requirement.
    pub scenario: Option<String>,
    pub score: f32,
    pub snippet: String,
    pub path: String,
    pub line: u32,
}

/// The differences between the specs on the disk and the indexed ones, by id.
#[derive(Default)]
pub struct Staleness {
    pub indexed_at: String,
    pub changed: Vec<String>,
    pub added: Vec<String>,
    pub removed: Vec<String>,
    /// Specs that still exist, but are not readable now.
    pub unreadable: Vec<String>,
}

impl Staleness {
    /// True if the index and the disk differ in any way.
    pub fn is_stale(&self) -> bool {
        let lists = [&self.changed, &self.added, &self.removed, &self.unreadable];
        lists.iter().any(|list| !list.is_empty())
    }
}

/// The pauses between attempts to read a spec that is being replaced.
const REPLACEMENT_PAUSES: [Duration; 4] = [
    Duration::from_millis(10),
    Duration::from_millis(30),
    Duration::from_millis(90),
    Duration::from_millis(270),
];

/// A change that is at most this old may still be in progress.
const RECENT: Duration = Duration::from_secs(2);

impl<'a> Specs<'a> {
    /// Returns the specs of the configured root, even if it has none. An index run never guesses.
    pub fn at_configured_root(engine: &'a Engine) -> Result<Specs<'a>, EngineError> {
        Ok(Specs {
            engine,
            root: engine.config.root().to_path_buf(),
            layout: spec_layout(&engine.config)?,
        })
    }

    /// Returns the specs of the repository that a configuration is for.
    pub(super) fn for_config(
        engine: &'a Engine,
        config: &Config,
    ) -> Result<Specs<'a>, EngineError> {
        Ok(Specs { engine, root: config.root().to_path_buf(), layout: spec_layout(config)? })
    }

    /// Returns the specs of `--root`, else of the working directory if it has some, else of the
    /// only indexed root.
    pub fn for_query(engine: &'a Engine) -> Result<Specs<'a>, EngineError> {
        let here = Specs::at_configured_root(engine)?;
        // A repository that vanished has lost its specs; it does not lack them.
        source::check_directory(&here.root).map_err(|source| {
            EngineError::Index(IndexError::Root { path: here.root.clone(), source })
        })?;
        let is_named = !matches!(engine.target, Target::Nearest(_));
        if is_named
            || !engine.can_use_only_index()
            || !here.layout.find_specs(&here.root).0.is_empty()
        {
            return Ok(here);
        }
        let collections = engine.collections().map(|all| all.all());
        Ok(match collections.unwrap_or_default().as_slice() {
            // That repository's own layout settings apply, not those of this folder.
            [only] if only.has_specs() => {
                return Specs::for_config(engine, &engine.config.for_root(&only.root)?);
            }
            _ => here,
        })
    }

    /// Returns the repository of the specs.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Reads every spec, by id, with the problems.
    pub fn parse_all_specs(&self) -> SpecTree {
        spec_build::parse_all_specs(&self.root, &self.layout, &self.read_rules())
    }

    /// Finds the spec of that id: exactly, else ignoring case.
    ///
    /// Only the file of that spec is read. The error suggests similar ids. While a checkout or an
    /// editor replaces the file, it may be missing or empty for a moment. A failure is then
    /// retried.
    pub fn get_spec_by_id(&self, id: &str) -> Result<StampedSpec, EngineError> {
        let mut pauses = REPLACEMENT_PAUSES.iter();
        loop {
            let found = self.find_spec_by_id(id);
            match pauses.next() {
                Some(pause) if found.is_err() && self.is_tree_changing() => {
                    std::thread::sleep(*pause);
                }
                _ => return found,
            }
        }
    }

    /// True if git or an editor changed something around the specs a moment ago.
    fn is_tree_changing(&self) -> bool {
        let folders = self.layout.folders().iter().map(|folder| self.root.join(folder.as_str()));
        let all = folders.chain([self.root.join(".git")]);
        all.into_iter().any(|folder| source::has_recent_change(&folder, RECENT))
    }

    fn find_spec_by_id(&self, id: &str) -> Result<StampedSpec, EngineError> {
        let (found, _) = self.layout.find_specs(&self.root);
        let ids = || found.iter().map(|found| found.id.as_str());
        let position = ids()
            .position(|known| known == id)
            .or_else(|| ids().position(|known| case_folding::is_equal(known, id)));
        let Some(position) = position else {
            return Err(EngineError::SpecNotFound {
                id: id.to_string(),
                nearest: to_strings(nearest(id, ids())),
            });
        };
        let meant = &found[position..=position];
        let tree = spec_build::parse_specs(&self.root, meant, &self.read_rules());
        let read = tree.specs.into_iter().next();
        read.ok_or_else(|| EngineError::SpecUnreadable {
            problem: tree.problems.into_iter().next(),
        })
    }

    /// Reads every change that is not archived, by id, with the problems.
    pub fn parse_all_changes(&self) -> (Vec<Change>, Vec<Problem>) {
        let tree = spec_build::parse_all_changes(&self.root, &self.layout, &self.read_rules());
        (tree.changes, tree.problems)
    }

    /// Finds the change of that id, ignoring case. The error suggests similar ids.
    pub fn get_change_by_id(&self, id: &str) -> Result<Change, EngineError> {
        let (changes, _) = self.parse_all_changes();
        let ids: Vec<String> = changes.iter().map(|change| change.id.clone()).collect();
        let is_meant = |change: &Change| case_folding::is_equal(&change.id, id);
        let found = changes.into_iter().find(is_meant);
        found.ok_or_else(|| EngineError::ChangeNotFound {
            id: id.to_string(),
            nearest: to_strings(nearest(id, ids.iter().map(String::as_str))),
        })
    }

    /// Searches for requirements, best first. It needs the index.
    ///
    /// The query is embedded with the configured provider, which must be the one that built the
    /// index.
    pub fn search(
        &self,
        question: &str,
        limit: usize,
        progress: &dyn Progress,
    ) -> Result<SpecSearchAnswer, EngineError> {
        let search = self.load_index()?;
        let embedder = self.engine.embedder(None)?;
        check_model(&search.index, embedder.as_ref())?;
        let vectors =
            embedder.embed(&[question], Purpose::Query, progress).map_err(embedding_error)?;
        let hits = search.search(question, vectors.row(0), limit).into_iter().map(|hit| {
            let best = hit.scenario.unwrap_or(hit.requirement);
            RequirementHit {
                spec_id: best.spec_id.clone(),
                requirement: best.requirement.clone(),
                scenario: best.scenario.clone(),
                score: hit.score,
                snippet: snippet(&best.text, question),
                path: best.path.clone(),
                line: best.line,
            }
        });
        Ok(SpecSearchAnswer {
            hits: hits.collect(),
            staleness: compare_with_index(&search.index, &self.parse_all_specs()),
        })
    }

    /// Builds the search index, or brings it up to date.
    ///
    /// Only specs that changed are embedded again, unless `mode` asks for a fresh build.
    pub fn build_index(
        &self,
        mode: BuildMode,
        progress: &dyn Progress,
    ) -> Result<SpecReport, EngineError> {
        self.engine.check_breadth(&self.root)?;
        let collections = self.engine.collections().ok_or(EngineError::NoHome)?;
        let collection = collections.find_or_create(&self.root, None)?;
        let embedder = self.engine.embedder(None)?;
        let build = SpecBuild {
            root: &self.root,
            tree: &self.parse_all_specs(),
            embedder: embedder.as_ref(),
            index: &collection.specs_index(),
            mode,
            now: SystemTime::now(),
        };
        spec_build::build_spec_index(&build, progress).map_err(|error| match error {
            SpecBuildError::Embed(source) => embedding_error(source),
            other => IndexError::from(other).into(),
        })
    }

    /// Brings an index that exists up to date, if the provider is local. Others cost time or money,
    /// so the answer reports what is stale instead.
    ///
    /// A failure is logged: the search then answers from what is stored and reports what is stale.
    pub(super) fn refresh_index(&self, progress: &dyn Progress) {
        if self.engine.refresh_limit().is_zero() {
            return;
        }
        let is_indexed = self.index_path().is_some_and(|path| path.is_file());
        let is_wanted = is_indexed || self.engine.indexes_on_demand() && self.are_worth_indexing();
        let is_local = || self.engine.embedder(None).is_ok_and(|embedder| embedder.is_local());
        if is_wanted
            && is_local()
            && let Err(error) = self.build_index(BuildMode::Incremental, progress)
        {
            tracing::warn!("updating the index of the specs: {error}");
        }
    }

    /// True if the repository has specs.
    pub fn has_any(&self) -> bool {
        !self.layout.find_specs(&self.root).0.is_empty()
    }

    /// True if there is anything to index, or an index to bring up to date.
    pub fn are_worth_indexing(&self) -> bool {
        let index = self.index_path();
        !self.layout.find_specs(&self.root).0.is_empty() || index.is_some_and(|path| path.is_file())
    }

    /// Loads the index, or returns it from the cache if the file is the same. The error says if
    /// there is anything to index.
    fn load_index(&self) -> Result<Arc<SpecSearch>, EngineError> {
        let missing = || {
            if self.layout.find_specs(&self.root).0.is_empty() {
                EngineError::NoSpecs
            } else {
                EngineError::NoSpecIndex { looked_at: self.root.clone() }
            }
        };
        let path = self.index_path().ok_or_else(missing)?;
        let version = DatabaseVersion::read(&path).ok_or_else(missing)?;
        self.engine.specs.get_or_load(path, version, |path| match SpecIndex::load(path) {
            Ok(index) => Ok(SpecSearch::new(index)),
            Err(StoreError::Missing { .. }) => Err(missing()),
            Err(error) => Err(EngineError::UnreadableSpecIndex(error)),
        })
    }

    /// Returns the path of the index; `None` if the repository has no collection.
    fn index_path(&self) -> Option<PathBuf> {
        let collection = self.engine.collections()?.find_by_root(&self.root)?;
        Some(collection.specs_index())
    }

    /// Specs obey the same size limit and secret rules as code.
    fn read_rules(&self) -> ReadRules {
        let rules = code_rules(&self.engine.config);
        ReadRules { max_bytes: rules.max_file_size, secrets: rules.secrets }
    }
}

fn to_strings(names: Vec<&str>) -> Vec<String> {
    names.into_iter().map(str::to_string).collect()
}

fn embedding_error(source: EmbedError) -> EngineError {
    EngineError::Embedding { source, available: Vec::new() }
}

/// Returns the layout of the spec folders. They must be inside the repository, because a spec's
/// address is a path below the root.
fn spec_layout(config: &Config) -> Result<SpecLayout, EngineError> {
    let folder = |key: &str| {
        let Some(path) = config.path(key) else {
            return Ok(None);
        };
        let inside = path_below(config.root(), &path);
        inside.map(Some).ok_or_else(|| ConfigError::Unreadable {
            origin: config.origin(key),
            message: format!("`{key}`: {} is not in the repository", path.display()),
        })
    };
    let layout = SpecLayout::new(folder("specs.folder")?, folder("specs.changes")?);
    Ok(layout.with_file_systems(rules_from_settings::file_systems(config)))
}

/// Returns the path relative to the root; `None` if it is not below it.
fn path_below(root: &Path, path: &Path) -> Option<RepoPath> {
    let relative = path.strip_prefix(root).ok()?;
    RepoPath::new(relative.to_str()?)
}

/// Checks that the same model made the index and the query's vector. Vectors of two models never
/// mix.
fn check_model(index: &SpecIndex, embedder: &dyn Embedder) -> Result<(), EngineError> {
    let (card, identity) = (&index.card, embedder.identity());
    let is_same = card.provider == identity.provider
        && card.model == identity.model
        && card.dimension == identity.dimension;
    if is_same {
        Ok(())
    } else {
        Err(EngineError::SpecModelMismatch {
            made: format!("{} {}", card.provider, card.model),
            wanted: format!("{} {}", identity.provider, identity.model),
        })
    }
}

/// A spec that vanished from the list but has a problem is unreadable, not removed.
fn compare_with_index(index: &SpecIndex, tree: &SpecTree) -> Staleness {
    let now: Vec<SpecFile> = tree.specs.iter().map(spec_build::stamp_file).collect();
    let named = |files: &[SpecFile], id: &str| files.iter().position(|file| file.id == id);
    let mut staleness =
        Staleness { indexed_at: index.card.indexed_at.clone(), ..Staleness::default() };
    for file in &now {
        match named(&index.files, &file.id) {
            None => staleness.added.push(file.id.clone()),
            Some(at) if index.files[at] != *file => staleness.changed.push(file.id.clone()),
            Some(_) => {}
        }
    }
    let gone = index.files.iter().filter(|file| named(&now, &file.id).is_none());
    for file in gone {
        let mut problems = tree.problems.iter();
        if problems.any(|problem| problem.path.as_str() == file.path) {
            staleness.unreadable.push(file.id.clone())
        } else {
            staleness.removed.push(file.id.clone())
        }
    }
    staleness
}

/// Returns the lines of one requirement, as written.
///
/// The text includes the scenarios of the requirement; `None` if there is no such requirement.
pub fn requirement_text(stamped: &StampedSpec, name: &str) -> Option<String> {
    let requirement = find_requirement(&stamped.spec, name)?;
    let first = requirement.line.saturating_sub(1) as usize;
    let count = (requirement.last_line as usize).saturating_sub(first);
    let lines = stamped.text.lines().skip(first).take(count.max(1));
    Some(lines.collect::<Vec<_>>().join("\n"))
}
