//! The files whose text contains a name as a word. Whether the word refers to that name is not
//! known here.

use super::super::snapshot::Snapshot;
use crate::StoreError;
use kenning_model::RepoPath;

/// A file whose text contains a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileWithWord {
    /// Its number in the store.
    pub file: i64,
    pub path: RepoPath,
    pub language: String,
}

impl Snapshot<'_> {
    /// Returns the files that contain a word, ignoring the case of ASCII letters, by path, and
    /// their number. If there are more than `most`, returns the number alone: such a word
    /// distinguishes nothing.
    ///
    /// Characters that are part of a name in some languages (`$of`, `#hush`) are not part of a
    /// word.
    pub fn files_with_word(
        &self,
        word: &str,
        most: usize,
    ) -> Result<(Vec<FileWithWord>, usize), StoreError> {
        self.run(|connection| {
            let generation = &self.generation;
            let lexicons = generation.lexicons(connection)?;
            let file_table = generation.file_table(connection)?;
            let mut chunks = Vec::new();
            for loaded in &generation.segments {
                chunks.extend(lexicons.files_with_word(connection, &loaded.segment, word)?);
            }
            // A tombstone stays in its segment until that is merged.
            chunks.retain(|chunk| generation.alive.contains(*chunk));
            if chunks.len() > most {
                return Ok((Vec::new(), chunks.len()));
            }
            let mut files: Vec<FileWithWord> = chunks
                .iter()
                .filter_map(|chunk| file_table.find_file(*chunk))
                .map(|file| FileWithWord {
                    file: file.id(),
                    path: file.path.clone(),
                    language: file.language.to_string(),
                })
                .collect();
            files.sort_by(|a, b| a.path.cmp(&b.path));
            Ok((files, chunks.len()))
        })
    }

    /// Returns the paths of the files with a word that contains this part, ignoring the case of
    /// ASCII letters, in no order. Very long words are not looked into.
    pub fn paths_with_word_part(&self, part: &str) -> Result<Vec<RepoPath>, StoreError> {
        self.run(|connection| {
            let generation = &self.generation;
            let lexicons = generation.lexicons(connection)?;
            let file_table = generation.file_table(connection)?;
            let mut paths = Vec::new();
            for loaded in &generation.segments {
                let chunks = lexicons.files_with_part(connection, &loaded.segment, part)?;
                let range = loaded.segment.chunks.clone();
                let alive = chunks.iter_in(range).filter(|chunk| generation.alive.contains(*chunk));
                let files = alive.filter_map(|chunk| file_table.find_file(chunk));
                paths.extend(files.map(|file| file.path.clone()));
            }
            Ok(paths)
        })
    }
}
