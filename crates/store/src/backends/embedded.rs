//! The embedded store as a [`Backend`]: a folder of collections, each one database. Every query is
//! delegated to [`Snapshot`]; the trait costs one virtual call per query.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use super::{
    Backend, BackendCapabilities, BackendEntry, CollectionInfo, CollectionReader, CollectionWriter,
    ServerInfo, View, WriterStart,
};
use crate::code::{
    AllNamesDirty, Changes, ChunkRecord, Definition, FileRecord, Filter, GrepLimits, Hit,
    IndexSettings, Occurrences, Pattern, Reader, Skip, Snapshot, Stats, SymbolRecord, TextMatch,
    Writer,
};
use crate::{Collections, StoreError};
use kenning_model::{Problem, RepoPath, Silent};

/// The registry entry. `url` is the path of `KEN_HOME`.
pub const ENTRY: BackendEntry = BackendEntry {
    name: "embedded",
    caps: BackendCapabilities {
        snapshots: true,
        exact_vectors: true,
        exact_rarity: true,
        shared: false,
    },
    summary: "one file for each repository, under KEN_HOME",
    variable: "",
    connect: |connection| Ok(Arc::new(Embedded { home: PathBuf::from(&connection.url) })),
};

/// The collections of one `KEN_HOME`.
struct Embedded {
    home: PathBuf,
}

impl Embedded {
    /// Returns the collection of that name.
    fn collection(&self, name: &str) -> Result<crate::Collection, StoreError> {
        let all = Collections::in_home(&self.home).all();
        let named = all.into_iter().find(|one| one.name == name);
        named.ok_or_else(|| StoreError::Unknown { name: name.to_string() })
    }
}

impl Backend for Embedded {
    fn server_info(&self) -> Result<ServerInfo, StoreError> {
        Ok(ServerInfo {
            server: format!("files in {}", self.home.display()),
            silent_urls: Vec::new(),
        })
    }

    fn collections(&self) -> Result<Vec<CollectionInfo>, StoreError> {
        let all = Collections::in_home(&self.home).all().into_iter();
        let cards = all.filter(|one| one.has_code()).map(|one| CollectionInfo {
            advertised_url: None,
            root: one.root.to_string_lossy().into_owned(),
            name: one.name,
        });
        Ok(cards.collect())
    }

    fn open(&self, name: &str) -> Result<Box<dyn CollectionReader>, StoreError> {
        let database = self.collection(name)?.code_database();
        match Reader::open(&database) {
            Ok(reader) => Ok(Box::new(reader)),
            // Without code there is nothing to search: to callers, that is a collection that does
            // not exist.
            Err(StoreError::Missing { .. } | StoreError::Empty { .. }) => {
                Err(StoreError::Unknown { name: name.to_string() })
            }
            Err(error) => Err(error),
        }
    }

    fn write(
        &self,
        card: &CollectionInfo,
        settings: &IndexSettings,
        begin: WriterStart,
    ) -> Result<Box<dyn CollectionWriter>, StoreError> {
        let root = PathBuf::from(&card.root);
        let collection =
            Collections::in_home(&self.home).find_or_create(&root, Some(&card.name))?;
        let database = collection.code_database();
        let opened = match begin {
            WriterStart::Update => Writer::open(&database, settings, &AllNamesDirty, &Silent),
            WriterStart::Rebuild => Writer::rebuild(&database, settings, &AllNamesDirty, &Silent),
        };
        let writer = match opened {
            // An index of another version or with other settings cannot be updated.
            Err(error) if error.needs_rebuild() => {
                Writer::rebuild(&database, settings, &AllNamesDirty, &Silent)?
            }
            opened => opened?,
        };
        Ok(Box::new(writer))
    }

    fn remove(&self, name: &str) -> Result<(), StoreError> {
        let collection = self.collection(name)?;
        Collections::in_home(&self.home).remove(&collection, &Silent)
    }
}

impl CollectionReader for Reader {
    fn view(&self) -> Result<Box<dyn View + '_>, StoreError> {
        Ok(Box::new(self.snapshot()?))
    }
}

impl CollectionWriter for Writer {
    fn known_files(&mut self) -> Result<BTreeMap<RepoPath, [u8; 32]>, StoreError> {
        let files = Writer::previous_index(self)?.files.into_iter();
        Ok(files.map(|file| (file.stamp.path, file.hash)).collect())
    }

    fn apply(&mut self, changes: &Changes) -> Result<u64, StoreError> {
        Writer::apply(self, changes)
    }

    fn publish(self: Box<Self>) -> Result<(), StoreError> {
        Writer::publish(*self)
    }
}

impl View for Snapshot<'_> {
    fn settings(&self) -> &IndexSettings {
        Snapshot::settings(self)
    }

    fn metadata(&self) -> Result<BTreeMap<String, String>, StoreError> {
        Snapshot::metadata(self)
    }

    fn stats(&self) -> Result<Stats, StoreError> {
        Snapshot::stats(self)
    }

    fn files(&self) -> Result<Vec<FileRecord>, StoreError> {
        Snapshot::files(self)
    }

    fn paths(&self) -> Result<Vec<RepoPath>, StoreError> {
        Snapshot::paths(self)
    }

    fn file(&self, path: &RepoPath) -> Result<Option<FileRecord>, StoreError> {
        Snapshot::file(self, path)
    }

    fn skips(&self) -> Result<Vec<Skip>, StoreError> {
        Snapshot::skips(self)
    }

    fn problems(&self) -> Result<Vec<Problem>, StoreError> {
        Snapshot::problems(self)
    }

    fn search_terms(
        &self,
        terms: &[(u32, f32)],
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<Hit>, StoreError> {
        Snapshot::search_terms(self, terms, filter, limit)
    }

    fn search_vector(
        &self,
        vector: &[f32],
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<Hit>, StoreError> {
        Snapshot::search_vector(self, vector, filter, limit)
    }

    fn search_both(
        &self,
        terms: &[(u32, f32)],
        vector: &[f32],
        filter: &Filter,
        limit: usize,
    ) -> Result<(Vec<Hit>, Vec<Hit>), StoreError> {
        Snapshot::search_both(self, terms, vector, filter, limit)
    }

    fn occurrences(
        &self,
        terms: &[u32],
        files: &[Range<u32>],
    ) -> Result<Vec<Occurrences>, StoreError> {
        Snapshot::occurrences(self, terms, files)
    }

    fn list(&self, filter: &Filter, limit: usize) -> Result<Vec<u32>, StoreError> {
        Snapshot::list(self, filter, limit)
    }

    fn chunks(&self, numbers: &[u32]) -> Result<Vec<ChunkRecord>, StoreError> {
        Snapshot::chunks(self, numbers)
    }

    fn texts(&self, chunks: &[ChunkRecord]) -> Result<Vec<String>, StoreError> {
        Snapshot::texts(self, chunks)
    }

    fn are_headers(&self, chunks: &[ChunkRecord]) -> Result<Vec<bool>, StoreError> {
        Snapshot::are_headers(self, chunks)
    }

    fn definitions(
        &self,
        name: &str,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<Definition>, StoreError> {
        Snapshot::definitions(self, name, filter, limit)
    }

    fn symbols_in(&self, path: &RepoPath) -> Result<Vec<SymbolRecord>, StoreError> {
        Snapshot::symbols_in(self, path)
    }

    fn find_text(
        &self,
        pattern: &Pattern,
        filter: &Filter,
        bounds: GrepLimits,
    ) -> Result<Vec<TextMatch>, StoreError> {
        Snapshot::find_text(self, pattern, filter, bounds)
    }
}
