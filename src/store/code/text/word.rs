//! The files that have a name as a word of their text. What it means there is not known here.

use super::super::snapshot::Snapshot;
use crate::model::RepoPath;
use crate::store::StoreError;

/// A file that has a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamingFile {
    /// Its number in the store.
    pub file: i64,
    pub path: RepoPath,
    pub language: String,
}

impl Snapshot<'_> {
    /// The files that have a word, whatever its capitals, by path. Signs that are part of a name
    /// in some languages (`$of`, `#hush`) are no part of a word.
    pub fn files_with_word(&self, word: &str) -> Result<Vec<NamingFile>, StoreError> {
        self.run(|connection| {
            let generation = &self.generation;
            let lexicons = generation.lexicons(connection)?;
            let catalog = generation.catalog(connection)?;
            let mut found = Vec::new();
            for loaded in &generation.segments {
                let chunks = lexicons.files_with_word(connection, &loaded.segment, word)?;
                // What is dead stays in its segment until that is merged.
                let living = chunks.into_iter().filter(|chunk| {
                    let file = catalog.file_of(*chunk);
                    let is_first = file.is_some_and(|file| file.chunks().start == *chunk);
                    is_first && generation.living.contains(*chunk)
                });
                let files = living.filter_map(|chunk| catalog.file_of(chunk));
                found.extend(files.map(|file| NamingFile {
                    file: file.id(),
                    path: file.path.clone(),
                    language: file.language.to_string(),
                }));
            }
            found.sort_by(|a, b| a.path.cmp(&b.path));
            Ok(found)
        })
    }
}
