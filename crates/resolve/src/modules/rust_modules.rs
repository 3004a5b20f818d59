//! The modules of Rust: a tree that file names and `mod` blocks make, and paths through it.

use crate::modules::module_paths::Module;
use crate::resolver::{ResolvedTarget, Resolver};
use crate::symbol_table::{FileIndex, SymbolId, World, is_callable};
use kenning_model::{ChunkKind, Reference, RepoPath};

/// Resolves `use a::b::c`.
pub fn imported(
    resolver: &Resolver,
    from: FileIndex,
    import: &Reference,
) -> Option<ResolvedTarget> {
    let path = import.receiver.as_deref();
    let mut parts: Vec<&str> = path.into_iter().flat_map(|path| path.split("::")).collect();
    if import.name != "*" {
        parts.push(&import.name);
    }
    // An import within a block is relative to the module that the block is in.
    let module = resolver.world.file(from).ancestors(import.container);
    let file = resolver.world.file(from);
    let mut modules =
        module.filter(|&index| file.symbols()[index as usize].kind == ChunkKind::Module);
    let inline = modules.next();
    path_from(resolver, from, inline, &parts)
}

/// Resolves a path that starts in this file, or in a `mod` block of it.
pub fn path_from(
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
        "crate" | "$crate" => {
            ResolvedTarget::Module(Module::File(crate_root(resolver.world, from)?))
        }
        "self" => here,
        "super" => {
            let mut target = parent(resolver.world, &here)?;
            while let Some((&"super", after)) = rest.split_first() {
                target = parent(resolver.world, &target)?;
                rest = after;
            }
            target
        }
        "" => return path_from(resolver, from, inline, rest),
        name => {
            let local = resolver.modules().step(&here, name);
            // A macro or a function of that name has nothing in it.
            let local = local
                .filter(|target| rest.is_empty() || !is_callable_target(resolver.world, target));
            local.or_else(|| extern_crate(resolver, from, name))?
        }
    };
    rest.iter().try_fold(start, |target, part| resolver.modules().step(&target, part))
}

fn is_callable_target(world: &World, target: &ResolvedTarget) -> bool {
    matches!(target, ResolvedTarget::Symbol(id) if is_callable(world.symbol(*id).kind))
}

/// The crate of this name, among those that the file's own can use.
fn extern_crate(resolver: &Resolver, from: FileIndex, name: &str) -> Option<ResolvedTarget> {
    let world = resolver.world;
    let own = world.file(from).package;
    let mut named = world.packages.crates(name).iter();
    let usable = named.find(|&&index| world.packages.can_use(own, Some(index)))?;
    let package = &world.packages.all[*usable as usize];
    let roots = ["src/lib.rs", "lib.rs", "src/main.rs"];
    let mut files = roots.iter().filter_map(|root| {
        let path = package.home.join(root)?;
        world.modules.file(path.as_str())
    });
    Some(ResolvedTarget::Module(Module::File(files.next()?)))
}

/// A module that lies in a file of its own.
pub fn within(resolver: &Resolver, target: &ResolvedTarget, name: &str) -> Option<ResolvedTarget> {
    let name = name.trim_start_matches("r#");
    let modules = &resolver.world.modules;
    // Most names are no module's, and paths take time to make.
    if !modules.has_name(name) {
        return None;
    }
    let directory = module_directory(resolver.world, target)?;
    let join =
        |rest: String| if directory.is_empty() { rest } else { format!("{directory}/{rest}") };
    let file = modules
        .file(&join(format!("{name}.rs")))
        .or_else(|| modules.file(&join(format!("{name}/mod.rs"))))?;
    Some(ResolvedTarget::Module(Module::File(file)))
}

/// Where the modules of a module lie.
fn module_directory(world: &World, target: &ResolvedTarget) -> Option<String> {
    match target {
        ResolvedTarget::Module(Module::Directory(_)) => None,
        ResolvedTarget::Module(Module::File(file)) => {
            let path = &world.file(*file).path;
            let directory = path.parent();
            let directory = directory.as_str();
            let name = path.file_name();
            let is_root = ROOTS.contains(&name) || crate_root(world, *file) == Some(*file);
            Some(if is_root || name == "mod.rs" {
                directory.to_string()
            } else {
                let stem = name.trim_end_matches(".rs");
                if directory.is_empty() { stem.to_string() } else { format!("{directory}/{stem}") }
            })
        }
        ResolvedTarget::Symbol(id) => {
            let symbol = world.symbol(*id);
            let outer = match world.parent(*id) {
                Some(parent) => ResolvedTarget::Symbol(parent),
                None => ResolvedTarget::Module(Module::File(id.file)),
            };
            let outer = module_directory(world, &outer)?;
            (symbol.kind == ChunkKind::Module).then(|| format!("{outer}/{}", symbol.name))
        }
    }
}

/// Returns the parent of a module.
fn parent(world: &World, target: &ResolvedTarget) -> Option<ResolvedTarget> {
    match target {
        ResolvedTarget::Symbol(SymbolId { file, symbol }) => {
            let outer = world.file(*file).ancestors(Some(*symbol)).skip(1);
            let mut modules = outer.filter(|&index| {
                world.file(*file).symbols()[index as usize].kind == ChunkKind::Module
            });
            Some(match modules.next() {
                Some(symbol) => ResolvedTarget::symbol(*file, symbol),
                None => ResolvedTarget::Module(Module::File(*file)),
            })
        }
        ResolvedTarget::Module(Module::File(file)) => {
            if crate_root(world, *file) == Some(*file) {
                return None;
            }
            let path = &world.file(*file).path;
            let (directory, name) = match path.file_name() {
                "mod.rs" => (path.parent().parent(), path.parent().file_name().to_string()),
                name => (path.parent(), name.trim_end_matches(".rs").to_string()),
            };
            let inside = directory.join("mod.rs");
            let inside = inside.and_then(|path| world.modules.file(path.as_str()));
            let root = || root_in(world, &directory, &name);
            let beside = || world.modules.file(&format!("{directory}.rs"));
            Some(ResolvedTarget::Module(Module::File(inside.or_else(root).or_else(beside)?)))
        }
        ResolvedTarget::Module(Module::Directory(_)) => None,
    }
}

/// Files that crates begin with, and directories of which each file may begin a crate.
const ROOTS: &[&str] = &["lib.rs", "main.rs"];
const DIRECTORIES_OF_ROOTS: &[&str] = &["bin", "tests", "examples", "benches"];

/// The file that a crate begins with.
fn crate_root(world: &World, file: FileIndex) -> Option<FileIndex> {
    let known = &world.file(file).crate_root;
    *known.get_or_init(|| find_crate_root(world, file))
}

fn find_crate_root(world: &World, file: FileIndex) -> Option<FileIndex> {
    let path = &world.file(file).path;
    if ROOTS.contains(&path.file_name()) {
        return Some(file);
    }
    // The module of the directory at hand that the file is, or is within.
    let mut module = path.file_name().trim_end_matches(".rs").to_string();
    for directory in path.parent().ancestors() {
        if let Some(root) = root_in(world, &directory, &module) {
            return Some(root);
        }
        if directory == path.parent() && has_roots(world, &directory) {
            return Some(file);
        }
        module = directory.file_name().to_string();
    }
    None
}

/// The file of this directory that a crate begins with, which has this module.
fn root_in(world: &World, directory: &RepoPath, module: &str) -> Option<FileIndex> {
    let named = |name: &&str| {
        let path = directory.join(name)?;
        world.modules.file(path.as_str())
    };
    let roots: Vec<FileIndex> = ROOTS.iter().filter_map(named).collect();
    match roots.as_slice() {
        [] if has_roots(world, directory) => {
            let mut files = world.modules.directory(directory.as_str()).iter().copied();
            files.find(|&file| is_rust(world, file) && declares(world, file, module))
        }
        // A library and a program side by side have modules of their own.
        [library, program] => {
            let is_programs =
                !declares(world, *library, module) && declares(world, *program, module);
            Some(if is_programs { *program } else { *library })
        }
        roots => roots.first().copied(),
    }
}

/// True if files of a directory begin crates, and are no modules of one.
fn has_roots(world: &World, directory: &RepoPath) -> bool {
    DIRECTORIES_OF_ROOTS.contains(&directory.file_name())
        && world.modules.file(&format!("{directory}.rs")).is_none()
        && world.modules.file(&format!("{directory}/mod.rs")).is_none()
}

fn is_rust(world: &World, file: FileIndex) -> bool {
    world.file(file).rules.family == "rust"
}

/// True if a file says `mod name;`.
fn declares(world: &World, file: FileIndex, module: &str) -> bool {
    let facts = world.file(file);
    let mut named = facts.children(None, module);
    named.any(|index| facts.symbols()[index as usize].kind == ChunkKind::Module)
}
