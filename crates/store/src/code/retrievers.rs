//! The two retrievers of a snapshot: by words (BM25) and by vectors. Each returns a ranked list;
//! their fusion happens in `query`.

use std::ops::Range;
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

use rusqlite::Connection;

use super::bitmap::Bitmap;
use super::bm25_scorer::{ScoreWindow, TermList, count_dead, mark_ranges, score_segment};
use super::error::{StatementError, StoreResult};
use super::file_filter::{FileTable, Filter};
use super::generation::{Generation, VectorPages};
use super::hit::{Hit, TopHits, into_hits};
use super::snapshot::Snapshot;
use super::vector_page_format::{VectorPage, VectorQuery};
use super::vector_scan::VectorScan;
use super::{postings, segments};
use crate::StoreError;
use kenning_text::bm25;

impl Snapshot<'_> {
    /// Returns the `limit` chunks with the highest BM25 score for `terms` (hash, weight in the
    /// query), best first. A chunk needs only one of the terms.
    pub fn search_terms(
        &self,
        terms: &[(u32, f32)],
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<Hit>, StoreError> {
        let asked: Vec<u32> = terms.iter().map(|(term, _)| *term).collect();
        let lists = self.posting_lists(&asked)?;
        self.run(|connection| {
            search_terms(connection, &self.generation, (terms, &lists), filter, limit)
        })
    }

    /// Returns the number of alive chunks, and for each term the number of those that contain it:
    /// its document frequency.
    pub fn count_chunks_with(&self, terms: &[u32]) -> Result<(u32, Vec<u32>), StoreError> {
        let (_, holding) = &*self.posting_lists(terms)?;
        Ok((self.generation.chunks, holding.clone()))
    }

    /// Returns for each term its idf, and a flag for each of `ranges` of chunks in which it occurs.
    /// The ranges ascend and do not overlap.
    pub fn occurrences(
        &self,
        terms: &[u32],
        ranges: &[Range<u32>],
    ) -> Result<Vec<Occurrences>, StoreError> {
        let found = self.posting_lists(terms)?;
        let (lists, holding) = &*found;
        self.run(|_| {
            let idf = |holding| bm25::idf(self.generation.chunks, holding);
            let mut found: Vec<Occurrences> = holding
                .iter()
                .map(|holding| Occurrences {
                    idf: idf(*holding),
                    in_ranges: vec![false; ranges.len()],
                })
                .collect();
            for (loaded, row) in self.generation.segments.iter().zip(lists) {
                let base = loaded.segment.chunks.start;
                for (list, found) in row.iter().zip(&mut found) {
                    if let Some(list) = list {
                        mark_ranges(list, base, ranges, &mut found.in_ranges)?;
                    }
                }
            }
            Ok(found)
        })
    }

    /// Returns the `limit` chunks whose vectors have the greatest dot product with `vector`, best
    /// first.
    pub fn search_vector(
        &self,
        vector: &[f32],
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<Hit>, StoreError> {
        self.run(|connection| Ok(self.prepare_scan(connection, vector, filter, limit)?.run()))
    }

    /// Runs both retrievers at the same time: words, then vectors.
    pub fn search_both(
        &self,
        terms: &[(u32, f32)],
        vector: &[f32],
        filter: &Filter,
        limit: usize,
    ) -> Result<(Vec<Hit>, Vec<Hit>), StoreError> {
        self.run(|connection| {
            let scan = self.prepare_scan(connection, vector, filter, limit)?;
            let by_words = || -> StoreResult<Vec<Hit>> {
                let asked: Vec<u32> = terms.iter().map(|(term, _)| *term).collect();
                let lists = self.read_lists(connection, &asked)?;
                search_terms(connection, &self.generation, (terms, &lists), filter, limit)
            };
            // On threads of its own: in the shared pool it would wait behind files that are being
            // indexed.
            // A thread would take longer to start than the scan takes.
            if scan.is_short() {
                return Ok((by_words()?, scan.run()));
            }
            std::thread::scope(|scope| {
                let scanning = scope.spawn(|| scan.run());
                let by_words = by_words()?;
                let by_meaning = scanning.join().expect("a scan does not panic");
                Ok((by_words, by_meaning))
            })
        })
    }

    /// Returns the posting lists of these terms, with their document frequencies.
    fn posting_lists(&self, terms: &[u32]) -> Result<Rc<TermPostings>, StoreError> {
        self.run(|connection| self.read_lists(connection, terms))
    }

    /// Reads posting lists, or returns those of the last call if the terms are the same: one
    /// request asks for the terms of its query several times.
    fn read_lists(&self, connection: &Connection, terms: &[u32]) -> StoreResult<Rc<TermPostings>> {
        let mut known = self.last_lists.borrow_mut();
        if let Some((asked, lists)) = known.as_ref()
            && asked == terms
        {
            return Ok(lists.clone());
        }
        let found = Rc::new(load_lists(connection, &self.generation, terms)?);
        *known = Some((terms.to_vec(), found.clone()));
        Ok(found)
    }

    /// Collects everything that a vector search needs, so that it can run without the connection.
    fn prepare_scan(
        &self,
        connection: &Connection,
        vector: &[f32],
        filter: &Filter,
        limit: usize,
    ) -> StoreResult<VectorSearch> {
        let dimension = self.generation.settings.dimension as usize;
        if vector.len() != dimension {
            let found = vector.len();
            let what = format!("a question of {found} dimensions among vectors of {dimension}");
            return Err(StatementError::InvalidArgument(what));
        }
        let generation = &self.generation;
        let (pages, (allowed, file_table)) = generation.pages(connection, self.path(), || {
            let allowed = generation.allowed_chunks(connection, filter)?;
            Ok((allowed, generation.file_table(connection)?))
        })?;
        Ok(VectorSearch { allowed, file_table, pages, query: VectorQuery::new(vector), limit })
    }
}

/// The occurrences of one query term.
#[derive(Clone, Debug, PartialEq)]
pub struct Occurrences {
    /// Its inverse document frequency.
    pub idf: f32,
    /// True for each requested range in which a chunk has the term.
    pub in_ranges: Vec<bool>,
}

/// To ask the system takes longer than to scan a small collection.
// Asking the system takes longer than scanning a small collection.
static CORES: LazyLock<usize> =
    LazyLock::new(|| std::thread::available_parallelism().map_or(1, usize::from));

/// A vector search, ready to run on any thread.
struct VectorSearch {
    allowed: Arc<Bitmap>,
    file_table: Arc<FileTable>,
    pages: Arc<VectorPages>,
    query: VectorQuery,
    limit: usize,
}

impl VectorSearch {
    /// True if a thread costs more than it saves.
    fn is_short(&self) -> bool {
        const FEW: usize = 20_000;
        let vectors = self.pages.0.iter().map(|(_, page)| page.chunks.len());
        vectors.sum::<usize>() < FEW
    }

    /// Scans all pages, on all cores if there are many. The parts are merged by score and id, so
    /// the result does not depend on the number of cores.
    fn run(&self) -> Vec<Hit> {
        let pages = &self.pages.0;
        let share = pages.len().div_ceil(*CORES).max(1);
        if self.is_short() || share >= pages.len() {
            return self.scan_pages(pages);
        }
        let (own, others) = pages.split_at(share);
        let parts: Vec<Vec<Hit>> = std::thread::scope(|scope| {
            let scan = |pages| scope.spawn(move || self.scan_pages(pages));
            let threads: Vec<_> = others.chunks(share).map(scan).collect();
            let own = [self.scan_pages(own)].into_iter();
            let parts = threads.into_iter().map(|part| part.join().expect("a scan does not panic"));
            own.chain(parts).collect()
        });
        let mut top = TopHits::new(self.limit, &self.file_table);
        for hit in parts.into_iter().flatten() {
            top.offer(hit.chunk, hit.score);
        }
        into_hits(top)
    }

    /// Returns the best chunks of some pages.
    fn scan_pages(&self, pages: &[(i64, Arc<VectorPage>)]) -> Vec<Hit> {
        let mut top = TopHits::new(self.limit, &self.file_table);
        let pages: Vec<&VectorPage> = pages.iter().map(|(_, page)| page.as_ref()).collect();
        VectorScan::new(&self.query).run(&pages, &self.allowed, &mut top);
        into_hits(top)
    }
}

/// With the lists of the terms.
fn search_terms(
    connection: &Connection,
    generation: &Generation,
    (terms, found): (&[(u32, f32)], &TermPostings),
    filter: &Filter,
    limit: usize,
) -> StoreResult<Vec<Hit>> {
    let allowed = generation.allowed_chunks(connection, filter)?;
    let (lists, holding) = found;
    let factors: Vec<f32> = terms
        .iter()
        .zip(holding)
        .map(|((_, weight), holding)| weight * bm25::idf(generation.chunks, *holding))
        .collect();
    let file_table = generation.file_table(connection)?;
    let mut top = TopHits::new(limit, &file_table);
    let mut sums = ScoreWindow::default();
    for (loaded, row) in generation.segments.iter().zip(lists) {
        let terms: Vec<TermList> = row
            .iter()
            .zip(&factors)
            .filter_map(|(list, factor)| {
                let postings = list.as_deref()?;
                (*factor > 0.0).then_some(TermList { postings, factor: *factor })
            })
            .collect();
        score_segment(loaded.segment.chunks.start, &terms, &allowed, &mut sums, &mut top)?;
    }
    Ok(into_hits(top))
}

/// Posting lists by segment, then by term; `None` if the segment does not have the term.
type PostingLists = Vec<Vec<Option<Vec<u8>>>>;

/// The lists of some terms, and how many alive chunks have each.
pub(super) type TermPostings = (PostingLists, Vec<u32>);

fn load_lists(
    connection: &Connection,
    generation: &Generation,
    terms: &[u32],
) -> StoreResult<TermPostings> {
    let mut lists = Vec::new();
    let mut holding = vec![0; terms.len()];
    for loaded in &generation.segments {
        let mut row = Vec::with_capacity(terms.len());
        for (term, holding) in terms.iter().zip(&mut holding) {
            let list = segments::read_list(connection, loaded.segment.id, *term)?;
            if let Some(list) = &list {
                // Tombstones still have postings, but do not count for the document frequency.
                let dead = count_dead(list, &loaded.tombstones)?;
                *holding += (postings::count(list)? as u32).saturating_sub(dead);
            }
            row.push(list);
        }
        lists.push(row);
    }
    Ok((lists, holding))
}
