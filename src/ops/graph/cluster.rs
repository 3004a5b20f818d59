//! Neighbours of a symbol, so few that a picture of them can be read: each by itself while they are
//! few, else gathered by file, else by directory; what is left after that is counted.

use std::collections::BTreeMap;

use crate::ops::code::dto::SymbolRef;
use kenning_model::Confidence;

/// More boxes in a column than this are not read.
pub const COLUMN: usize = 24;

/// One box.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbour {
    pub id: String,
    pub label: String,
    pub detail: Option<String>,
    /// `path:line` of a symbol, a file; nothing of a directory or a rest.
    pub place: Option<String>,
    pub path: String,
    pub sureness: Confidence,
    pub is_test: bool,
}

/// One that stands at the other end of an edge.
pub struct LinkedSymbol {
    pub symbol: SymbolRef,
    pub sureness: Confidence,
}

/// `word` is what they are together, such as `callers`.
pub fn cluster_neighbours(found: &[LinkedSymbol], word: &str) -> Vec<Neighbour> {
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

/// By what `key` says of their paths, each with how many there are.
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
        let gathered = cluster_neighbours(found, "callers");
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
