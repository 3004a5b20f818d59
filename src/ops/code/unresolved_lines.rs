//! Lines that name a definition and have no edge: calls that could not be resolved, reads, and uses
//! as a value. They are listed by file, so that an answer never knows less than a text search.
//!
//! Every operation lists them through [`list_unresolved`], within the same bounds.

use serde::{Deserialize, Serialize};

use crate::engine::CodeIndex;
use crate::graph::{
    Definition, Graph, GraphWalk, MentionBounds, MentionKinds, MentionLine, TestCode,
    qualified_name,
};
use crate::ops::OpError;
use crate::ops::number_format::count_noun;

/// A reply with fewer edges than this lists other mentions beside unresolved calls.
pub const FEW_EDGES: usize = 3;

/// The most files that are read for lines.
const MAX_FILES: usize = 60;

/// The number of lines that are listed unless the caller asks for another.
pub const SHOWN_LINES: usize = 20;

/// The characters of a line that are shown.
const MAX_TEXT: usize = 100;

/// The most names of a change whose unresolved calls are looked up.
const MAX_NAMES: usize = 40;

/// The files that are read for all names of a change together, and at least for each.
const SHARED_FILES: usize = 400;
const MIN_FILES: usize = 10;

/// A name of a change with more unresolved calls is a common word: its lines say nothing.
const MAX_CALLS: usize = 25;

/// The most ends of a walk that are looked up.
const MAX_ENDS: usize = 8;

/// The lines of one file that name the symbol and have no edge.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UnresolvedFile {
    /// The file.
    pub path: String,
    /// True for test code.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
    /// Calls that lead to no known definition, each as `12: text`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<String>,
    /// Reads, uses as a value and others, each as `12: text`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<String>,
}

/// The unresolved lines of a name, as replies contain them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Unresolved {
    /// All lines that name it and have no edge, listed or not. They may mean something else.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unresolved_count: usize,
    /// The first of these lines, by file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unresolved: Vec<UnresolvedFile>,
    /// Skipped files that contain the name, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped_files: Vec<String>,
    /// The number of unresolved calls outside of tests.
    #[serde(skip)]
    pub calls: usize,
    /// The same by name, if the query was about several definitions.
    #[serde(skip)]
    pub by_name: Vec<UnresolvedCalls>,
    /// Definitions beyond the first level at which a walk ends although calls of their name are
    /// unresolved, each as `Cart.sum (2 calls)`.
    #[serde(skip)]
    pub ends: Vec<String>,
    /// A note on lines and files that are not listed.
    #[serde(skip)]
    pub omission: Option<String>,
}

/// The unresolved calls of one name.
#[derive(Clone, Debug)]
pub struct UnresolvedCalls {
    /// The name, without its scope.
    pub name: String,
    /// Those outside of tests.
    pub in_code: usize,
    /// Those in tests.
    pub in_tests: usize,
}

/// True for a count that JSON leaves out.
pub fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The lines that a reply wants.
#[derive(Clone, Copy)]
pub struct UnresolvedQuery {
    pub kinds: MentionKinds,
    pub tests: TestCode,
    /// The most lines.
    pub limit: usize,
}

/// Lists the lines that name these definitions and have no edge.
///
/// Definitions of several names are those of a change. Only unresolved calls are listed for them,
/// and none of common names: there would be too many lines.
pub fn list_unresolved(
    graph: &Graph,
    index: &CodeIndex,
    definitions: &[Definition],
    query: UnresolvedQuery,
) -> Result<Unresolved, OpError> {
    let mut names: Vec<(&str, Vec<Definition>)> = Vec::new();
    for one in definitions {
        let name = one.symbol.name.as_str();
        match names.iter_mut().find(|(known, _)| *known == name) {
            Some((_, same)) => same.push(one.clone()),
            None => names.push((name, vec![one.clone()])),
        }
    }
    match names.as_slice() {
        [] => Ok(Unresolved::default()),
        [(name, _)] => list_lines(graph, index, name, definitions, query),
        _ => list_lines_of_names(graph, &names, query),
    }
}

/// Lists the lines that contain a name without a definition here, and the note that says so.
/// Returns the error of the lookup if there are none, or if the text is a place or a member of a
/// known type.
pub fn undefined_lines(
    graph: &Graph,
    index: &CodeIndex,
    text: &str,
    query: UnresolvedQuery,
    error: OpError,
) -> Result<(Unresolved, String), OpError> {
    let Some(name) = graph.undefined_name(text)? else {
        return Err(error);
    };
    let found = list_lines(graph, index, &name, &[], query)?;
    if found.unresolved.is_empty() && found.skipped_files.is_empty() {
        return Err(error);
    }
    let near = error.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
    let note = format!("nothing here defines {name}: these lines contain the name{near}");
    Ok((found, note))
}

/// Finds the lines of one name and groups them by file.
fn list_lines(
    graph: &Graph,
    index: &CodeIndex,
    name: &str,
    definitions: &[Definition],
    query: UnresolvedQuery,
) -> Result<Unresolved, OpError> {
    let bounds = MentionBounds { files: MAX_FILES, kinds: query.kinds, tests: query.tests };
    let found = graph.find_textual_mentions(name, definitions, &bounds)?;
    let mut unresolved = Unresolved {
        by_name: vec![UnresolvedCalls::count(name, &found.lines)],
        ..Unresolved::default()
    };
    unresolved.calls = unresolved.by_name[0].in_code;
    unresolved.add_lines(&found.lines, found.unread, query.limit);
    unresolved.skipped_files = index.skipped_files_naming(name)?;
    Ok(unresolved)
}

/// Finds the unresolved calls of several names. Rare names come first: their lines say the most.
fn list_lines_of_names(
    graph: &Graph,
    names: &[(&str, Vec<Definition>)],
    query: UnresolvedQuery,
) -> Result<Unresolved, OpError> {
    let shown = &names[..names.len().min(MAX_NAMES)];
    let files = (SHARED_FILES / shown.len()).clamp(MIN_FILES, MAX_FILES);
    let bounds = MentionBounds { files, kinds: MentionKinds::Calls, tests: query.tests };
    let mut found: Vec<(UnresolvedCalls, Vec<MentionLine>)> = Vec::new();
    let mut common: Vec<String> = Vec::new();
    for (name, definitions) in shown {
        let lines = graph.find_textual_mentions(name, definitions, &bounds)?.lines;
        if lines.len() > MAX_CALLS {
            common.push(format!("{name} ({})", count_noun(lines.len(), "line")));
        } else if !lines.is_empty() {
            found.push((UnresolvedCalls::count(name, &lines), lines));
        }
    }
    found.sort_by_key(|(_, lines)| lines.len());
    let mut unresolved = Unresolved::default();
    let mut lines: Vec<MentionLine> = Vec::new();
    for (calls, of_name) in found {
        unresolved.calls += calls.in_code;
        unresolved.by_name.push(calls);
        lines.extend(of_name);
    }
    lines.sort_by_key(|line| line.is_test);
    unresolved.add_lines(&lines, 0, query.limit);
    let unread = names.len() - shown.len();
    let notes = [
        (!common.is_empty())
            .then(|| format!("unresolved calls of common names: {}", common.join(", "))),
        (unread > 0).then(|| format!("unresolved calls of {}", count_noun(unread, "more name"))),
    ];
    let notes = unresolved.omission.take().into_iter().chain(notes.into_iter().flatten());
    let notes: Vec<String> = notes.collect();
    unresolved.omission = (!notes.is_empty()).then(|| notes.join("; "));
    Ok(unresolved)
}

/// Adds a line to its file.
fn add_line(files: &mut Vec<UnresolvedFile>, line: &MentionLine) {
    let is_same =
        |file: &&mut UnresolvedFile| file.path == line.path.as_str() && file.test == line.is_test;
    let text: String = line.text.chars().take(MAX_TEXT).collect();
    let text = format!("{}: {text}", line.line);
    let file = match files.iter_mut().find(is_same) {
        Some(file) => file,
        None => {
            files.push(UnresolvedFile {
                path: line.path.to_string(),
                test: line.is_test,
                calls: Vec::new(),
                mentions: Vec::new(),
            });
            let last = files.len() - 1;
            &mut files[last]
        }
    };
    if line.is_call {
        file.calls.push(text);
    } else {
        file.mentions.push(text);
    }
}

/// Counts the lines that are not listed, and the files that were not read for them.
fn omission_note(lines: usize, files: usize) -> Option<String> {
    let left_lines = count_noun(lines, "more unresolved line");
    let left_files = count_noun(files, "more file");
    let what = match (lines, files) {
        (0, 0) => return None,
        (_, 0) => left_lines,
        (0, _) => format!("{left_files} with its name"),
        _ => format!("{left_lines}, and {left_files} with its name"),
    };
    Some(format!("{what}; search_code_fulltext lists them"))
}

impl UnresolvedCalls {
    /// Counts the calls among the lines of a name.
    fn count(name: &str, lines: &[MentionLine]) -> UnresolvedCalls {
        let calls = lines.iter().filter(|line| line.is_call);
        let in_tests = calls.clone().filter(|line| line.is_test).count();
        UnresolvedCalls { name: name.to_string(), in_code: calls.count() - in_tests, in_tests }
    }
}

impl Unresolved {
    /// Adds lines, as far as the limit allows, and counts the others.
    fn add_lines(&mut self, lines: &[MentionLine], unread: usize, limit: usize) {
        let listed: usize =
            self.unresolved.iter().map(|file| file.calls.len() + file.mentions.len()).sum();
        for line in lines.iter().take(limit.saturating_sub(listed)) {
            add_line(&mut self.unresolved, line);
        }
        self.unresolved_count += lines.len();
        let omitted = lines.len().saturating_sub(limit.saturating_sub(listed));
        self.omission = self.omission.take().or_else(|| omission_note(omitted, unread));
    }

    /// Adds the unresolved calls of definitions at which a walk to callers ends before its last
    /// level. One unresolved edge hides everything behind it.
    pub fn add_ends(
        &mut self,
        graph: &Graph,
        walk: &GraphWalk,
        depth: usize,
        tests: TestCode,
    ) -> Result<(), OpError> {
        let bounds = MentionBounds { files: MAX_FILES, kinds: MentionKinds::Calls, tests };
        let has_user = |place: usize| walk.edges.iter().any(|(near, _)| *near == place);
        let steps = walk.steps.iter().enumerate();
        let ends = steps.filter(|(place, step)| {
            let is_between = step.hop > 0 && step.hop < depth;
            is_between && !step.is_test() && !has_user(*place)
        });
        let callable = ends.filter_map(|(_, step)| step.node.definition());
        let callable = callable.filter(|one| !one.is_type());
        let mut known: Vec<&str> = self.by_name.iter().map(|one| one.name.as_str()).collect();
        let mut found = Vec::new();
        for one in callable {
            if known.contains(&one.symbol.name.as_str()) || found.len() == MAX_ENDS {
                continue;
            }
            known.push(&one.symbol.name);
            let same = std::slice::from_ref(one);
            found.push((one, graph.find_textual_mentions(&one.symbol.name, same, &bounds)?.lines));
        }
        for (one, lines) in found {
            // A common word says nothing about this definition.
            if lines.is_empty() || lines.len() > MAX_CALLS {
                continue;
            }
            let calls = count_noun(lines.len(), "call");
            self.ends.push(format!("{} ({calls})", qualified_name(&one.symbol)));
            self.add_lines(&lines, 0, SHOWN_LINES);
        }
        Ok(())
    }

    /// Returns the warning that a list of `edges` callers outside of tests may lack the main one,
    /// or what lies behind an unresolved call further up.
    pub fn warning(&self, edges: usize) -> Option<String> {
        let notes: Vec<String> =
            self.direct_warning(edges).into_iter().chain(self.ends_warning()).collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }

    /// Returns the warning about direct callers.
    fn direct_warning(&self, edges: usize) -> Option<String> {
        if self.calls <= edges {
            return None;
        }
        let calls = count_noun(self.calls, "call");
        let verb = if self.calls == 1 { "is" } else { "are" };
        Some(if edges == 0 {
            format!(
                "no caller outside of tests is resolved, but {calls} of {} {verb} unresolved: the \
                 main caller may be among them (see `unresolved`)",
                self.name_list()
            )
        } else {
            format!(
                "{calls} of {} {verb} unresolved, and only {} outside of tests resolved: the main \
                 caller may be among them (see `unresolved`)",
                self.name_list(),
                if edges == 1 { "1 caller is".to_string() } else { format!("{edges} callers are") },
            )
        })
    }

    /// Names the names with unresolved calls: one is clear from the question.
    fn name_list(&self) -> String {
        /// More names are no help.
        const SHOWN: usize = 5;
        let called: Vec<&UnresolvedCalls> =
            self.by_name.iter().filter(|one| one.in_code > 0).collect();
        if self.by_name.len() < 2 {
            return "this name".to_string();
        }
        let names: Vec<&str> = called.iter().take(SHOWN).map(|one| one.name.as_str()).collect();
        let cut = if called.len() > SHOWN { ", …" } else { "" };
        format!("{}{cut}", names.join(", "))
    }

    /// Returns the warning about definitions at which the walk ends.
    fn ends_warning(&self) -> Option<String> {
        (!self.ends.is_empty()).then(|| {
            format!(
                "the walk ends at {}: these calls of its name are unresolved, and callers behind \
                 them are missing (see `unresolved`)",
                self.ends.join(", ")
            )
        })
    }

    /// Returns the warning that tests may reach the definitions through unresolved calls, if no
    /// resolved call leads from a test.
    pub fn tests_warning(&self, resolved_tests: usize) -> Option<String> {
        let calls: usize = self.by_name.iter().map(|one| one.in_tests).sum();
        (resolved_tests == 0 && calls > 0).then(|| {
            let verb = if calls == 1 { "is" } else { "are" };
            format!(
                "no test is resolved, but {} in tests {verb} unresolved: these tests may reach it",
                count_noun(calls, "call")
            )
        })
    }

    /// Keeps the calls in tests only, and of them the first `limit`.
    pub fn keep_test_calls(&mut self, limit: usize) {
        let mut left = limit;
        self.unresolved.retain_mut(|file| {
            file.calls.truncate(if file.test { left } else { 0 });
            file.mentions.clear();
            left -= file.calls.len();
            !file.calls.is_empty()
        });
        self.unresolved_count = self.by_name.iter().map(|one| one.in_tests).sum();
        self.omission = omission_note(self.unresolved_count.saturating_sub(limit), 0);
    }

    /// Formats the files as lines of an outline.
    pub fn outline(&self) -> Vec<String> {
        let lines = self.unresolved.iter().map(|file| {
            let all = file.calls.iter().chain(&file.mentions);
            let all: Vec<&str> = all.map(String::as_str).collect();
            format!("? {}  {}", file.path, all.join("; "))
        });
        lines.collect()
    }
}
