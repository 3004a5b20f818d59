//! Looking names up: those of all segments in memory, and a scan over them. A repository has so few
//! different names that looking at each for a part takes less time than finding it in an index of
//! parts would save.

use std::collections::HashMap;
use std::sync::Arc;

use memchr::memmem::Finder;
use rusqlite::Connection;

use super::super::bitmap::Bitmap;
use super::super::enum_codes::Nature;
use super::super::error::StoreResult;
use super::super::file_table::{Catalog, CatalogFile};
use super::super::segments::Segment;
use super::block::{NameBlock, NameEntry};

/// The names of a generation, by segment.
#[derive(Default)]
pub struct Names(Vec<SegmentNames>);

#[derive(Clone)]
struct SegmentNames {
    segment: u32,
    base: u32,
    blocks: Arc<Vec<Loaded>>,
}

/// A block, ready to be looked at.
struct Loaded {
    block: NameBlock,
    names: Folded,
    scopes: Folded,
}

impl Names {
    /// Loads the names of these segments. Reuses those that `before` has.
    pub fn load<'s>(
        connection: &Connection,
        segments: impl Iterator<Item = &'s Segment>,
        before: &Names,
    ) -> StoreResult<Names> {
        let mut names = Vec::new();
        for segment in segments {
            let known = before.0.iter().find(|known| known.segment == segment.id);
            names.push(match known {
                Some(known) => known.clone(),
                None => SegmentNames {
                    segment: segment.id,
                    base: segment.chunks.start,
                    blocks: Arc::new(loaded(connection, segment.id)?),
                },
            });
        }
        Ok(Names(names))
    }
}

fn loaded(connection: &Connection, segment: u32) -> StoreResult<Vec<Loaded>> {
    let blocks = super::blocks(connection, segment)?.into_iter();
    let blocks = blocks.map(|block| Loaded {
        names: Folded::new(&block.names),
        scopes: Folded::new(&block.scopes),
        block,
    });
    Ok(blocks.collect())
}

/// Every name that is defined in one generation.
pub struct DefinedNames {
    pub(in super::super) names: Arc<Names>,
    pub(in super::super) catalog: Arc<Catalog>,
    pub(in super::super) living: Arc<Bitmap>,
}

/// A definition, as far as its name tells.
#[derive(Clone, Copy, Debug)]
pub struct DefinedName<'n, F> {
    pub name: &'n str,
    pub scope: Option<&'n str>,
    pub nature: Nature,
    pub file: &'n CatalogFile,
    /// The index in the file's list of definitions.
    pub place: u32,
    /// The result of the caller's `fit`.
    pub fit: F,
}

/// Where a part has to be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// In the name itself; only the name decides whether it fits.
    Name,
    /// In the name or in its scope.
    Whole,
}

impl DefinedNames {
    /// The definitions that have every one of `parts`, whatever the capitals, and for which `fit` has
    /// an answer, in any order. `fit` is told the name and the scope; it has the last word, and is not
    /// asked about names without the parts.
    pub fn fitting<F: Copy>(
        &self,
        parts: &[&str],
        within: Within,
        fit: impl Fn(&str, Option<&str>) -> Option<F>,
    ) -> Vec<DefinedName<'_, F>> {
        let finders: Vec<Finder> = parts
            .iter()
            .take(u64::BITS as usize)
            .map(|part| Finder::new(&fold(part)).into_owned())
            .collect();
        let mut found = Vec::new();
        for segment in &self.names.0 {
            for loaded in segment.blocks.iter() {
                let having = loaded.having(&finders, within);
                self.collect(segment.base, loaded, &having, within, &fit, &mut found);
            }
        }
        found
    }

    /// Adds the definitions of a block.
    fn collect<'n, F: Copy>(
        &'n self,
        base: u32,
        loaded: &'n Loaded,
        having: &PartMasks,
        within: Within,
        fit: &impl Fn(&str, Option<&str>) -> Option<F>,
        found: &mut Vec<DefinedName<'n, F>>,
    ) {
        if !having.can_any {
            return;
        }
        let block = &loaded.block;
        let mut judged = Judged::new(within, block.names.len());
        for (first, entries) in block.files() {
            let mut file = None;
            for (place, entry) in (0..).zip(entries) {
                if !having.has_all(entry) {
                    continue;
                }
                let judge = || fit(block.name(entry), block.scope(entry));
                let Some(fit) = judged.once(entry, judge) else {
                    continue;
                };
                let chunk = base.saturating_add(first);
                // A tombstone stays in its segment until that is merged.
                let Some(file) = *file.get_or_insert_with(|| self.file(chunk)) else {
                    break;
                };
                found.push(DefinedName {
                    name: block.name(entry),
                    scope: block.scope(entry),
                    nature: entry.nature,
                    file,
                    place,
                    fit,
                });
            }
        }
    }

    fn file(&self, chunk: u32) -> Option<&CatalogFile> {
        let file = self.catalog.file_of(chunk)?;
        self.living.contains(chunk).then_some(file)
    }
}

/// The cached results of `fit`. Many definitions share a name, which is judged only once.
enum Judged<F> {
    /// By the place of the name, which alone decides.
    ByName(Vec<Option<Option<F>>>),
    ByNameAndScope(HashMap<(u32, Option<u32>), Option<F>>),
}

impl<F: Copy> Judged<F> {
    fn new(within: Within, names: usize) -> Judged<F> {
        match within {
            Within::Name => Judged::ByName(vec![None; names]),
            Within::Whole => Judged::ByNameAndScope(HashMap::new()),
        }
    }

    fn once(&mut self, entry: &NameEntry, judge: impl FnOnce() -> Option<F>) -> Option<F> {
        match self {
            Judged::ByName(known) => *known[entry.name as usize].get_or_insert_with(judge),
            Judged::ByNameAndScope(known) => {
                *known.entry((entry.name, entry.scope)).or_insert_with(judge)
            }
        }
    }
}

/// The parts that each name and each scope of a block contains, as bit masks.
struct PartMasks {
    names: Vec<u64>,
    scopes: Vec<u64>,
    all: u64,
    /// True if any definition can have all.
    can_any: bool,
}

impl PartMasks {
    fn has_all(&self, entry: &NameEntry) -> bool {
        let scope = entry.scope.and_then(|scope| self.scopes.get(scope as usize));
        self.names[entry.name as usize] | scope.copied().unwrap_or_default() == self.all
    }
}

impl Loaded {
    fn having(&self, finders: &[Finder], within: Within) -> PartMasks {
        let mut having = PartMasks {
            names: vec![0; self.block.names.len()],
            scopes: Vec::new(),
            all: 0,
            can_any: true,
        };
        if within == Within::Whole {
            having.scopes = vec![0; self.block.scopes.len()];
        }
        for (number, finder) in finders.iter().enumerate() {
            let bit = 1 << number;
            having.all |= bit;
            let mut has_any = self.names.mark(finder, bit, &mut having.names);
            if within == Within::Whole {
                has_any |= self.scopes.mark(finder, bit, &mut having.scopes);
            }
            having.can_any &= has_any;
            if !has_any {
                break;
            }
        }
        having
    }
}

/// Strings in small letters, to be searched at once.
struct Folded {
    /// Each with [`BORDER`] behind it.
    text: Vec<u8>,
    /// Behind the border.
    ends: Vec<usize>,
}

/// A byte that no text has.
const BORDER: u8 = 0xff;

impl Folded {
    fn new(strings: &[Box<str>]) -> Folded {
        let mut text = Vec::with_capacity(strings.iter().map(|one| one.len() + 1).sum());
        let mut ends = Vec::with_capacity(strings.len());
        for one in strings {
            if one.is_ascii() {
                text.extend(one.bytes().map(|byte| byte.to_ascii_lowercase()))
            } else {
                text.extend(fold(one))
            }
            text.push(BORDER);
            ends.push(text.len());
        }
        Folded { text, ends }
    }

    /// Sets `bit` of each string that has what the finder looks for; whether one has.
    fn mark(&self, finder: &Finder, bit: u64, marks: &mut [u64]) -> bool {
        let mut at = 0;
        let mut has_any = false;
        while let Some(found) = finder.find(&self.text[at..]) {
            let place = self.ends.partition_point(|end| *end <= at + found);
            let Some((mark, end)) = marks.get_mut(place).zip(self.ends.get(place)) else {
                break;
            };
            *mark |= bit;
            has_any = true;
            at = *end;
        }
        has_any
    }
}

/// Small letters. A sigma is small in another way at the end of a word, and where a word ends is not
/// the same in a whole name as in its parts.
fn fold(text: &str) -> Vec<u8> {
    text.to_lowercase().replace('ς', "σ").into_bytes()
}
