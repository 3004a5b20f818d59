//! The references of one file in a compact form for queries: rows of numbers, and each string once.
//! Labels are left out, because only resolution needs them.

use super::columnar::ColumnReader;
use super::enum_codes::StoredEnum;
use super::file_blob::{self, ref_columns};
use super::varint::Malformed;
use kenning_model::ReferenceKind;

/// The references of one file, in the order of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mentions {
    /// All strings, one after the other; `ends` has the end of each.
    strings: String,
    ends: Vec<u32>,
    rows: Vec<ReferenceRow>,
}

/// A reference, without its labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mention<'m> {
    pub name: &'m str,
    pub kind: ReferenceKind,
    pub receiver: Option<&'m str>,
    pub line: u32,
    pub start_byte: u32,
    pub inside: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ReferenceRow {
    /// Places among the strings.
    name: u32,
    receiver: Option<u32>,
    kind: ReferenceKind,
    line: u32,
    start_byte: u32,
    inside: Option<u32>,
}

impl Mentions {
    /// Returns the number of references.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True if the file has no references.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the reference at an index; edges refer to references by it.
    pub fn get(&self, place: u32) -> Option<Mention<'_>> {
        self.rows.get(place as usize).map(|row| self.mention(row))
    }

    /// Iterates over the references of this name, each with its index. Compares the string once,
    /// not per row.
    pub fn find_by_name(&self, name: &str) -> impl Iterator<Item = (u32, Mention<'_>)> {
        let name = (0..self.ends.len() as u32).find(|place| self.string(*place) == name);
        let rows = (0..).zip(&self.rows);
        let named = rows.filter(move |(_, row)| Some(row.name) == name);
        named.map(|(place, row)| (place, self.mention(row)))
    }

    fn mention(&self, row: &ReferenceRow) -> Mention<'_> {
        Mention {
            name: self.string(row.name),
            kind: row.kind,
            receiver: row.receiver.map(|place| self.string(place)),
            line: row.line,
            start_byte: row.start_byte,
            inside: row.inside,
        }
    }

    fn string(&self, place: u32) -> &str {
        let place = place as usize;
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.strings[start as usize..self.ends[place] as usize]
    }
}

/// Decodes the references of a `refs_blob`; its bindings are not read.
pub fn read_mentions(packed: &[u8]) -> Result<Mentions, Malformed> {
    use ref_columns::*;
    let bytes = file_blob::decompress(packed)?;
    let mut columns: ColumnReader<COLUMNS> = ColumnReader::new(&bytes)?;
    let mut found = Mentions::default();
    found.rows.reserve_exact(columns.count_unread(KIND));
    for _ in 0..columns.count_unread(KIND) {
        let name = columns.read_text_index(NAME)?;
        let receiver = columns.read_optional_index(RECEIVER)?;
        // Labels are read although nothing uses them: a string's index depends on how many came
        // before.
        for _ in 0..columns.read_number(LABEL_COUNT)? {
            columns.read_text_index(LABEL)?;
        }
        found.rows.push(ReferenceRow {
            name,
            receiver,
            kind: ReferenceKind::from_code(columns.read_byte(KIND)?)?,
            line: columns.read_delta(LINE)?,
            start_byte: columns.read_delta(START)?,
            inside: columns.read_delta(INSIDE)?.checked_sub(1),
        });
    }
    for text in columns.seen_strings() {
        found.strings.push_str(text);
        found.ends.push(found.strings.len() as u32);
    }
    found.strings.shrink_to_fit();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::super::file_blob::FileBlob;
    use super::*;
    use kenning_model::{Binding, BindingKind, CodeFacts, Reference};

    fn reference(name: &str, receiver: Option<&str>, labels: &[&str]) -> Reference {
        Reference {
            name: name.to_string(),
            kind: if labels.is_empty() { ReferenceKind::Type } else { ReferenceKind::Call },
            receiver: receiver.map(str::to_string),
            labels: labels.iter().map(|label| label.to_string()).collect(),
            line: name.len() as u32 + 1,
            start_byte: 300 - labels.len() as u32,
            container: receiver.map(|_| 4),
        }
    }

    #[test]
    fn mentions_are_the_references_without_labels() {
        let facts = CodeFacts {
            references: vec![
                reference("open", Some("größe"), &["user", "_"]),
                reference("user", None, &[]),
                reference("open", Some("user"), &["later"]),
                reference("", None, &["open"]),
            ],
            bindings: vec![Binding {
                name: "bound".to_string(),
                kind: BindingKind::Value,
                type_text: None,
                value: None,
                start_byte: 1,
                end_byte: None,
                container: None,
            }],
            ..CodeFacts::default()
        };
        let packed = FileBlob::new("", &facts).references;
        let mentions = read_mentions(&packed).unwrap();
        assert_eq!(mentions.len(), facts.references.len());
        for (place, one) in (0..).zip(&facts.references) {
            let expected = Mention {
                name: &one.name,
                kind: one.kind,
                receiver: one.receiver.as_deref(),
                line: one.line,
                start_byte: one.start_byte,
                inside: one.container,
            };
            assert_eq!(mentions.get(place), Some(expected));
        }
        assert_eq!(mentions.get(4), None);
        for (name, places) in [("open", &[0, 2][..]), ("user", &[1]), ("bound", &[])] {
            let named: Vec<u32> = mentions.find_by_name(name).map(|(place, _)| place).collect();
            assert_eq!(named, places, "{name}");
        }
        for length in 0..packed.len() {
            assert_eq!(read_mentions(&packed[..length]), Err(Malformed));
        }
    }
}
