//! Text to tokens as BERT does it: clean, split at blanks and punctuation, then the longest known
//! pieces of each word. Names of special tokens within a text are text.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

use super::config::BertConfig;
use super::model_files::{ModelFiles, TOKENIZER, VOCABULARY};
use crate::EmbedError;

/// A WordPiece tokenizer.
pub struct Tokenizer {
    pieces: HashMap<String, u32>,
    special: SpecialTokens,
    case: CaseRule,
    max_tokens: usize,
}

/// The ids of the special tokens.
struct SpecialTokens {
    beginning: u32,
    end: u32,
    unknown: u32,
}

/// The treatment of case and accents.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CaseRule {
    Kept,
    /// Lower case, and without accents.
    Folded,
}

/// A longer word is not looked up.
const LONGEST_WORD: usize = 100;

impl Tokenizer {
    /// Reads the vocabulary and the settings.
    pub fn read(files: &ModelFiles, shape: &BertConfig) -> Result<Tokenizer, EmbedError> {
        let (name, pieces) = match (&files.vocabulary, &files.tokenizer) {
            (Some(text), _) => {
                let lines = text.lines().map(|line| line.trim_end().to_string());
                (VOCABULARY, lines.zip(0..).collect())
            }
            (None, Some(tokenizer)) => {
                let pieces = tokenizer["model"]["vocab"]
                    .as_object()
                    .ok_or_else(|| files.invalid_file_error(TOKENIZER, "has no vocabulary"))?;
                let numbered = pieces.iter().filter_map(|(piece, number)| {
                    let number = u32::try_from(number.as_u64()?).ok()?;
                    Some((piece.clone(), number))
                });
                (TOKENIZER, numbered.collect())
            }
            (None, None) => return Err(files.invalid_file_error(VOCABULARY, "is not there")),
        };
        let pieces: HashMap<String, u32> = pieces;
        let find_special = |piece: &str| {
            let found = pieces.get(piece).copied();
            found.ok_or_else(|| files.invalid_file_error(name, format!("has no {piece}")))
        };
        let special = SpecialTokens {
            beginning: find_special("[CLS]")?,
            end: find_special("[SEP]")?,
            unknown: find_special("[UNK]")?,
        };
        Ok(Tokenizer { special, case: read_case(files), max_tokens: shape.max_tokens, pieces })
    }

    /// Returns the token ids of a text, between a start and an end token, truncated to the longest
    /// input of the model.
    pub fn tokenize(&self, text: &str) -> Vec<u32> {
        let mut tokens = vec![self.special.beginning];
        for word in split_words(&self.clean_text(text)) {
            if tokens.len() >= self.max_tokens {
                break;
            }
            self.add_pieces(word, &mut tokens);
        }
        tokens.truncate(self.max_tokens - 1);
        tokens.push(self.special.end);
        tokens
    }

    /// Normalizes a text as the reference implementation does: drops control characters, separates
    /// Chinese characters, and lowers case and strips accents if the model is uncased.
    fn clean_text(&self, text: &str) -> String {
        let mut plain = String::with_capacity(text.len());
        for c in text.chars() {
            match c {
                '\0' | '\u{FFFD}' => {}
                c if c.is_whitespace() => plain.push(' '),
                c if is_other(c) => {}
                c if is_chinese(c) => plain.extend([' ', c, ' ']),
                c => plain.push(c),
            }
        }
        match self.case {
            CaseRule::Kept => plain,
            // Most of a program is plain: skip the tables for it.
            CaseRule::Folded if plain.is_ascii() => plain.to_ascii_lowercase(),
            CaseRule::Folded => plain
                .nfd()
                .filter(|c| c.general_category() != GeneralCategory::NonspacingMark)
                .flat_map(char::to_lowercase)
                .collect(),
        }
    }

    /// Greedy: the longest piece from the left, then the longest continuation. A word with a part
    /// that no piece covers is unknown as a whole.
    fn add_pieces(&self, word: &str, tokens: &mut Vec<u32>) {
        if word.chars().count() > LONGEST_WORD {
            tokens.push(self.special.unknown);
            return;
        }
        let first = tokens.len();
        let mut rest = word;
        let mut piece = String::new();
        while !rest.is_empty() {
            let mut ends: Vec<usize> =
                rest.char_indices().map(|(at, c)| at + c.len_utf8()).collect();
            ends.reverse();
            let found = ends.into_iter().find_map(|end| {
                piece.clear();
                if tokens.len() > first {
                    piece.push_str("##");
                }
                piece.push_str(&rest[..end]);
                Some((end, *self.pieces.get(&piece)?))
            });
            let Some((end, token)) = found else {
                tokens.truncate(first);
                tokens.push(self.special.unknown);
                return;
            };
            tokens.push(token);
            rest = &rest[end..];
        }
    }
}

/// Reads the case setting. The default is uncased, as MiniLM and BGE are.
fn read_case(files: &ModelFiles) -> CaseRule {
    let config = files.tokenizer_config.as_ref();
    let said = config.and_then(|config| config["do_lower_case"].as_bool());
    let tokenizer = files.tokenizer.as_ref();
    let normalizer = || tokenizer.and_then(|file| file["normalizer"]["lowercase"].as_bool());
    match said.or_else(normalizer) {
        Some(false) => CaseRule::Kept,
        Some(true) | None => CaseRule::Folded,
    }
}

/// Splits at white space; each punctuation mark is a word of its own.
fn split_words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().flat_map(|word| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let first = rest.chars().next()?;
            let end = if is_punctuation(first) {
                first.len_utf8()
            } else {
                rest.find(is_punctuation).unwrap_or(rest.len())
            };
            let (word, after) = rest.split_at(end);
            rest = after;
            Some(word)
        })
    })
}

/// True for punctuation. All ASCII characters that are neither letters, digits nor white space
/// count, `$` and `+` too.
fn is_punctuation(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_punctuation()
    } else {
        c.general_category_group() == GeneralCategoryGroup::Punctuation
    }
}

fn is_other(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_control()
    } else {
        c.general_category_group() == GeneralCategoryGroup::Other
    }
}

fn is_chinese(c: char) -> bool {
    matches!(u32::from(c),
        0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x20000..=0x2A6DF | 0x2A700..=0x2B73F
        | 0x2B740..=0x2B81F | 0x2B920..=0x2CEAF | 0xF900..=0xFAFF | 0x2F800..=0x2FA1F)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PIECES: [&str; 14] = [
        "[PAD]", "[UNK]", "[CLS]", "[SEP]", "load", "##er", "##s", "l", "(", ")", "_", "uber",
        "中", "E",
    ];

    fn tokenizer(case: CaseRule, max_tokens: usize) -> Tokenizer {
        Tokenizer {
            pieces: PIECES.iter().map(|p| p.to_string()).zip(0..).collect(),
            special: SpecialTokens { beginning: 2, end: 3, unknown: 1 },
            case,
            max_tokens,
        }
    }

    fn check(text: &str, expected: &str) {
        let tokens = tokenizer(CaseRule::Folded, 9).tokenize(text);
        let pieces: Vec<&str> = tokens.iter().map(|t| PIECES[*t as usize]).collect();
        assert_eq!(pieces.join(" "), expected, "{text:?}");
    }

    #[test]
    fn the_longest_pieces_from_the_left() {
        check("", "[CLS] [SEP]");
        check("loaders", "[CLS] load ##er ##s [SEP]");
        check("Load(l)", "[CLS] load ( l ) [SEP]");
        check("load_l", "[CLS] load _ l [SEP]");
        check("loads loadx", "[CLS] load ##s [UNK] [SEP]");
        check(&"l".repeat(101), "[CLS] [UNK] [SEP]");
    }

    #[test]
    fn text_is_cleaned() {
        check("Über\u{0}\u{200B}", "[CLS] uber [SEP]");
        check("l\tl\u{A0}l", "[CLS] l l l [SEP]");
        check("load中load", "[CLS] load 中 load [SEP]");
        check("[SEP]", "[CLS] [UNK] [UNK] [UNK] [SEP]");
    }

    #[test]
    fn case_is_kept_where_the_model_wants_it() {
        assert_eq!(tokenizer(CaseRule::Kept, 9).tokenize("E"), [2, 13, 3]);
        assert_eq!(tokenizer(CaseRule::Folded, 9).tokenize("E"), [2, 1, 3]);
    }

    #[test]
    fn what_does_not_fit_is_cut() {
        let tokens = tokenizer(CaseRule::Folded, 4).tokenize("load l load l");
        assert_eq!(tokens, [2, 4, 7, 3]);
        assert_eq!(tokenizer(CaseRule::Folded, 2).tokenize("load"), [2, 3]);
    }
}
