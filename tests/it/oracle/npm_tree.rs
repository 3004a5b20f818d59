//! A generated npm workspace whose members ask for each other in ranges that fit and in ranges that
//! do not, under their names and under others. What it means is npm's to say.

use serde_json::{Map, Value, json};

use super::random::Random;

pub const COUNT: usize = 120;
const OUTSIDE: &[&str] = &["react", "@types/node", "lodash", "left-pad", "vite"];
const RANGES_OUTSIDE: &[&str] = &["^1.2.0", "~3.1.0", "*", ">=2 <5", "4.x", "latest", "1 || 2"];

struct Member {
    name: String,
    directory: String,
    version: (usize, usize, usize),
}

pub fn files(seed: u64) -> Vec<(String, String)> {
    let mut random = Random::new(seed);
    let members: Vec<Member> = (0..COUNT).map(|index| member(&mut random, index)).collect();
    let root = json!({
        "name": "generated",
        "private": true,
        "workspaces": ["packages/*", "libs/**", "!libs/none", "apps/a[0-9]*"],
        "devDependencies": {"typescript": "^5.0.0"},
    });
    let mut files = vec![("package.json".to_string(), root.to_string())];
    for index in 0..COUNT {
        let path = format!("{}/package.json", members[index].directory);
        files.push((path, manifest(&mut random, &members, index).to_string()));
    }
    files
}

fn member(random: &mut Random, index: usize) -> Member {
    let (name, directory) = match index % 4 {
        0 => (format!("app-{index}"), format!("apps/a{index}")),
        1 => (format!("@acme/lib-{index}"), format!("libs/group/{index}")),
        _ => (format!("package-{index}"), format!("packages/p{index}")),
    };
    Member { name, directory, version: (random.below(4), random.below(5), random.below(3)) }
}

fn manifest(random: &mut Random, members: &[Member], index: usize) -> Value {
    let (major, minor, patch) = members[index].version;
    let mut manifest = json!({
        "name": members[index].name,
        "version": format!("{major}.{minor}.{patch}"),
    });
    // npm knows one dependency of a name; which table would win is not the question here.
    let mut used = vec![members[index].name.clone()];
    for table in ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"] {
        let mut entries = Map::new();
        for _ in 0..random.below(4) {
            let (key, written) = match (random.chance(30), table) {
                (true, "peerDependencies") => continue,
                (true, _) => outside(random, index),
                (false, _) => inside(random, members, index, table),
            };
            if !used.contains(&key) {
                entries.insert(key.clone(), written.into());
                used.push(key);
            }
        }
        if !entries.is_empty() {
            manifest[table] = entries.into();
        }
    }
    manifest
}

fn outside(random: &mut Random, index: usize) -> (String, String) {
    let (name, range) = (*random.pick(OUTSIDE), *random.pick(RANGES_OUTSIDE));
    if random.chance(20) {
        (format!("other-{index}"), format!("npm:{name}@{range}"))
    } else {
        (name.to_string(), range.to_string())
    }
}

fn inside(random: &mut Random, members: &[Member], index: usize, table: &str) -> (String, String) {
    let to = random.pick(members);
    let (major, minor, patch) = to.version;
    let fitting = [
        format!("^{major}.{minor}.{patch}"),
        format!("~{major}.{minor}"),
        format!("{major}.{minor}.{patch}"),
        format!("{major}.x"),
        format!(">={major}.{minor}.{patch} <{}", major + 1),
        format!("9 || {major}.{minor}"),
        format!("0 - {major}.{minor}"),
        "*".to_string(),
    ];
    let unfitting = [
        format!("^{}.0.0", major + 1),
        format!("~{major}.{}", (minor + 1) % 5),
        format!(">{major}.{minor}.{patch} <{}", major + 3),
        format!("{}.x || {}.x", major + 1, major + 4),
        "latest".to_string(),
    ];
    // npm refuses peers that cannot be had beside each other.
    if table == "peerDependencies" {
        return (to.name.clone(), random.pick(&fitting).clone());
    }
    let range = if random.chance(65) {
        random.pick(&fitting).clone()
    } else {
        random.pick(&unfitting).clone()
    };
    let up = "../".repeat(members[index].directory.split('/').count());
    match random.below(10) {
        0 => (to.name.clone(), format!("file:{up}{}", to.directory)),
        1 => (format!("link-{index}"), format!("file:{up}{}", to.directory)),
        _ => (to.name.clone(), range),
    }
}
