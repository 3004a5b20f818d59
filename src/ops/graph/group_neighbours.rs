//! Clusters the neighbours of a symbol until a picture of them can be read. Few are single boxes;
//! many are grouped by file, then by directory, and the rest is counted.

use std::collections::BTreeMap;

use crate::ops::code::reply_parts::SymbolRef;
use kenning_model::Confidence;

/// The most boxes in a column that a person reads.
pub const COLUMN: usize = 24;

/// One box.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbour {
    /// Unique within the drawing.
    pub id: String,
    /// The text of the box.
    pub label: String,
    /// A second, smaller line.
    pub detail: Option<String>,
    /// `path:line` of a symbol, or the path of a file; `None` for a directory or a rest.
    pub place: Option<String>,
    /// The path, by which the box gets its package.
    pub path: String,
    /// The highest confidence of the edges to it.
    pub sureness: Confidence,
    /// True if everything in it is test code.
    pub is_test: bool,
}

/// A symbol at the other end of an edge.
pub struct LinkedSymbol {
    /// The symbol.
    pub symbol: SymbolRef,
    /// The confidence of the edge.
    pub sureness: Confidence,
}

/// Returns at most [`COLUMN`] boxes. `word` is the plural of what they are, such as `callers`.
pub fn group_neighbours(found: &[LinkedSymbol], word: &str) -> Vec<Neighbour> {
    let alone: Vec<Neighbour> = found.iter().map(single_neighbour).collect();
    if alone.len() <= COLUMN {
        return alone;
    }
    let files = group_by_path(found, word, |path| path.to_string());
    if files.len() <= COLUMN {
        return files.into_iter().map(|(_, one)| one).collect();
    }
    let mut directories = group_by_path(found, word, |path| match path.rsplit_once('/') {
        Some((directory, _)) => format!("{directory}/"),
        None => "./".to_string(),
    });
    directories.sort_by_key(|one| std::cmp::Reverse(one.0));
    // One box is reserved for the rest.
    let rest = directories.split_off(directories.len().min(COLUMN - 1));
    let mut shown: Vec<Neighbour> = directories.into_iter().map(|(_, one)| one).collect();
    if !rest.is_empty() {
        let count: usize = rest.iter().map(|(count, _)| count).sum();
        shown.push(Neighbour {
            id: format!("rest of {word}"),
            label: format!("{count} more {word}"),
            detail: Some(format!("in {} directories", rest.len())),
            place: None,
            path: String::new(),
            sureness: Confidence::Low,
            is_test: false,
        });
    }
    shown
}

/// A box for one symbol.
fn single_neighbour(found: &LinkedSymbol) -> Neighbour {
    let symbol = &found.symbol;
    let file = symbol.path.rsplit('/').next().unwrap_or(&symbol.path);
    let place = format!("{}:{}", symbol.path, symbol.line);
    Neighbour {
        // Code outside of every definition goes by its file.
        label: if symbol.kind == "file" { symbol.path.clone() } else { symbol.symbol.clone() },
        detail: Some(format!("{file}:{}", symbol.line)),
        id: place.clone(),
        place: Some(place),
        path: symbol.path.clone(),
        sureness: found.sureness,
        is_test: symbol.test,
    }
}

/// Groups symbols by a key of their path, each group with its size. Keys that end in `/` are
/// directories.
fn group_by_path(
    found: &[LinkedSymbol],
    word: &str,
    key: impl Fn(&str) -> String,
) -> Vec<(usize, Neighbour)> {
    let mut groups: BTreeMap<String, Vec<&LinkedSymbol>> = BTreeMap::new();
    for one in found {
        groups.entry(key(&one.symbol.path)).or_default().push(one);
    }
    let groups = groups.into_iter().map(|(name, members)| {
        let is_file = !name.ends_with('/');
        let surest = members.iter().map(|one| one.sureness).max();
        let neighbour = Neighbour {
            id: format!("{word} in {name}"),
            detail: Some(format!("{} {word}", members.len())),
            place: is_file.then(|| name.clone()),
            path: name.clone(),
            label: name,
            sureness: surest.unwrap_or(Confidence::Low),
            is_test: members.iter().all(|one| one.symbol.test),
        };
        (members.len(), neighbour)
    });
    groups.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, line: u32) -> LinkedSymbol {
        LinkedSymbol {
            symbol: SymbolRef {
                symbol: format!("f{line}"),
                kind: "function".into(),
                path: path.to_string(),
                line,
                test: false,
            },
            sureness: Confidence::High,
        }
    }

    fn check(found: &[LinkedSymbol], boxes: usize, first: &str, last: &str) {
        let gathered = group_neighbours(found, "callers");
        assert_eq!(gathered.len(), boxes);
        assert_eq!(gathered[0].label, first);
        assert_eq!(gathered[boxes - 1].label, last);
    }

    #[test]
    fn few_stand_alone_and_many_together() {
        let few: Vec<LinkedSymbol> = (0..5).map(|line| found("a.rs", line)).collect();
        check(&few, 5, "f0", "f4");
        let of_two_files = (0..50).map(|line| found(["a.rs", "b.rs"][line as usize % 2], line));
        check(&of_two_files.collect::<Vec<_>>(), 2, "a.rs", "b.rs");
        let of_many = |directories: u32| {
            let paths = (0..300).map(move |line| format!("d{}/f{line}.rs", line % directories));
            let found = paths.enumerate().map(|(line, path)| found(&path, line as u32));
            found.collect::<Vec<_>>()
        };
        check(&of_many(7), 7, "d0/", "d6/");
        // 23 directories of 40 are shown, each with 7 or 8.
        check(&of_many(40), COLUMN, "d0/", "119 more callers");
    }
}
