//! The static model inside the binary: text to a vector by table lookup. A text is split into words
//! and known pieces of words, each with a row of numbers. Their weighted sum, normalized to length
//! 1, is the vector. It needs no network and no download, and ignores word order. `training/`
//! builds the table; `docs/model.md` describes its data and quality.

mod model_format;
mod pretokenize;
mod provider;

use std::sync::OnceLock;

use model_format::Tables;

use kenning_text::token_cache::TokenCache;

pub use model_format::ModelError;
pub use provider::PROVIDER;

static EMBEDDED: &[u8] = include_bytes!("../../models/kenning-static.bin");

/// The number of counts whose weights are precomputed.
const TABLED_COUNTS: usize = 64;

/// An open model. Its tables are read in place, so opening one costs next to nothing.
#[derive(Debug)]
pub struct Model {
    tables: Tables<'static>,
    /// The weight of a token by its number of occurrences in a text.
    count_weights: [f32; TABLED_COUNTS],
}

impl Model {
    /// Returns the model embedded in the program.
    pub fn embedded() -> &'static Self {
        static MODEL: OnceLock<Model> = OnceLock::new();
        MODEL.get_or_init(|| Self::read(EMBEDDED).expect("a test reads the model in the binary"))
    }

    /// Reads a model in the format of `training/model_file.py`.
    pub fn read(bytes: &'static [u8]) -> Result<Self, ModelError> {
        let tables = Tables::read(bytes)?;
        let exponent = tables.count_exponent;
        let count_weights = std::array::from_fn(|count| (count as f32).powf(exponent));
        Ok(Self { tables, count_weights })
    }

    /// Returns the number of dimensions of a vector.
    pub fn dimension(&self) -> usize {
        self.tables.dimension
    }

    /// Returns the number of known tokens.
    pub fn vocabulary(&self) -> usize {
        self.tables.tokens
    }

    /// Returns the size of its file in bytes.
    pub fn size(&self) -> usize {
        self.tables.bytes.len()
    }

    /// Returns name, version and training data, as JSON.
    pub fn card(&self) -> &'static str {
        self.tables.card
    }

    /// Returns the content_hash of the exact weights. It is read from the file, not computed, so it
    /// is free.
    pub fn content_hash(&self) -> String {
        let bytes = self.tables.content_hash.iter();
        bytes.map(|byte| format!("{byte:02x}")).collect()
    }

    /// Returns the BLAKE3 hash of the whole file, for comparison with the model card.
    pub fn hash(&self) -> String {
        blake3::hash(self.tables.bytes).to_hex().to_string()
    }

    /// Returns an encoder for many texts, one after the other.
    pub fn encoder(&self) -> Encoder<'_> {
        Encoder {
            model: self,
            counts: vec![0; self.tables.tokens],
            seen: Vec::with_capacity(1024),
            cache: TokenCache::default(),
        }
    }

    /// Encodes one text. For many, [`Model::encoder`] saves an allocation each.
    pub fn encode(&self, text: &str, out: &mut [f32]) {
        self.encoder().encode(text, out);
    }

    /// Returns the tokens of a text, each once, in the order of their first appearance.
    pub fn tokens(&self, text: &str) -> Vec<u32> {
        let mut encoder = self.encoder();
        encoder.count_tokens(text);
        encoder.seen
    }

    /// Returns the weight of a token in the vector of a text.
    pub fn weight(&self, token: u32) -> f32 {
        let row = self.tables.row(token);
        self.tables.scale(token) * (dot_product(row, row) as f32).sqrt()
    }

    /// Returns the cosine of two tokens' vectors.
    pub fn cosine(&self, left: u32, right: u32) -> f32 {
        let (left, right) = (self.tables.row(left), self.tables.row(right));
        let lengths = dot_product(left, left) as f32 * dot_product(right, right) as f32;
        dot_product(left, right) as f32 / lengths.sqrt().max(1.0)
    }

    /// Returns the factor for a token that occurs `count` times: repetition counts less and less.
    fn count_weight(&self, count: u32) -> f32 {
        let tabled = self.count_weights.get(count as usize);
        tabled.map_or_else(|| (count as f32).powf(self.tables.count_exponent), |weight| *weight)
    }
}

/// An encoder that reuses its buffers between texts.
pub struct Encoder<'model> {
    model: &'model Model,
    /// The count of each token in the text. All zero between two texts.
    counts: Vec<u32>,
    /// The tokens of the text in the order of their first appearance.
    seen: Vec<u32>,
    /// Cache of the tokens of each run between separators.
    cache: TokenCache,
}

impl Encoder<'_> {
    /// Writes the vector of `text` to `out`: of length 1, or all zero if no token is known.
    ///
    /// # Panics
    /// If `out` has not as many numbers as the model's vectors.
    pub fn encode(&mut self, text: &str, out: &mut [f32]) {
        assert_eq!(out.len(), self.model.dimension(), "the vector's length");
        self.count_tokens(text);
        out.fill(0.0);
        for token in self.seen.drain(..) {
            let count = std::mem::take(&mut self.counts[token as usize]);
            let weight = self.model.tables.scale(token) * self.model.count_weight(count);
            add_row(out, self.model.tables.row(token), weight);
        }
        normalise(out);
    }

    /// Counts the tokens of a text.
    fn count_tokens(&mut self, text: &str) {
        let tables = &self.model.tables;
        for run in pretokenize::split_runs(text.as_bytes()) {
            let tokens = self.cache.numbers(run, |give| {
                pretokenize::for_each_word(run, |word| tables.for_each_piece(word, &mut *give));
            });
            for token in tokens {
                let count = &mut self.counts[*token as usize];
                if *count == 0 {
                    self.seen.push(*token);
                }
                *count += 1;
            }
        }
        if self.cache.is_full() {
            self.cache = TokenCache::default();
        }
    }
}

/// Adds a row, times a weight.
fn add_row(out: &mut [f32], row: &[u8], weight: f32) {
    for (sum, byte) in out.iter_mut().zip(row) {
        *sum += weight * f32::from(byte.cast_signed());
    }
}

/// Returns the dot product of two rows.
fn dot_product(left: &[u8], right: &[u8]) -> i32 {
    let numbers = left.iter().zip(right);
    numbers.map(|(a, b)| i32::from(a.cast_signed()) * i32::from(b.cast_signed())).sum()
}

/// Scales a vector to length 1; a zero vector stays zero.
fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|number| *number /= length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recorded by `training/export.py`: the file's hash, and texts with the start of their vectors.
    const RECORDED: &str = include_str!("../../models/kenning-static.json");

    fn recorded() -> serde_json::Value {
        serde_json::from_str(RECORDED).unwrap()
    }

    fn vector(text: &str) -> Vec<f32> {
        let model = Model::embedded();
        let mut out = vec![0.0; model.dimension()];
        model.encode(text, &mut out);
        out
    }

    fn similarity(a: &str, b: &str) -> f32 {
        let (a, b) = (vector(a), vector(b));
        a.iter().zip(&b).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn the_file_is_the_one_that_the_exporter_wrote() {
        let model = Model::embedded();
        assert_eq!(model.hash(), recorded()["blake3"]);
        let content = blake3::hash(&EMBEDDED[model_format::HEADER..]).to_hex();
        assert_eq!(model.content_hash(), content[..16]);
    }

    #[test]
    fn the_file_is_small() {
        assert!(EMBEDDED.len() <= 16 << 20, "{} bytes", EMBEDDED.len());
    }

    #[test]
    fn vectors_agree_with_the_exporter() {
        for case in recorded()["vectors"].as_array().unwrap() {
            let ours = vector(case["text"].as_str().unwrap());
            let theirs = case["vector"].as_array().unwrap();
            assert_eq!(theirs.len(), ours.len());
            for (ours, theirs) in ours.iter().zip(theirs) {
                let theirs = theirs.as_f64().unwrap() as f32;
                assert!((ours - theirs).abs() < 1e-3, "{}: {ours} {theirs}", case["text"]);
            }
        }
    }

    #[test]
    fn an_encoder_forgets_the_text_before() {
        let model = Model::embedded();
        let mut encoder = model.encoder();
        let mut again = vec![0.0; model.dimension()];
        encoder.encode("fn parse_header(line: &str)", &mut again);
        encoder.encode("open a socket", &mut again);
        assert_eq!(again, vector("open a socket"));
    }

    #[test]
    fn length_is_one_or_nothing() {
        for (text, wanted) in [("parse the header", 1.0), ("", 0.0), ("{}();\n\t→", 0.0)] {
            let length = vector(text).iter().map(|n| n * n).sum::<f32>().sqrt();
            assert!((length - wanted).abs() < 1e-5, "{text:?}: {length}");
        }
    }

    #[test]
    fn case_and_joints_of_an_identifier_do_not_matter() {
        for other in ["read_http_header", "ReadHTTPHeader", "READ-HTTP-HEADER"] {
            assert_eq!(vector("readHttpHeader"), vector(other), "{other}");
        }
    }

    #[test]
    fn related_things_are_nearer_than_others() {
        let question = "where are files removed from disk";
        let near = similarity(question, "fn delete_file(path: &Path) { std::fs::unlink(path) }");
        let far = similarity(question, "fn dot(a: &[f32], b: &[f32]) -> f32 { a.zip(b).sum() }");
        assert!(near > far + 0.1, "{near} {far}");
    }
}
