//! The facts of a file as a text that people can review.

use std::fmt::Write;

use kenning_model::{Chunk, CodeFacts, Reference, ReferenceKind, Symbol};

/// Symbols, heritage, references and chunks, a line each.
pub fn render(facts: &CodeFacts) -> String {
    let mut out = String::from("symbols\n");
    for symbol in &facts.symbols {
        writeln!(out, "  {}", render_symbol(symbol)).unwrap();
    }
    out.push_str("heritage\n");
    for heritage in &facts.heritage {
        let condition = heritage.condition.as_deref().unwrap_or_default();
        let (subject, base, how) = (&heritage.subject, &heritage.base, heritage.kind);
        writeln!(out, "  {}: {subject} : {base} {how:?} {condition}", heritage.line).unwrap();
    }
    out.push_str("references\n");
    for reference in &facts.references {
        writeln!(out, "  {}", render_reference(reference, &facts.symbols)).unwrap();
    }
    out.push_str("chunks\n");
    for chunk in &facts.chunks {
        writeln!(out, "  {}", render_chunk(chunk)).unwrap();
    }
    for problem in &facts.problems {
        writeln!(out, "problem {problem}").unwrap();
    }
    out.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn render_symbol(symbol: &Symbol) -> String {
    let scope = symbol.scope.as_ref().map(|scope| format!("{scope}.")).unwrap_or_default();
    let parameters: Vec<String> = symbol
        .parameters
        .iter()
        .map(|(name, kind)| format!("{name}: {}", kind.as_deref().unwrap_or("?")))
        .collect();
    let parameters =
        if parameters.is_empty() { String::new() } else { format!(" ({})", parameters.join(", ")) };
    let type_text = symbol.type_text.as_ref().map(|text| format!(" → {text}")).unwrap_or_default();
    let test = if symbol.is_test { " test" } else { "" };
    format!(
        "{}-{} {:?} {:?} {scope}{}{parameters}{type_text}{test} «{}»",
        symbol.span.start_line,
        symbol.span.end_line,
        symbol.visibility,
        symbol.kind,
        symbol.name,
        symbol.signature.as_deref().unwrap_or_default(),
    )
}

fn render_reference(reference: &Reference, symbols: &[Symbol]) -> String {
    let receiver = reference.receiver.as_ref().map(|text| format!("[{text}] ")).unwrap_or_default();
    let inside = reference.container.map_or("", |index| symbols[index as usize].name.as_str());
    let labels = match reference.kind {
        ReferenceKind::Call => format!("({})", reference.labels.join(", ")),
        _ => String::new(),
    };
    let (line, kind, name) = (reference.line, reference.kind, &reference.name);
    format!("{line}: {kind:?} {receiver}{name}{labels} in {inside}")
}

fn render_chunk(chunk: &Chunk) -> String {
    let scope = chunk.scope.as_ref().map(|scope| format!("{scope}.")).unwrap_or_default();
    let doc = chunk.doc.as_ref().map(|doc| format!(" — {}", doc.replace('\n', " / ")));
    let outline =
        chunk.outline.as_ref().map(|text| format!("\n    | {}", text.replace('\n', "\n    | ")));
    format!(
        "{}-{} {:?} {scope}{}{}{}",
        chunk.span.start_line,
        chunk.span.end_line,
        chunk.kind,
        chunk.symbol.as_deref().unwrap_or("·"),
        doc.unwrap_or_default(),
        outline.unwrap_or_default(),
    )
}
