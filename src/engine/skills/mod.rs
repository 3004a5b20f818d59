//! The skills of this repository, this user and their plugins, as one snapshot that requests keep
//! while the next is built aside. Which skill a name means, `query` decides.

mod places;
mod watch;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, RwLock};

use super::{Engine, EngineError};
use crate::config::Config;
use crate::embed::{self, Embedder};
use crate::extract::knowledge::{Finding, check_skill, frontmatter, parse_skill};
use crate::model::{Skill, SkillProblem};
use crate::query::skills::{Meaning, Ranked, Ranker, blend, ranked};
use crate::source::Target;
use crate::source::skills::{
    FileError, SkillFile, SkillSource, find_skills, list_skill_files, read_skill_file, real_path,
};
use places::{Place, places};
pub use watch::SkillWatch;

/// What was found at one moment. A request keeps the one that it began with.
#[derive(Debug, Default)]
pub struct SkillView {
    /// By tier, then by name.
    pub skills: Vec<Skill>,
    /// Skills that another of the same name stands before.
    pub shadowed: Vec<Skill>,
    pub problems: Vec<SkillProblem>,
    /// The folders that exist.
    pub folders: usize,
    targets: Vec<Target>,
    /// Made when the first question comes.
    ranker: OnceLock<Ranker>,
    meaning: OnceLock<Option<Meaning>>,
}

/// What suits a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranking {
    Words,
    Meaning,
    Both,
}

/// The current snapshot.
#[derive(Default)]
pub struct Shelf {
    current: RwLock<Option<Arc<SkillView>>>,
    /// Held while a snapshot is built, so that an older one never replaces a newer one.
    building: Mutex<()>,
    /// The model in the binary, opened with the first question.
    embedder: OnceLock<Option<Box<dyn Embedder>>>,
}

/// A SKILL.md with what the rules have to say of it.
#[derive(Debug)]
pub struct CheckedSkill {
    pub path: PathBuf,
    pub findings: Vec<Finding>,
}

impl Engine {
    /// The skills as they are known now: never waits for a refresh, only for the first look.
    pub fn skills(&self) -> Arc<SkillView> {
        if let Some(view) = self.known_skills() {
            return view;
        }
        let building = self.skills.building.lock().expect("no holder panics");
        match self.known_skills() {
            Some(view) => view,
            None => {
                let view = Arc::new(scan(&self.config, &SkillView::default()));
                self.publish(view.clone());
                drop(building);
                view
            }
        }
    }

    /// Looks again. The snapshot before, if there was one, and the one that took its place.
    pub fn refresh_skills(&self) -> (Option<Arc<SkillView>>, Arc<SkillView>) {
        let _building = self.skills.building.lock().expect("no holder panics");
        let before = self.known_skills();
        let now = match &before {
            Some(before) => scan(&self.config, before),
            None => scan(&self.config, &SkillView::default()),
        };
        let now = Arc::new(now);
        self.publish(now.clone());
        (before, now)
    }

    fn known_skills(&self) -> Option<Arc<SkillView>> {
        self.skills
            .current
            .read()
            .expect("no holder panics")
            .clone()
    }

    /// Says what could not be read, once.
    fn publish(&self, view: Arc<SkillView>) {
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

    /// The files of a skill, sorted; if there are very many, the first of them.
    pub fn skill_files(&self, skill: &Skill) -> Result<Vec<SkillFile>, EngineError> {
        let listed = list_skill_files(&skill.directory);
        let path = skill.directory.display().to_string();
        listed.map_err(|source| FileError::Read { path, source }.into())
    }

    /// One file of a skill. The SKILL.md itself comes from the snapshot, like its description.
    pub fn skill_file(
        &self,
        skill: &Skill,
        path: &str,
        limit: u64,
    ) -> Result<Vec<u8>, EngineError> {
        if path == skill.file_name {
            return Ok(skill.content.as_bytes().to_vec());
        }
        Ok(read_skill_file(&skill.directory, path, limit)?)
    }

    /// Every field of a skill's frontmatter.
    pub fn skill_frontmatter(&self, skill: &Skill) -> serde_json::Map<String, serde_json::Value> {
        frontmatter(&skill.content)
    }

    /// The skills that suit a task, the best first, by their place in the view. Meaning comes from
    /// the model in the binary, whatever is configured for indexes: an answer takes milliseconds
    /// and no skill leaves the machine.
    pub fn rank_skills(&self, view: &SkillView, task: &str, ranking: Ranking) -> Vec<Ranked> {
        let words = || {
            let ranker = view.ranker.get_or_init(|| Ranker::new(&view.skills));
            ranker.scores(task)
        };
        let scores = match (ranking, self.skill_meaning(view, task)) {
            (Ranking::Words, _) | (_, None) => words(),
            (Ranking::Meaning, Some(meaning)) => meaning,
            (Ranking::Both, Some(meaning)) => blend(&words(), &meaning),
        };
        ranked(&scores)
    }

    fn skill_meaning(&self, view: &SkillView, task: &str) -> Option<Vec<f32>> {
        let embedder = self.skills.embedder.get_or_init(|| {
            let opened = embed::open(embed::DEFAULT, &embed::Settings::default());
            opened
                .inspect_err(|error| tracing::warn!("skills are ranked by words only: {error}"))
                .ok()
        });
        let embedder = embedder.as_deref()?;
        let meaning = view
            .meaning
            .get_or_init(|| Meaning::new(embedder, &view.skills).ok());
        meaning.as_ref()?.scores(embedder, task).ok()
    }

    /// Holds skills to the rules: those below `path`, or all that there are.
    pub fn check_skills(&self, path: Option<&Path>) -> (Vec<CheckedSkill>, Vec<SkillProblem>) {
        let limit = max_bytes(&self.config);
        let (roots, mut problems) = match path {
            Some(path) => (vec![self.config.working_directory().join(path)], Vec::new()),
            None => {
                let found = places(&self.config);
                let roots = found.places.into_iter().map(|place| place.root);
                (roots.collect(), found.problems)
            }
        };
        let mut checked = Vec::new();
        for root in roots {
            // The file itself may be named as well as its folder.
            let is_file = root
                .file_name()
                .is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
            let root = root.parent().filter(|_| is_file).unwrap_or(&root);
            let found = find_skills(root, limit);
            problems.extend(found.problems);
            checked.extend(found.skills.iter().map(check));
        }
        (checked, problems)
    }
}

fn check(source: &SkillSource) -> CheckedSkill {
    let folder = real_path(&source.directory);
    let folder = folder.file_name().unwrap_or_default().to_string_lossy();
    let linked = source
        .directory
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    // A link gives the folder a second name; either will do.
    let findings = check_skill(&linked, &source.text);
    let findings = match folder == linked {
        true => findings,
        false => {
            let other = check_skill(&folder, &source.text);
            if other.len() < findings.len() {
                other
            } else {
                findings
            }
        }
    };
    CheckedSkill {
        path: source.directory.join(&source.file_name),
        findings,
    }
}

fn max_bytes(config: &Config) -> u64 {
    config.number("index.max_file_size").unwrap_or(1 << 20)
}

/// Looks at every place there is. Every file is read, but one that says what it said before is not
/// understood anew.
fn scan(config: &Config, before: &SkillView) -> SkillView {
    let known = before.skills.iter().chain(&before.shadowed);
    // A flaw has to be told each time.
    let is_flawed = |skill: &&Skill| {
        let mut problems = before.problems.iter();
        problems.any(|problem| problem.path.starts_with(&skill.directory))
    };
    let known = known.filter(|skill| !is_flawed(skill));
    let known = known.map(|skill| (skill.directory.as_path(), skill));
    let known: HashMap<&Path, &Skill> = known.collect();
    let limit = max_bytes(config);
    let found = places(config);
    let mut view = SkillView {
        problems: found.problems,
        targets: found.targets,
        ..SkillView::default()
    };
    // Whoever comes first under a name stays; names differ by more than case.
    let mut taken = HashSet::new();
    for place in &found.places {
        let below = find_skills(&place.root, limit);
        view.folders += usize::from(place.root.is_dir());
        view.problems.extend(below.problems);
        view.targets.push(Target::tree(real_path(&place.root)));
        view.targets
            .extend(below.linked.into_iter().map(Target::tree));
        for source in below.skills {
            let known = known.get(source.directory.as_path()).copied();
            let known = known.filter(|known| *known.content == *source.text);
            let understood = understand(place, source, known, &mut view.problems);
            if let Some(skill) = understood {
                match taken.insert(skill.full_name.to_lowercase()) {
                    true => view.skills.push(skill),
                    false => view.shadowed.push(skill),
                }
            }
        }
    }
    view.skills.sort_by_cached_key(|skill| {
        (
            skill.tier,
            skill.full_name.to_lowercase(),
            skill.full_name.clone(),
        )
    });
    view.problems.sort();
    view.problems.dedup();
    view.targets.sort();
    view.targets.dedup();
    view
}

fn understand(
    place: &Place,
    source: SkillSource,
    known: Option<&Skill>,
    problems: &mut Vec<SkillProblem>,
) -> Option<Skill> {
    let (name, description, content) = match known {
        Some(known) => {
            let (name, description) = (known.name.clone(), known.description.clone());
            (name, description, known.content.clone())
        }
        None => {
            let path = source.directory.join(&source.file_name);
            let parsed = match parse_skill(&source.text) {
                Ok(parsed) => parsed,
                Err(fault) => {
                    problems.push(SkillProblem::new(path, fault.message).at_line(fault.line));
                    return None;
                }
            };
            if let Some(flaw) = parsed.flaw {
                let message = format!("{}; it was read line by line", flaw.message);
                problems.push(SkillProblem::new(path, message).at_line(flaw.line));
            }
            (parsed.name, parsed.description, source.text.into())
        }
    };
    let full_name = match &place.plugin {
        Some(plugin) if !name.contains(':') => format!("{plugin}:{name}"),
        _ => name.clone(),
    };
    Some(Skill {
        name,
        full_name,
        description,
        tier: place.tier,
        directory: source.directory,
        file_name: source.file_name,
        content,
    })
}

#[cfg(test)]
mod tests;
