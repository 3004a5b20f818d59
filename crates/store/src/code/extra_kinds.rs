//! The kinds of the further symbols in a chunk. A chunk is named after one symbol but may contain
//! others: small neighbours share a chunk, and a class contains its methods. A filter by kind
//! matches these too.
//!
//!   extra_kinds = (chunk index − last chunk index as varint, kind as 1 byte)…
//!
//! The pairs ascend by chunk, then by kind.

use super::enum_codes::StoredEnum;
use super::varint::{ByteReader, Malformed, put_number};
use kenning_model::{Chunk, ChunkKind, Symbol};

/// Encodes the kinds of the symbols in each chunk but for the chunk's own kind. `None` if there are
/// none.
pub fn pack_kinds(chunks: &[Chunk], symbols: &[Symbol]) -> Option<Vec<u8>> {
    let by_line = |symbol: &Symbol| (symbol.line, symbol.kind.code());
    let mut defined: Vec<(u32, u8)> = symbols.iter().map(by_line).collect();
    defined.sort_unstable();
    let mut bytes = Vec::new();
    let mut last = 0;
    for (place, chunk) in (0u32..).zip(chunks) {
        let first = defined.partition_point(|(line, _)| *line < chunk.span.start_line);
        let within = defined[first..].iter().take_while(|(line, _)| *line <= chunk.span.end_line);
        let mut kinds: Vec<u8> = within.map(|(_, kind)| *kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        for kind in kinds.into_iter().filter(|kind| *kind != chunk.kind.code()) {
            put_number(&mut bytes, place - last);
            bytes.push(kind);
            last = place;
        }
    }
    (!bytes.is_empty()).then_some(bytes)
}

/// Returns the indexes of the chunks that contain one of these kinds, ascending.
pub fn find_chunks(packed: &[u8], kinds: &[ChunkKind]) -> Result<Vec<u32>, Malformed> {
    let mut packed = ByteReader::new(packed);
    let mut places = Vec::new();
    let mut place = 0u32;
    while packed.bytes_left() > 0 {
        place = place.checked_add(packed.read_number()?).ok_or(Malformed)?;
        let kind = ChunkKind::from_code(packed.read_bytes(1)?[0])?;
        if kinds.contains(&kind) {
            places.push(place);
        }
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenning_model::{Span, Visibility};

    fn chunk(kind: ChunkKind, start_line: u32, end_line: u32) -> Chunk {
        Chunk {
            kind,
            symbol: None,
            scope: None,
            signature: None,
            doc: None,
            outline: None,
            is_test: false,
            line: None,
            span: Span { start_line, end_line, ..Span::default() },
        }
    }

    fn symbol(kind: ChunkKind, line: u32) -> Symbol {
        Symbol {
            name: "it".to_string(),
            kind,
            visibility: Visibility::Public,
            signature: None,
            scope: None,
            span: Span::default(),
            line,
            parameters: Vec::new(),
            type_text: None,
            is_test: false,
        }
    }

    #[test]
    fn kinds_come_back_by_the_chunk_that_holds_them() {
        let chunks = [
            chunk(ChunkKind::Struct, 1, 9),
            chunk(ChunkKind::Method, 10, 12),
            chunk(ChunkKind::Class, 13, 20),
        ];
        let symbols = [
            symbol(ChunkKind::Struct, 1),
            symbol(ChunkKind::Function, 5),
            symbol(ChunkKind::Enum, 9),
            symbol(ChunkKind::Method, 10),
            symbol(ChunkKind::Class, 13),
            symbol(ChunkKind::Method, 14),
            symbol(ChunkKind::Method, 16),
        ];
        let packed = pack_kinds(&chunks, &symbols).unwrap();
        let held = |kind| find_chunks(&packed, &[kind]).unwrap();
        assert_eq!(held(ChunkKind::Function), [0]);
        assert_eq!(held(ChunkKind::Enum), [0]);
        assert_eq!(held(ChunkKind::Method), [2]);
        assert_eq!(held(ChunkKind::Class), [0u32; 0]);
        assert_eq!(pack_kinds(&chunks[1..2], &symbols), None);
        for end in (1..packed.len()).step_by(2) {
            assert_eq!(find_chunks(&packed[..end], &[]), Err(Malformed));
        }
    }
}
