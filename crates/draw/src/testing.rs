//! Drawings as text and random ones from a fixed seed, for the tests of this directory.

use super::{Drawing, Edge, Emphasis, Node, NodeIndex, Style};
use kenning_testing::Random;

/// Reads statements between `;`: `a` is a node, `a -> b` an edge, followed by any of `dashed`,
/// `dotted`, `cycle` and a label in brackets.
pub fn parse_drawing(text: &str) -> Drawing {
    let mut drawing = Drawing::new("Test");
    for statement in text.split(';') {
        let mut words = statement.split_whitespace();
        let mut node = |words: &mut dyn Iterator<Item = &str>| -> NodeIndex {
            let name = words.next().expect("the name of a node");
            drawing.add_node(Node::new(name, name))
        };
        let from = node(&mut words);
        if words.next().is_none() {
            continue;
        }
        let mut edge = Edge::new(from, node(&mut words));
        for word in words {
            match word {
                "dashed" => edge.style = Style::Dashed,
                "dotted" => edge.style = Style::Dotted,
                "cycle" => edge.in_cycle = true,
                label => edge.label = Some(label.trim_matches(['[', ']']).to_string()),
            }
        }
        drawing.add_edge(edge);
    }
    drawing
}

/// One of everything: groups, emphasis, styles, labels, a cycle, a loop, and texts that try to
/// break out of their quotes.
pub fn sample() -> Drawing {
    let mut drawing = Drawing::new("All \"of\" it\\");
    drawing.legend = vec![
        (Style::Solid, "needs".to_string()),
        (Style::Dashed, "needs for development".to_string()),
        (Style::Dotted, "may need".to_string()),
    ];
    let mut node = |id: &str, label: &str, group: &str, emphasis: Emphasis| {
        let mut node = Node::new(id, label);
        node.group = Some(group.to_string());
        node.detail = (emphasis != Emphasis::Faint).then(|| "1.0 & up".to_string());
        node.emphasis = emphasis;
        drawing.add_node(node)
    };
    let web = node("npm:web", "web", "npm", Emphasis::Strong);
    let odd = node("npm:\"odd\"\\", "<odd> \"#1;`%%{x}`\"\n\\", "npm", Emphasis::Normal);
    let api = node("cargo:api", "api", "cargo", Emphasis::Normal);
    let log = node("npm:log", "log", "npm", Emphasis::Faint);
    let edge = |from, to, style, label: Option<&str>, in_cycle| Edge {
        from,
        to,
        style,
        label: label.map(str::to_string),
        in_cycle,
    };
    drawing.add_edge(edge(web, odd, Style::Solid, None, true));
    drawing.add_edge(edge(odd, web, Style::Dashed, Some("a|\"b\"]"), true));
    drawing.add_edge(edge(web, log, Style::Dotted, None, false));
    drawing.add_edge(edge(api, api, Style::Solid, None, true));
    drawing
}

/// Random drawings of up to `nodes` nodes, of every density, some with cycles.
pub fn random_drawings(count: usize, nodes: usize) -> impl Iterator<Item = Drawing> {
    let mut random = Random::new(0xd0e5);
    (0..count).map(move |number| {
        let nodes = 1 + random.next_below(nodes);
        let edges = random.next_below(nodes * 3);
        let mut drawing = Drawing::new(format!("Random {number}"));
        let indexes: Vec<NodeIndex> = (0..nodes)
            .map(|index| {
                let name = format!("node-{index}{}", "x".repeat(random.next_below(12)));
                let mut node = Node::new(index.to_string(), name);
                node.group = Some(format!("group {}", random.next_below(9)));
                drawing.add_node(node)
            })
            .collect();
        for _ in 0..edges {
            let (mut from, mut to) = (random.next_below(nodes), random.next_below(nodes));
            // Every other drawing is free of cycles.
            if number % 2 == 0 && from >= to {
                (from, to) = (to.min(from), from.max(to));
            }
            let mut edge = Edge::new(indexes[from], indexes[to]);
            edge.style = [Style::Solid, Style::Dashed, Style::Dotted][random.next_below(3)];
            edge.label = (random.next_below(9) == 0).then(|| "label".to_string());
            drawing.add_edge(edge);
        }
        drawing
    })
}
