//! Reads one file as text, within a size limit. `disk` opens it; this module decodes and detects
//! binary files.

use std::fs;
use std::path::Path;

use crate::disk::{self, ReadError, SymlinkPolicy, modified_ns};
use kenning_model::{Problem, RepoPath};

/// The content of a file.
pub struct Contents {
    /// BLAKE3 of the bytes on disk.
    pub hash: [u8; 32],
    pub text: Result<String, Problem>,
}

/// The result of reading a file as text.
pub enum ReadOutcome {
    Read(Contents),
    /// The file vanished after the walk. That is no problem: the next run sees it.
    Gone,
    Failed(Problem),
}

/// The result of reading a file as source code, which need not be valid text.
pub enum SourceReading {
    Text {
        hash: [u8; 32],
        text: String,
        /// The reason if the bytes were not valid text.
        problem: Option<Problem>,
    },
    Binary,
    Gone,
    Failed(Problem),
}

/// The bytes at the start of a file that are searched for a zero byte, as git does.
const SNIFF_BYTES: usize = 8000;

/// A file that is not valid text is binary if more than one in this many characters is a control
/// character. Compressed data has many; text in legacy encodings has almost none.
const CHARACTERS_PER_CONTROL: usize = 32;

/// Reads `path` below `root` for search. Invalid bytes are replaced and reported. A file with zero
/// bytes, or with many control characters, is binary.
pub fn read_source(root: &Path, path: &RepoPath, max_bytes: u64) -> SourceReading {
    let bytes = match read_below(root, path, max_bytes) {
        Ok(bytes) => bytes,
        Err(None) => return SourceReading::Gone,
        Err(Some(problem)) => return SourceReading::Failed(problem),
    };
    let hash = *blake3::hash(&bytes).as_bytes();
    let is_wide = bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]);
    if !is_wide && bytes[..bytes.len().min(SNIFF_BYTES)].contains(&0) {
        return SourceReading::Binary;
    }
    let (text, problem) = match decode(path, bytes) {
        Ok(text) => (text, None),
        Err((text, problem)) => (text, Some(problem)),
    };
    let is_control = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    let controls = || text.bytes().filter(is_control).count();
    if problem.is_some() && controls() > text.chars().count() / CHARACTERS_PER_CONTROL {
        return SourceReading::Binary;
    }
    SourceReading::Text { hash, text, problem }
}

/// Returns the bytes of a file that need not lie in any tree, and its modification time in
/// nanoseconds.
pub fn read_whole(path: &Path, max_bytes: u64) -> Result<(Vec<u8>, i64), String> {
    if path.is_dir() {
        return Err("it is a folder; name the file in it".to_string());
    }
    match disk::read_file(path, SymlinkPolicy::Follow, max_bytes) {
        Ok(read) => Ok((read.bytes, read.modified_ns)),
        Err(error) if error.is_absent() => Err("there is no such file".to_string()),
        Err(error) => Err(error.to_string()),
    }
}

/// Returns the size and modification time of a regular file.
pub fn stamp(path: &Path) -> Option<(u64, i64)> {
    let metadata = fs::metadata(path).ok().filter(|found| found.is_file())?;
    Some((metadata.len(), modified_ns(&metadata)))
}

/// Reads `path` below `root`. Text is UTF-8, or UTF-16 with a byte order mark; the mark is dropped.
pub fn read_text(root: &Path, path: &RepoPath, max_bytes: u64) -> ReadOutcome {
    match read_below(root, path, max_bytes) {
        Ok(bytes) => ReadOutcome::Read(Contents {
            hash: *blake3::hash(&bytes).as_bytes(),
            text: decode(path, bytes).map_err(|(_, problem)| problem),
        }),
        Err(None) => ReadOutcome::Gone,
        Err(Some(problem)) => ReadOutcome::Failed(problem),
    }
}

/// Returns the bytes of a file that a walk found. `Err(None)` means that it is gone.
fn read_below(root: &Path, path: &RepoPath, max_bytes: u64) -> Result<Vec<u8>, Option<Problem>> {
    let on_disk = root.join(path.as_str());
    match disk::read_file(&on_disk, SymlinkPolicy::Refuse, max_bytes) {
        Ok(read) => Ok(read.bytes),
        Err(ReadError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => Err(None),
        Err(error @ ReadError::TooLarge { .. }) => {
            Err(Some(Problem::new(path, format!("{error} (index.max_file_size)"))))
        }
        Err(error) => Err(Some(Problem::new(path, error.to_string()))),
    }
}

/// The text with replacement characters, and the problem that tells why.
type LossyText = (String, Problem);

fn decode(path: &RepoPath, bytes: Vec<u8>) -> Result<String, LossyText> {
    match bytes.as_slice() {
        [0xEF, 0xBB, 0xBF, rest @ ..] => decode_utf8(path, rest.to_vec()),
        [0xFF, 0xFE, rest @ ..] => decode_utf16(path, rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => decode_utf16(path, rest, u16::from_be_bytes),
        _ => decode_utf8(path, bytes),
    }
}

fn decode_utf8(path: &RepoPath, bytes: Vec<u8>) -> Result<String, LossyText> {
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..good].iter().filter(|b| **b == b'\n').count();
        let problem = Problem::new(path, "not valid UTF-8").at_line(line as u32);
        let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
        (text, problem)
    })
}

fn decode_utf16(
    path: &RepoPath,
    bytes: &[u8],
    unit: fn([u8; 2]) -> u16,
) -> Result<String, LossyText> {
    let units = bytes.chunks(2).map(|pair| match pair {
        [a, b] => unit([*a, *b]),
        // An odd byte at the end is half a character: let it fail as one.
        _ => 0xD800,
    });
    let decoded = char::decode_utf16(units);
    let mut is_whole = true;
    let text: String = decoded
        .map(|one| {
            is_whole &= one.is_ok();
            one.unwrap_or(char::REPLACEMENT_CHARACTER)
        })
        .collect();
    if is_whole { Ok(text) } else { Err((text, Problem::new(path, "not valid UTF-16"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expected: Result<&str, &str>) {
        let path = RepoPath::new("f").unwrap();
        let decoded = decode(&path, bytes.to_vec()).map_err(|(_, problem)| problem.to_string());
        assert_eq!(decoded.as_deref().map_err(String::as_str), expected);
    }

    #[test]
    fn decodes_what_editors_write() {
        check(b"plain", Ok("plain"));
        check(b"\xEF\xBB\xBFmarked", Ok("marked"));
        check(b"\xFF\xFEh\0i\0", Ok("hi"));
        check(b"\xFE\xFF\0h\0i", Ok("hi"));
    }

    #[test]
    fn says_where_it_is_not_text() {
        check(b"a\nb\xFF", Err("f:2: not valid UTF-8"));
        check(b"\xFF\xFEh\0i", Err("f: not valid UTF-16"));
    }

    #[test]
    fn source_is_text_or_binary_and_never_lost() {
        let directory = tempfile::tempdir().unwrap();
        let path = RepoPath::new("f").unwrap();
        let read = |bytes: &[u8]| {
            fs::write(directory.path().join("f"), bytes).unwrap();
            match read_source(directory.path(), &path, 1000) {
                SourceReading::Text { text, problem, .. } => (text, problem.is_some()),
                SourceReading::Binary => ("binary".to_string(), false),
                SourceReading::Gone | SourceReading::Failed(_) => panic!("it is there"),
            }
        };
        assert_eq!(read(b"plain"), ("plain".to_string(), false));
        assert_eq!(read(b"caf\xE9"), ("caf\u{FFFD}".to_string(), true));
        assert_eq!(read(b"\xFF\xFEh\0i\0"), ("hi".to_string(), false));
        assert_eq!(read(b"\xFF\xFEh\0i"), ("h\u{FFFD}".to_string(), true));
        assert_eq!(read(b"ELF\0\x01"), ("binary".to_string(), false));
        // Cyrillic of old, and what a program compressed.
        let (text, has_problem) = read(b"// \xEF\xF0\xE8\xE2\xE5\xF2\n\tx = 1;\r\n");
        assert!(text.ends_with("\n\tx = 1;\r\n") && has_problem);
        let compressed = read(b"\x1fn\x01\xa0\xc5\xd4-_\xa3.\x9e \x0c\xc2\xe0\x11\xe8\xeecM");
        assert_eq!(compressed, ("binary".to_string(), false));
        let gone = RepoPath::new("g").unwrap();
        let reading = read_source(directory.path(), &gone, 1000);
        assert!(matches!(reading, SourceReading::Gone));
    }
}
