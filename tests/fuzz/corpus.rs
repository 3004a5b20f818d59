//! The files that are mutated: real ones, chosen by their names.

use std::path::{Path, PathBuf};

use kenning_testing::Random;

/// The most files of a corpus, and the most bytes of each. Larger ones are slow to parse and no
/// more varied.
const MAX_FILES: usize = 4000;
const MAX_BYTES: u64 = 16 << 10;

/// One real file.
pub struct Seed {
    /// Its name without its folder; targets choose a parser by it.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// The files for one target.
pub struct Corpus {
    seeds: Vec<Seed>,
}

impl Corpus {
    /// Reads the files below `folders` whose names `is_wanted` accepts, in the order of their paths.
    /// If there are none, the corpus is one empty file.
    pub fn read(folders: &[PathBuf], is_wanted: fn(&str) -> bool) -> Corpus {
        let mut paths = Vec::new();
        for folder in folders {
            collect_files(folder, is_wanted, &mut paths);
        }
        paths.sort();
        // An even choice from all folders.
        let step = paths.len().div_ceil(MAX_FILES).max(1);
        let chosen = paths.into_iter().step_by(step);
        let read = |path: PathBuf| {
            let name = path.file_name()?.to_str()?.to_string();
            Some(Seed { name, bytes: std::fs::read(path).ok()? })
        };
        let mut seeds: Vec<Seed> = chosen.filter_map(read).collect();
        if seeds.is_empty() {
            seeds.push(Seed { name: "empty".to_string(), bytes: Vec::new() });
        }
        Corpus { seeds }
    }

    /// Makes a corpus of texts that are no files.
    pub fn of_texts(texts: &[&str]) -> Corpus {
        let seed = |text: &&str| Seed { name: String::new(), bytes: text.as_bytes().to_vec() };
        Corpus { seeds: texts.iter().map(seed).collect() }
    }

    /// Returns any of the files.
    pub fn choose(&self, random: &mut Random) -> &Seed {
        &self.seeds[random.next_below(self.seeds.len())]
    }

    pub fn len(&self) -> usize {
        self.seeds.len()
    }
}

fn collect_files(folder: &Path, is_wanted: fn(&str) -> bool, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else {
            continue;
        };
        if kind.is_dir() && !["target", "node_modules", ".git"].contains(&name.as_str()) {
            collect_files(&entry.path(), is_wanted, paths);
        } else if kind.is_file()
            && is_wanted(&name)
            && entry.metadata().is_ok_and(|metadata| metadata.len() <= MAX_BYTES)
        {
            paths.push(entry.path());
        }
    }
}
