//! Looks names up by parts: a scan over the names of all segments, which are kept in memory. A
//! repository has so few distinct names that scanning them takes less time than an index of parts
//! would save.

use std::collections::HashMap;
use std::sync::Arc;

use memchr::memmem::Finder;
use rusqlite::Connection;

use super::super::bitmap::Bitmap;
use super::super::enum_codes::SymbolAttributes;
use super::super::error::StoreResult;
use super::super::file_filter::{FileEntry, FileTable};
use super::super::segments::Segment;
use super::block::{NameBlock, NameEntry};

/// The names of a generation, by segment.
#[derive(Default)]
pub struct NameIndex(Vec<SegmentNames>);

#[derive(Clone)]
struct SegmentNames {
    segment: u32,
    base: u32,
    blocks: Arc<Vec<SearchableBlock>>,
}

/// A decoded block with its strings in lower case.
struct SearchableBlock {
    block: NameBlock,
    names: FoldedStrings,
    scopes: FoldedStrings,
}

impl NameIndex {
    /// Loads the names of these segments. Reuses those that `before` has.
    pub fn load<'s>(
        connection: &Connection,
        segments: impl Iterator<Item = &'s Segment>,
        before: &NameIndex,
    ) -> StoreResult<NameIndex> {
        let mut names = Vec::new();
        for segment in segments {
            let known = before.0.iter().find(|known| known.segment == segment.id);
            names.push(match known {
                Some(known) => known.clone(),
                None => SegmentNames {
                    segment: segment.id,
                    base: segment.chunks.start,
                    blocks: Arc::new(load_blocks(connection, segment.id)?),
                },
            });
        }
        Ok(NameIndex(names))
    }
}

fn load_blocks(connection: &Connection, segment: u32) -> StoreResult<Vec<SearchableBlock>> {
    let blocks =
        super::read_blocks(connection, segment)?.into_iter().map(|block| SearchableBlock {
            names: FoldedStrings::new(&block.names),
            scopes: FoldedStrings::new(&block.scopes),
            block,
        });
    Ok(blocks.collect())
}

/// A definition, as far as the name index knows it.
pub struct DefinedNames {
    pub(in super::super) names: Arc<NameIndex>,
    pub(in super::super) file_table: Arc<FileTable>,
    pub(in super::super) alive: Arc<Bitmap>,
}

/// A definition, as far as its name tells.
#[derive(Clone, Copy, Debug)]
pub struct DefinedName<'n, F> {
    pub name: &'n str,
    pub scope: Option<&'n str>,
    pub attributes: SymbolAttributes,
    pub file: &'n FileEntry,
    /// The index in the file's list of definitions.
    pub place: u32,
    /// The result of the caller's `fit`.
    pub fit: F,
}

/// The strings in which parts are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchScope {
    /// In the name itself; only the name decides whether it fits.
    Name,
    /// In the name or in its scope.
    NameOrScope,
}

impl DefinedNames {
    /// Returns the definitions that contain every one of `parts`, ignoring case, and for which
    /// `fit` returns a value. In any order.
    ///
    /// `fit` gets name and scope and has the last word; it is not called for names without the
    /// parts. Only the first 64 parts are used to narrow the search.
    pub fn find_matching<F: Copy>(
        &self,
        parts: &[&str],
        within: MatchScope,
        fit: impl Fn(&str, Option<&str>) -> Option<F>,
    ) -> Vec<DefinedName<'_, F>> {
        let finders: Vec<Finder> = parts
            .iter()
            .take(u64::BITS as usize)
            .map(|part| Finder::new(&fold_case(part)).into_owned())
            .collect();
        let mut found = Vec::new();
        for segment in &self.names.0 {
            for loaded in segment.blocks.iter() {
                let having = loaded.mask_parts(&finders, within);
                self.collect_matches(segment.base, loaded, &having, within, &fit, &mut found);
            }
        }
        found
    }

    /// Adds the matching definitions of a block.
    fn collect_matches<'n, F: Copy>(
        &'n self,
        base: u32,
        loaded: &'n SearchableBlock,
        having: &PartMasks,
        within: MatchScope,
        fit: &impl Fn(&str, Option<&str>) -> Option<F>,
        found: &mut Vec<DefinedName<'n, F>>,
    ) {
        if !having.can_any {
            return;
        }
        let block = &loaded.block;
        let mut judged = FitCache::new(within, block.names.len());
        for (first, entries) in block.files() {
            let mut file = None;
            for (place, entry) in (0..).zip(entries) {
                if !having.has_all(entry) {
                    continue;
                }
                let judge = || fit(block.name(entry), block.scope(entry));
                let Some(fit) = judged.get_or_judge(entry, judge) else {
                    continue;
                };
                let chunk = base.saturating_add(first);
                // A tombstone stays in its segment until that is merged.
                let Some(file) = *file.get_or_insert_with(|| self.find_live_file(chunk)) else {
                    break;
                };
                found.push(DefinedName {
                    name: block.name(entry),
                    scope: block.scope(entry),
                    attributes: entry.attributes,
                    file,
                    place,
                    fit,
                });
            }
        }
    }

    fn find_live_file(&self, chunk: u32) -> Option<&FileEntry> {
        let file = self.file_table.find_file(chunk)?;
        self.alive.contains(chunk).then_some(file)
    }
}

/// The cached results of `fit`. Many definitions share a name, which is judged only once.
enum FitCache<F> {
    /// By the place of the name, which alone decides.
    ByName(Vec<Option<Option<F>>>),
    ByNameAndScope(HashMap<(u32, Option<u32>), Option<F>>),
}

impl<F: Copy> FitCache<F> {
    fn new(within: MatchScope, names: usize) -> FitCache<F> {
        match within {
            MatchScope::Name => FitCache::ByName(vec![None; names]),
            MatchScope::NameOrScope => FitCache::ByNameAndScope(HashMap::new()),
        }
    }

    fn get_or_judge(&mut self, entry: &NameEntry, judge: impl FnOnce() -> Option<F>) -> Option<F> {
        match self {
            FitCache::ByName(known) => *known[entry.name as usize].get_or_insert_with(judge),
            FitCache::ByNameAndScope(known) => {
                *known.entry((entry.name, entry.scope)).or_insert_with(judge)
            }
        }
    }
}

/// For each name and each scope of a block, a bit mask of the parts that it contains.
struct PartMasks {
    names: Vec<u64>,
    scopes: Vec<u64>,
    all: u64,
    /// True if any definition can have all.
    can_any: bool,
}

impl PartMasks {
    /// True if name and scope together contain all parts.
    fn has_all(&self, entry: &NameEntry) -> bool {
        let scope = entry.scope.and_then(|scope| self.scopes.get(scope as usize));
        self.names[entry.name as usize] | scope.copied().unwrap_or_default() == self.all
    }
}

impl SearchableBlock {
    /// Searches every part in all names, and in all scopes if wanted. Stops early if a part occurs
    /// nowhere.
    fn mask_parts(&self, finders: &[Finder], within: MatchScope) -> PartMasks {
        let mut having = PartMasks {
            names: vec![0; self.block.names.len()],
            scopes: Vec::new(),
            all: 0,
            can_any: true,
        };
        if within == MatchScope::NameOrScope {
            having.scopes = vec![0; self.block.scopes.len()];
        }
        for (number, finder) in finders.iter().enumerate() {
            let bit = 1 << number;
            having.all |= bit;
            let mut has_any = self.names.mark_matches(finder, bit, &mut having.names);
            if within == MatchScope::NameOrScope {
                has_any |= self.scopes.mark_matches(finder, bit, &mut having.scopes);
            }
            having.can_any &= has_any;
            if !has_any {
                break;
            }
        }
        having
    }
}

/// Strings in lower case, concatenated, so that one search covers all of them.
struct FoldedStrings {
    /// Each with [`BORDER`] behind it.
    text: Vec<u8>,
    /// Behind the border.
    ends: Vec<usize>,
}

/// A byte that no text has.
// Not a byte of valid UTF-8, so no match crosses a border.
const BORDER: u8 = 0xff;

impl FoldedStrings {
    fn new(strings: &[Box<str>]) -> FoldedStrings {
        let mut text = Vec::with_capacity(strings.iter().map(|one| one.len() + 1).sum());
        let mut ends = Vec::with_capacity(strings.len());
        for one in strings {
            if one.is_ascii() {
                text.extend(one.bytes().map(|byte| byte.to_ascii_lowercase()))
            } else {
                text.extend(fold_case(one))
            }
            text.push(BORDER);
            ends.push(text.len());
        }
        FoldedStrings { text, ends }
    }

    /// Sets `bit` for each string that contains the needle. True if one does.
    fn mark_matches(&self, finder: &Finder, bit: u64, marks: &mut [u64]) -> bool {
        let mut at = 0;
        let mut has_any = false;
        while let Some(found) = finder.find(&self.text[at..]) {
            let place = self.ends.partition_point(|end| *end <= at + found);
            let Some((mark, end)) = marks.get_mut(place).zip(self.ends.get(place)) else {
                break;
            };
            *mark |= bit;
            has_any = true;
            // One match per string is enough.
            at = *end;
        }
        has_any
    }
}

/// Small letters. A sigma is small in another way at the end of a word, and where a word ends is not
/// the same in a whole name as in its parts.
fn fold_case(text: &str) -> Vec<u8> {
    text.to_lowercase().replace('ς', "σ").into_bytes()
}
