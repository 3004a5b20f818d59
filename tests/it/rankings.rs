//! Golden rankings: what `search_code` answers to a fixed set of questions over a small tree. A change of the ranking
//! is a change of `tests/golden/rankings/rankings.txt`, and its diff shows what moved.
//!
//! `UPDATE_EXPECT=1` records new rankings: read the diff, and say in the commit why they moved.
//!
//! The tree is written for this test. It has look-alikes on purpose: two policies for retries, three readers of
//! settings, a declaration file, an example, tests, and documents about all of it. `questions.txt` has the questions,
//! each with the file that should come first; those below `# tests` include tests. The golden file has no scores,
//! because those differ between machines.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

use expect_test::{expect, expect_file};
use serde_json::{Value, json};

use crate::support::{Client, KEN, Tree};

const TOP: usize = 5;

fn golden(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/rankings").join(path)
}

/// Copies the files below a folder of the fixture into a tree.
fn copy(tree: &Tree, root: &Path, folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            copy(tree, root, &path);
        } else {
            let relative = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            tree.write_bytes(&relative, &std::fs::read(&path).unwrap());
        }
    }
}

/// The first hits of a question, best first. A star marks the file that should come first.
fn rank(client: &mut Client, asked: &Value, wanted: &str) -> (Option<usize>, String) {
    let found = client.answer("search_code", asked.clone());
    let hits = found["results"].as_array().unwrap();
    let place = hits.iter().position(|hit| hit["path"] == wanted);
    let mut text = format!("? {}\n", asked["query"].as_str().unwrap());
    for (index, hit) in hits.iter().enumerate() {
        let mark = if Some(index) == place { '*' } else { ' ' };
        let symbol = hit["symbol"].as_str().unwrap_or("-");
        writeln!(text, "{mark} {} {symbol}", location(hit)).unwrap();
    }
    if place.is_none() {
        writeln!(text, "* not in the first {TOP}: {wanted}").unwrap();
    }
    (place, text)
}

fn location(hit: &Value) -> String {
    format!("{}:{}-{}", hit["path"].as_str().unwrap(), hit["startLine"], hit["endLine"])
}

/// Asks every question, and counts how often the wanted file comes first.
fn rankings(client: &mut Client) -> String {
    let mut rankings = String::new();
    let mut places = Vec::new();
    let mut include_tests = false;
    for line in std::fs::read_to_string(golden("questions.txt")).unwrap().lines() {
        if let Some((question, wanted)) = line.split_once(" => ") {
            assert!(golden("tree").join(wanted).is_file(), "{line}");
            let asked = json!({"query": question, "limit": TOP, "include_tests": include_tests});
            let (place, text) = rank(client, &asked, wanted);
            places.push(place);
            rankings += &format!("\n{text}");
        } else if line.starts_with('#') {
            include_tests = line == "# tests";
            rankings += &format!("\n{line}\n");
        }
    }
    let first = places.iter().filter(|place| **place == Some(0)).count();
    let listed = places.iter().flatten().count();
    let total = places.len();
    assert!(total >= 40, "the questions were not read");
    format!("{total} questions: {first} first, {listed} in the first {TOP}\n{rankings}")
}

/// The questions of a golden file, each with its hits.
fn answers(text: &str) -> Vec<(&str, Vec<&str>)> {
    let blocks = text.split("\n\n").filter_map(|block| block.split_once('\n'));
    let asked = blocks.filter(|(question, _)| question.starts_with("? "));
    asked.map(|(question, hits)| (question, hits.lines().map(|hit| &hit[2..]).collect())).collect()
}

/// Lists each question whose ranking differs, with the old and the new place of each hit that moved.
fn moves(recorded: &str, actual: &str) -> String {
    let recorded: HashMap<&str, Vec<&str>> = answers(recorded).into_iter().collect();
    let mut text = String::new();
    for (question, now) in answers(actual) {
        let before = recorded.get(question).cloned().unwrap_or_default();
        if before == now {
            continue;
        }
        writeln!(text, "{question}").unwrap();
        let place = |hits: &[&str], hit: &str| hits.iter().position(|one| *one == hit);
        for (index, hit) in now.iter().enumerate() {
            match place(&before, hit) {
                Some(old) if old == index => {}
                Some(old) => writeln!(text, "  {} → {} {hit}", old + 1, index + 1).unwrap(),
                None => writeln!(text, "  - → {} {hit}", index + 1).unwrap(),
            }
        }
        for (index, hit) in before.iter().enumerate() {
            if place(&now, hit).is_none() {
                writeln!(text, "  {} → - {hit}", index + 1).unwrap();
            }
        }
    }
    text
}

#[test]
fn rankings_are_as_recorded() {
    let tree = Tree::new(&[]);
    copy(&tree, &golden("tree"), &golden("tree"));
    tree.ken(&["index"]);
    let mut client = Client::connect(tree.command(KEN, &["serve"]));
    let actual = rankings(&mut client);
    // The whole file, twice, would hide what moved.
    if std::env::var_os("UPDATE_EXPECT").is_none() {
        let recorded = std::fs::read_to_string(golden("rankings.txt")).unwrap();
        let moved = moves(&recorded, &actual);
        assert!(moved.is_empty(), "{}\n{moved}", actual.lines().next().unwrap());
    }
    expect_file![golden("rankings.txt")].assert_eq(&actual);
}

#[test]
fn moves_are_listed_by_question() {
    let recorded = "2 questions\n\n# names\n\n? one\n* a.rs:1-2 a\n  b.rs:1-2 b\n  c.rs:1-2 c\n\n? two\n* a.rs:1-2 a\n";
    let actual = "2 questions\n\n# names\n\n? one\n  b.rs:1-2 b\n* a.rs:1-2 a\n  d.rs:1-2 d\n\n? two\n* a.rs:1-2 a\n";
    assert_eq!(moves(recorded, recorded), "");
    expect![[r#"
        ? one
          2 → 1 b.rs:1-2 b
          1 → 2 a.rs:1-2 a
          - → 3 d.rs:1-2 d
          3 → - c.rs:1-2 c
    "#]]
    .assert_eq(&moves(recorded, actual));
}
