//! The file format of the walk cache: words, each followed by a zero byte, compressed with zstd. No
//! path contains a zero byte. The BLAKE3 hash of all bytes before it ends the file. A damaged file,
//! one of another version or of other content counts as no cache.
//!
//!   key
//!   count, (directory path, consumers, mtime, hash of names)…
//!   count, (ignore file, size or u64::MAX if absent, mtime)…
//!   count, (pruned path, reason, consumers)…
//!   count, (file path, consumers)…
//!   "end"

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::str::{FromStr, Split};

use super::{Directory, DirectoryStamp, WalkCache};
use crate::walk::PruneReason;
use crate::walk_filter::ConsumerSet;
use kenning_model::RepoPath;

/// The last word. Without it the file is truncated.
const END: &str = "end";

/// Paths repeat themselves; a higher level costs time and saves little.
const LEVEL: i32 = 3;

impl WalkCache {
    /// Loads a cache; `None` if it cannot be read.
    pub fn load(path: &Path) -> Option<WalkCache> {
        let stored = std::fs::read(path).ok()?;
        let (packed, checksum) = stored.split_last_chunk::<{ blake3::OUT_LEN }>()?;
        if blake3::hash(packed).as_bytes() != checksum {
            return None;
        }
        let bytes = zstd::decode_all(packed).ok()?;
        parse(std::str::from_utf8(&bytes).ok()?)
    }

    /// Writes the cache, atomically. A failure only costs a walk the next time.
    pub fn save(&self, path: &Path) {
        let Some(text) = serialize(self) else {
            return super::remove_cache(path);
        };
        let aside = path.with_extension("new");
        let put = || -> io::Result<()> {
            let mut stored = zstd::encode_all(text.as_bytes(), LEVEL)?;
            let checksum = blake3::hash(&stored);
            stored.extend(checksum.as_bytes());
            std::fs::write(&aside, stored)?;
            std::fs::rename(&aside, path)
        };
        if let Err(error) = put() {
            tracing::debug!("{}: {error}", path.display());
            super::remove_cache(&aside);
            super::remove_cache(path);
        }
    }
}

/// Collects the words of a cache file.
#[derive(Default)]
struct WordWriter(String);

impl WordWriter {
    fn put(&mut self, word: impl Display) {
        use std::fmt::Write;
        let _ = write!(self.0, "{word}\0");
    }

    fn put_mask(&mut self, mask: ConsumerSet) {
        self.put(mask.bits());
    }
}

/// Returns the words of a cache; `None` if a path is not UTF-8.
fn serialize(memory: &WalkCache) -> Option<String> {
    let mut words = WordWriter::default();
    words.put(&memory.key);
    words.put(memory.directories.len());
    for directory in &memory.directories {
        words.put(&directory.path);
        words.put_mask(directory.mask);
        words.put(directory.modified_ns);
        words.put(directory.names);
    }
    words.put(memory.rules.len());
    for (path, stamp) in &memory.rules {
        words.put(path.to_str()?);
        let (size, modified_ns) = stamp.unwrap_or((u64::MAX, 0));
        words.put(size);
        words.put(modified_ns);
    }
    words.put(memory.pruned.len());
    for (path, why, mask) in &memory.pruned {
        words.put(path);
        words.put(*why as u8);
        words.put_mask(*mask);
    }
    words.put(memory.files.len());
    for (path, mask) in &memory.files {
        words.put(path);
        words.put_mask(*mask);
    }
    words.put(END);
    Some(words.0)
}

/// Iterates over the words of a cache file.
struct CacheReader<'t>(Split<'t, char>);

impl<'t> CacheReader<'t> {
    fn text(&mut self) -> Option<&'t str> {
        self.0.next()
    }

    fn number<T: FromStr>(&mut self) -> Option<T> {
        self.text()?.parse().ok()
    }

    fn path(&mut self) -> Option<RepoPath> {
        match self.text()? {
            "" => Some(RepoPath::default()),
            path => RepoPath::new(path),
        }
    }

    fn mask(&mut self) -> Option<ConsumerSet> {
        self.number().map(ConsumerSet::from_bits)
    }

    fn list<T>(&mut self, one: impl Fn(&mut CacheReader<'t>) -> Option<T>) -> Option<Vec<T>> {
        let count: usize = self.number()?;
        (0..count).map(|_| one(self)).collect()
    }
}

/// Parses a cache; `None` if a word is missing or wrong.
fn parse(text: &str) -> Option<WalkCache> {
    let mut words = CacheReader(text.split('\0'));
    let memory = WalkCache {
        key: words.text()?.to_string(),
        directories: words.list(|words| {
            Some(Directory {
                path: words.path()?,
                mask: words.mask()?,
                modified_ns: words.number()?,
                names: words.number()?,
            })
        })?,
        rules: words.list(|words| {
            let path = PathBuf::from(words.text()?);
            let stamp: DirectoryStamp = (words.number()?, words.number()?);
            Some((path, Some(stamp).filter(|(size, _)| *size != u64::MAX)))
        })?,
        pruned: words.list(|words| {
            let path = words.path()?;
            let why = match words.number::<u8>()? {
                0 => PruneReason::Name,
                1 => PruneReason::Worktree,
                2 => PruneReason::Link,
                _ => PruneReason::FileSystem,
            };
            Some((path, why, words.mask()?))
        })?,
        files: words.list(|words| Some((words.path()?, words.mask()?)))?,
    };
    (words.text()? == END).then_some(memory)
}
