//! Messages on a pipe: one a line.

use std::io::{self, Read};

use super::raw_message::{CHUNK, MessageSpool, RawMessage};

/// Reads messages off a pipe, of any length, each when its line has ended.
#[derive(Debug)]
pub(crate) struct MessageReader<R> {
    reader: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl<R: Read> MessageReader<R> {
    /// Reads from `reader`.
    pub(crate) fn new(reader: R) -> MessageReader<R> {
        MessageReader { reader, buffer: vec![0; CHUNK], start: 0, end: 0 }
    }

    /// The next line without its end, empty lines left out; none at the end of the pipe.
    pub(crate) fn next(&mut self) -> io::Result<Option<RawMessage>> {
        let mut spool = MessageSpool::default();
        loop {
            let ahead = self.buffer.get(self.start..self.end).unwrap_or_default();
            match memchr::memchr(b'\n', ahead) {
                Some(length) => {
                    spool.push(ahead.get(..length).unwrap_or_default())?;
                    self.start += length + 1;
                    if spool.is_blank() {
                        spool = MessageSpool::default();
                        continue;
                    }
                    return Ok(Some(spool.finish()));
                }
                None => {
                    spool.push(ahead)?;
                    self.start = 0;
                    self.end = self.fill()?;
                    if self.end == 0 {
                        return Ok((!spool.is_blank()).then(|| spool.finish()));
                    }
                }
            }
        }
    }

    fn fill(&mut self) -> io::Result<usize> {
        loop {
            match self.reader.read(&mut self.buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => return read,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_every_length_come_whole_and_in_order() {
        let long = format!("{{\"x\":\"{}\"}}", "y".repeat(3 * 1024 * 1024));
        let input = format!("{{}}\n\n  \r\n{long}\r\nnoise\n[]");
        let mut lines = MessageReader::new(input.as_bytes());
        let mut found = Vec::new();
        while let Some(raw_message) = lines.next().unwrap() {
            found.push(String::from_utf8(raw_message.read(0..raw_message.len()).unwrap().into_owned()).unwrap());
        }
        assert_eq!(found, ["{}", &format!("{long}\r"), "noise", "[]"]);
    }
}
