//! Reading one file as text, within a size limit.

use std::fs;
use std::path::Path;

use crate::model::{Problem, RepoPath};

/// A file's bytes as read, and what they say.
pub struct Contents {
    /// BLAKE3 of the bytes on disk.
    pub hash: [u8; 32],
    pub text: Result<String, Problem>,
}

/// Whether the file could be had at all.
pub enum Reading {
    Read(Contents),
    /// It vanished between the walk and now, which is no problem: the next run sees that.
    Gone,
    Failed(Problem),
}

/// Reads `path` below `root`. Text is UTF-8, or UTF-16 with a byte order mark; the mark is dropped.
pub fn read_text(root: &Path, path: &RepoPath, max_bytes: u64) -> Reading {
    let on_disk = root.join(path.as_str());
    let size = fs::metadata(&on_disk).map(|metadata| metadata.len());
    if let Ok(size) = size
        && size > max_bytes
    {
        return Reading::Failed(Problem::new(
            path,
            format!("{size} bytes, above the limit of {max_bytes} (index.max_file_size)"),
        ));
    }
    match fs::read(&on_disk) {
        Ok(bytes) => Reading::Read(Contents {
            hash: *blake3::hash(&bytes).as_bytes(),
            text: decode(path, bytes),
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Reading::Gone,
        Err(error) => Reading::Failed(Problem::new(path, error.to_string())),
    }
}

fn decode(path: &RepoPath, bytes: Vec<u8>) -> Result<String, Problem> {
    match bytes.as_slice() {
        [0xEF, 0xBB, 0xBF, rest @ ..] => utf8(path, rest.to_vec()),
        [0xFF, 0xFE, rest @ ..] => utf16(path, rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(path, rest, u16::from_be_bytes),
        _ => utf8(path, bytes),
    }
}

fn utf8(path: &RepoPath, bytes: Vec<u8>) -> Result<String, Problem> {
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..good]
            .iter()
            .filter(|b| **b == b'\n')
            .count();
        Problem::new(path, "not valid UTF-8").at_line(line as u32)
    })
}

fn utf16(path: &RepoPath, bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, Problem> {
    let units = bytes.chunks(2).map(|pair| match pair {
        [a, b] => unit([*a, *b]),
        // An odd byte at the end is half a character: let it fail as one.
        _ => 0xD800,
    });
    char::decode_utf16(units)
        .collect::<Result<String, _>>()
        .map_err(|_| Problem::new(path, "not valid UTF-16"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expected: Result<&str, &str>) {
        let path = RepoPath::new("f").unwrap();
        let decoded = decode(&path, bytes.to_vec()).map_err(|problem| problem.to_string());
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
}
