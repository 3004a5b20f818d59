//! Facts of one kind as columns of numbers, and the strings that they refer to, each once. What is
//! alike then lies side by side and is compressed to a fifth less than row by row.

use std::collections::HashMap;

use super::varint::{Malformed, Unpacker, put_number, put_text};

/// `N` columns in the making, with their strings.
pub struct Columns<'a, const N: usize> {
    strings: Strings<'a>,
    columns: [Vec<u8>; N],
    /// The last number of each column that holds differences.
    last: [u32; N],
    /// The last text of each column in which texts repeat.
    repeated: [Option<&'a str>; N],
}

impl<'a, const N: usize> Columns<'a, N> {
    pub fn new() -> Columns<'a, N> {
        Columns {
            strings: Strings::default(),
            columns: std::array::from_fn(|_| Vec::new()),
            last: [0; N],
            repeated: [None; N],
        }
    }

    pub fn number(&mut self, column: usize, number: u32) {
        put_number(&mut self.columns[column], number);
    }

    pub fn byte(&mut self, column: usize, byte: u8) {
        self.columns[column].push(byte);
    }

    /// A number that is near the one before it in the column.
    pub fn near(&mut self, column: usize, number: u32) {
        let difference = number.wrapping_sub(self.last[column]) as i32;
        self.last[column] = number;
        self.number(column, ((difference << 1) ^ (difference >> 31)) as u32);
    }

    pub fn text(&mut self, column: usize, text: &'a str) {
        let back = self.strings.back(text);
        self.number(column, back);
    }

    pub fn optional(&mut self, column: usize, text: Option<&'a str>) {
        let back = text.map_or(0, |text| self.strings.back(text) + 1);
        self.number(column, back);
    }

    /// A text that is mostly the one before it in the column.
    pub fn repeated(&mut self, column: usize, text: Option<&'a str>) {
        let number = match text {
            text if text == self.repeated[column] => 0,
            None => 1,
            Some(text) => self.strings.back(text) + 2,
        };
        self.repeated[column] = text;
        self.number(column, number);
    }

    /// The strings, the lengths of the columns, the columns.
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

/// In the order in which they first come.
#[derive(Default)]
struct Strings<'a> {
    all: Vec<&'a str>,
    places: HashMap<&'a str, u32>,
}

impl<'a> Strings<'a> {
    /// How many strings ago this one first came; 0 if it comes first here.
    fn back(&mut self, text: &'a str) -> u32 {
        let count = self.all.len() as u32;
        let place = *self.places.entry(text).or_insert(count);
        if place == count {
            self.all.push(text);
        }
        count - place
    }
}

/// Columns to be read, in the order in which they were written.
pub struct ReadColumns<'a, const N: usize> {
    strings: Vec<&'a str>,
    seen: usize,
    columns: [Unpacker<'a>; N],
    last: [u32; N],
    repeated: [Option<&'a str>; N],
}

impl<'a, const N: usize> ReadColumns<'a, N> {
    pub fn new(bytes: &'a [u8]) -> Result<ReadColumns<'a, N>, Malformed> {
        let mut unpacker = Unpacker::new(bytes);
        let strings = (0..unpacker.count()?).map(|_| unpacker.text());
        let strings = strings.collect::<Result<_, _>>()?;
        let mut lengths = [0; N];
        for length in &mut lengths {
            *length = unpacker.number()? as usize;
        }
        let mut columns = [Unpacker::new(&[]); N];
        for (column, length) in columns.iter_mut().zip(lengths) {
            *column = Unpacker::new(unpacker.take(length)?);
        }
        Ok(ReadColumns { strings, seen: 0, columns, last: [0; N], repeated: [None; N] })
    }

    pub fn number(&mut self, column: usize) -> Result<u32, Malformed> {
        self.columns[column].number()
    }

    /// How many items a column has that takes a byte for each.
    pub fn count(&self, column: usize) -> usize {
        self.columns[column].rest()
    }

    pub fn byte(&mut self, column: usize) -> Result<u8, Malformed> {
        Ok(self.columns[column].take(1)?[0])
    }

    pub fn near(&mut self, column: usize) -> Result<u32, Malformed> {
        let number = self.number(column)?;
        let difference = (number >> 1) as i32 ^ -((number & 1) as i32);
        let number = self.last[column].wrapping_add(difference as u32);
        self.last[column] = number;
        Ok(number)
    }

    pub fn text(&mut self, column: usize) -> Result<&'a str, Malformed> {
        let place = self.text_place(column)?;
        Ok(self.strings[place as usize])
    }

    pub fn optional(&mut self, column: usize) -> Result<Option<&'a str>, Malformed> {
        let place = self.optional_place(column)?;
        Ok(place.map(|place| self.strings[place as usize]))
    }

    /// Reads a string and returns its index among the strings.
    pub fn text_place(&mut self, column: usize) -> Result<u32, Malformed> {
        let back = self.number(column)?;
        self.place(back)
    }

    pub fn optional_place(&mut self, column: usize) -> Result<Option<u32>, Malformed> {
        let back = self.number(column)?.checked_sub(1);
        back.map(|back| self.place(back)).transpose()
    }

    /// The strings that have come by now.
    pub fn strings_so_far(&self) -> &[&'a str] {
        &self.strings[..self.seen]
    }

    pub fn repeated(&mut self, column: usize) -> Result<Option<&'a str>, Malformed> {
        self.repeated[column] = match self.number(column)? {
            0 => self.repeated[column],
            1 => None,
            back => Some(self.string(back - 2)?),
        };
        Ok(self.repeated[column])
    }

    fn string(&mut self, back: u32) -> Result<&'a str, Malformed> {
        let place = self.place(back)?;
        Ok(self.strings[place as usize])
    }

    /// Always that of a string.
    fn place(&mut self, back: u32) -> Result<u32, Malformed> {
        let place = self.seen.checked_sub(back as usize).ok_or(Malformed)?;
        if place >= self.strings.len() {
            return Err(Malformed);
        }
        self.seen = self.seen.max(place + 1);
        Ok(place as u32)
    }
}
