//! A position in a text that moves forward, for the lexers that are written by hand. It counts lines
//! and never splits a character, as long as callers take whole characters.

/// The text, and how far it was read.
pub struct TextCursor<'t> {
    text: &'t str,
    position: usize,
    /// The line of the position, 1-based.
    pub line: u32,
}

impl<'t> TextCursor<'t> {
    pub fn new(text: &'t str) -> TextCursor<'t> {
        TextCursor { text, position: 0, line: 1 }
    }

    /// The text that was read.
    pub fn before(&self) -> &'t str {
        &self.text[..self.position]
    }

    /// The text that is left.
    pub fn rest(&self) -> &'t str {
        &self.text[self.position..]
    }

    /// Takes the next `length` bytes and counts their lines.
    pub fn take(&mut self, length: usize) -> &'t str {
        let taken = &self.rest()[..length];
        self.position += length;
        self.line += u32::try_from(taken.matches('\n').count()).unwrap_or(0);
        taken
    }

    /// Takes characters as long as they are accepted.
    pub fn take_while(&mut self, accept: impl Fn(char) -> bool) -> &'t str {
        let end = self.rest().find(|c| !accept(c));
        self.take(end.unwrap_or(self.rest().len()))
    }
}
