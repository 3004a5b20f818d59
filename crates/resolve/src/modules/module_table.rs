//! Maps module names to files and directories: the table of all paths. How a language spells a
//! module name is in its rules.

use foldhash::{HashMap, HashSet};

use crate::symbol_table::file_symbols::FileSymbols;
use crate::symbol_table::{FileIndex, SymbolTable};

/// A module: the target of a module name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Module {
    /// One file.
    File(FileIndex),
    /// All files of a directory, as in a Go package.
    Directory(String),
}

/// Files by path, by directory and by stem.
#[derive(Default)]
pub struct ModuleTable {
    /// Files by path.
    paths: HashMap<String, FileIndex>,
    /// Files by directory.
    directories: HashMap<String, Vec<FileIndex>>,
    /// Files by their name up to the first dot.
    stems: HashMap<String, Vec<FileIndex>>,
    /// The last segments of all directories that contain files.
    folders: HashSet<String>,
}

impl ModuleTable {
    /// Indexes the paths of all files.
    pub fn new(files: &[FileSymbols]) -> ModuleTable {
        let mut table = ModuleTable::default();
        for (index, file) in files.iter().enumerate() {
            let index = index as FileIndex;
            let path = file.path.as_str();
            table.paths.insert(path.to_string(), index);
            let directory = file.path.parent();
            if !table.folders.contains(directory.file_name()) {
                table.folders.insert(directory.file_name().to_string());
            }
            table.directories.entry(directory.as_str().to_string()).or_default().push(index);
            let stem = file_stem(file.path.file_name());
            table.stems.entry(stem.to_string()).or_default().push(index);
        }
        table
    }

    /// Returns the file at a path.
    pub fn file(&self, path: &str) -> Option<FileIndex> {
        self.paths.get(path).copied()
    }

    /// Returns the files directly in a directory.
    pub fn files_in(&self, path: &str) -> &[FileIndex] {
        self.directories.get(path).map_or(&[], Vec::as_slice)
    }

    /// True if a directory directly contains files.
    pub fn has_directory(&self, path: &str) -> bool {
        self.directories.contains_key(path)
    }

    /// True if a file, up to its first dot, or a directory has this name, anywhere in the tree.
    pub fn has_name(&self, name: &str) -> bool {
        self.stems.contains_key(name) || self.folders.contains(name)
    }

    /// Returns the files of this name, with any suffix.
    pub fn files_with_stem(&self, name: &str) -> &[FileIndex] {
        self.stems.get(name).map_or(&[], Vec::as_slice)
    }
}

/// Returns a file's name up to the first dot.
pub fn file_stem(file_name: &str) -> &str {
    file_name.split('.').next().unwrap_or(file_name)
}

/// Returns the paths that manifests and configurations declare for a module name. A relative name
/// has none.
pub fn declared_paths(table: &SymbolTable, from: FileIndex, module: &str) -> Vec<String> {
    if module.starts_with('.') {
        Vec::new()
    } else {
        table.packages.module_paths(&table.file(from).path, module)
    }
}
