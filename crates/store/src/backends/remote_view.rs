//! Answers every query of a [`View`] from the rows of a server, so that all servers rank, filter
//! and search text alike, and like the embedded store.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use super::remote_api::{FileRow, PartRow, Retrieval, StoredPart};
use super::remote_collection::RemoteView;
use super::{View, remote_grep};
use crate::StoreError;
use crate::code::{
    ChunkRecord, Definition, FileRecord, Filter, GrepLimits, Hit, IndexSettings, Occurrences,
    Pattern, Skip, Stats, SymbolRecord, TextMatch, folded_hash,
};
use kenning_model::{DefinitionRank, Problem, RepoPath};

impl View for RemoteView<'_> {
    fn settings(&self) -> &IndexSettings {
        &self.head.settings
    }

    fn metadata(&self) -> Result<BTreeMap<String, String>, StoreError> {
        Ok(self.head.metadata.clone())
    }

    fn stats(&self) -> Result<Stats, StoreError> {
        let files = self.all_files()?;
        let size = self.records.size()?;
        let sum =
            |number: fn(&FileRow) -> u32| files.iter().map(|row| u64::from(number(row))).sum();
        Ok(Stats {
            generation: self.head.generation,
            files: files.len() as u64,
            chunks: sum(|row| row.chunks),
            symbols: sum(|row| row.symbols),
            vectors: size.vectors,
            // A server does not show its segments.
            segments: 1,
            bytes: size.bytes,
        })
    }

    fn files(&self) -> Result<Vec<FileRecord>, StoreError> {
        let files = self.all_files()?;
        let records = files.iter().cloned();
        records.map(|row| self.file_record(row)).collect()
    }

    fn file(&self, path: &RepoPath) -> Result<Option<FileRecord>, StoreError> {
        let rows = self.records.files_at(&[path.as_str()])?;
        let row = rows.into_iter().next();
        row.map(|row| self.file_record(row)).transpose()
    }

    fn skips(&self) -> Result<Vec<Skip>, StoreError> {
        Ok(self.records.overview()?.skips)
    }

    fn problems(&self) -> Result<Vec<Problem>, StoreError> {
        let mut problems = self.records.problems()?;
        problems.extend(self.records.overview()?.read_errors);
        problems.sort();
        Ok(problems)
    }

    fn search_terms(
        &self,
        terms: &[(u32, f32)],
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<Hit>, StoreError> {
        let mut found = self.search(&[Retrieval::Words(terms)], filter, limit)?;
        Ok(found.pop().unwrap_or_default())
    }

    fn search_vector(
        &self,
        vector: &[f32],
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<Hit>, StoreError> {
        let mut found = self.search(&[Retrieval::Vector(vector)], filter, limit)?;
        Ok(found.pop().unwrap_or_default())
    }

    fn search_both(
        &self,
        terms: &[(u32, f32)],
        vector: &[f32],
        filter: &Filter,
        limit: usize,
    ) -> Result<(Vec<Hit>, Vec<Hit>), StoreError> {
        let legs = [Retrieval::Words(terms), Retrieval::Vector(vector)];
        let mut found = self.search(&legs, filter, limit)?.into_iter();
        let mut next = || found.next().unwrap_or_default();
        Ok((next(), next()))
    }

    fn occurrences(
        &self,
        terms: &[u32],
        files: &[Range<u32>],
    ) -> Result<Vec<Occurrences>, StoreError> {
        let numbers = self.numbers.borrow();
        // A view knows a file by the number of its first chunk.
        let path = |file: &Range<u32>| numbers.paths.get(&file.start).map(String::as_str);
        let paths: Vec<&str> = files.iter().filter_map(path).collect();
        let rarities = self.records.idfs(terms)?;
        let holding = self.records.files_with_terms(terms, &paths)?;
        let terms = rarities.into_iter().zip(holding);
        let found = terms.map(|(rarity, holding)| {
            let has = |file| path(file).is_some_and(|path| holding.iter().any(|one| one == path));
            Occurrences { idf: rarity, in_ranges: files.iter().map(has).collect() }
        });
        Ok(found.collect())
    }

    fn list(&self, filter: &Filter, limit: usize) -> Result<Vec<u32>, StoreError> {
        let selection = self.selection(filter)?;
        let rows = self.records.list(&selection, limit, &|| self.all_files())?.into_iter();
        rows.map(|row| self.number_chunk(row)).collect()
    }

    fn chunks(&self, numbers: &[u32]) -> Result<Vec<ChunkRecord>, StoreError> {
        let mut known = self.numbers.borrow_mut();
        let mut chunks = Vec::with_capacity(numbers.len());
        for number in numbers {
            let Some(row) = known.chunks.get(number).cloned() else {
                continue;
            };
            let of_file = known.assign_file(&row.path, row.count);
            chunks.push(ChunkRecord {
                id: *number,
                file_chunks: of_file,
                path: RepoPath::new(&row.path).ok_or_else(|| self.damaged_error(&row.path))?,
                language: row.language,
                package: row.package,
                kind: row.kind,
                is_test: row.is_test,
                symbol: row.symbol,
                scope: row.scope,
                // Servers do not store the line of the name.
                line: None,
                span: row.span,
            });
        }
        Ok(chunks)
    }

    fn texts(&self, chunks: &[ChunkRecord]) -> Result<Vec<String>, StoreError> {
        // Hits of one search often share files; each text is fetched once.
        let mut paths: Vec<&str> = chunks.iter().map(|chunk| chunk.path.as_str()).collect();
        paths.sort_unstable();
        paths.dedup();
        let mut texts: HashMap<String, Vec<u8>> = HashMap::new();
        for PartRow { path, packed, .. } in self.read_parts(&paths, StoredPart::Text)? {
            let text = self.decompress_text(&path, &packed)?;
            texts.insert(path, text);
        }
        let text = |chunk: &ChunkRecord| {
            let path = chunk.path.as_str();
            let range = chunk.span.start_byte as usize..chunk.span.end_byte as usize;
            let bytes = texts.get(path).and_then(|text| text.get(range));
            let text = bytes.and_then(|bytes| std::str::from_utf8(bytes).ok());
            Ok(text.ok_or_else(|| self.damaged_error(path))?.to_string())
        };
        chunks.iter().map(text).collect()
    }

    fn are_headers(&self, chunks: &[ChunkRecord]) -> Result<Vec<bool>, StoreError> {
        let numbers = self.numbers.borrow();
        let row = |chunk: &ChunkRecord| numbers.chunks.get(&chunk.id);
        let chunks = chunks.iter();
        Ok(chunks.map(|one| row(one).is_some_and(|row| row.is_header)).collect())
    }

    fn definitions(
        &self,
        name: &str,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<Definition>, StoreError> {
        let hash = folded_hash(name);
        // The server returns files by the hash of the name; the symbols of each are then compared.
        let mut defining = self.records.files_defining(hash, limit.max(MANY_FILES))?;
        defining.sort();
        let paths: Vec<&str> = defining.iter().map(String::as_str).collect();
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let mut symbols = self.symbols_in_files(&paths)?;
        let folded = name.to_lowercase();
        symbols.retain(|symbol| symbol.fact.name.to_lowercase() == folded);
        let mut rows = self.records.chunks_of(&paths, &self.selection(filter)?)?;
        rows.sort_by(|a, b| (&a.path, a.ordinal).cmp(&(&b.path, b.ordinal)));
        // As in the embedded store: of a very common name only the best definitions are kept, among
        // the files that the filter accepts.
        if paths.len() > limit {
            let allowed: HashSet<&str> = rows.iter().map(|row| row.path.as_str()).collect();
            symbols.retain(|symbol| allowed.contains(symbol.path.as_str()));
            symbols = best_definitions(symbols, name, limit);
        }
        let found = symbols.into_iter().map(|symbol| {
            let chunks = self.chunks_showing(&symbol, &rows)?;
            Ok(Definition { chunks, symbol })
        });
        found.collect()
    }

    fn symbols_in(&self, path: &RepoPath) -> Result<Vec<SymbolRecord>, StoreError> {
        self.symbols_in_files(&[path.as_str()])
    }

    fn find_text(
        &self,
        pattern: &Pattern,
        filter: &Filter,
        bounds: GrepLimits,
    ) -> Result<Vec<TextMatch>, StoreError> {
        let found = remote_grep::find_text(self, pattern, &self.selection(filter)?, bounds)?
            .into_iter()
            .map(|(row, lines)| {
                let chunk = self.number_chunk(row)?;
                Ok(TextMatch { chunk, lines })
            });
        found.collect()
    }
}

/// The most files that are searched for the definitions of one name.
const MANY_FILES: usize = 1000;

/// Picks the `limit` best definitions of a name, ranked as in the embedded store. Keeps their
/// order.
fn best_definitions(symbols: Vec<SymbolRecord>, name: &str, limit: usize) -> Vec<SymbolRecord> {
    let mut ranked: Vec<(usize, SymbolRecord)> = symbols.into_iter().enumerate().collect();
    ranked.sort_by_key(|(_, symbol)| {
        let fact = &symbol.fact;
        let standing = DefinitionRank::new(fact.kind, &fact.name, fact.scope.as_deref());
        (fact.name != name, fact.is_test, standing)
    });
    ranked.truncate(limit);
    ranked.sort_by_key(|(place, _)| *place);
    ranked.into_iter().map(|(_, symbol)| symbol).collect()
}
