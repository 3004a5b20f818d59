//! Use of a library: the first example of its guide, the definitions that the example uses, and
//! the files that begin it. A library has no main function, so this is how it "starts".

use super::depth;
use super::markers::{GUIDE_WORDS, HISTORY_WORDS, LIBRARY_FILES};
use crate::graph::{Definition, Graph, SymbolHit};
use crate::ops::OpError;
use kenning_lang::languages::{self, LanguageRole};
use kenning_model::{ChunkKind, DefinitionRank, RepoPath, Visibility};

/// An example of a guide.
#[derive(Debug)]
pub struct GuideExample {
    pub path: RepoPath,
    /// The lines of the code, from 1.
    pub first: u32,
    pub last: u32,
    /// The definitions that it uses, in the order of use.
    pub used: Vec<SymbolHit>,
}

/// The guides that are read, the likeliest first.
const MAX_GUIDES: usize = 8;

/// The blocks of code of a guide that are compared.
const MAX_BLOCKS: usize = 30;

/// The lines of an example that are shown.
const SHOWN_LINES: u32 = 30;

/// The names of an example that are looked up.
const MAX_NAMES: usize = 40;

/// A name with more definitions is a common word.
const MAX_DEFINITIONS: usize = 8;

/// Definitions that an example must use to be one of this library.
const ENOUGH: usize = 2;

/// Returns the first example in a guide that uses definitions of this repository. If none uses
/// several, the one that uses most.
pub fn first_example(graph: &Graph) -> Result<Option<GuideExample>, OpError> {
    let mut best: Option<GuideExample> = None;
    for path in guides(&graph.all_paths()?) {
        let text = graph.read_lines(&path, 1, 3000)?.unwrap_or_default();
        for (first, last) in code_blocks(&text).into_iter().take(MAX_BLOCKS) {
            let lines = text.lines().skip(first as usize - 1).take((last - first + 1) as usize);
            let code = lines.collect::<Vec<_>>().join("\n");
            let used = used_definitions(graph, &code)?;
            let last = last.min(first + SHOWN_LINES - 1);
            let is_enough = used.len() >= ENOUGH;
            if used.len() > best.as_ref().map_or(0, |best| best.used.len()) {
                best = Some(GuideExample { path: path.clone(), first, last, used });
            }
            if is_enough {
                return Ok(best);
            }
        }
    }
    Ok(best)
}

/// Returns the documents that may begin with an example, the likeliest first.
fn guides(paths: &[RepoPath]) -> Vec<RepoPath> {
    let rank = |path: &RepoPath| {
        let name = path.file_name().to_lowercase();
        if HISTORY_WORDS.iter().any(|word| name.contains(word)) {
            return None;
        }
        GUIDE_WORDS.iter().position(|word| name.contains(word))
    };
    let is_guide = |path: &&RepoPath| {
        depth(path) < 4 && languages::is_prose(path) && !languages::is_test_path(path)
    };
    let known = paths.iter().filter(is_guide);
    let mut ranked: Vec<(usize, usize, &RepoPath)> =
        known.filter_map(|path| Some((depth(path), rank(path)?, path))).collect();
    ranked.sort();
    ranked.into_iter().take(MAX_GUIDES).map(|(_, _, path)| path.clone()).collect()
}

/// Returns the first and the last line of each block of code with several lines: between fences,
/// or indented below a directive.
fn code_blocks(text: &str) -> Vec<(u32, u32)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut blocks = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let (start, end) = match block_opener(lines[at]) {
            None => {
                at += 1;
                continue;
            }
            Some(BlockOpener::Fence(fence)) => {
                let close =
                    lines[at + 1..].iter().position(|line| line.trim_start().starts_with(fence));
                (at + 1, close.map_or(lines.len(), |close| at + 1 + close))
            }
            Some(BlockOpener::Directive) => {
                let is_inside =
                    |line: &&&str| line.trim().is_empty() || line.starts_with([' ', '\t']);
                let count = lines[at + 1..].iter().take_while(is_inside).count();
                (at + 1, at + 1 + count)
            }
            Some(BlockOpener::Data(fence)) => {
                let close =
                    lines[at + 1..].iter().position(|line| line.trim_start().starts_with(fence));
                at += close.map_or(lines.len(), |close| close + 1) + 1;
                continue;
            }
        };
        // A single line is mostly a command.
        if end > start + 1 {
            blocks.push((start as u32 + 1, end as u32));
        }
        at = end + 1;
    }
    blocks
}

/// A line that opens a block of code.
enum BlockOpener {
    /// A fence, which closes the block too.
    Fence(&'static str),
    /// The fence of a block of data.
    Data(&'static str),
    /// A directive, below which the block is indented.
    Directive,
}

/// Reads the line that opens a block of code.
fn block_opener(line: &str) -> Option<BlockOpener> {
    let line = line.trim();
    for fence in ["```", "~~~"] {
        if let Some(info) = line.strip_prefix(fence) {
            let name = info.trim_start_matches(['`', '~']).trim().to_lowercase();
            let word = name.split(|c: char| !c.is_alphanumeric() && c != '#' && c != '+').next();
            let known = word.and_then(languages::by_name);
            let is_data = known.is_some_and(|language| language.role != LanguageRole::Program);
            return Some(if is_data {
                BlockOpener::Data(fence)
            } else {
                BlockOpener::Fence(fence)
            });
        }
    }
    let is_directive = line.starts_with(".. code") || line.starts_with(".. sourcecode");
    is_directive.then_some(BlockOpener::Directive)
}

/// Returns the public definitions that a piece of code names, in its order. A member counts if the
/// code names its type too, in any case of letters.
fn used_definitions(graph: &Graph, code: &str) -> Result<Vec<SymbolHit>, OpError> {
    let names = names_in_code(code);
    let is_said = |name: &str| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    let mut used: Vec<SymbolHit> = Vec::new();
    for name in names.iter().take(MAX_NAMES) {
        let mut found = graph.find_definitions(name)?;
        found.retain(|one| {
            let owner = one.symbol.scope.as_deref().and_then(|scope| scope.rsplit('.').next());
            let is_type = one.symbol.kind.names_type();
            is_public_definition(one) && (is_type || owner.is_none_or(is_said))
        });
        if found.is_empty() || found.len() > MAX_DEFINITIONS {
            continue;
        }
        let ranked = graph.rank_candidates(found)?;
        used.extend(ranked.into_iter().take(1).map(symbol_hit));
    }
    Ok(used)
}

/// Returns the names in a piece of code, each once. A plain word counts only if code follows it, as
/// in `open(` or `shop.`: others are words of a comment.
fn names_in_code(code: &str) -> Vec<&str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut names: Vec<&str> = Vec::new();
    let mut rest = code;
    while let Some(start) = rest.find(is_name) {
        let from = &rest[start..];
        let end = from.find(|c| !is_name(c)).unwrap_or(from.len());
        let (name, after) = from.split_at(end);
        let is_plain = name.chars().all(char::is_lowercase);
        let is_code = !is_plain || after.starts_with(['(', '.', ':', '!', '<', '[']);
        let is_digit = name.starts_with(|c: char| c.is_ascii_digit());
        if name.len() > 2 && is_code && !is_digit && !names.contains(&name) {
            names.push(name);
        }
        rest = after;
    }
    names
}

/// True for a definition that a user of the library can call or name.
fn is_public_definition(one: &Definition) -> bool {
    let symbol = &one.symbol;
    let rank = DefinitionRank::new(symbol.kind, &symbol.name, symbol.scope.as_deref());
    rank <= DefinitionRank::Member
        && !matches!(symbol.kind, ChunkKind::Variable | ChunkKind::Module)
        && symbol.visibility != Visibility::Private
        && !symbol.is_test
        && !languages::is_test_path(&one.path)
        && !super::is_side_path(&one.path)
        && languages::role_by_path(&one.path) == Some(LanguageRole::Program)
}

/// The types whose uses are counted, and those that are listed.
const COUNTED_TYPES: usize = 120;
const CENTRAL_TYPES: usize = 8;

/// Returns the public types of the product with most references.
pub fn central_types(graph: &Graph) -> Result<Vec<SymbolHit>, OpError> {
    let mut found = graph.public_types()?;
    found.retain(|hit| !super::is_side_path(&hit.path));
    found.sort_by_cached_key(|hit| {
        (hit.symbol.scope.is_some(), depth(&hit.path), hit.path.clone(), hit.symbol.line)
    });
    let mut ranked = Vec::new();
    for hit in found.into_iter().take(COUNTED_TYPES) {
        ranked.push((super::settings::count_uses(graph, &hit)?, hit));
    }
    ranked.retain(|(uses, _)| *uses > 0);
    // The sort is stable: equal types keep their order.
    ranked.sort_by_key(|(uses, _)| std::cmp::Reverse(*uses));
    Ok(ranked.into_iter().take(CENTRAL_TYPES).map(|(_, hit)| hit).collect())
}

/// Converts a definition to a row.
fn symbol_hit(one: Definition) -> SymbolHit {
    SymbolHit { path: one.path, package: None, symbol: one.symbol }
}

/// Returns the files that begin a library by their name, those near the root first.
pub fn library_files(paths: &[RepoPath]) -> Vec<RepoPath> {
    let rank = |path: &RepoPath| LIBRARY_FILES.iter().position(|name| path.file_name() == *name);
    let product = paths.iter().filter(|path| {
        !languages::is_test_path(path) && !super::is_side_path(path) && depth(path) < 4
    });
    let mut found: Vec<(usize, usize, &RepoPath)> =
        product.filter_map(|path| Some((depth(path), rank(path)?, path))).collect();
    found.sort();
    found.into_iter().map(|(_, _, path)| path.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_words_are_names_if_code_follows() {
        let code = "// the shop is now open\nlet shop = new Shop()\nshop.open(now_at, 30)";
        assert_eq!(names_in_code(code), ["Shop", "shop", "open", "now_at"]);
    }

    #[test]
    fn blocks_of_code_are_found() {
        for (text, expected) in [
            ("a\n```rust\nx\ny\n```\nb\n", &[(3, 4)][..]),
            ("```\nx\n```\n", &[]),
            ("~~~\nx\ny\nz", &[(2, 4)]),
            ("```json\n{\n}\n```\n```\na\nb\n```\n", &[(6, 7)]),
            ("text\n\n.. code-block:: x\n\n    a\n    b\nend\n", &[(4, 6)]),
        ] {
            assert_eq!(code_blocks(text), expected, "{text:?}");
        }
    }
}
