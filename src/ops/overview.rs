//! `overview`: what is known of a repository, of every family, and what to ask first. What `ken` says
//! when it is called without a command.

use serde::Serialize;

use super::schema::no_arguments;
use super::specs::wire::counted;
use super::{Args, Call, Effect, Family, OpEntry, OpError, Origin, Reply};
use crate::engine::Engine;

pub const OP: OpEntry = OpEntry {
    name: "overview",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "What is known of this repository: code, packages, specs and skills, how fresh, and \
              what to ask first.",
    effect: Effect::Reads,
    schema: no_arguments,
    examples: &["ken overview", "ken overview --json"],
    run,
};

/// Of a family, when there is nothing of it here.
const NONE: &str = "none found";

#[derive(Serialize)]
struct Overview {
    repository: String,
    code: String,
    packages: String,
    specs: String,
    skills: String,
    next: Vec<String>,
}

fn run(call: &Call, _args: &Args) -> Result<Reply, OpError> {
    let engine = call.engine;
    let code = code(engine);
    let packages = packages(engine);
    let specs = specs(engine);
    let skills = engine.skills().skills.len();
    let is_stale = code.as_ref().is_some_and(|code| code.is_stale);
    let has_packages = packages.as_ref().is_some_and(|text| text != NONE);
    let next = next(code.is_some(), is_stale, has_packages, specs.is_some());
    let overview = Overview {
        repository: engine.config().root().display().to_string(),
        code: code.map_or_else(|| "not indexed".to_string(), |code| code.text),
        packages: packages.unwrap_or_else(|| "not indexed".to_string()),
        specs: specs.unwrap_or_else(|| NONE.to_string()),
        skills: match skills {
            0 => NONE.to_string(),
            _ => counted(skills, "skill"),
        },
        next: next.into_iter().map(str::to_string).collect(),
    };
    Ok(Reply::object(overview))
}

struct Code {
    text: String,
    is_stale: bool,
}

fn code(engine: &Engine) -> Option<Code> {
    let status = engine.code(None).ok()?.status().ok()?;
    let is_stale = status.changed_files > 0 || status.is_incomplete;
    let freshness = match (status.is_incomplete, status.changed_files) {
        (true, _) => "not read to the end".to_string(),
        (false, 0) => "no known file has changed since".to_string(),
        (false, changed) => format!("{} changed since", counted(changed, "file")),
    };
    let languages = status.languages.iter().take(3);
    let languages: Vec<&str> = languages.map(|(name, _)| name.as_str()).collect();
    Some(Code {
        text: format!(
            "{} ({}), {}, {}; {freshness}",
            counted(status.stats.files as usize, "file"),
            languages.join(", "),
            counted(status.stats.chunks as usize, "chunk"),
            counted(status.stats.symbols as usize, "symbol"),
        ),
        is_stale,
    })
}

fn packages(engine: &Engine) -> Option<String> {
    let view = engine.packages().ok()?;
    let count: usize = view.meta.get("package_count")?.parse().ok()?;
    let changed = view.freshness().map_or(0, |now| now.changed_manifests);
    Some(match changed {
        0 if count == 0 => NONE.to_string(),
        0 => counted(count, "package"),
        changed => format!(
            "{}; {} changed since",
            counted(count, "package"),
            counted(changed, "manifest")
        ),
    })
}

fn specs(engine: &Engine) -> Option<String> {
    let tree = engine.specs().ok()?.parse_all_specs();
    let requirements = tree.specs.iter().map(|one| one.spec.requirements.len());
    let requirements: usize = requirements.sum();
    (!tree.specs.is_empty()).then(|| {
        format!(
            "{}, {}",
            counted(tree.specs.len(), "spec"),
            counted(requirements, "requirement")
        )
    })
}

/// The three most useful commands.
fn next(has_code: bool, is_stale: bool, has_packages: bool, has_specs: bool) -> Vec<&'static str> {
    let offers = [
        (!has_code || is_stale, "ken index"),
        (true, "ken search \"how does it start\""),
        (has_specs, "ken specs coverage"),
        (has_packages, "ken package-graph --format svg > graph.svg"),
        (true, "ken install"),
        (true, "ken status --skipped"),
    ];
    let wanted = offers.into_iter().filter(|(is_useful, _)| *is_useful);
    wanted.map(|(_, command)| command).take(3).collect()
}
