//! Text search on a server: trigrams narrow the files there; their texts are then fetched and
//! matched here, in path order, until enough is found. The result is that of the embedded store.

use std::collections::BTreeSet;

use super::remote_api::{ChunkRow, PartRow, Selection, StoredPart};
use super::remote_collection::RemoteView;
use super::trigrams;
use crate::StoreError;
use crate::code::{GrepLimits, Pattern, RequiredLiterals};

/// Files whose texts are fetched at a time: few at first, for a text that is everywhere.
const FIRST_BATCH: usize = 16;
const LARGEST_BATCH: usize = 256;

/// The chunks with a match, by path and place, and the lines of their files in which one begins.
pub fn find_text(
    view: &RemoteView,
    pattern: &Pattern,
    selection: &Selection,
    bounds: GrepLimits,
) -> Result<Vec<(ChunkRow, Vec<u32>)>, StoreError> {
    let paths = candidates(view, pattern, selection)?;
    let mut rest = paths.as_slice();
    let mut size = FIRST_BATCH;
    let mut found = Vec::new();
    while !rest.is_empty() && found.len() < bounds.chunks {
        // Batches double: few requests for a rare text, little waste for a common one.
        let (batch, behind) = rest.split_at(size.min(rest.len()));
        found.extend(find_in_batch(view, pattern, selection, bounds, batch)?);
        rest = behind;
        size = (size * 2).min(LARGEST_BATCH);
    }
    found.truncate(bounds.chunks);
    Ok(found)
}

/// Searches one batch of files.
fn find_in_batch(
    view: &RemoteView,
    pattern: &Pattern,
    selection: &Selection,
    bounds: GrepLimits,
    paths: &[String],
) -> Result<Vec<(ChunkRow, Vec<u32>)>, StoreError> {
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let mut matching: Vec<(String, Vec<u32>)> = Vec::new();
    for PartRow { path, packed, .. } in view.read_parts(&paths, StoredPart::Text)? {
        let text = view.decompress_text(&path, &packed)?;
        let lines = pattern
            .matching_lines(&text, bounds.deadline)
            .map_err(|too_late| StoreError::InvalidArgument { what: too_late.to_string() })?;
        if !lines.is_empty() {
            matching.push((path, lines));
        }
    }
    let with_match: Vec<&str> = matching.iter().map(|(path, _)| path.as_str()).collect();
    if with_match.is_empty() {
        return Ok(Vec::new());
    }
    let mut rows = view.records.chunks_of(&with_match, selection)?;
    for row in &rows {
        view.check_version(&row.path, &row.version)?;
    }
    rows.sort_by_key(|row| (row.span.start_line, row.ordinal));
    let found = matching.iter().flat_map(|(path, lines)| {
        let of_file: Vec<&ChunkRow> = rows.iter().filter(|row| row.path == *path).collect();
        assign_to_chunks(&of_file, lines)
    });
    Ok(found.collect())
}

/// Assigns matching lines to the chunks that show them. A line that several chunks show belongs to
/// the shortest.
fn assign_to_chunks(rows: &[&ChunkRow], lines: &[u32]) -> Vec<(ChunkRow, Vec<u32>)> {
    let mut found: Vec<(ChunkRow, Vec<u32>)> = Vec::new();
    for line in lines {
        let shown = rows.iter().filter(|row| {
            let span = row.span;
            (span.start_line..=span.end_line).contains(line)
        });
        let shortest = shown.min_by_key(|row| row.span.end_line - row.span.start_line);
        let Some(row) = shortest else {
            continue;
        };
        match found.iter_mut().find(|(one, _)| one.ordinal == row.ordinal) {
            Some((_, known)) => known.push(*line),
            None => found.push(((*row).clone(), vec![*line])),
        }
    }
    found
}

/// Returns the files that may match, by path.
fn candidates(
    view: &RemoteView,
    pattern: &Pattern,
    selection: &Selection,
) -> Result<Vec<String>, StoreError> {
    let narrowed = narrow_paths(view, pattern.required_literals())?;
    let files = view.all_files()?;
    let is_meant = |path: &str| narrowed.as_ref().is_none_or(|paths| paths.contains(path));
    let meant = files.iter().filter(|file| is_meant(&file.path) && selection.may_match(file));
    Ok(meant.map(|file| file.path.clone()).collect())
}

/// Returns the paths of the files that satisfy the required literals; `None` if all may. A literal
/// of fewer than three bytes has no trigram and narrows nothing.
fn narrow_paths(
    view: &RemoteView,
    needs: &RequiredLiterals,
) -> Result<Option<BTreeSet<String>>, StoreError> {
    match needs {
        RequiredLiterals::Nothing => Ok(None),
        RequiredLiterals::Literal(literal) => {
            let grams = trigrams::extract(literal);
            if grams.is_empty() {
                Ok(None)
            } else {
                let paths = view.records.files_with_trigrams(&grams)?;
                Ok(Some(paths.into_iter().collect()))
            }
        }
        RequiredLiterals::All(parts) => {
            let mut common: Option<BTreeSet<String>> = None;
            for part in parts {
                let paths = narrow_paths(view, part)?;
                common = match (common, paths) {
                    (Some(one), Some(other)) => Some(&one & &other),
                    (one, other) => one.or(other),
                };
            }
            Ok(common)
        }
        RequiredLiterals::One(parts) => {
            let mut any = BTreeSet::new();
            for part in parts {
                match narrow_paths(view, part)? {
                    Some(paths) => any.extend(paths),
                    None => return Ok(None),
                }
            }
            Ok(Some(any))
        }
    }
}
