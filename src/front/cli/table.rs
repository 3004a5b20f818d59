//! Tables for people, with aligned columns that fit the terminal's width. Places, names and
//! findings are never cut: texts wrap, and the least important columns are dropped first. Rows
//! that still do not fit become records. Only the few field names below have a meaning here.

use std::io::IsTerminal;

use serde_json::{Map, Value};

use super::render::{colour_codes, format_cell, is_empty};

/// The column with the remedy for a row. It moves below the row if the table is too wide.
const REMEDY: &str = "remedy";

/// The joint column of path and line, which many terminals open with a click.
const PLACE: &str = "path:line";

/// Columns that are never cut or wrapped, because a part of them is useless.
const WHOLE: [&str; 5] = [PLACE, "path", "symbol", "name", "id"];

/// Columns that may be cut to `CUT_TO` characters, because their beginning says enough.
const CUT: [&str; 4] = ["description", "purpose", "summary", SIGNATURE];
const SIGNATURE: &str = "signature";
/// The width to which such columns may be cut.
const CUT_TO: usize = 24;

/// The narrowest column that a longer text wraps into.
const NARROWEST: usize = 16;

/// Columns that a list of symbols drops if it is too wide, in this order.
const SPARE: [&str; 6] = ["reason", "calls", "endLine", "visibility", "package", "kind"];

/// Formats one row per item and one column per field, without empty columns. A pipe has no `width`
/// and takes lines of any length.
pub fn format_table(rows: &[&Map<String, Value>], indent: usize, width: Option<usize>) -> String {
    let room = width.map_or(usize::MAX, |width| width.saturating_sub(indent));
    let grid = Grid::new(rows);
    let lines = grid.fitted_lines(room).unwrap_or_else(|| grid.record_lines(room));
    let pad = " ".repeat(indent);
    let padded = lines.iter().map(|line| format!("{pad}{line}"));
    padded.collect::<Vec<_>>().join("\n")
}

/// A table of texts, before it is fitted.
#[derive(Clone)]
struct Grid {
    /// The names of the columns.
    names: Vec<String>,
    /// The cells of each row.
    rows: Vec<Vec<String>>,
}

impl Grid {
    /// Builds a grid from rows, without empty columns. `path` and `line` become one column.
    fn new(rows: &[&Map<String, Value>]) -> Grid {
        let mut columns: Vec<&String> = Vec::new();
        for (name, value) in rows.iter().flat_map(|row| row.iter()) {
            if !columns.contains(&name) && !is_empty(value) {
                columns.push(name);
            }
        }
        // The longest column last, so that no room has to be left behind it. The sort is stable:
        // other columns keep the order of the reply.
        columns.sort_by_key(|name| name.as_str() == SIGNATURE);
        let cells = |row: &&Map<String, Value>| {
            let cell = |name: &&String| row.get(*name).map_or(String::new(), format_cell);
            columns.iter().map(cell).collect()
        };
        let mut grid = Grid {
            names: columns.iter().map(ToString::to_string).collect(),
            rows: rows.iter().map(cells).collect(),
        };
        grid.join_places();
        grid
    }

    /// Joins the columns `path` and `line`, if there are both.
    fn join_places(&mut self) {
        let position = |name: &str| self.names.iter().position(|known| known == name);
        let (Some(path), Some(line)) = (position("path"), position("line")) else {
            return;
        };
        self.names[path] = PLACE.to_string();
        self.names.remove(line);
        for row in &mut self.rows {
            if !row[line].is_empty() {
                row[path] = format!("{}:{}", row[path], row[line]);
            }
            row.remove(line);
        }
    }

    /// Returns the lines of a table at most `room` wide; `None` if it cannot be narrowed so far.
    fn fitted_lines(&self, room: usize) -> Option<Vec<String>> {
        let widest = self.column_widths();
        if row_width(&widest) <= room {
            return Some(self.table_lines(&widest, &[], room));
        }
        let (mut grid, remedies) = self.without_column(REMEDY);
        let mut spared = Vec::new();
        loop {
            if let Some(widths) = grid.narrowed_widths(room) {
                let mut lines = grid.table_lines(&widths, &remedies, room);
                lines.extend(omission_note(&spared));
                return Some(lines);
            }
            let is_of_symbols = grid.has_column(PLACE) && grid.has_column("symbol");
            let spare = *SPARE.iter().find(|name| is_of_symbols && grid.has_column(name))?;
            spared.push(spare);
            grid = grid.without_column(spare).0;
        }
    }

    /// True if there is such a column.
    fn has_column(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// Returns the grid without one column, and that column's cells.
    fn without_column(&self, name: &str) -> (Grid, Vec<String>) {
        let mut grid = self.clone();
        let Some(column) = grid.names.iter().position(|known| known == name) else {
            return (grid, Vec::new());
        };
        grid.names.remove(column);
        let cells = grid.rows.iter_mut().map(|row| row.remove(column)).collect();
        (grid, cells)
    }

    /// The width of each column's longest cell.
    fn column_widths(&self) -> Vec<usize> {
        let widest = |(column, name): (usize, &String)| {
            let cells = self.rows.iter().map(|row| &row[column]);
            let widths = cells.chain([name]).map(|cell| cell.chars().count());
            widths.max().unwrap_or(0)
        };
        self.names.iter().enumerate().map(widest).collect()
    }

    /// Returns the smallest width of a column.
    fn min_width(&self, column: usize, widest: usize) -> usize {
        let name = self.names[column].as_str();
        if WHOLE.contains(&name) {
            return widest;
        }
        if CUT.contains(&name) {
            return widest.min(CUT_TO);
        }
        let words = self
            .rows
            .iter()
            .flat_map(|row| row[column].split(' '))
            .chain([name])
            .map(|word| word.chars().count());
        words.max().unwrap_or(0).max(widest.min(NARROWEST))
    }

    /// Returns column widths that fit into `room`. The widest columns shrink first.
    fn narrowed_widths(&self, room: usize) -> Option<Vec<usize>> {
        let mut widths = self.column_widths();
        let bounds: Vec<usize> = widths
            .iter()
            .enumerate()
            .map(|(column, widest)| self.min_width(column, *widest))
            .collect();
        while row_width(&widths) > room {
            let columns = widths.iter_mut().zip(&bounds);
            let giving = columns.filter(|(width, least)| **width > **least);
            let (longest, _) = giving.max_by_key(|(width, _)| **width)?;
            *longest -= 1;
        }
        Some(widths)
    }

    /// Formats the header and the rows, with remedies below their rows.
    fn table_lines(&self, widths: &[usize], remedies: &[String], room: usize) -> Vec<String> {
        let dim = colour_codes(std::io::stdout().is_terminal(), "2");
        let header = self.row_lines(&self.names, widths).into_iter();
        let mut lines: Vec<String> =
            header.map(|line| format!("{}{line}{}", dim.0, dim.1)).collect();
        for (place, row) in self.rows.iter().enumerate() {
            lines.extend(self.row_lines(row, widths));
            if let Some(remedy) = remedies.get(place).filter(|remedy| !remedy.is_empty()) {
                let wrapped = wrap_text(remedy, room.saturating_sub(4));
                let marks = ["  → "].into_iter().chain(std::iter::repeat("    "));
                lines.extend(marks.zip(wrapped).map(|(mark, line)| mark.to_string() + &line));
            }
        }
        lines
    }

    /// Returns the lines of a row: one, unless a cell wraps.
    fn row_lines(&self, row: &[String], widths: &[usize]) -> Vec<String> {
        let columns = row.iter().zip(widths).zip(&self.names);
        let cells: Vec<Vec<String>> = columns
            .map(|((cell, width), name)| {
                if CUT.contains(&name.as_str()) {
                    vec![shorten(cell, *width)]
                } else {
                    wrap_text(cell, *width)
                }
            })
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        let line = |number: usize| {
            let parts = cells
                .iter()
                .zip(widths)
                .map(|(cell, width)| pad_to(cell.get(number).map_or("", String::as_str), *width));
            let line = parts.collect::<Vec<_>>().join("  ");
            line.trim_end().to_string()
        };
        (0..height).map(line).collect()
    }

    /// Formats each row as a record: the place or the first column, and the other fields below it.
    fn record_lines(&self, room: usize) -> Vec<String> {
        const INDENT: &str = "    ";
        let head = self.names.iter().position(|name| name == PLACE).unwrap_or(0);
        let record = |row: &Vec<String>| {
            let fields = self
                .names
                .iter()
                .zip(row)
                .enumerate()
                .filter(|(column, (_, cell))| *column != head && !cell.is_empty())
                .map(|(_, (name, cell))| match name.as_str() {
                    "symbol" | "name" | "kind" => cell.clone(),
                    name if cell == "true" => name.to_string(),
                    name => format!("{name} {cell}"),
                });
            let below = pack_fields(fields, room.saturating_sub(INDENT.len()))
                .into_iter()
                .map(|line| format!("{INDENT}{line}"));
            std::iter::once(row[head].clone()).chain(below).collect::<Vec<_>>()
        };
        self.rows.iter().flat_map(record).collect()
    }
}

/// The most columns that are aligned. One long cell must not widen every row.
const MAX_PADDING: usize = 400;

/// Appends blanks to a text up to a width. The width of a format string is limited to 65,535, and a
/// larger one panics; a description may be longer.
pub fn pad_to(text: &str, width: usize) -> String {
    let missing = width.min(MAX_PADDING).saturating_sub(text.chars().count());
    text.to_string() + &" ".repeat(missing)
}

/// Returns the width of a row, including the gaps between its columns.
fn row_width(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1)
}

/// Notes the columns that were dropped.
fn omission_note(spared: &[&str]) -> Option<String> {
    let dim = colour_codes(std::io::stdout().is_terminal(), "2");
    let names = spared.join(", ");
    (!spared.is_empty()).then(|| format!("{}no room for {names}; --json has them{}", dim.0, dim.1))
}

/// Cuts a text to a width with an ellipsis.
fn shorten(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_string();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// Wraps a text between words; a word that is too long stays whole.
fn wrap_text(text: &str, width: usize) -> Vec<String> {
    if text.chars().count() <= width {
        return vec![text.to_string()];
    }
    join_parts(text.split(' ').map(str::to_string), " ", width)
}

/// As many fields on a line as it has room for; one that has no room on any wraps.
fn pack_fields(fields: impl Iterator<Item = String>, width: usize) -> Vec<String> {
    let lines = join_parts(fields, "  ", width);
    lines.iter().flat_map(|line| wrap_text(line, width)).collect()
}

/// Joins parts into lines of at most `width` characters; a longer part has a line of its own.
fn join_parts(parts: impl Iterator<Item = String>, between: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if line.chars().count() + between.len() + part.chars().count() <= width => {
                *line += between;
                *line += &part;
            }
            _ => lines.push(part),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use serde_json::json;

    use super::*;

    fn check(rows: Value, width: usize, expected: Expect) {
        let rows: Vec<&Map<String, Value>> =
            rows.as_array().unwrap().iter().map(|row| row.as_object().unwrap()).collect();
        expected.assert_eq(&(format_table(&rows, 0, Some(width)) + "\n"));
    }

    fn callers() -> Value {
        json!([
            {"symbol": "Searcher.search_reader", "kind": "method", "line": 643,
             "path": "crates/searcher/src/searcher/mod.rs", "at": [650], "calls": "Searcher.search_path",
             "confidence": "high", "reason": "import"},
            {"symbol": "run", "kind": "function", "path": "crates/core/main.rs", "line": 7,
             "at": [9, 12], "calls": "Searcher.search_path", "confidence": "exact", "reason": "one file"},
        ])
    }

    /// A width in a format string may be at most 65,535, and panics beyond.
    #[test]
    fn a_cell_may_be_of_any_length() {
        let rows = json!([
            {"description": "a".repeat(70_000), "path": "a"},
            {"description": "b", "path": "b"},
        ]);
        let rows: Vec<_> = rows.as_array().unwrap().iter().filter_map(Value::as_object).collect();
        let text = format_table(&rows, 0, None);
        let last = text.lines().last().unwrap();
        assert_eq!(last.len(), MAX_PADDING + "  b".len());
    }

    #[test]
    fn places_and_symbols_stay_whole() {
        check(
            callers(),
            98,
            expect![[r#"
              symbol                  kind      path:line                                at     confidence
              Searcher.search_reader  method    crates/searcher/src/searcher/mod.rs:643  650    high
              run                     function  crates/core/main.rs:7                    9, 12  exact
              no room for reason, calls; --json has them
        "#]],
        );
        check(
            callers(),
            78,
            expect![[r#"
              crates/searcher/src/searcher/mod.rs:643
                  Searcher.search_reader  method  at 650  calls Searcher.search_path
                  confidence high  reason import
              crates/core/main.rs:7
                  run  function  at 9, 12  calls Searcher.search_path  confidence exact
                  reason one file
        "#]],
        );
    }

    #[test]
    fn nothing_is_padded_to_the_longest_signature() {
        let symbols = json!([
            {"lines": "1", "name": "a", "signature": "fn a(one: usize, two: usize) -> usize"},
            {"lines": "2-4", "name": "b", "signature": "fn b()", "visibility": "private"},
        ]);
        check(
            symbols,
            200,
            expect![[r#"
              lines  name  visibility  signature
              1      a                 fn a(one: usize, two: usize) -> usize
              2-4    b     private     fn b()
        "#]],
        );
    }

    #[test]
    fn findings_wrap_and_remedies_stand_below() {
        let findings = json!([
            {"check": "settings", "verdict": "good", "says": "read without a complaint"},
            {"check": "code index", "verdict": "fair", "says": "1 file could be read in part only",
             "remedy": "ken status --skipped lists them"},
            {"check": "disk", "verdict": "bad",
             "says": "there is so little room that an index of a large repository would not fit",
             "remedy": "make room, or set KEN_HOME to a folder on another disk that has enough of it"},
        ]);
        check(
            findings,
            58,
            expect![[r#"
              check       verdict  says
              settings    good     read without a complaint
              code index  fair     1 file could be read in part only
                → ken status --skipped lists them
              disk        bad      there is so little room that an index
                                   of a large repository would not fit
                → make room, or set KEN_HOME to a folder on another disk
                  that has enough of it
        "#]],
        );
    }

    #[test]
    fn descriptions_are_cut_and_short_columns_stay() {
        let specs = || json!([{"id": "auth", "purpose": "x".repeat(50)}]);
        check(
            specs(),
            60,
            expect![[r#"
              id    purpose
              auth  xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
        "#]],
        );
        check(
            specs(),
            32,
            expect![[r#"
              id    purpose
              auth  xxxxxxxxxxxxxxxxxxxxxxxxx…
        "#]],
        );
        check(
            specs(),
            10,
            expect![[r#"
              auth
                  purpose
                  xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
        "#]],
        );
        // An indented cell has that much less width.
        let specs = specs();
        let rows = [specs[0].as_object().unwrap()];
        let lines = format_table(&rows, 4, Some(36));
        assert!(lines.lines().all(|line| line.starts_with("    ")), "{lines}");
        let widest = lines.lines().map(|line| line.chars().count()).max();
        assert_eq!(widest, Some(36));
    }
}
