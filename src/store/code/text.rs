//! A file's text as it is kept: compressed, because text is most of an index.

use super::packing::Malformed;

/// Fast; higher levels save little on source code.
const LEVEL: i32 = 1;

/// No text that is indexed is longer, so a longer one is damage and not a reason to allocate.
const MAX_BYTES: usize = 64 << 20;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackedText(Vec<u8>);

impl PackedText {
    /// Not cheap: it is done by whoever reads files in parallel, and not by the one writer.
    pub fn pack(text: &str) -> PackedText {
        let packed = zstd::bulk::compress(text.as_bytes(), LEVEL);
        PackedText(packed.expect("memory is all that compression needs"))
    }

    pub(super) fn from_bytes(bytes: Vec<u8>) -> PackedText {
        PackedText(bytes)
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn unpack(&self) -> Result<String, Malformed> {
        let length = zstd::bulk::Decompressor::upper_bound(&self.0).unwrap_or(MAX_BYTES);
        let bytes = zstd::bulk::decompress(&self.0, length.min(MAX_BYTES));
        String::from_utf8(bytes.map_err(|_| Malformed)?).map_err(|_| Malformed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_comes_back() {
        for text in ["", "é", &"fn main() {}\n".repeat(5000)] {
            assert_eq!(PackedText::pack(text).unpack().as_deref(), Ok(text));
        }
    }

    #[test]
    fn damage_is_an_error() {
        let packed = PackedText::pack(&"fn main() {}\n".repeat(50));
        for at in 1..packed.0.len() {
            let mut bytes = packed.0.clone();
            bytes.truncate(at);
            assert_eq!(PackedText(bytes).unpack(), Err(Malformed));
        }
    }
}
