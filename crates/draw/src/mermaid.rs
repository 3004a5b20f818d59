//! The drawing as a Mermaid flowchart. Mermaid does the layout.

use super::text_metrics::clean;
use super::{CYCLE_COLOUR, Drawing, Emphasis, Node, Style, group_colour};

impl Drawing {
    /// Mermaid itself refuses charts of more than 500 edges unless its page is configured otherwise.
    pub fn to_mermaid(&self) -> String {
        let groups = self.groups();
        let mut lines = Vec::new();
        if !self.title.is_empty() {
            // The header is YAML, where a JSON string is a string.
            let title =
                serde_json::Value::from(clean(&self.title)).to_string().replace('%', "\\u0025");
            lines.push(format!("---\ntitle: {title}\n---"));
        }
        lines.push("flowchart LR".to_string());
        let notes = self.notes.iter();
        lines.extend(notes.map(|note| format!("  %% {}", clean(note).replace(['{', '}'], ""))));
        for (index, node) in self.nodes().iter().enumerate() {
            lines.push(format!("  n{index}[\"{}\"]", node_text(node)));
        }
        for edge in self.edges() {
            let arrow = match edge.style {
                Style::Solid => "-->",
                Style::Dashed | Style::Dotted => "-.->",
            };
            let label = edge
                .label
                .as_deref()
                .map(escape)
                .map_or(String::new(), |label| format!("|\"{label}\"|"));
            let (from, to) = (edge.from.0, edge.to.0);
            lines.push(format!("  n{from} {arrow}{label} n{to}"));
        }
        lines.extend(self.group_classes(&groups));
        lines.extend(self.emphasis_classes());
        lines.extend(self.link_styles());
        lines.join("\n") + "\n"
    }

    /// Returns the class definitions of groups, and their members.
    fn group_classes(&self, groups: &[&str]) -> Vec<String> {
        let classes = groups.iter().enumerate().flat_map(|(index, group)| {
            let colour = group_colour(index);
            let members = self.members(|node| node.group.as_deref() == Some(group));
            [
                format!("  classDef group{index} stroke:{colour},stroke-width:2px"),
                format!("  class {} group{index}", members.join(",")),
            ]
        });
        classes.collect()
    }

    /// Returns the class definitions of emphasis, and their members.
    fn emphasis_classes(&self) -> Vec<String> {
        let looks = [
            (Emphasis::Strong, "strong", "stroke-width:4px,font-weight:bold"),
            (Emphasis::Faint, "faint", "stroke-dasharray:4 3,opacity:0.7"),
        ];
        let classes = looks.iter().filter_map(|(emphasis, name, look)| {
            let members = self.members(|node| node.emphasis == *emphasis);
            let class = format!("  class {} {name}", members.join(","));
            (!members.is_empty()).then(|| format!("  classDef {name} {look}\n{class}"))
        });
        classes.collect()
    }

    /// Returns the ids of the nodes that satisfy a condition.
    fn members(&self, belongs: impl Fn(&Node) -> bool) -> Vec<String> {
        let nodes = self.nodes().iter().enumerate();
        let members = nodes.filter(|(_, node)| belongs(node));
        members.map(|(index, _)| format!("n{index}")).collect()
    }

    /// Returns the styles of edges. Mermaid refers to edges by number, and has one broken line
    /// where we have two.
    fn link_styles(&self) -> Vec<String> {
        let numbers = |matching: &dyn Fn(&super::Edge) -> bool| -> Vec<String> {
            let edges = self.edges().iter().enumerate();
            let matching = edges.filter(|(_, edge)| matching(edge));
            matching.map(|(index, _)| index.to_string()).collect()
        };
        let dotted = numbers(&|edge| edge.style == Style::Dotted);
        let in_cycle = numbers(&|edge| edge.in_cycle);
        let cycle_look = format!("stroke:{CYCLE_COLOUR},stroke-width:2px");
        let looks = [(dotted, "stroke-dasharray:1 4"), (in_cycle, &cycle_look)];
        let used = looks.into_iter().filter(|(links, _)| !links.is_empty());
        used.map(|(links, look)| format!("  linkStyle {} {look}", links.join(","))).collect()
    }
}

/// Returns the label of a node.
fn node_text(node: &Node) -> String {
    let label = escape(&node.label);
    match &node.detail {
        Some(detail) => format!("{label}<br/><small>{}</small>", escape(detail)),
        None if label.is_empty() => " ".to_string(),
        None => label,
    }
}

/// Escapes a label. Mermaid writes entities with `#`, reads labels as HTML, text in backticks as
/// Markdown, and `%%{` anywhere as a directive.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for character in clean(text).chars() {
        match character {
            '"' => escaped += "#quot;",
            '&' => escaped += "#amp;",
            '<' => escaped += "#lt;",
            '>' => escaped += "#gt;",
            '#' | '%' | '`' | '\\' | '*' | '_' | '$' => {
                escaped += &format!("#{};", character as u32)
            }
            character => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::Drawing;
    use super::super::testing::sample;

    #[test]
    fn everything() {
        expect![[r##"
            ---
            title: "All \"of\" it\\"
            ---
            flowchart LR
              n0["web<br/><small>1.0 #amp; up</small>"]
              n1["#lt;odd#gt; #quot;#35;1;#96;#37;#37;{x}#96;#quot; #92;<br/><small>1.0 #amp; up</small>"]
              n2["api<br/><small>1.0 #amp; up</small>"]
              n3["log"]
              n0 --> n1
              n1 -.->|"a|#quot;b#quot;]"| n0
              n0 -.-> n3
              n2 --> n2
              classDef group0 stroke:#0072b2,stroke-width:2px
              class n0,n1,n3 group0
              classDef group1 stroke:#e69f00,stroke-width:2px
              class n2 group1
              classDef strong stroke-width:4px,font-weight:bold
              class n0 strong
              classDef faint stroke-dasharray:4 3,opacity:0.7
              class n3 faint
              linkStyle 2 stroke-dasharray:1 4
              linkStyle 0,1,3 stroke:#d1242f,stroke-width:2px
        "##]].assert_eq(&sample().to_mermaid());
    }

    #[test]
    fn nothing() {
        expect![[r#"
            flowchart LR
        "#]]
        .assert_eq(&Drawing::new("").to_mermaid());
    }
}
