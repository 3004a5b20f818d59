//! A columnar encoding of facts of one kind: `N` columns of numbers, and one table of strings that
//! the columns refer to.
//!
//! Similar values then lie side by side. They compress to a fifth less than row by row.
//!
//!   blob    = string count, string…, length of each column, column…
//!   string  = length in bytes, UTF-8 bytes
//!   number  = varint                     (all of the above too)
//!   near    = zigzag of the difference to the number before in the column
//!   text    = distance back: strings seen so far − index of the string; 0 is a new one
//!   optional text = 0, or text + 1
//!   repeated text = 0 (as in the row before), 1 (none), or text + 2
//!
//! Strings are numbered in the order of first use, which spans all columns. A reader therefore has
//! to read the values in the order in which they were written, and may skip none that has a string.

use std::collections::HashMap;

use super::varint::{ByteReader, Malformed, put_number, put_text};

/// Collects the values of `N` columns and the strings that they refer to.
pub struct ColumnWriter<'a, const N: usize> {
    strings: StringTable<'a>,
    columns: [Vec<u8>; N],
    /// The last number of each column that holds differences.
    last: [u32; N],
    /// The last text of each column in which texts repeat.
    repeated: [Option<&'a str>; N],
}

impl<'a, const N: usize> ColumnWriter<'a, N> {
    pub fn new() -> ColumnWriter<'a, N> {
        ColumnWriter {
            strings: StringTable::default(),
            columns: std::array::from_fn(|_| Vec::new()),
            last: [0; N],
            repeated: [None; N],
        }
    }

    pub fn put_number_at(&mut self, column: usize, number: u32) {
        put_number(&mut self.columns[column], number);
    }

    pub fn put_byte(&mut self, column: usize, byte: u8) {
        self.columns[column].push(byte);
    }

    /// Appends a number that is near the one before it in the column: lines, offsets.
    pub fn put_delta(&mut self, column: usize, number: u32) {
        let difference = number.wrapping_sub(self.last[column]) as i32;
        self.last[column] = number;
        // Zigzag: small differences of either sign become small numbers.
        self.put_number_at(column, ((difference << 1) ^ (difference >> 31)) as u32);
    }

    pub fn put_text_at(&mut self, column: usize, text: &'a str) {
        let back = self.strings.distance_back(text);
        self.put_number_at(column, back);
    }

    /// Appends a text, or its absence.
    pub fn put_optional(&mut self, column: usize, text: Option<&'a str>) {
        let back = text.map_or(0, |text| self.strings.distance_back(text) + 1);
        self.put_number_at(column, back);
    }

    /// Appends a text that is mostly the one before it in the column, such as a scope.
    pub fn put_repeated(&mut self, column: usize, text: Option<&'a str>) {
        let number = match text {
            text if text == self.repeated[column] => 0,
            None => 1,
            Some(text) => self.strings.distance_back(text) + 2,
        };
        self.repeated[column] = text;
        self.put_number_at(column, number);
    }

    /// Returns the blob, not yet compressed.
    pub fn finish(self) -> Vec<u8> {
        let mut bytes = Vec::new();
        put_number(&mut bytes, self.strings.all.len() as u32);
        for text in &self.strings.all {
            put_text(&mut bytes, text);
        }
        for column in &self.columns {
            put_number(&mut bytes, column.len() as u32);
        }
        for column in &self.columns {
            bytes.extend_from_slice(column);
        }
        bytes
    }
}

/// The distinct strings, in the order of first use.
#[derive(Default)]
struct StringTable<'a> {
    all: Vec<&'a str>,
    places: HashMap<&'a str, u32>,
}

impl<'a> StringTable<'a> {
    /// Returns how many strings ago this one was first used; 0 if it is new. Names repeat close to
    /// their first use, so the distance is a smaller number than the index.
    fn distance_back(&mut self, text: &'a str) -> u32 {
        let count = self.all.len() as u32;
        let place = *self.places.entry(text).or_insert(count);
        if place == count {
            self.all.push(text);
        }
        count - place
    }
}

/// Reads columns in the order in which they were written. Damaged bytes give [`Malformed`].
pub struct ColumnReader<'a, const N: usize> {
    strings: Vec<&'a str>,
    seen: usize,
    columns: [ByteReader<'a>; N],
    last: [u32; N],
    repeated: [Option<&'a str>; N],
}

impl<'a, const N: usize> ColumnReader<'a, N> {
    pub fn new(bytes: &'a [u8]) -> Result<ColumnReader<'a, N>, Malformed> {
        let mut unpacker = ByteReader::new(bytes);
        let strings =
            (0..unpacker.read_count()?).map(|_| unpacker.read_text()).collect::<Result<_, _>>()?;
        let mut lengths = [0; N];
        for length in &mut lengths {
            *length = unpacker.read_number()? as usize;
        }
        let mut columns = [ByteReader::new(&[]); N];
        for (column, length) in columns.iter_mut().zip(lengths) {
            *column = ByteReader::new(unpacker.read_bytes(length)?);
        }
        Ok(ColumnReader { strings, seen: 0, columns, last: [0; N], repeated: [None; N] })
    }

    pub fn read_number(&mut self, column: usize) -> Result<u32, Malformed> {
        self.columns[column].read_number()
    }

    /// Returns the number of unread values in a column of single bytes.
    pub fn count_unread(&self, column: usize) -> usize {
        self.columns[column].bytes_left()
    }

    pub fn read_byte(&mut self, column: usize) -> Result<u8, Malformed> {
        Ok(self.columns[column].read_bytes(1)?[0])
    }

    pub fn read_delta(&mut self, column: usize) -> Result<u32, Malformed> {
        let number = self.read_number(column)?;
        let difference = (number >> 1) as i32 ^ -((number & 1) as i32);
        let number = self.last[column].wrapping_add(difference as u32);
        self.last[column] = number;
        Ok(number)
    }

    pub fn read_text(&mut self, column: usize) -> Result<&'a str, Malformed> {
        let place = self.read_text_index(column)?;
        Ok(self.strings[place as usize])
    }

    pub fn read_optional(&mut self, column: usize) -> Result<Option<&'a str>, Malformed> {
        let place = self.read_optional_index(column)?;
        Ok(place.map(|place| self.strings[place as usize]))
    }

    /// Reads a string and returns its index among the strings.
    pub fn read_text_index(&mut self, column: usize) -> Result<u32, Malformed> {
        let back = self.read_number(column)?;
        self.resolve_index(back)
    }

    /// Like [`ColumnReader::read_text_index`], for a text that may be absent.
    pub fn read_optional_index(&mut self, column: usize) -> Result<Option<u32>, Malformed> {
        let back = self.read_number(column)?.checked_sub(1);
        back.map(|back| self.resolve_index(back)).transpose()
    }

    /// Returns the strings that the values read so far refer to.
    pub fn seen_strings(&self) -> &[&'a str] {
        &self.strings[..self.seen]
    }

    pub fn read_repeated(&mut self, column: usize) -> Result<Option<&'a str>, Malformed> {
        self.repeated[column] = match self.read_number(column)? {
            0 => self.repeated[column],
            1 => None,
            back => Some(self.resolve_string(back - 2)?),
        };
        Ok(self.repeated[column])
    }

    fn resolve_string(&mut self, back: u32) -> Result<&'a str, Malformed> {
        let place = self.resolve_index(back)?;
        Ok(self.strings[place as usize])
    }

    /// Turns a distance back into the index of a string, which always exists.
    fn resolve_index(&mut self, back: u32) -> Result<u32, Malformed> {
        let place = self.seen.checked_sub(back as usize).ok_or(Malformed)?;
        if place >= self.strings.len() {
            return Err(Malformed);
        }
        self.seen = self.seen.max(place + 1);
        Ok(place as u32)
    }
}
