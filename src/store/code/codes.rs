//! The closed sets of the model as numbers in the database. The numbers are part of the format:
//! add, never renumber.

use super::packing::{Malformed, Unpacker, put_number, put_text};
use crate::model::{Chunk, ChunkKind, HeritageKind, Reference, ReferenceKind, Visibility};

const REFERENCE_KINDS: &[ReferenceKind] = &[
    ReferenceKind::Call,
    ReferenceKind::Type,
    ReferenceKind::Import,
];
const HERITAGE_KINDS: &[HeritageKind] = &[
    HeritageKind::Declared,
    HeritageKind::Extension,
    HeritageKind::Derived,
];
const VISIBILITIES: &[Visibility] = &[
    Visibility::Public,
    Visibility::Internal,
    Visibility::Private,
];

/// A member of a closed set that is stored as its place in a list.
pub trait Code: Copy + PartialEq + Sized + 'static {
    const ALL: &'static [Self];

    fn code(self) -> u8 {
        let place = Self::ALL.iter().position(|member| *member == self);
        place.expect("the list names every member") as u8
    }

    fn from_code(code: u8) -> Result<Self, Malformed> {
        Self::ALL.get(usize::from(code)).copied().ok_or(Malformed)
    }
}

impl Code for ChunkKind {
    const ALL: &'static [ChunkKind] = ChunkKind::ALL;
}

impl Code for ReferenceKind {
    const ALL: &'static [ReferenceKind] = REFERENCE_KINDS;
}

impl Code for HeritageKind {
    const ALL: &'static [HeritageKind] = HERITAGE_KINDS;
}

impl Code for Visibility {
    const ALL: &'static [Visibility] = VISIBILITIES;
}

/// Set in the byte of a chunk that is a test.
const TEST: u8 = 0x80;

/// A chunk's kind and whether it is a test, in one byte.
pub fn chunk_code(chunk: &Chunk) -> u8 {
    let test = if chunk.is_test { TEST } else { 0 };
    chunk.kind.code() | test
}

pub fn kind_and_test(code: u8) -> Result<(ChunkKind, bool), Malformed> {
    Ok((ChunkKind::from_code(code & !TEST)?, code & TEST != 0))
}

/// Under which a name's references are found. Two names may share one: compare the names too.
pub fn name_hash(name: &str) -> u32 {
    let hash = blake3::hash(name.as_bytes());
    let [a, b, c, d, ..] = *hash.as_bytes();
    u32::from_le_bytes([a, b, c, d])
}

/// References are by far the most numerous facts, so those of a file are one value: its strings,
/// each once, and then numbers.
pub fn pack_references(references: &[Reference]) -> Vec<u8> {
    let mut strings = Strings::default();
    let mut body = Vec::with_capacity(references.len() * 10);
    put_number(&mut body, references.len() as u32);
    for reference in references {
        put_number(&mut body, strings.place(&reference.name));
        body.push(reference.kind.code());
        let receiver = reference.receiver.as_deref();
        put_number(
            &mut body,
            receiver.map_or(0, |text| strings.place(text) + 1),
        );
        put_number(&mut body, reference.labels.len() as u32);
        for label in &reference.labels {
            put_number(&mut body, strings.place(label));
        }
        put_number(&mut body, reference.line);
        put_number(&mut body, reference.start_byte);
        put_number(
            &mut body,
            reference
                .inside
                .map_or(0, |symbol| symbol.saturating_add(1)),
        );
    }
    let mut bytes = Vec::with_capacity(body.len() * 2);
    put_number(&mut bytes, strings.all.len() as u32);
    for text in &strings.all {
        put_text(&mut bytes, text);
    }
    bytes.extend_from_slice(&body);
    bytes
}

#[derive(Default)]
struct Strings<'a> {
    all: Vec<&'a str>,
    places: std::collections::HashMap<&'a str, u32>,
}

impl<'a> Strings<'a> {
    fn place(&mut self, text: &'a str) -> u32 {
        *self.places.entry(text).or_insert_with(|| {
            self.all.push(text);
            self.all.len() as u32 - 1
        })
    }
}

pub fn unpack_references(bytes: &[u8]) -> Result<Vec<Reference>, Malformed> {
    let mut unpacker = Unpacker::new(bytes);
    let strings: Result<Vec<&str>, Malformed> =
        (0..unpacker.count()?).map(|_| unpacker.text()).collect();
    let strings = strings?;
    (0..unpacker.count()?)
        .map(|_| unpack_reference(&mut unpacker, &strings))
        .collect()
}

fn unpack_reference(unpacker: &mut Unpacker, strings: &[&str]) -> Result<Reference, Malformed> {
    let text = |place: u32| {
        strings
            .get(place as usize)
            .map(|text| text.to_string())
            .ok_or(Malformed)
    };
    let name = text(unpacker.number()?)?;
    let kind = ReferenceKind::from_code(unpacker.take(1)?[0])?;
    let receiver = unpacker.number()?.checked_sub(1).map(text).transpose()?;
    let labels: Result<Vec<String>, Malformed> = (0..unpacker.count()?)
        .map(|_| text(unpacker.number()?))
        .collect();
    Ok(Reference {
        name,
        kind,
        receiver,
        labels: labels?,
        line: unpacker.number()?,
        start_byte: unpacker.number()?,
        inside: unpacker.number()?.checked_sub(1),
    })
}

/// Parameters as `name, whether there is a type, type`, one after another.
pub fn pack_parameters(parameters: &[(String, Option<String>)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, kind) in parameters {
        put_text(&mut bytes, name);
        bytes.push(u8::from(kind.is_some()));
        put_text(&mut bytes, kind.as_deref().unwrap_or_default());
    }
    bytes
}

pub fn unpack_parameters(bytes: &[u8]) -> Result<Vec<(String, Option<String>)>, Malformed> {
    let mut unpacker = Unpacker::new(bytes);
    let mut parameters = Vec::new();
    while !unpacker.is_empty() {
        let name = unpacker.text()?.to_string();
        let has_type = unpacker.take(1)?[0] == 1;
        let text = unpacker.text()?.to_string();
        parameters.push((name, has_type.then_some(text)));
    }
    Ok(parameters)
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

    #[test]
    fn references_come_back_and_damage_is_no_panic() {
        let references = [
            reference("authenticate", Some("self.session"), &["user", "_"]),
            reference("user", None, &[]),
        ];
        let bytes = pack_references(&references);
        assert_eq!(unpack_references(&bytes).unwrap(), references);
        let mut random = Random::new(8);
        for _ in 0..20_000 {
            let mut bytes = bytes.clone();
            let at = random.below(bytes.len() as u32) as usize;
            bytes[at] = random.below(256) as u8;
            bytes.truncate(random.below(bytes.len() as u32 + 1) as usize);
            let _ = unpack_references(&bytes);
            let _ = unpack_parameters(&bytes);
        }
    }

    #[test]
    fn every_kind_has_its_number() {
        for (code, kind) in ChunkKind::ALL.iter().enumerate() {
            assert_eq!(usize::from(kind.code()), code);
            assert_eq!(ChunkKind::from_code(code as u8), Ok(*kind));
            // The match fails to compile when a kind is added; then add it to the list above.
            match kind {
                ChunkKind::Function | ChunkKind::Method | ChunkKind::Initializer => {}
                ChunkKind::Deinitializer | ChunkKind::Subscript | ChunkKind::Class => {}
                ChunkKind::Struct | ChunkKind::Enum | ChunkKind::Protocol => {}
                ChunkKind::Interface | ChunkKind::Trait | ChunkKind::Extension => {}
                ChunkKind::Actor | ChunkKind::Macro | ChunkKind::TypeAlias => {}
                ChunkKind::Variable | ChunkKind::Constant | ChunkKind::Property => {}
                ChunkKind::Namespace | ChunkKind::Module | ChunkKind::Section => {}
                ChunkKind::Document | ChunkKind::Comment | ChunkKind::Entry => {}
                ChunkKind::File => {}
            }
        }
        let parameters = vec![
            ("a".to_string(), None),
            ("b".to_string(), Some("Int".to_string())),
        ];
        assert_eq!(
            unpack_parameters(&pack_parameters(&parameters)),
            Ok(parameters)
        );
    }
}
