//! Evaluates MSBuild conditions, as far as the repository's own files decide them. A condition on
//! the framework, the configuration or the machine is neither true nor false here.
//!
//! The logic has three values. The grammar is MSBuild's: `or` binds weaker than `and`, `!` negates,
//! and comparisons ignore case. Anything else gives `Unknown`, never an error.

use super::super::interpolate::{PlaceholderSyntax, split_at_placeholder};

/// The value of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    True,
    False,
    /// It depends on something outside of the repository, or could not be parsed.
    Unknown,
}

/// The deepest nesting of parentheses and negations that is evaluated; the parser recurses.
const MAX_DEPTH: usize = 16;

/// Evaluates a condition. `fill` returns a text with its placeholders filled, or `None` if one is
/// unknown. An empty condition is true, as for MSBuild.
pub fn evaluate_condition(condition: &str, fill: &dyn Fn(&str) -> Option<String>) -> Verdict {
    let tokens = tokenize(condition);
    if tokens.is_empty() {
        return Verdict::True;
    }
    let mut decision = ConditionParser { tokens: &tokens, fill, depth: 0 };
    let verdict = decision.parse_or();
    // Tokens that are left over mean that the condition was not understood.
    match decision.tokens {
        [] => verdict,
        _ => Verdict::Unknown,
    }
}

/// A token of a condition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ConditionToken<'t> {
    /// A quoted text, a property or a word.
    Value(&'t str),
    /// An operator or a parenthesis.
    Sign(&'t str),
}

/// Splits a condition into tokens. Every text has tokens: an unclosed quote reaches to the end.
fn tokenize(mut text: &str) -> Vec<ConditionToken<'_>> {
    let mut tokens = Vec::new();
    while let Some(first) = text.trim_start().chars().next() {
        text = text.trim_start();
        let length = match first {
            '\'' => match text[1..].find('\'') {
                Some(end) => end + 2,
                None => text.len(),
            },
            // `$(…)` may contain parentheses and quotes of its own.
            '$' => match split_at_placeholder(text, PlaceholderSyntax::Parentheses) {
                Some(("", name, _)) => name.len() + 3,
                _ => text.len(),
            },
            '=' | '!' | '<' | '>' if text[1..].starts_with('=') => 2,
            '(' | ')' | '!' | '<' | '>' => 1,
            _ => {
                let end = text.find(|letter: char| " \t\r\n()=!<>'$".contains(letter));
                end.unwrap_or(text.len()).max(first.len_utf8())
            }
        };
        let (token, rest) = text.split_at(length);
        tokens.push(match first {
            '=' | '!' | '<' | '>' | '(' | ')' => ConditionToken::Sign(token),
            '\'' => ConditionToken::Value(token.trim_matches('\'')),
            _ => ConditionToken::Value(token),
        });
        text = rest;
    }
    tokens
}

/// A recursive-descent parser that evaluates as it reads.
struct ConditionParser<'t> {
    /// The tokens that are still to be read.
    tokens: &'t [ConditionToken<'t>],
    fill: &'t dyn Fn(&str) -> Option<String>,
    depth: usize,
}

impl<'t> ConditionParser<'t> {
    /// `a or b or …`. True if any operand is true, even if others are unknown.
    fn parse_or(&mut self) -> Verdict {
        let mut verdict = self.parse_and();
        while self.take_word("or") {
            verdict = match (verdict, self.parse_and()) {
                (Verdict::True, _) | (_, Verdict::True) => Verdict::True,
                (Verdict::False, other) => other,
                (Verdict::Unknown, _) => Verdict::Unknown,
            };
        }
        verdict
    }

    /// `a and b and …`. False if any operand is false, even if others are unknown.
    fn parse_and(&mut self) -> Verdict {
        let mut verdict = self.parse_term();
        while self.take_word("and") {
            verdict = match (verdict, self.parse_term()) {
                (Verdict::False, _) | (_, Verdict::False) => Verdict::False,
                (Verdict::True, other) => other,
                (Verdict::Unknown, _) => Verdict::Unknown,
            };
        }
        verdict
    }

    /// A negation, a parenthesised condition, or a comparison.
    fn parse_term(&mut self) -> Verdict {
        self.depth += 1;
        let verdict = match self.take_token() {
            _ if self.depth > MAX_DEPTH => Verdict::Unknown,
            Some(ConditionToken::Sign("!")) => self.parse_term().negate(),
            Some(ConditionToken::Sign("(")) => {
                let verdict = self.parse_or();
                match self.take_token() {
                    Some(ConditionToken::Sign(")")) => verdict,
                    _ => Verdict::Unknown,
                }
            }
            Some(ConditionToken::Value(left)) => self.parse_comparison(left),
            _ => Verdict::Unknown,
        };
        self.depth -= 1;
        verdict
    }

    /// A comparison whose left operand was read, or a single value that is `true` or `false`. Only
    /// `==` and `!=` are decided; orderings need MSBuild's version arithmetic.
    fn parse_comparison(&mut self, left: &str) -> Verdict {
        let sign = match self.tokens.first() {
            Some(ConditionToken::Sign(sign)) if *sign != ")" && *sign != "(" => *sign,
            Some(ConditionToken::Sign("(")) => return self.skip_call(),
            _ => {
                let value = (self.fill)(left).unwrap_or_default().to_lowercase();
                return match value.as_str() {
                    "true" => Verdict::True,
                    "false" => Verdict::False,
                    _ => Verdict::Unknown,
                };
            }
        };
        self.take_token();
        let Some(ConditionToken::Value(right)) = self.take_token() else {
            return Verdict::Unknown;
        };
        let (Some(left), Some(right)) = ((self.fill)(left), (self.fill)(right)) else {
            return Verdict::Unknown;
        };
        let equal = match left.eq_ignore_ascii_case(&right) {
            true => Verdict::True,
            // MSBuild compares numbers by value, and `1.0` equals `1`. Different texts prove
            // nothing then.
            false if is_number(&left) && is_number(&right) => Verdict::Unknown,
            false => Verdict::False,
        };
        match sign {
            "==" => equal,
            "!=" => equal.negate(),
            _ => Verdict::Unknown,
        }
    }

    /// Skips the arguments of a function, such as `Exists('file')`. Its value is unknown, because
    /// the disk is not read here.
    fn skip_call(&mut self) -> Verdict {
        let end = self.tokens.iter().position(|token| *token == ConditionToken::Sign(")"));
        self.tokens = &self.tokens[end.map_or(self.tokens.len(), |end| end + 1)..];
        Verdict::Unknown
    }

    /// Takes the next token.
    fn take_token(&mut self) -> Option<ConditionToken<'t>> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(*first)
    }

    /// Takes the next token if it is this word, in any case.
    fn take_word(&mut self, word: &str) -> bool {
        match self.tokens.first() {
            Some(ConditionToken::Value(value)) if value.eq_ignore_ascii_case(word) => {
                self.take_token();
                true
            }
            _ => false,
        }
    }
}

impl Verdict {
    fn negate(self) -> Verdict {
        match self {
            Verdict::True => Verdict::False,
            Verdict::False => Verdict::True,
            Verdict::Unknown => Verdict::Unknown,
        }
    }
}

/// True for digits and dots.
fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_ascii_digit() || letter == '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `$(a)` is `1`, `$(t)` is `true`, `$(e)` is empty, all else is unknown.
    fn check(condition: &str, expected: Verdict) {
        let fill = |text: &str| {
            let text = text.replace("$(a)", "1").replace("$(t)", "True");
            Some(text.replace("$(e)", "")).filter(|text| !text.contains('$'))
        };
        assert_eq!(evaluate_condition(condition, &fill), expected, "{condition}");
    }

    #[test]
    fn decides_what_it_can() {
        use Verdict::{False, True, Unknown};
        for (condition, expected) in [
            ("", True),
            ("'$(a)' == '1'", True),
            ("'$(a)'=='2'", Unknown),
            ("'$(a)'=='two'", False),
            ("'$(a)' != ''", True),
            ("'$(e)' == ''", True),
            ("'$(x)' == ''", Unknown),
            ("$(t)", True),
            ("!$(t)", False),
            ("$(t) == true", True),
            ("'$(a)' > '0'", Unknown),
            ("'$(e)' == 'x' and '$(x)' == ''", False),
            ("'$(x)' == '' AND '$(e)' == 'x'", False),
            ("'$(x)' == '' or '$(a)' == '1'", True),
            ("'$(x)' == '' or '$(e)' == 'x'", Unknown),
            ("('$(e)' == 'x' or '$(e)' == 'y') and '$(t)' == 'true'", False),
            ("!('$(e)' == 'x')", True),
            ("Exists('$(a)') and '$(e)' == 'x'", False),
            ("Exists('$(a)')", Unknown),
            ("$(x.StartsWith('y'))", Unknown),
            ("$([A]::B('$(a)', 'c')) == 'x'", Unknown),
            ("'unclosed", Unknown),
            ("== ==", Unknown),
            (")", Unknown),
            ("'ä' == 'ä' é", Unknown),
        ] {
            check(condition, expected);
        }
    }

    #[test]
    fn deep_and_long_conditions_end() {
        check(&"(".repeat(100_000), Verdict::Unknown);
        check(&"!".repeat(100_000), Verdict::Unknown);
        check(&"'".repeat(100_000), Verdict::Unknown);
        check(&"$(".repeat(100_000), Verdict::Unknown);
    }
}
