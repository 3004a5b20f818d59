//! The drawing as JSON: nodes and edges for programs that draw or count for themselves.

use serde_json::{Map, Value, json};

use super::{Drawing, Emphasis};

impl Drawing {
    /// `{title, nodes, edges}`; what a node or an edge does not have is left out.
    pub fn to_json(&self) -> Value {
        let nodes = self.nodes().iter().map(|node| {
            let mut fields = Map::new();
            fields.insert("id".into(), json!(node.id));
            fields.insert("label".into(), json!(node.label));
            for (key, value) in [("detail", &node.detail), ("group", &node.group)] {
                if let Some(value) = value {
                    fields.insert(key.into(), json!(value));
                }
            }
            let emphasis = match node.emphasis {
                Emphasis::Normal => None,
                Emphasis::Strong => Some("strong"),
                Emphasis::Faint => Some("faint"),
            };
            if let Some(emphasis) = emphasis {
                fields.insert("emphasis".into(), json!(emphasis));
            }
            Value::Object(fields)
        });
        let edges = self.edges().iter().map(|edge| {
            let mut fields = Map::new();
            fields.insert("from".into(), json!(self.node(edge.from).id));
            fields.insert("to".into(), json!(self.node(edge.to).id));
            fields.insert("style".into(), json!(edge.style.as_str()));
            if let Some(label) = &edge.label {
                fields.insert("label".into(), json!(label));
            }
            fields.insert("in_cycle".into(), json!(edge.in_cycle));
            Value::Object(fields)
        });
        json!({
            "title": self.title,
            "nodes": nodes.collect::<Vec<_>>(),
            "edges": edges.collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::testing::sample;

    #[test]
    fn everything() {
        let json = serde_json::to_string_pretty(&sample().to_json()).expect("plain values");
        expect![[r##"
            {
              "title": "All \"of\" it\\",
              "nodes": [
                {
                  "id": "npm:web",
                  "label": "web",
                  "detail": "1.0 & up",
                  "group": "npm",
                  "emphasis": "strong"
                },
                {
                  "id": "npm:\"odd\"\\",
                  "label": "<odd> \"#1;`%%{x}`\"\n\\",
                  "detail": "1.0 & up",
                  "group": "npm"
                },
                {
                  "id": "cargo:api",
                  "label": "api",
                  "detail": "1.0 & up",
                  "group": "cargo"
                },
                {
                  "id": "npm:log",
                  "label": "log",
                  "group": "npm",
                  "emphasis": "faint"
                }
              ],
              "edges": [
                {
                  "from": "npm:web",
                  "to": "npm:\"odd\"\\",
                  "style": "solid",
                  "in_cycle": true
                },
                {
                  "from": "npm:\"odd\"\\",
                  "to": "npm:web",
                  "style": "dashed",
                  "label": "a|\"b\"]",
                  "in_cycle": true
                },
                {
                  "from": "npm:web",
                  "to": "npm:log",
                  "style": "dotted",
                  "in_cycle": false
                },
                {
                  "from": "cargo:api",
                  "to": "cargo:api",
                  "style": "solid",
                  "in_cycle": true
                }
              ]
            }"##]]
        .assert_eq(&json);
    }
}
