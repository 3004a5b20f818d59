//! Splits text into identifiers, and identifiers into their parts.

use crate::case_folding::push_folded;

/// Returns the longest runs of characters that an identifier may contain.
pub(crate) fn runs(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let is_word = |at: usize| match bytes[at] {
        byte if byte.is_ascii() => ASCII_WORDS[usize::from(byte)],
        _ => text[at..].chars().next().is_some_and(is_word_character),
    };
    let after = |at: usize| match bytes[at] {
        byte if byte.is_ascii() => at + 1,
        _ => at + text[at..].chars().next().map_or(1, char::len_utf8),
    };
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() && !is_word(at) {
            at = after(at);
        }
        let start = at;
        while at < bytes.len() && is_word(at) {
            at = after(at);
        }
        (start < at).then(|| &text[start..at])
    })
}

/// True for each ASCII character that an identifier may contain.
static ASCII_WORDS: [bool; 128] = {
    let mut words = [false; 128];
    let mut at = 0;
    while at < words.len() {
        words[at] = (at as u8).is_ascii_alphanumeric() || at as u8 == b'_';
        at += 1;
    }
    words
};

pub(super) fn is_word_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii() && c.is_alphanumeric()
}

/// Splits identifiers into parts. It is reused for its buffers.
#[derive(Default)]
pub(crate) struct Splitter {
    part: String,
    whole: String,
}

impl Splitter {
    /// Visits the parts in lower case, and returns their number. The visitor may change a part.
    pub(crate) fn parts(&mut self, identifier: &str, visit: &mut impl FnMut(&mut String)) -> usize {
        self.whole.clear();
        self.part.clear();
        let mut parts = 0;
        let mut characters = identifier.chars().peekable();
        let mut before = CharacterClass::Border;
        while let Some(c) = characters.next() {
            let kind = CharacterClass::from_character(c);
            let next = characters
                .peek()
                .map_or(CharacterClass::Border, |c| CharacterClass::from_character(*c));
            if kind.starts_part(before, next) {
                parts += usize::from(self.end_part(visit));
            }
            if kind != CharacterClass::Border {
                push_folded(&mut self.part, c);
                push_folded(&mut self.whole, c);
            }
            before = kind;
        }
        parts + usize::from(self.end_part(visit))
    }

    /// Returns the last identifier in lower case and without borders.
    pub(super) fn last_identifier(&mut self) -> &mut String {
        &mut self.whole
    }

    /// Visits the collected part, if there is one.
    fn end_part(&mut self, visit: &mut impl FnMut(&mut String)) -> bool {
        if self.part.is_empty() {
            return false;
        }
        visit(&mut self.part);
        self.part.clear();
        true
    }
}

/// Returns the only character of a part if its script does not separate words.
pub(crate) fn ideograph(part: &str) -> Option<char> {
    let first = part.chars().next()?;
    (CharacterClass::from_character(first) == CharacterClass::Ideograph).then_some(first)
}

/// The class of a character, for finding the borders between parts of an identifier.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CharacterClass {
    Border,
    Lower,
    Upper,
    Digit,
    /// A character of a script without word borders. Each one is a part of its own.
    Ideograph,
}

impl CharacterClass {
    fn from_character(c: char) -> CharacterClass {
        match c {
            '_' => CharacterClass::Border,
            '0'..='9' => CharacterClass::Digit,
            'a'..='z' => CharacterClass::Lower,
            'A'..='Z' => CharacterClass::Upper,
            '\u{2E80}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}' => {
                CharacterClass::Ideograph
            }
            c if c.is_uppercase() => CharacterClass::Upper,
            c if c.is_numeric() => CharacterClass::Digit,
            _ => CharacterClass::Lower,
        }
    }

    /// True if a part starts here: `aB`, the `S` of `HTTPServer`, and everything after a border.
    /// `utf8` and `2x` stay whole.
    fn starts_part(self, before: CharacterClass, next: CharacterClass) -> bool {
        match (before, self) {
            (CharacterClass::Border, _)
            | (_, CharacterClass::Border)
            | (_, CharacterClass::Ideograph) => true,
            (CharacterClass::Ideograph, _) => true,
            (CharacterClass::Lower | CharacterClass::Digit, CharacterClass::Upper) => true,
            (CharacterClass::Upper, CharacterClass::Upper) => next == CharacterClass::Lower,
            _ => false,
        }
    }
}
