//! A `SKILL.md` as facts: its name and its description. Parsing is lenient; the rules of the
//! specification are in `lint`.

mod frontmatter;
mod lint;

use serde_json::{Map, Value};

use frontmatter::{FrontmatterError, SplitSkill};
pub use lint::{Severity, SkillFinding, check_skill};

/// The name and description that a skill file states. Neither is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedSkill {
    pub name: String,
    pub description: String,
    /// Set if the front matter is not YAML and was read line by line.
    pub yaml_error: Option<FrontmatterError>,
}

/// Parses a `SKILL.md`. Any name and any description are accepted, as long as both are there.
///
/// ```
/// let skill = kenning_knowledge::docs::parse_skill("---\nname: pdf\ndescription: Reads PDFs.\n---\n");
/// assert_eq!(skill.unwrap().name, "pdf");
/// ```
pub fn parse_skill(text: &str) -> Result<ParsedSkill, FrontmatterError> {
    let split = frontmatter::split_frontmatter(text)?;
    let (fields, flaw) = parse_fields(&split);
    let field = |name: &str| fields.get(name).map(scalar_text).unwrap_or_default();
    let (name, description) = (field("name"), field("description"));
    for (field, value) in [("name", &name), ("description", &description)] {
        if value.is_empty() {
            // If the front matter is broken, that explains better why the field was not found.
            return Err(flaw.unwrap_or_else(|| FrontmatterError {
                line: Some(1),
                message: format!("its frontmatter has no `{field}`; add a line `{field}: …`"),
            }));
        }
    }
    Ok(ParsedSkill { name, description, yaml_error: flaw })
}

/// The front matter as JSON, with every field that the author wrote; empty if there is none.
pub fn parse_frontmatter(text: &str) -> Map<String, Value> {
    match frontmatter::split_frontmatter(text) {
        Ok(split) => parse_fields(&split).0,
        Err(_) => Map::new(),
    }
}

/// Parses the fields as YAML, else by line. The error is set in the second case.
fn parse_fields(split: &SplitSkill) -> (Map<String, Value>, Option<FrontmatterError>) {
    match frontmatter::parse_yaml(split) {
        Ok(fields) => (fields, None),
        Err(fault) => (frontmatter::parse_lines(split.yaml), Some(fault)),
    }
}

/// The text of a field. A number or a boolean is taken as written, because `name: 2048` is a name.
fn scalar_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim().to_string(),
        Value::Number(number) => number.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<(&str, &str), &str>) {
        let skill = parse_skill(text);
        let parsed = skill
            .as_ref()
            .map(|skill| {
                assert_eq!(skill.yaml_error, None, "{text}");
                (skill.name.as_str(), skill.description.as_str())
            })
            .map_err(|fault| fault.message.as_str());
        assert_eq!(parsed, expected, "{text}");
    }

    #[test]
    fn whatever_people_write() {
        check("---\nname: a\ndescription: b\n---\nbody", Ok(("a", "b")));
        check("\u{feff}---\r\nname: a\r\ndescription: b\r\n---\r\n", Ok(("a", "b")));
        check(
            "---\nname: 用户\ndescription: 用户的全局技能,必读!\n---",
            Ok(("用户", "用户的全局技能,必读!")),
        );
        check("---\nname: \"a\"\ndescription: 'it''s b'\n---\n", Ok(("a", "it's b")));
        check(
            "---\nname: a\ndescription: >\n  one\n  two\n\n  three\n---\n",
            Ok(("a", "one two\nthree")),
        );
        check("---\nname: a\ndescription: |\n  one\n  two\n---\n", Ok(("a", "one\ntwo")));
        check("---\nname: a\ndescription: one\n  two\n---\n", Ok(("a", "one two")));
        check(
            "---\ndescription: b\nname: 2048\nmodel: opus\nx: [1, {y: z}]\n---\n",
            Ok(("2048", "b")),
        );
        check("---\nname: a b:c\ndescription: b\nname: last\n---\n", Ok(("last", "b")));
        check("\n\n---\nname: a\ndescription: b\n--- \nbody", Ok(("a", "b")));
        check("---\nname: a\ndescription: b", Err("its frontmatter has no end; add a line `---`"));
    }

    #[test]
    fn what_cannot_be_a_skill() {
        let none = "no frontmatter; begin the file with `---`, `name: …`, `description: …`, `---`";
        check("# Title\n", Err(none));
        check("", Err(none));
        check(
            "---\nname: a\n---\n",
            Err("its frontmatter has no `description`; add a line `description: …`"),
        );
        check(
            "---\nname: ''\ndescription: b\n---\n",
            Err("its frontmatter has no `name`; add a line `name: …`"),
        );
        check(
            "---\nname: [a]\ndescription: b\n---\n",
            Err("its frontmatter has no `name`; add a line `name: …`"),
        );
        check("---\n---\n", Err("its frontmatter has no `name`; add a line `name: …`"));
        check("---\n- a\n- b\n---\n", Err("the frontmatter is no list of `key: value`"));
    }

    /// A colon in a plain value breaks YAML and is what people write most often.
    #[test]
    fn broken_yaml_is_read_by_lines() {
        let text =
            "---\nname: a\ndescription: Use when: the user asks\n  for \"more\"\nmodel: x\n---\n";
        let skill = parse_skill(text).unwrap();
        assert_eq!(skill.description, "Use when: the user asks for \"more\"");
        assert_eq!(skill.yaml_error.unwrap().line, Some(3));
        let broken = "---\nname: a\n\tx: {\n---\n";
        let fault = parse_skill(broken).unwrap_err();
        assert!(fault.message.contains("not YAML"), "{fault:?}");
    }

    #[test]
    fn the_frontmatter_passes_through_whole() {
        let text = "---\nname: a\ndescription: b\nmetadata:\n  version: 1.5\n  tags: [x, y]\nmore: true\n---\n";
        assert_eq!(
            Value::Object(parse_frontmatter(text)),
            serde_json::json!({"name": "a", "description": "b",
                "metadata": {"version": 1.5, "tags": ["x", "y"]}, "more": true})
        );
    }

    /// Nonsense, depth and length are answered, not obeyed.
    #[test]
    fn total() {
        let deep = format!("---\nname: {}\ndescription: b\n---\n", "[".repeat(5000));
        let bomb =
            "---\na: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nname: *c\ndescription: d\n---\n";
        for text in ["---", "---\n", "---\n\0\n---\n", "---\n%YAML 9\n---\n", &deep, bomb] {
            let _ = parse_skill(text);
            let _ = parse_frontmatter(text);
            let _ = check_skill("x", text);
        }
    }
}
