//! The in-memory state of one generation, shared by all snapshots of it.
//!
//! The alive bitset and the segment list are loaded at once. The file table, vectors, lexicons and
//! names are loaded on first use, each from its predecessor of the generation before: whatever has
//! the same id is the same, because ids are never reused.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;

use super::bitmap::Bitmap;
use super::collection_counters::{Counters, load_alive};
use super::error::StoreResult;
use super::file_filter::{Exported, FileTable, Filter};
use super::filter_sql;
use super::grep::chunks_with;
use super::records::IndexSettings;
use super::segments::{self, Segment};
use super::symbol_names::{DefinedNames, NameIndex};
use super::text_cache::TextCache;
use super::varint::Malformed;
use super::vector_page_format::VectorPage;
use super::word_index::Lexicons;
use super::{schema, vector_page_table};

/// One generation of one database file.
pub struct Generation {
    pub number: u64,
    /// The unique id of the database file. Two files of the same name differ in it.
    pub file_uuid: String,
    pub settings: IndexSettings,
    pub alive: Arc<Bitmap>,
    /// The number of alive chunks.
    pub chunks: u32,
    pub segments: Vec<LoadedSegment>,
    file_table: Lazy<FileTable>,
    pages: Lazy<VectorPages>,
    lexicons: Lazy<Lexicons>,
    names: Lazy<NameIndex>,
    /// The chunks that recent filters accept. Dropped as a whole when [`MAX_FILTERS`] are reached.
    filters: Mutex<HashMap<Filter, Arc<Bitmap>>>,
    pub(super) texts: TextCache,
}

/// A segment with its tombstones.
pub struct LoadedSegment {
    pub segment: Segment,
    /// Relative to the segment's first chunk, ascending.
    pub tombstones: Vec<u32>,
}

/// The vectors of a generation, by page id.
#[derive(Default)]
pub struct VectorPages(pub Vec<(i64, Arc<VectorPage>)>);

/// More filters than this are not worth keeping.
const MAX_FILTERS: usize = 64;

impl Generation {
    /// Loads the parts that every query needs. `predecessor` is the newest generation in memory, if
    /// it is of the same file.
    pub fn load(
        connection: &Connection,
        state: Counters,
        file_uuid: String,
        predecessor: Option<&Generation>,
    ) -> StoreResult<Generation> {
        let alive = load_alive(connection)?;
        let segments = segments::load(connection)?
            .into_iter()
            .map(|segment| LoadedSegment { tombstones: segment.tombstones(&alive), segment });
        Ok(Generation {
            number: state.generation,
            file_uuid,
            settings: schema::read_settings(connection)?,
            chunks: alive.count(),
            segments: segments.collect(),
            alive: Arc::new(alive),
            file_table: Lazy::with_predecessor(predecessor.map(|before| &before.file_table)),
            pages: Lazy::with_predecessor(predecessor.map(|before| &before.pages)),
            lexicons: Lazy::with_predecessor(predecessor.map(|before| &before.lexicons)),
            names: Lazy::with_predecessor(predecessor.map(|before| &before.names)),
            filters: Mutex::default(),
            texts: TextCache::default(),
        })
    }

    /// Returns the file table.
    pub fn file_table(&self, connection: &Connection) -> StoreResult<Arc<FileTable>> {
        let number = self.number;
        let load = |before: &FileTable| FileTable::load(connection, number, before);
        self.file_table.get_or_make(load)
    }

    /// Returns the alive chunks that a filter accepts. Results are cached per filter.
    pub fn allowed_chunks(
        &self,
        connection: &Connection,
        filter: &Filter,
    ) -> StoreResult<Arc<Bitmap>> {
        if filter.matches_all() {
            return Ok(self.alive.clone());
        }
        let lock_filters = || self.filters.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock_filters().get(filter) {
            return Ok(known.clone());
        }
        let mut bitmap = self.file_table(connection)?.select_chunks(filter)?;
        bitmap.intersect(&self.alive);
        self.narrow_chunks(connection, filter, &mut bitmap)?;
        let allowed = Arc::new(bitmap);
        let mut filters = lock_filters();
        if filters.len() >= MAX_FILTERS {
            filters.clear();
        }
        filters.insert(filter.clone(), allowed.clone());
        Ok(allowed)
    }

    /// Narrows `allowed` by the conditions beyond files and kinds: names, scopes, lines, text,
    /// visibility.
    fn narrow_chunks(
        &self,
        connection: &Connection,
        filter: &Filter,
        allowed: &mut Bitmap,
    ) -> StoreResult<()> {
        if let Some(chunks) = filter_sql::select_chunks(connection, filter)? {
            allowed.intersect(&chunks);
        }
        if !filter.texts.is_empty() {
            let mut with_text = Bitmap::default();
            for text in &filter.texts {
                with_text.unite(&chunks_with(connection, self, text, allowed)?);
            }
            allowed.intersect(&with_text);
        }
        if filter.exported != Exported::Either {
            filter_sql::retain_exported(connection, filter.exported, allowed)?;
        }
        Ok(())
    }

    /// Returns the word index of all segments.
    pub fn lexicons(&self, connection: &Connection) -> StoreResult<Arc<Lexicons>> {
        let segments = || self.segments.iter().map(|loaded| &loaded.segment);
        self.lexicons.get_or_make(|before| Lexicons::load(connection, segments(), before))
    }

    /// Returns the index of all definitions' names.
    pub fn defined_names(&self, connection: &Connection) -> StoreResult<DefinedNames> {
        let segments = || self.segments.iter().map(|loaded| &loaded.segment);
        let names =
            self.names.get_or_make(|before| NameIndex::load(connection, segments(), before))?;
        Ok(DefinedNames {
            names,
            file_table: self.file_table(connection)?,
            alive: self.alive.clone(),
        })
    }

    /// Returns the vectors, and the result of `meanwhile`. Pages that are not in memory yet are
    /// read by several threads, because the first query waits for all of them; `meanwhile` runs on
    /// this thread in that time.
    pub fn pages<T>(
        &self,
        connection: &Connection,
        path: &Path,
        meanwhile: impl FnOnce() -> StoreResult<T>,
    ) -> StoreResult<(Arc<VectorPages>, T)> {
        let mut meanwhile = Some(meanwhile);
        let mut done = None;
        let pages = self.pages.get_or_make(|before| {
            let known: HashMap<i64, &Arc<VectorPage>> =
                before.0.iter().map(|(id, page)| (*id, page)).collect();
            let ids: Vec<i64> =
                vector_page_table::list_pages(connection)?.iter().map(|(id, _)| *id).collect();
            let missing = ids.iter().copied().filter(|id| !known.contains_key(id));
            let loading = PageLoader::new(missing.collect(), self);
            let mut loaded = loading.run(connection, path, || {
                done = meanwhile.take().map(|meanwhile| meanwhile());
            })?;
            let pages = ids.into_iter().map(|id| match known.get(&id) {
                Some(page) => Ok((id, Arc::clone(page))),
                None => Ok((id, Arc::new(loaded.remove(&id).ok_or(Malformed)?))),
            });
            Ok(VectorPages(pages.collect::<Result<_, Malformed>>()?))
        })?;
        let done = match meanwhile {
            Some(meanwhile) => meanwhile(),
            None => done.expect("whoever takes it does it"),
        };
        Ok((pages, done?))
    }
}

/// Loads pages on several threads, which take the next id from a shared counter.
struct PageLoader<'g> {
    ids: Vec<i64>,
    /// The index of the next page to load, shared by all threads.
    next: AtomicUsize,
    generation: &'g Generation,
}

type LoadedPages = HashMap<i64, VectorPage>;

impl<'g> PageLoader<'g> {
    fn new(ids: Vec<i64>, generation: &'g Generation) -> PageLoader<'g> {
        PageLoader { ids, next: AtomicUsize::new(0), generation }
    }

    /// Runs the threads, and returns all pages.
    fn run(
        &self,
        connection: &Connection,
        path: &Path,
        meanwhile: impl FnOnce(),
    ) -> StoreResult<LoadedPages> {
        /// Fewer are read sooner than another connection is opened.
        const FEW: usize = 4;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let helpers = if self.ids.len() > FEW { cores.saturating_sub(1).clamp(1, 8) } else { 0 };
        let mut loaded = std::thread::scope(|scope| {
            let help = || scope.spawn(|| self.load_with_own_connection(path));
            let helpers: Vec<_> = (0..helpers).map(|_| help()).collect();
            meanwhile();
            let mut loaded = self.load_remaining(connection);
            for helper in helpers {
                loaded.extend(helper.join().expect("reading does not panic"));
            }
            loaded
        });
        // Loads the pages that a helper took and could not read.
        for id in &self.ids {
            if !loaded.contains_key(id) {
                loaded.insert(*id, self.load_page(connection, *id)?);
            }
        }
        Ok(loaded)
    }

    /// Loads pages on a connection of its own, which may see a later generation. A page that still
    /// exists is the same, because ids are never reused. The caller retries what fails here.
    fn load_with_own_connection(&self, path: &Path) -> LoadedPages {
        let Ok(opened) = schema::open_to_read(path) else {
            return LoadedPages::new();
        };
        let connection = &opened.connection;
        let is_same_file = connection.execute_batch("BEGIN").is_ok()
            && schema::read_file_uuid(connection)
                .is_ok_and(|file_uuid| file_uuid == self.generation.file_uuid);
        if is_same_file { self.load_remaining(connection) } else { LoadedPages::new() }
    }

    /// Loads pages until none is left. Skips those that fail: `run` tries them once more and then
    /// reports the error.
    fn load_remaining(&self, connection: &Connection) -> LoadedPages {
        let mut loaded = LoadedPages::new();
        while let Some(id) = self.ids.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            if let Ok(page) = self.load_page(connection, *id) {
                loaded.insert(*id, page);
            }
        }
        loaded
    }

    fn load_page(&self, connection: &Connection, id: i64) -> StoreResult<VectorPage> {
        let dimension = self.generation.settings.dimension as usize;
        vector_page_table::load_page(connection, id, dimension)
    }
}

/// A value that is computed on first use from its predecessor, the value of the generation before.
struct Lazy<T> {
    state: Mutex<LazyState<T>>,
}

struct LazyState<T> {
    before: Arc<T>,
    value: Option<Arc<T>>,
}

impl<T: Default> Lazy<T> {
    /// Takes the predecessor's value if it was computed, else the predecessor's own predecessor. So
    /// a part that several generations never used is still loaded incrementally.
    fn with_predecessor(before: Option<&Lazy<T>>) -> Lazy<T> {
        let before = before.map(|lazy| {
            let state = lazy.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.value.as_ref().unwrap_or(&state.before).clone()
        });
        Lazy { state: Mutex::new(LazyState { before: before.unwrap_or_default(), value: None }) }
    }

    /// Returns the value. Other threads wait while one computes it. After an error the next call
    /// tries again.
    fn get_or_make(&self, make: impl FnOnce(&T) -> StoreResult<T>) -> StoreResult<Arc<T>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = &state.value {
            return Ok(made.clone());
        }
        let made = Arc::new(make(&state.before)?);
        state.value = Some(made.clone());
        // The predecessor is not wanted any more; its pages may be freed.
        state.before = Arc::default();
        Ok(made)
    }
}
