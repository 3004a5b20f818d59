//! XML as package manifests use it: elements are found by local name, and values are trimmed. It is
//! not a validator: namespaces, DTDs and entities are ignored.
//!
//! `roxmltree` keeps its own stack, so deep nesting is harmless. But it compares each attribute of
//! an element with all others, and copies namespaces from parent to child. Both are counted first.

use std::borrow::Cow;

use roxmltree::{Document, Error, Node};

use super::ParsedManifest;
use kenning_model::{Problem, RepoPath};

/// Limits far above any manifest, within which the parser is linear.
const MAX_TAGS: usize = 1_000_000;
const MAX_ATTRIBUTES: usize = 256;
const MAX_NAMESPACES: usize = 64;

/// Parses `text` and calls `facts` with its root element, which must have the local name `root`.
pub fn read_xml<F>(
    path: &RepoPath,
    text: &str,
    root: &str,
    facts: impl FnOnce(Node) -> ParsedManifest<F>,
) -> ParsedManifest<F> {
    if let Some(excess) = find_excess(text) {
        return ParsedManifest::from_problem(Problem::new(path, excess));
    }
    let plain;
    let document = match Document::parse(text) {
        // The tools themselves skip a DTD, and Maven knows more entities than XML does. Both are
        // removed for a second attempt.
        Err(Error::DtdDetected | Error::UnknownEntityReference(..)) => {
            plain = escape_entities(&strip_dtd(text));
            Document::parse(&plain)
        }
        outcome => outcome,
    };
    match document {
        Ok(document) if document.root_element().tag_name().name() == root => {
            facts(document.root_element())
        }
        Ok(document) => {
            let found = document.root_element().tag_name().name();
            let message = format!("the root element is <{found}>, not <{root}>");
            ParsedManifest::from_problem(Problem::new(path, message))
        }
        Err(error) => ParsedManifest::from_problem(
            Problem::new(path, error.to_string()).at_line(error.pos().row),
        ),
    }
}

/// The child elements of that local name.
pub fn children<'a, 'input>(
    node: Node<'a, 'input>,
    name: &str,
) -> impl Iterator<Item = Node<'a, 'input>> {
    node.children().filter(move |child| child.is_element() && child.tag_name().name() == name)
}

/// The first child element of that local name.
pub fn child<'a, 'input>(node: Node<'a, 'input>, name: &str) -> Option<Node<'a, 'input>> {
    children(node, name).next()
}

/// The trimmed text of an element. Comments inside it are skipped.
pub fn text(node: Node) -> String {
    let mut pieces =
        node.children().filter_map(|child| if child.is_text() { child.text() } else { None });
    let first = pieces.next().unwrap_or_default();
    let whole = pieces.fold(Cow::Borrowed(first), |whole, piece| whole + piece);
    whole.trim().to_string()
}

/// The trimmed text of the first child element of that name; `None` if it is missing or empty.
pub fn child_text(node: Node, name: &str) -> Option<String> {
    child(node, name).map(text).filter(|value| !value.is_empty())
}

/// Joins prose to one line, because manifests indent and wrap their descriptions. `None` if it is
/// blank.
pub fn join_lines(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// Returns a message about the first limit that a text exceeds, if any.
fn find_excess(text: &str) -> Option<String> {
    let tags = text.matches('<').count();
    if tags > MAX_TAGS {
        return Some(format!("more than {MAX_TAGS} tags"));
    }
    if text.matches("xmlns").take(MAX_NAMESPACES + 1).count() > MAX_NAMESPACES {
        return Some(format!("more than {MAX_NAMESPACES} namespaces"));
    }
    let mut tags = text.split('<').skip(1);
    let crowded = tags.any(|tag| count_attributes(tag) > MAX_ATTRIBUTES);
    crowded.then(|| format!("more than {MAX_ATTRIBUTES} attributes on one element"))
}

/// Counts the quoted values up to the end of the tag that `tag` starts.
fn count_attributes(tag: &str) -> usize {
    let mut quote = None;
    let mut count = 0;
    for byte in tag.bytes() {
        match (quote, byte) {
            (None, b'>') => break,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => {
                quote = None;
                count += 1;
            }
            _ => {}
        }
    }
    count
}

/// Removes the `<!DOCTYPE …>` and keeps its line breaks, so that line numbers stay.
fn strip_dtd(text: &str) -> Cow<'_, str> {
    let Some(start) = text.find("<!DOCTYPE") else {
        return Cow::Borrowed(text);
    };
    let mut depth = 0_usize;
    let end = text[start..]
        .find(|letter| {
            match letter {
                '<' => depth += 1,
                '>' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        })
        .map_or(text.len(), |length| start + length + 1);
    let lines = text[start..end].matches('\n').count();
    Cow::Owned([&text[..start], &"\n".repeat(lines), &text[end..]].concat())
}

/// Escapes every reference to an entity that XML itself does not define, so that it reads as plain
/// text.
fn escape_entities(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + text.len() / 8);
    let mut pieces = text.split('&');
    escaped.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let known = ["amp;", "lt;", "gt;", "quot;", "apos;", "#"]
            .iter()
            .any(|entity| piece.starts_with(entity));
        escaped.push_str(if known { "&" } else { "&amp;" });
        escaped.push_str(piece);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(xml: &str, expected: Expect) {
        let path = RepoPath::new("a.xml").expect("inside");
        let parsed = read_xml(&path, xml, "a", |root| ParsedManifest::from_facts(text(root)));
        let problems = parsed.problems.iter().map(Problem::to_string);
        expected.assert_eq(&parsed.facts.into_iter().chain(problems).collect::<String>());
    }

    #[test]
    fn text_is_whole_and_trimmed() {
        check("<a> one<!-- two --> <![CDATA[<three>]]>&amp;4 </a>", expect!["one <three>&4"]);
        check("<x:a xmlns:x='u'/>", expect![""]);
    }

    #[test]
    fn a_dtd_and_unknown_entities_are_skipped() {
        let dtd = "<!DOCTYPE a [ <!ENTITY b '<c>'> ]>\n";
        check(&format!("{dtd}<a>&b;&eacute;&#65;&lt;</a>"), expect!["&b;&eacute;A<"]);
        check(&format!("{dtd}<a></b>"), expect!["a.xml:2: expected 'a' tag, not 'b' at 2:4"]);
        check("<!DOCTYPE a [", expect!["a.xml:1: the document does not have a root node"]);
    }

    #[test]
    fn what_is_not_a_manifest_says_so() {
        check("<b/>", expect!["a.xml: the root element is <b>, not <a>"]);
        check("", expect!["a.xml:1: the document does not have a root node"]);
        check("<a>\n<b>", expect!["a.xml:1: the root node was opened but never closed"]);
    }

    #[test]
    fn crowds_are_refused_before_they_cost_quadratic_time() {
        let attributes: String = (0..100_000).map(|n| format!(" a{n}='>'")).collect();
        check(
            &format!("<a{attributes}/>"),
            expect!["a.xml: more than 256 attributes on one element"],
        );
        let namespaces: String = (0..100_000).map(|n| format!("<a xmlns:n{n}='{n}'>")).collect();
        check(&namespaces, expect!["a.xml: more than 64 namespaces"]);
        check(&"<".repeat(2_000_000), expect!["a.xml: more than 1000000 tags"]);
        check(&["<a>".repeat(100_000), "</a>".repeat(100_000)].concat(), expect![""]);
    }
}
