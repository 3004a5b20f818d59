//! The notice about a weak answer: the kind of search, and the words that occur nowhere.

use crate::ops::OrderedMap;
use crate::ops::number_format::round_score;
use crate::search::AnswerEvidence;

/// The most words that a notice lists.
const SHOWN_WORDS: usize = 6;

/// Returns the notice about an answer. `None` if the answer is not weak and every word occurs.
pub fn weak_answer_notice(evidence: &AnswerEvidence) -> Option<String> {
    let unknown = list_words(&evidence.unknown_words);
    describe_weakness(evidence).or_else(|| {
        let unknown = unknown?;
        Some(format!("{unknown} here; the results are for the other words"))
    })
}

/// Returns the notice about a weak answer.
pub fn describe_weakness(evidence: &AnswerEvidence) -> Option<String> {
    let unknown = list_words(&evidence.unknown_words);
    if evidence.is_nothing() {
        let unknown = unknown.unwrap_or_else(|| "no word of the query occurs".to_string());
        return Some(format!("nothing found: {unknown} here, and no code is near in meaning"));
    }
    if !evidence.is_weak() {
        return None;
    }
    let confidence = round_score(evidence.confidence()?);
    let threshold = evidence.threshold();
    let searched = match (evidence.words, evidence.meaning) {
        (Some(_), Some(_)) => "its words and its meaning",
        (None, Some(_)) => "its meaning",
        _ => "its words",
    };
    let unknown = unknown.map(|unknown| format!("; {unknown} here")).unwrap_or_default();
    Some(format!(
        "weak: probably no result answers this (confidence {confidence}, below {threshold}). The \
         query was searched by {searched}{unknown}"
    ))
}

/// Returns the parts of the confidence by name.
pub fn explain_evidence(evidence: &AnswerEvidence) -> OrderedMap<f64> {
    let parts = [("words", evidence.words), ("meaning", evidence.meaning)];
    let named = evidence.is_named.then_some(("named", Some(1.0)));
    let parts = parts.into_iter().chain(named);
    parts.filter_map(|(name, part)| Some((name.to_string(), round_score(part?)))).collect()
}

/// Returns `"a" and "b" occur nowhere`. `None` if there are no words.
fn list_words(words: &[String]) -> Option<String> {
    let quoted: Vec<String> =
        words.iter().take(SHOWN_WORDS).map(|word| format!("{word:?}")).collect();
    let more = words.len().saturating_sub(SHOWN_WORDS);
    match quoted.as_slice() {
        [] => None,
        [one] => Some(format!("{one} occurs nowhere")),
        all if more > 0 => Some(format!("{} and {more} more words occur nowhere", all.join(", "))),
        [first @ .., last] => Some(format!("{} and {last} occur nowhere", first.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn words_are_listed() {
        for (list, expected) in [
            (vec![], None),
            (vec!["a"], Some("\"a\" occurs nowhere")),
            (vec!["a", "b", "c"], Some("\"a\", \"b\" and \"c\" occur nowhere")),
            (
                vec!["a", "b", "c", "d", "e", "f", "g"],
                Some("\"a\", \"b\", \"c\", \"d\", \"e\", \"f\" and 1 more words occur nowhere"),
            ),
        ] {
            assert_eq!(list_words(&words(&list)).as_deref(), expected);
        }
    }

    #[test]
    fn a_notice_says_what_was_searched_and_what_is_missing() {
        let evidence = AnswerEvidence {
            words: Some(0.9),
            meaning: Some(0.5),
            has_known_word: true,
            unknown_words: words(&["plugh"]),
            ..AnswerEvidence::default()
        };
        let notice = weak_answer_notice(&evidence).unwrap();
        assert_eq!(notice, "\"plugh\" occurs nowhere here; the results are for the other words");
        let weak = AnswerEvidence { words: Some(0.1), meaning: Some(0.1), ..evidence.clone() };
        let notice = weak_answer_notice(&weak).unwrap();
        assert!(notice.starts_with("weak: "), "{notice}");
        assert!(notice.contains("(confidence 0.1, below 0.33)"), "{notice}");
        assert!(notice.ends_with("its words and its meaning; \"plugh\" occurs nowhere here"));
        let nothing = AnswerEvidence { has_known_word: false, ..weak };
        let notice = weak_answer_notice(&nothing).unwrap();
        assert!(notice.starts_with("nothing found: \"plugh\" occurs nowhere here"), "{notice}");
        let sure = AnswerEvidence { unknown_words: Vec::new(), ..evidence };
        assert_eq!(weak_answer_notice(&sure), None);
    }
}
