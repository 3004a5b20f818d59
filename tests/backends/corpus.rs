//! The stored corpus: this repository's own sources, read as the indexer reads them.

use std::path::{Path, PathBuf};

use kenning_embed::{self as embed, Embedder, Limits, Purpose};
use kenning_lang::code;
use kenning_model::{Problem, RepoPath, Silent};
use kenning_store::code::{
    Changes, ChunkContent, Embedding, FileBlob, FileUpdate, IndexSettings, Skip, Stamp, Vector,
};
use kenning_text::bm25;
use kenning_text::tokenizer;

pub const REFERENCE_LENGTH: f32 = 200.0;

/// Enough for every filter to say something, small enough for a test.
const FOLDERS: &[&str] = &["src/search", "crates/embed/src", "docs", "tests/it/oracle"];

pub struct Corpus {
    pub files: Vec<FileUpdate>,
    embedder: Box<dyn Embedder>,
}

impl Corpus {
    pub fn read() -> Corpus {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let embedder =
            embed::open("static", &embed::ProviderSettings::new(Limits::default())).unwrap();
        let mut paths = Vec::new();
        for folder in FOLDERS {
            list(&root.join(folder), &mut paths);
        }
        paths.sort();
        let mut corpus = Corpus { files: Vec::new(), embedder };
        for path in paths {
            let Ok(text) = std::fs::read_to_string(&path) else {
                continue;
            };
            let name = path.strip_prefix(root).unwrap().to_str().unwrap();
            corpus.files.push(corpus.file(name, &text));
        }
        // Rare files: a name full of signs, no text, letters beyond ASCII, a problem.
        for (name, text) in [
            ("app/[id]/page.tsx", "export const Größe = \"\\t'quoted'\";\n"),
            ("empty.rs", ""),
            ("größe/日本.md", "# 日本\n\nTas\u{212a} und Überlänge\n"),
        ] {
            corpus.files.push(corpus.file(name, text));
        }
        let last = corpus.files.last_mut().unwrap();
        let problem = Problem::new(&last.stamp.path, "said so").at_line(2);
        last.facts.problems.push(problem);
        corpus
    }

    pub fn settings(&self) -> IndexSettings {
        let identity = self.embedder.identity();
        IndexSettings {
            provider: identity.provider.clone(),
            model: identity.model.clone(),
            dimension: identity.dimension as u32,
            chunker: "suite".to_string(),
            reference_length: REFERENCE_LENGTH,
        }
    }

    /// A file as the indexer would hand it over.
    pub fn file(&self, name: &str, text: &str) -> FileUpdate {
        let path = RepoPath::new(name).unwrap();
        let facts = code::read(&path, text);
        let bodies: Vec<String> = facts
            .chunks
            .iter()
            .map(|chunk| {
                let range = chunk.span.start_byte as usize..chunk.span.end_byte as usize;
                text[range].to_string()
            })
            .collect();
        let contents = bodies.iter().map(|body| ChunkContent {
            terms: terms(body),
            embedding: Some(Embedding {
                vector: Vector::quantise(&self.vector(body, Purpose::Document)),
                key: None,
            }),
        });
        FileUpdate {
            stamp: Stamp { path, size: text.len() as u64, modified_ns: -7 },
            hash: *digest(text).as_slice().first_chunk().unwrap(),
            is_test: name.starts_with("tests/"),
            package: name.starts_with("src/search").then(|| "search".to_string()),
            packed: FileBlob::new(text, &facts),
            contents: contents.collect(),
            facts,
        }
    }

    pub fn vector(&self, text: &str, purpose: Purpose) -> Vec<f32> {
        let vectors = self.embedder.embed(&[text], purpose, &Silent).unwrap();
        vectors.row(0).to_vec()
    }

    /// All of it, and what an indexer remembers of the whole.
    pub fn changes(&self) -> Changes {
        let skip = |name: &str| Skip {
            stamp: Stamp { path: RepoPath::new(name).unwrap(), size: 1, modified_ns: 2 },
            reason: "binary".to_string(),
        };
        Changes {
            updated: self.files.clone(),
            skipped: Some(vec![skip("a.png"), skip("b.png")]),
            read_errors: Some(vec![Problem::new(&RepoPath::new("locked").unwrap(), "no")]),
            metadata: [("shows_tests".to_string(), "true".to_string())].into(),
            ..Changes::default()
        }
    }
}

/// The words of a text with their weights, each once.
pub fn terms(text: &str) -> Vec<(u32, f32)> {
    let mut counted: Vec<u32> = Vec::new();
    tokenizer::each(text, |word| counted.push(word));
    let length = counted.len() as f32;
    counted.sort_unstable();
    let same = counted.chunk_by(|a, b| a == b);
    same.map(|same| {
        let weight = bm25::weight(same.len() as f32, length, REFERENCE_LENGTH);
        (same[0], weight)
    })
    .collect()
}

/// Thirty-two bytes that tell texts apart.
fn digest(text: &str) -> Vec<u8> {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let part = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, text).hash(&mut hasher);
        hasher.finish().to_le_bytes()
    };
    (0..4).flat_map(part).collect()
}

fn list(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => list(&path, paths),
            false if path.extension().is_some_and(|ending| ending != "json") => paths.push(path),
            false => {}
        }
    }
}
