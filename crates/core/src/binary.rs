//! Content that is not text, told by its bytes and never by its name.

use std::fmt::Write as _;

/// How many bytes at the start of an output are worth sniffing at.
pub const HEAD: usize = 8 * 1024;

/// Below this size, in bytes, binary content is shown as base64.
pub const INLINE_LIMIT: u64 = 1024;

/// What binary content is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BinaryType {
    /// The name for people, such as `PNG image`.
    pub name: &'static str,
    /// The media type.
    pub media_type: &'static str,
}

/// Bytes at a fixed place that give a type away.
struct Magic {
    at: usize,
    bytes: &'static [u8],
    found: BinaryType,
}

const fn magic(at: usize, bytes: &'static [u8], name: &'static str, media_type: &'static str) -> Magic {
    Magic { at, bytes, found: BinaryType { name, media_type } }
}

const MAGICS: [Magic; 49] = [
    magic(0, b"\x89PNG\r\n\x1a\n", "PNG image", "image/png"),
    magic(0, b"\xff\xd8\xff", "JPEG image", "image/jpeg"),
    magic(0, b"GIF87a", "GIF image", "image/gif"),
    magic(0, b"GIF89a", "GIF image", "image/gif"),
    magic(8, b"WEBPVP8", "WebP image", "image/webp"),
    magic(0, b"II*\0", "TIFF image", "image/tiff"),
    magic(0, b"MM\0*", "TIFF image", "image/tiff"),
    magic(0, b"\0\0\x01\0", "ICO image", "image/x-icon"),
    magic(4, b"ftypavif", "AVIF image", "image/avif"),
    magic(4, b"ftypheic", "HEIC image", "image/heic"),
    magic(0, b"\x1f\x8b\x08", "gzip archive", "application/gzip"),
    magic(0, b"PK\x03\x04", "ZIP archive", "application/zip"),
    magic(0, b"PK\x05\x06", "ZIP archive", "application/zip"),
    magic(0, b"\x28\xb5\x2f\xfd", "zstd archive", "application/zstd"),
    magic(0, b"\xfd7zXZ\0", "xz archive", "application/x-xz"),
    magic(0, b"BZh91AY&SY", "bzip2 archive", "application/x-bzip2"),
    magic(4, b"1AY&SY", "bzip2 archive", "application/x-bzip2"),
    magic(0, b"7z\xbc\xaf\x27\x1c", "7-Zip archive", "application/x-7z-compressed"),
    magic(0, b"Rar!\x1a\x07", "RAR archive", "application/vnd.rar"),
    magic(0, b"\x04\x22\x4d\x18", "LZ4 archive", "application/x-lz4"),
    magic(257, b"ustar\0", "tar archive", "application/x-tar"),
    magic(257, b"ustar  \0", "tar archive", "application/x-tar"),
    magic(0, b"!<arch>\ndebian-binary", "Debian package", "application/vnd.debian.binary-package"),
    magic(0, b"!<arch>\n", "static library", "application/x-archive"),
    magic(0, b"\xed\xab\xee\xdb", "RPM package", "application/x-rpm"),
    magic(0, b"%PDF-", "PDF document", "application/pdf"),
    magic(0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Office document", "application/x-ole-storage"),
    magic(0, b"\x7fELF", "ELF binary", "application/x-executable"),
    magic(0, b"\xcf\xfa\xed\xfe", "Mach-O binary", "application/x-mach-binary"),
    magic(0, b"\xce\xfa\xed\xfe", "Mach-O binary", "application/x-mach-binary"),
    magic(0, b"\xfe\xed\xfa\xcf", "Mach-O binary", "application/x-mach-binary"),
    magic(0, b"\xca\xfe\xba\xbe\0\0\0\x02", "Mach-O binary", "application/x-mach-binary"),
    magic(0, b"\xca\xfe\xba\xbe", "Java class", "application/java-vm"),
    magic(0, b"MZ\x90\0", "PE executable", "application/vnd.microsoft.portable-executable"),
    magic(0, b"\0asm", "WebAssembly module", "application/wasm"),
    magic(0, b"SQLite format 3\0", "SQLite database", "application/vnd.sqlite3"),
    magic(0, b"ID3\x03\0", "MP3 audio", "audio/mpeg"),
    magic(0, b"ID3\x04\0", "MP3 audio", "audio/mpeg"),
    magic(0, b"OggS\0", "Ogg media", "application/ogg"),
    magic(0, b"fLaC\0", "FLAC audio", "audio/flac"),
    magic(8, b"WAVEfmt ", "WAV audio", "audio/wav"),
    magic(4, b"ftyp", "MP4 video", "video/mp4"),
    magic(0, b"\x1a\x45\xdf\xa3", "Matroska video", "video/x-matroska"),
    magic(0, b"wOF2", "WOFF2 font", "font/woff2"),
    magic(0, b"wOFF\0", "WOFF font", "font/woff"),
    magic(0, b"\0\x01\0\0\0", "TrueType font", "font/ttf"),
    magic(0, b"OTTO\0", "OpenType font", "font/otf"),
    magic(0, b"PAR1", "Parquet file", "application/vnd.apache.parquet"),
    magic(0, b"\x80\x04\x95", "Python pickle", "application/x-python-pickle"),
];

const UNKNOWN: BinaryType = BinaryType { name: "binary data", media_type: "application/octet-stream" };

/// What `head`, the first bytes of an output (at most [`HEAD`] are looked at), is if it is not text.
///
/// Text in UTF-8, UTF-16 and one-byte encodings is text, with terminal sequences, and also with a few bytes in it that
/// do not belong there.
pub fn sniff(head: &[u8]) -> Option<BinaryType> {
    let head = head.get(..head.len().min(HEAD)).unwrap_or_default();
    let fits = |magic: &&Magic| head.get(magic.at..).is_some_and(|rest| rest.starts_with(magic.bytes));
    if let Some(magic) = MAGICS.iter().find(fits) {
        return Some(magic.found);
    }
    if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
        return None;
    }
    let total = head.len();
    // Blocks that a byte can count are counted many bytes at a time.
    let odd_in =
        |block: &[u8]| block.iter().map(|byte| u8::from(matches!(byte, 0..=6 | 14..=26 | 28..=31))).sum::<u8>();
    let odd: usize = head.chunks(128).map(|block| usize::from(odd_in(block))).sum();
    // Compressed and compiled content spreads over all byte values. Latin-1 text has high bytes but no controls.
    let broken = || head.utf8_chunks().map(|chunk| chunk.invalid().len()).sum::<usize>();
    let mostly_odd = odd * 10 > total && odd > 4 && !is_separated(head, odd);
    let noise = || odd * 50 > total && broken() * 5 > total;
    (mostly_odd || noise()).then_some(UNKNOWN)
}

/// Whether the only odd bytes are NULs, each behind some text: a list as `find -print0` writes it.
fn is_separated(head: &[u8], odd: usize) -> bool {
    let nuls = memchr::memchr_iter(0, head).count();
    let doubled = || head.windows(2).any(|pair| pair == [0, 0]);
    nuls == odd && nuls * 3 <= head.len() && !doubled() && head.utf8_chunks().all(|chunk| chunk.invalid().len() < 4)
}

/// Small binary content as text: base64, with padding.
pub fn inline(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let sextet = (bits >> (18 - 6 * at)) as usize & 63;
            let digit = ALPHABET.get(sextet).copied().map_or('=', char::from);
            text.push(if at <= three.len() { digit } else { '=' });
        }
    }
    text
}

/// One line about binary content that is not shown.
pub fn summary(binary: BinaryType, bytes: u64, blake3: &str) -> String {
    let mut line = format!("[Binary: {}, ", binary.name);
    // Writing to a string cannot fail.
    let _ = match bytes {
        0..1024 => write!(line, "{bytes} bytes"),
        1024..1_048_576 => write!(line, "{:.1} KB", bytes as f64 / 1024.0),
        _ => write!(line, "{:.1} MB", bytes as f64 / 1_048_576.0),
    };
    line.push_str(", blake3 ");
    line.push_str(blake3);
    line.push(']');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_types_are_told_by_their_first_bytes() {
        let check = |head: &[u8], expected| assert_eq!(sniff(head).map(|found| found.name), expected, "{head:?}");
        check(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Some("PNG image"));
        check(b"\x1f\x8b\x08\0\0", Some("gzip archive"));
        check(b"RIFF\x10\0\0\0WEBPVP8 ", Some("WebP image"));
        check(b"\0\0\0 ftypisom", Some("MP4 video"));
        check(b"\x7fELF\x02\x01\x01\0", Some("ELF binary"));
        check(b"MZ is a prefix", None);
        check(b"PK", None);
        check(b"", None);
    }

    #[test]
    fn text_in_any_encoding_is_text_and_noise_is_not() {
        assert_eq!(sniff("naïve café — 世界 🎉\n".repeat(50).as_bytes()), None);
        let latin: Vec<u8> = "Übergröße und Maß\n".chars().map(|char| char as u8).collect();
        assert_eq!(sniff(&latin.repeat(20)), None);
        let wide: Vec<u8> = "\u{feff}wide".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(sniff(&wide), None);
        assert_eq!(sniff(b"a line with one \0 and \xff in it\n"), None);
        assert_eq!(sniff("\x1b[1;31mred\x1b[0m\r\n\x07".repeat(9).as_bytes()), None);
        let noise: Vec<u8> = (0..4000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        assert_eq!(sniff(&noise), Some(UNKNOWN));
        assert_eq!(sniff(&[0; 64]), Some(UNKNOWN));
        assert_eq!(sniff(b".\0./a\0./b\0./c\0./d\0./e\0"), None);
    }

    #[test]
    fn small_content_becomes_base64() {
        let check = |bytes: &[u8], expected| assert_eq!(inline(bytes), expected);
        check(b"", "");
        check(b"f", "Zg==");
        check(b"fo", "Zm8=");
        check(b"foo", "Zm9v");
        check(b"foobar\xff\xfe", "Zm9vYmFy//4=");
    }

    #[test]
    fn large_content_becomes_one_line() {
        let png = BinaryType { name: "PNG image", media_type: "image/png" };
        assert_eq!(summary(png, 17_628, "ab12"), "[Binary: PNG image, 17.2 KB, blake3 ab12]");
        assert_eq!(summary(png, 1_023, "ab12"), "[Binary: PNG image, 1023 bytes, blake3 ab12]");
        assert_eq!(summary(png, 3 << 20, "ab12"), "[Binary: PNG image, 3.0 MB, blake3 ab12]");
    }
}
