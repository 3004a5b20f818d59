//! A block of the symbol name index: the definitions of some files, each as name, scope and
//! attributes. Strings are stored once, in the order of first use, so that most references to one
//! are small numbers.
//!
//!   block   = zstd of: names, scopes, files, attributes, name indexes, scope indexes
//!   names   = count, (length, UTF-8)…          scopes alike
//!   files   = count, (first chunk − next, number of definitions)…
//!   attributes    = 1 byte per definition; see `enum_codes::SymbolAttributes`
//!   name index    = distance back: names seen so far − index; 0 is a new name
//!   scope index   = 0 (as the definition before), 1 (none), or distance back + 2
//!
//! A file is identified by its first chunk, relative to the segment's. A definition is identified
//! by its index in the file's list of symbols.

use std::collections::HashMap;

use super::super::enum_codes::SymbolAttributes;
use super::super::file_blob::{compress, decompress};
use super::super::varint::{ByteReader, Malformed, put_number, put_text};

/// A block of more definitions, or of more text, is ended: what is unpacked at once stays small.
// The size at which a block is closed. Bounds the memory that decoding one takes.
const DEFINITIONS: usize = 1 << 16;
const TEXT: usize = 8 << 20;

/// A definition as the block holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameEntry {
    /// The place of its name among the names.
    pub name: u32,
    /// The place of its scope among the scopes.
    pub scope: Option<u32>,
    pub attributes: SymbolAttributes,
}

/// A definition: its name, its scope, and what filters ask of it.
pub type NamedSymbol<'d> = (&'d str, Option<&'d str>, SymbolAttributes);

/// A decoded block. All indexes in it are valid.
#[derive(Default)]
pub struct NameBlockBuilder {
    names: Interner,
    scopes: Interner,
    /// First chunk and number of definitions.
    files: Vec<(u32, u32)>,
    entries: Vec<NameEntry>,
}

impl NameBlockBuilder {
    /// Appends the definitions of the next file. First chunks must ascend. A file without
    /// definitions is left out.
    pub fn put<'d>(&mut self, first_chunk: u32, defined: impl Iterator<Item = NamedSymbol<'d>>) {
        let before = self.entries.len();
        for (name, scope, attributes) in defined {
            let name = self.names.intern(name);
            let scope = scope.map(|scope| self.scopes.intern(scope));
            self.entries.push(NameEntry { name, scope, attributes });
        }
        let count = self.entries.len() - before;
        if count > 0 {
            self.files.push((first_chunk, count as u32));
        }
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    pub fn is_full(&self) -> bool {
        self.entries.len() >= DEFINITIONS || self.names.bytes + self.scopes.bytes >= TEXT
    }

    /// Encodes and compresses the block.
    pub fn finish(self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for strings in [&self.names.all, &self.scopes.all] {
            put_number(&mut bytes, strings.len() as u32);
            strings.iter().for_each(|text| put_text(&mut bytes, text));
        }
        put_number(&mut bytes, self.files.len() as u32);
        let mut next = 0;
        for (first, count) in &self.files {
            put_number(&mut bytes, first - next);
            put_number(&mut bytes, *count);
            next = first + 1;
        }
        bytes.extend(self.entries.iter().map(|entry| entry.attributes.code()));
        let mut seen = 0;
        for entry in &self.entries {
            put_number(&mut bytes, encode_index(entry.name, &mut seen));
        }
        // Most definitions have the scope of the one before.
        let (mut seen, mut last) = (0, None);
        for entry in &self.entries {
            match entry.scope {
                scope if scope == last => put_number(&mut bytes, 0),
                None => put_number(&mut bytes, 1),
                Some(scope) => put_number(&mut bytes, encode_index(scope, &mut seen) + 2),
            }
            last = entry.scope;
        }
        compress(&bytes)
    }
}

/// Returns how far back a string was first used; 0 if it is new.
fn encode_index(place: u32, seen: &mut u32) -> u32 {
    let back = *seen - place;
    *seen = (*seen).max(place + 1);
    back
}

/// The inverse of [`encode_index`]. The index may still be beyond the end: the caller checks it.
fn decode_index(back: u32, seen: &mut u32) -> Result<u32, Malformed> {
    let place = seen.checked_sub(back).ok_or(Malformed)?;
    *seen = (*seen).max(place + 1);
    Ok(place)
}

/// Distinct strings, numbered in the order of first use.
#[derive(Default)]
struct Interner {
    all: Vec<Box<str>>,
    places: HashMap<Box<str>, u32>,
    bytes: usize,
}

impl Interner {
    fn intern(&mut self, text: &str) -> u32 {
        if let Some(place) = self.places.get(text) {
            return *place;
        }
        let place = self.all.len() as u32;
        self.all.push(text.into());
        self.places.insert(text.into(), place);
        self.bytes += text.len();
        place
    }
}

/// A block as it is read.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct NameBlock {
    pub names: Vec<Box<str>>,
    pub scopes: Vec<Box<str>>,
    /// First chunk, and where the file's definitions end among the entries.
    pub files: Vec<(u32, usize)>,
    pub entries: Vec<NameEntry>,
}

impl NameBlock {
    pub fn read(packed: &[u8]) -> Result<NameBlock, Malformed> {
        let bytes = decompress(packed)?;
        let mut unpacker = ByteReader::new(&bytes);
        let names = read_strings(&mut unpacker)?;
        let scopes = read_strings(&mut unpacker)?;
        let mut files = Vec::new();
        let (mut next, mut end) = (0_u32, 0_usize);
        for _ in 0..unpacker.read_count()? {
            let first = next.checked_add(unpacker.read_number()?).ok_or(Malformed)?;
            next = first.checked_add(1).ok_or(Malformed)?;
            end += unpacker.read_number()? as usize;
            files.push((first, end));
        }
        let codes = unpacker.read_bytes(end)?;
        let mut entries = Vec::with_capacity(end);
        let mut seen = 0;
        for code in codes {
            let name = decode_index(unpacker.read_number()?, &mut seen)?;
            if name as usize >= names.len() {
                return Err(Malformed);
            }
            entries.push(NameEntry {
                name,
                scope: None,
                attributes: SymbolAttributes::from_code(*code)?,
            });
        }
        let (mut seen, mut last) = (0, None);
        for entry in &mut entries {
            last = match unpacker.read_number()? {
                0 => last,
                1 => None,
                number => Some(decode_index(number - 2, &mut seen)?),
            };
            if last.is_some_and(|scope: u32| scope as usize >= scopes.len()) {
                return Err(Malformed);
            }
            entry.scope = last;
        }
        Ok(NameBlock { names, scopes, files, entries })
    }

    /// Each file: its first chunk and its definitions.
    pub fn files(&self) -> impl Iterator<Item = (u32, &[NameEntry])> {
        let starts = [0].into_iter().chain(self.files.iter().map(|file| file.1));
        let files = self.files.iter().zip(starts);
        files.map(|((first, end), start)| (*first, &self.entries[start..*end]))
    }

    pub fn name(&self, entry: &NameEntry) -> &str {
        &self.names[entry.name as usize]
    }

    pub fn scope(&self, entry: &NameEntry) -> Option<&str> {
        entry.scope.map(|scope| &*self.scopes[scope as usize])
    }
}

fn read_strings(unpacker: &mut ByteReader) -> Result<Vec<Box<str>>, Malformed> {
    let strings = (0..unpacker.read_count()?).map(|_| unpacker.read_text().map(Box::from));
    strings.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenning_model::ChunkKind;
    use kenning_testing::Random;

    #[test]
    fn blocks_come_back_and_damage_is_no_panic() {
        let mut random = Random::new(11);
        let mut block = NameBlockBuilder::default();
        let mut expected = Vec::new();
        for file in 0..40 {
            let one = |random: &mut Random| {
                let name = format!("größe{}", random.next_below(60));
                let scope =
                    (random.next_below(3) > 0).then(|| format!("S{}", random.next_below(9)));
                let attributes = SymbolAttributes {
                    kind: ChunkKind::ALL[random.next_below(9) as usize],
                    is_public: random.next_below(2) == 0,
                    is_test: random.next_below(4) == 0,
                };
                (name, scope, attributes)
            };
            let defined: Vec<_> = (0..random.next_below(20)).map(|_| one(&mut random)).collect();
            let borrowed = defined.iter();
            block.put(
                file * 7,
                borrowed.map(|(name, scope, attributes)| {
                    (name.as_str(), scope.as_deref(), *attributes)
                }),
            );
            if !defined.is_empty() {
                expected.push((file * 7, defined));
            }
        }
        let packed = block.finish();
        let block = NameBlock::read(&packed).unwrap();
        let found: Vec<_> = block
            .files()
            .map(|(first, entries)| {
                let entries = entries.iter().map(|entry| {
                    let scope = block.scope(entry).map(str::to_string);
                    (block.name(entry).to_string(), scope, entry.attributes)
                });
                (first, entries.collect())
            })
            .collect();
        assert_eq!(found, expected);
        let bytes = decompress(&packed).unwrap();
        for _ in 0..5000 {
            let mut damaged = bytes.clone();
            let at = random.next_below(damaged.len() as u32) as usize;
            damaged[at] = random.next_below(256) as u8;
            damaged.truncate(damaged.len() - random.next_below(3) as usize);
            if let Ok(block) = NameBlock::read(&compress(&damaged)) {
                for (_, entries) in block.files() {
                    entries.iter().for_each(|entry| {
                        let _ = (block.name(entry), block.scope(entry));
                    });
                }
            }
        }
    }
}
