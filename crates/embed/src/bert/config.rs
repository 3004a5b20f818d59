//! The configuration of a BERT model: its sizes, activation and pooling.

use serde_json::Value;

use super::model_files::{CONFIG, ModelFiles, POOLING};
use crate::EmbedError;

/// The shape of a BERT encoder, from its `config.json`.
#[derive(Clone, Debug, PartialEq)]
pub struct BertConfig {
    pub hidden_size: usize,
    pub layers: usize,
    pub heads: usize,
    pub intermediate_size: usize,
    pub norm_epsilon: f32,
    /// The most tokens of a text. Longer texts are cut.
    pub max_tokens: usize,
    pub activation: Activation,
    pub pooling: Pooling,
}

/// The activation function of the feed-forward layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// The exact form, with the error function.
    Gelu,
    /// The approximation by a hyperbolic tangent.
    GeluTanh,
    Relu,
}

/// The way in which token vectors become the text's vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    /// The mean of all tokens, as MiniLM does.
    Mean,
    /// The first token alone, as BGE does.
    First,
}

/// Reads the configuration. Fails if the model is not an encoder that we can run.
pub fn read_config(files: &ModelFiles) -> Result<BertConfig, EmbedError> {
    let config = &files.config;
    let wrong = |message: String| files.invalid_file_error(CONFIG, message);
    check_kind(config).map_err(wrong)?;
    let size = |name: &str| {
        let value = config[name]
            .as_u64()
            .filter(|value| (1..1 << 24).contains(value))
            .ok_or_else(|| wrong(format!("`{name}` must be a positive number")));
        value.map(|value| value as usize)
    };
    let (hidden_size, heads) = (size("hidden_size")?, size("num_attention_heads")?);
    if hidden_size % heads != 0 {
        return Err(wrong(format!("{hidden_size} is not a multiple of {heads}")));
    }
    let positions = size("max_position_embeddings")?;
    let sentence = files.sentence.as_ref();
    let wanted = sentence.and_then(|sentence| sentence["max_seq_length"].as_u64());
    let max_tokens = wanted.map_or(positions, |wanted| positions.min(wanted as usize));
    Ok(BertConfig {
        hidden_size,
        heads,
        layers: size("num_hidden_layers")?,
        intermediate_size: size("intermediate_size")?,
        norm_epsilon: config["layer_norm_eps"].as_f64().unwrap_or(1e-12) as f32,
        // A text has at least its start and end tokens.
        max_tokens: max_tokens.max(2),
        activation: parse_activation(config).map_err(wrong)?,
        pooling: read_pooling(files)?,
    })
}

/// Fails unless the model is of the BERT architecture.
fn check_kind(config: &Value) -> Result<(), String> {
    match config["model_type"].as_str() {
        Some("bert") => {}
        other => return Err(format!("a model of type {other:?}, where BERT is wanted")),
    }
    match config["position_embedding_type"].as_str() {
        None | Some("absolute") => Ok(()),
        Some(other) => Err(format!("{other} positions, where absolute ones are wanted")),
    }
}

/// Returns the activation function; the names are those of the `transformers` library.
fn parse_activation(config: &Value) -> Result<Activation, String> {
    match config["hidden_act"].as_str() {
        None | Some("gelu") => Ok(Activation::Gelu),
        Some("gelu_new" | "gelu_pytorch_tanh") => Ok(Activation::GeluTanh),
        Some("relu") => Ok(Activation::Relu),
        Some(other) => Err(format!("the activation {other} is not known")),
    }
}

/// Reads the pooling mode. The default is the mean, as for sentence encoders.
fn read_pooling(files: &ModelFiles) -> Result<Pooling, EmbedError> {
    let Some(config) = &files.pooling else {
        return Ok(Pooling::Mean);
    };
    let is_set = |name: &str| config[name].as_bool().unwrap_or(false);
    match (is_set("pooling_mode_mean_tokens"), is_set("pooling_mode_cls_token")) {
        (true, false) => Ok(Pooling::Mean),
        (false, true) => Ok(Pooling::First),
        _ => Err(files.invalid_file_error(POOLING, "wants neither the mean nor the first token")),
    }
}
