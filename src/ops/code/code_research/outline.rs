//! Renders a walk as lines for a reader: a tree with a place at every step, whole chains, and the
//! dependencies between files or packages. It cuts nothing; `code_research` does.

use std::collections::{BTreeMap, HashSet};

use super::super::call_hierarchy::{site_lines, symbol_ref};
use super::super::implementations::ImplementationRow;
use super::super::reply_parts::{SymbolRef, describe_via};
use crate::graph::{Definition, Direction, Graph, GraphWalk, WalkNode, WalkStep, qualified_name};
use crate::ops::OpError;
use crate::ops::number_format::count_noun;
use kenning_model::RepoPath;

/// One line of an outline.
#[derive(Clone, Debug)]
pub struct OutlineLine {
    /// The depth in the tree.
    pub indent: usize,
    /// The text, without indentation.
    pub text: String,
    /// The distance from the subject. The farthest lines are left out first.
    pub hop: usize,
    /// The file that the line names, to check its freshness.
    pub path: Option<RepoPath>,
}

/// Renders a walk as a tree: below each definition the steps that were reached from it, best first.
pub fn outline_walk(walk: &GraphWalk, way: Direction, indent: usize) -> Vec<OutlineLine> {
    let mut tree = OutlineTree { walk, way, indent, written: HashSet::new(), lines: Vec::new() };
    for root in walk.children(None) {
        tree.add_branch(root);
    }
    tree.lines
}

/// The state of rendering one tree.
struct OutlineTree<'w> {
    /// The walk.
    walk: &'w GraphWalk,
    /// Its direction, which decides the arrows.
    way: Direction,
    /// The indentation of the first level.
    indent: usize,
    /// The steps that have their line already.
    written: HashSet<usize>,
    /// The lines so far.
    lines: Vec<OutlineLine>,
}

impl OutlineTree<'_> {
    /// Adds the line of a step, and below it everything that was reached from it.
    fn add_branch(&mut self, at: usize) {
        let step = &self.walk.steps[at];
        self.written.insert(at);
        self.add_line(step, step_text(step, self.way));
        for below in self.walk.children(Some(at)) {
            self.add_branch(below);
        }
        // A step that was reached in another way has its own line there, with everything below it.
        let again = self.walk.repeats.iter();
        for (step, there) in again.filter(|(step, _)| step.from == Some(at)) {
            let text = step_text(step, self.way);
            let place = if self.written.contains(there) { "see above" } else { "see below" };
            self.add_line(step, format!("{text}  {place}"));
        }
    }

    /// Adds a line at the depth of its step.
    fn add_line(&mut self, step: &WalkStep, text: String) {
        self.lines.push(OutlineLine {
            indent: self.indent + step.hop,
            text,
            hop: step.hop,
            path: Some(step.node.path().clone()),
        });
    }
}

/// Formats `← Session.open  method  src/session.rs:12, calls at 14, 18  [high: import]`. A start
/// has no edge, so no arrow and no brackets.
fn step_text(step: &WalkStep, way: Direction) -> String {
    let symbol = symbol_ref(step);
    let name = &symbol.symbol;
    let test = if symbol.test { "  test" } else { "" };
    let Some(ground) = step.evidence else {
        return format!("{name}  {}  {}:{}{test}", symbol.kind, symbol.path, symbol.line);
    };
    let arrow = match way {
        Direction::Callers | Direction::References => "←",
        Direction::Callees | Direction::Uses => "→",
    };
    let through = describe_via(&step.via);
    let through = through.map(|text| format!(", {text}")).unwrap_or_default();
    format!(
        "{arrow} {name}  {}  {}:{}, {}{test}  [{}: {}{through}]",
        symbol.kind,
        symbol.path,
        symbol.line,
        sites_text(step, way),
        ground.confidence.as_str(),
        ground.reason.as_str(),
    )
}

/// Formats the lines of an edge, at most four. Outwards the lines are in the caller's file, so that
/// file is named.
fn sites_text(step: &WalkStep, way: Direction) -> String {
    // Four lines show the pattern; the file has the rest.
    const SHOWN: usize = 4;
    let lines = site_lines(step);
    let shown: Vec<String> = lines.iter().take(SHOWN).map(ToString::to_string).collect();
    let more = if lines.len() > SHOWN {
        format!(" and {} more", lines.len() - SHOWN)
    } else {
        String::new()
    };
    let shown = shown.join(", ") + &more;
    match way {
        Direction::Callers => format!("calls at {shown}"),
        Direction::References => format!("mentions at {shown}"),
        Direction::Callees | Direction::Uses => {
            let file = step.sites.first().map_or("", |site| site.path.file_name());
            format!("at {file}:{shown}")
        }
    }
}

/// Formats the longest chains, each from caller to callee, with a place at every step. Chains of a
/// single edge are in the tree already.
pub fn longest_chains(walk: &GraphWalk, way: Direction, most: usize) -> Vec<String> {
    let is_last = |place: &usize| walk.children(Some(*place)).next().is_none();
    let ends = (0..walk.steps.len()).filter(is_last);
    let mut ends: Vec<usize> = ends.filter(|&end| walk.steps[end].hop > 1).collect();
    ends.sort_by_key(|&end| (std::cmp::Reverse(walk.steps[end].hop), end));
    let chains = ends.into_iter().take(most).map(|end| {
        let mut chain = walk.path_to(end);
        if matches!(way, Direction::Callers | Direction::References) {
            chain.reverse();
        }
        let places = chain.iter().map(|&place| place_text(&walk.steps[place].node));
        let sureness = walk.steps[end].confidence.as_str();
        format!("{}  [{sureness}]", places.collect::<Vec<_>>().join(" → "))
    });
    chains.collect()
}

/// Formats `Session.open (src/session.rs:12)`, or the path of a file.
fn place_text(place: &WalkNode) -> String {
    match place {
        WalkNode::Definition(one) => {
            let name = qualified_name(&one.symbol);
            format!("{name} ({}:{})", one.path, one.symbol.line)
        }
        WalkNode::File { path, .. } => path.to_string(),
    }
}

/// Counts the edges between packages, or between files if all are in one package.
pub fn dependency_map(
    graph: &Graph,
    walks: &[(&GraphWalk, Direction)],
    most: usize,
) -> Result<Vec<String>, OpError> {
    let mut packages: BTreeMap<RepoPath, String> = BTreeMap::new();
    for step in walks.iter().flat_map(|(walk, _)| &walk.steps) {
        let path = step.node.path();
        if !packages.contains_key(path) {
            let package = graph.package_of(path)?.unwrap_or_default();
            packages.insert(path.clone(), package);
        }
    }
    let between = |name: &dyn Fn(&RepoPath) -> String| {
        let mut edges: BTreeMap<(String, String), usize> = BTreeMap::new();
        for (walk, way) in walks {
            for &(near, far) in &walk.edges {
                let ends = [near, far].map(|place| name(walk.steps[place].node.path()));
                let [near, far] = ends;
                let pair = match way {
                    Direction::Callers | Direction::References => (far, near),
                    Direction::Callees | Direction::Uses => (near, far),
                };
                // Edges inside of a file or package say nothing about dependencies.
                if pair.0 != pair.1 {
                    *edges.entry(pair).or_default() += 1;
                }
            }
        }
        edges
    };
    let mut edges = between(&|path| packages[path].clone());
    // Files outside of every package have an empty name.
    edges.retain(|(from, to), _| !from.is_empty() && !to.is_empty());
    if edges.is_empty() {
        edges = between(&|path| path.to_string());
    }
    let mut edges: Vec<((String, String), usize)> = edges.into_iter().collect();
    edges.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let shown = edges.into_iter().take(most);
    let shown = shown.map(|((from, to), count)| {
        let count = count_noun(count, "edge");
        format!("{from} → {to} ({count})")
    });
    Ok(shown.collect())
}

/// Formats `← Robot  struct  src/robot.swift:12  [extension]  declared at src/login.swift:3`.
pub fn implementation_line(row: &ImplementationRow) -> OutlineLine {
    let SymbolRef { symbol, kind, path, line, test } = &row.symbol;
    let mut text = format!("← {symbol}  {kind}  {path}:{line}  [{}]", row.how);
    for (word, value) in [
        ("declared at", &row.declared_at),
        ("where", &row.condition),
        ("through", &row.through),
        ("of", &row.of),
    ] {
        if let Some(value) = value {
            text += &format!("  {word} {}", value.trim_start_matches("where "));
        }
    }
    if *test {
        text += "  test";
    }
    OutlineLine { indent: 1, text, hop: 1, path: RepoPath::new(path) }
}

/// The line of a definition that is itself the subject.
pub fn definition_line(definition: &Definition) -> OutlineLine {
    let SymbolRef { symbol, kind, path, line, .. } = SymbolRef::from_definition(definition);
    OutlineLine {
        indent: 0,
        text: format!("{symbol}  {kind}  {path}:{line}"),
        hop: 0,
        path: Some(definition.path.clone()),
    }
}

/// A heading between parts of the outline.
pub fn heading(title: &str) -> OutlineLine {
    OutlineLine { indent: 0, text: format!("{title}:"), hop: 0, path: None }
}
