//! How well `search_specs` finds what a question is about: words, meaning, and both. Not how fast.
//!
//!     cargo bench --bench specs -- FOLDER
//!
//! FOLDER holds a checkout of each repository of `questions.tsv` as OWNER+NAME. Questions were written
//! by hand from requirements that were drawn at random, in words that the requirement's name does
//! not have. Weights and threshold were chosen on `TUNED_ON`, with an eye on the others but for
//! `HELD_OUT`, whose questions were written when everything was settled.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::Path;

use kenning::embed::{Embedder, Purpose, Settings};
use kenning::index::Mode;
use kenning::index::specs::{Build, Layout, build, parse_all_specs};
use kenning::model::Silent;
use kenning::query::specs::{Hit, SpecSearch, THRESHOLD, Weights};
use kenning::store::specs::SpecIndex;

const QUESTIONS: &str = include_str!("questions.tsv");
const FOREIGN: &str = include_str!("foreign.txt");
const TUNED_ON: &str = "Fission-AI/OpenSpec";
const HELD_OUT: &str = "arabold/docs-mcp-server";

/// What a repository was for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Tuned,
    Seen,
    HeldOut,
}

fn part(repository: &str) -> Part {
    match repository {
        TUNED_ON => Part::Tuned,
        HELD_OUT => Part::HeldOut,
        _ => Part::Seen,
    }
}

/// One line of `questions.tsv`.
struct Question<'a> {
    repository: &'a str,
    spec: &'a str,
    requirement: &'a str,
    text: &'a str,
}

#[derive(Default)]
struct Figures {
    questions: usize,
    reciprocal: f64,
    first: usize,
    five: usize,
    /// Right answers that the threshold would leave out although they rank among the first five.
    lost: usize,
}

fn main() {
    let folder = std::env::args()
        .nth(1)
        .filter(|argument| argument != "--bench");
    let Some(folder) = folder else {
        println!("usage: cargo bench --bench specs -- FOLDER-OF-CHECKOUTS");
        return;
    };
    let embedder = kenning::embed::open("static", &Settings::default()).unwrap();
    let mut searches = BTreeMap::new();
    for question in questions() {
        searches
            .entry(question.repository)
            .or_insert_with(|| prepare(Path::new(&folder), question.repository, &*embedder));
    }
    let hybrids = [0.3, 0.4, 0.5, 0.6, 0.7].map(|words| Weights {
        words,
        meaning: 1.0 - words,
    });
    let parts = [
        ("tuned on", Part::Tuned),
        ("seen", Part::Seen),
        ("held out", Part::HeldOut),
    ];
    for (name, part) in parts {
        println!("\n{name}: weights words/meaning, MRR, recall@1, recall@5, below the threshold");
        for weights in [Weights::WORDS, Weights::MEANING].iter().chain(&hybrids) {
            report(&searches, *weights, part, &*embedder);
        }
    }
    distribution(&searches, &*embedder);
}

fn questions() -> impl Iterator<Item = Question<'static>> {
    let lines = QUESTIONS.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let mut fields = line.split('\t');
        let mut next = || fields.next().expect("four fields");
        Question {
            repository: next(),
            spec: next(),
            requirement: next(),
            text: next(),
        }
    })
}

fn prepare(folder: &Path, repository: &str, embedder: &dyn Embedder) -> SpecSearch {
    let root = folder.join(repository.replace('/', "+"));
    let tree = parse_all_specs(&root, &Layout::new(None, None), u64::MAX);
    assert!(!tree.specs.is_empty(), "no specs below {}", root.display());
    let index = std::env::temp_dir().join(format!("specs-{}.index", std::process::id()));
    let report = build(
        &Build {
            root: &root,
            tree: &tree,
            embedder,
            index: &index,
            mode: Mode::Fresh,
            now: std::time::SystemTime::UNIX_EPOCH,
        },
        &Silent,
    )
    .unwrap();
    println!(
        "{repository}: {} specs, {} requirements, {} scenarios, indexed in {:?}",
        report.specs, report.requirements, report.scenarios, report.duration
    );
    let search = SpecSearch::new(SpecIndex::load(&index).unwrap());
    std::fs::remove_file(index).unwrap();
    search
}

fn rank<'a>(
    search: &'a SpecSearch,
    text: &str,
    weights: Weights,
    embedder: &dyn Embedder,
) -> Vec<Hit<'a>> {
    let vectors = embedder.embed(&[text], Purpose::Query, &Silent).unwrap();
    search.rank(text, vectors.row(0), weights)
}

fn report(
    searches: &BTreeMap<&str, SpecSearch>,
    weights: Weights,
    wanted: Part,
    embedder: &dyn Embedder,
) {
    let mut figures = Figures::default();
    let asked = questions().filter(|question| part(question.repository) == wanted);
    for question in asked {
        let hits = rank(
            &searches[question.repository],
            question.text,
            weights,
            embedder,
        );
        let position = hits.iter().position(|hit| {
            hit.requirement.spec_id == question.spec
                && hit.requirement.requirement == question.requirement
        });
        let position = position.unwrap_or_else(|| panic!("{} is gone", question.requirement));
        figures.questions += 1;
        figures.reciprocal += 1.0 / (position + 1) as f64;
        figures.first += usize::from(position == 0);
        figures.five += usize::from(position < 5);
        figures.lost += usize::from(position < 5 && hits[position].score < THRESHOLD);
        if std::env::var_os("SHOW").is_some() && position >= 5 {
            println!(
                "    {position:3} {:.2} {} / {}",
                hits[position].score, question.text, question.requirement
            );
        }
    }
    let share = |count: usize| count as f64 / figures.questions as f64;
    println!(
        "  {:.1}/{:.1}  {:.3}  {:.3}  {:.3}  {} of {}",
        weights.words,
        weights.meaning,
        figures.reciprocal / figures.questions as f64,
        share(figures.first),
        share(figures.five),
        figures.lost,
        figures.questions,
    );
}

/// The best score of each question, right or wrong, and of each foreign one: where to draw the line.
fn distribution(searches: &BTreeMap<&str, SpecSearch>, embedder: &dyn Embedder) {
    println!("\nbest scores, hybrid: 10 %, 25 %, 50 %, 75 %, 90 %; share at or above {THRESHOLD}");
    for (repository, search) in searches {
        let best = |text: &str| rank(search, text, Weights::HYBRID, embedder)[0].score;
        let own = questions().filter(|question| question.repository == *repository);
        let own: Vec<f32> = own.map(|question| best(question.text)).collect();
        let foreign = FOREIGN.lines().filter(|line| !line.starts_with('#'));
        let foreign: Vec<f32> = foreign.map(best).collect();
        for (name, mut scores) in [("questions", own), ("foreign", foreign)] {
            scores.sort_by(f32::total_cmp);
            let at = |share: f64| scores[((scores.len() - 1) as f64 * share).round() as usize];
            let above = scores.iter().filter(|score| **score >= THRESHOLD).count();
            println!(
                "  {repository:30} {name:10} {:.2} {:.2} {:.2} {:.2} {:.2}   {:.2}",
                at(0.1),
                at(0.25),
                at(0.5),
                at(0.75),
                at(0.9),
                above as f64 / scores.len() as f64
            );
        }
    }
}
