//! A generated tree of cargo packages: two workspaces, lone packages and patched ones, with every
//! way to declare a dependency. What it means is cargo's to say.

use std::collections::BTreeSet;

use super::random::Random;

/// The external packages that generated manifests may depend on.
pub const REGISTRY: &[(&str, &str)] = &[
    ("anyhow", "1.0.9"),
    ("bytes", "1.5.0"),
    ("cc", "1.2.0"),
    ("libc", "0.2.99"),
    ("log", "0.4.20"),
    ("serde", "1.0.200"),
    ("serde", "2.1.0"),
    // Also in the tree, patched: which one is meant is a matter of versions.
    ("v0", "1.2.9"),
    ("v1", "3.0.0"),
    ("v2", "1.9.9"),
    ("v3", "1.0.0"),
];

pub const PATCHED: &[&str] = &["v0", "v1", "v2", "v3"];

const OUTSIDE: &[(&str, &str)] = &[
    ("anyhow", "1"),
    ("bytes", ">=1.2, <2"),
    ("cc", "1.0"),
    ("log", "~0.4.1"),
    ("serde", "1.0.100"),
    ("serde", "2"),
    ("v0", "1.2"),
    ("v1", "3"),
    ("v2", "1"),
    ("v3", "1"),
];

const TABLES: &[&str] = &[
    "dependencies",
    "dev-dependencies",
    "build-dependencies",
    "target.'cfg(unix)'.dependencies",
    "target.'cfg(windows)'.dev-dependencies",
    "target.x86_64-pc-windows-msvc.build-dependencies",
];

/// The part of the tree that a package is in.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    /// Excluded from the workspace around it, and put by `[patch]` in the place of a crate.
    Patched,
    /// Excluded, and used by path.
    Lone,
    /// A workspace inside of the directory of the other.
    Tool,
    Crate,
}

struct Member {
    part: Part,
    name: String,
    directory: String,
    inherits_version: bool,
}

impl Member {
    /// Returns its name in the workspace.
    fn shared_name(&self) -> String {
        if self.name.ends_with(['0', '3', '6', '9']) {
            format!("shared-{}", self.name)
        } else {
            self.name.clone()
        }
    }
}

impl Part {
    fn of(index: usize) -> Part {
        match index {
            0..4 => Part::Patched,
            4..12 => Part::Lone,
            12..40 => Part::Tool,
            _ => Part::Crate,
        }
    }

    fn root(self) -> Option<&'static str> {
        match self {
            Part::Patched | Part::Lone => None,
            Part::Tool => Some("tools"),
            Part::Crate => Some(""),
        }
    }

    fn version(self) -> &'static str {
        match self {
            Part::Tool => "0.7.1",
            Part::Crate => "4.5.6",
            Part::Patched | Part::Lone => "1.2.3",
        }
    }
}

pub fn files(seed: u64) -> Vec<(String, String)> {
    let mut random = Random::new(seed);
    let members: Vec<Member> = (0..120).map(|index| member(&mut random, index)).collect();
    let mut files = Vec::new();
    for (part, base) in [(Part::Crate, ""), (Part::Tool, "tools/")] {
        let text = root(part, &members);
        files.push((format!("{base}Cargo.toml"), text));
    }
    for index in 0..members.len() {
        let directory = &members[index].directory;
        files.push((format!("{directory}/src/lib.rs"), String::new()));
        files.push((format!("{directory}/Cargo.toml"), manifest(&mut random, &members, index)));
    }
    files
}

fn member(random: &mut Random, index: usize) -> Member {
    let part = Part::of(index);
    let (name, directory) = match part {
        Part::Patched => (format!("v{index}"), format!("patched/v{index}")),
        Part::Lone => (format!("lone-{index}"), format!("alone/{index}")),
        Part::Tool => (format!("tool_{index}"), format!("tools/t{index}")),
        Part::Crate if index.is_multiple_of(9) => {
            (format!("deep-{index}"), format!("crates/deep/{index}/x"))
        }
        Part::Crate => (format!("crate-{index}"), format!("crates/c{index}")),
    };
    Member { part, name, directory, inherits_version: part.root().is_some() && random.chance(50) }
}

fn root(part: Part, members: &[Member]) -> String {
    let mut text = match part {
        Part::Crate => "[workspace]\nresolver = '2'\nmembers = ['crates/c*', 'crates/deep/*/x']\n\
             exclude = ['tools', 'alone', 'patched']\n[workspace.package]\nversion = '4.5.6'\n\
             [patch.crates-io]\nv0 = { path = 'patched/v0' }\nv1 = { path = './patched/v1/' }\n\
             two = { path = 'patched/v2', package = 'v2' }\nv3 = { path = 'patched/v3' }\n"
            .to_string(),
        _ => "[workspace]\nresolver = '2'\nmembers = ['*']\nexclude = ['target']\n\
              [workspace.package]\nversion = '0.7.1'\n\
              [patch.crates-io]\nv0 = { path = '../patched/v0' }\nv3 = { path = '../patched/v3' }\n"
            .to_string(),
    };
    text += "[workspace.dependencies]\nlog = '0.4'\nser = { package = 'serde', version = '1' }\n";
    for member in members.iter().filter(|member| member.part == part) {
        let path = member.directory.trim_start_matches("tools/");
        let version = part.version();
        let (key, name) = (member.shared_name(), &member.name);
        text += &if key == *name {
            format!("{key} = {{ path = '{path}', version = '{version}' }}\n")
        } else {
            format!("{key} = {{ path = './{path}', package = '{name}' }}\n")
        };
    }
    text
}

fn manifest(random: &mut Random, members: &[Member], index: usize) -> String {
    let member = &members[index];
    let version = if member.inherits_version {
        "version.workspace = true".to_string()
    } else {
        format!("version = '{}'", member.part.version())
    };
    let mut text = format!("[package]\nname = '{}'\n{version}\n", member.name);
    // Cargo wants one name for each package; so each is needed once.
    let mut used = BTreeSet::new();
    for table in TABLES {
        let outside = random.chance(45).then(|| outside(random, member, table));
        let inside = random.chance(60).then(|| inside(random, members, index, table));
        let lines: Vec<String> = [outside, inside.flatten()]
            .into_iter()
            .flatten()
            .filter_map(|(name, line)| used.insert(name).then_some(line))
            .collect();
        if !lines.is_empty() {
            text += &format!("[{table}]\n{}\n", lines.join("\n"));
        }
    }
    text + "[target.'cfg(any())'.dependencies]\nlibc = '0.2'\n"
        + "[target.'cfg(all())'.dependencies]\nlibc = '0.2'\n"
}

fn optional(random: &mut Random, table: &str) -> &'static str {
    let may_be = !table.contains("dev-");
    if may_be && random.chance(25) { ", optional = true" } else { "" }
}

/// A package from outside: its name, and the line that asks for it.
fn outside(random: &mut Random, member: &Member, table: &str) -> (String, String) {
    let (name, version) = *random.pick(OUTSIDE);
    let optional = optional(random, table);
    let inherits = member.part.root().is_some();
    // Only patches provide it, and only the workspaces have patches.
    if PATCHED.contains(&name) && !inherits {
        return ("bytes".to_string(), "bytes = '1'".to_string());
    }
    let (name, line) = match random.below(4) {
        0 if inherits => ("log", format!("log = {{ workspace = true{optional} }}")),
        1 if inherits => ("serde", format!("ser = {{ workspace = true{optional} }}")),
        2 => {
            let asked = format!("package = '{name}', version = '{version}'");
            (name, format!("other-{name} = {{ {asked}{optional} }}"))
        }
        _ => (name, format!("{name} = {{ version = '{version}'{optional} }}")),
    };
    (name.to_string(), line)
}

/// A package of the tree: its name, and the line that asks for it.
fn inside(
    random: &mut Random,
    members: &[Member],
    index: usize,
    table: &str,
) -> Option<(String, String)> {
    // A cycle is allowed where only tests close it.
    let end = if table.contains("dev-") { members.len() } else { index };
    let (from, to) = (&members[index], &members[random.below(end.max(1))]);
    if to.part == Part::Patched || to.name == from.name || end == 0 {
        return None;
    }
    let optional = optional(random, table);
    let up = "../".repeat(from.directory.split('/').count());
    let (name, path) = (&to.name, format!("{up}{}", to.directory));
    let version = to.part.version();
    let line = match random.below(4) {
        0 if to.part == from.part && from.part.root().is_some() => {
            format!("{} = {{ workspace = true{optional} }}", to.shared_name())
        }
        1 => format!("re-{name} = {{ path = '{path}', package = '{name}'{optional} }}"),
        2 => format!("{name} = {{ path = '{path}', version = '{version}'{optional} }}"),
        _ => format!("{name} = {{ path = '{path}'{optional} }}"),
    };
    Some((name.clone(), line))
}
