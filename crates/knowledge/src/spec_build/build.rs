//! Builds the search index of the specs. All specs are parsed, which is cheap; only units without a
//! vector in the last index are embedded, which is not.
//!
//! The build writes nothing if neither the files nor the units changed. It never fails because of a
//! bad spec.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use humantime::format_rfc3339_seconds;

use super::parse_files::{SpecTree, StampedSpec};
use crate::SpecBuildError;
use crate::spec_index_file::{SpecCard, SpecFile, SpecIndex, SpecUnit};
use kenning_embed::{Embedder, Purpose};
use kenning_model::BuildMode;
use kenning_model::{Problem, Progress, Requirement, Scenario, Spec};
use kenning_source as source;

/// The inputs of a build, and the path of the index that it writes.
pub struct SpecBuild<'a> {
    pub root: &'a Path,
    /// The parsed specs.
    pub tree: &'a SpecTree,
    pub embedder: &'a dyn Embedder,
    /// The path of the index file.
    pub index: &'a Path,
    pub mode: BuildMode,
    /// The time that the index records. A parameter, so that tests are deterministic.
    pub now: SystemTime,
}

/// The counts, problems and duration of one build.
#[derive(Debug)]
pub struct SpecReport {
    pub specs: usize,
    pub requirements: usize,
    pub scenarios: usize,
    /// Requirements and scenarios that were embedded now.
    pub embedded: usize,
    pub problems: Vec<Problem>,
    pub duration: Duration,
}

/// Builds the index and publishes it. A cancelled build leaves the previous index in place.
///
/// An index that cannot be read, or that another model made, counts as absent: all units are
/// embedded again.
pub fn build_spec_index(
    build: &SpecBuild,
    progress: &dyn Progress,
) -> Result<SpecReport, SpecBuildError> {
    let started = Instant::now();
    let card = new_card(build);
    let before = SpecIndex::load(build.index).ok().filter(|before| {
        build.mode == BuildMode::Incremental && has_same_model(&before.card, &card)
    });
    let files: Vec<SpecFile> = build.tree.specs.iter().map(stamp_file).collect();
    let units: Vec<SpecUnit> = build.tree.specs.iter().flat_map(split_units).collect();
    let mut report = SpecReport {
        specs: files.len(),
        requirements: units.iter().filter(|unit| unit.scenario.is_none()).count(),
        scenarios: units.iter().filter(|unit| unit.scenario.is_some()).count(),
        embedded: 0,
        problems: build.tree.problems.clone(),
        duration: Duration::ZERO,
    };
    let is_same = |before: &SpecIndex| before.files == files && before.units == units;
    if !before.as_ref().is_some_and(is_same) {
        let (vectors, embedded) = embed_units(build, before.as_ref(), &units, progress)?;
        report.embedded = embedded;
        if progress.is_cancelled() {
            return Err(SpecBuildError::Cancelled);
        }
        SpecIndex::new(card, files, units, vectors).publish(build.index)?;
    }
    report.duration = started.elapsed();
    Ok(report)
}

/// Returns one row of numbers for each unit, and the number of units that were embedded.
///
/// Vectors are reused by embedded text, not by position, so that a moved or renumbered requirement
/// costs nothing. `before` must come from the same model.
fn embed_units(
    build: &SpecBuild,
    before: Option<&SpecIndex>,
    units: &[SpecUnit],
    progress: &dyn Progress,
) -> Result<(Vec<f32>, usize), SpecBuildError> {
    let texts: Vec<String> = units.iter().map(embedded_text).collect();
    let mut known: HashMap<String, &[f32]> = HashMap::new();
    if let Some(before) = before {
        let rows = before.units.iter().enumerate();
        known.extend(rows.map(|(row, unit)| (embedded_text(unit), before.vector(row))));
    }
    let missing: Vec<&str> =
        texts.iter().map(String::as_str).filter(|text| !known.contains_key(*text)).collect();
    let made = build.embedder.embed(&missing, Purpose::Document, progress)?;
    let mut made_rows = made.rows();
    let dimension = build.embedder.identity().dimension;
    let mut vectors = Vec::with_capacity(texts.len() * dimension);
    for text in &texts {
        // `made_rows` has one row for each missing text, in the order of `texts`.
        let row = known.get(text).copied().or_else(|| made_rows.next());
        vectors.extend(row.expect("a row for each text that was missing"));
    }
    Ok((vectors, missing.len()))
}

/// The metadata of the index that this build writes.
fn new_card(build: &SpecBuild) -> SpecCard {
    let identity = build.embedder.identity();
    SpecCard {
        indexed_at: format_rfc3339_seconds(build.now).to_string(),
        commit: source::head_commit(build.root),
        provider: identity.provider.clone(),
        model: identity.model.clone(),
        dimension: identity.dimension,
    }
}

/// True if vectors of the two indexes can be compared. Time and commit do not matter.
fn has_same_model(a: &SpecCard, b: &SpecCard) -> bool {
    (&a.provider, &a.model, a.dimension) == (&b.provider, &b.model, b.dimension)
}

/// Returns the id, path and hash of a spec's file, which show later if the file has changed.
pub fn stamp_file(stamped: &StampedSpec) -> SpecFile {
    SpecFile {
        id: stamped.spec.id.clone(),
        path: stamped.spec.path.to_string(),
        hash: blake3::Hash::from(stamped.hash).to_hex().to_string(),
    }
}

/// Splits a spec into units: each requirement, followed by its scenarios. `SpecSearch` relies on
/// this order.
fn split_units(stamped: &StampedSpec) -> Vec<SpecUnit> {
    let spec = &stamped.spec;
    let requirements = spec.requirements.iter();
    let units = requirements.flat_map(|requirement| {
        let scenarios =
            requirement.scenarios.iter().map(|scenario| scenario_unit(spec, requirement, scenario));
        std::iter::once(requirement_unit(spec, requirement)).chain(scenarios)
    });
    units.collect()
}

/// The unit of a requirement. Its text is the description and the notes, without the scenarios.
fn requirement_unit(spec: &Spec, requirement: &Requirement) -> SpecUnit {
    let texts =
        [&requirement.description, &requirement.notes].into_iter().filter(|text| !text.is_empty());
    SpecUnit {
        spec_id: spec.id.clone(),
        title: spec.title.clone(),
        path: spec.path.to_string(),
        line: requirement.line,
        requirement: requirement.name.clone(),
        scenario: None,
        text: texts.cloned().collect::<Vec<_>>().join("\n\n"),
    }
}

/// The unit of a scenario. It keeps the names of its spec and its requirement.
fn scenario_unit(spec: &Spec, requirement: &Requirement, scenario: &Scenario) -> SpecUnit {
    SpecUnit {
        line: scenario.line,
        scenario: Some(scenario.name.clone()),
        text: scenario.text.clone(),
        ..requirement_unit(spec, requirement)
    }
}

/// Returns the text to embed for a unit. Markdown marks are removed, because they carry no meaning.
/// A scenario is headed by its requirement, whose subject it shares.
fn embedded_text(unit: &SpecUnit) -> String {
    let head = match &unit.scenario {
        None => format!("{}: {}", unit.title, unit.requirement),
        Some(scenario) => format!("{}: {scenario}", unit.requirement),
    };
    let text = format!("{head}\n{}", unit.text);
    text.chars().filter(|c| !matches!(c, '*' | '`' | '#' | '|')).collect()
}
