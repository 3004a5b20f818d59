//! The files that git tracks, from its index: what is tracked is never ignored, whatever `.gitignore` says of
//! its name. An index that cannot be read names none; those of submodules, and what a split index keeps elsewhere, are not
//! read.

use std::path::Path;

use super::git;
use crate::disk::{self, Links};

/// Several million files; an index that is larger names none.
const MAX_BYTES: u64 = 1 << 29;

const SIGNATURE: &[u8] = b"DIRC";

/// What stands before the flags of an entry: times, owner, size and the hash of the text.
const BEFORE_FLAGS: usize = 60;

/// Where the mode stands in it, and what it is of a file that is no link.
const MODE: std::ops::Range<usize> = 24..28;
const REGULAR: u32 = 0o10;

/// Of version 3 and later: two bytes of flags follow the first.
const EXTENDED: u16 = 0x4000;

/// The paths below `root` that git tracks, as files and not as links, in its order.
pub fn paths(root: &Path) -> Vec<String> {
    let Some(top) = git::toplevel(root) else {
        return Vec::new();
    };
    let index = git::index_file(&top)
        .and_then(|path| disk::read_file(&path, Links::Follow, MAX_BYTES).ok());
    let all = index.and_then(|read| entries(&read.bytes)).unwrap_or_default();
    let below = root.strip_prefix(&top).ok().and_then(Path::to_str);
    match below {
        None => Vec::new(),
        Some("") => all,
        Some(below) => {
            let inner = all.iter().filter_map(|path| path.strip_prefix(below));
            let inner = inner.filter_map(|path| path.strip_prefix('/'));
            inner.map(str::to_string).collect()
        }
    }
}

/// `None` if it is of a version that is not known, or cut off.
fn entries(bytes: &[u8]) -> Option<Vec<String>> {
    let (header, mut rest) = bytes.split_at_checked(12)?;
    let version = number(header, 4)?;
    if !header.starts_with(SIGNATURE) || !(2..=4).contains(&version) {
        return None;
    }
    let mut found = Vec::new();
    let mut path = Vec::new();
    for _ in 0..number(header, 8)? {
        let flags = u16::from_be_bytes([*rest.get(BEFORE_FLAGS)?, *rest.get(BEFORE_FLAGS + 1)?]);
        let is_extended = version > 2 && flags & EXTENDED != 0;
        let fixed = BEFORE_FLAGS + if is_extended { 4 } else { 2 };
        let is_file = number(rest, MODE.start)? >> 12 == REGULAR;
        let mut name = rest.get(fixed..)?;
        let mut taken = fixed;
        // From version 4 on an entry says how much of the path before it is not its own.
        if version == 4 {
            let (dropped, length) = offset(name)?;
            path.truncate(path.len().checked_sub(dropped)?);
            name = name.get(length..)?;
            taken += length;
        } else {
            path.clear();
        }
        let end = name.iter().position(|byte| *byte == 0)?;
        path.extend_from_slice(&name[..end]);
        taken += end + 1;
        if version < 4 {
            taken = taken.next_multiple_of(8);
        }
        rest = rest.get(taken..)?;
        if is_file {
            found.extend(String::from_utf8(path.clone()));
        }
    }
    Some(found)
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at + 4)?;
    Some(u32::from_be_bytes(four.try_into().ok()?))
}

/// A number as git writes offsets, and how many bytes it takes.
fn offset(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = usize::from(bytes.first()? & 0x7f);
    let mut at = 0;
    while bytes.get(at)? & 0x80 != 0 {
        at += 1;
        let more = usize::from(bytes.get(at)? & 0x7f);
        value = value.checked_add(1)?.checked_mul(128)?.checked_add(more)?;
    }
    Some((value, at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(version: &str) {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        git::run(root, &["init", "-q"]);
        let long = format!("src/{}.rs", "long".repeat(40));
        for path in ["a", "src/lib.rs", "src/lib/mod.rs", "über.txt", &long] {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "text").unwrap();
        }
        git::run(root, &["add", "a", "src", "über.txt"]);
        std::fs::write(root.join("untracked"), "").unwrap();
        std::fs::write(root.join("meant"), "").unwrap();
        // Only extended flags can say that it is to be added, and version 2 has none.
        let how = if version == "2" { "-v" } else { "-N" };
        git::run(root, &["add", how, "meant"]);
        git::run(root, &["update-index", "--index-version", version]);
        let written = std::fs::read(root.join(".git/index")).unwrap();
        assert_eq!(written[7].to_string(), version);
        let expected = ["a", "meant", "src/lib.rs", "src/lib/mod.rs", &long, "über.txt"];
        let mut found = paths(root);
        found.sort();
        assert_eq!(found, expected);
        assert_eq!(paths(&root.join("src/lib")), ["mod.rs"]);
    }

    #[test]
    fn every_version_is_read() {
        check("2");
        check("3");
        check("4");
    }

    #[test]
    fn what_is_no_index_names_nothing() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(paths(directory.path()), [""; 0]);
        assert_eq!(entries(b""), None);
        assert_eq!(entries(b"DIRC\0\0\0\x09\0\0\0\0"), None);
        assert_eq!(entries(b"DIRC\0\0\0\x02\0\0\0\x01cut"), None);
    }
}
