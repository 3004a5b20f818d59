//! Translates a selection into an SQL condition on the table `chunks`, aliased as `c`. Values are
//! always parameters, never part of the SQL.

use postgres::types::ToSql;

use crate::backends::remote_api::{PathCondition, Selection};
use crate::code::{Exported, Tests};

/// The parameters of a statement, numbered as they are added.
#[derive(Default)]
pub struct SqlParameters(Vec<Box<dyn ToSql + Sync>>);

impl SqlParameters {
    /// Adds a value and returns its placeholder, such as `$3`.
    pub fn add(&mut self, value: impl ToSql + Sync + 'static) -> String {
        self.0.push(Box::new(value));
        format!("${}", self.0.len())
    }

    /// Returns the values, in order.
    pub fn all(&self) -> Vec<&(dyn ToSql + Sync)> {
        self.0.iter().map(|value| &**value).collect()
    }
}

/// Returns the condition; `true` if the selection matches everything.
pub fn condition(selection: &Selection, values: &mut SqlParameters) -> String {
    let mut parts = Vec::new();
    if let Some(places) = &selection.paths {
        parts.push(path_condition(places, values));
    }
    for (column, names) in [
        ("language", &selection.languages),
        ("package", &selection.packages),
        ("symbol", &selection.symbols),
        ("scope", &selection.scopes),
    ] {
        if !names.is_empty() {
            let names = values.add(keep_storable(names.iter().cloned()));
            parts.push(format!("c.{column} = ANY({names})"));
        }
    }
    if !selection.kinds.is_empty() {
        let kinds: Vec<String> =
            selection.kinds.iter().map(|kind| kind.as_str().to_string()).collect();
        parts.push(format!("c.kind = ANY({})", values.add(kinds)));
    }
    match selection.tests {
        Tests::Included => {}
        Tests::Excluded => parts.push("NOT c.is_test".to_string()),
        Tests::Only => parts.push("c.is_test".to_string()),
    }
    match selection.exported {
        Exported::Either => {}
        Exported::Only => parts.push("c.is_exported".to_string()),
        Exported::Not => parts.push("NOT c.is_exported".to_string()),
    }
    for (column, ranges) in
        [("start_line", &selection.start_lines), ("end_line", &selection.end_lines)]
    {
        let alternatives = ranges.iter().map(|range| {
            // No line is beyond what the column holds, and an index of it can be used.
            let line = |line: u32| i32::try_from(line).unwrap_or(i32::MAX);
            let first = values.add(line(*range.start()));
            let last = values.add(line(*range.end()));
            format!("c.{column} BETWEEN {first} AND {last}")
        });
        let each: Vec<String> = alternatives.collect();
        if !each.is_empty() {
            parts.push(format!("({})", each.join(" OR ")));
        }
    }
    if let Some(only) = &selection.only {
        let paths: Vec<String> = only.iter().map(|(path, _)| path.clone()).collect();
        let ordinals: Vec<i32> = only.iter().map(|(_, ordinal)| *ordinal as i32).collect();
        let (paths, ordinals) = (values.add(paths), values.add(ordinals));
        parts.push(format!(
            "(c.path, c.ordinal) IN (SELECT * FROM unnest({paths}::text[], {ordinals}::int[]))"
        ));
    }
    if parts.is_empty() { "true".to_string() } else { parts.join(" AND ") }
}

/// Keeps the texts that PostgreSQL can represent: its text has no zero byte, so no row can equal
/// one that has.
fn keep_storable(texts: impl IntoIterator<Item = String>) -> Vec<String> {
    let texts = texts.into_iter();
    texts.filter(|text| !text.contains('\0')).collect()
}

/// Replaces zero bytes by `/`. PostgreSQL's text cannot have them, and refuses a statement with
/// one.
fn replace_zero_bytes(text: &str) -> String {
    text.replace('\0', "/")
}

/// Returns the condition that one of the alternatives holds.
fn path_condition(places: &[PathCondition], values: &mut SqlParameters) -> String {
    let mut files = Vec::new();
    let mut parts = Vec::new();
    for place in places {
        match place {
            PathCondition::File(path) => files.extend(keep_storable([path.clone()])),
            PathCondition::Under(directory) => {
                let directory = values.add(vec![replace_zero_bytes(directory)]);
                parts.push(format!("c.dirs @> {directory}"));
            }
            PathCondition::Ending(directory, ending) => {
                let ending = values.add(vec![replace_zero_bytes(ending)]);
                let directory = directory
                    .as_ref()
                    .map(|directory| {
                        let directory = values.add(vec![replace_zero_bytes(directory)]);
                        format!(" AND c.dirs @> {directory}")
                    })
                    .unwrap_or_default();
                parts.push(format!("(c.endings @> {ending}{directory})"));
            }
        }
    }
    if !files.is_empty() || parts.is_empty() {
        parts.push(format!("c.path = ANY({})", values.add(files)));
    }
    format!("({})", parts.join(" OR "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_a_condition() {
        let mut values = SqlParameters::default();
        assert_eq!(condition(&Selection::default(), &mut values), "true");
        let selection = Selection {
            paths: Some(vec![
                PathCondition::File("a".to_string()),
                PathCondition::Ending(Some("src".to_string()), "rs".to_string()),
            ]),
            languages: vec!["rust".to_string()],
            tests: Tests::Excluded,
            start_lines: vec![1..=5],
            ..Selection::default()
        };
        let sql = condition(&selection, &mut values);
        let expected = "((c.endings @> $1 AND c.dirs @> $2) OR c.path = ANY($3)) AND \
                        c.language = ANY($4) AND NOT c.is_test AND \
                        (c.start_line BETWEEN $5 AND $6)";
        assert_eq!(sql, expected);
        assert_eq!(values.all().len(), 6);
        // No file at all is not every file.
        let nowhere = Selection { paths: Some(Vec::new()), ..Selection::default() };
        assert_eq!(condition(&nowhere, &mut SqlParameters::default()), "(c.path = ANY($1))");
    }
}
