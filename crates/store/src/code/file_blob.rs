//! The file blob: the text, the symbols, and the references with the bindings of one file, each
//! encoded and compressed with zstd. They are most of an index, and each is always read as a whole.
//!
//!   text_blob    = zstd(UTF-8 text)
//!   symbols_blob = zstd(columns of `symbol_columns`)    see `columnar` for the encoding
//!   refs_blob    = zstd(columns of `ref_columns`)
//!
//! Positions are stored as differences to the row before, ends as lengths. The order in which
//! columns are read must be the order in which they are written.

use std::cell::RefCell;

use zstd::bulk::{Compressor, Decompressor};

use super::columnar::{ColumnReader, ColumnWriter};
use super::enum_codes::StoredEnum;
use super::varint::Malformed;
use super::word_index;
use kenning_model::{
    Binding, BindingKind, ChunkKind, CodeFacts, Reference, ReferenceKind, Span, Symbol, Visibility,
};

/// The compression level of facts, which are small: a higher level saves too little for its time.
const LEVEL: i32 = 3;

/// The compression level of texts, which are the largest part of an index after the vectors. An
/// eighth smaller than with the fastest level.
const TEXT_LEVEL: i32 = 6;

/// The largest unpacked size. No indexed file is longer, so a longer one is damage and must not be
/// allocated.
const MAX_BYTES: usize = 64 << 20;

/// The compressed parts of one file, ready to be stored, and its words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileBlob {
    pub(super) text: Vec<u8>,
    pub(super) symbols: Vec<u8>,
    pub(super) references: Vec<u8>,
    /// The distinct words of the text, for the word index; not part of the stored row.
    pub(super) words: Vec<u8>,
}

impl FileBlob {
    /// Packs and compresses. Expensive, so the threads that read files call it and not the one
    /// writer.
    pub fn new(text: &str, facts: &CodeFacts) -> FileBlob {
        FileBlob {
            text: compress_at(text.as_bytes(), TEXT_LEVEL),
            symbols: compress(&pack_symbols(&facts.symbols)),
            references: compress(&pack_references(&facts.references, &facts.bindings)),
            words: word_index::distinct_words(text),
        }
    }

    /// Returns the text that was compressed.
    pub(crate) fn text(&self) -> String {
        let bytes = decompress(&self.text).unwrap_or_default();
        String::from_utf8(bytes).unwrap_or_default()
    }

    /// Returns the compressed text, for remote backends.
    pub(crate) fn packed_text(&self) -> &[u8] {
        &self.text
    }

    /// Returns the compressed symbols, for remote backends.
    pub(crate) fn packed_symbols(&self) -> &[u8] {
        &self.symbols
    }
}

/// Unpacks into `bytes`, replacing their content. A caller that unpacks several texts reuses the
/// allocation.
pub fn decompress_text(packed: &[u8], bytes: &mut Vec<u8>) -> Result<(), Malformed> {
    bytes.clear();
    decompress_into(packed, bytes)
}

/// Decodes all symbols of a file.
pub fn read_symbols(packed: &[u8]) -> Result<Vec<Symbol>, Malformed> {
    unpack_symbols(&decompress(packed)?, |_| true)
}

/// Returns the symbols whose name `is_meant` accepts. Skipping the others takes a fraction of the
/// time.
pub fn read_symbols_named(
    packed: &[u8],
    is_meant: impl Fn(&str) -> bool,
) -> Result<Vec<Symbol>, Malformed> {
    unpack_symbols(&decompress(packed)?, is_meant)
}

/// Decodes the symbols at these indexes, which must ascend. Stops after the last of them.
pub fn read_symbols_at(packed: &[u8], places: &[u32]) -> Result<Vec<Symbol>, Malformed> {
    let bytes = decompress(packed)?;
    let mut columns = ColumnReader::new(&bytes)?;
    let mut wanted = places.iter().copied().peekable();
    let mut symbols = Vec::with_capacity(places.len());
    for place in 0..columns.count_unread(symbol_columns::KIND) as u32 {
        let Some(next) = wanted.peek() else {
            break;
        };
        let is_wanted = *next == place;
        symbols.extend(unpack_symbol(&mut columns, |_| is_wanted)?);
        wanted.next_if(|_| is_wanted);
    }
    Ok(symbols)
}

/// Decodes all references of a file, without its bindings.
pub fn read_references(packed: &[u8]) -> Result<Vec<Reference>, Malformed> {
    let bytes = decompress(packed)?;
    read_reference_columns(&mut ColumnReader::new(&bytes)?, |_| true)
}

/// Decodes the imports and exports of a file, and all its bindings. That is what the resolution of
/// *other* files needs of it.
pub fn read_imports_and_bindings(
    packed: &[u8],
) -> Result<(Vec<Reference>, Vec<Binding>), Malformed> {
    let is_import = |kind| matches!(kind, ReferenceKind::Import | ReferenceKind::Export);
    unpack_references(&decompress(packed)?, is_import)
}

/// Decodes all references and bindings of a file.
pub fn read_references_and_bindings(
    packed: &[u8],
) -> Result<(Vec<Reference>, Vec<Binding>), Malformed> {
    unpack_references(&decompress(packed)?, |_| true)
}

/// Compresses facts, or a block of an index, at the level for small data.
pub(super) fn compress(bytes: &[u8]) -> Vec<u8> {
    compress_at(bytes, LEVEL)
}

fn compress_at(bytes: &[u8], level: i32) -> Vec<u8> {
    COMPRESSOR.with_borrow_mut(|compressor| {
        let compressor = match compressor {
            Some(compressor) => compressor,
            None => compressor.insert(Compressor::new(level).expect(MEMORY)),
        };
        // One compressor serves both levels.
        compressor.set_compression_level(level).expect(MEMORY);
        compressor.compress(bytes).expect(MEMORY)
    })
}

// zstd fails only if it cannot allocate.
const MEMORY: &str = "memory is all that compression needs";

/// Decompresses a blob into a new buffer.
pub fn decompress(packed: &[u8]) -> Result<Vec<u8>, Malformed> {
    let mut bytes = Vec::new();
    decompress_into(packed, &mut bytes)?;
    Ok(bytes)
}

thread_local! {
    /// Made once for each thread: to make one takes longer than to pack or unpack a small file.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// Decompresses into `bytes`, which must be empty; its capacity is reused.
fn decompress_into(packed: &[u8], bytes: &mut Vec<u8>) -> Result<(), Malformed> {
    // A frame says how long its content is. A damaged frame may say anything, hence the limit; zstd
    // itself never writes past the reserved capacity.
    let length = Decompressor::upper_bound(packed).unwrap_or(MAX_BYTES);
    bytes.reserve(length.min(MAX_BYTES));
    DECOMPRESSOR.with_borrow_mut(|decompressor| {
        let decompressor = match decompressor {
            Some(decompressor) => decompressor,
            None => decompressor.insert(Decompressor::new().map_err(|_| Malformed)?),
        };
        let unpacked = decompressor.decompress_to_buffer(packed, bytes);
        unpacked.map(|_| ()).map_err(|_| Malformed)
    })
}

/// The columns of references and bindings.
pub(super) mod ref_columns {
    pub const KIND: usize = 0;
    pub const NAME: usize = 1;
    pub const RECEIVER: usize = 2;
    pub const LABEL_COUNT: usize = 3;
    pub const LABEL: usize = 4;
    pub const LINE: usize = 5;
    pub const START: usize = 6;
    pub const INSIDE: usize = 7;
    pub const BINDING_KIND: usize = 8;
    pub const BINDING_NAME: usize = 9;
    pub const BINDING_TYPE: usize = 10;
    pub const BINDING_VALUE: usize = 11;
    pub const BINDING_START: usize = 12;
    pub const BINDING_INSIDE: usize = 13;
    pub const BINDING_END: usize = 14;
    pub const COLUMNS: usize = 15;
}

/// Encodes references, then bindings.
fn pack_references(references: &[Reference], bindings: &[Binding]) -> Vec<u8> {
    use ref_columns::*;
    let mut columns = ColumnWriter::<COLUMNS>::new();
    // 0 is "not inside of a symbol".
    let outer = |inside: Option<u32>| inside.map_or(0, |symbol| symbol.saturating_add(1));
    for reference in references {
        columns.put_byte(KIND, reference.kind.code());
        columns.put_text_at(NAME, &reference.name);
        columns.put_optional(RECEIVER, reference.receiver.as_deref());
        columns.put_number_at(LABEL_COUNT, reference.labels.len() as u32);
        for label in &reference.labels {
            columns.put_text_at(LABEL, label);
        }
        columns.put_delta(LINE, reference.line);
        columns.put_delta(START, reference.start_byte);
        columns.put_delta(INSIDE, outer(reference.container));
    }
    for binding in bindings {
        columns.put_byte(BINDING_KIND, binding.kind.code());
        columns.put_text_at(BINDING_NAME, &binding.name);
        columns.put_optional(BINDING_TYPE, binding.type_text.as_deref());
        columns.put_optional(BINDING_VALUE, binding.value.as_deref());
        columns.put_delta(BINDING_START, binding.start_byte);
        columns.put_delta(BINDING_INSIDE, outer(binding.container));
        let length = binding.end_byte.map(|end| end.saturating_sub(binding.start_byte));
        columns.put_number_at(BINDING_END, length.map_or(0, |length| length.saturating_add(1)));
    }
    columns.finish()
}

fn unpack_references(
    bytes: &[u8],
    is_wanted: impl Fn(ReferenceKind) -> bool,
) -> Result<(Vec<Reference>, Vec<Binding>), Malformed> {
    let mut columns = ColumnReader::new(bytes)?;
    // The columns share one list of strings, built in reading order, so references come before
    // bindings.
    let references = read_reference_columns(&mut columns, is_wanted)?;
    Ok((references, read_binding_columns(&mut columns)?))
}

/// Reads the references of the wanted kinds. Allocates nothing for the others, which saves most of
/// the work.
fn read_reference_columns(
    columns: &mut ColumnReader<{ ref_columns::COLUMNS }>,
    is_wanted: impl Fn(ReferenceKind) -> bool,
) -> Result<Vec<Reference>, Malformed> {
    use ref_columns::*;
    let mut found = Vec::new();
    for _ in 0..columns.count_unread(KIND) {
        let kind = ReferenceKind::from_code(columns.read_byte(KIND)?)?;
        let name = columns.read_text(NAME)?;
        let receiver = columns.read_optional(RECEIVER)?;
        let mut labels = Vec::new();
        for _ in 0..columns.read_number(LABEL_COUNT)? {
            let label = columns.read_text(LABEL)?;
            if is_wanted(kind) {
                labels.push(label.to_string());
            }
        }
        let line = columns.read_delta(LINE)?;
        let start_byte = columns.read_delta(START)?;
        let inside = columns.read_delta(INSIDE)?.checked_sub(1);
        if is_wanted(kind) {
            found.push(Reference {
                name: name.to_string(),
                receiver: receiver.map(str::to_string),
                labels,
                kind,
                line,
                start_byte,
                container: inside,
            });
        }
    }
    Ok(found)
}

/// Reads all bindings. Must follow [`read_reference_columns`].
fn read_binding_columns(
    columns: &mut ColumnReader<{ ref_columns::COLUMNS }>,
) -> Result<Vec<Binding>, Malformed> {
    use ref_columns::*;
    let mut bindings = Vec::new();
    for _ in 0..columns.count_unread(BINDING_KIND) {
        let kind = BindingKind::from_code(columns.read_byte(BINDING_KIND)?)?;
        let name = columns.read_text(BINDING_NAME)?.to_string();
        let type_text = columns.read_optional(BINDING_TYPE)?.map(str::to_string);
        let value = columns.read_optional(BINDING_VALUE)?.map(str::to_string);
        let start_byte = columns.read_delta(BINDING_START)?;
        let length = columns.read_number(BINDING_END)?.checked_sub(1);
        bindings.push(Binding {
            name,
            kind,
            type_text,
            value,
            start_byte,
            end_byte: length.map(|length| start_byte.saturating_add(length)),
            container: columns.read_delta(BINDING_INSIDE)?.checked_sub(1),
        });
    }
    Ok(bindings)
}

/// The columns of symbols.
mod symbol_columns {
    pub const KIND: usize = 0;
    pub const VISIBILITY: usize = 1;
    pub const TEST: usize = 2;
    pub const NAME: usize = 3;
    pub const SIGNATURE: usize = 4;
    pub const SCOPE: usize = 5;
    pub const TYPE: usize = 6;
    pub const FIRST_LINE: usize = 7;
    pub const LINES: usize = 8;
    pub const START: usize = 9;
    pub const LENGTH: usize = 10;
    pub const NAME_LINE: usize = 11;
    pub const PARAMETER_COUNT: usize = 12;
    pub const PARAMETER: usize = 13;
    pub const PARAMETER_TYPE: usize = 14;
    pub const COLUMNS: usize = 15;
}

/// Encodes symbols.
fn pack_symbols(symbols: &[Symbol]) -> Vec<u8> {
    use symbol_columns::*;
    let mut columns = ColumnWriter::<COLUMNS>::new();
    for symbol in symbols {
        columns.put_byte(KIND, symbol.kind.code());
        columns.put_byte(VISIBILITY, symbol.visibility.code());
        columns.put_byte(TEST, u8::from(symbol.is_test));
        columns.put_text_at(NAME, &symbol.name);
        columns.put_optional(SIGNATURE, symbol.signature.as_deref());
        columns.put_repeated(SCOPE, symbol.scope.as_deref());
        columns.put_optional(TYPE, symbol.type_text.as_deref());
        let span = symbol.span;
        columns.put_delta(FIRST_LINE, span.start_line);
        // Wrapping, so that facts with an end before their start survive the round trip.
        columns.put_number_at(LINES, span.end_line.wrapping_sub(span.start_line));
        columns.put_delta(START, span.start_byte);
        columns.put_number_at(LENGTH, span.end_byte.wrapping_sub(span.start_byte));
        columns.put_number_at(NAME_LINE, symbol.line.wrapping_sub(span.start_line));
        columns.put_number_at(PARAMETER_COUNT, symbol.parameters.len() as u32);
        for (name, kind) in &symbol.parameters {
            columns.put_text_at(PARAMETER, name);
            columns.put_optional(PARAMETER_TYPE, kind.as_deref());
        }
    }
    columns.finish()
}

/// Decodes the symbols whose names `is_meant` accepts.
fn unpack_symbols(bytes: &[u8], is_meant: impl Fn(&str) -> bool) -> Result<Vec<Symbol>, Malformed> {
    let mut columns = ColumnReader::new(bytes)?;
    let mut symbols = Vec::new();
    for _ in 0..columns.count_unread(symbol_columns::KIND) {
        symbols.extend(unpack_symbol(&mut columns, &is_meant)?);
    }
    Ok(symbols)
}

/// Reads the next symbol; returns it if `is_meant` accepts its name. All columns are read either
/// way, because the strings are numbered in reading order.
fn unpack_symbol(
    columns: &mut ColumnReader<{ symbol_columns::COLUMNS }>,
    is_meant: impl Fn(&str) -> bool,
) -> Result<Option<Symbol>, Malformed> {
    use symbol_columns::*;
    let kind = ChunkKind::from_code(columns.read_byte(KIND)?)?;
    let visibility = Visibility::from_code(columns.read_byte(VISIBILITY)?)?;
    let is_test = columns.read_byte(TEST)? != 0;
    let name = columns.read_text(NAME)?;
    let signature = columns.read_optional(SIGNATURE)?;
    let scope = columns.read_repeated(SCOPE)?;
    let type_text = columns.read_optional(TYPE)?;
    let start_line = columns.read_delta(FIRST_LINE)?;
    let end_line = start_line.wrapping_add(columns.read_number(LINES)?);
    let start_byte = columns.read_delta(START)?;
    let end_byte = start_byte.wrapping_add(columns.read_number(LENGTH)?);
    let line = start_line.wrapping_add(columns.read_number(NAME_LINE)?);
    let is_meant = is_meant(name);
    let mut parameters = Vec::new();
    for _ in 0..columns.read_number(PARAMETER_COUNT)? {
        let name = columns.read_text(PARAMETER)?;
        let parameter_type = columns.read_optional(PARAMETER_TYPE)?;
        if is_meant {
            parameters.push((name.to_string(), parameter_type.map(str::to_string)));
        }
    }
    Ok(is_meant.then(|| Symbol {
        name: name.to_string(),
        kind,
        visibility,
        signature: signature.map(str::to_string),
        scope: scope.map(str::to_string),
        span: Span { start_line, end_line, start_byte, end_byte },
        line,
        parameters,
        type_text: type_text.map(str::to_string),
        is_test,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenning_testing::Random;

    fn reference(name: &str, receiver: Option<&str>, labels: &[&str]) -> Reference {
        Reference {
            name: name.to_string(),
            kind: ReferenceKind::Call,
            receiver: receiver.map(str::to_string),
            labels: labels.iter().map(|label| label.to_string()).collect(),
            line: 7,
            start_byte: 300,
            container: receiver.map(|_| 0),
        }
    }

    fn symbol(name: &str, type_text: Option<&str>) -> Symbol {
        Symbol {
            name: name.to_string(),
            kind: ChunkKind::Method,
            visibility: Visibility::Private,
            signature: Some(format!("fn {name}()")),
            scope: None,
            span: Span { start_line: 3, end_line: 9, start_byte: 20, end_byte: 400 },
            line: 4,
            parameters: vec![
                ("a".to_string(), None),
                ("b".to_string(), type_text.map(str::to_string)),
            ],
            type_text: type_text.map(str::to_string),
            is_test: type_text.is_some(),
        }
    }

    #[test]
    fn facts_come_back_and_damage_is_no_panic() {
        let references = [
            reference("authenticate", Some("self.session"), &["user", "_"]),
            reference("user", None, &[]),
            Reference {
                kind: ReferenceKind::Import,
                ..reference("session", Some("auth"), &["session"])
            },
        ];
        let symbols = [symbol("login", Some("Session")), symbol("logout", None)];
        let bindings = [Binding {
            name: "self.session".to_string(),
            kind: BindingKind::PatternPart,
            type_text: None,
            value: Some("open()".to_string()),
            start_byte: 301,
            end_byte: Some(340),
            container: Some(0),
        }];
        let first = pack_references(&references, &bindings);
        let second = pack_symbols(&symbols);
        let (found, bound) = unpack_references(&first, |_| true).unwrap();
        assert_eq!((found, bound), (references.to_vec(), bindings.to_vec()));
        let kept = |kind| kind == ReferenceKind::Import;
        let (found, bound) = unpack_references(&first, kept).unwrap();
        assert_eq!((found, bound), (references[2..].to_vec(), bindings.to_vec()));
        assert_eq!(unpack_symbols(&second, |_| true).unwrap(), symbols);
        for one in &symbols {
            let called = unpack_symbols(&second, |name| name == one.name).unwrap();
            let expected: Vec<&Symbol> =
                symbols.iter().filter(|other| other.name == one.name).collect();
            assert_eq!(called.iter().collect::<Vec<_>>(), expected);
        }
        let packed = compress(&second);
        for (places, expected) in [
            (&[][..], &symbols[..0]),
            (&[0], &symbols[..1]),
            (&[1, 7], &symbols[1..]),
            (&[0, 1], &symbols),
        ] {
            assert_eq!(read_symbols_at(&packed, places).unwrap(), expected);
        }
        let mut random = Random::new(8);
        for round in 0..40_000 {
            let mut bytes = if round % 2 == 0 { first.clone() } else { second.clone() };
            let at = random.next_below(bytes.len() as u32) as usize;
            bytes[at] = random.next_below(256) as u8;
            bytes.truncate(random.next_below(bytes.len() as u32 + 1) as usize);
            let _ = unpack_references(&bytes, |_| true);
            let _ = unpack_symbols(&bytes, |_| true);
        }
    }

    #[test]
    fn text_comes_back_and_damage_is_an_error() {
        let mut bytes = Vec::new();
        for source in ["", "é", &"fn main() {}\n".repeat(5000), "short again"] {
            let packed = compress(source.as_bytes());
            assert_eq!(decompress_text(&packed, &mut bytes), Ok(()));
            assert_eq!(bytes, source.as_bytes());
        }
        let packed = compress("fn main() {}\n".repeat(50).as_bytes());
        for at in 1..packed.len() {
            assert_eq!(decompress_text(&packed[..at], &mut bytes), Err(Malformed));
        }
    }
}
