//! The skills of this repository, this user and their plugins, as one snapshot. Requests keep their
//! snapshot while the next is built. The crate `knowledge` resolves names to skills.
//!
//! Skills are read from disk and never from a database. A refresh replaces the snapshot as a whole;
//! nobody sees half of one.

mod scan;
mod search_paths;
mod watch;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, RwLock};
use std::time::Instant;

use super::{Engine, EngineError, rules_from_settings};
use crate::config::Config;
use kenning_embed::{self as embed, Embedder};
use kenning_knowledge::docs::{SkillFinding, check_skill, parse_frontmatter};
use kenning_knowledge::skills::{
    RankedSkill, SkillRanker, SkillVectors, blend_scores, rank_scores,
};
use kenning_model::{RepoPath, Skill, SkillProblem};
use kenning_secrets::{SecretKind, SecretRules};
use kenning_source::WatchTarget;
use kenning_source::skills::{
    FileError, RootKind, SkillFile, SkillSource, find_skills, list_skill_files, read_skill_file,
    real_path,
};
pub use scan::BrokenSkill;
use scan::scan_skills;
use search_paths::find_search_paths;
pub use watch::SkillWatch;

/// A snapshot of the skills. A request keeps the one that it started with.
#[derive(Debug, Default)]
pub struct SkillView {
    /// The skills by tier, then by name.
    pub skills: Vec<Skill>,
    /// Skills hidden by another of the same name.
    pub shadowed: Vec<Skill>,
    pub problems: Vec<SkillProblem>,
    /// Skills whose file cannot be loaded now.
    pub broken: Vec<BrokenSkill>,
    /// The number of skill folders that exist.
    pub folders: usize,
    targets: Vec<WatchTarget>,
    /// The rankers, shared with the previous snapshot as long as the skills are the same.
    rankers: Arc<SkillRankers>,
}

/// The rankers, built on the first query.
#[derive(Debug, Default)]
struct SkillRankers {
    words: OnceLock<SkillRanker>,
    meaning: OnceLock<Option<SkillVectors>>,
}

/// The rules for secret files in skills. Paths that the user admits are relative to the repository,
/// or to the skill's folder if that is elsewhere.
struct SkillSecrets<'c> {
    root: &'c Path,
    rules: SecretRules,
}

impl SkillSecrets<'_> {
    /// Reads the globs that the user admits.
    fn from_config(config: &Config) -> SkillSecrets<'_> {
        let rules = SecretRules::new(&config.list("index.secrets"));
        SkillSecrets { root: config.root(), rules }
    }

    /// Returns the secret in a file of a skill. It reads the file only if the name does not decide.
    fn find_secret<B: AsRef<[u8]>, E>(
        &self,
        directory: &Path,
        path: &str,
        read: impl FnOnce() -> Result<B, E>,
    ) -> Option<SecretKind> {
        let whole = directory.join(path);
        let below = whole.strip_prefix(self.root).unwrap_or(Path::new(path));
        let path = RepoPath::new(&below.to_string_lossy())?;
        let by_name = self.rules.by_name(&path);
        by_name.or_else(|| {
            let bytes = read().ok()?;
            self.rules.by_content(&path, &String::from_utf8_lossy(bytes.as_ref()))
        })
    }
}

/// The method for ranking skills.
///
/// `Both` blends words and vectors. Without the model, all three rank by words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranking {
    Words,
    Meaning,
    Both,
}

/// The current snapshot.
#[derive(Default)]
pub struct SkillRegistry {
    current: RwLock<Option<Arc<SkillView>>>,
    /// The lock that is held while a snapshot is built, so that an older one never replaces a newer
    /// one.
    building: Mutex<()>,
    /// The static model, opened on the first query.
    embedder: OnceLock<Option<Box<dyn Embedder>>>,
}

/// A SKILL.md with its lint findings.
#[derive(Debug)]
pub struct CheckedSkill {
    pub path: PathBuf,
    pub findings: Vec<SkillFinding>,
}

impl Engine {
    /// Returns the current snapshot. It waits only for the first scan, never for a refresh.
    ///
    /// The second check under the lock avoids a second scan, if two requests come first at once.
    pub fn skills(&self) -> Arc<SkillView> {
        if let Some(view) = self.current_skills() {
            return view;
        }
        let building = self.skills.building.lock().expect("no holder panics");
        match self.current_skills() {
            Some(view) => view,
            None => {
                let scanned = scan_skills(&self.config, &SkillView::default(), Instant::now());
                let view = Arc::new(scanned);
                self.publish_skills(view.clone());
                drop(building);
                view
            }
        }
    }

    /// Scans again. Returns the previous snapshot, if there was one, and the new one.
    pub fn refresh_skills(&self) -> (Option<Arc<SkillView>>, Arc<SkillView>) {
        self.refresh_skills_at(Instant::now())
    }

    /// The time is a parameter, so that tests control the grace period of broken skills.
    fn refresh_skills_at(&self, time: Instant) -> (Option<Arc<SkillView>>, Arc<SkillView>) {
        let _building = self.skills.building.lock().expect("no holder panics");
        let before = self.current_skills();
        let now = Arc::new(match &before {
            Some(before) => scan_skills(&self.config, before, time),
            None => scan_skills(&self.config, &SkillView::default(), time),
        });
        self.publish_skills(now.clone());
        (before, now)
    }

    /// Returns the published snapshot; `None` before the first scan.
    fn current_skills(&self) -> Option<Arc<SkillView>> {
        self.skills.current.read().expect("no holder panics").clone()
    }

    /// Publishes a snapshot, and logs each new problem once.
    fn publish_skills(&self, view: Arc<SkillView>) {
        let mut current = self.skills.current.write().expect("no holder panics");
        let known = current.replace(view.clone());
        drop(current);
        let is_known = |problem: &SkillProblem| {
            let known = known.as_ref();
            known.is_some_and(|known| known.problems.contains(problem))
        };
        for problem in view.problems.iter().filter(|problem| !is_known(problem)) {
            tracing::warn!("{problem}");
        }
    }

    /// Returns the files of a skill, sorted; if there are very many, the first of them.
    ///
    /// Secret files are left out. SKILL.md itself is always listed.
    pub fn skill_files(&self, skill: &Skill) -> Result<Vec<SkillFile>, EngineError> {
        let listed = list_skill_files(&skill.directory);
        let path = skill.directory.display().to_string();
        let mut files = listed.map_err(|source| FileError::Read { path, source })?;
        let secrets = SkillSecrets::from_config(&self.config);
        files.retain(|file| {
            let read = || read_skill_file(&skill.directory, &file.path, max_bytes(&self.config));
            file.path == skill.file_name
                || secrets.find_secret(&skill.directory, &file.path, read).is_none()
        });
        Ok(files)
    }

    /// Reads one file of a skill. SKILL.md itself comes from the snapshot, like its description.
    ///
    /// `limit` is in bytes. Paths that leave the folder of the skill are rejected by
    /// `read_skill_file`.
    pub fn skill_file(
        &self,
        skill: &Skill,
        path: &str,
        limit: u64,
    ) -> Result<Vec<u8>, EngineError> {
        // The usual name also finds a file whose name is in lower case.
        if path == skill.file_name || path == "SKILL.md" {
            return Ok(skill.content.as_bytes().to_vec());
        }
        let bytes = read_skill_file(&skill.directory, path, limit)?;
        let secrets = SkillSecrets::from_config(&self.config);
        match secrets.find_secret(&skill.directory, path, || Ok::<_, FileError>(bytes.as_slice())) {
            None => Ok(bytes),
            Some(secret) => {
                let (path, reason) = (path.to_string(), secret.to_string());
                Err(FileError::Withheld { path, reason }.into())
            }
        }
    }

    /// Returns every field of a skill's frontmatter.
    pub fn skill_frontmatter(&self, skill: &Skill) -> serde_json::Map<String, serde_json::Value> {
        parse_frontmatter(&skill.content)
    }

    /// Ranks the skills for a task, best first, by index in the view. The vectors come from the
    /// static model, whatever provider is configured. An answer takes milliseconds, and no skill
    /// leaves the machine.
    ///
    /// The rankers are built on the first query of a snapshot. Later snapshots share them while the
    /// skills are the same.
    pub fn rank_skills(&self, view: &SkillView, task: &str, ranking: Ranking) -> Vec<RankedSkill> {
        let words = || {
            let ranker = view.rankers.words.get_or_init(|| SkillRanker::new(&view.skills));
            ranker.scores(task)
        };
        let scores = match (ranking, self.semantic_scores(view, task)) {
            (Ranking::Words, _) | (_, None) => words(),
            (Ranking::Meaning, Some(meaning)) => meaning,
            (Ranking::Both, Some(meaning)) => blend_scores(&words(), &meaning),
        };
        rank_scores(&scores)
    }

    /// Returns a score per skill; `None` if the static model is not available.
    fn semantic_scores(&self, view: &SkillView, task: &str) -> Option<Vec<f32>> {
        let embedder = self
            .skills
            .embedder
            .get_or_init(|| {
                let opened = embed::open(embed::DEFAULT, &embed::ProviderSettings::default());
                opened
                    .inspect_err(|error| tracing::warn!("skills are ranked by words only: {error}"))
                    .ok()
            })
            .as_deref()?;
        let meaning =
            view.rankers.meaning.get_or_init(|| SkillVectors::new(embedder, &view.skills).ok());
        meaning.as_ref()?.scores(embedder, task).ok()
    }

    /// Lints the skills below `path`, or all.
    ///
    /// `path` may be a SKILL.md, its folder, or a tree. The second list holds files and folders
    /// that could not be read.
    pub fn check_skills(&self, path: Option<&Path>) -> (Vec<CheckedSkill>, Vec<SkillProblem>) {
        let limit = max_bytes(&self.config);
        let (roots, mut problems) = match path {
            Some(path) => {
                let path = self.config.working_directory().join(path);
                (vec![(path, RootKind::Tree, None)], Vec::new())
            }
            None => {
                let found = find_search_paths(&self.config);
                let roots = found.paths.into_iter().map(|place| {
                    let boundary = place.boundary(&self.config);
                    (place.root, place.kind, boundary)
                });
                (roots.collect(), found.problems)
            }
        };
        let mut checked = Vec::new();
        let mut visited = HashSet::new();
        for (root, kind, boundary) in roots {
            // The path may be the file itself or its folder.
            let is_file =
                root.file_name().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
            let root = root.parent().filter(|_| is_file).unwrap_or(&root);
            let found = find_skills(root, kind, limit, boundary, &mut visited);
            problems.extend(found.problems);
            problems.extend(found.unread);
            checked.extend(found.skills.iter().map(check_source));
        }
        (checked, problems)
    }
}

/// Lints one file. The name in it should equal the folder's name.
fn check_source(source: &SkillSource) -> CheckedSkill {
    let real_directory = real_path(&source.directory);
    let real_name = real_directory.file_name().unwrap_or_default().to_string_lossy();
    let linked_name = source.directory.file_name().unwrap_or_default().to_string_lossy();
    // A link gives the folder a second name; either is valid.
    let mut findings = check_skill(&linked_name, &source.text);
    if real_name != linked_name {
        let other = check_skill(&real_name, &source.text);
        if other.len() < findings.len() {
            findings = other;
        }
    }
    CheckedSkill { path: source.directory.join(&source.file_name), findings }
}

/// Returns the largest skill file that is read, in bytes.
fn max_bytes(config: &Config) -> u64 {
    rules_from_settings::max_file_size(config)
}

#[cfg(test)]
mod tests;
