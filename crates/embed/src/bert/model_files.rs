//! The files of a model's folder, in the layout of its hub. This reads them and interprets nothing.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::EmbedError;
use kenning_source::disk::{self, SymlinkPolicy};

/// The largest file that is read. Weights of a model that runs locally are a few gigabytes at most.
const MAX_BYTES: u64 = 1 << 34;

/// The contents of a model's folder.
pub struct ModelFiles {
    folder: PathBuf,
    pub config: Value,
    pub weights: Vec<u8>,
    /// `vocab.txt`, one token a line.
    pub vocabulary: Option<String>,
    /// `tokenizer.json`, which has the vocabulary too.
    pub tokenizer: Option<Value>,
    pub tokenizer_config: Option<Value>,
    pub pooling: Option<Value>,
    pub sentence: Option<Value>,
}

pub const CONFIG: &str = "config.json";
pub const WEIGHTS: &str = "model.safetensors";
pub const VOCABULARY: &str = "vocab.txt";
pub const TOKENIZER: &str = "tokenizer.json";
pub const POOLING: &str = "1_Pooling/config.json";

/// Returns the first required file that is missing.
pub fn find_missing(folder: &Path) -> Option<PathBuf> {
    let absent = |name: &str| Some(folder.join(name)).filter(|path| !path.is_file());
    let vocabulary = || absent(VOCABULARY).filter(|_| absent(TOKENIZER).is_some());
    absent(CONFIG).or_else(|| absent(WEIGHTS)).or_else(vocabulary)
}

/// Reads all files of a model.
pub fn read_files(folder: &Path) -> Result<ModelFiles, EmbedError> {
    let config = read_json(folder, CONFIG)?;
    Ok(ModelFiles {
        folder: folder.to_path_buf(),
        config: config.ok_or_else(|| invalid_file_error(folder, CONFIG, "is not there"))?,
        weights: read_bytes(folder, WEIGHTS)?
            .ok_or_else(|| invalid_file_error(folder, WEIGHTS, "is not there"))?,
        vocabulary: read_text(folder, VOCABULARY)?,
        tokenizer: read_json(folder, TOKENIZER)?,
        tokenizer_config: read_json(folder, "tokenizer_config.json")?,
        pooling: read_json(folder, POOLING)?,
        sentence: read_json(folder, "sentence_bert_config.json")?,
    })
}

impl ModelFiles {
    /// Builds the error for one of the files.
    pub fn invalid_file_error(&self, name: &str, message: impl ToString) -> EmbedError {
        invalid_file_error(&self.folder, name, message)
    }
}

fn invalid_file_error(folder: &Path, name: &str, message: impl ToString) -> EmbedError {
    EmbedError::ModelFile { path: folder.join(name), message: message.to_string() }
}

/// Reads a file; `None` if it does not exist.
fn read_bytes(folder: &Path, name: &str) -> Result<Option<Vec<u8>>, EmbedError> {
    match disk::read_file(&folder.join(name), SymlinkPolicy::Follow, MAX_BYTES) {
        Ok(read) => Ok(Some(read.bytes)),
        Err(error) if error.is_absent() => Ok(None),
        Err(error) => Err(invalid_file_error(folder, name, error)),
    }
}

/// Reads a file of UTF-8 text; `None` if it does not exist.
fn read_text(folder: &Path, name: &str) -> Result<Option<String>, EmbedError> {
    let Some(bytes) = read_bytes(folder, name)? else {
        return Ok(None);
    };
    let text =
        String::from_utf8(bytes).map_err(|_| invalid_file_error(folder, name, "is not UTF-8"))?;
    Ok(Some(text))
}

/// Reads a file of JSON; `None` if it does not exist.
fn read_json(folder: &Path, name: &str) -> Result<Option<Value>, EmbedError> {
    let Some(bytes) = read_bytes(folder, name)? else {
        return Ok(None);
    };
    let value =
        serde_json::from_slice(&bytes).map_err(|error| invalid_file_error(folder, name, error))?;
    Ok(Some(value))
}
