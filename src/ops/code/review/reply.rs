//! The reply of `review`, and the requirements and packages that a change concerns.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::ComparedTree;
use super::definition_diff::{DefinitionDifference, DifferenceKind};
use super::reach::{ChangeImpact, ReachCounts, edge_key};
use crate::graph::qualified_name;
use crate::ops::code::impact::{ImpactRow, TestRow};
use crate::ops::code::reply_parts::{Reliability, SymbolRef, join_notes};
use crate::ops::code::unresolved_lines::Unresolved;
use crate::ops::packages::package_impact::{self, PackageImpactReply};
use crate::ops::specs::trace::{self, TraceReply};
use crate::ops::{Call, ErrorKind, OpError};
use kenning_model::ChunkKind;

/// The reply of `review`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReviewReply {
    /// The commit that the files are compared with.
    pub base: String,
    /// The files that differ.
    pub files: usize,
    /// A remark: that nothing changed, or that unresolved calls may hide dependents or tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// All definitions that differ, listed or not.
    pub changed_count: usize,
    /// The first of them: removed ones first, then by path and line.
    pub changed: Vec<ChangedDefinition>,
    /// Calls of the changed names that lead to no definition, and may mean them.
    #[serde(flatten)]
    pub unresolved: Unresolved,
    /// Removed definitions that lines still name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub still_named: Vec<DanglingReferences>,
    /// All code outside of tests that depends on the change, listed or not.
    pub affected_count: usize,
    /// The first of it, riskiest first.
    pub affected: Vec<ImpactRow>,
    /// All tests that reach the change.
    pub test_count: usize,
    /// The first of these tests, nearest first.
    pub tests: Vec<TestRow>,
    /// Changed definitions that no test reaches, each as `path:line name`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untested: Vec<String>,
    /// Requirements that plausibly speak of a changed definition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<ReviewRequirement>,
    /// The packages of the changed definitions, with their dependents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packages: Vec<ReviewPackage>,
    /// Changed files that are not indexed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<String>,
    /// The parts that are not shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Freshness of the changed files.
    #[serde(flatten)]
    pub trust: Reliability,
}

/// A definition that differs.
#[derive(Debug, Serialize, Deserialize)]
pub struct ChangedDefinition {
    /// `added`, `removed`, `signature changed`, `body changed` or `moved`.
    pub change: String,
    /// Name, kind and place; of a removed definition the old place.
    #[serde(flatten)]
    pub symbol: SymbolRef,
    /// The old signature, if it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The new signature, if it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The old file, if it moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Definitions and files that use it directly.
    pub dependents: usize,
    /// Tests that reach it.
    pub tests: usize,
}

/// A removed definition, and the lines that name it and lead to nothing.
#[derive(Debug, Serialize, Deserialize)]
pub struct DanglingReferences {
    /// The removed definition.
    pub symbol: String,
    /// The lines, as `path:line`.
    pub lines: Vec<String>,
}

/// A requirement that speaks of changed definitions.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReviewRequirement {
    /// The spec.
    pub spec_id: String,
    /// The requirement.
    pub requirement: String,
    /// Its place, as `path:line`.
    pub at: String,
    /// The changed definitions that it speaks of.
    pub symbols: Vec<String>,
}

/// A package with a changed definition.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReviewPackage {
    /// The package.
    pub package: String,
    /// All packages that depend on it, directly or through others.
    pub dependent_count: usize,
    /// The first of them, nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dependents: Vec<String>,
}

/// The findings of a review, before lists are cut.
pub struct ReviewParts {
    pub compared: ComparedTree,
    pub reached: ChangeImpact,
    pub requirements: Vec<ReviewRequirement>,
    pub packages: Vec<ReviewPackage>,
    pub trust: Reliability,
}

/// The definitions that are traced to requirements. Each takes a search.
const TRACED: usize = 20;

/// The packages that are listed as dependents of one.
const DEPENDENTS: usize = 10;

/// Builds the reply, with at most `limit` items of each list.
pub fn build(base: String, parts: ReviewParts, limit: usize) -> ReviewReply {
    let ReviewParts { compared, reached, requirements, packages, trust } = parts;
    let rows: Vec<ChangedDefinition> =
        compared.differences.iter().filter_map(|one| changed_row(one, &reached)).collect();
    let untested: Vec<String> = compared
        .differences
        .iter()
        .zip(&rows)
        .filter(|(one, row)| needs_test(one) && row.tests == 0)
        .map(|(_, row)| format!("{}:{} {}", row.symbol.path, row.symbol.line, row.symbol.symbol))
        .collect();
    let mut left_out = Vec::new();
    let mut cut = |count: usize, what: &str| {
        if count > limit {
            left_out.push(format!("{} more {what}; raise `limit`", count - limit));
        }
    };
    cut(rows.len(), "changed definitions");
    cut(reached.affected.len(), "dependents");
    cut(reached.tests.len(), "tests");
    cut(untested.len(), "definitions without a test");
    if reached.is_cut {
        left_out.push("dependents beyond the last level; raise `depth`".to_string());
    }
    if rows.len() > TRACED {
        left_out.push(format!("requirements of all but the first {TRACED} definitions"));
    }
    left_out.extend(reached.unresolved.omission.clone());
    let note = review_note(&rows, &untested, &reached);
    ReviewReply {
        base,
        files: compared.files,
        note,
        unresolved: reached.unresolved,
        changed_count: rows.len(),
        changed: rows.into_iter().take(limit).collect(),
        still_named: reached.left,
        affected_count: reached.affected.len(),
        affected: reached.affected.into_iter().take(limit).collect(),
        test_count: reached.tests.len(),
        tests: reached.tests.into_iter().take(limit).collect(),
        untested: untested.into_iter().take(limit).collect(),
        requirements,
        packages,
        unread: compared.unread,
        left_out,
        trust,
    }
}

/// Returns the remark that comes first: nothing changed, or unresolved calls may hide dependents or
/// tests.
fn review_note(
    rows: &[ChangedDefinition],
    untested: &[String],
    reached: &ChangeImpact,
) -> Option<String> {
    if rows.is_empty() {
        return Some("no definition has changed".to_string());
    }
    let direct = reached.affected.iter().filter(|row| row.hop == 1).count();
    let name = |row: &str| row.rsplit(['.', ' ']).next().unwrap_or_default().to_string();
    let untested: Vec<String> = untested.iter().map(|row| name(row)).collect();
    let hidden = reached.unresolved.by_name.iter();
    let hidden = hidden.filter(|one| one.in_tests > 0 && untested.contains(&one.name));
    let hidden: Vec<&str> = hidden.map(|one| one.name.as_str()).collect();
    let tests = (!hidden.is_empty()).then(|| {
        format!(
            "tests have unresolved calls of {}, to which no resolved call of a test leads",
            hidden.join(", ")
        )
    });
    join_notes([reached.unresolved.warning(direct), tests])
}

/// Converts a difference to its row.
fn changed_row(one: &DefinitionDifference, reached: &ChangeImpact) -> Option<ChangedDefinition> {
    let side = one.after.as_ref().or(one.before.as_ref())?;
    let definition = side.definition.as_ref();
    let counts = definition.and_then(|one| reached.counts.get(&edge_key(one)).copied());
    let ReachCounts { dependents, tests } = counts.unwrap_or_default();
    let is_signature = one.kind == DifferenceKind::Signature;
    let signature = |side: &Option<super::DefinitionText>| {
        side.as_ref().filter(|_| is_signature).map(super::DefinitionText::signature)
    };
    let from = one.before.as_ref().filter(|_| one.kind == DifferenceKind::Moved);
    Some(ChangedDefinition {
        change: one.kind.as_str().to_string(),
        symbol: SymbolRef {
            symbol: qualified_name(&side.symbol),
            kind: side.symbol.kind.as_str().into(),
            path: side.path.to_string(),
            line: side.symbol.line,
            test: side.symbol.is_test,
        },
        before: signature(&one.before),
        after: signature(&one.after),
        from: from.map(|before| before.path.to_string()),
        dependents,
        tests,
    })
}

/// True for a definition that a test should reach: code outside of tests that can run.
fn needs_test(one: &DefinitionDifference) -> bool {
    use ChunkKind::{Function, Initializer, Macro, Method, Subscript};
    one.kind != DifferenceKind::Moved
        && one.after.as_ref().is_some_and(|after| {
            let kind = after.symbol.kind;
            let can_run = matches!(kind, Function | Method | Initializer | Macro | Subscript);
            can_run && !after.symbol.is_test
        })
}

/// Finds the requirements that speak of the changed definitions. Without specs there are none.
pub fn find_requirements(
    call: &Call,
    differences: &[DefinitionDifference],
) -> Result<Vec<ReviewRequirement>, OpError> {
    let has_specs =
        call.engine.specs().is_ok_and(|specs| !specs.parse_all_specs().specs.is_empty());
    if !has_specs {
        return Ok(Vec::new());
    }
    let mut found: Vec<ReviewRequirement> = Vec::new();
    let changed = differences.iter().filter_map(|one| one.after.as_ref());
    for after in changed.filter(|after| !after.symbol.is_test).take(TRACED) {
        let name = qualified_name(&after.symbol);
        let reply = match trace::OP.fetch_object(call, &json!({ "symbol": name })) {
            Ok(TraceReply::Code(reply)) => reply,
            Ok(_) => continue,
            // A definition without a chunk of its own cannot be traced.
            Err(error) if error.kind == ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        for one in reply.requirements {
            let at = format!("{}:{}", one.path, one.line);
            match found.iter_mut().find(|known| known.at == at) {
                Some(known) if known.symbols.contains(&name) => {}
                Some(known) => known.symbols.push(name.clone()),
                None => found.push(ReviewRequirement {
                    spec_id: one.spec_id,
                    requirement: one.requirement,
                    at,
                    symbols: vec![name.clone()],
                }),
            }
        }
    }
    found.sort_by(|a, b| a.at.cmp(&b.at));
    Ok(found)
}

/// Finds the dependents of the changed packages. A package that the package index lacks is left
/// out.
pub fn find_packages<'p>(
    call: &Call,
    packages: impl IntoIterator<Item = &'p String>,
) -> Result<Vec<ReviewPackage>, OpError> {
    let mut found = Vec::new();
    for package in packages {
        let arguments = json!({ "name": package, "limit": DEPENDENTS });
        let reply: PackageImpactReply = match package_impact::OP.fetch_object(call, &arguments) {
            Ok(reply) => reply,
            Err(error) if matches!(error.kind, ErrorKind::NotFound | ErrorKind::NoIndex) => {
                continue;
            }
            Err(error) => return Err(error),
        };
        found.push(ReviewPackage {
            package: package.clone(),
            dependent_count: reply.affected_count,
            dependents: reply.affected.into_iter().map(|one| one.package.name).collect(),
        });
    }
    Ok(found)
}
