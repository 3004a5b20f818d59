//! Textual mentions: lines that contain the name of a definition and have no edge. Field reads and
//! functions passed as values have no edges. Such a line says the name; it may or may not mean the
//! definition.
//!
//! The search reads texts of the index, bounded by a number of files. It never changes the graph,
//! and its results are reported apart from resolved references.

use std::cmp::Reverse;
use std::collections::HashSet;

use memchr::{memchr, memchr_iter, memmem, memrchr};

use crate::graph::definitions::is_heading;
use crate::graph::{Definition, Graph};
use kenning_lang::languages::is_prose;
use kenning_model::{ChunkKind, ReferenceKind, RepoPath};
use kenning_store::StoreError;
use kenning_store::code::FileWithWord;

/// A line that contains a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MentionLine {
    pub path: RepoPath,
    pub line: u32,
    pub text: String,
    /// The definition around it, qualified.
    pub inside: Option<String>,
    pub is_test: bool,
    /// True if the name is called there.
    pub is_call: bool,
}

/// The lines that contain a name, within the bounds of the search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextualMentions {
    /// The lines by file, those outside of tests first.
    pub lines: Vec<MentionLine>,
    /// The number of files they are in.
    pub files: usize,
    /// The number of further files that contain the word and were not read.
    pub unread: usize,
}

/// The bounds of a search for textual mentions.
#[derive(Clone, Copy, Debug)]
pub struct MentionBounds {
    /// The most files that are read, the nearest first.
    pub files: usize,
    pub kinds: MentionKinds,
    pub tests: crate::graph::TestCode,
}

/// The lines to list: unresolved calls only, or other mentions too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MentionKinds {
    Calls,
    All,
}

/// A word in more files than this is too common. Its files are only counted.
const MAX_FILES: usize = 1000;

/// The length at which lines are cut. Longer ones are generated.
const MAX_LINE: usize = 160;

impl Graph<'_> {
    /// Returns the lines outside of these definitions that contain a name as a word: calls that
    /// lead to no definition, reads, uses as a value. It skips comments, definitions of that name,
    /// and lines with an edge from it.
    ///
    /// The word index finds the files. The nearest files in the tree are read first, because names
    /// are mostly used near their definition. Without definitions, every line with the name counts.
    pub fn find_textual_mentions(
        &self,
        name: &str,
        definitions: &[Definition],
        bounds: &MentionBounds,
    ) -> Result<TextualMentions, StoreError> {
        let word = longest_word(name);
        // All types share the name of an initializer.
        let is_named = definitions
            .iter()
            .all(|one| !is_heading(one.symbol.kind) && one.symbol.kind != ChunkKind::Initializer);
        if word.is_empty() || !is_named {
            return Ok(TextualMentions::default());
        }
        let owners = self.owner_types(definitions)?.filter(|owners| !owners.is_empty());
        let (mut files, count) = self.snapshot.files_with_word(word, MAX_FILES)?;
        if files.is_empty() {
            return Ok(TextualMentions { unread: count, ..TextualMentions::default() });
        }
        // A name in prose says nothing about the code.
        files.retain(|file| !is_prose(&file.path));
        if let Some(first) = definitions.first() {
            files
                .sort_by_cached_key(|file| Reverse(count_shared_segments(&file.path, &first.path)));
        }
        let unread = files.len().saturating_sub(bounds.files);
        files.truncate(bounds.files);
        let mut found = TextualMentions { unread, ..TextualMentions::default() };
        for file in &files {
            let mut lines = self.mentions_in_file(file, name, definitions, bounds)?;
            if let Some(owners) = &owners {
                lines.retain(|line| can_mean_member(line, name, owners));
            }
            found.lines.extend(lines);
        }
        found.lines.sort_by_key(|line| (line.is_test, !line.is_call));
        let paths: HashSet<&RepoPath> = found.lines.iter().map(|line| &line.path).collect();
        found.files = paths.len();
        Ok(found)
    }

    /// Returns the types that these definitions are members of; `None` if one is not a member.
    ///
    /// A mention of a member needs a receiver, so members are held to stricter rules.
    fn owner_types(
        &self,
        definitions: &[Definition],
    ) -> Result<Option<Vec<Definition>>, StoreError> {
        let mut owners = Vec::new();
        for one in definitions {
            match self.owner(one)?.filter(|_| !one.is_type()) {
                Some(owner) => owners.push(owner),
                None => return Ok(None),
            }
        }
        Ok(Some(owners))
    }

    /// Returns the mentions in one file, in the order of lines.
    fn mentions_in_file(
        &self,
        file: &FileWithWord,
        name: &str,
        definitions: &[Definition],
        bounds: &MentionBounds,
    ) -> Result<Vec<MentionLine>, StoreError> {
        let Some(text) = self.snapshot.text_of(file.file)? else {
            return Ok(Vec::new());
        };
        let mut lines = find_lines(&text, name);
        if lines.is_empty() {
            return Ok(Vec::new());
        }
        let told = self.excluded_lines(file.file, name, definitions)?;
        let mentions = self.mentions_in(file.file)?;
        let calls = mentions.find_by_name(name);
        let calls: HashSet<u32> = calls
            .filter(|(_, one)| one.kind == ReferenceKind::Call)
            .map(|(_, one)| one.line)
            .collect();
        lines.retain(|(line, _)| bounds.kinds == MentionKinds::All || calls.contains(line));
        lines.retain(|(line, _)| !told.iter().any(|(first, last)| (first..=last).contains(&line)));
        let is_test = if lines.is_empty() {
            false
        } else {
            self.snapshot.file(&file.path)?.is_some_and(|file| file.is_test)
        };
        let known = self.file_definitions(file.file)?;
        let symbols = known.as_ref().map_or(&[][..], |known| &known.symbols);
        let mut found = Vec::new();
        for (line, text) in lines {
            let mut inner = symbols.iter().rev();
            let inside =
                inner.find(|one| (one.span.start_line..=one.span.end_line).contains(&line));
            let is_test = is_test || inside.is_some_and(|one| one.is_test);
            if is_test && bounds.tests == crate::graph::TestCode::Skipped {
                continue;
            }
            found.push(MentionLine {
                path: file.path.clone(),
                line,
                text: text.chars().take(MAX_LINE).collect(),
                inside: inside.map(crate::graph::qualified_name),
                is_test,
                is_call: calls.contains(&line),
            });
        }
        Ok(found)
    }

    /// Returns the line ranges to skip: these definitions, others of their name, and lines with an
    /// edge.
    ///
    /// The ranges may overlap; they are only searched.
    fn excluded_lines(
        &self,
        file: i64,
        name: &str,
        definitions: &[Definition],
    ) -> Result<Vec<(u32, u32)>, StoreError> {
        let own = definitions
            .iter()
            .filter(|one| one.target.file == file)
            .map(|one| (one.symbol.span.start_line, one.symbol.span.end_line));
        let mut told: Vec<(u32, u32)> = own.collect();
        let same = self.select_in_file_number(file, |symbol| symbol.name == name)?;
        told.extend(same.iter().map(|one| (one.symbol.line, one.symbol.line)));
        let Some(linked) = self.linked_file(file)? else {
            return Ok(told);
        };
        for (place, mention) in self.mentions_in(file)?.find_by_name(name) {
            if linked.edges.has_edge(place) {
                told.push((mention.line, mention.line));
            }
        }
        Ok(told)
    }
}

/// True if a line can mean a member of these types. It is inside one of them, or the name follows a
/// member operator or a quotation mark, as in reflection.
fn can_mean_member(line: &MentionLine, name: &str, owners: &[Definition]) -> bool {
    let is_within = owners.iter().any(|owner| {
        let span = &owner.symbol.span;
        owner.path == line.path && (span.start_line..=span.end_line).contains(&line.line)
    });
    let marks = [".", "->", ":", "@", "\"", "'"];
    let mut named = whole_words(&line.text, name);
    is_within
        || named.any(|at| {
            let after = line.text[at + name.len()..].trim_start();
            // A field of a literal: `Session { name: … }`.
            let is_field = after.starts_with(':') && !after.starts_with("::");
            is_field || marks.iter().any(|mark| line.text[..at].ends_with(mark))
        })
}

/// Returns the number of leading path segments that two files share.
fn count_shared_segments(path: &RepoPath, other: &RepoPath) -> usize {
    let steps = path.segments().zip(other.segments());
    steps.take_while(|(one, other)| one == other).count()
}

/// True for characters that continue an identifier in most languages.
fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the longest word of a name, for the lookup in the word index. A name may contain signs.
pub(super) fn longest_word(name: &str) -> &str {
    let words = name.split(|c| !is_word_char(c));
    words.max_by_key(|word| word.len()).unwrap_or_default()
}

/// Returns the lines, from 1, that contain the name as a word and are not comments.
///
/// It jumps from match to match with `memmem` and counts line breaks between them. Splitting every
/// file into lines would cost more than the search.
fn find_lines<'t>(text: &'t str, name: &str) -> Vec<(u32, &'t str)> {
    let finder = memmem::Finder::new(name);
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let (mut start, mut number) = (0, 1);
    while let Some(at) = finder.find(&bytes[start..]) {
        let at = start + at;
        number += memchr_iter(b'\n', &bytes[start..at]).count() as u32;
        let line_start = memrchr(b'\n', &bytes[..at]).map_or(0, |end| end + 1);
        let line_end = memchr(b'\n', &bytes[at..]).map_or(text.len(), |end| at + end);
        let line = &text[line_start..line_end];
        if has_word(line, name) && !is_comment(line) {
            found.push((number, line.trim()));
        }
        start = (line_end + 1).min(text.len());
        number += 1;
        if line_end == text.len() {
            break;
        }
    }
    found
}

/// True if the line contains the name as a whole identifier.
fn has_word(line: &str, name: &str) -> bool {
    whole_words(line, name).next().is_some()
}

/// Returns the offsets at which the name occurs and no word character adjoins it.
pub(super) fn whole_words<'t>(line: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    line.match_indices(name).map(|(at, _)| at).filter(move |at| {
        let before = line[..*at].chars().next_back();
        let after = line[at + name.len()..].chars().next();
        !before.is_some_and(is_word_char) && !after.is_some_and(is_word_char)
    })
}

/// True if the line begins like a comment. Lines that only look like one are rare.
///
/// The check is by prefix and language-neutral. Inside of a block comment, only lines with a
/// leading `*` are recognized.
pub(super) fn is_comment(line: &str) -> bool {
    const MARKS: [&str; 11] =
        ["//", "/*", "* ", "*/", "# ", "##", "#:", "-- ", "<!--", ";;", "\"\"\""];
    let line = line.trim_start();
    line == "*" || MARKS.iter().any(|mark| line.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_name_as_a_word_and_are_no_comments() {
        let text =
            "// open\nlet open = reopen;\nopened()\n * open\n\nf(open)\n#define open 1\nöopen";
        let lines = find_lines(text, "open");
        let expected = [(2, "let open = reopen;"), (6, "f(open)"), (7, "#define open 1")];
        assert_eq!(lines, expected);
        assert_eq!(find_lines("open", "open"), [(1, "open")]);
        assert_eq!(find_lines("reopen\n", "open"), []);
        assert_eq!(find_lines("this.#hush()\n", "#hush").len(), 1);
    }

    #[test]
    fn the_longest_part_is_looked_up() {
        for (name, word) in [("#hush", "hush"), ("open", "open"), ("a?", "a"), ("+", "")] {
            assert_eq!(longest_word(name), word);
        }
    }
}
