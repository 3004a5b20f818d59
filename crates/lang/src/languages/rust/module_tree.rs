//! The module tree of Rust: crate roots, `mod` blocks and module files, and paths through them.

use kenning_model::{ChunkKind, Reference, RepoPath};
use kenning_resolve::{
    FileIndex, Module, ResolvedTarget, Resolver, SymbolId, SymbolTable, is_callable,
};

/// Resolves `use a::b::c`.
pub fn resolve_import(
    resolver: &Resolver,
    from: FileIndex,
    import: &Reference,
) -> Option<ResolvedTarget> {
    let path = import.receiver.as_deref();
    let mut parts: Vec<&str> = path.into_iter().flat_map(|path| path.split("::")).collect();
    if import.name != "*" {
        parts.push(&import.name);
    }
    // An import inside of a `mod` block is relative to that block.
    let module = resolver.table.file(from).ancestors(import.container);
    let file = resolver.table.file(from);
    let mut modules =
        module.filter(|&index| file.symbols()[index as usize].kind == ChunkKind::Module);
    let inline = modules.next();
    resolve_path(resolver, from, inline, &parts)
}

/// Resolves a path that starts in this file, or in a `mod` block of it.
pub fn resolve_path(
    resolver: &Resolver,
    from: FileIndex,
    inline: Option<u32>,
    parts: &[&str],
) -> Option<ResolvedTarget> {
    let (first, rest) = parts.split_first()?;
    let here = match inline {
        Some(symbol) => ResolvedTarget::symbol(from, symbol),
        None => ResolvedTarget::Module(Module::File(from)),
    };
    let mut rest = rest;
    let start = match first.trim_start_matches("r#") {
        // `$crate` is the crate that defines the macro, which is that of the file.
        "crate" | "$crate" => {
            ResolvedTarget::Module(Module::File(crate_root(resolver.table, from)?))
        }
        "self" => here,
        "super" => {
            let mut target = parent_module(resolver.table, &here)?;
            while let Some((&"super", after)) = rest.split_first() {
                target = parent_module(resolver.table, &target)?;
                rest = after;
            }
            target
        }
        // A leading `::`.
        "" => return resolve_path(resolver, from, inline, rest),
        name => {
            let local = resolver.modules().member_of(&here, name);
            // A macro or a function of that name has no members, so a crate may be meant.
            let can_start = |target: &ResolvedTarget| {
                rest.is_empty() || !is_callable_target(resolver.table, target)
            };
            local.filter(can_start).or_else(|| find_extern_crate(resolver, from, name))?
        }
    };
    rest.iter().try_fold(start, |target, part| resolver.modules().member_of(&target, part))
}

/// True if a target is a function or a macro.
fn is_callable_target(table: &SymbolTable, target: &ResolvedTarget) -> bool {
    matches!(target, ResolvedTarget::Symbol(id) if is_callable(table.symbol(*id).kind))
}

/// Finds the root file of another crate by its name, among the crates that the file's package can
/// use.
fn find_extern_crate(resolver: &Resolver, from: FileIndex, name: &str) -> Option<ResolvedTarget> {
    let table = resolver.table;
    let own = table.file(from).package;
    let packages = &table.packages;
    let mut named = packages.packages_with_identifier(name).iter().copied();
    let usable = named.find(|&index| {
        packages.all[index as usize].kind == "cargo" && packages.can_use(own, Some(index))
    })?;
    let package = &packages.all[usable as usize];
    let roots = ["src/lib.rs", "lib.rs", "src/main.rs"];
    let mut files = roots.iter().filter_map(|root| {
        let path = package.directory.join(root)?;
        table.modules.file(path.as_str())
    });
    Some(ResolvedTarget::Module(Module::File(files.next()?)))
}

/// Finds the file of a submodule: `name.rs` or `name/mod.rs` in the directory of the module.
pub fn find_submodule(
    resolver: &Resolver,
    target: &ResolvedTarget,
    name: &str,
) -> Option<ResolvedTarget> {
    let name = name.trim_start_matches("r#");
    let modules = &resolver.table.modules;
    // Most names are not modules, and building paths takes time.
    if !modules.has_name(name) {
        return None;
    }
    let directory = module_directory(resolver.table, target)?;
    let join =
        |rest: String| if directory.is_empty() { rest } else { format!("{directory}/{rest}") };
    let file = modules
        .file(&join(format!("{name}.rs")))
        .or_else(|| modules.file(&join(format!("{name}/mod.rs"))))?;
    Some(ResolvedTarget::Module(Module::File(file)))
}

/// Returns the directory in which the submodules of a module are files.
fn module_directory(table: &SymbolTable, target: &ResolvedTarget) -> Option<String> {
    match target {
        ResolvedTarget::Module(Module::Directory(_)) => None,
        ResolvedTarget::Module(Module::File(file)) => {
            let path = &table.file(*file).path;
            let parent = path.parent();
            let directory = parent.as_str();
            let name = path.file_name();
            // Submodules of `lib.rs` and `mod.rs` are beside them, those of `a.rs` in `a/`.
            let is_root = ROOT_FILES.contains(&name) || crate_root(table, *file) == Some(*file);
            Some(if is_root || name == "mod.rs" {
                directory.to_string()
            } else {
                let stem = name.trim_end_matches(".rs");
                if directory.is_empty() { stem.to_string() } else { format!("{directory}/{stem}") }
            })
        }
        ResolvedTarget::Symbol(id) => {
            let symbol = table.symbol(*id);
            let outer = match table.parent(*id) {
                Some(parent) => ResolvedTarget::Symbol(parent),
                None => ResolvedTarget::Module(Module::File(id.file)),
            };
            let directory = module_directory(table, &outer)?;
            (symbol.kind == ChunkKind::Module).then(|| format!("{directory}/{}", symbol.name))
        }
    }
}

/// Returns the parent of a module.
fn parent_module(table: &SymbolTable, target: &ResolvedTarget) -> Option<ResolvedTarget> {
    match target {
        // A `mod` block: the next block around it, else the file.
        ResolvedTarget::Symbol(SymbolId { file, symbol }) => {
            let outer = table.file(*file).ancestors(Some(*symbol)).skip(1);
            let mut modules = outer.filter(|&index| {
                table.file(*file).symbols()[index as usize].kind == ChunkKind::Module
            });
            Some(match modules.next() {
                Some(symbol) => ResolvedTarget::symbol(*file, symbol),
                None => ResolvedTarget::Module(Module::File(*file)),
            })
        }
        ResolvedTarget::Module(Module::File(file)) => {
            // A crate root has no parent.
            if crate_root(table, *file) == Some(*file) {
                return None;
            }
            let path = &table.file(*file).path;
            let (directory, name) = match path.file_name() {
                "mod.rs" => (path.parent().parent(), path.parent().file_name().to_string()),
                name => (path.parent(), name.trim_end_matches(".rs").to_string()),
            };
            // The parent of `a/b.rs` is `a/mod.rs`, a crate root in `a`, or `a.rs`.
            let inside =
                directory.join("mod.rs").and_then(|path| table.modules.file(path.as_str()));
            let root = || find_root_in(table, &directory, &name);
            let beside = || table.modules.file(&format!("{directory}.rs"));
            Some(ResolvedTarget::Module(Module::File(inside.or_else(root).or_else(beside)?)))
        }
        ResolvedTarget::Module(Module::Directory(_)) => None,
    }
}

/// Crate roots by file name.
const ROOT_FILES: &[&str] = &["lib.rs", "main.rs"];
/// Directories in which each file may be the root of a crate.
const ROOT_DIRECTORIES: &[&str] = &["bin", "tests", "examples", "benches"];

/// Returns the root file of the crate that a file belongs to.
fn crate_root(table: &SymbolTable, file: FileIndex) -> Option<FileIndex> {
    let known = &table.file(file).module_root;
    *known.get_or_init(|| find_crate_root(table, file))
}

/// Computes what `crate_root` caches: searches upwards from the file for a root that has its
/// module.
fn find_crate_root(table: &SymbolTable, file: FileIndex) -> Option<FileIndex> {
    let path = &table.file(file).path;
    if ROOT_FILES.contains(&path.file_name()) {
        return Some(file);
    }
    // The module of the current directory that is the file, or contains it.
    let mut module = path.file_name().trim_end_matches(".rs").to_string();
    for directory in path.parent().ancestors() {
        if let Some(root) = find_root_in(table, &directory, &module) {
            return Some(root);
        }
        if directory == path.parent() && has_crate_roots(table, &directory) {
            return Some(file);
        }
        module = directory.file_name().to_string();
    }
    None
}

/// Finds the crate root in a directory whose crate has this module.
fn find_root_in(table: &SymbolTable, directory: &RepoPath, module: &str) -> Option<FileIndex> {
    let named = |name: &&str| {
        let path = directory.join(name)?;
        table.modules.file(path.as_str())
    };
    let roots: Vec<FileIndex> = ROOT_FILES.iter().filter_map(named).collect();
    match roots.as_slice() {
        [] if has_crate_roots(table, directory) => {
            let mut files = table.modules.files_in(directory.as_str()).iter().copied();
            files.find(|&file| is_rust(table, file) && declares_module(table, file, module))
        }
        // `lib.rs` and `main.rs` side by side are two crates, each with its own modules.
        [library, program] => {
            let is_programs = !declares_module(table, *library, module)
                && declares_module(table, *program, module);
            Some(if is_programs { *program } else { *library })
        }
        roots => roots.first().copied(),
    }
}

/// True if the files of a directory are crate roots, and not modules of a crate.
fn has_crate_roots(table: &SymbolTable, directory: &RepoPath) -> bool {
    ROOT_DIRECTORIES.contains(&directory.file_name())
        && table.modules.file(&format!("{directory}.rs")).is_none()
        && table.modules.file(&format!("{directory}/mod.rs")).is_none()
}

/// True if a file is Rust.
fn is_rust(table: &SymbolTable, file: FileIndex) -> bool {
    table.file(file).rules.module_tree.is_some()
}

/// True if a file has `mod name;` or a `mod name` block at its top level.
fn declares_module(table: &SymbolTable, file: FileIndex, module: &str) -> bool {
    let facts = table.file(file);
    let mut named = facts.children(None, module);
    named.any(|index| facts.symbols()[index as usize].kind == ChunkKind::Module)
}
