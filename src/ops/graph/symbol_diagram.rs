//! The diagram around a symbol: callers on the left, callees and implementations on the right. The
//! style of an arrow shows its confidence.

use super::GraphArgs;
use super::group_neighbours::{LinkedSymbol, Neighbour, group_neighbours};
use crate::graph::{Definition, Direction, Graph, TestCode, WalkRules, WalkStep, qualified_name};
use crate::ops::code::call_hierarchy::symbol_ref;
use crate::ops::code::reply_parts::{SymbolRef, check_cancelled, find_definitions, query_graph};
use crate::ops::{Call, OpError};
use kenning_draw::{Drawing, Edge, Emphasis, Node, NodeIndex, Style};
use kenning_model::{ChunkKind, Confidence};

/// The most hops. Further away, a picture says nothing about the symbol.
const MAX_DEPTH: u32 = 3;

/// The definitions that are followed on each hop.
const WIDTH: usize = 60;

/// The most boxes over all hops; the rest is counted.
const MOST: usize = 60;

/// Draws the neighbours of a symbol. At depth 1 they are clustered, deeper each is a box of its
/// own.
pub fn draw(call: &Call, arguments: &GraphArgs) -> Result<Drawing, OpError> {
    let name = arguments.required_name("such as `ken graph symbols Session.login`")?;
    let index = call.code(None)?;
    let depth = arguments.depth.unwrap_or(1).min(MAX_DEPTH) as usize;
    let drawing = query_graph(&index, |graph| {
        let starts = find_definitions(graph, &index, name)?.definitions;
        let mut picture = DiagramBuilder::new(arguments, graph, &starts);
        // Two walks: callers end on the left of the symbol, callees on the right.
        for way in [incoming_direction(&starts), Direction::Callees] {
            let rules = WalkRules {
                direction: way,
                depth,
                min_confidence: Confidence::Low,
                tests: TestCode::Followed,
                width: WIDTH,
            };
            let walk = graph.walk(&starts, &rules, call.progress)?;
            match depth {
                1 => picture.add_neighbours(&walk.steps, way)?,
                _ => picture.add_walk(&walk.steps, way)?,
            }
        }
        for start in &starts {
            picture.add_implementations(start)?;
        }
        Ok::<_, OpError>(picture.drawing)
    })?;
    check_cancelled(call)?;
    Ok(drawing)
}

/// The inward direction: types are mentioned, everything else is called.
fn incoming_direction(starts: &[Definition]) -> Direction {
    let is_type = |one: &Definition| {
        use ChunkKind::{Actor, Class, Enum, Interface, Protocol, Struct, Trait, TypeAlias};
        let kind = one.symbol.kind;
        matches!(kind, Class | Struct | Enum | Protocol | Interface | Trait | Actor | TypeAlias)
    };
    if starts.iter().all(is_type) { Direction::References } else { Direction::Callers }
}

/// The plural of the neighbours in a direction.
fn direction_noun(way: Direction) -> &'static str {
    match way {
        Direction::Callers => "callers",
        Direction::Callees => "callees",
        Direction::References | Direction::Uses => "mentions",
    }
}

/// A diagram while it is built.
struct DiagramBuilder<'p> {
    /// The drawing so far.
    drawing: Drawing,
    /// The arguments, for links.
    arguments: &'p GraphArgs,
    /// The graph, for packages and implementations.
    graph: &'p Graph<'p>,
    /// The nodes of the symbol itself.
    starts: Vec<NodeIndex>,
}

impl<'p> DiagramBuilder<'p> {
    fn new(
        arguments: &'p GraphArgs,
        graph: &'p Graph<'p>,
        starts: &[Definition],
    ) -> DiagramBuilder<'p> {
        let title = starts.first().map_or(String::new(), |one| qualified_name(&one.symbol));
        let mut drawing = Drawing::new(title);
        drawing.legend = vec![
            (Style::Solid, "sure (exact or high confidence)".to_string()),
            (Style::Dashed, "likely (medium)".to_string()),
            (Style::Dotted, "a guess (low), or implements".to_string()),
        ];
        let mut picture = DiagramBuilder { drawing, arguments, graph, starts: Vec::new() };
        for start in starts {
            let symbol = SymbolRef::from_definition(start);
            let found = LinkedSymbol { symbol, sureness: Confidence::Exact };
            let node = group_neighbours(&[found], "").remove(0);
            let node = picture.add_neighbour_node(&node, Emphasis::Strong);
            picture.starts.push(node);
        }
        picture
    }

    /// Adds a box, with its package as the group and a link to its page.
    fn add_neighbour_node(&mut self, neighbour: &Neighbour, emphasis: Emphasis) -> NodeIndex {
        let package = kenning_model::RepoPath::new(&neighbour.path)
            .and_then(|path| self.graph.package_of(&path).ok().flatten());
        let group = match (neighbour.is_test, package) {
            (true, _) => Some("tests".to_string()),
            (false, Some(package)) => Some(package),
            (false, None) => None,
        };
        let link = neighbour.place.as_deref().and_then(|place| {
            let is_symbol = neighbour.id == place;
            if is_symbol {
                self.arguments.page_url("symbol", &[("at", place)])
            } else {
                self.arguments.page_url("file", &[("path", place)])
            }
        });
        self.drawing.add_node(Node {
            detail: neighbour.detail.clone(),
            group,
            emphasis,
            link,
            place: Some(neighbour.path.clone()).filter(|path| !path.is_empty()),
            ..Node::new(neighbour.id.clone(), neighbour.label.clone())
        })
    }

    /// Adds the direct neighbours, clustered where they are many.
    fn add_neighbours(&mut self, steps: &[WalkStep], way: Direction) -> Result<(), OpError> {
        let word = direction_noun(way);
        for (place, start) in self.starts.clone().into_iter().enumerate() {
            let mine = steps.iter().filter(|step| step.from == Some(place));
            let found: Vec<LinkedSymbol> = mine.map(linked_symbol).collect();
            for neighbour in group_neighbours(&found, word) {
                let node = self.add_neighbour_node(&neighbour, neighbour_emphasis(&neighbour));
                self.connect(start, node, way, confidence_style(neighbour.sureness));
            }
        }
        Ok(())
    }

    /// Adds every hop, each place by itself, the surest first for as long as there is room.
    fn add_walk(&mut self, steps: &[WalkStep], way: Direction) -> Result<(), OpError> {
        let mut nodes: Vec<Option<NodeIndex>> = self.starts.iter().copied().map(Some).collect();
        let mut left_out = 0;
        for (place, step) in steps.iter().enumerate().skip(nodes.len()) {
            let from = step.from.and_then(|from| nodes.get(from).copied().flatten());
            let shown = from.filter(|_| place < MOST).map(|from| {
                let neighbour = group_neighbours(&[linked_symbol(step)], "").remove(0);
                let node = self.add_neighbour_node(&neighbour, neighbour_emphasis(&neighbour));
                self.connect(from, node, way, confidence_style(neighbour.sureness));
                node
            });
            left_out += usize::from(shown.is_none());
            nodes.push(shown);
        }
        if left_out > 0 {
            let word = direction_noun(way);
            self.drawing.add_node(Node {
                emphasis: Emphasis::Faint,
                detail: Some("further away".to_string()),
                ..Node::new(format!("rest {word}"), format!("{left_out} more {word}"))
            });
        }
        Ok(())
    }

    /// Adds an edge that points from the caller to the callee.
    fn connect(&mut self, near: NodeIndex, far: NodeIndex, way: Direction, style: Style) {
        let (from, to) = match way {
            Direction::Callers | Direction::References => (far, near),
            _ => (near, far),
        };
        let edge = Edge { style, ..Edge::new(from, to) };
        self.drawing.add_edge(edge);
    }

    /// Adds the implementations of a start, below a dotted edge.
    fn add_implementations(&mut self, start: &Definition) -> Result<(), OpError> {
        let at = self.starts.iter().copied().find(|index| {
            let id = format!("{}:{}", start.path, start.symbol.line);
            self.drawing.node(*index).id == id
        });
        let Some(at) = at else { return Ok(()) };
        let types = self.graph.implementations(start)?.into_iter();
        let types = types.map(|one| one.definition);
        let members = self.graph.implementations_of_member(start)?.into_iter();
        let found = types.chain(members).map(|definition| LinkedSymbol {
            symbol: SymbolRef::from_definition(&definition),
            sureness: Confidence::High,
        });
        let found: Vec<LinkedSymbol> = found.collect();
        for neighbour in group_neighbours(&found, "implementations") {
            let node = self.add_neighbour_node(&neighbour, neighbour_emphasis(&neighbour));
            self.drawing.add_edge(Edge {
                style: Style::Dotted,
                label: Some("implemented by".to_string()),
                ..Edge::new(at, node)
            });
        }
        Ok(())
    }
}

/// Converts a step of a walk.
fn linked_symbol(step: &WalkStep) -> LinkedSymbol {
    LinkedSymbol {
        symbol: symbol_ref(step),
        sureness: step.evidence.map_or(Confidence::Low, |ground| ground.confidence),
    }
}

/// Boxes that stand for a directory or a rest are faint.
fn neighbour_emphasis(neighbour: &Neighbour) -> Emphasis {
    match neighbour.place {
        Some(_) => Emphasis::Normal,
        None => Emphasis::Faint,
    }
}

/// The line style of a confidence, as the legend explains it.
fn confidence_style(sureness: Confidence) -> Style {
    match sureness {
        Confidence::Exact | Confidence::High => Style::Solid,
        Confidence::Medium => Style::Dashed,
        Confidence::Low => Style::Dotted,
    }
}
