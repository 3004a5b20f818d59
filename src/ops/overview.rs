//! `overview`: one line for each family of what is known of a repository, and three commands to go
//! on with. `ken` without a command prints it.
//!
//! It never fails because one family is broken: that family's line says so. It reads only the local
//! index, so it answers without a network.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::code::code_research::orientation::has_answer;
use super::number_format::{count_noun, format_age};
use super::schema::empty_schema;
use super::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};
use crate::engine::{Engine, EngineError};
use crate::search::orientation::Topic;

/// Replies with an [`OverviewReply`]. It never fails: a family that cannot be read says so in its
/// line.
pub static OP: OpEntry = OpEntry {
    name: "overview",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "What is known of this repository: code, packages, specs and skills, how fresh, and \
              what to ask first.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(empty_schema),
    reply: ReplyType::of::<OverviewReply>(),
    examples: &["ken overview", "ken overview --json"],
    run,
};

/// The line of a family without content here.
const NONE: &str = "none found";
/// The line of a family that indexing would fill.
const NOT_INDEXED: &str = "not indexed";

/// The reply of `overview`.
#[derive(Debug, Serialize, Deserialize)]
pub struct OverviewReply {
    /// The absolute path of the root.
    pub repository: String,
    /// Files, languages, chunks, symbols and freshness.
    pub code: String,
    /// The number of packages, and of manifests that changed since.
    pub packages: String,
    /// The number of specs and requirements.
    pub specs: String,
    /// The number of skills that agents would see.
    pub skills: String,
    /// Commands to run next, the most useful first.
    pub next: Vec<String>,
}

/// Collects one line for each family.
fn run(call: &Call, _args: &Args) -> Result<Reply, OpError> {
    let engine = call.engine;
    // A failed update is visible below: the families report what is stale.
    let _ = engine.refresh_indexed(call.asked_at, call.progress);
    // A remote index is not counted here: that would cost a round trip on every bare `ken`.
    let (code, packages) = if engine.is_using_other_root() {
        [NOT_INDEXED; 2].map(FamilyFacts::absent).into()
    } else {
        (code_facts(engine), package_facts(engine))
    };
    let specs = spec_facts(engine);
    let skills = engine.skills().skills.len();
    let question = answered_question(engine);
    let next = next_commands(&code, &packages, &specs, question);
    let overview = OverviewReply {
        repository: engine.config().root().display().to_string(),
        code: code.text,
        packages: packages.text,
        specs: specs.text,
        skills: match skills {
            0 => NONE.to_string(),
            _ => count_noun(skills, "skill"),
        },
        next,
    };
    Ok(Reply::object(overview))
}

/// The line of one family, and how useful its index is.
struct FamilyFacts {
    /// The line.
    text: String,
    /// The state of the index.
    availability: Availability,
}

/// The state of a family's index. It decides which commands are suggested.
#[derive(PartialEq, Eq)]
enum Availability {
    /// There is nothing to ask.
    Nothing,
    /// The index is behind the files, or incomplete.
    Stale,
    /// The index is up to date.
    Fresh,
}

impl FamilyFacts {
    /// The facts of a family without content.
    fn absent(text: &str) -> FamilyFacts {
        FamilyFacts { text: text.to_string(), availability: Availability::Nothing }
    }

    /// Converts an error to a line, so that one unreadable family does not hide the others.
    fn from_error(error: &EngineError) -> FamilyFacts {
        match error {
            EngineError::NoCodeIndex { .. }
            | EngineError::PartOfIndex { .. }
            | EngineError::NoPackageIndex { .. } => FamilyFacts::absent(NOT_INDEXED),
            error => {
                FamilyFacts::absent(&format!("cannot be read: {error}; `ken doctor` says more"))
            }
        }
    }
}

/// The line about code, such as `222 files (rust, toml), 3477 chunks, …; indexed 2 hours ago`.
fn code_facts(engine: &Engine) -> FamilyFacts {
    let status = match engine.code(None).and_then(|index| engine.code_status(&index)) {
        Ok(status) => status,
        Err(error) => return FamilyFacts::from_error(&error),
    };
    let (there, freshness) = match (status.is_incomplete, status.changed_files) {
        (true, _) => (Availability::Stale, "not read to the end".to_string()),
        (false, 0) => (Availability::Fresh, "no known file has changed since".to_string()),
        (false, changed) => {
            (Availability::Stale, format!("{} changed since", count_noun(changed, "file")))
        }
    };
    let age = status.age.map(|age| format!("indexed {}, ", format_age(age)));
    let freshness = age.unwrap_or_default() + &freshness;
    let languages = status.languages.iter().take(3);
    let languages: Vec<&str> = languages.map(|(name, _)| name.as_str()).collect();
    FamilyFacts {
        text: format!(
            "{} ({}), {}, {}; {freshness}",
            count_noun(status.stats.files as usize, "file"),
            languages.join(", "),
            count_noun(status.stats.chunks as usize, "chunk"),
            count_noun(status.stats.symbols as usize, "symbol"),
        ),
        availability: there,
    }
}

/// The line about packages.
fn package_facts(engine: &Engine) -> FamilyFacts {
    let view = match engine.packages() {
        Ok(view) => view,
        Err(error) => return FamilyFacts::from_error(&error),
    };
    let count = view.graph.len();
    let changed = view.freshness().map_or(0, |now| now.changed_manifests);
    match (count, changed) {
        (0, 0) => FamilyFacts::absent(NONE),
        (_, 0) => {
            FamilyFacts { text: count_noun(count, "package"), availability: Availability::Fresh }
        }
        _ => FamilyFacts {
            text: format!(
                "{}; {} changed since",
                count_noun(count, "package"),
                count_noun(changed, "manifest")
            ),
            availability: Availability::Stale,
        },
    }
}

/// The line about specs. They are read from the files, so they are always fresh.
fn spec_facts(engine: &Engine) -> FamilyFacts {
    let tree = match engine.specs() {
        Ok(specs) => specs.parse_all_specs(),
        Err(error) => return FamilyFacts::from_error(&error),
    };
    let requirements = tree.specs.iter().map(|one| one.spec.requirements.len());
    match tree.specs.len() {
        0 => FamilyFacts::absent(NONE),
        count => FamilyFacts {
            text: format!(
                "{}, {}",
                count_noun(count, "spec"),
                count_noun(requirements.sum(), "requirement")
            ),
            availability: Availability::Fresh,
        },
    }
}

/// Returns the first question about the repository that has an answer here.
fn answered_question(engine: &Engine) -> Option<&'static str> {
    let index = engine.code(None).ok()?;
    let answered = index.query_graph(|graph| {
        for topic in [Topic::Start, Topic::Tests, Topic::Configuration] {
            if has_answer(graph, topic)? {
                return Ok::<_, OpError>(Some(topic.question()));
            }
        }
        Ok(None)
    });
    answered.ok().flatten()
}

/// Returns the three most useful commands. The order of the list is the order of usefulness.
fn next_commands(
    code: &FamilyFacts,
    packages: &FamilyFacts,
    specs: &FamilyFacts,
    question: Option<&str>,
) -> Vec<String> {
    let research = question.map(|question| format!("ken research \"{question}\""));
    let offers = [
        (code.availability != Availability::Fresh, "ken index"),
        (research.is_some(), research.as_deref().unwrap_or_default()),
        (specs.availability != Availability::Nothing, "ken specs coverage"),
        (
            packages.availability != Availability::Nothing,
            "ken graph packages --format svg > graph.svg",
        ),
        (true, "ken install"),
        (true, "ken status --skipped"),
    ];
    let wanted = offers.into_iter().filter(|(is_useful, _)| *is_useful);
    wanted.map(|(_, command)| command.to_string()).take(3).collect()
}
