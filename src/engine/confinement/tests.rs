//! Every way to name a place: inside and outside of the allowed directories, in every spelling.

use std::os::unix::fs::symlink;

use super::*;
use crate::config::{Config, ProcessEnv};
use crate::engine::Target;

const INSIDE: [&str; 9] =
    ["", ".", "src", "in", "in/deep", "allowed", "allowed/src", "none", "none/at/all"];

const OUTSIDE: [&str; 16] = [
    "..",
    "../secret",
    "../root-2",
    "out",
    "out/src",
    "out/none",
    "out/none/at/all",
    "dangling",
    "dangling/x",
    "../missing",
    "../Also",
    "/",
    "/etc",
    "/etc/passwd",
    "/none/at/all",
    "/proc/self/root",
];

/// These are not spellings of places outside, but names inside that do not exist.
const NAMES: [&str; 6] =
    ["%2e%2e/secret", "..%2fsecret", "\u{2025}/secret", "file:///etc", "~root", "$HOME"];

/// A root with links out of it, to nothing, and to an allowed directory beside it.
fn make_places(top: &Path) {
    for folder in ["root/src/deep", "root-2/src", "also/src", "secret/src"] {
        std::fs::create_dir_all(top.join(folder)).unwrap();
    }
    symlink("../secret", top.join("root/out")).unwrap();
    symlink("../missing", top.join("root/dangling")).unwrap();
    symlink("src", top.join("root/in")).unwrap();
    symlink("../also", top.join("root/allowed")).unwrap();
}

fn spellings(root: &Path, path: &str) -> Vec<String> {
    let absolute = root.join(path).display().to_string();
    let mut all = vec![absolute.clone(), format!("{absolute}/"), format!("{absolute}/.")];
    if !path.starts_with('/') {
        all.extend([path.to_string(), format!("./{path}"), format!("src/../{path}")]);
        all.push(format!("src/deep/../../{path}"));
        all.push(format!("{}//{path}", root.join("./src/..").display()));
    }
    all
}

#[test]
fn no_spelling_leads_out() {
    let directory = tempfile::tempdir().unwrap();
    let top = directory.path().canonicalize().unwrap();
    make_places(&top);
    let root = top.join("root");
    let config = Config::load(&root, &[], &ProcessEnv::default()).unwrap();
    let engine = Engine::new(config, Target::Root(root.clone()));
    let is_allowed = |path: &str| engine.check_confinement(Path::new(path)).is_ok();
    assert!(is_allowed("/etc"), "a command is not confined");
    engine.confine(&[top.join("also")]);
    for path in INSIDE.iter().flat_map(|path| spellings(&root, path)).chain(NAMES.map(Into::into)) {
        assert!(is_allowed(&path), "{path}");
    }
    for path in OUTSIDE.iter().flat_map(|path| spellings(&root, path)) {
        let error = engine.check_confinement(Path::new(&path)).map_err(|error| error.to_string());
        // It repeats what the caller said, and nothing else.
        assert_eq!(error, Err(format!("{path:?} is outside of what this server may read")));
    }
}

#[test]
fn folders_of_the_user_are_hidden_and_allowed_directories_stay() {
    let top = tempfile::tempdir().unwrap();
    let top = top.path().canonicalize().unwrap();
    let root = top.join("ann/repo");
    std::fs::create_dir_all(&root).unwrap();
    let process_env = ProcessEnv {
        data_directory: Some(top.join("ann/data")),
        home_directory: Some(top.join("ann")),
        ..ProcessEnv::default()
    };
    let config = Config::load(&root, &[], &process_env).unwrap();
    let engine = Engine::new(config, Target::Root(root));
    let top = top.to_str().unwrap();
    let message = format!("{top}/ann/data/code.db and {top}/ann/.claude; {top}/ann/repo/lib.rs");
    assert_eq!(engine.hide_user_folders(&message), message, "a command hides nothing");
    engine.confine(&[]);
    let hidden = format!("KEN_HOME/code.db and ~/.claude; {top}/ann/repo/lib.rs");
    assert_eq!(engine.hide_user_folders(&message), hidden);
}
