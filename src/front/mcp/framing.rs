//! Splits an input into lines, and never holds more of one in memory than the limit. It knows
//! bytes, not messages.

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// Reads lines. It is cancel-safe: dropping a pending [`LineReader::next_frame`] loses nothing, and
/// the next call continues.
pub struct LineReader<R> {
    /// The input.
    reader: R,
    /// The current line so far.
    line: Vec<u8>,
    /// The most bytes of a line.
    limit: usize,
    /// True while the rest of a line that is too long is dropped.
    skipping: bool,
}

/// One line of input, or its end.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame {
    /// A line without its end.
    Whole(Vec<u8>),
    /// A line beyond the limit, which was dropped.
    TooLong,
    /// The input has ended.
    End,
}

impl<R: AsyncBufRead + Unpin> LineReader<R> {
    /// Reads lines of at most `limit` bytes.
    pub fn new(reader: R, limit: usize) -> LineReader<R> {
        LineReader { reader, line: Vec::new(), limit, skipping: false }
    }

    /// Returns the next line without its end; a last one without an end counts too.
    pub async fn next_frame(&mut self) -> std::io::Result<Frame> {
        loop {
            let available = self.reader.fill_buf().await?;
            if available.is_empty() {
                return Ok(self.finish_line());
            }
            // No await between taking bytes over and consuming them.
            let newline = available.iter().position(|byte| *byte == b'\n');
            let taken = newline.unwrap_or(available.len());
            if !self.skipping {
                self.line.extend_from_slice(&available[..taken]);
            }
            self.reader.consume(taken + usize::from(newline.is_some()));
            // The memory is freed at once; the rest of the line is only skipped.
            if self.line.len() > self.limit {
                self.line = Vec::new();
                self.skipping = true;
            }
            if newline.is_some() {
                if std::mem::take(&mut self.skipping) {
                    return Ok(Frame::TooLong);
                }
                return Ok(Frame::Whole(std::mem::take(&mut self.line)));
            }
        }
    }

    /// Returns what is left when the input ends.
    fn finish_line(&mut self) -> Frame {
        if std::mem::take(&mut self.skipping) {
            return Frame::TooLong;
        }
        if self.line.is_empty() { Frame::End } else { Frame::Whole(std::mem::take(&mut self.line)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &[u8], expected: &[Frame]) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            // A buffer of three bytes makes every line arrive in pieces.
            let mut lines = LineReader::new(tokio::io::BufReader::with_capacity(3, input), 8);
            for line in expected {
                assert_eq!(&lines.next_frame().await.unwrap(), line);
            }
            assert_eq!(lines.next_frame().await.unwrap(), Frame::End);
        });
    }

    #[test]
    fn whole_long_and_unfinished_lines() {
        let whole = |text: &str| Frame::Whole(text.as_bytes().to_vec());
        check(b"one\n\ntwo\n", &[whole("one"), whole(""), whole("two")]);
        check(b"123456789\nok\n", &[Frame::TooLong, whole("ok")]);
        check(b"12345678\nlast", &[whole("12345678"), whole("last")]);
        check(b"1234567890123", &[Frame::TooLong]);
    }
}
