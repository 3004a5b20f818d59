//! One scan of all search paths of skills, compared with the previous snapshot. `knowledge` parses
//! the files; `search_paths` knows the folders. A scan never fails: what cannot be read becomes a
//! problem of the view.

use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::search_paths::{SkillSearchPath, find_search_paths};
use super::{SkillSecrets, SkillView, max_bytes};
use crate::config::Config;
use kenning_knowledge::docs::parse_skill;
use kenning_model::{Skill, SkillProblem};
use kenning_source::WatchTarget;
use kenning_source::skills::{FileError, SkillSource, find_skills, real_path};
use kenning_text::case_folding;

/// A skill that exists but cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenSkill {
    /// The names that a user may use: its folder, and the names from when it was readable.
    pub names: Vec<String>,
    pub problem: SkillProblem,
    /// The time when it was first found broken.
    since: Instant,
    /// The last valid version, kept during the grace period while its file may be being written.
    last: Option<Skill>,
}

/// The time for which a broken skill keeps its last version. An editor or a checkout may be writing
/// it, and a list that flickers helps nobody.
const GRACE: Duration = Duration::from_secs(5);

/// Scans all search paths. It reads every file, but parses only those whose text changed.
///
/// Unchanged skills share their text with the previous view, so a refresh allocates little.
pub fn scan_skills(config: &Config, before: &SkillView, now: Instant) -> SkillView {
    let found = find_search_paths(config);
    let secrets = SkillSecrets::from_config(config);
    let mut scan = Scan {
        before: PreviousScan::from_view(before),
        now,
        taken: HashSet::new(),
        view: SkillView {
            problems: found.problems,
            targets: found.targets,
            ..SkillView::default()
        },
    };
    // A folder that a link reaches a second time is the same skill, unless another plugin gives it
    // another name.
    let mut visited: HashMap<Option<&str>, HashSet<_>> = HashMap::new();
    for place in &found.paths {
        let visited = visited.entry(place.plugin.as_deref()).or_default();
        let boundary = place.boundary(config);
        let limit = max_bytes(config);
        let below = find_skills(&place.root, place.kind, limit, boundary, visited);
        let view = &mut scan.view;
        view.folders += usize::from(place.root.is_dir());
        view.problems.extend(below.problems);
        view.targets.push(WatchTarget::tree(real_path(&place.root)));
        view.targets.extend(below.linked.into_iter().map(WatchTarget::tree));
        let files = below.linked_files.into_iter();
        view.targets.extend(files.map(WatchTarget::folder));
        for source in below.skills {
            let text = || Ok::<_, FileError>(source.text.as_bytes());
            match secrets.find_secret(&source.directory, &source.file_name, text) {
                None => scan.parse_source(place, source),
                Some(secret) => {
                    let path = source.directory.join(&source.file_name);
                    let message = format!("{secret}; it is not loaded");
                    scan.add_broken(place, SkillProblem::new(path, message));
                }
            }
        }
        for problem in below.unread {
            scan.add_broken(place, problem);
        }
    }
    finish_view(scan.view, before)
}

/// Sorts everything, and keeps the rankers if the skills are the same.
fn finish_view(mut view: SkillView, before: &SkillView) -> SkillView {
    view.skills.sort_by_cached_key(|skill| {
        (skill.tier, case_folding::fold(&skill.full_name), skill.full_name.clone())
    });
    view.problems.sort();
    view.problems.dedup();
    view.targets.sort();
    view.targets.dedup();
    if view.skills == before.skills {
        view.rankers = Arc::clone(&before.rankers);
    }
    view
}

/// The previous snapshot, by folder.
struct PreviousScan<'b> {
    skills: HashMap<&'b Path, &'b Skill>,
    broken: HashMap<&'b Path, &'b BrokenSkill>,
    /// Folders with problems, which must be reported in each scan.
    flawed: HashSet<&'b Path>,
}

impl<'b> PreviousScan<'b> {
    /// Indexes a view by folder. The folder identifies a skill, because its name may change.
    fn from_view(view: &'b SkillView) -> PreviousScan<'b> {
        let skills = view.skills.iter().chain(&view.shadowed);
        let broken = view.broken.iter();
        let problems = view.problems.iter();
        PreviousScan {
            skills: skills.map(|skill| (&*skill.directory, skill)).collect(),
            broken: broken
                .filter_map(|broken| Some((broken.problem.path.parent()?, broken)))
                .collect(),
            flawed: problems.filter_map(|problem| problem.path.parent()).collect(),
        }
    }
}

/// The state of one scan.
struct Scan<'b> {
    before: PreviousScan<'b>,
    now: Instant,
    /// The names in lower case that are taken. The first skill of a name stays; later ones are
    /// shadowed.
    taken: HashSet<String>,
    view: SkillView,
}

impl Scan<'_> {
    /// Adds a skill, as shadowed if its name is taken. Names are compared ignoring case.
    fn add_skill(&mut self, skill: Skill) {
        if self.taken.insert(case_folding::fold(&skill.full_name)) {
            self.view.skills.push(skill)
        } else {
            self.view.shadowed.push(skill)
        }
    }

    /// Parses a skill, or reuses the previous one if the text is the same. A flawed one is parsed
    /// again, to report its flaw again.
    fn parse_source(&mut self, place: &SkillSearchPath, source: SkillSource) {
        let directory = source.directory.as_path();
        let previous = self.before.skills.get(directory).copied();
        let is_flawed = self.before.flawed.contains(directory);
        let known = previous.filter(|known| !is_flawed && *known.content == *source.text);
        let (name, description, content) = match known {
            Some(known) => {
                let (name, description) = (known.name.clone(), known.description.clone());
                (name, description, known.content.clone())
            }
            None => {
                let path = source.directory.join(&source.file_name);
                let problem = |message: String| SkillProblem::new(path, message);
                // Parsing should not panic. If it does, the other skills are still loaded.
                let outcome = catch_unwind(AssertUnwindSafe(|| parse_skill(&source.text)));
                let Ok(outcome) = outcome else {
                    let message = "reading it failed; this is a mistake in Kenning";
                    return self.add_broken(place, problem(message.to_string()));
                };
                let parsed = match outcome {
                    Ok(parsed) => parsed,
                    Err(fault) => {
                        let problem = problem(fault.message).at_line(fault.line);
                        return self.add_broken(place, problem);
                    }
                };
                if let Some(flaw) = parsed.yaml_error {
                    let message = format!("{}; it was read line by line", flaw.message);
                    self.view.problems.push(problem(message).at_line(flaw.line));
                }
                (parsed.name, parsed.description, source.text.into())
            }
        };
        self.add_skill(Skill {
            full_name: place.full_name(&name),
            name,
            description,
            tier: place.tier,
            directory: source.directory,
            file_name: source.file_name,
            content,
        });
    }

    /// Reports a skill that cannot be loaded, and keeps its last version for the grace period.
    ///
    /// The names from before it broke stay known, so that a request for one gets the reason instead
    /// of "not found".
    fn add_broken(&mut self, place: &SkillSearchPath, problem: SkillProblem) {
        self.view.problems.push(problem.clone());
        let Some(directory) = problem.path.parent() else {
            return;
        };
        let earlier = self.before.broken.get(directory).copied();
        let previous = match (self.before.skills.get(directory), earlier) {
            (Some(skill), _) => Some((*skill).clone()),
            (None, Some(broken)) => broken.last.clone(),
            (None, None) => None,
        };
        let mut names: Vec<String> = earlier.map_or_else(Vec::new, |broken| broken.names.clone());
        let folder = directory.file_name().unwrap_or_default().to_string_lossy();
        names.extend([place.full_name(&folder), folder.into_owned()]);
        if let Some(previous) = &previous {
            names.extend([previous.full_name.clone(), previous.name.clone()]);
        }
        names.sort();
        names.dedup();
        let since = earlier.map_or(self.now, |broken| broken.since);
        let last = previous.filter(|_| self.now.saturating_duration_since(since) < GRACE);
        if let Some(last) = &last {
            self.add_skill(last.clone());
        }
        self.view.broken.push(BrokenSkill { names, problem, since, last });
    }
}
