//! The search index of a repository's specs: one small file.
//!
//! The file consists of these parts, in this order:
//! - a line that names the format;
//! - the length of a JSON text, as eight little-endian bytes, and that text;
//! - the vectors, as little-endian `f32`;
//! - a BLAKE3 checksum of everything before it.
//!
//! It is written aside and renamed into place, so a reader sees a whole state or none. The index is
//! loaded whole: a thousand requirements are a few megabytes.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

use kenning_store::StoreError;

/// One published state of the index.
#[derive(Clone, Debug, PartialEq)]
pub struct SpecIndex {
    pub card: SpecCard,
    pub files: Vec<SpecFile>,
    /// Each requirement, followed by its scenarios.
    pub units: Vec<SpecUnit>,
    /// One row of `card.dimension` numbers for each unit.
    vectors: Vec<f32>,
}

/// The metadata of a spec index: its time and commit, and the model that made its vectors. Vectors
/// of different models cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecCard {
    /// RFC 3339, in seconds.
    pub indexed_at: String,
    pub commit: Option<String>,
    pub provider: String,
    pub model: String,
    pub dimension: usize,
}

/// A spec file as it was when it was indexed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecFile {
    pub id: String,
    pub path: String,
    /// BLAKE3 of its bytes, in hexadecimal.
    pub hash: String,
}

/// A requirement or a scenario: the smallest thing that a search returns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecUnit {
    pub spec_id: String,
    /// The title of the spec.
    pub title: String,
    pub path: String,
    /// The line of its heading, 1-based.
    pub line: u32,
    pub requirement: String,
    /// The scenario's name; `None` for a requirement.
    pub scenario: Option<String>,
    pub text: String,
}

/// The JSON part of the file.
#[derive(Serialize, Deserialize)]
struct StoredContents {
    card: SpecCard,
    files: Vec<SpecFile>,
    units: Vec<SpecUnit>,
}

/// The first line of the file. A change of the format raises its number, and old files are rebuilt.
const FORMAT: &[u8] = b"kenning specs 1\n";
/// The length of a BLAKE3 hash.
const CHECKSUM_BYTES: usize = 32;

impl SpecIndex {
    /// Creates a state. Panics unless `vectors` has exactly one row for each unit.
    pub fn new(
        card: SpecCard,
        files: Vec<SpecFile>,
        units: Vec<SpecUnit>,
        vectors: Vec<f32>,
    ) -> SpecIndex {
        assert_eq!(units.len() * card.dimension, vectors.len(), "a row a unit");
        SpecIndex { card, files, units, vectors }
    }

    /// The vector of one unit, by its position in `units`.
    pub fn vector(&self, unit: usize) -> &[f32] {
        &self.vectors[unit * self.card.dimension..][..self.card.dimension]
    }

    /// Loads an index. A missing file, an unknown format and a damaged file are distinct errors.
    pub fn load(path: &Path) -> Result<SpecIndex, StoreError> {
        let bytes = fs::read(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => StoreError::Missing { path: path.to_path_buf() },
            _ => StoreError::io(path, error),
        })?;
        decode(&bytes).map_err(|found| StoreError::WrongFormat {
            path: path.to_path_buf(),
            found: found.to_string(),
        })
    }

    /// Makes this the state that readers load from now on.
    pub fn publish(&self, path: &Path) -> Result<(), StoreError> {
        let failed = |error| StoreError::io(path, error);
        // One writer at a time. The draft has a fixed name, so a killed build leaves at most one,
        // which the next build overwrites.
        let lock = File::create(path.with_extension("lock")).map_err(failed)?;
        lock.lock().map_err(failed)?;
        let draft = path.with_extension("draft");
        let write = || {
            let mut file = File::create(&draft)?;
            file.write_all(&encode(self))?;
            file.sync_all()?;
            fs::rename(&draft, path)
        };
        write().map_err(failed)
    }
}

/// Serializes an index; see the file header for the layout.
fn encode(index: &SpecIndex) -> Vec<u8> {
    let contents = StoredContents {
        card: index.card.clone(),
        files: index.files.clone(),
        units: index.units.clone(),
    };
    let text = serde_json::to_vec(&contents).expect("strings and numbers are JSON");
    let mut bytes = FORMAT.to_vec();
    bytes.extend((text.len() as u64).to_le_bytes());
    bytes.extend(text);
    bytes.extend(index.vectors.iter().flat_map(|number| number.to_le_bytes()));
    let checksum = blake3::hash(&bytes);
    bytes.extend(checksum.as_bytes());
    bytes
}

/// The reverse of `encode`. The error names what is wrong.
fn decode(bytes: &[u8]) -> Result<SpecIndex, &'static str> {
    let body = bytes.strip_prefix(FORMAT).ok_or("made by another program or version")?;
    let damaged = "damaged";
    let end = bytes.len().checked_sub(CHECKSUM_BYTES).ok_or(damaged)?;
    // Verify the checksum before any stored length is used.
    if blake3::hash(&bytes[..end]).as_bytes() != &bytes[end..] {
        return Err(damaged);
    }
    let (length, body) = body.split_first_chunk::<8>().ok_or(damaged)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| damaged)?;
    let (text, rest) = body.split_at_checked(length).ok_or(damaged)?;
    let contents: StoredContents = serde_json::from_slice(text).map_err(|_| damaged)?;
    let end = rest.len().checked_sub(CHECKSUM_BYTES).ok_or(damaged)?;
    let floats = rest[..end].chunks_exact(4);
    let vectors: Vec<f32> =
        floats.map(|bytes| f32::from_le_bytes(bytes.try_into().expect("four bytes"))).collect();
    if contents.units.len() * contents.card.dimension != vectors.len() {
        return Err(damaged);
    }
    Ok(SpecIndex { card: contents.card, files: contents.files, units: contents.units, vectors })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(text: &str) -> SpecIndex {
        let card = SpecCard {
            indexed_at: "2026-01-01T00:00:00Z".to_string(),
            commit: None,
            provider: "static".to_string(),
            model: "m".to_string(),
            dimension: 2,
        };
        let unit = SpecUnit {
            spec_id: "a".to_string(),
            title: "A".to_string(),
            path: "specs/a/spec.md".to_string(),
            line: 3,
            requirement: "R".to_string(),
            scenario: None,
            text: text.to_string(),
        };
        SpecIndex::new(card, Vec::new(), vec![unit.clone(), unit], vec![1.0, 0.0, 0.6, 0.8])
    }

    #[test]
    fn what_is_published_is_loaded() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("specs.index");
        assert!(matches!(SpecIndex::load(&path), Err(StoreError::Missing { .. })));
        sample("ä").publish(&path).unwrap();
        let loaded = SpecIndex::load(&path).unwrap();
        assert_eq!(loaded, sample("ä"));
        assert_eq!(loaded.vector(1), [0.6, 0.8]);
    }

    #[test]
    fn every_cut_and_every_flipped_byte_is_noticed() {
        let whole = encode(&sample("text"));
        for end in 0..whole.len() {
            assert!(decode(&whole[..end]).is_err(), "cut at {end}");
            let mut flipped = whole.clone();
            flipped[end] ^= 1;
            assert!(decode(&flipped).is_err(), "flipped at {end}");
        }
    }

    /// Readers and writers at the same time: nobody sees a half-written state.
    #[test]
    fn readers_see_whole_states_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("specs.index");
        sample("0").publish(&path).unwrap();
        std::thread::scope(|scope| {
            for writer in 0..3 {
                let path = &path;
                scope.spawn(move || {
                    for round in 0..20usize {
                        let text = "x".repeat(writer * 1000 + round * 997);
                        sample(&text).publish(path).unwrap();
                    }
                });
            }
            for _ in 0..2 {
                scope.spawn(|| (0..100).for_each(|_| drop(SpecIndex::load(&path).unwrap())));
            }
        });
        assert!(!path.with_extension("draft").exists());
    }
}
