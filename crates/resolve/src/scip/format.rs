//! Parser of the SCIP protobuf format (`index.scip`): bytes to documents and occurrences.
//!
//! Only the few fields that resolution needs are read, by hand. A generated protobuf reader would
//! copy every string of an index of up to a gigabyte; this one borrows them. A truncated or broken
//! file yields the part before the damage, and the reason.

use std::collections::HashMap;

/// The contents of a SCIP index.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ScipIndex<'b> {
    /// The root of the indexed tree, as a URL: `file:///…`.
    pub project_root: Option<&'b str>,
    /// The indexed files.
    pub documents: Vec<Document<'b>>,
    /// Symbols by number. A local symbol has a number of its own in each document.
    pub symbols: Vec<&'b str>,
    /// The reason why the rest could not be read.
    pub error: Option<&'static str>,
}

/// One indexed file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Document<'b> {
    /// The path below the project's root.
    pub path: &'b str,
    /// The text that was indexed, if the index contains it.
    pub text: Option<&'b str>,
    /// The unit of the columns of occurrences.
    pub column_unit: ColumnUnit,
    /// The names in the file that the compiler resolved.
    pub occurrences: Vec<Occurrence>,
}

/// The unit in which columns count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColumnUnit {
    /// Bytes of UTF-8.
    Bytes,
    /// The default if the index does not say, because most indexers run where text is UTF-16.
    #[default]
    Utf16,
    /// Unicode code points.
    Characters,
}

/// A name in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// Counted from 0, as are columns.
    pub line: u32,
    /// The column at which it starts.
    pub start: u32,
    /// On the same line; `None` if it ends on another.
    pub end: Option<u32>,
    /// An index into [`ScipIndex::symbols`].
    pub symbol: u32,
    /// True if the occurrence defines the symbol.
    pub is_definition: bool,
}

/// The bit of `symbol_roles` that marks a definition.
const DEFINITION: u64 = 1;

/// Parses an index.
pub fn parse(bytes: &[u8]) -> ScipIndex<'_> {
    let mut reading = ScipParser::default();
    let broken = reading.parse_index(bytes).err();
    ScipIndex { error: broken, ..reading.parsed }
}

/// Returns the name of a symbol's last descriptor, if it is a plain word: `bar` of
/// `npm a 1 src/Foo#bar().`.
pub fn descriptor_name(symbol: &str) -> Option<&str> {
    // A descriptor that ends in a colon is numbered by the indexer: `name0:`.
    if symbol.starts_with("local ") || symbol.ends_with([')', ':']) {
        return None;
    }
    let descriptor = symbol.trim_end_matches(['.', '#', '!', '/']);
    // A method descriptor has brackets with a disambiguator: `bar(+1)`.
    let path = match descriptor.strip_suffix(')') {
        Some(rest) => &rest[..rest.rfind('(')?],
        None => descriptor,
    };
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let start = path.trim_end_matches(is_part).len();
    (start < path.len()).then(|| &path[start..])
}

/// The error is a reason in plain words, which a problem shows.
type ParseResult<T> = Result<T, &'static str>;

/// The error for bytes that end early, or that are no protobuf message.
const CUT_OFF: &str = "it is cut off or no SCIP index";

/// The parser, with the symbols that it has numbered.
#[derive(Default)]
struct ScipParser<'b> {
    /// The part that is parsed so far.
    parsed: ScipIndex<'b>,
    /// Numbers of symbols that all documents share.
    global: HashMap<&'b str, u32>,
    /// Numbers of symbols of the current document.
    local: HashMap<&'b str, u32>,
}

impl<'b> ScipParser<'b> {
    /// Parses the top-level message: metadata (field 1) and documents (field 2).
    fn parse_index(&mut self, bytes: &'b [u8]) -> ParseResult<()> {
        let mut fields = ProtobufFields { rest: bytes };
        while let Some((number, value)) = fields.next()? {
            match (number, value) {
                (1, ProtobufValue::Bytes(metadata)) => {
                    let mut fields = ProtobufFields { rest: metadata };
                    while let Some((number, value)) = fields.next()? {
                        if let (3, ProtobufValue::Bytes(root)) = (number, value) {
                            self.parsed.project_root = Some(parse_utf8(root)?);
                        }
                    }
                }
                (2, ProtobufValue::Bytes(document)) => {
                    let document = self.parse_document(document)?;
                    self.parsed.documents.push(document);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Parses a document: path (1), occurrences (2), text (5) and position encoding (6).
    fn parse_document(&mut self, bytes: &'b [u8]) -> ParseResult<Document<'b>> {
        self.local.clear();
        let mut found = Document::default();
        let mut fields = ProtobufFields { rest: bytes };
        while let Some((number, value)) = fields.next()? {
            match (number, value) {
                (1, ProtobufValue::Bytes(path)) => found.path = parse_utf8(path)?,
                (2, ProtobufValue::Bytes(one)) => {
                    found.occurrences.extend(self.parse_occurrence(one)?)
                }
                (5, ProtobufValue::Bytes(whole)) => {
                    found.text = Some(parse_utf8(whole)?).filter(|text| !text.is_empty());
                }
                (6, ProtobufValue::Number(1)) => found.column_unit = ColumnUnit::Bytes,
                (6, ProtobufValue::Number(3)) => found.column_unit = ColumnUnit::Characters,
                _ => {}
            }
        }
        Ok(found)
    }

    /// Parses an occurrence: range (1), symbol (2) and roles (3). A range has three numbers if it
    /// is on one line, else four. `None` if it has no symbol or no position.
    fn parse_occurrence(&mut self, bytes: &'b [u8]) -> ParseResult<Option<Occurrence>> {
        let (mut range, mut symbol, mut roles) = (Vec::new(), "", 0);
        let mut fields = ProtobufFields { rest: bytes };
        while let Some((number, value)) = fields.next()? {
            match (number, value) {
                // Repeated numbers may be packed into one field or not.
                (1, ProtobufValue::Number(one)) => range.push(one),
                (1, ProtobufValue::Bytes(packed)) => {
                    let mut packed = ProtobufFields { rest: packed };
                    while !packed.rest.is_empty() {
                        range.push(packed.read_varint()?);
                    }
                }
                (2, ProtobufValue::Bytes(name)) => symbol = parse_utf8(name)?,
                (3, ProtobufValue::Number(all)) => roles = all,
                _ => {}
            }
        }
        let place = |at: usize| range.get(at).and_then(|&one| u32::try_from(one).ok());
        let (Some(line), Some(start)) = (place(0), place(1)) else {
            return Ok(None);
        };
        // `[line, start, end]`, or `[line, start, end line, end]`.
        let end = match range.len() {
            3 => place(2),
            _ => place(3).filter(|_| place(2) == Some(line)),
        };
        Ok((!symbol.is_empty()).then(|| Occurrence {
            line,
            start,
            end,
            symbol: self.intern_symbol(symbol),
            is_definition: roles & DEFINITION != 0,
        }))
    }

    /// Returns the number of a symbol. Local symbols have new numbers in each document.
    fn intern_symbol(&mut self, symbol: &'b str) -> u32 {
        let known = if symbol.starts_with("local ") { &mut self.local } else { &mut self.global };
        *known.entry(symbol).or_insert_with(|| {
            self.parsed.symbols.push(symbol);
            self.parsed.symbols.len() as u32 - 1
        })
    }
}

/// Borrows a string field.
fn parse_utf8(bytes: &[u8]) -> ParseResult<&str> {
    std::str::from_utf8(bytes).map_err(|_| "a name in it is no UTF-8")
}

/// A cursor over the fields of a protobuf message.
struct ProtobufFields<'b> {
    /// The bytes that are not yet read.
    rest: &'b [u8],
}

/// A field's value. Fixed-width numbers are skipped.
enum ProtobufValue<'b> {
    /// A varint.
    Number(u64),
    /// A string, a nested message or packed numbers.
    Bytes(&'b [u8]),
    /// A number of fixed width, skipped.
    Other,
}

impl<'b> ProtobufFields<'b> {
    /// Reads the next field: its number and its value.
    fn next(&mut self) -> ParseResult<Option<(u64, ProtobufValue<'b>)>> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let key = self.read_varint()?;
        let value = match key & 7 {
            0 => ProtobufValue::Number(self.read_varint()?),
            1 => self.take_bytes(8).map(|_| ProtobufValue::Other)?,
            2 => {
                let size = usize::try_from(self.read_varint()?).map_err(|_| CUT_OFF)?;
                ProtobufValue::Bytes(self.take_bytes(size)?)
            }
            5 => self.take_bytes(4).map(|_| ProtobufValue::Other)?,
            _ => return Err(CUT_OFF),
        };
        Ok(Some((key >> 3, value)))
    }

    /// Takes the next bytes.
    fn take_bytes(&mut self, size: usize) -> ParseResult<&'b [u8]> {
        let (taken, rest) = self.rest.split_at_checked(size).ok_or(CUT_OFF)?;
        self.rest = rest;
        Ok(taken)
    }

    /// Reads a number of variable length, seven bits a byte.
    fn read_varint(&mut self) -> ParseResult<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.rest.split_first().ok_or(CUT_OFF)?;
            self.rest = rest;
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(CUT_OFF)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(number: u8, content: &[u8]) -> Vec<u8> {
        let mut bytes = vec![number << 3 | 2, content.len() as u8];
        bytes.extend(content);
        bytes
    }

    fn sample() -> Vec<u8> {
        let definition = [field(1, &[0, 9, 12]), field(2, b"a b c Foo#bar()."), vec![3 << 3, 1]];
        let mention = [field(1, &[4, 2, 5, 0]), field(2, b"local 1")];
        let document = [
            field(1, b"src/a.ts"),
            field(2, &definition.concat()),
            field(2, &mention.concat()),
            field(5, "function bar() {}".as_bytes()),
            vec![6 << 3, 1],
        ];
        let metadata = field(1, &field(3, b"file:///work"));
        [metadata, field(2, &document.concat())].concat()
    }

    #[test]
    fn an_index_is_parsed() {
        let bytes = sample();
        let found = parse(&bytes);
        assert_eq!(found.project_root, Some("file:///work"));
        assert_eq!(found.symbols, ["a b c Foo#bar().", "local 1"]);
        assert_eq!(found.error, None);
        let [document] = found.documents.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!((document.path, document.column_unit), ("src/a.ts", ColumnUnit::Bytes));
        assert_eq!(document.text, Some("function bar() {}"));
        let occurrence = |line, start, end, symbol, is_definition| Occurrence {
            line,
            start,
            end,
            symbol,
            is_definition,
        };
        assert_eq!(
            document.occurrences,
            [occurrence(0, 9, Some(12), 0, true), occurrence(4, 2, None, 1, false)]
        );
    }

    #[test]
    fn damage_is_reported_without_a_panic() {
        let bytes = sample();
        for at in 0..bytes.len() {
            let _ = parse(&bytes[..at]);
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            let _ = parse(&damaged);
        }
        assert_eq!(parse(&bytes[..bytes.len() - 3]).error, Some(CUT_OFF));
        assert!(parse(b"no index at all").error.is_some());
    }

    #[test]
    fn descriptor_names_are_plain_words() {
        for (symbol, name) in [
            ("npm a 1 src/`a.ts`/Foo#bar().", Some("bar")),
            ("npm a 1 src/Foo#", Some("Foo")),
            ("npm a 1 src/Foo#bar(+1).", Some("bar")),
            ("npm a 1 src/`a.ts`/", None),
            ("npm a 1 src/Foo#bar().(x)", None),
            ("npm a 1 src/`a.ts`/token0:", None),
            ("local 3", None),
        ] {
            assert_eq!(descriptor_name(symbol), name, "{symbol}");
        }
    }
}
