//! Finding text, against a look at every line.

use std::collections::BTreeMap;

use super::*;

/// A file with a chunk for every three lines.
fn file(path: &str, text: &str) -> FileUpdate {
    let mut update = update(path, Vec::new());
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (mut line, mut byte) = (1, 0);
    for part in lines.chunks(3) {
        let length: usize = part.iter().map(|line| line.len()).sum();
        let mut piece = chunk(byte, byte + length);
        piece.span.start_line = line;
        piece.span.end_line = line + part.len() as u32 - 1;
        piece.is_test = path.contains("test");
        update.facts.chunks.push(piece);
        update.contents.push(ChunkContent::default());
        line += part.len() as u32;
        byte += length;
    }
    update.packed = FileBlob::new(text, &CodeFacts::default());
    update
}

type Found = Vec<(String, u32)>;

/// Paths and lines, as the store finds them.
fn found(snapshot: &Snapshot, pattern: &Pattern, filter: &Filter, bounds: GrepLimits) -> Found {
    let matches = snapshot.find_text(pattern, filter, bounds).unwrap();
    let mut found = Vec::new();
    for one in matches {
        let chunk = &snapshot.chunks(&[one.chunk]).unwrap()[0];
        let lines = chunk.span.start_line..=chunk.span.end_line;
        for line in one.lines {
            assert!(lines.contains(&line));
            found.push((chunk.path.to_string(), line));
        }
    }
    found
}

/// The same, found by looking at every place.
fn naive(files: &BTreeMap<String, String>, needle: &str) -> Found {
    let mut found = Vec::new();
    for (path, text) in files {
        let mut lines: Vec<u32> = text
            .match_indices(needle)
            .map(|(at, _)| text[..at].matches('\n').count() as u32 + 1)
            .collect();
        lines.dedup();
        found.extend(lines.into_iter().map(|line| (path.clone(), line)));
    }
    found
}

/// The files that have a word, whatever its capitals, and how many.
fn has_word<'f>(files: &'f BTreeMap<String, String>, word: &str) -> (Vec<&'f str>, usize) {
    let is_inner = |c: char| c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii();
    let has = |text: &str| {
        let folded = text.to_ascii_lowercase();
        let mut words = folded.split(|c| !is_inner(c));
        words.any(|one| one == word.to_ascii_lowercase())
    };
    let paths: Vec<&str> =
        files.iter().filter(|(_, text)| has(text)).map(|(path, _)| path.as_str()).collect();
    let count = paths.len();
    (paths, count)
}

const WORDS: &[&str] = &[
    "parse",
    "parse_url",
    "parseUrl",
    "x",
    "if",
    "größe",
    "日本",
    "K",
    "Session",
    "err",
    "::",
    "(",
    ")",
    "=> {",
    "\n",
    "\n",
    "\n",
    " ",
    " ",
    "\t",
    "12",
    "a.b",
];

fn random_text(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..random.next_below(60) {
        match random.next_below(300) {
            0 => text.push_str(&"long".repeat(50)),
            _ => text.push_str(WORDS[random.next_below(WORDS.len() as u32) as usize]),
        }
    }
    text
}

/// Some part of some text.
fn random_needle(random: &mut Random, files: &BTreeMap<String, String>) -> String {
    let Some(text) = files.values().nth(random.next_below(files.len() as u32) as usize) else {
        return "parse".to_string();
    };
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let Some(start) = starts.get(random.next_below(starts.len() as u32) as usize) else {
        return "parse".to_string();
    };
    let length = 1 + random.next_below(14) as usize;
    text[*start..].chars().take(length).collect()
}

#[test]
fn text_is_found_where_it_is_through_all_changes() {
    let home = home();
    let mut random = Random::new(7);
    let mut writer = Writer::open(&home.database, &settings(), &AllNamesDirty, &Silent).unwrap();
    let reader = {
        writer.apply(&Changes::default()).unwrap();
        Reader::open(&home.database).unwrap()
    };
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let mut most_segments = 0;
    for _ in 0..60 {
        let mut changes = Changes::default();
        for _ in 0..1 + random.next_below(6) {
            let path = format!("f{}.rs", random.next_below(40));
            if changes.updated.iter().any(|known| known.stamp.path.as_str() == path) {
                continue;
            }
            if random.next_below(5) == 0 {
                files.remove(&path);
                changes.removed.push(repo_path(&path));
            } else if !changes.removed.iter().any(|known| known.as_str() == path) {
                let text = random_text(&mut random);
                changes.updated.push(file(&path, &text));
                files.insert(path, text);
            }
        }
        writer.apply(&changes).unwrap();
        let snapshot = reader.snapshot().unwrap();
        most_segments = most_segments.max(snapshot.stats().unwrap().segments);
        for word in ["parse", "parseUrl", "größe", "k", "err", "none"] {
            let (naming, count) = snapshot.files_with_word(word, 100).unwrap();
            let paths: Vec<&str> = naming.iter().map(|one| one.path.as_str()).collect();
            assert_eq!((paths, count), has_word(&files, word), "{word}");
        }
        for _ in 0..8 {
            let needle = random_needle(&mut random, &files);
            let open = Filter::default();
            let exact = found(&snapshot, &Pattern::exact(&needle), &open, GrepLimits::NONE);
            assert_eq!(exact, naive(&files, &needle), "{needle:?}");
            if !needle.contains('\n') {
                let escaped = Pattern::expression(&regex::escape(&needle)).unwrap();
                assert_eq!(found(&snapshot, &escaped, &open, GrepLimits::NONE), exact);
            }
        }
    }
    assert!(most_segments > 8, "merging was not put to the test");
}

#[test]
fn bounds_and_filters_apply_while_searching() {
    let home = home();
    let mut writer = Writer::open(&home.database, &settings(), &AllNamesDirty, &Silent).unwrap();
    let files = (0..100).map(|n| file(&format!("src/f{n:02}.rs"), "needle\n\n\n\nneedle\n"));
    let tests = (0..5).map(|n| file(&format!("test/t{n}.rs"), "needle\n"));
    writer.apply(&updated(files.chain(tests).collect())).unwrap();
    let reader = Reader::open(&home.database).unwrap();
    let snapshot = reader.snapshot().unwrap();
    let pattern = Pattern::exact("needle");
    let open = Filter::default();
    let few = GrepLimits { chunks: 3, ..GrepLimits::NONE };
    let first = [("src/f00.rs", 1), ("src/f00.rs", 5), ("src/f01.rs", 1)]
        .map(|(path, line)| (path.to_string(), line));
    assert_eq!(found(&snapshot, &pattern, &open, few), first);
    assert_eq!(found(&snapshot, &pattern, &open, GrepLimits::NONE).len(), 205);
    let tests = Filter { tests: Tests::Only, ..Filter::default() };
    assert_eq!(found(&snapshot, &pattern, &tests, few).len(), 3);
    let late = GrepLimits { chunks: 3, deadline: Some(std::time::Instant::now()) };
    let slow = Pattern::expression("nee+dle").unwrap();
    let refused = snapshot.find_text(&slow, &open, late).unwrap_err();
    assert!(refused.is_refusal(), "{refused}");
    let with_text =
        Filter { texts: vec!["needle".to_string()], start_lines: vec![4..=9], ..Filter::default() };
    assert_eq!(snapshot.list(&with_text, 1000).unwrap().len(), 100);
}
