//! A file of somebody else's, with another text: written aside and renamed, with the old one kept beside it.

use std::fs;
use std::path::Path;

/// Whether the old text stays beside the file as `NAME.bak`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backup {
    Kept,
    /// This run has kept one already, of the text before its first change.
    KeptBefore,
}

pub fn rewrite(file: &Path, after: &str, backup: Backup) -> std::io::Result<()> {
    // A link stays a link: what it leads to is replaced.
    let file = fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf());
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let beside = |ending: &str| {
        let mut name = file.file_name().unwrap_or_default().to_os_string();
        name.push(ending);
        file.with_file_name(name)
    };
    let is_empty = fs::metadata(&file).map_or(true, |metadata| metadata.len() == 0);
    if backup == Backup::Kept && !is_empty {
        fs::copy(&file, beside(".bak"))?;
    }
    let draft = beside(".kenning-draft");
    fs::write(&draft, after)?;
    if let Ok(metadata) = fs::metadata(&file) {
        fs::set_permissions(&draft, metadata.permissions())?;
    }
    fs::rename(&draft, &file)
}

/// The lines that go and come, between what stays at both ends.
pub fn difference(before: &str, after: &str) -> String {
    let old: Vec<&str> = before.lines().collect();
    let new: Vec<&str> = after.lines().collect();
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - same;
    let tail = old.iter().rev().zip(new.iter().rev());
    let tail = tail.take(rest).take_while(|(a, b)| a == b).count();
    let gone = old[same..old.len() - tail]
        .iter()
        .map(|line| format!("- {line}"));
    let come = new[same..new.len() - tail]
        .iter()
        .map(|line| format!("+ {line}"));
    gone.chain(come).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_what_goes_and_what_comes() {
        assert_eq!(difference("a\nb\nc\n", "a\nx\ny\nc\n"), "- b\n+ x\n+ y");
        assert_eq!(difference("", "a\n"), "+ a");
        assert_eq!(difference("a\na\n", "a\n"), "- a");
    }
}
