//! Text that is really a picture: base64 of binary content, told by its first bytes.

use std::io::{self, Write};

use base64::Engine;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use offcut_core::binary;

/// How many bytes of a text are looked at.
pub(crate) const LOOKED_AT: usize = 4096;

/// A text of fewer bytes is left as it is.
const LEAST: u64 = 2048;

const ENGINE: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Where the base64 begins in a text with this beginning and so many bytes; none where it is no binary content that we
/// know.
pub(crate) fn encoded(head: &[u8], length: u64) -> Option<usize> {
    if length < LEAST {
        return None;
    }
    let start = match head.strip_prefix(b"data:") {
        None => 0,
        Some(rest) => memchr::memmem::find(rest.get(..rest.len().min(200)).unwrap_or_default(), b";base64,")? + 13,
    };
    let body = head.get(start..)?;
    let digits: Vec<u8> = body.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    if digits.len() < 64 || !digits.iter().all(is_digit) {
        return None;
    }
    let whole = digits.get(..digits.len() / 4 * 4)?;
    let decoded = ENGINE.decode(whole).ok()?;
    let found = binary::sniff(&decoded)?;
    let shown = ["image/", "audio/", "video/", "font/", "application/pdf", "application/zip", "application/gzip"];
    shown.iter().any(|start| found.media_type.starts_with(start)).then_some(start)
}

/// Writes what base64 stands for.
pub(crate) struct Decoder<W> {
    out: W,
    skip: usize,
    digits: Vec<u8>,
}

impl<W: Write> Decoder<W> {
    /// Decodes into `out` what comes behind the first `skip` bytes.
    pub(crate) fn new(out: W, skip: usize) -> Decoder<W> {
        Decoder { out, skip, digits: Vec::new() }
    }

    /// The end of the text.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        let rest = std::mem::take(&mut self.digits);
        self.decode(&rest)
    }

    fn decode(&mut self, digits: &[u8]) -> io::Result<()> {
        let decoded = ENGINE.decode(digits).map_err(io::Error::other)?;
        self.out.write_all(&decoded)
    }
}

impl<W: Write> Write for Decoder<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let skipped = self.skip.min(bytes.len());
        self.skip -= skipped;
        let digits = bytes.iter().skip(skipped).filter(|byte| !byte.is_ascii_whitespace());
        self.digits.extend(digits);
        let whole = self.digits.len() / 4 * 4;
        let rest = self.digits.split_off(whole);
        let ready = std::mem::replace(&mut self.digits, rest);
        self.decode(&ready)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture() -> Vec<u8> {
        let mut picture = b"\x89PNG\r\n\x1a\n".to_vec();
        picture.extend((0..6000_u32).map(|n| (n * 7 % 251) as u8));
        picture
    }

    #[test]
    fn a_picture_is_told_by_its_first_bytes() {
        let text = ENGINE.encode(picture());
        let head = |text: &str| text.as_bytes()[..LOOKED_AT.min(text.len())].to_vec();
        assert_eq!(encoded(&head(&text), text.len() as u64), Some(0));
        let uri = format!("data:image/png;base64,{text}");
        assert_eq!(encoded(&head(&uri), uri.len() as u64), Some(22));
        let prose = "all work and no play ".repeat(400);
        assert_eq!(encoded(&head(&prose), prose.len() as u64), None);
        let hex = "deadbeef".repeat(1000);
        assert_eq!(encoded(&head(&hex), hex.len() as u64), None);
        assert_eq!(encoded(&head(&text), 100), None);
    }

    #[test]
    fn it_is_decoded_in_any_chunks() {
        let text = format!("data:image/png;base64,{}", ENGINE.encode(picture()).replace("AA", "A\nA"));
        for size in [1, 3, 64, 10_000] {
            let mut out = Vec::new();
            let mut decoder = Decoder::new(&mut out, 22);
            text.as_bytes().chunks(size).for_each(|chunk| decoder.write_all(chunk).unwrap());
            decoder.finish().unwrap();
            assert_eq!(out, picture());
        }
    }
}
