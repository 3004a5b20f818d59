//! A generated Maven tree: three levels of parents, with properties, managed versions and scopes
//! overridden at random on the way down. What it means is Maven's to say.

use super::maven::dependency;
use super::random::Random;

const COUNT: usize = 60;
const OUTSIDE: usize = 8;
const SCOPES: &[&str] = &["compile", "test", "provided", "runtime"];

struct Module {
    name: String,
    directory: String,
    parent: Option<usize>,
}

pub fn files(seed: u64) -> Vec<(String, String)> {
    let mut random = Random::new(seed);
    let mut modules: Vec<Module> = Vec::new();
    for index in 0..COUNT {
        modules.push(module(&mut random, &modules, index));
    }
    (0..COUNT)
        .map(|index| {
            let path = match modules[index].directory.as_str() {
                "" => "pom.xml".to_string(),
                directory => format!("{directory}/pom.xml"),
            };
            (path, pom(&mut random, &modules, index))
        })
        .collect()
}

/// The first is the root; the next nine group others, and may be parents as well.
fn module(random: &mut Random, modules: &[Module], index: usize) -> Module {
    let parent = match index {
        0 => None,
        1..10 => Some(0),
        _ => Some(random.below(10)),
    };
    let above = parent.map_or("", |parent| modules[parent].directory.as_str());
    let directory = format!("{above}/m{index}");
    Module {
        name: format!("m{index}"),
        directory: if index == 0 {
            String::new()
        } else {
            directory.trim_start_matches('/').to_string()
        },
        parent,
    }
}

fn pom(random: &mut Random, modules: &[Module], index: usize) -> String {
    let module = &modules[index];
    let head = match module.parent {
        None => "<groupId>g</groupId><version>1.5</version>".to_string(),
        Some(parent) => format!(
            "<parent><groupId>g</groupId><artifactId>{}</artifactId><version>1.5</version></parent>",
            modules[parent].name
        ),
    };
    let packaging = if index < 10 { "<packaging>pom</packaging>" } else { "" };
    format!(
        "<project><modelVersion>4.0.0</modelVersion>{head}<artifactId>{}</artifactId>{packaging}\
         <properties>{}</properties>\
         <dependencyManagement><dependencies>{}</dependencies></dependencyManagement>\
         <dependencies>{}</dependencies></project>",
        module.name,
        properties(random, index),
        managed(random, index),
        dependencies(random, index),
    )
}

fn properties(random: &mut Random, index: usize) -> String {
    let own = (0..OUTSIDE).filter(|_| index == 0 || random.chance(15)).collect::<Vec<_>>();
    own.iter()
        .map(|outside| format!("<v{outside}>{}.{index}</v{outside}>", random.below(9)))
        .collect()
}

fn managed(random: &mut Random, index: usize) -> String {
    if index >= 10 {
        return String::new();
    }
    let outside: String = (0..OUTSIDE)
        .filter(|_| random.chance(40))
        .collect::<Vec<_>>()
        .iter()
        .map(|outside| {
            if random.chance(30) {
                dependency(&format!("x:o{outside}:${{v{outside}}}:{}", random.pick(SCOPES)), "")
            } else {
                dependency(&format!("x:o{outside}:${{v{outside}}}"), "")
            }
        })
        .collect();
    // All modules of the tree, under one version that is right and, below some, one that is not.
    let version = if index == 0 || random.chance(80) { "${project.version}" } else { "1.4" };
    let inside: String = (10..COUNT)
        .filter(|_| index == 0 || random.chance(10))
        .map(|inside| dependency(&format!("g:m{inside}:{version}"), ""))
        .collect();
    outside + &inside
}

fn dependencies(random: &mut Random, index: usize) -> String {
    let mut seen = Vec::new();
    let mut text = String::new();
    for _ in 0..random.below(7) {
        let inside = index >= 10 && random.chance(60);
        let name = if inside {
            format!("g:m{}", 10 + random.below(COUNT - 10))
        } else {
            format!("x:o{}", random.below(OUTSIDE))
        };
        // A dependency on itself is one that Maven refuses and Kenning leaves out.
        if seen.contains(&name) || name == format!("g:m{index}") {
            continue;
        }
        let optional = if random.chance(15) { "<optional>true</optional>" } else { "" };
        text += &match random.below(4) {
            0 => dependency(&format!("{name}:1.5"), optional),
            1 => dependency(
                &format!("{name}:${{project.version}}:{}", random.pick(SCOPES)),
                optional,
            ),
            2 => dependency(&format!("{name}:1.4"), optional),
            _ => dependency(&name, optional),
        };
        seen.push(name);
    }
    text
}
