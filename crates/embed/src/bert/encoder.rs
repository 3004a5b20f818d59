//! The forward pass of a BERT encoder, in f32 on the CPU.
//!
//!   tokens ─► embeddings (word + position + segment) ─► norm
//!          ─► layers × [attention ─► add & norm ─► feed-forward ─► add & norm] ─► pooling
//!
//! Texts of a batch are concatenated row by row. There is no padding: only attention has to keep
//! texts apart, and it runs per text.

use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut2, Axis, s};

use super::config::{Activation, BertConfig, Pooling};
use super::model_files::{ModelFiles, WEIGHTS};
use super::weights::Weights;
use crate::EmbedError;

/// The weights of an encoder.
pub struct Encoder {
    shape: BertConfig,
    words: Array2<f32>,
    positions: Array2<f32>,
    /// The embedding of the first segment: a text is never a pair here.
    segment: Array1<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

/// One transformer layer.
struct Layer {
    /// Query, key and value in one product.
    attention: Linear,
    attention_output: Linear,
    attention_norm: Norm,
    intermediate: Linear,
    output: Linear,
    output_norm: Norm,
}

/// `x · weightᵀ + bias`
struct Linear {
    weight: Array2<f32>,
    bias: Array1<f32>,
}

/// Layer normalization: each row gets mean 0 and variance 1, then a learned scale and shift.
struct Norm {
    weight: Array1<f32>,
    bias: Array1<f32>,
    epsilon: f32,
}

impl Encoder {
    /// Reads the weights. Fails if a tensor is missing or has another shape.
    pub fn read(files: &ModelFiles, shape: &BertConfig) -> Result<Encoder, EmbedError> {
        let wrong = |message: String| files.invalid_file_error(WEIGHTS, message);
        let weights = Weights::read(&files.weights).map_err(wrong)?;
        let size = |name: &str| files.config[name].as_u64().unwrap_or(0) as usize;
        let source = WeightReader { weights: &weights, shape };
        source
            .encoder(size("vocab_size"), size("max_position_embeddings"), size("type_vocab_size"))
            .map_err(wrong)
    }

    /// Returns one row for each text, not yet normalized; each text must have a token. Tokens that
    /// the weights lack count as padding.
    pub fn encode(&self, texts: &[Vec<u32>]) -> Vec<Vec<f32>> {
        let mut hidden = self.embed_tokens(texts);
        self.norm.apply(hidden.view_mut());
        for layer in &self.layers {
            layer.apply(&self.shape, texts, &mut hidden);
        }
        let mut start = 0;
        let rows = texts.iter().map(|text| {
            let tokens = hidden.slice(s![start..start + text.len(), ..]);
            start += text.len();
            match self.shape.pooling {
                Pooling::First => tokens.row(0).to_vec(),
                Pooling::Mean => tokens.sum_axis(Axis(0)).to_vec(),
            }
        });
        rows.collect()
    }

    /// Returns the sum of word, position and segment embeddings, one row per token.
    fn embed_tokens(&self, texts: &[Vec<u32>]) -> Array2<f32> {
        let count = texts.iter().map(Vec::len).sum();
        let mut hidden = Array2::zeros((count, self.shape.hidden_size));
        let tokens = texts.iter().flat_map(|text| text.iter().enumerate());
        for (mut row, (position, token)) in hidden.rows_mut().into_iter().zip(tokens) {
            // A token that the table lacks becomes row 0, the padding.
            let token = (*token as usize).min(self.words.nrows()) % self.words.nrows();
            row.assign(&self.words.row(token));
            row += &self.positions.row(position);
            row += &self.segment;
        }
        hidden
    }
}

impl Layer {
    fn apply(&self, shape: &BertConfig, texts: &[Vec<u32>], hidden: &mut Array2<f32>) {
        let projected = self.attention.apply(hidden.view());
        let mut context = Array2::zeros(hidden.raw_dim());
        let mut start = 0;
        for text in texts {
            let rows = start..start + text.len();
            compute_attention(
                shape,
                projected.slice(s![rows.clone(), ..]),
                context.slice_mut(s![rows, ..]),
            );
            start += text.len();
        }
        *hidden += &self.attention_output.apply(context.view());
        self.attention_norm.apply(hidden.view_mut());
        // The residual connections: each sublayer adds to its input.
        let mut inner = self.intermediate.apply(hidden.view());
        activate(shape.activation, &mut inner);
        *hidden += &self.output.apply(inner.view());
        self.output_norm.apply(hidden.view_mut());
    }
}

/// Computes `softmax(Q · Kᵀ / √d) · V` of one text, head by head. `projected` has the columns of
/// queries, keys and values side by side.
fn compute_attention(
    shape: &BertConfig,
    projected: ArrayView2<f32>,
    mut context: ArrayViewMut2<f32>,
) {
    let size = shape.hidden_size / shape.heads;
    let scale = 1.0 / (size as f32).sqrt();
    for head in 0..shape.heads {
        let part = |kind: usize| {
            let start = kind * shape.hidden_size + head * size;
            projected.slice(s![.., start..start + size])
        };
        let mut scores = part(0).dot(&part(1).t());
        for mut row in scores.rows_mut() {
            row *= scale;
            let most = row.fold(f32::NEG_INFINITY, |most, score| most.max(*score));
            row.mapv_inplace(|score| (score - most).exp());
            let sum = row.sum();
            row /= sum;
        }
        let columns = head * size..(head + 1) * size;
        context.slice_mut(s![.., columns]).assign(&scores.dot(&part(2)));
    }
}

impl Linear {
    fn apply(&self, input: ArrayView2<f32>) -> Array2<f32> {
        input.dot(&self.weight.t()) + &self.bias
    }
}

impl Norm {
    fn apply(&self, mut rows: ArrayViewMut2<f32>) {
        for mut row in rows.rows_mut() {
            let mean = row.mean().unwrap_or(0.0);
            row -= mean;
            let variance = row.fold(0.0, |sum, x| sum + x * x) / row.len() as f32;
            row /= (variance + self.epsilon).sqrt();
            row *= &self.weight;
            row += &self.bias;
        }
    }
}

/// Applies the activation function in place.
fn activate(activation: Activation, values: &mut Array2<f32>) {
    let function: fn(f32) -> f32 = match activation {
        Activation::Gelu => {
            |x| 0.5 * x * (1.0 + error_function(x * std::f32::consts::FRAC_1_SQRT_2))
        }
        Activation::GeluTanh => |x| {
            let inner = 0.797_884_6 * (x + 0.044_715 * x * x * x);
            0.5 * x * (1.0 + inner.tanh())
        },
        Activation::Relu => |x| x.max(0.0),
    };
    values.mapv_inplace(function);
}

/// Computes the error function by Abramowitz and Stegun, formula 7.1.26. The error is at most
/// 1.5e-7, about the precision of an f32.
fn error_function(x: f32) -> f32 {
    const FACTORS: [f32; 5] = [1.061_405_4, -1.453_152, 1.421_413_7, -0.284_496_74, 0.254_829_6];
    let t = 1.0 / (1.0 + 0.327_591_1 * x.abs());
    let sum = FACTORS.iter().fold(0.0, |sum, factor| (sum + factor) * t);
    // The fold multiplies by t once after each factor, as the formula requires.
    (1.0 - sum * (-x * x).exp()).copysign(x)
}

/// Reads the parts of an encoder from a weights file.
struct WeightReader<'a> {
    weights: &'a Weights<'a>,
    shape: &'a BertConfig,
}

impl WeightReader<'_> {
    fn encoder(&self, words: usize, positions: usize, segments: usize) -> Result<Encoder, String> {
        let hidden = self.shape.hidden_size;
        let matrix = |name: &str, rows| {
            self.matrix(&format!("embeddings.{name}_embeddings.weight"), rows, hidden)
        };
        let words = matrix("word", words)?;
        if words.is_empty() {
            return Err("the vocabulary is empty".to_string());
        }
        let segments = matrix("token_type", segments)?;
        if segments.is_empty() {
            return Err("there is no segment".to_string());
        }
        let layers = (0..self.shape.layers).map(|number| self.layer(number));
        Ok(Encoder {
            words,
            positions: matrix("position", positions)?,
            segment: segments.row(0).to_owned(),
            norm: self.norm("embeddings.LayerNorm")?,
            layers: layers.collect::<Result<_, _>>()?,
            shape: self.shape.clone(),
        })
    }

    /// Reads one layer.
    fn layer(&self, number: usize) -> Result<Layer, String> {
        let name = |part: &str| format!("encoder.layer.{number}.{part}");
        let (hidden, inner) = (self.shape.hidden_size, self.shape.intermediate_size);
        Ok(Layer {
            attention: self.attention(&name("attention.self"))?,
            attention_output: self.linear(&name("attention.output.dense"), hidden, hidden)?,
            attention_norm: self.norm(&name("attention.output.LayerNorm"))?,
            intermediate: self.linear(&name("intermediate.dense"), inner, hidden)?,
            output: self.linear(&name("output.dense"), hidden, inner)?,
            output_norm: self.norm(&name("output.LayerNorm"))?,
        })
    }

    /// Reads the projections of queries, keys and values as one matrix, so that one product
    /// computes all three.
    fn attention(&self, name: &str) -> Result<Linear, String> {
        let hidden = self.shape.hidden_size;
        let (mut weight, mut bias) = (Vec::new(), Vec::new());
        for part in ["query", "key", "value"] {
            let shape = [hidden, hidden];
            weight.extend(self.weights.read_tensor(&format!("{name}.{part}.weight"), &shape)?);
            bias.extend(self.weights.read_tensor(&format!("{name}.{part}.bias"), &[hidden])?);
        }
        Ok(Linear {
            weight: Array2::from_shape_vec((3 * hidden, hidden), weight)
                .expect("three tensors of a checked shape"),
            bias: Array1::from(bias),
        })
    }

    /// Reads a weight matrix and its bias.
    fn linear(&self, name: &str, rows: usize, columns: usize) -> Result<Linear, String> {
        Ok(Linear {
            weight: self.matrix(&format!("{name}.weight"), rows, columns)?,
            bias: Array1::from(self.weights.read_tensor(&format!("{name}.bias"), &[rows])?),
        })
    }

    /// Reads a normalization.
    fn norm(&self, name: &str) -> Result<Norm, String> {
        let size = [self.shape.hidden_size];
        let tensor = |part: &str| self.weights.read_tensor(&format!("{name}.{part}"), &size);
        Ok(Norm {
            weight: Array1::from(tensor("weight")?),
            bias: Array1::from(tensor("bias")?),
            epsilon: self.shape.norm_epsilon,
        })
    }

    /// Reads a matrix.
    fn matrix(&self, name: &str, rows: usize, columns: usize) -> Result<Array2<f32>, String> {
        let values = self.weights.read_tensor(name, &[rows, columns])?;
        let matrix = Array2::from_shape_vec((rows, columns), values);
        Ok(matrix.expect("a tensor of a checked shape"))
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    fn shape(hidden_size: usize, heads: usize) -> BertConfig {
        BertConfig {
            hidden_size,
            heads,
            layers: 0,
            intermediate_size: 1,
            norm_epsilon: 0.0,
            max_tokens: 9,
            activation: Activation::Gelu,
            pooling: Pooling::Mean,
        }
    }

    fn close(found: f32, expected: f32) {
        assert!((found - expected).abs() < 1e-6, "{found}, not {expected}");
    }

    #[test]
    fn activations_as_tabulated() {
        let check = |activation, x: f32, expected| {
            let mut values = array![[x]];
            activate(activation, &mut values);
            close(values[[0, 0]], expected);
        };
        check(Activation::Gelu, 1.0, 0.841_344_7);
        check(Activation::Gelu, -1.0, -0.158_655_25);
        check(Activation::Gelu, 0.0, 0.0);
        check(Activation::Gelu, -9.0, 0.0);
        check(Activation::GeluTanh, 1.0, 0.841_191_9);
        check(Activation::Relu, -3.0, 0.0);
    }

    #[test]
    fn a_norm_centres_and_scales() {
        let norm = Norm { weight: array![1.0, 2.0], bias: array![0.5, 0.0], epsilon: 0.0 };
        let mut rows = array![[3.0, 5.0]];
        norm.apply(rows.view_mut());
        assert_eq!(rows, array![[-0.5, 2.0]]);
    }

    /// Two tokens, two heads of one number. The first head of the first token scores both tokens
    /// alike and takes the mean of their values; the second head looks at the second token alone.
    #[test]
    fn attention_weighs_values_by_scores() {
        let projected = array![
            // queries, keys, values
            [0.0, 90.0, 1.0, 0.0, 2.0, 5.0],
            [0.0, 90.0, 1.0, 1.0, 4.0, 7.0],
        ];
        let mut context = Array2::zeros((2, 2));
        compute_attention(&shape(2, 2), projected.view(), context.view_mut());
        assert_eq!(context, array![[3.0, 7.0], [3.0, 7.0]]);
    }

    fn bare(pooling: Pooling) -> Encoder {
        Encoder {
            shape: BertConfig { pooling, ..shape(2, 1) },
            words: array![[0.0, 0.0], [1.0, 3.0], [9.0, 1.0]],
            positions: array![[0.0, 0.0], [0.0, 4.0]],
            segment: array![1.0, 0.0],
            norm: Norm { weight: array![1.0, 1.0], bias: array![0.0, 0.0], epsilon: 0.0 },
            layers: Vec::new(),
        }
    }

    #[test]
    fn words_positions_and_segment_are_added_and_pooled() {
        let texts = [vec![1, 2], vec![2]];
        // (2, 3) and (10, 5) become (-1, 1) and (1, -1).
        assert_eq!(bare(Pooling::Mean).encode(&texts)[0], [0.0, 0.0]);
        assert_eq!(bare(Pooling::First).encode(&texts)[0], [-1.0, 1.0]);
        assert_eq!(bare(Pooling::Mean).encode(&texts)[1], [1.0, -1.0]);
    }

    #[test]
    fn a_token_without_weights_is_padding() {
        let encoder = bare(Pooling::First);
        assert_eq!(encoder.encode(&[vec![7]]), encoder.encode(&[vec![0]]));
    }
}
