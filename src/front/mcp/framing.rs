//! Lines of input, never more of one in memory than the limit. Knows bytes, not messages.

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// Reads lines. Dropping a pending [`Lines::next`] loses nothing: what was read so far is kept
/// here, and the next call goes on from it.
pub struct LineReader<R> {
    reader: R,
    line: Vec<u8>,
    limit: usize,
    /// The rest of the current line is dropped: it was too long.
    skipping: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Frame {
    Whole(Vec<u8>),
    TooLong,
    End,
}

impl<R: AsyncBufRead + Unpin> LineReader<R> {
    pub fn new(reader: R, limit: usize) -> LineReader<R> {
        LineReader { reader, line: Vec::new(), limit, skipping: false }
    }

    /// The next line without its end; a last one that has none counts too.
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
