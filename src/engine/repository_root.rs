//! Roots: the repository that a question is about, and roots that nobody indexes by accident.
//!
//! The rule is strict on purpose: an answer about the wrong repository is worse than none. Broad
//! roots, such as a home directory, need the user's consent.

use std::collections::VecDeque;
use std::fmt;
use std::path::{Path, PathBuf};

use super::SHIRE_DATABASE;
use super::code_index::is_complete;
use crate::config::{Config, is_configured};
use kenning_packages::database::DatabaseVersion;
use kenning_source as source;
use kenning_store::code::Reader;
use kenning_store::{Collection, Collections};

/// The root of a question that names none, asked from within `config.root()`:
/// 1. the nearest git work tree around it (a linked worktree or submodule counts as one),
/// 2. without git, the nearest directory upwards that is indexed or configured,
/// 3. else that directory itself.
///
/// The index of a parent folder never answers for a repository below it.
pub fn enclosing_root(config: &Config) -> PathBuf {
    if let Some(work_tree) = source::toplevel(config.root()) {
        return work_tree;
    }
    let home = config.path("home");
    let collections = home.map(|home| Collections::in_home(&home).all()).unwrap_or_default();
    let is_known = |directory: &Path| {
        let is_indexed = collections
            .iter()
            .any(|collection| collection.root == directory && has_finished_index(collection));
        // An index of `/` or of a home directory answers only questions asked there.
        let is_inside = directory == config.root() || broad_location(directory, config).is_none();
        let is_root = is_indexed
            || is_configured(directory)
            || DatabaseVersion::read(&directory.join(SHIRE_DATABASE)).is_some();
        is_root && is_inside
    };
    let known = config.root().ancestors().find(|directory| is_known(directory));
    known.unwrap_or(config.root()).to_path_buf()
}

/// True if indexing completed. A question from a folder below must not resume an unfinished run.
fn has_finished_index(collection: &Collection) -> bool {
    let metadata = Reader::open(&collection.code_database())
        .and_then(|reader| reader.snapshot().and_then(|snapshot| snapshot.metadata()));
    metadata.is_ok_and(|metadata| is_complete(&metadata))
}

/// The reason why a root is far more than one project.
///
/// The display form completes a sentence whose subject is the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BroadRootReason {
    FileSystem,
    Home,
    /// A directory around the user's home directory.
    AboveHome,
    /// A folder that is no repository and holds several.
    ManyRepositories,
}

impl fmt::Display for BroadRootReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            BroadRootReason::FileSystem => "is the whole file system",
            BroadRootReason::Home => "is your home directory",
            BroadRootReason::AboveHome => "holds your home directory",
            BroadRootReason::ManyRepositories => "is a folder of several repositories",
        })
    }
}

/// Returns the reason if a root is far more than one project.
pub fn broad_root(root: &Path, config: &Config) -> Option<BroadRootReason> {
    let place = broad_location(root, config);
    place.or_else(|| holds_many_repositories(root).then_some(BroadRootReason::ManyRepositories))
}

/// Judges by the path alone, without listing anything.
fn broad_location(root: &Path, config: &Config) -> Option<BroadRootReason> {
    if root.parent().is_none() {
        return Some(BroadRootReason::FileSystem);
    }
    let configured_home = config.process_env().home_directory.as_ref()?;
    let home = source::real_path(configured_home).unwrap_or_else(|_| configured_home.clone());
    if home == root {
        Some(BroadRootReason::Home)
    } else {
        home.starts_with(root).then_some(BroadRootReason::AboveHome)
    }
}

/// Looks for git work trees in the first levels below a folder that is in none itself.
///
/// The search is breadth-first and bounded, so a huge folder costs little. If the bound ends it,
/// the folder counts as one project.
fn holds_many_repositories(root: &Path) -> bool {
    /// A front end and a back end side by side are one project to many.
    const MANY: usize = 3;
    /// As in `src/host/owner/repository`.
    const LEVELS: usize = 3;
    /// A folder with more is looked at in part: the check must not take longer than the question.
    const MOST_FOLDERS: usize = 2_000;
    if source::toplevel(root).is_some() {
        return false;
    }
    let mut found = 0;
    let mut open = VecDeque::from([(root.to_path_buf(), 0)]);
    let mut looked_at = 0;
    while let Some((folder, level)) = open.pop_front() {
        for below in source::list_directories(&folder) {
            looked_at += 1;
            if source::is_work_tree(&below) {
                found += 1;
            } else if level + 1 < LEVELS {
                open.push_back((below, level + 1));
            }
            if found >= MANY || looked_at >= MOST_FOLDERS {
                return found >= MANY;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ProcessEnv;
    use crate::engine::{Engine, IndexRequest, Target};
    use kenning_model::Silent;

    struct Place {
        directory: tempfile::TempDir,
    }

    impl Place {
        fn new(repositories: &[&str]) -> Place {
            let place = Place { directory: tempfile::tempdir().unwrap() };
            for path in repositories {
                let git = place.path(path).join(".git");
                std::fs::create_dir_all(&git).unwrap();
                std::fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
            }
            place
        }

        fn path(&self, path: &str) -> PathBuf {
            self.directory.path().canonicalize().unwrap().join(path)
        }

        fn config(&self, path: &str) -> Config {
            std::fs::create_dir_all(self.path(path)).unwrap();
            let process_env = ProcessEnv {
                data_directory: Some(self.path("data")),
                home_directory: Some(self.path("home/me")),
                ..ProcessEnv::default()
            };
            Config::load(&self.path(path), &[], &process_env).unwrap()
        }

        fn index(&self, path: &str) {
            let root = self.path(path);
            let engine = Engine::new(self.config(path), Target::Root(root.clone()));
            engine.allow_root(&root);
            engine.index(&IndexRequest::update(&root), &Silent).unwrap();
        }

        /// Leaves behind what a run leaves that was stopped before it stored anything.
        fn begin_index(&self, path: &str) {
            std::fs::create_dir_all(self.path(path)).unwrap();
            Collections::in_home(&self.path("data"))
                .find_or_create(&self.path(path), None)
                .unwrap();
        }

        fn check(&self, from: &str, expected: &str) {
            assert_eq!(enclosing_root(&self.config(from)), self.path(expected), "from {from}");
        }

        fn broad(&self, path: &str) -> Option<BroadRootReason> {
            std::fs::create_dir_all(self.path(path)).unwrap();
            broad_root(&self.path(path), &self.config("elsewhere"))
        }
    }

    #[test]
    fn the_nearest_work_tree_is_the_root() {
        let place = Place::new(&["home/me/src/app", "home/me/src/app/vendored/library"]);
        place.index("home/me/src");
        place.index("home/me/src/app/packages");
        place.check("home/me/src/app", "home/me/src/app");
        place.check("home/me/src/app/packages/web", "home/me/src/app");
        place.check("home/me/src/app/vendored/library/x", "home/me/src/app/vendored/library");
        place.check("home/me/src/plain", "home/me/src");
    }

    #[test]
    fn without_git_the_nearest_indexed_or_configured_folder_is_the_root() {
        let place = Place::new(&[]);
        place.index("work/indexed");
        place.check("work/indexed/a/b", "work/indexed");
        place.begin_index("work/begun");
        place.check("work/begun/a", "work/begun/a");
        place.check("work/other/a", "work/other/a");
        std::fs::write(place.path("work/other/kenning.toml"), "").unwrap();
        place.check("work/other/a", "work/other");
    }

    #[test]
    fn an_index_of_the_home_directory_is_for_questions_asked_there() {
        let place = Place::new(&[]);
        place.index("home/me");
        place.index("home");
        place.check("home/me", "home/me");
        place.check("home/me/notes", "home/me/notes");
    }

    #[test]
    fn a_folder_named_git_is_no_work_tree() {
        let place = Place::new(&["app"]);
        std::fs::create_dir_all(place.path("app/sub/.git")).unwrap();
        place.check("app/sub", "app");
    }

    #[test]
    fn places_that_are_more_than_a_project_are_broad() {
        let place = Place::new(&[
            "src/example.org/me/a",
            "src/example.org/me/b",
            "src/example.org/you/c",
            "pair/front",
            "pair/back",
            "mono",
            "mono/libraries/a",
            "mono/libraries/b",
            "mono/libraries/c",
        ]);
        assert_eq!(
            broad_root(Path::new("/"), &place.config("x")),
            Some(BroadRootReason::FileSystem)
        );
        assert_eq!(place.broad("home/me"), Some(BroadRootReason::Home));
        assert_eq!(place.broad("home"), Some(BroadRootReason::AboveHome));
        assert_eq!(place.broad("src"), Some(BroadRootReason::ManyRepositories));
        assert_eq!(place.broad("src/example.org/me"), None);
        assert_eq!(place.broad("pair"), None);
        assert_eq!(place.broad("mono"), None);
        assert_eq!(place.broad("mono/libraries"), None);
    }
}
