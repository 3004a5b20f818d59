//! Lists the source of the chosen definitions within a budget: grouped by file, each line once,
//! long definitions trimmed to the statements that match the question. Of a long type or module
//! only the heads of its members are listed.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::definition_choice::{ChosenSource, members_within};
use super::question_terms::QuestionTerms;
use super::statement_trim::{WeightedLines, trim_to_statements};
use crate::graph::Graph;
use crate::ops::OpError;
use kenning_lang::languages::{self, LanguageRole};
use kenning_model::RepoPath;

/// A file with the source of its chosen definitions.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SourceFile {
    /// The path below the root.
    pub path: String,
    /// The definitions in the order of the file.
    pub definitions: Vec<SourceDefinition>,
}

/// The source of a definition.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SourceDefinition {
    /// The name with its scope; absent for lines outside of every definition.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub symbol: String,
    /// The lines of the whole definition: `12-40`.
    pub lines: String,
    /// The text, verbatim. `… lines 20-33` stands for lines that are not shown.
    pub content: String,
}

/// The listed source and the rest.
pub struct SourceListing {
    /// The files, that of the best definition first. A file may be there twice: with its best
    /// definition, and with the others.
    pub files: Vec<SourceFile>,
    /// The indexes of the listed candidates.
    pub shown: Vec<usize>,
    /// The indexes of the candidates that did not fit.
    pub left: Vec<usize>,
}

/// The lines of a definition by its rank, before the budget stretches them.
const LINES_BY_RANK: [usize; 8] = [70, 60, 50, 40, 32, 24, 24, 20];

/// The lines of all further definitions.
const LINES_BEYOND: usize = 16;

/// The lines of a long container without a matching member.
const CONTAINER_LINES: usize = 6;

/// The members of a long container whose first lines are listed, if it is one of several
/// definitions.
const LISTED_MEMBERS: usize = 8;

/// The same, if the question is about the container itself.
const SUBJECT_MEMBERS: usize = 60;

/// The files whose best definitions come first.
const LEADS: usize = 4;

/// The factors by which the lines of all definitions are stretched, if the budget allows.
const STRETCHES: [f32; 3] = [3.0, 1.5, 1.0];

/// The factor for the weight of a comment: it describes the answer, but the code is the answer.
const COMMENT_FACTOR: f32 = 0.4;

/// The bytes of an ordinary line of code. A definition is trimmed to the lines that have room.
const LINE_BYTES: usize = 40;

/// The bytes that a definition costs beside its text.
const HEAD_BYTES: usize = 40;

/// Lists as much of the candidates as fits into `budget` bytes, best first.
pub fn list_sources(
    graph: &Graph,
    chosen: &[ChosenSource],
    terms: &QuestionTerms,
    budget: usize,
) -> Result<SourceListing, OpError> {
    let mut texts = Vec::new();
    for one in chosen {
        texts.push(graph.read_lines(&one.path, one.start, one.end)?.unwrap_or_default());
    }
    let weighted: Vec<WeightedLines> =
        chosen.iter().zip(&texts).map(|(one, text)| weigh_lines(one, text, terms)).collect();
    let outlines: Result<Vec<Option<LineRanges>>, OpError> = chosen
        .iter()
        .zip(&weighted)
        .map(|(one, text)| outline_ranges(graph, one, text, terms, chosen.len() == 1))
        .collect();
    let outlines = outlines?;
    let mut listed = ListingDraft::default();
    for stretch in STRETCHES {
        listed = ListingDraft::fill(chosen, &weighted, &outlines, stretch, budget);
        if listed.left.is_empty() {
            break;
        }
    }
    Ok(listed.into_listing(chosen, &weighted))
}

/// Splits a text into lines, each with its weight.
fn weigh_lines<'t>(one: &ChosenSource, text: &'t str, terms: &QuestionTerms) -> WeightedLines<'t> {
    let lines: Vec<&str> = text.lines().collect();
    let weights = lines
        .iter()
        .map(|line| {
            let factor = if is_comment(line) { COMMENT_FACTOR } else { 1.0 };
            if one.is_long_container() { 0.0 } else { terms.weight_of(line) * factor }
        })
        .collect();
    let line = one.definition.as_ref().map_or(one.start, |one| one.symbol.line);
    let name_line = line.saturating_sub(one.start) as usize;
    WeightedLines { name_line: name_line.min(lines.len().saturating_sub(1)), lines, weights }
}

/// Returns the lines of a long container that are listed: its header, and the first lines of the
/// members whose names have words of the question. `None` for any other definition.
fn outline_ranges(
    graph: &Graph,
    one: &ChosenSource,
    text: &WeightedLines,
    terms: &QuestionTerms,
    is_subject: bool,
) -> Result<Option<LineRanges>, OpError> {
    let Some(owner) = one.definition.as_ref().filter(|_| one.is_long_container()) else {
        return Ok(None);
    };
    let mut members = members_within(graph, owner)?;
    members.retain(|member| is_subject || terms.share_in(&member.symbol.name) > 0.0);
    members.sort_by_key(|member| member.symbol.is_test);
    members.truncate(if is_subject { SUBJECT_MEMBERS } else { LISTED_MEMBERS });
    if members.is_empty() {
        return Ok(Some(trim_to_statements(text, CONTAINER_LINES)));
    }
    let header = trim_to_statements(text, 0).into_iter().flatten();
    let heads = members.iter().map(|member| (member.symbol.line - one.start) as usize);
    let lines: BTreeSet<usize> =
        header.chain(heads).filter(|line| *line < text.lines.len()).collect();
    let mut ranges = LineRanges::new();
    for line in lines {
        match ranges.last_mut() {
            Some(last) if last.end == line => last.end = line + 1,
            _ => ranges.push(line..line + 1),
        }
    }
    Ok(Some(ranges))
}

/// True for a line that begins like a comment of any language.
fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    ["//", "#", "*", "/*", "--", "\"\"\""].iter().any(|sign| line.starts_with(sign))
}

/// Lines of a definition, counted from its first.
type LineRanges = Vec<Range<usize>>;

/// The ranges of lines that are listed, by candidate.
#[derive(Default)]
struct ListingDraft {
    ranges: Vec<(usize, LineRanges)>,
    left: Vec<usize>,
}

impl ListingDraft {
    /// Takes candidates in their order until the budget is spent.
    fn fill(
        chosen: &[ChosenSource],
        weighted: &[WeightedLines],
        outlines: &[Option<LineRanges>],
        stretch: f32,
        budget: usize,
    ) -> ListingDraft {
        let mut draft = ListingDraft::default();
        let mut known: HashMap<&RepoPath, HashSet<u32>> = HashMap::new();
        let mut spent = 0;
        for (at, one) in chosen.iter().enumerate() {
            let lines = LINES_BY_RANK.get(at).copied().unwrap_or(LINES_BEYOND);
            let text = &weighted[at];
            let room = budget.saturating_sub(spent) / LINE_BYTES;
            let trimmed =
                || trim_to_statements(text, ((lines as f32 * stretch) as usize).min(room));
            let ranges = outlines[at].clone().unwrap_or_else(trimmed);
            let is_first = !known.contains_key(&one.path);
            let known = known.entry(&one.path).or_default();
            let ranges = subtract_known(&ranges, one.start, known);
            if is_empty(text, &ranges) {
                continue;
            }
            let bytes: usize = ranges
                .iter()
                .flat_map(|range| &text.lines[range.clone()])
                .map(|line| line.len() + 1)
                .sum();
            let head = HEAD_BYTES + one.name().len() + ranges.len() * 20;
            let path = if is_first { one.path.as_str().len() + 16 } else { 0 };
            if spent + bytes + head + path > budget && !draft.ranges.is_empty() {
                draft.left.push(at);
                continue;
            }
            spent += bytes + head + path;
            // An outline has only the heads of members. A member that is listed too has its own.
            if outlines[at].is_none() {
                let numbers = ranges.iter().flat_map(|range| range.clone());
                known.extend(numbers.map(|line| one.start + line as u32));
            }
            draft.ranges.push((at, ranges));
        }
        draft
    }

    /// Converts the ranges to text: first the best definition of each of the first files, then the
    /// others by file. A reader who stops early has the best of several files.
    fn into_listing(self, chosen: &[ChosenSource], weighted: &[WeightedLines]) -> SourceListing {
        let leads = first_of_files(&self.ranges, chosen);
        let mut files: Vec<SourceFile> = Vec::new();
        for &(at, ref ranges) in self.ranges.iter().filter(|(at, _)| leads.contains(at)) {
            let definition = source_definition(&chosen[at], &weighted[at], ranges);
            let path = chosen[at].path.to_string();
            files.push(SourceFile { path, definitions: vec![definition] });
        }
        let mut groups: Vec<(SourceFile, Vec<u32>)> = Vec::new();
        for &(at, ref ranges) in self.ranges.iter().filter(|(at, _)| !leads.contains(at)) {
            let one = &chosen[at];
            let path = one.path.as_str();
            let place = groups.iter().position(|(file, _)| file.path == path);
            let place = place.unwrap_or_else(|| {
                let file = SourceFile { path: path.to_string(), definitions: Vec::new() };
                groups.push((file, Vec::new()));
                groups.len() - 1
            });
            let (file, starts) = &mut groups[place];
            let before = starts.partition_point(|start| *start <= one.start);
            starts.insert(before, one.start);
            file.definitions.insert(before, source_definition(one, &weighted[at], ranges));
        }
        files.extend(groups.into_iter().map(|(file, _)| file));
        SourceListing {
            files,
            shown: self.ranges.iter().map(|(at, _)| *at).collect(),
            left: self.left,
        }
    }
}

/// Returns the indexes of the best definition of each of the first files. None, if all listed
/// definitions are in one file: then the order of the file is easier to read.
fn first_of_files(ranges: &[(usize, LineRanges)], chosen: &[ChosenSource]) -> Vec<usize> {
    let mut paths: Vec<&RepoPath> = Vec::new();
    let mut leads: Vec<usize> = Vec::new();
    // A document is no code.
    let is_code =
        |one: &ChosenSource| languages::role_by_path(&one.path) == Some(LanguageRole::Program);
    for (at, _) in ranges.iter().filter(|(at, _)| is_code(&chosen[*at])) {
        let path = &chosen[*at].path;
        if leads.len() < LEADS && !paths.contains(&path) {
            paths.push(path);
            leads.push(*at);
        }
    }
    if leads.len() > 1 { leads } else { Vec::new() }
}

/// Converts the listed lines of a definition to text.
fn source_definition(
    one: &ChosenSource,
    text: &WeightedLines,
    ranges: &[Range<usize>],
) -> SourceDefinition {
    SourceDefinition {
        symbol: one.name(),
        lines: format!("{}-{}", one.start, one.end),
        content: format_ranges(&text.lines, ranges, one.start),
    }
}

/// Removes lines that another definition of the file shows already.
fn subtract_known(ranges: &[Range<usize>], start: u32, known: &HashSet<u32>) -> Vec<Range<usize>> {
    let mut rest: Vec<Range<usize>> = Vec::new();
    for line in ranges.iter().flat_map(|range| range.clone()) {
        if known.contains(&(start + line as u32)) {
            continue;
        }
        match rest.last_mut() {
            Some(last) if last.end == line => last.end = line + 1,
            _ => rest.push(line..line + 1),
        }
    }
    rest
}

/// True if the ranges show next to nothing, such as the closing line of a type.
fn is_empty(text: &WeightedLines, ranges: &[Range<usize>]) -> bool {
    let lines = ranges.iter().flat_map(|range| &text.lines[range.clone()]);
    let is_telling = |line: &&&str| line.chars().filter(|c| c.is_alphanumeric()).count() > 2;
    lines.filter(is_telling).count() == 0
}

/// Joins ranges of lines, with a marker for each gap.
fn format_ranges(lines: &[&str], ranges: &[Range<usize>], start: u32) -> String {
    let mut shown: Vec<String> = Vec::new();
    let mut next = 0;
    let gap = |from: usize, to: usize| {
        let (first, last) = (start + from as u32, start + to as u32 - 1);
        if first == last {
            format!("… line {first}")
        } else {
            format!("… lines {first}-{last}")
        }
    };
    for range in ranges {
        if range.start > next {
            shown.push(gap(next, range.start));
        }
        shown.extend(lines[range.clone()].iter().map(ToString::to_string));
        next = range.end;
    }
    if next < lines.len() {
        shown.push(gap(next, lines.len()));
    }
    shown.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_name_the_lines_that_are_missing() {
        let lines = ["a", "b", "c", "d", "e"];
        assert_eq!(format_ranges(&lines, &[0..1, 3..4], 10), "a\n… lines 11-12\nd\n… line 14");
        assert_eq!(format_ranges(&lines, std::slice::from_ref(&(0..5)), 10), "a\nb\nc\nd\ne");
    }

    #[test]
    fn the_best_of_several_files_comes_first() {
        let source = |path: &str, start: u32| ChosenSource {
            path: RepoPath::new(path).unwrap(),
            start,
            end: start,
            definition: None,
            score: 1.0,
        };
        let listed = |chosen: &[ChosenSource]| {
            let line = || WeightedLines { lines: vec!["code"], weights: vec![0.0], name_line: 0 };
            let weighted: Vec<WeightedLines> = chosen.iter().map(|_| line()).collect();
            let draft = ListingDraft {
                ranges: (0..chosen.len()).map(|at| (at, std::iter::once(0..1).collect())).collect(),
                left: Vec::new(),
            };
            let files = draft.into_listing(chosen, &weighted).files.into_iter();
            let format = |file: SourceFile| {
                let lines = file.definitions.iter().map(|one| one.lines.clone());
                format!("{} {}", file.path, lines.collect::<Vec<_>>().join(" "))
            };
            files.map(format).collect::<Vec<_>>()
        };
        let one_file = [source("a.rs", 9), source("a.rs", 3)];
        assert_eq!(listed(&one_file), ["a.rs 3-3 9-9"]);
        let two_files =
            [source("a.rs", 9), source("a.rs", 3), source("b.rs", 5), source("a.rs", 1)];
        assert_eq!(listed(&two_files), ["a.rs 9-9", "b.rs 5-5", "a.rs 1-1 3-3"]);
        let document = [source("a.md", 1), source("a.rs", 3), source("b.rs", 5)];
        assert_eq!(listed(&document), ["a.rs 3-3", "b.rs 5-5", "a.md 1-1"]);
    }

    #[test]
    fn a_line_is_shown_once() {
        let known = HashSet::from([11, 12]);
        assert_eq!(subtract_known(std::slice::from_ref(&(0..5)), 10, &known), [0..1, 3..5]);
    }
}
