//! Tests of the ranking: what counts, how it adds up, and where plausibility begins.

use crate::search::RetrieverScores;
use crate::search::trace::*;
use kenning_model::{ChunkKind, RepoPath, Requirement, Scenario, Span, Spec};

/// Words of which each is as rare as any other.
fn word_idf(subject: &RequirementQuery) -> WordIdf {
    let words = collect_words([subject].into_iter());
    WordIdf::new(1000, &words, &vec![1; words.len()])
}

fn kettle() -> RequirementQuery {
    let spec = Spec { id: "brewing".to_string(), ..Spec::default() };
    let scenario = Scenario {
        name: "Empty kettle".to_string(),
        text: "- **THEN** it says \"No water left\" and obeys `--dry`".to_string(),
        ..Scenario::default()
    };
    let requirement = Requirement {
        name: "Heat the water".to_string(),
        description: "It SHALL call `boil`, as `src/kettle.rs` has it.".to_string(),
        scenarios: vec![scenario],
        ..Requirement::default()
    };
    RequirementQuery::from_requirement(&spec, &requirement)
}

/// A chunk that says `share` of the question's words and means as much the same.
fn found(
    subject: &RequirementQuery,
    path: &str,
    symbol: &str,
    share: f32,
    meaning: f32,
) -> SearchHit {
    SearchHit {
        chunk: ChunkRecord {
            file_chunks: 0..1,
            id: 0,
            path: RepoPath::new(path).unwrap(),
            language: "rust".to_string(),
            package: None,
            kind: ChunkKind::Function,
            is_test: false,
            symbol: Some(symbol.to_string()),
            scope: None,
            line: None,
            span: Span::default(),
        },
        score: 1.0,
        reasons: Vec::new(),
        retriever_scores: RetrieverScores {
            words: share * word_idf(subject).full_score(&subject.query),
            vector: meaning,
        },
    }
}

fn judged(candidates: &[(&str, &str, f32, f32, &str)]) -> Vec<TracedChunk> {
    let subject = kettle();
    let found = candidates.iter().map(|(path, symbol, share, meaning, text)| {
        let found = found(&subject, path, symbol, *share, *meaning);
        (found, text.to_string())
    });
    all(&subject, found.collect())
}

/// Judged among themselves.
fn all(subject: &RequirementQuery, found: Vec<(SearchHit, String)>) -> Vec<TracedChunk> {
    let spread = FactCounts::from_hits(subject, &found);
    judge_hits(subject, &word_idf(subject), &spread, found)
}

fn score_of(symbol: &str, path: &str, text: &str) -> f32 {
    judged(&[(path, symbol, 0.1, 0.2, text)])[0].score
}

#[test]
fn each_fact_adds_and_says_so() {
    let nothing = score_of("x", "src/x.rs", "{}");
    for (symbol, path, text, reason) in [
        ("boil", "src/x.rs", "{}", "defines `boil`, which the text names"),
        ("x", "src/kettle.rs", "{}", "the text names its file, `src/kettle.rs`"),
        ("x", "app/src/kettle.rs", "{}", "the text names its file, `src/kettle.rs`"),
        ("an_empty_kettle_stops", "src/x.rs", "{}", "repeats the name \"Empty kettle\""),
        ("x", "src/x.rs", "// Heat the\n// water", "repeats the name \"Heat the water\""),
        ("x", "src/x.rs", "\"No water left!\"", "has \"No water left\", which the text quotes"),
        ("x", "src/x.rs", "flag(\"--dry\")", "has \"--dry\", which the text quotes"),
    ] {
        let places = judged(&[(path, symbol, 0.1, 0.2, text)]);
        assert!(places[0].score > nothing, "{symbol} {path} {text}");
        assert_eq!(places[0].reasons[0], reason);
    }
    for (symbol, path, text) in [
        ("boiler", "src/x.rs", "{}"),
        ("x", "src/mykettle.rs", "{}"),
        ("x", "src/x.rs", "\"--dryer\""),
        ("x", "src/x.rs", "the kettle is empty"),
    ] {
        assert_eq!(score_of(symbol, path, text), nothing, "{symbol} {path} {text}");
    }
}

#[test]
fn what_many_places_have_tells_less() {
    let one = judged(&[("a.rs", "a", 0.1, 0.2, "--dry"), ("b.rs", "b", 0.1, 0.2, "")]);
    let both = judged(&[("a.rs", "a", 0.1, 0.2, "--dry"), ("b.rs", "b", 0.1, 0.2, "--dry")]);
    assert_eq!(one[0].chunk.path.as_str(), "a.rs");
    assert!(one[0].score > both[0].score && both[0].score > one[1].score);
}

#[test]
fn plausible_is_what_shares_words_and_meaning_or_facts() {
    let subject = kettle();
    for (share, meaning, text, is_plausible) in [
        (0.0, 0.0, "", false),
        // Any two texts about one subject share this much.
        (0.1, 0.2, "", false),
        (0.1, 0.3, "", false),
        (0.6, 0.5, "", true),
        // Few words in common, but it repeats both names and quotes the message.
        (0.1, 0.3, "// Heat the water: Empty kettle\nprint(\"No water left\")", true),
    ] {
        let found = found(&subject, "src/x.rs", "x", share, meaning);
        let places = all(&subject, vec![(found, text.to_string())]);
        assert_eq!(places[0].is_plausible(), is_plausible, "{share} {meaning} {text}");
    }
}

#[test]
fn the_best_come_first_and_scores_stay_within_their_scale() {
    let places = judged(&[
        ("b.rs", "b", 0.3, 0.3, ""),
        ("a.rs", "a", 0.3, 0.3, ""),
        ("src/kettle.rs", "boil", 9.0, 9.0, "Heat the water, Empty kettle, --dry, No water left"),
    ]);
    let paths: Vec<&str> = places.iter().map(|place| place.chunk.path.as_str()).collect();
    assert_eq!(paths, ["src/kettle.rs", "a.rs", "b.rs"]);
    assert!(places.iter().all(|place| (0.0..=1.0).contains(&place.score)));
}

#[test]
fn code_that_shows_comes_after_code_that_does() {
    let subject = kettle();
    let mut aside = found(&subject, "a/x.rs", "x", 0.3, 0.3);
    aside.reasons.push(("aside", -0.1));
    let does = found(&subject, "b/x.rs", "x", 0.3, 0.3);
    let both = vec![(aside, String::new()), (does, String::new())];
    let places = all(&subject, both);
    assert_eq!(places[0].chunk.path.as_str(), "b/x.rs");
}

#[test]
fn a_scenario_is_asked_for_by_its_own_words() {
    let spec = Spec { id: "brewing".to_string(), ..Spec::default() };
    let scenario = Scenario {
        name: "Empty kettle".to_string(),
        text: "- **WHEN** there is no `water_level`".to_string(),
        ..Scenario::default()
    };
    let subject = RequirementQuery::from_scenario(&spec, &Requirement::default(), &scenario);
    assert_eq!(subject.query.names, ["water_level"]);
    let found = found(&subject, "x.rs", "empty_kettle", 0.1, 0.0);
    let places = all(&subject, vec![(found, String::new())]);
    assert_eq!(places[0].reasons[0], "repeats the name \"Empty kettle\"");
}

#[test]
fn near_is_below_the_line_but_not_nothing() {
    for (share, meaning, is_near) in [(0.0, 0.0, false), (0.3, 0.4, true), (0.8, 0.8, false)] {
        let places = judged(&[("src/x.rs", "x", share, meaning, "")]);
        assert_eq!(places[0].is_near(), is_near, "{share} {}", places[0].score);
    }
}
