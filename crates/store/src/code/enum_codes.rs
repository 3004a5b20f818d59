//! The closed sets of the model as numbers in the database. The numbers are part of the format:
//! add, never renumber.

use super::varint::Malformed;
use kenning_model::{
    BindingKind, Chunk, ChunkKind, Confidence, HeritageKind, Reason, ReferenceKind, RepoPath,
    Symbol, Visibility,
};

pub use kenning_model::{folded_hash, name_hash};

const REFERENCE_KINDS: &[ReferenceKind] =
    &[ReferenceKind::Call, ReferenceKind::Type, ReferenceKind::Import, ReferenceKind::Export];
const BINDING_KINDS: &[BindingKind] = &[
    BindingKind::Value,
    BindingKind::Element,
    BindingKind::PatternPart,
    BindingKind::ReturnValue,
    BindingKind::SecondOfPair,
    BindingKind::ClosureParameter,
];
const HERITAGE_KINDS: &[HeritageKind] =
    &[HeritageKind::Declared, HeritageKind::Extension, HeritageKind::Derived];
const VISIBILITIES: &[Visibility] =
    &[Visibility::Public, Visibility::Internal, Visibility::Private];

/// A closed set whose members are stored as one byte: their index in [`StoredEnum::ALL`]. New members go
/// to the end of the list; any other change needs a new format version.
pub trait StoredEnum: Copy + PartialEq + Sized + 'static {
    // Every member, in the order of their codes.
    const ALL: &'static [Self];

    fn code(self) -> u8 {
        let place = Self::ALL.iter().position(|member| *member == self);
        place.expect("the list names every member") as u8
    }

    fn from_code(code: u8) -> Result<Self, Malformed> {
        Self::ALL.get(usize::from(code)).copied().ok_or(Malformed)
    }
}

impl StoredEnum for ChunkKind {
    const ALL: &'static [ChunkKind] = ChunkKind::ALL;
}

impl StoredEnum for ReferenceKind {
    const ALL: &'static [ReferenceKind] = REFERENCE_KINDS;
}

impl StoredEnum for BindingKind {
    const ALL: &'static [BindingKind] = BINDING_KINDS;
}

impl StoredEnum for Confidence {
    const ALL: &'static [Confidence] = Confidence::ALL;
}

impl StoredEnum for Reason {
    const ALL: &'static [Reason] = Reason::ALL;
}

impl StoredEnum for HeritageKind {
    const ALL: &'static [HeritageKind] = HERITAGE_KINDS;
}

impl StoredEnum for Visibility {
    const ALL: &'static [Visibility] = VISIBILITIES;
}

/// Set in the byte of a chunk that is a test.
const TEST: u8 = 0x80;

/// Set in the byte of a chunk that is the header of a type.
const HEADER: u8 = 0x40;

/// A chunk's kind, whether it is a test and whether it is a type's header, in one byte.
pub fn chunk_code(chunk: &Chunk) -> u8 {
    let test = if chunk.is_test { TEST } else { 0 };
    let header = if chunk.outline.is_some() { HEADER } else { 0 };
    chunk.kind.code() | test | header
}

/// Set in the byte of a definition that can be used from elsewhere.
const PUBLIC: u8 = 0x40;

/// The properties of a definition that filters test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolAttributes {
    pub kind: ChunkKind,
    pub is_public: bool,
    pub is_test: bool,
}

impl SymbolAttributes {
    pub fn from_symbol(symbol: &Symbol) -> SymbolAttributes {
        SymbolAttributes {
            kind: symbol.kind,
            is_public: symbol.visibility == Visibility::Public,
            is_test: symbol.is_test,
        }
    }

    /// All of them in one byte.
    pub(super) fn code(self) -> u8 {
        let public = if self.is_public { PUBLIC } else { 0 };
        let test = if self.is_test { TEST } else { 0 };
        self.kind.code() | public | test
    }

    pub(super) fn from_code(code: u8) -> Result<SymbolAttributes, Malformed> {
        Ok(SymbolAttributes {
            kind: ChunkKind::from_code(code & !(PUBLIC | TEST))?,
            is_public: code & PUBLIC != 0,
            is_test: code & TEST != 0,
        })
    }
}

/// Decodes the kind and the test flag of a chunk's byte.
pub fn kind_and_test(code: u8) -> Result<(ChunkKind, bool), Malformed> {
    let kind = ChunkKind::from_code(code & !(TEST | HEADER))?;
    Ok((kind, code & TEST != 0))
}

/// Decodes the header flag of a chunk's byte.
pub fn is_header(code: u8) -> bool {
    code & HEADER != 0
}

/// Returns the hash by which a file is looked up before its path is compared.
pub fn path_hash(path: &RepoPath) -> u32 {
    name_hash(path.as_str())
}

/// Bytes of a name's hash where many stand in a row.
pub const NAME_BYTES: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_number() {
        for (code, kind) in ChunkKind::ALL.iter().enumerate() {
            assert_eq!(usize::from(kind.code()), code);
            assert_eq!(ChunkKind::from_code(code as u8), Ok(*kind));
            assert!(code < usize::from(HEADER), "the bits above are taken");
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
    }
}
