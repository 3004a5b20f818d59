//! Splits text into words: identifiers are cut at case, underscores and digits, and folded to lower
//! case. It knows no vocabulary. `training/words.py` does the same; the two must not differ.

/// The most bytes of a word that are read. Nobody searches for a kilobyte of base64.
pub const LONGEST_WORD: usize = 64;

/// Calls `take` with every word in lower case.
pub fn for_each_word(text: &[u8], mut take: impl FnMut(&[u8])) {
    let mut folded = [0; LONGEST_WORD];
    let mut at = 0;
    while at < text.len() {
        let end = match CLASSES[text[at] as usize] {
            Class::Other => {
                at += 1;
                continue;
            }
            Class::Upper => end_of_capitalised(text, at),
            class => end_of_run(text, at, class),
        };
        let word = &text[at..end.min(at + LONGEST_WORD)];
        for (folded, byte) in folded.iter_mut().zip(word) {
            *folded = byte.to_ascii_lowercase();
        }
        take(&folded[..word.len()]);
        at = end;
    }
}

/// Returns the longest runs of a text without a separator. No word crosses their ends.
pub fn split_runs(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_other = |byte: &u8| CLASSES[*byte as usize] == Class::Other;
    text.split(is_other).filter(|run| !run.is_empty())
}

/// The class of a byte.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Other,
    Upper,
    Lower,
    Digit,
}

static CLASSES: [Class; 256] = classes();

/// Classifies all bytes. Bytes from 0x80 on belong to letters without folding, and count as lower
/// case.
const fn classes() -> [Class; 256] {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'A'..=b'Z' => Class::Upper,
            b'a'..=b'z' | 0x80.. => Class::Lower,
            b'0'..=b'9' => Class::Digit,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
}

/// Returns the class of a byte; the end of the text counts as `Other`.
fn class_at(text: &[u8], at: usize) -> Class {
    text.get(at).map_or(Class::Other, |byte| CLASSES[*byte as usize])
}

/// Returns the end of a run of bytes of one class.
fn end_of_run(text: &[u8], start: usize, class: Class) -> usize {
    let mut end = start + 1;
    while class_at(text, end) == class {
        end += 1;
    }
    end
}

/// Finds the end of a word that begins with a capital. `HTTPServer` is `HTTP` and `Server`: the
/// last of several capitals belongs to the next word.
fn end_of_capitalised(text: &[u8], start: usize) -> usize {
    let capitals_end = end_of_run(text, start, Class::Upper);
    if class_at(text, capitals_end) != Class::Lower {
        return capitals_end;
    }
    if capitals_end - start > 1 {
        return capitals_end - 1;
    }
    end_of_run(text, capitals_end, Class::Lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, wanted: &str) {
        let mut words = Vec::new();
        for_each_word(text.as_bytes(), |word| {
            words.push(String::from_utf8_lossy(word).into_owned());
        });
        assert_eq!(words.join(" "), wanted);
    }

    #[test]
    fn identifiers() {
        check("parseHTTPHeader2", "parse http header 2");
        check("snake_case SCREAMING_CASE", "snake case screaming case");
        check("UTF8String utf8", "utf 8 string utf 8");
        check("A aB XMLs", "a a b xm ls");
    }

    #[test]
    fn prose_and_symbols() {
        check("Don't panic: x->y += 0x1F;", "don t panic x y 0 x 1 f");
        check("größe Ünder", "größe Ünder");
        check("", "");
    }

    #[test]
    fn words_of_the_runs_are_the_words() {
        let text = "Don't parseHTTPHeader2(größe_Ünder, 0x1F);";
        let mut of_runs = Vec::new();
        for run in split_runs(text.as_bytes()) {
            for_each_word(run, |word| of_runs.push(word.to_vec()));
        }
        let mut all = Vec::new();
        for_each_word(text.as_bytes(), |word| all.push(word.to_vec()));
        assert_eq!(of_runs, all);
    }

    #[test]
    fn a_long_word_is_read_in_part() {
        check(&"x".repeat(100), &"x".repeat(LONGEST_WORD));
    }
}
