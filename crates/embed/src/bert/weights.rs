//! Reads tensors from a safetensors file: a header of JSON with names, types, shapes and offsets,
//! and the data behind it.

use serde_json::{Map, Value};

/// The tensors of one file, converted to f32 on access.
pub struct Weights<'a> {
    header: Map<String, Value>,
    body: &'a [u8],
    /// Some files hold the encoder as a part of a larger model.
    prefix: &'static str,
}

const NO_FILE: &str = "this is no safetensors file";

impl<'a> Weights<'a> {
    /// Parses the header.
    pub fn read(bytes: &'a [u8]) -> Result<Weights<'a>, String> {
        let (length, rest) = bytes.split_first_chunk::<8>().ok_or(NO_FILE)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| NO_FILE)?;
        let (header, body) = rest.split_at_checked(length).ok_or(NO_FILE)?;
        let header: Map<String, Value> = serde_json::from_slice(header)
            .map_err(|error| format!("{NO_FILE}: its header: {error}"))?;
        let is_part = header.keys().any(|name| name.starts_with("bert.embeddings."));
        Ok(Weights { header, body, prefix: if is_part { "bert." } else { "" } })
    }

    /// Returns a tensor, which must have that shape.
    pub fn read_tensor(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, String> {
        let name = format!("{}{name}", self.prefix);
        let entry = self.header.get(&name).ok_or_else(|| format!("there is no tensor {name}"))?;
        let numbers = |value: &Value| -> Option<Vec<usize>> {
            let items = value.as_array()?.iter();
            items.map(|item| usize::try_from(item.as_u64()?).ok()).collect()
        };
        let found = numbers(&entry["shape"]).unwrap_or_default();
        if found != shape {
            return Err(format!("{name} has the shape {found:?}, not {shape:?}"));
        }
        let range = match numbers(&entry["data_offsets"]).as_deref() {
            Some([start, end]) => self.body.get(*start..*end),
            _ => None,
        };
        let bytes = range.ok_or_else(|| format!("{name} lies outside of the file"))?;
        let values = decode(entry["dtype"].as_str().unwrap_or_default(), bytes)
            .map_err(|problem| format!("{name}: {problem}"))?;
        if values.len() == shape.iter().product::<usize>() {
            Ok(values)
        } else {
            Err(format!("{name} has {} numbers for {shape:?}", values.len()))
        }
    }
}

/// Converts the data of a tensor to f32.
fn decode(kind: &str, bytes: &[u8]) -> Result<Vec<f32>, String> {
    match kind {
        "F32" => Ok(bytes
            .chunks_exact(4)
            .map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
            .collect()),
        "F16" => Ok(split_halves(bytes).map(half_to_f32).collect()),
        "BF16" => {
            Ok(split_halves(bytes).map(|bits| f32::from_bits(u32::from(bits) << 16)).collect())
        }
        other => Err(format!("numbers of the type {other:?} cannot be read")),
    }
}

/// Splits data into little-endian 16-bit numbers.
fn split_halves(bytes: &[u8]) -> impl Iterator<Item = u16> {
    let pairs = bytes.chunks_exact(2);
    pairs.map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
}

/// Converts IEEE 754 half precision: 1 bit of sign, 5 of exponent, 10 of fraction.
fn half_to_f32(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from(bits >> 10 & 0x1F);
    let fraction = f32::from(bits & 0x3FF) / 1024.0;
    sign * match exponent {
        0 => fraction * 2f32.powi(-14),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction) * 2f32.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, body: &[u8]) -> Vec<u8> {
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header.as_bytes());
        bytes.extend(body);
        bytes
    }

    #[test]
    fn numbers_of_three_kinds() {
        let header = r#"{"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]},
            "b": {"dtype": "F16", "shape": [2], "data_offsets": [4, 8]},
            "c": {"dtype": "BF16", "shape": [1, 1], "data_offsets": [8, 10]}}"#;
        let bytes = file(header, &[0, 0, 0xC0, 0x3F, 0, 0x3C, 0x01, 0x80, 0x40, 0xC0]);
        let weights = Weights::read(&bytes).unwrap();
        assert_eq!(weights.read_tensor("a", &[1]).unwrap(), [1.5]);
        assert_eq!(weights.read_tensor("b", &[2]).unwrap(), [1.0, -(2f32.powi(-24))]);
        assert_eq!(weights.read_tensor("c", &[1, 1]).unwrap(), [-3.0]);
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let header = r#"{"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]},
            "b": {"dtype": "F32", "shape": [1], "data_offsets": [4, 999]},
            "c": {"dtype": "F32", "shape": [1], "data_offsets": [8, 4]},
            "d": {"dtype": "I8", "shape": [1], "data_offsets": [0, 1]}}"#;
        let bytes = file(header, &[0; 8]);
        let weights = Weights::read(&bytes).unwrap();
        let check = |name: &str, shape: &[usize], expected: &str| {
            let error = weights.read_tensor(name, shape).unwrap_err();
            assert!(error.contains(expected), "{error}");
        };
        check("a", &[1], "has the shape [2]");
        check("a", &[2], "has 1 numbers");
        check("b", &[1], "outside");
        check("c", &[1], "outside");
        check("d", &[1], "I8");
        check("e", &[1], "no tensor");
    }
}
