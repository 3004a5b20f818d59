//! Search by words: BM25 over a few hundred short documents, in memory. The score is absolute, not
//! relative to the best document: the share of what the question says that a document answers.

use std::collections::HashMap;

use kenning_text::bm25::idf;

/// How soon more of the same word stops to matter, and how much length does.
const SATURATION: f32 = 0.6;
const LENGTH: f32 = 0.6;

pub struct Words {
    postings: HashMap<String, Vec<(usize, f32)>>,
    lengths: Vec<f32>,
    average: f32,
}

/// A part of a document, and how much a word in it counts.
pub struct Field<'a> {
    pub text: &'a str,
    pub weight: f32,
}

impl Words {
    pub fn new<'a>(documents: impl Iterator<Item = Vec<Field<'a>>>) -> Words {
        let mut postings: HashMap<String, Vec<(usize, f32)>> = HashMap::new();
        let mut lengths = Vec::new();
        for (document, fields) in documents.enumerate() {
            let mut counts: HashMap<String, f32> = HashMap::new();
            for field in &fields {
                for term in terms(field.text) {
                    *counts.entry(term).or_default() += field.weight;
                }
            }
            lengths.push(counts.values().sum());
            for (term, count) in counts {
                postings.entry(term).or_default().push((document, count));
            }
        }
        let average = lengths.iter().sum::<f32>() / lengths.len().max(1) as f32;
        Words { postings, lengths, average: average.max(1.0) }
    }

    /// A score from 0 to 1 for each document. A word that no document has counts as much as the
    /// rarest one, so that a question of foreign words scores low wherever one of them matches.
    pub fn scores(&self, question: &str) -> Vec<f32> {
        let mut scores = vec![0.0; self.lengths.len()];
        let mut possible = 0.0;
        for term in telling(question) {
            let documents = self.postings.get(&term).map_or(&[][..], Vec::as_slice);
            let rarity = self.rarity(documents.len());
            possible += rarity;
            for (document, count) in documents {
                let length = self.lengths[*document] / self.average;
                let damping = SATURATION * (1.0 - LENGTH + LENGTH * length);
                scores[*document] += rarity * count / (count + damping);
            }
        }
        if possible > 0.0 {
            // The root, because half of a question's words are worth more than half of them all:
            // nobody who asks in words of their own hits every one.
            let share = |score: &mut f32| *score = (*score / possible).sqrt();
            scores.iter_mut().for_each(share);
        }
        scores
    }

    fn rarity(&self, documents: usize) -> f32 {
        idf(self.lengths.len() as u32, documents as u32)
    }
}

/// The words of a question that say what it is about, each once. A question of nothing but `the`
/// and `how` is about nothing.
pub fn telling(question: &str) -> Vec<String> {
    let mut asked: Vec<String> = terms(question);
    asked.retain(|term| !is_stop(term));
    asked.sort_unstable();
    asked.dedup();
    asked
}

/// The words of a text as they are compared: lower case, `camelCase` and `snake_case` taken apart,
/// without their endings. Scripts that do not separate words give pairs of characters.
pub fn terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    for piece in text.split(|c: char| !c.is_alphanumeric()) {
        let mut word = String::new();
        let mut run: Vec<char> = Vec::new();
        let mut before = ' ';
        for character in piece.chars() {
            if is_unseparated(character) {
                flush(&mut word, &mut terms);
                run.push(character);
                before = character;
                continue;
            }
            flush_run(&mut run, &mut terms);
            let is_hump = character.is_uppercase() && before.is_lowercase();
            if is_hump {
                flush(&mut word, &mut terms);
            }
            word.extend(character.to_lowercase());
            before = character;
        }
        flush(&mut word, &mut terms);
        flush_run(&mut run, &mut terms);
    }
    terms
}

fn flush(word: &mut String, terms: &mut Vec<String>) {
    if !word.is_empty() {
        terms.push(stem(word));
        word.clear();
    }
}

fn flush_run(run: &mut Vec<char>, terms: &mut Vec<String>) {
    match run.len() {
        0 => {}
        1 => terms.push(run[0].to_string()),
        _ => terms.extend(run.windows(2).map(|pair| pair.iter().collect::<String>())),
    }
    run.clear();
}

fn is_unseparated(character: char) -> bool {
    matches!(character, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}')
}

/// Takes away the commonest English endings, so that `updates`, `updated` and `updating` are one
/// word. Wrong stems do no harm as long as question and document have the same.
fn stem(word: &str) -> String {
    if !word.is_ascii() || word.len() < 4 {
        return word.to_string();
    }
    let mut stem = word.to_string();
    if let Some(rest) = stem.strip_suffix("ies").filter(|rest| rest.len() > 1) {
        stem = format!("{rest}y");
    } else if !["ss", "us", "is"].iter().any(|end| stem.ends_with(end)) && stem.ends_with('s') {
        stem.pop();
    }
    for ending in ["ing", "ed"] {
        let rest = stem.strip_suffix(ending);
        let has_vowel =
            |rest: &&str| rest.len() > 2 && rest.contains(['a', 'e', 'i', 'o', 'u', 'y']);
        if let Some(rest) = rest.filter(has_vowel) {
            stem = undoubled(rest).to_string();
            break;
        }
    }
    match stem.strip_suffix('e') {
        Some(rest) if rest.len() > 2 => rest.to_string(),
        _ => stem,
    }
}

/// `stopp` to `stop`, but `add` and `call` stay.
fn undoubled(stem: &str) -> &str {
    let bytes = stem.as_bytes();
    match bytes {
        [.., a, b] if a == b && bytes.len() > 3 && !matches!(b, b'l' | b's' | b'z') => {
            &stem[..stem.len() - 1]
        }
        _ => stem,
    }
}

/// Words, as stemmed, that a question has because it is one.
fn is_stop(term: &str) -> bool {
    const STOP: &[&str] = &[
        "a", "about", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been", "but",
        "by", "can", "could", "did", "do", "doe", "for", "from", "get", "had", "has", "hav", "how",
        "i", "if", "in", "into", "is", "it", "its", "may", "me", "must", "my", "no", "not", "of",
        "on", "or", "our", "shall", "should", "so", "some", "such", "than", "that", "the", "their",
        "them", "then", "there", "thes", "they", "thi", "this", "to", "us", "was", "we", "were",
        "what", "when", "wher", "which", "while", "who", "whos", "why", "will", "with", "would",
        "you", "your",
    ];
    STOP.binary_search(&term).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(terms(text), expected, "{text}");
    }

    #[test]
    fn words_are_taken_apart_and_stemmed() {
        check(
            "List_specs getScenario HTTPServer",
            &["list", "spec", "get", "scenario", "httpserver"],
        );
        check("updates updated updating", &["updat", "updat", "updat"]);
        check("stopped calling status queries", &["stop", "call", "status", "query"]);
        check("Größe 3 ab", &["größe", "3", "ab"]);
        check("搜索规格 x", &["搜索", "索规", "规格", "x"]);
        check("**`a-b`**", &["a", "b"]);
    }

    #[test]
    fn stop_words_are_sorted_and_are_what_stemming_leaves() {
        for word in ["the", "does", "have", "these", "this", "where", "whose", "having"] {
            let is_known = terms(word).iter().all(|term| is_stop(term));
            assert!(is_known, "{word}: {:?}", terms(word));
        }
        assert!(!is_stop("specs"));
    }

    fn scores(documents: &[&str], question: &str) -> Vec<f32> {
        let fields = |text: &&'static str| vec![Field { text, weight: 1.0 }];
        let documents: Vec<&'static str> =
            documents.iter().map(|text| &*text.to_string().leak()).collect();
        Words::new(documents.iter().map(fields)).scores(question)
    }

    #[test]
    fn rare_words_and_more_words_score_higher() {
        let documents = ["cache entries expire", "cache is filled", "the cache"];
        let found = scores(&documents, "when does a cache entry expire?");
        assert!(found[0] > found[1] && found[1] > 0.0, "{found:?}");
        assert!(found.iter().all(|score| (0.0..1.0).contains(score)), "{found:?}");
        assert_eq!(scores(&documents, "zebra"), [0.0; 3]);
        assert_eq!(scores(&documents, ""), [0.0; 3]);
        assert_eq!(scores(&documents, "the"), [0.0; 3]);
        let diluted = scores(&documents, "cache zebra quagga okapi");
        assert!(diluted[1] < scores(&documents, "cache")[1]);
    }
}
