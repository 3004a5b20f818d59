//! Edges from compilers' SCIP indexes. A compiler's answer replaces inference.
//!
//! Contract:
//!
//! - A document is trusted only if its file is what the compiler read: the same text if the index
//!   has it; else a file that was not written since, with nine of ten definitions where the index
//!   says.
//! - [`CompilerIndex::lookup_reference`] answers for one reference, by the byte at which it begins.
//!   If the index does not mention it, inference decides. If the index names a symbol that it does
//!   not define, inference may only find targets in files that no index covers.
//! - Indexes are read once; a lookup is a few hash probes. The caller records the names of the
//!   definitions as dependencies.
//! - A broken, empty or stale index is a [`Problem`] and stops nothing.
//!
//! ```text
//! // a.ts, line 1
//! export function open() {}      // occurrence: definition of symbol 7 at 1:17
//! // b.ts, line 2
//! open();                        // occurrence: symbol 7 at byte 30
//! ```
//!
//! The reference at byte 30 of b.ts resolves to `open` in a.ts with confidence `exact`.

mod format;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::scip::format::{ColumnUnit, Document, ScipIndex};
use crate::symbol_table::file_symbols::FileSymbols;
use crate::symbol_table::{FileIndex, SymbolId, SymbolTable, is_callable, is_type};
use kenning_model::{Problem, Reference, ReferenceKind, RepoPath};
use kenning_source::{self as source, SourceReading};

/// Larger indexes are not read, because an index is read into memory.
const MAX_BYTES: u64 = 1 << 30;

/// The state of a file when it was indexed.
#[derive(Clone, Copy)]
pub struct IndexedFile<'f> {
    /// The hash of its content.
    pub hash: &'f [u8],
    /// The modification time in nanoseconds.
    pub modified_ns: i64,
}

/// The occurrences and definitions of all compiler indexes, for files that match.
#[derive(Default)]
pub struct CompilerIndex {
    /// By path and byte: the symbols that are mentioned there.
    occurrences: HashMap<String, HashMap<u32, Vec<u32>>>,
    /// Definitions by symbol number. Numbers of further indexes are offset, so that they are
    /// distinct.
    definitions: HashMap<u32, Vec<ScipDefinition>>,
    /// The number of symbols of the indexes so far: the offset of the next.
    symbol_count: u32,
}

/// The position of a definition, from an index.
struct ScipDefinition {
    /// The path of the file that defines it.
    path: String,
    /// The line, counted from 1.
    line: u32,
    /// `None` if the file differs from what the compiler read. The line may then be wrong.
    name: Option<String>,
}

/// Counts of an index's documents: those of files in the repository, and those that match the file.
#[derive(Clone, Copy, Default)]
struct DocumentCounts {
    /// Documents of indexed files.
    known: usize,
    /// Documents whose file is what the compiler read.
    matched: usize,
}

/// The answer of a compiler's index for one reference.
pub enum CompilerAnswer {
    /// No index has an occurrence there.
    NotIndexed,
    /// These definitions. The list is empty if the compiler's definition is no symbol here, such as
    /// a local variable.
    Definitions(Vec<SymbolId>),
    /// A symbol that no index defines.
    External,
}

/// Hashes the paths and stamps of index files. A changed value means that edges must be resolved
/// again.
pub fn fingerprint(files: &[PathBuf]) -> String {
    let mut hasher = blake3::Hasher::new();
    for file in files {
        let stamp = source::stamp(file).unwrap_or_default();
        hasher.update(format!("{file:?}{stamp:?}").as_bytes());
    }
    if files.is_empty() { String::new() } else { hasher.finalize().to_hex()[..16].to_string() }
}

impl CompilerIndex {
    /// Reads indexes. `known` returns the state of a file as it was indexed. An unreadable index
    /// becomes a problem, and the others are still read.
    pub fn read<'f>(
        root: &Path,
        files: &[PathBuf],
        known: &dyn Fn(&RepoPath) -> Option<IndexedFile<'f>>,
        problems: &mut Vec<Problem>,
    ) -> CompilerIndex {
        let mut compiled = CompilerIndex::default();
        for file in files {
            // Problems name the index by its path below the root, or by its file name.
            let below_root = file.strip_prefix(root).unwrap_or(file);
            let path = RepoPath::new(&below_root.to_string_lossy().replace('\\', "/"));
            let name = file.file_name().and_then(|name| RepoPath::new(&name.to_string_lossy()));
            let shown = path.or(name).unwrap_or_default();
            let (bytes, modified_ns) = match source::read_whole(file, MAX_BYTES) {
                Ok(read) => read,
                Err(why) => {
                    problems.push(Problem::new(&shown, format!("SCIP index not read: {why}")));
                    continue;
                }
            };
            let index = format::parse(&bytes);
            let matched = compiled.add_index(root, &index, modified_ns, known);
            problems.extend(report_problems(&shown, &index, matched));
        }
        compiled
    }

    /// Adds the documents of one index, and counts those that match files here.
    fn add_index<'f>(
        &mut self,
        root: &Path,
        index: &ScipIndex,
        modified_ns: i64,
        known: &dyn Fn(&RepoPath) -> Option<IndexedFile<'f>>,
    ) -> DocumentCounts {
        let before = project_prefix(root, index.project_root);
        // Symbol numbers count from 0 in each index.
        let offset = self.symbol_count;
        self.symbol_count += index.symbols.len() as u32;
        let mut found = DocumentCounts::default();
        for document in &index.documents {
            let Some(path) = document_path(root, &before, document.path) else {
                continue;
            };
            let known = known(&path);
            found.known += usize::from(known.is_some());
            let text = known.and_then(|known| {
                read_indexed_text(root, &path, document, index, known, modified_ns)
            });
            found.matched += usize::from(text.is_some());
            self.add_document(&path, document, text.as_deref(), offset);
        }
        found
    }

    /// Adds the occurrences of one document. Without a matching text, only its definitions are
    /// added, so that other files can still refer to them.
    fn add_document(
        &mut self,
        path: &RepoPath,
        document: &Document,
        text: Option<&str>,
        offset: u32,
    ) {
        let lines = text.map(SourceLines::new);
        let mut mentions: HashMap<u32, Vec<u32>> = HashMap::new();
        for one in &document.occurrences {
            let symbol = one.symbol + offset;
            let range = lines.as_ref().and_then(|lines| lines.range(document.column_unit, one));
            if one.is_definition {
                let name =
                    range.as_ref().zip(text).and_then(|(range, text)| text.get(range.clone()));
                let places = self.definitions.entry(symbol).or_default();
                places.push(ScipDefinition {
                    path: path.to_string(),
                    line: one.line + 1,
                    name: name.map(str::to_string),
                });
            } else if let Some(range) = range {
                mentions.entry(range.start as u32).or_default().push(symbol);
            }
        }
        // Only a file with a matching text is covered; others are left to inference.
        if text.is_some() {
            self.occurrences.insert(path.to_string(), mentions);
        }
    }

    /// True if an index has a document that matches this file.
    pub fn covers_file(&self, file: &FileSymbols) -> bool {
        self.occurrences.contains_key(file.path.as_str())
    }

    /// Looks up a reference of a file in the compilers' indexes.
    pub fn lookup_reference(
        &self,
        table: &SymbolTable,
        file: FileIndex,
        reference: &Reference,
    ) -> CompilerAnswer {
        let mentions = self.occurrences.get(table.file(file).path.as_str());
        let Some(symbols) = mentions.and_then(|all| all.get(&reference.start_byte)) else {
            return CompilerAnswer::NotIndexed;
        };
        let places: Vec<&ScipDefinition> =
            symbols.iter().filter_map(|symbol| self.definitions.get(symbol)).flatten().collect();
        if places.is_empty() {
            return CompilerAnswer::External;
        }
        let mut found: Vec<SymbolId> = Vec::new();
        for place in places {
            found.extend(find_definitions_at(table, place, &reference.name));
        }
        // Several indexes may define the same symbol.
        found.sort();
        found.dedup();
        // A construction mentions both the type and the constructor; the constructor is called.
        let kind = |id: &SymbolId| table.symbol(*id).kind;
        let is_call = reference.kind == ReferenceKind::Call;
        if is_call && found.iter().any(|id| is_callable(kind(id))) {
            found.retain(|id| !is_type(kind(id)));
        }
        CompilerAnswer::Definitions(found)
    }
}

/// Finds the definitions in the symbol table for a position in an index.
fn find_definitions_at(
    table: &SymbolTable,
    place: &ScipDefinition,
    mentioned: &str,
) -> Vec<SymbolId> {
    let Some(file) = table.modules.file(&place.path) else {
        return Vec::new();
    };
    let facts = table.file(file);
    let found: Vec<u32> = match &place.name {
        Some(name) => {
            let at_line = |index: &u32| facts.symbols()[*index as usize].line == place.line;
            facts.symbols_named(name).filter(at_line).collect()
        }
        // The file has changed, so lines are unreliable. A name that it defines once is still
        // certain.
        None => Some(facts.symbols_named(mentioned).collect::<Vec<u32>>())
            .filter(|all| all.len() == 1)
            .unwrap_or_default(),
    };
    found.into_iter().map(|symbol| SymbolId { file, symbol }).collect()
}

/// Reports problems of an index: it is broken, empty, or does not match the files.
fn report_problems(
    path: &RepoPath,
    index: &ScipIndex,
    DocumentCounts { known: here, matched }: DocumentCounts,
) -> Vec<Problem> {
    let all = index.documents.len();
    let mut problems = Vec::new();
    if let Some(why) = index.error {
        problems.push(Problem::new(path, format!("SCIP index read in part: {why}")));
    }
    // An indexer that failed may leave an empty file.
    if all == 0 && index.error.is_none() {
        let message = "SCIP index says nothing: it is empty; rebuild it";
        problems.push(Problem::new(path, message));
    }
    // The index is of another tree, or its paths have another root.
    if let Some(first) = index.documents.first().filter(|_| here == 0) {
        let message = format!(
            "none of the {all} documents of this SCIP index is a file here, the first is {:?}: it is of \
             another tree, or was made in another directory",
            first.path
        );
        problems.push(Problem::new(path, message));
    // Files changed since the index was made; inference resolves these.
    } else if matched < all {
        let message = format!(
            "{} of {all} documents of this SCIP index differ from the files; rebuild \
             the SCIP index to use them",
            all - matched
        );
        problems.push(Problem::new(path, message));
    }
    problems
}

/// Returns the path of a document's file below the root. Some indexers write absolute paths.
fn document_path(root: &Path, before: &str, path: &str) -> Option<RepoPath> {
    if !Path::new(path).is_absolute() {
        return RepoPath::new(&format!("{before}{path}"));
    }
    let below = Path::new(path).strip_prefix(root).ok()?;
    RepoPath::new(&below.to_string_lossy().replace('\\', "/"))
}

/// Returns the directory of the index's project below the root, with a slash at its end.
fn project_prefix(root: &Path, project_root: Option<&str>) -> String {
    let below = project_root
        .and_then(|address| address.strip_prefix("file://"))
        .and_then(|path| Path::new(path).strip_prefix(root).ok())
        .map(|below| below.to_string_lossy().replace('\\', "/"));
    match below.as_deref().map(|below| below.trim_matches('/')) {
        None | Some("") => String::new(),
        Some(below) => format!("{below}/"),
    }
}

/// Returns the text of a document's file, if it is what the compiler read: the same text if the
/// index has it; else a file that was not written since, with the definitions where the index says.
fn read_indexed_text(
    root: &Path,
    path: &RepoPath,
    document: &Document,
    index: &ScipIndex,
    known: IndexedFile,
    modified_ns: i64,
) -> Option<String> {
    let SourceReading::Text { hash, text, .. } = source::read_source(root, path, MAX_BYTES) else {
        return None;
    };
    // Facts are about the stored text, so a file that has changed since is skipped.
    if hash != known.hash {
        return None;
    }
    let is_same = match document.text {
        Some(indexed) => indexed == text,
        None => {
            known.modified_ns <= modified_ns && has_matching_definitions(&text, document, index)
        }
    };
    is_same.then_some(text)
}

/// True if nine of ten definitions are where a document says. Not all: the position of some is not
/// that of their name.
fn has_matching_definitions(text: &str, document: &Document, index: &ScipIndex) -> bool {
    let lines = SourceLines::new(text);
    let (mut all, mut right) = (0, 0);
    for one in document.occurrences.iter().filter(|one| one.is_definition) {
        let symbol = index.symbols.get(one.symbol as usize);
        let Some(name) = symbol.and_then(|symbol| format::descriptor_name(symbol)) else {
            continue;
        };
        all += 1;
        let range = lines.range(document.column_unit, one);
        right += usize::from(range.and_then(|range| text.get(range)) == Some(name));
    }
    right * 10 >= all * 9
}

/// A text with the byte offsets of its lines.
struct SourceLines<'t> {
    /// The whole text.
    text: &'t str,
    /// The byte offset of each line.
    starts: Vec<usize>,
}

impl<'t> SourceLines<'t> {
    /// Finds the starts of all lines.
    fn new(text: &'t str) -> SourceLines<'t> {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        SourceLines { text, starts: std::iter::once(0).chain(ends).collect() }
    }

    /// Returns the bytes of an occurrence; `None` if it spans lines or is outside of the text.
    fn range(
        &self,
        columns: ColumnUnit,
        one: &format::Occurrence,
    ) -> Option<std::ops::Range<usize>> {
        let start = *self.starts.get(one.line as usize)?;
        let end = self.starts.get(one.line as usize + 1).copied();
        let line = self.text.get(start..end.unwrap_or(self.text.len()))?;
        let from = byte_at_column(line, columns, one.start)?;
        let to = byte_at_column(line, columns, one.end?)?;
        Some(start + from..start + to)
    }
}

/// Converts a column of a line to a byte offset.
fn byte_at_column(line: &str, columns: ColumnUnit, column: u32) -> Option<usize> {
    let column = column as usize;
    if columns == ColumnUnit::Bytes || line.is_ascii() {
        return (column <= line.len()).then_some(column);
    }
    let mut units = 0;
    for (at, c) in line.char_indices() {
        if units >= column {
            return Some(at);
        }
        units += match columns {
            ColumnUnit::Utf16 => c.len_utf16(),
            _ => 1,
        };
    }
    (units >= column).then_some(line.len())
}
