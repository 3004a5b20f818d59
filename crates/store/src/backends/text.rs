//! Text as it is written, in the files of a server: grams narrow, and then the texts are read here, by
//! path, until enough is found. What is found is what the embedded store finds.

use std::collections::BTreeSet;

use super::remote::RemoteView;
use super::remote_api::{ChunkRow, PieceRow, Selection, StoredPart};
use super::trigrams;
use crate::StoreError;
use crate::code::{Bounds, Needs, Pattern};

/// Files whose texts are fetched at a time: few at first, for a text that is everywhere.
const FIRST_BATCH: usize = 16;
const LARGEST_BATCH: usize = 256;

/// The chunks with a match, by path and place, and the lines of their files in which one begins.
pub fn find(
    view: &RemoteView,
    pattern: &Pattern,
    selection: &Selection,
    bounds: Bounds,
) -> Result<Vec<(ChunkRow, Vec<u32>)>, StoreError> {
    let paths = candidates(view, pattern, selection)?;
    let mut rest = paths.as_slice();
    let mut size = FIRST_BATCH;
    let mut found = Vec::new();
    while !rest.is_empty() && found.len() < bounds.chunks {
        let (batch, behind) = rest.split_at(size.min(rest.len()));
        found.extend(find_among(view, pattern, selection, bounds, batch)?);
        rest = behind;
        size = (size * 2).min(LARGEST_BATCH);
    }
    found.truncate(bounds.chunks);
    Ok(found)
}

fn find_among(
    view: &RemoteView,
    pattern: &Pattern,
    selection: &Selection,
    bounds: Bounds,
    paths: &[String],
) -> Result<Vec<(ChunkRow, Vec<u32>)>, StoreError> {
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let mut matching: Vec<(String, Vec<u32>)> = Vec::new();
    for PieceRow { path, packed, .. } in view.pieces(&paths, StoredPart::Text)? {
        let text = view.unpacked(&path, &packed)?;
        let lines = pattern.lines(&text, bounds.deadline);
        let lines = lines.map_err(|too_late| StoreError::Refused { what: too_late.to_string() })?;
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
        view.meet(&row.path, &row.version)?;
    }
    rows.sort_by_key(|row| (row.span.start_line, row.ordinal));
    let found = matching.iter().flat_map(|(path, lines)| {
        let of_file: Vec<&ChunkRow> = rows.iter().filter(|row| row.path == *path).collect();
        by_chunk(&of_file, lines)
    });
    Ok(found.collect())
}

/// Puts lines of a file to its chunks. A line that two chunks show belongs to the shorter one.
fn by_chunk(rows: &[&ChunkRow], lines: &[u32]) -> Vec<(ChunkRow, Vec<u32>)> {
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

/// The files that may match, by path.
fn candidates(
    view: &RemoteView,
    pattern: &Pattern,
    selection: &Selection,
) -> Result<Vec<String>, StoreError> {
    let narrowed = narrow(view, pattern.needs())?;
    let files = view.all_files()?;
    let is_meant = |path: &str| narrowed.as_ref().is_none_or(|paths| paths.contains(path));
    let files = files.iter();
    let meant = files.filter(|file| is_meant(&file.path) && selection.may_hold(file));
    Ok(meant.map(|file| file.path.clone()).collect())
}

/// `None` for all.
fn narrow(view: &RemoteView, needs: &Needs) -> Result<Option<BTreeSet<String>>, StoreError> {
    match needs {
        Needs::Nothing => Ok(None),
        Needs::Literal(literal) => {
            let grams = trigrams::of(literal);
            if grams.is_empty() {
                Ok(None)
            } else {
                let paths = view.records.files_with_grams(&grams)?;
                Ok(Some(paths.into_iter().collect()))
            }
        }
        Needs::All(parts) => {
            let mut common: Option<BTreeSet<String>> = None;
            for part in parts {
                let paths = narrow(view, part)?;
                common = match (common, paths) {
                    (Some(one), Some(other)) => Some(&one & &other),
                    (one, other) => one.or(other),
                };
            }
            Ok(common)
        }
        Needs::One(parts) => {
            let mut any = BTreeSet::new();
            for part in parts {
                match narrow(view, part)? {
                    Some(paths) => any.extend(paths),
                    None => return Ok(None),
                }
            }
            Ok(Some(any))
        }
    }
}
