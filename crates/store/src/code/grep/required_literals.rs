//! The literals that a text must contain to match a pattern, as a tree of "all of" and "one of".
//!
//! They may require less than the pattern, never more: a file that they exclude cannot match. The
//! word index finds the files that satisfy them.

use regex_syntax::hir::{Class, Hir, HirKind};
use rusqlite::Connection;

use super::super::bitmap::Bitmap;
use super::super::error::StoreResult;
use super::super::segments::Segment;
use super::super::word_index::{Lexicons, needles};

/// A necessary condition on a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequiredLiterals {
    /// Nothing that could be looked up.
    Nothing,
    Literal(String),
    All(Vec<RequiredLiterals>),
    One(Vec<RequiredLiterals>),
}

impl RequiredLiterals {
    /// Derives the condition from a parsed regular expression.
    pub fn from_expression(hir: &Hir) -> RequiredLiterals {
        let mut walk = LiteralCollector::default();
        walk.visit(hir);
        walk.finish()
    }

    /// Returns the files of a segment that may match, by their first chunks; `None` if all may.
    pub fn candidate_files(
        &self,
        connection: &Connection,
        lexicons: &Lexicons,
        segment: &Segment,
    ) -> StoreResult<Option<Bitmap>> {
        match self {
            RequiredLiterals::Nothing => Ok(None),
            RequiredLiterals::Literal(literal) => {
                let mut common = None;
                for needle in needles(literal) {
                    let files = lexicons.files_with(connection, segment, &needle)?;
                    common = intersection(common, Some(files));
                }
                Ok(common)
            }
            RequiredLiterals::All(parts) => {
                let mut common = None;
                for part in parts {
                    common =
                        intersection(common, part.candidate_files(connection, lexicons, segment)?);
                }
                Ok(common)
            }
            RequiredLiterals::One(parts) => {
                let mut any = Bitmap::default();
                for part in parts {
                    match part.candidate_files(connection, lexicons, segment)? {
                        Some(files) => any.unite(&files),
                        None => return Ok(None),
                    }
                }
                Ok(Some(any))
            }
        }
    }
}

/// Intersects two sets, in which `None` is the set of everything.
fn intersection(one: Option<Bitmap>, other: Option<Bitmap>) -> Option<Bitmap> {
    match (one, other) {
        (Some(mut one), Some(other)) => {
            one.intersect(&other);
            Some(one)
        }
        (one, other) => one.or(other),
    }
}

/// Walks an expression from left to right and joins adjacent literals. A sequence becomes one
/// condition over all its parts.
#[derive(Default)]
struct LiteralCollector {
    current: Vec<u8>,
    parts: Vec<RequiredLiterals>,
}

impl LiteralCollector {
    fn visit(&mut self, hir: &Hir) {
        match hir.kind() {
            // An element without width does not separate the literals around it.
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => self.current.extend_from_slice(&literal.0),
            HirKind::Capture(capture) => self.visit(&capture.sub),
            HirKind::Concat(parts) => parts.iter().for_each(|part| self.visit(part)),
            HirKind::Class(class) => match single_letter(class) {
                Some(letter) => self.current.push(letter),
                None => self.flush(),
            },
            HirKind::Repetition(repetition) => {
                self.flush();
                if repetition.min > 0 {
                    self.parts.push(RequiredLiterals::from_expression(&repetition.sub));
                }
            }
            HirKind::Alternation(parts) => {
                self.flush();
                let parts = parts.iter().map(RequiredLiterals::from_expression).collect();
                self.parts.push(RequiredLiterals::One(parts));
            }
        }
    }

    /// Ends the current literal.
    fn flush(&mut self) {
        let literal = std::mem::take(&mut self.current);
        // Bytes that are no text cannot be looked up.
        if let Ok(literal) = String::from_utf8(literal)
            && !literal.is_empty()
        {
            self.parts.push(RequiredLiterals::Literal(literal));
        }
    }

    fn finish(mut self) -> RequiredLiterals {
        self.flush();
        match self.parts.len() {
            0 => RequiredLiterals::Nothing,
            1 => self.parts.remove(0),
            _ => RequiredLiterals::All(self.parts),
        }
    }
}

/// Returns the ASCII letter that a class stands for if it has nothing but its case variants, as
/// `(?i)` makes them. The Kelvin sign and the long s are case variants of `k` and `s`.
fn single_letter(class: &Class) -> Option<u8> {
    const FEW: usize = 4;
    let Class::Unicode(class) = class else {
        return None;
    };
    let mut only = None;
    let mut count = 0;
    for range in class.ranges() {
        for letter in range.start()..=range.end() {
            count += 1;
            let folded = match letter {
                '\u{212a}' => b'k',
                '\u{17f}' => b's',
                letter if letter.is_ascii() => letter.to_ascii_lowercase() as u8,
                _ => return None,
            };
            if count > FEW || only.is_some_and(|only| only != folded) {
                return None;
            }
            only = Some(folded);
        }
    }
    only
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(needs: &RequiredLiterals) -> String {
        let joined = |parts: &[RequiredLiterals], sign: &str| {
            let parts: Vec<String> = parts.iter().map(shown).collect();
            format!("({})", parts.join(sign))
        };
        match needs {
            RequiredLiterals::Nothing => "*".to_string(),
            RequiredLiterals::Literal(literal) => format!("{literal:?}"),
            RequiredLiterals::All(parts) => joined(parts, " & "),
            RequiredLiterals::One(parts) => joined(parts, " | "),
        }
    }

    #[test]
    fn expressions_need_literals() {
        for (expression, expected) in [
            ("foo", "\"foo\""),
            (r"fn\s+new\(", "(\"fn\" & * & \"new(\")"),
            (r"\bfoo\b(bar)+", "(\"foo\" & \"bar\")"),
            ("(foo)bar", "\"foobar\""),
            ("foo|bar.*baz", "(\"foo\" | (\"bar\" & \"baz\"))"),
            ("(?i)task", "\"task\""),
            ("[ab]c?", "*"),
            (".*", "*"),
            ("foo{0,3}", "\"fo\""),
        ] {
            let hir = regex_syntax::parse(expression).unwrap();
            assert_eq!(shown(&RequiredLiterals::from_expression(&hir)), expected, "{expression}");
        }
    }
}
