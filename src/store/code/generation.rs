//! What is kept in memory of one generation. Loaded when first asked for, and from the generation
//! before as far as that still holds: pages and files that did not change are shared.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;

use super::bitmap::Bitmap;
use super::catalog::{Catalog, Exported, Filter};
use super::conditions;
use super::facts::Settings;
use super::failure::Outcome;
use super::lexicon::Lexicons;
use super::segments::{self, Segment};
use super::state::{State, load_living};
use super::text::chunks_with;
use super::vector::VectorPage;
use super::{pages, schema};

pub struct Generation {
    pub number: u64,
    /// Of the file; two files of one name have different births.
    pub birth: String,
    pub settings: Settings,
    pub living: Arc<Bitmap>,
    /// How many chunks live.
    pub chunks: u32,
    pub segments: Vec<LoadedSegment>,
    catalog: Lazy<Catalog>,
    pages: Lazy<Pages>,
    lexicons: Lazy<Lexicons>,
    filters: Mutex<HashMap<Filter, Arc<Bitmap>>>,
}

pub struct LoadedSegment {
    pub segment: Segment,
    /// Relative to the segment's first chunk, ascending.
    pub dead: Vec<u32>,
}

/// The vectors of a generation, by page id.
#[derive(Default)]
pub struct Pages(pub Vec<(i64, Arc<VectorPage>)>);

/// More filters than this are not worth keeping.
const MAX_FILTERS: usize = 64;

impl Generation {
    pub fn load(
        connection: &Connection,
        state: State,
        birth: String,
        before: Option<&Generation>,
    ) -> Outcome<Generation> {
        let living = load_living(connection)?;
        let segments = segments::load(connection)?
            .into_iter()
            .map(|segment| LoadedSegment {
                dead: segment.dead(&living),
                segment,
            });
        Ok(Generation {
            number: state.generation,
            birth,
            settings: schema::read_settings(connection)?,
            chunks: living.count(),
            segments: segments.collect(),
            living: Arc::new(living),
            catalog: Lazy::after(before.map(|before| &before.catalog)),
            pages: Lazy::after(before.map(|before| &before.pages)),
            lexicons: Lazy::after(before.map(|before| &before.lexicons)),
            filters: Mutex::default(),
        })
    }

    /// The living chunks that a filter lets through.
    pub fn allowed(&self, connection: &Connection, filter: &Filter) -> Outcome<Arc<Bitmap>> {
        if filter.is_open() {
            return Ok(self.living.clone());
        }
        let filters = || self.filters.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = filters().get(filter) {
            return Ok(known.clone());
        }
        let mut allowed = self.catalog(connection)?.select(filter)?;
        allowed.intersect(&self.living);
        self.narrow(connection, filter, &mut allowed)?;
        let allowed = Arc::new(allowed);
        let mut filters = filters();
        if filters.len() >= MAX_FILTERS {
            filters.clear();
        }
        filters.insert(filter.clone(), allowed.clone());
        Ok(allowed)
    }

    /// What a filter asks of chunks beyond their files and kinds.
    fn narrow(
        &self,
        connection: &Connection,
        filter: &Filter,
        allowed: &mut Bitmap,
    ) -> Outcome<()> {
        if let Some(chunks) = conditions::chunks(connection, filter)? {
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
            conditions::retain_exported(connection, filter.exported, allowed)?;
        }
        Ok(())
    }

    pub fn catalog(&self, connection: &Connection) -> Outcome<Arc<Catalog>> {
        let load = |before: &Catalog| Catalog::load(connection, self.number, before);
        self.catalog.get(load)
    }

    /// The words of the files, to find text in them.
    pub fn lexicons(&self, connection: &Connection) -> Outcome<Arc<Lexicons>> {
        let segments = || self.segments.iter().map(|loaded| &loaded.segment);
        self.lexicons
            .get(|before| Lexicons::load(connection, segments(), before))
    }

    pub fn pages(&self, connection: &Connection) -> Outcome<Arc<Pages>> {
        let dimension = self.settings.dimension as usize;
        self.pages.get(|before| {
            let known: HashMap<i64, &Arc<VectorPage>> =
                before.0.iter().map(|(id, page)| (*id, page)).collect();
            let mut pages = Vec::new();
            for (id, _) in pages::list(connection)? {
                let page = match known.get(&id) {
                    Some(page) => Arc::clone(page),
                    None => Arc::new(pages::load(connection, id, dimension)?),
                };
                pages.push((id, page));
            }
            Ok(Pages(pages))
        })
    }
}

/// A value that is made when first wanted, out of its predecessor.
struct Lazy<T> {
    state: Mutex<LazyState<T>>,
}

struct LazyState<T> {
    before: Arc<T>,
    made: Option<Arc<T>>,
}

impl<T: Default> Lazy<T> {
    fn after(before: Option<&Lazy<T>>) -> Lazy<T> {
        let before = before.map(|lazy| {
            let state = lazy.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.made.as_ref().unwrap_or(&state.before).clone()
        });
        Lazy {
            state: Mutex::new(LazyState {
                before: before.unwrap_or_default(),
                made: None,
            }),
        }
    }

    /// Others who want it wait while one makes it.
    fn get(&self, make: impl FnOnce(&T) -> Outcome<T>) -> Outcome<Arc<T>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = &state.made {
            return Ok(made.clone());
        }
        let made = Arc::new(make(&state.before)?);
        state.made = Some(made.clone());
        // The predecessor is not wanted any more; its pages may be freed.
        state.before = Arc::default();
        Ok(made)
    }
}
