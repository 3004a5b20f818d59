//! A small BM25 index in memory, over documents in prose.

use foldhash::HashMap;

use crate::bm25::{Parameters, idf};
use crate::prose_tokenizer::{query_terms, terms};

/// A part of a document. An occurrence of a term in it counts `weight` times.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// The text of the field, as it was written.
    pub text: &'a str,
    /// The weight of each of its terms.
    pub weight: f32,
}

/// The inverted index of a fixed list of documents.
///
/// Lengths are normalized by document, not by field as in BM25F. That ranks skills equally well
/// (NDCG@10 0.895 against 0.894) and specs the same, and lets a document have any number of fields.
///
/// ```
/// use kenning_text::bm25::STANDARD;
/// use kenning_text::bm25_index::{Bm25Index, Field};
///
/// let document = |name, body| {
///     vec![Field { text: name, weight: 3.0 }, Field { text: body, weight: 1.0 }]
/// };
/// let documents = [
///     document("Notes", "Keeps notes; some mention a form"),
///     document("Forms", "Fills PDF forms"),
/// ];
/// let found = Bm25Index::new(STANDARD, documents).scores("fill in this form");
/// assert!(found.documents[1] > found.documents[0]);
/// assert!(found.documents[1] < found.bound);
/// ```
#[derive(Debug)]
pub struct Bm25Index {
    /// The documents of each term, with the term's saturated frequency in them.
    postings: HashMap<String, Vec<(usize, f32)>>,
    documents: usize,
}

/// The scores of all documents for one query.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryScores {
    /// One score for each document, in their order; zero if it has no term of the query.
    pub documents: Vec<f32>,
    /// The sum of the terms' inverse document frequencies, which no score reaches. A term that no
    /// document has counts as much as the rarest one.
    pub bound: f32,
}

impl Bm25Index {
    /// Indexes the documents.
    pub fn new<'a>(
        parameters: Parameters,
        documents: impl IntoIterator<Item = Vec<Field<'a>>>,
    ) -> Bm25Index {
        let mut postings: HashMap<String, Vec<(usize, f32)>> = HashMap::default();
        let mut lengths = Vec::new();
        for (document, fields) in documents.into_iter().enumerate() {
            let mut frequencies: HashMap<String, f32> = HashMap::default();
            let mut length = 0.0;
            for field in fields {
                for term in terms(field.text) {
                    *frequencies.entry(term).or_default() += field.weight;
                    length += field.weight;
                }
            }
            lengths.push(length);
            for (term, frequency) in frequencies {
                postings.entry(term).or_default().push((document, frequency));
            }
        }
        let mean = lengths.iter().sum::<f32>() / lengths.len().max(1) as f32;
        for (document, frequency) in postings.values_mut().flatten() {
            *frequency = parameters.saturate(*frequency, lengths[*document], mean.max(1.0));
        }
        Bm25Index { postings, documents: lengths.len() }
    }

    /// Scores every document against the query's terms, stop words left out.
    pub fn scores(&self, query: &str) -> QueryScores {
        let mut scores = QueryScores { documents: vec![0.0; self.documents], bound: 0.0 };
        for term in query_terms(query) {
            let postings = self.postings.get(&term).map_or(&[][..], Vec::as_slice);
            let idf = idf(self.documents as u32, postings.len() as u32);
            scores.bound += idf;
            for (document, saturated) in postings {
                scores.documents[*document] += idf * saturated;
            }
        }
        scores
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bm25::STANDARD;

    fn scores(documents: &[&str], query: &str) -> QueryScores {
        let fields = documents.iter().map(|text| vec![Field { text, weight: 1.0 }]);
        Bm25Index::new(STANDARD, fields).scores(query)
    }

    #[test]
    fn rare_terms_and_more_terms_score_higher() {
        let documents = ["cache entries expire", "cache is filled", "the cache"];
        let found = scores(&documents, "when does a cache entry expire?");
        assert!(found.documents[0] > found.documents[1] && found.documents[1] > 0.0, "{found:?}");
        assert!(found.documents.iter().all(|score| *score < found.bound), "{found:?}");
    }

    #[test]
    fn what_is_not_there_scores_nothing() {
        for query in ["zebra", "", "the"] {
            assert_eq!(scores(&["the cache", ""], query).documents, [0.0; 2], "{query}");
        }
        assert!(scores(&[], "cache").documents.is_empty());
        // A foreign term raises what a full match would score.
        let of = |query: &str| scores(&["the cache"], query);
        assert!(of("cache zebra").bound > of("cache").bound);
    }
}
