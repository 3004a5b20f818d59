//! Formats passages of code for people: each under a line with its place, with line numbers.

use std::io::IsTerminal;

use super::render::colour_codes;
use super::sanitize::escape_controls;
use crate::ops::code::code_research::Passage;
use crate::ops::code::get_symbol::SymbolDetails;

/// A passage of code.
struct CodeBlock<'r> {
    path: &'r str,
    /// The number of its first line.
    first: u32,
    /// Facts about it, on the line of its place.
    facts: Vec<String>,
    content: &'r str,
    /// Lists that belong to the text, such as the members of a type.
    below: Vec<String>,
}

/// Formats definitions with their facts, code, supertypes and members.
pub fn format_definitions(definitions: &[SymbolDetails]) -> String {
    format_blocks(definitions.iter().map(|one| CodeBlock {
        path: &one.symbol.path,
        first: one.content_line.unwrap_or(one.start_line),
        facts: definition_facts(one),
        content: &one.content,
        below: rest_of_code(one).iter().chain(&one.kind_of).chain(&one.members).cloned().collect(),
    }))
}

/// Returns the command that shows the rest of a definition.
fn rest_of_code(one: &SymbolDetails) -> Option<String> {
    let next = one.next_line?;
    let (path, line, end) = (&one.symbol.path, one.symbol.line, one.end_line);
    Some(format!("lines {next}-{end}: ken symbol {path}:{line} --first-line {next}"))
}

/// Returns the facts about a definition, in the order of its fields.
fn definition_facts(one: &SymbolDetails) -> Vec<String> {
    let more = [("moreMembers", one.more_members), ("moreLines", one.more_lines)];
    let facts = [one.symbol.symbol.clone(), one.symbol.kind.to_string()]
        .into_iter()
        .chain([format!("line {}", one.symbol.line)])
        .chain(one.symbol.test.then(|| "test".to_string()))
        .chain(one.package.clone())
        .chain(one.visibility.as_ref().map(ToString::to_string))
        .chain(one.signature.clone())
        .chain([
            format!("callers {}", one.callers),
            format!("references {}", one.references),
            format!("implementations {}", one.implementations),
        ])
        .chain(more.iter().filter(|more| more.1 > 0).map(|(name, n)| format!("{name} {n}")));
    facts.filter(|fact| !fact.is_empty()).collect()
}

/// Formats passages that are worth reading.
pub fn format_passages(passages: &[Passage]) -> String {
    format_blocks(passages.iter().map(|passage| CodeBlock {
        path: &passage.path,
        first: passage.start_line,
        facts: Vec::new(),
        content: &passage.content,
        below: Vec::new(),
    }))
}

/// Formats blocks with a blank line between them.
fn format_blocks<'r>(blocks: impl Iterator<Item = CodeBlock<'r>>) -> String {
    let bold = colour_codes(std::io::stdout().is_terminal(), "1");
    let dim = colour_codes(std::io::stdout().is_terminal(), "2");
    let format_block = |block: CodeBlock| {
        let head = format!("{}{}:{}{}", bold.0, escape_controls(block.path), block.first, bold.1);
        let facts: Vec<String> = block.facts.iter().map(|fact| escape_controls(fact)).collect();
        let lines = block.content.lines().zip(block.first..).map(|(line, number)| {
            let text = escape_controls(&line.replace('\t', "    "));
            format!("{}{number:>5}{}  {text}", dim.0, dim.1)
        });
        let below = block
            .below
            .iter()
            .map(|item| format!("{}    ·  {}{}", dim.0, escape_controls(item), dim.1));
        let body: Vec<String> = lines.chain(below).collect();
        format!("{head}  {}\n{}", facts.join("  "), body.join("\n"))
    };
    blocks.map(format_block).collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::code::reply_parts::SymbolRef;

    #[test]
    fn a_definition_has_its_facts_code_and_members() {
        let run = SymbolDetails {
            symbol: SymbolRef {
                symbol: "Job".to_string(),
                kind: "struct".into(),
                path: "src/job.rs".to_string(),
                line: 8,
                test: false,
            },
            start_line: 7,
            end_line: 12,
            package: None,
            visibility: Some("private".into()),
            signature: None,
            callers: 0,
            references: 2,
            implementations: 0,
            kind_of: vec!["src/a.rs:1 Work".to_string()],
            members: vec!["9 name".to_string()],
            more_members: 0,
            more_lines: 4,
            content_line: None,
            next_line: Some(9),
            content: "/// Work.\n\tstruct Job {".to_string(),
        };
        let expected = "src/job.rs:7  Job  struct  line 8  private  callers 0  references 2  \
                        implementations 0  moreLines 4\n    7  /// Work.\n    8      struct Job {\n    \
                        ·  lines 9-12: ken symbol src/job.rs:8 --first-line 9\n    \
                        ·  src/a.rs:1 Work\n    ·  9 name";
        assert_eq!(format_definitions(&[run]), expected);
    }
}
