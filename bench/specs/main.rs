//! How well `search_specs` finds what a question is about: words, meaning, and both. Not how fast.
//!
//!     cargo bench --bench specs -- FOLDER
//!
//! FOLDER holds a checkout of each repository of `questions.tsv` as OWNER+NAME, at the commit that it
//! names. Questions were written by hand from requirements that were drawn at random, in words that
//! the requirement's name does not have. Weights and threshold were chosen on `TUNED_ON` and the
//! others but for `HELD_OUT`, whose questions were written when everything else was settled.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::Path;

use kenning_embed::{Embedder, ProviderSettings, Purpose};
use kenning_knowledge::spec_build::{
    ReadRules, SpecBuild, SpecLayout, build_spec_index, parse_all_specs,
};
use kenning_knowledge::spec_index_file::SpecIndex;
use kenning_knowledge::specs::{RetrieverWeights, SpecHit, SpecSearch, THRESHOLD};
use kenning_model::BuildMode;
use kenning_model::Silent;

const QUESTIONS: &str = include_str!("questions.tsv");
const FOREIGN: &str = include_str!("foreign.txt");
const TUNED_ON: &str = "Fission-AI/OpenSpec";
const HELD_OUT: &str = "arabold/docs-mcp-server";

/// The use of a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// A checkout, indexed, and the questions about it that can still be asked.
struct Prepared {
    search: SpecSearch,
    questions: Vec<(Question<'static>, Vec<f32>)>,
    foreign: Vec<(&'static str, Vec<f32>)>,
}

#[derive(Default)]
struct Figures {
    questions: usize,
    reciprocal: f64,
    first: usize,
    five: usize,
    foreign: usize,
    answered: usize,
}

fn main() {
    let folder = std::env::args().nth(1).filter(|argument| argument != "--bench");
    let Some(folder) = folder else {
        println!("usage: cargo bench --bench specs -- FOLDER-OF-CHECKOUTS");
        return;
    };
    let embedder = kenning_embed::open("static", &ProviderSettings::default()).unwrap();
    let mut repositories: BTreeMap<&str, Prepared> = BTreeMap::new();
    for (repository, commit) in commits() {
        let prepared = prepare(Path::new(&folder), repository, commit, &*embedder);
        repositories.extend(prepared.map(|prepared| (repository, prepared)));
    }
    for (name, parts) in [
        ("chosen on (tuned on and seen)", &[Part::Tuned, Part::Seen][..]),
        ("held out", &[Part::HeldOut]),
    ] {
        let chosen = repositories.iter();
        let chosen = chosen.filter(|(repository, _)| parts.contains(&part(repository)));
        let chosen: Vec<&Prepared> = chosen.map(|(_, prepared)| prepared).collect();
        println!("\n{name}\nwords/meaning  threshold  MRR    R@1    R@5    foreign answered");
        for weights in weights() {
            for threshold in [0.0, 0.2, 0.225, 0.25, 0.275, 0.3] {
                let figures = measure(&chosen, weights, threshold);
                let share = |count: usize| count as f64 / figures.questions.max(1) as f64;
                println!(
                    "  {:.1}/{:.1}      {threshold:<9}  {:.3}  {:.3}  {:.3}  {:.1} %{}",
                    weights.words,
                    weights.meaning,
                    figures.reciprocal / figures.questions.max(1) as f64,
                    share(figures.first),
                    share(figures.five),
                    100.0 * figures.answered as f64 / figures.foreign.max(1) as f64,
                    if weights == RetrieverWeights::HYBRID && threshold == THRESHOLD {
                        "   <- as shipped"
                    } else {
                        ""
                    },
                );
            }
        }
    }
    if std::env::var_os("SHOW").is_some() {
        repositories.values().for_each(show_misses);
    }
}

fn weights() -> Vec<RetrieverWeights> {
    let hybrids =
        [0.2, 0.3, 0.4, 0.5, 0.6].map(|words| RetrieverWeights { words, meaning: 1.0 - words });
    let alone = [RetrieverWeights::WORDS, RetrieverWeights::MEANING];
    alone.into_iter().chain(hybrids).collect()
}

fn lines() -> impl Iterator<Item = Vec<&'static str>> {
    let lines = QUESTIONS.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split('\t').collect())
}

fn commits() -> impl Iterator<Item = (&'static str, &'static str)> {
    lines().filter_map(|fields| match fields[..] {
        ["@", repository, commit] => Some((repository, commit)),
        _ => None,
    })
}

fn questions() -> impl Iterator<Item = Question<'static>> {
    lines().filter_map(|fields| match fields[..] {
        [repository, spec, requirement, text] => {
            Some(Question { repository, spec, requirement, text })
        }
        _ => None,
    })
}

/// `None`, with a word about it, for a repository that is not there.
fn prepare(
    folder: &Path,
    repository: &str,
    commit: &str,
    embedder: &dyn Embedder,
) -> Option<Prepared> {
    let root = folder.join(repository.replace('/', "+"));
    let tree = parse_all_specs(
        &root,
        &SpecLayout::new(None, None),
        &ReadRules { max_bytes: u64::MAX, ..ReadRules::default() },
    );
    if tree.specs.is_empty() {
        println!("{repository}: left out, no specs below {}", root.display());
        return None;
    }
    match kenning_source::head_commit(&root) {
        Some(head) if head == commit => {}
        Some(head) => println!("{repository}: moved on, {head} is checked out and not {commit}"),
        None => println!("{repository}: no checkout of git, so it may not be {commit}"),
    }
    let index = std::env::temp_dir().join(format!("specs-{}.index", std::process::id()));
    let build_of = SpecBuild {
        root: &root,
        tree: &tree,
        embedder,
        index: &index,
        mode: BuildMode::Fresh,
        now: std::time::SystemTime::UNIX_EPOCH,
    };
    let report = build_spec_index(&build_of, &Silent).unwrap();
    println!(
        "{repository}: {} specs, {} requirements, {} scenarios, indexed in {:?}",
        report.specs, report.requirements, report.scenarios, report.duration
    );
    let search = SpecSearch::new(SpecIndex::load(&index).unwrap());
    std::fs::remove_file(index).unwrap();
    let vector = |text: &str| {
        let vectors = embedder.embed(&[text], Purpose::Query, &Silent).unwrap();
        vectors.row(0).to_vec()
    };
    let own = questions().filter(|question| question.repository == repository);
    let own = own.filter(|question| {
        let is_there =
            search.index.units.iter().any(|unit| {
                unit.spec_id == question.spec && unit.requirement == question.requirement
            });
        if !is_there {
            println!(
                "  left out, its requirement is gone: {} / {}: {}",
                question.spec, question.requirement, question.text
            );
        }
        is_there
    });
    let own: Vec<_> = own.map(|question| (vector(question.text), question)).collect();
    let foreign = FOREIGN.lines().filter(|line| !line.starts_with('#'));
    Some(Prepared {
        questions: own.into_iter().map(|(vector, own)| (own, vector)).collect(),
        foreign: foreign.map(|line| (line, vector(line))).collect(),
        search,
    })
}

/// Returns the place of the right requirement, whatever its score, and all hits.
fn place(
    prepared: &Prepared,
    question: &Question,
    vector: &[f32],
    weights: RetrieverWeights,
) -> (usize, f32) {
    let hits = prepared.search.rank(question.text, vector, weights);
    let is_right = |hit: &SpecHit| {
        hit.requirement.spec_id == question.spec
            && hit.requirement.requirement == question.requirement
    };
    let position = hits.iter().position(is_right);
    position.map_or((usize::MAX, 0.0), |at| (at, hits[at].score))
}

fn measure(chosen: &[&Prepared], weights: RetrieverWeights, threshold: f32) -> Figures {
    let mut figures = Figures::default();
    for prepared in chosen {
        for (question, vector) in &prepared.questions {
            let (position, score) = place(prepared, question, vector, weights);
            figures.questions += 1;
            if score >= threshold && position < usize::MAX {
                figures.reciprocal += 1.0 / (position + 1) as f64;
                figures.first += usize::from(position == 0);
                figures.five += usize::from(position < 5);
            }
        }
        for (text, vector) in &prepared.foreign {
            let hits = prepared.search.rank(text, vector, weights);
            figures.foreign += 1;
            figures.answered += usize::from(hits.iter().any(|hit| hit.score >= threshold));
        }
    }
    figures
}

fn show_misses(prepared: &Prepared) {
    for (question, vector) in &prepared.questions {
        let (position, score) = place(prepared, question, vector, RetrieverWeights::HYBRID);
        if position >= 5 || score < THRESHOLD {
            println!("{position:4} {score:.2} {} / {}", question.text, question.requirement);
        }
    }
}
