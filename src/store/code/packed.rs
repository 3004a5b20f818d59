//! What is kept of a file in one piece each: its text, its definitions, its references with its
//! bindings. Packed and
//! compressed, because they are most of an index, and nobody asks for a part of one.

use std::cell::RefCell;
use std::collections::HashMap;

use zstd::bulk::Decompressor;

use super::codes::Code;
use super::lexicon;
use super::packing::{Malformed, Unpacker, put_number, put_text};
use crate::model::{
    Binding, BindingKind, ChunkKind, CodeFacts, Reference, ReferenceKind, Span, Symbol, Visibility,
};

/// Fast; higher levels save little on source code.
const LEVEL: i32 = 1;

/// Nothing that is indexed is longer, so a longer one is damage and not a reason to allocate.
const MAX_BYTES: usize = 64 << 20;

/// The pieces of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packed {
    pub(super) text: Vec<u8>,
    pub(super) symbols: Vec<u8>,
    pub(super) references: Vec<u8>,
    /// Every word of the text; see `lexicon`.
    pub(super) words: Vec<u8>,
}

impl Packed {
    /// Not cheap: it is done by whoever reads files in parallel, and not by the one writer.
    pub fn new(text: &str, facts: &CodeFacts) -> Packed {
        Packed {
            text: compress(text.as_bytes()),
            symbols: compress(&pack_symbols(&facts.symbols)),
            references: compress(&pack_references(&facts.references, &facts.bindings)),
            words: lexicon::distinct(text),
        }
    }

    /// The text that was packed.
    pub(in crate::store) fn text(&self) -> String {
        let bytes = decompress(&self.text).unwrap_or_default();
        String::from_utf8(bytes).unwrap_or_default()
    }

    pub(in crate::store) fn packed_text(&self) -> &[u8] {
        &self.text
    }

    pub(in crate::store) fn packed_symbols(&self) -> &[u8] {
        &self.symbols
    }
}

/// Unpacks into `bytes`, in place of what they hold: whoever unpacks several saves the memory.
pub fn text_into(packed: &[u8], bytes: &mut Vec<u8>) -> Result<(), Malformed> {
    bytes.clear();
    unpack(packed, bytes)
}

pub fn symbols(packed: &[u8]) -> Result<Vec<Symbol>, Malformed> {
    unpack_symbols(&decompress(packed)?)
}

pub fn references(packed: &[u8]) -> Result<Vec<Reference>, Malformed> {
    unpack_references(&decompress(packed)?).map(|(references, _)| references)
}

pub fn references_and_bindings(packed: &[u8]) -> Result<(Vec<Reference>, Vec<Binding>), Malformed> {
    unpack_references(&decompress(packed)?)
}

pub(super) fn compress(bytes: &[u8]) -> Vec<u8> {
    let packed = zstd::bulk::compress(bytes, LEVEL);
    packed.expect("memory is all that compression needs")
}

pub fn decompress(packed: &[u8]) -> Result<Vec<u8>, Malformed> {
    let mut bytes = Vec::new();
    unpack(packed, &mut bytes)?;
    Ok(bytes)
}

thread_local! {
    /// Made once for each thread: to make one takes longer than to unpack a small file.
    static UNPACKER: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

fn unpack(packed: &[u8], bytes: &mut Vec<u8>) -> Result<(), Malformed> {
    let length = Decompressor::upper_bound(packed).unwrap_or(MAX_BYTES);
    bytes.reserve(length.min(MAX_BYTES));
    UNPACKER.with_borrow_mut(|unpacker| {
        let unpacker = match unpacker {
            Some(unpacker) => unpacker,
            None => unpacker.insert(Decompressor::new().map_err(|_| Malformed)?),
        };
        let unpacked = unpacker.decompress_to_buffer(packed, bytes);
        unpacked.map(|_| ()).map_err(|_| Malformed)
    })
}

/// The strings of a file, each once; facts hold their places.
#[derive(Default)]
struct Strings<'a> {
    all: Vec<&'a str>,
    places: HashMap<&'a str, u32>,
}

impl<'a> Strings<'a> {
    fn place(&mut self, text: &'a str) -> u32 {
        *self.places.entry(text).or_insert_with(|| {
            self.all.push(text);
            self.all.len() as u32 - 1
        })
    }

    /// 0 for none.
    fn optional(&mut self, text: Option<&'a str>) -> u32 {
        text.map_or(0, |text| self.place(text) + 1)
    }

    /// The strings, and then what refers to them.
    fn before(self, body: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(body.len() * 2);
        put_number(&mut bytes, self.all.len() as u32);
        for text in &self.all {
            put_text(&mut bytes, text);
        }
        bytes.extend_from_slice(body);
        bytes
    }
}

/// The strings of a file, to look them up.
struct Texts<'a>(Vec<&'a str>);

impl<'a> Texts<'a> {
    fn read(unpacker: &mut Unpacker<'a>) -> Result<Texts<'a>, Malformed> {
        let texts = (0..unpacker.count()?).map(|_| unpacker.text());
        Ok(Texts(texts.collect::<Result<_, _>>()?))
    }

    fn at(&self, place: u32) -> Result<String, Malformed> {
        let text = self.0.get(place as usize);
        text.map(|text| text.to_string()).ok_or(Malformed)
    }

    fn optional(&self, place: u32) -> Result<Option<String>, Malformed> {
        place.checked_sub(1).map(|place| self.at(place)).transpose()
    }
}

fn pack_references(references: &[Reference], bindings: &[Binding]) -> Vec<u8> {
    let mut strings = Strings::default();
    let mut body = Vec::with_capacity(references.len() * 10);
    put_number(&mut body, references.len() as u32);
    // They come in the order of the text, so differences are small.
    let (mut line, mut byte) = (0, 0);
    for reference in references {
        put_number(&mut body, strings.place(&reference.name));
        body.push(reference.kind.code());
        put_number(&mut body, strings.optional(reference.receiver.as_deref()));
        put_number(&mut body, reference.labels.len() as u32);
        for label in &reference.labels {
            put_number(&mut body, strings.place(label));
        }
        put_number(&mut body, reference.line.wrapping_sub(line));
        put_number(&mut body, reference.start_byte.wrapping_sub(byte));
        (line, byte) = (reference.line, reference.start_byte);
        let inside = reference.inside.map(|symbol| symbol.saturating_add(1));
        put_number(&mut body, inside.unwrap_or(0));
    }
    pack_bindings(bindings, &mut strings, &mut body);
    strings.before(&body)
}

fn pack_bindings<'a>(bindings: &'a [Binding], strings: &mut Strings<'a>, body: &mut Vec<u8>) {
    put_number(body, bindings.len() as u32);
    let mut byte = 0;
    for binding in bindings {
        put_number(body, strings.place(&binding.name));
        body.push(binding.kind.code());
        put_number(body, strings.optional(binding.type_text.as_deref()));
        put_number(body, strings.optional(binding.value.as_deref()));
        put_number(body, binding.start_byte.wrapping_sub(byte));
        byte = binding.start_byte;
        let inside = binding.inside.map(|symbol| symbol.saturating_add(1));
        put_number(body, inside.unwrap_or(0));
    }
}

fn unpack_bindings(unpacker: &mut Unpacker, texts: &Texts) -> Result<Vec<Binding>, Malformed> {
    let mut byte = 0_u32;
    let mut bindings = Vec::new();
    for _ in 0..unpacker.count()? {
        let name = texts.at(unpacker.number()?)?;
        let kind = BindingKind::from_code(unpacker.take(1)?[0])?;
        let type_text = texts.optional(unpacker.number()?)?;
        let value = texts.optional(unpacker.number()?)?;
        byte = byte.wrapping_add(unpacker.number()?);
        bindings.push(Binding {
            name,
            kind,
            type_text,
            value,
            start_byte: byte,
            inside: unpacker.number()?.checked_sub(1),
        });
    }
    Ok(bindings)
}

fn unpack_references(bytes: &[u8]) -> Result<(Vec<Reference>, Vec<Binding>), Malformed> {
    let mut unpacker = Unpacker::new(bytes);
    let texts = Texts::read(&mut unpacker)?;
    let (mut line, mut byte) = (0_u32, 0_u32);
    let mut references = Vec::new();
    for _ in 0..unpacker.count()? {
        let name = texts.at(unpacker.number()?)?;
        let kind = ReferenceKind::from_code(unpacker.take(1)?[0])?;
        let receiver = texts.optional(unpacker.number()?)?;
        let labels = (0..unpacker.count()?).map(|_| texts.at(unpacker.number()?));
        let labels = labels.collect::<Result<_, _>>()?;
        line = line.wrapping_add(unpacker.number()?);
        byte = byte.wrapping_add(unpacker.number()?);
        references.push(Reference {
            name,
            kind,
            receiver,
            labels,
            line,
            start_byte: byte,
            inside: unpacker.number()?.checked_sub(1),
        });
    }
    let bindings = unpack_bindings(&mut unpacker, &texts)?;
    Ok((references, bindings))
}

fn pack_symbols(symbols: &[Symbol]) -> Vec<u8> {
    let mut strings = Strings::default();
    let mut body = Vec::with_capacity(symbols.len() * 20);
    put_number(&mut body, symbols.len() as u32);
    for symbol in symbols {
        put_number(&mut body, strings.place(&symbol.name));
        body.extend([symbol.kind.code(), symbol.visibility.code()]);
        body.push(u8::from(symbol.is_test));
        for text in [&symbol.signature, &symbol.scope, &symbol.type_text] {
            put_number(&mut body, strings.optional(text.as_deref()));
        }
        let Span {
            start_line,
            end_line,
            start_byte,
            end_byte,
        } = symbol.span;
        for number in [
            start_line,
            end_line.wrapping_sub(start_line),
            start_byte,
            end_byte.wrapping_sub(start_byte),
            symbol.line.wrapping_sub(start_line),
            symbol.parameters.len() as u32,
        ] {
            put_number(&mut body, number);
        }
        for (name, kind) in &symbol.parameters {
            put_number(&mut body, strings.place(name));
            put_number(&mut body, strings.optional(kind.as_deref()));
        }
    }
    strings.before(&body)
}

fn unpack_symbols(bytes: &[u8]) -> Result<Vec<Symbol>, Malformed> {
    let mut unpacker = Unpacker::new(bytes);
    let texts = Texts::read(&mut unpacker)?;
    let mut symbols = Vec::new();
    for _ in 0..unpacker.count()? {
        symbols.push(unpack_symbol(&mut unpacker, &texts)?);
    }
    Ok(symbols)
}

fn unpack_symbol(unpacker: &mut Unpacker, texts: &Texts) -> Result<Symbol, Malformed> {
    let name = texts.at(unpacker.number()?)?;
    let [kind, visibility, is_test] = *unpacker.take(3)? else {
        return Err(Malformed);
    };
    let signature = texts.optional(unpacker.number()?)?;
    let scope = texts.optional(unpacker.number()?)?;
    let type_text = texts.optional(unpacker.number()?)?;
    let start_line = unpacker.number()?;
    let end_line = start_line.wrapping_add(unpacker.number()?);
    let start_byte = unpacker.number()?;
    let end_byte = start_byte.wrapping_add(unpacker.number()?);
    let line = start_line.wrapping_add(unpacker.number()?);
    let mut parameters = Vec::new();
    for _ in 0..unpacker.count()? {
        let name = texts.at(unpacker.number()?)?;
        parameters.push((name, texts.optional(unpacker.number()?)?));
    }
    Ok(Symbol {
        name,
        kind: ChunkKind::from_code(kind)?,
        visibility: Visibility::from_code(visibility)?,
        signature,
        scope,
        span: Span {
            start_line,
            end_line,
            start_byte,
            end_byte,
        },
        line,
        parameters,
        type_text,
        is_test: is_test != 0,
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::Random;
    use super::*;

    fn reference(name: &str, receiver: Option<&str>, labels: &[&str]) -> Reference {
        Reference {
            name: name.to_string(),
            kind: ReferenceKind::Call,
            receiver: receiver.map(str::to_string),
            labels: labels.iter().map(|label| label.to_string()).collect(),
            line: 7,
            start_byte: 300,
            inside: receiver.map(|_| 0),
        }
    }

    fn symbol(name: &str, type_text: Option<&str>) -> Symbol {
        Symbol {
            name: name.to_string(),
            kind: ChunkKind::Method,
            visibility: Visibility::Private,
            signature: Some(format!("fn {name}()")),
            scope: None,
            span: Span {
                start_line: 3,
                end_line: 9,
                start_byte: 20,
                end_byte: 400,
            },
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
        ];
        let symbols = [symbol("login", Some("Session")), symbol("logout", None)];
        let bindings = [Binding {
            name: "self.session".to_string(),
            kind: BindingKind::Inner,
            type_text: None,
            value: Some("open()".to_string()),
            start_byte: 301,
            inside: Some(0),
        }];
        let first = pack_references(&references, &bindings);
        let second = pack_symbols(&symbols);
        let (found, bound) = unpack_references(&first).unwrap();
        assert_eq!((found, bound), (references.to_vec(), bindings.to_vec()));
        assert_eq!(unpack_symbols(&second).unwrap(), symbols);
        let mut random = Random::new(8);
        for round in 0..40_000 {
            let mut bytes = if round % 2 == 0 {
                first.clone()
            } else {
                second.clone()
            };
            let at = random.below(bytes.len() as u32) as usize;
            bytes[at] = random.below(256) as u8;
            bytes.truncate(random.below(bytes.len() as u32 + 1) as usize);
            let _ = unpack_references(&bytes);
            let _ = unpack_symbols(&bytes);
        }
    }

    #[test]
    fn text_comes_back_and_damage_is_an_error() {
        let mut bytes = Vec::new();
        for source in ["", "é", &"fn main() {}\n".repeat(5000), "short again"] {
            let packed = compress(source.as_bytes());
            assert_eq!(text_into(&packed, &mut bytes), Ok(()));
            assert_eq!(bytes, source.as_bytes());
        }
        let packed = compress("fn main() {}\n".repeat(50).as_bytes());
        for at in 1..packed.len() {
            assert_eq!(text_into(&packed[..at], &mut bytes), Err(Malformed));
        }
    }
}
