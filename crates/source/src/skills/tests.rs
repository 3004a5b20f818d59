//! Tests of the search over real folders.

use super::*;

fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    directory
}

fn find(root: &Path) -> FoundSkills {
    find_skills(root, RootKind::Tree, 1000, None, &mut HashSet::new())
}

fn names(found: &FoundSkills, root: &Path) -> Vec<String> {
    let skills = found.skills.iter();
    let relative = skills.map(|skill| skill.directory.strip_prefix(root).unwrap());
    relative.map(|path| path.to_string_lossy().into_owned()).collect()
}

fn check(files: &[(&str, &str)], expected: &[&str]) {
    let directory = tree(files);
    let found = find(directory.path());
    assert_eq!(names(&found, directory.path()), expected);
    assert_eq!(found.problems, []);
}

#[test]
fn folders_with_the_file_at_any_depth() {
    check(
        &[
            ("b/SKILL.md", "b"),
            ("a/SKILL.md", "a"),
            ("group/.curated/c/skill.md", "c"),
            ("other/README.md", ""),
            ("off/.SKILL.md", ""),
            ("node_modules/x/SKILL.md", ""),
            (".git/x/SKILL.md", ""),
            ("SKILL.txt", ""),
        ],
        &["a", "b", "group/.curated/c"],
    );
    // Files below a skill belong to it, unless the skill is the root of the tree.
    check(&[("a/SKILL.md", ""), ("a/assets/SKILL.md", "")], &["a"]);
    check(&[("SKILL.md", ""), ("skills/a/SKILL.md", "")], &["", "skills/a"]);
}

#[test]
fn the_text_is_as_on_disk() {
    let directory = tree(&[("a/SKILL.md", "\u{feff}---\r\nx\t \r\n")]);
    let found = find(directory.path());
    assert_eq!(found.skills[0].text, "\u{feff}---\r\nx\t \r\n");
}

#[test]
fn what_cannot_be_read_is_a_problem_and_nothing_more() {
    let directory = tree(&[("good/SKILL.md", "x"), ("large/SKILL.md", &"x".repeat(1001))]);
    fs::create_dir_all(directory.path().join("folder/SKILL.md")).unwrap();
    fs::create_dir_all(directory.path().join("latin")).unwrap();
    fs::write(directory.path().join("latin/SKILL.md"), b"a\nb\xE4").unwrap();
    let found = find(directory.path());
    assert_eq!(names(&found, directory.path()), ["good"]);
    let problems: Vec<_> =
        found.unread.iter().map(|problem| (problem.line, problem.message.as_str())).collect();
    assert_eq!(
        problems,
        [
            (None, "not a file"),
            (None, "1001 bytes, above the limit of 1000 (index.max_file_size)"),
            (Some(2), "not valid UTF-8"),
        ]
    );
    assert!(find(&directory.path().join("nothing")).problems.is_empty());
}

#[cfg(unix)]
#[test]
fn links_are_followed_once_and_loops_end() {
    use std::os::unix::fs::symlink;

    let directory = tree(&[("elsewhere/real/SKILL.md", "x"), ("skills/own/SKILL.md", "y")]);
    let root = directory.path().canonicalize().unwrap();
    let skills = root.join("skills");
    symlink(root.join("elsewhere/real"), skills.join("linked")).unwrap();
    symlink(root.join("elsewhere/real"), skills.join("linked-again")).unwrap();
    symlink(&skills, skills.join("loop")).unwrap();
    symlink(root.join("gone"), skills.join("dangling")).unwrap();
    let found = find(&skills);
    assert_eq!(names(&found, &skills), ["linked", "own"]);
    assert_eq!(found.linked, [root.join("elsewhere/real")]);
    assert_eq!(found.problems.len(), 1, "{:?}", found.problems);
    assert!(found.problems[0].path.ends_with("dangling"));
    // A second search that shares what was visited finds nothing twice.
    let mut visited = HashSet::new();
    let first = find_skills(&skills, RootKind::Tree, 1000, None, &mut visited);
    let second = find_skills(&root.join("elsewhere"), RootKind::Tree, 1000, None, &mut visited);
    assert_eq!((first.skills.len(), second.skills.len()), (2, 0));
}

#[cfg(unix)]
#[test]
fn a_linked_file_is_read_and_told() {
    let directory = tree(&[("elsewhere/pdf.md", "x"), ("skills/pdf/other", "")]);
    let root = directory.path().canonicalize().unwrap();
    let file = root.join("skills/pdf/SKILL.md");
    std::os::unix::fs::symlink(root.join("elsewhere/pdf.md"), file).unwrap();
    let found = find(&root.join("skills"));
    assert_eq!(found.skills[0].text, "x");
    assert_eq!(found.linked_files, [root.join("elsewhere")]);
}

#[test]
fn a_single_skill_holds_no_others() {
    let directory = tree(&[("SKILL.md", ""), ("assets/SKILL.md", "")]);
    let found = |kind| find_skills(directory.path(), kind, 1000, None, &mut HashSet::new());
    assert_eq!(names(&found(RootKind::SkillOrTree), directory.path()), [""]);
    assert_eq!(found(RootKind::Tree).skills.len(), 2);
    let directory = tree(&[("a/SKILL.md", "")]);
    let found = |kind| find_skills(directory.path(), kind, 1000, None, &mut HashSet::new());
    assert_eq!(names(&found(RootKind::SkillOrTree), directory.path()), ["a"]);
    assert_eq!(found(RootKind::Skill).skills, []);
}

#[cfg(unix)]
#[test]
fn a_pipe_is_not_waited_for() {
    let directory = tree(&[("a/x", "")]);
    let pipe = directory.path().join("a/SKILL.md");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let found = find(directory.path());
    assert_eq!(found.unread[0].message, "not a file");
}

#[cfg(unix)]
#[test]
fn files_beside_stay_in_the_folder() {
    use std::os::unix::fs::symlink;

    let directory =
        tree(&[("a/SKILL.md", "skill"), ("a/scripts/run.py", "print()"), ("secret", "no")]);
    let skill = directory.path().join("a");
    symlink(directory.path().join("secret"), skill.join("leak")).unwrap();
    symlink(skill.join("scripts"), skill.join("again")).unwrap();
    let files = list_skill_files(&skill).unwrap();
    let listed: Vec<_> = files.iter().map(|file| (file.path.as_str(), file.size)).collect();
    assert_eq!(listed, [("SKILL.md", 5), ("scripts/run.py", 7)]);
    let read = |path: &str| read_skill_file(&skill, path, 10).map_err(|error| error.to_string());
    assert_eq!(read("scripts/run.py").unwrap(), b"print()");
    for outside in
        ["../secret", "leak", "scripts/../../secret", "/etc/passwd", "a\\b", "", "./SKILL.md"]
    {
        let error = read(outside).unwrap_err();
        assert!(error.contains("leaves the skill's folder"), "{outside}: {error}");
    }
    assert!(read("nothing").unwrap_err().contains("no such file"));
    assert!(read("scripts").unwrap_err().contains("no such file"));
    assert!(read("SKILL.md/x").unwrap_err().contains("no such file"));
    let large = read_skill_file(&skill, "SKILL.md", 4).unwrap_err().to_string();
    assert_eq!(large, "SKILL.md: 5 bytes, above the limit of 4");
}

#[test]
fn where_a_plugin_really_is() {
    let directory =
        tree(&[("cache/m/p/2.0/x", ""), ("market/.claude-plugin/marketplace.json", "{}")]);
    let root = directory.path();
    let folder = |path: &str| plugin_folder(&root.join(path));
    assert_eq!(folder("cache/m/p/2.0"), Some(root.join("cache/m/p/2.0")));
    // An update replaced the version that the list still names.
    assert_eq!(folder("cache/m/p/1.0"), Some(root.join("cache/m/p/2.0")));
    let catalog = "market/.claude-plugin/marketplace.json";
    assert_eq!(folder(catalog), Some(root.join("market")));
    assert_eq!(folder("gone/p/1.0"), None);
}

#[test]
fn a_catalog_cannot_point_outside() {
    let directory = tree(&[("plugin/skills/a/SKILL.md", ""), ("secret/SKILL.md", "")]);
    let root = directory.path().join("plugin");
    let listed = ["./skills/a", "skills/b", "../secret", "/etc"].map(str::to_string);
    let (inside, outside) = split_by_root(&root, &listed);
    assert_eq!(inside, [root.join("skills/a"), root.join("skills/b")]);
    assert_eq!(outside, ["../secret", "/etc"]);
}
