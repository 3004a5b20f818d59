//! The files that git tracks, from its index: what is tracked is never ignored, whatever `.gitignore` says of
//! its name. An index that cannot be read names none; those of submodules, and what a split index keeps elsewhere, are not
//! read.

use std::path::Path;

use super::git_repository;

const SIGNATURE: &[u8] = b"DIRC";

/// Positions in an entry: the mode, the size, and the object id, which the flags follow.
const MODE: usize = 24;
const SIZE: usize = 36;
const ID: usize = 40;

/// The upper bits of the mode of a file that is no link.
const REGULAR: u32 = 0o10;

/// The flag of an entry that has two more bytes of flags, from version 3 of the format on.
const EXTENDED: u16 = 0x4000;

/// The length of an object id, in bytes, unless the repository uses SHA-256.
const SHA1_LENGTH: usize = 20;

/// A file as git's index has it.
pub struct IndexEntry<'a> {
    /// From the top of the checkout.
    pub path: &'a [u8],
    pub mode: u32,
    /// The size of the file in the work tree when git last looked, modulo 2³².
    pub size: u32,
    pub id: &'a [u8],
}

/// The paths below `root` that git tracks, as files and not as links, in its order.
pub fn tracked_paths(root: &Path) -> Vec<String> {
    let Some(top) = git_repository::toplevel(root) else {
        return Vec::new();
    };
    let index = git_repository::index_file(&top).and_then(|path| git_repository::read_file(&path));
    let all = index.and_then(|bytes| parse_paths(&bytes)).unwrap_or_default();
    let below = root.strip_prefix(&top).ok().and_then(Path::to_str);
    match below {
        None => Vec::new(),
        Some("") => all,
        Some(below) => {
            let inner = all
                .iter()
                .filter_map(|path| path.strip_prefix(below))
                .filter_map(|path| path.strip_prefix('/'));
            inner.map(str::to_string).collect()
        }
    }
}

fn parse_paths(bytes: &[u8]) -> Option<Vec<String>> {
    let mut found = Vec::new();
    for_each_entry(bytes, SHA1_LENGTH, |entry| {
        if entry.mode >> 12 == REGULAR {
            found.extend(String::from_utf8(entry.path.to_vec()));
        }
    })?;
    Some(found)
}

/// Visits the entries of an index; `None` if it is of a version that is not known, or cut off.
pub fn for_each_entry(
    bytes: &[u8],
    id_length: usize,
    mut visit: impl FnMut(IndexEntry),
) -> Option<()> {
    let (header, mut rest) = bytes.split_at_checked(12)?;
    let version = read_u32(header, 4)?;
    if !header.starts_with(SIGNATURE) || !(2..=4).contains(&version) {
        return None;
    }
    let before_flags = ID + id_length;
    let mut path = Vec::new();
    for _ in 0..read_u32(header, 8)? {
        let flags = u16::from_be_bytes([*rest.get(before_flags)?, *rest.get(before_flags + 1)?]);
        let is_extended = version > 2 && flags & EXTENDED != 0;
        let fixed = before_flags + if is_extended { 4 } else { 2 };
        let mut name = rest.get(fixed..)?;
        let mut taken = fixed;
        // From version 4 on an entry says how much of the path before it is not its own.
        if version == 4 {
            let (dropped, length) = read_offset(name)?;
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
        visit(IndexEntry {
            path: &path,
            mode: read_u32(rest, MODE)?,
            size: read_u32(rest, SIZE)?,
            id: rest.get(ID..before_flags)?,
        });
        rest = rest.get(taken..)?;
    }
    Some(())
}

fn read_u32(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at + 4)?;
    Some(u32::from_be_bytes(four.try_into().ok()?))
}

/// A number as git writes offsets, and how many bytes it takes.
pub fn read_offset(bytes: &[u8]) -> Option<(usize, usize)> {
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
    use crate::testing;

    fn check(version: &str) {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        testing::git(root, &["init", "-q"]);
        let long = format!("src/{}.rs", "long".repeat(40));
        for path in ["a", "src/lib.rs", "src/lib/mod.rs", "über.txt", &long] {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "text").unwrap();
        }
        testing::git(root, &["add", "a", "src", "über.txt"]);
        std::fs::write(root.join("untracked"), "").unwrap();
        std::fs::write(root.join("meant"), "").unwrap();
        // Only extended flags can say that it is to be added, and version 2 has none.
        let how = if version == "2" { "-v" } else { "-N" };
        testing::git(root, &["add", how, "meant"]);
        testing::git(root, &["update-index", "--index-version", version]);
        let written = std::fs::read(root.join(".git/index")).unwrap();
        assert_eq!(written[7].to_string(), version);
        let expected = ["a", "meant", "src/lib.rs", "src/lib/mod.rs", &long, "über.txt"];
        let mut found = tracked_paths(root);
        found.sort();
        assert_eq!(found, expected);
        assert_eq!(tracked_paths(&root.join("src/lib")), ["mod.rs"]);
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
        assert_eq!(tracked_paths(directory.path()), [""; 0]);
        assert_eq!(parse_paths(b""), None);
        assert_eq!(parse_paths(b"DIRC\0\0\0\x09\0\0\0\0"), None);
        assert_eq!(parse_paths(b"DIRC\0\0\0\x02\0\0\0\x01cut"), None);
    }
}
