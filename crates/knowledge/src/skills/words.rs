//! A text as the words that two texts can share: split where people and programs split, in small
//! letters, without endings. Languages without spaces are taken in pairs of characters.

/// The terms of a text, in order.
pub fn terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    let mut word = String::new();
    let mut before: Option<char> = None;
    let mut ideograph: Option<char> = None;
    for c in text.chars() {
        if is_ideograph(c) {
            finish(&mut word, &mut terms);
            if let Some(before) = ideograph {
                terms.push([before, c].iter().collect());
            } else {
                terms.push(c.to_string());
            }
            ideograph = Some(c);
        } else {
            ideograph = None;
            // `parseJson` is two words.
            let is_hump = c.is_uppercase() && before.is_some_and(char::is_lowercase);
            if is_hump || !c.is_alphanumeric() {
                finish(&mut word, &mut terms);
            }
            if c.is_alphanumeric() {
                word.extend(c.to_lowercase());
            }
        }
        before = Some(c);
    }
    finish(&mut word, &mut terms);
    terms
}

fn finish(word: &mut String, terms: &mut Vec<String>) {
    let word = std::mem::take(word);
    if !word.is_empty() && !is_common(&word) {
        terms.push(stem(&word));
    }
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// Words that say nothing of what a text is about.
const COMMON: [&str; 56] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "can", "do", "does", "for", "from",
    "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "just", "me", "my", "need",
    "no", "not", "of", "on", "or", "our", "so", "that", "the", "them", "then", "there", "these",
    "this", "to", "us", "use", "want", "was", "we", "what", "when", "which", "will", "with", "you",
    "your", "please",
];

fn is_common(word: &str) -> bool {
    COMMON.contains(&word)
}

/// Endings of English words, the longest first, with what takes their place. Coarse on purpose:
/// both sides are treated alike.
const ENDINGS: [(&str, &str); 14] = [
    ("izations", "iz"),
    ("ization", "iz"),
    ("ations", "at"),
    ("ation", "at"),
    ("ments", ""),
    ("ment", ""),
    ("ings", ""),
    ("ing", ""),
    ("ies", "y"),
    ("ers", ""),
    ("er", ""),
    ("ed", ""),
    ("es", ""),
    ("s", ""),
];

fn stem(word: &str) -> String {
    if !word.is_ascii() || word.len() < 4 {
        return word.to_string();
    }
    for (ending, instead) in ENDINGS {
        let Some(root) = word.strip_suffix(ending) else {
            continue;
        };
        let is_plural_s = ending == "s" && (root.ends_with('s') || root.ends_with('u'));
        if root.len() >= 3 && !is_plural_s {
            return undouble(&format!("{root}{instead}"));
        }
    }
    undouble(word)
}

/// `debugging` is `debug`, `create` is `creat` like `creating`.
fn undouble(word: &str) -> String {
    let bytes = word.as_bytes();
    let twins = bytes.len() > 3 && bytes[bytes.len() - 1] == bytes[bytes.len() - 2];
    let shorter = twins || word.len() > 3 && word.ends_with('e');
    word[..word.len() - usize::from(shorter)].to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(terms(text), expected, "{text}");
    }

    #[test]
    fn words_without_endings() {
        check("Debugging the tests", &["debug", "test"]);
        check("create creating created creates", &["creat"; 4]);
        check("parseJson snake_case kebab-case", &["pars", "json", "snak", "cas", "kebab", "cas"]);
        check("status bus class", &["status", "bus", "clas"]);
        check("queries query", &["query", "query"]);
        check("C# .NET 8", &["c", "net", "8"]);
    }

    #[test]
    fn other_languages() {
        check("проверь файл", &["проверь", "файл"]);
        check("用户技能", &["用", "用户", "户技", "技能"]);
        check("pdf文件", &["pdf", "文", "文件"]);
    }
}
