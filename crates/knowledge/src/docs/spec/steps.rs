//! Parses the steps of a scenario. A clause begins where a line begins with GIVEN, WHEN, THEN, AND
//! or BUT; everything up to the next clause belongs to it.
//!
//! The format is loose: keywords may be bold, upper case, capitalised or plain, in a list or not.
//! The rules below decide when a word such as "when" begins a clause and when it is prose.

use kenning_model::{Clause, Keyword};

/// One line of a scenario's body.
pub struct BodyLine<'a> {
    /// 1-based, in the file.
    pub number: u32,
    pub text: &'a str,
    /// True for code and the like, in which no clause begins.
    pub is_literal: bool,
}

/// Splits lines into the text before the first clause and the clauses.
pub fn parse_clauses(lines: &[BodyLine]) -> (String, Vec<Clause>) {
    let mut introduction: Vec<String> = Vec::new();
    let mut open: Vec<OpenClause> = Vec::new();
    for line in lines {
        let begun = (!line.is_literal).then(|| parse_step(line.text, open.last())).flatten();
        match (begun, open.last_mut()) {
            (Some(begun), _) => open.extend(begun.into_clauses(line.number)),
            (None, Some(clause)) => clause.text.push(dedent(line.text, clause.column)),
            (None, None) => introduction.push(line.text.trim_end().to_string()),
        }
    }
    let clauses = open.into_iter().map(|clause| Clause {
        keyword: clause.keyword,
        line: clause.line,
        text: join_lines(&clause.text),
    });
    (join_lines(&introduction), clauses.collect())
}

/// A clause that the next line may continue.
struct OpenClause {
    keyword: Keyword,
    line: u32,
    text: Vec<String>,
    /// The column of its bullet, in bytes.
    indent: usize,
    /// The column of its text. Continuation lines lose at most this much indentation.
    column: usize,
    is_listed: bool,
}

/// A line that begins a clause, before it is split at inner keywords.
struct OpenStep {
    keyword: Keyword,
    text: String,
    indent: usize,
    column: usize,
    is_listed: bool,
}

impl OpenStep {
    /// Splits a line with several bold keywords: `**WHEN** a **THEN** b` is two clauses.
    fn into_clauses(self, line: u32) -> Vec<OpenClause> {
        let mut parts = vec![(self.keyword, self.text)];
        while let Some((_, text)) = parts.last_mut()
            && let Some((keyword, at, length)) = find_inner_keyword(text)
        {
            let rest = trim_mark(&text[at + length..]).to_string();
            text.truncate(at);
            parts.push((keyword, rest));
        }
        let open = |(keyword, text): (Keyword, String)| OpenClause {
            keyword,
            line,
            text: vec![text.trim_end().to_string()],
            indent: self.indent,
            column: self.column,
            is_listed: self.is_listed,
        };
        parts.into_iter().map(open).collect()
    }
}

/// Finds the first bold WHEN or THEN inside of a text. Returns the keyword, its offset and its
/// length. Only bold ones count, because plain words occur in prose.
fn find_inner_keyword(text: &str) -> Option<(Keyword, usize, usize)> {
    let marks = [("**WHEN**", Keyword::When), ("**THEN**", Keyword::Then)];
    let found = marks.iter().filter_map(|(mark, keyword)| {
        let at = text.find(mark)?;
        text[..at].ends_with(' ').then_some((*keyword, at, mark.len()))
    });
    found.min_by_key(|(_, at, _)| *at)
}

/// Parses a line as the beginning of a clause; `None` if it continues what is above it. `before` is
/// the clause above.
fn parse_step(line: &str, before: Option<&OpenClause>) -> Option<OpenStep> {
    let indent = line.len() - line.trim_start().len();
    let rest = line.trim_start();
    let marker = list_marker(rest);
    let (keyword, text, style) = parse_keyword(&rest[marker..])?;
    let is_listed = marker > 0;
    let is_nested = before.is_some_and(|clause| clause.is_listed && indent > clause.indent);
    let begins = match style {
        KeywordStyle::Emphasised | KeywordStyle::Capitals => true,
        // In a list below a clause, a word such as "when" is just a word.
        KeywordStyle::Plain => is_listed && !is_nested,
        // `When` also begins ordinary sentences, so outside of a list it counts only unindented and
        // not after a listed clause.
        KeywordStyle::Title => {
            if is_listed {
                !is_nested
            } else {
                indent == 0 && before.is_none_or(|clause| !clause.is_listed)
            }
        }
    };
    begins.then(|| OpenStep { keyword, text, indent, column: indent + marker, is_listed })
}

/// How a keyword is written, from the surest sign of a clause to the weakest.
#[derive(PartialEq, Eq)]
enum KeywordStyle {
    /// `**WHEN**`, `*when*`, `__When__`
    Emphasised,
    /// `WHEN`
    Capitals,
    /// `When`
    Title,
    /// `when`
    Plain,
}

/// The length of a list marker with the blanks behind it; 0 if there is none. A mark without a
/// blank is emphasis.
fn list_marker(text: &str) -> usize {
    let bullet = text.starts_with(['-', '*', '+']).then_some(1);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number = (digits > 0 && text[digits..].starts_with(['.', ')'])).then_some(digits + 1);
    let Some(length) = bullet.or(number) else {
        return 0;
    };
    let rest = &text[length..];
    let blanks = rest.len() - rest.trim_start().len();
    match blanks {
        0 => 0,
        _ => length + blanks,
    }
}

/// Parses the keyword at the beginning of a text. Returns it with the text that follows and its
/// style.
fn parse_keyword(text: &str) -> Option<(Keyword, String, KeywordStyle)> {
    let emphasis = ["**", "__", "*", "_"].into_iter().find(|mark| text.starts_with(mark));
    let inner = &text[emphasis.map_or(0, str::len)..];
    let length = inner.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (word, after) = inner.split_at(length);
    let keyword =
        Keyword::ALL.into_iter().find(|keyword| keyword.as_str().eq_ignore_ascii_case(word))?;
    if let Some(mark) = emphasis {
        let closed = after.strip_prefix([':', '：']).unwrap_or(after);
        if let Some(rest) = closed.strip_prefix(mark) {
            return Some((keyword, trim_mark(rest).to_string(), KeywordStyle::Emphasised));
        }
        // The whole sentence is emphasised; its mark is kept, so that the text stays balanced.
        let rest = after.strip_prefix(' ')?;
        return Some((keyword, format!("{mark}{rest}"), KeywordStyle::Emphasised));
    }
    let is_word = after.is_empty() || after.starts_with([' ', '\t', ':', '：']);
    let is_capital = |byte: u8| byte.is_ascii_uppercase();
    let style = match (word.bytes().all(is_capital), word.bytes().next().map(is_capital)) {
        (true, _) => KeywordStyle::Capitals,
        (false, Some(true)) => KeywordStyle::Title,
        (false, _) => KeywordStyle::Plain,
    };
    is_word.then(|| (keyword, trim_mark(after).to_string(), style))
}

/// Strips the `:` or `,` that may follow a keyword.
fn trim_mark(text: &str) -> &str {
    let text = text.trim_start();
    text.strip_prefix([':', '：', ',']).unwrap_or(text).trim_start()
}

/// Removes at most `columns` blanks, so that text nested below the clause stays nested.
fn dedent(line: &str, columns: usize) -> String {
    let blanks = line.bytes().take_while(|b| matches!(b, b' ' | b'\t'));
    line[blanks.count().min(columns)..].trim_end().to_string()
}

/// Joins lines, without blank lines at both ends.
fn join_lines(lines: &[String]) -> String {
    let text = lines.join("\n");
    // The blanks of the first line stay, because its indentation may carry meaning.
    text.trim_end().trim_start_matches('\n').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let lines: Vec<BodyLine> = text
            .lines()
            .zip(1..)
            .map(|(text, number)| BodyLine { number, text, is_literal: text.contains("LITERAL") })
            .collect();
        let (introduction, clauses) = parse_clauses(&lines);
        let introduction = (!introduction.is_empty()).then(|| format!("0 {introduction:?}"));
        let clauses = clauses
            .iter()
            .map(|clause| format!("{} {} {:?}", clause.line, clause.keyword.as_str(), clause.text));
        let found: Vec<String> = introduction.into_iter().chain(clauses).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn every_way_to_write_a_keyword() {
        check("- **WHEN** a\n- **THEN** b", &[r#"1 WHEN "a""#, r#"2 THEN "b""#]);
        check("* __When:__ a\n+ *then* b", &[r#"1 WHEN "a""#, r#"2 THEN "b""#]);
        check("- WHEN a\n- then: b", &[r#"1 WHEN "a""#, r#"2 THEN "b""#]);
        check("1. Given a\n2) **And** b", &[r#"1 GIVEN "a""#, r#"2 AND "b""#]);
        check("**GIVEN** a\n**WHEN**, b", &[r#"1 GIVEN "a""#, r#"2 WHEN "b""#]);
        check("Given a\nWhen b\nBut c", &[r#"1 GIVEN "a""#, r#"2 WHEN "b""#, r#"3 BUT "c""#]);
        check("- **WHEN a is b**", &[r#"1 WHEN "**a is b**""#]);
        check("- **WHEN** a **THEN** b", &[r#"1 WHEN "a""#, r#"1 THEN "b""#]);
        check("- **WHEN**\n  a", &[r#"1 WHEN "a""#]);
    }

    #[test]
    fn words_are_no_keywords() {
        check("- Whenever a\n- **Andrew** b", &[r#"0 "- Whenever a\n- **Andrew** b""#]);
        check(
            "- **THEN** a:\n  - when in doubt\n  - Given names",
            &[r#"1 THEN "a:\n- when in doubt\n- Given names""#],
        );
        check("- **THEN** a\nWhen b wraps", &[r#"1 THEN "a\nWhen b wraps""#]);
        check("- **WHEN** a\n  LITERAL **THEN** b", &[r#"1 WHEN "a\nLITERAL **THEN** b""#]);
    }

    #[test]
    fn what_follows_a_clause_belongs_to_it() {
        check(
            "- **WHEN** a\n  wraps\n  - nested\n    - deeper\n- **THEN** b",
            &[r#"1 WHEN "a\nwraps\n- nested\n  - deeper""#, r#"5 THEN "b""#],
        );
        check("- **THEN** a:\n- one\n\n| t |\n|---|\n", &[r#"1 THEN "a:\n- one\n\n| t |\n|---|""#]);
        check(
            "- **WHEN** a\n  - **AND** b\n  - THEN c",
            &[r#"1 WHEN "a""#, r#"2 AND "b""#, r#"3 THEN "c""#],
        );
    }

    #[test]
    fn what_comes_first_is_the_introduction() {
        check("Some words.\n\n- **WHEN** a", &[r#"0 "Some words.""#, r#"3 WHEN "a""#]);
    }
}
