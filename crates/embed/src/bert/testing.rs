//! A tiny model with weights that mean nothing, laid out as real ones are.

use std::path::Path;

use serde_json::{Map, json};

pub const HIDDEN: usize = 8;
const INNER: usize = 16;
const LAYERS: usize = 2;
const VOCABULARY: [&str; 6] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "b"];

pub fn write_model(folder: &Path) {
    std::fs::create_dir_all(folder.join("1_Pooling")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    let config = json!({
        "model_type": "bert", "hidden_size": HIDDEN, "num_hidden_layers": LAYERS,
        "num_attention_heads": 2, "intermediate_size": INNER, "vocab_size": VOCABULARY.len(),
        "max_position_embeddings": 16, "type_vocab_size": 2, "hidden_act": "gelu",
    });
    write("config.json", &config.to_string());
    write("vocab.txt", &VOCABULARY.join("\n"));
    write("1_Pooling/config.json", r#"{"pooling_mode_mean_tokens": true}"#);
    std::fs::write(folder.join("model.safetensors"), weights()).unwrap();
}

fn weights() -> Vec<u8> {
    let mut tensors: Vec<(String, Vec<usize>)> = Vec::new();
    let mut add = |name: String, shape: &[usize]| tensors.push((name, shape.to_vec()));
    for (name, rows) in [("word", VOCABULARY.len()), ("position", 16), ("token_type", 2)] {
        add(format!("embeddings.{name}_embeddings.weight"), &[rows, HIDDEN]);
    }
    let mut norms = vec!["embeddings.LayerNorm".to_string()];
    for layer in 0..LAYERS {
        let layer = format!("encoder.layer.{layer}");
        let linear = [
            ("attention.self.query", HIDDEN, HIDDEN),
            ("attention.self.key", HIDDEN, HIDDEN),
            ("attention.self.value", HIDDEN, HIDDEN),
            ("attention.output.dense", HIDDEN, HIDDEN),
            ("intermediate.dense", INNER, HIDDEN),
            ("output.dense", HIDDEN, INNER),
        ];
        for (name, rows, columns) in linear {
            add(format!("{layer}.{name}.weight"), &[rows, columns]);
            add(format!("{layer}.{name}.bias"), &[rows]);
        }
        norms.push(format!("{layer}.attention.output.LayerNorm"));
        norms.push(format!("{layer}.output.LayerNorm"));
    }
    for norm in norms {
        add(format!("{norm}.weight"), &[HIDDEN]);
        add(format!("{norm}.bias"), &[HIDDEN]);
    }
    safetensors(&tensors)
}

fn safetensors(tensors: &[(String, Vec<usize>)]) -> Vec<u8> {
    let mut header = Map::new();
    let mut body: Vec<u8> = Vec::new();
    let mut random: u32 = 1;
    for (name, shape) in tensors {
        let start = body.len();
        for _ in 0..shape.iter().product() {
            // Marsaglia's xorshift: any numbers will do, if they are the same every time.
            random ^= random << 13;
            random ^= random >> 17;
            random ^= random << 5;
            let value = random as f32 / u32::MAX as f32 - 0.5;
            body.extend(value.to_le_bytes());
        }
        let entry = json!({"dtype": "F32", "shape": shape, "data_offsets": [start, body.len()]});
        header.insert(name.clone(), entry);
    }
    let header = serde_json::to_vec(&header).unwrap();
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header);
    bytes.extend(body);
    bytes
}
