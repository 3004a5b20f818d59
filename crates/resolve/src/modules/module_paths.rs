//! Maps module names to files and directories: the table of all paths, and one function for each
//! way in which a language spells a module name.

use foldhash::{HashMap, HashSet};

use crate::symbol_table::file_symbols::FileSymbols;
use crate::symbol_table::{FileIndex, SymbolTable};
use kenning_model::RepoPath;

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

/// Suffixes that an import of JavaScript may leave out, in the order in which they are tried.
const SCRIPT_SUFFIXES: &[&str] = &[
    "",
    ".ts",
    ".tsx",
    ".d.ts",
    ".js",
    ".jsx",
    ".mts",
    ".cts",
    ".mjs",
    ".cjs",
    ".vue",
    ".svelte",
    "/index.ts",
    "/index.tsx",
    "/index.js",
    "/index.jsx",
    "/index.mjs",
    "/index.d.ts",
    "/index.mts",
];

/// Returns the paths that manifests and configurations declare for a module name. A relative name
/// has none.
pub fn declared_paths(table: &SymbolTable, from: FileIndex, module: &str) -> Vec<String> {
    if module.starts_with('.') {
        Vec::new()
    } else {
        table.packages.module_paths(&table.file(from).path, module)
    }
}

/// Resolves the module of `import … from "module"` of JavaScript: relative paths, declared paths,
/// packages of the repository, and then the usual aliases for a package's source directory.
pub fn resolve_script(table: &SymbolTable, from: FileIndex, module: &str) -> Option<Module> {
    let file = table.file(from);
    if module.starts_with('.') {
        return find_script(table, &file.path.parent(), module).map(Module::File);
    }
    let declared = declared_paths(table, from, module);
    if let Some(found) = declared.iter().find_map(|path| find_build_source(table, path)) {
        return Some(Module::File(found));
    }
    // A package of the repository by its name, with the path inside of it after a slash.
    let by_name = table.packages.all.iter().filter(|package| package.kind == "npm");
    let named = by_name.filter_map(|package| {
        let rest = module.strip_prefix(package.name.as_str())?;
        let is_whole = rest.is_empty() || rest.starts_with('/');
        is_whole.then_some((package, rest.trim_start_matches('/')))
    });
    if let Some((package, rest)) = named.max_by_key(|(package, _)| package.name.len()) {
        // Manifests that name no entry point leave the usual places.
        let places = match rest {
            "" => vec!["src/index", "index", "src/main", "lib/index", "src", "src/mod"],
            rest => vec![rest],
        };
        let inner = |place: &str| {
            let source = format!("src/{place}");
            find_script(table, &package.directory, place)
                .or_else(|| find_script(table, &package.directory, &source))
        };
        return places.into_iter().find_map(inner).map(Module::File);
    }
    // Common aliases that no configuration declares here: `@/x`, `~/x`, `src/x`.
    let mapped = ["@/", "~/", "~", "#", "/"];
    let rest = mapped.iter().find_map(|mark| module.strip_prefix(mark)).unwrap_or(module);
    let home = file
        .package
        .map(|package| table.packages.all[package as usize].directory.clone())
        .unwrap_or_default();
    if !rest.contains('/') && rest == module {
        return None;
    }
    let source = format!("src/{rest}");
    let found = find_script(table, &home, rest).or_else(|| find_script(table, &home, &source));
    found.map(Module::File)
}

/// Directories with build output. They may nest: `dist/esm`.
const BUILD_DIRECTORIES: &[&str] =
    &["dist", "build", "lib", "out", "esm", "cjs", "es", "types", "typings", "umd"];

/// Finds the file at a path, or the source from which the build makes it: `src/a.ts` for
/// `dist/a.js`. Manifests point to build output, which is not indexed.
fn find_build_source(table: &SymbolTable, path: &str) -> Option<FileIndex> {
    let at = |path: &str| find_script(table, &RepoPath::default(), path);
    if let Some(found) = at(path) {
        return Some(found);
    }
    let parts: Vec<&str> = path.split('/').collect();
    // A package may itself be named `lib`, so the last such directory is tried first.
    let mut build_directories =
        (0..parts.len()).rev().filter(|&place| BUILD_DIRECTORIES.contains(&parts[place]));
    build_directories.find_map(|place| {
        let rest: Vec<&str> = parts[place..]
            .iter()
            .copied()
            .skip_while(|part| BUILD_DIRECTORIES.contains(part))
            .collect();
        let home = &parts[..place];
        let sources = [[home, &["src"], &rest].concat(), [home, &rest].concat()];
        sources.iter().find_map(|parts| at(&parts.join("/")))
    })
}

/// Finds the file of a module path below a directory, trying each suffix.
fn find_script(table: &SymbolTable, directory: &RepoPath, module: &str) -> Option<FileIndex> {
    let path = directory.join(module)?;
    let try_all = |base: &str| {
        let all = SCRIPT_SUFFIXES.iter();
        let mut found = all.filter_map(|ending| table.modules.file(&format!("{base}{ending}")));
        found.next()
    };
    let base = path.as_str();
    // TypeScript imports name the compiled file: `./a.js` means `a.ts`.
    let compiled = [".d.ts", ".d.mts", ".d.cts", ".js", ".jsx", ".mjs", ".cjs"];
    let source = compiled.iter().find_map(|ending| base.strip_suffix(ending));
    try_all(base).or_else(|| try_all(source?))
}

/// Resolves a module name of Python, absolute (`a.b.c`) or relative (`..a.b`).
pub fn resolve_python(table: &SymbolTable, from: FileIndex, module: &str) -> Option<Module> {
    let dots = module.len() - module.trim_start_matches('.').len();
    let rest = module[dots..].trim().replace('.', "/");
    let file = table.file(from);
    let found = |path: &str| {
        let candidates = [
            format!("{path}.py"),
            format!("{path}/__init__.py"),
            format!("{path}.pyi"),
            format!("{path}/__init__.pyi"),
        ];
        let mut files = candidates.iter().filter_map(|path| table.modules.file(path));
        let file = files.next().map(Module::File);
        let is_directory = table.modules.has_directory(path);
        file.or_else(|| is_directory.then(|| Module::Directory(path.to_string())))
    };
    // One dot is the directory of the file, each further one its parent.
    if dots > 0 {
        let mut directory = file.path.parent();
        for _ in 1..dots {
            directory = directory.parent();
        }
        let path = if rest.is_empty() { directory } else { directory.join(&rest)? };
        return found(path.as_str());
    }
    // The module search path is unknown. Every directory above the file may be on it, and its
    // `src`.
    for directory in file.path.parent().ancestors() {
        let tries = [directory.join(&rest), directory.join(&format!("src/{rest}"))];
        for path in tries.into_iter().flatten() {
            // A directory without `__init__.py` is skipped: it may be unrelated to the module.
            match found(path.as_str()) {
                Some(Module::Directory(_)) | None => {}
                file => return file,
            }
        }
    }
    None
}

/// Resolves an import path of Go to the directory of the package. The longest module prefix wins.
pub fn resolve_go(table: &SymbolTable, _from: FileIndex, module: &str) -> Option<Module> {
    let all = table.packages.all.iter().filter(|package| package.kind == "go");
    let within = all.filter_map(|package| {
        let rest = module.strip_prefix(package.name.as_str())?;
        (rest.is_empty() || rest.starts_with('/')).then_some((package, rest))
    });
    let (package, rest) = within.max_by_key(|(package, _)| package.name.len())?;
    let path = package.directory.join(rest)?;
    let has_files = table.modules.has_directory(path.as_str());
    has_files.then(|| Module::Directory(path.as_str().to_string()))
}

/// Resolves a dotted name such as `a.b.C` of Java to the file whose path ends in `a/b/C`.
pub fn resolve_dotted(table: &SymbolTable, from: FileIndex, module: &str) -> Option<Module> {
    let wanted = module.replace('.', "/");
    let name = module.rsplit('.').next().unwrap_or(module);
    // The source root above the package is unknown, so the end of the path is compared.
    let ends = |file: &FileIndex| {
        let path = table.file(*file).path.as_str();
        let base = path.split_once('.').map_or(path, |(base, _)| base);
        base.ends_with(&wanted) && base[..base.len() - wanted.len()].ends_with(['/', '\\'])
            || base == wanted
    };
    let mut files = table.modules.files_with_stem(name).iter().copied().filter(ends);
    files.find(|&file| table.can_use(from, file)).map(Module::File)
}
