//! Bodies that arrive compressed: read before they are looked at, and passed on plain.

use std::io::Read;

use bytes::Bytes;
use http::HeaderMap;
use http::header::CONTENT_ENCODING;

/// How a body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Plain,
    Gzip,
    Deflate,
    Zstd,
}

/// Why a compressed body is not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UnreadableBody {
    #[error("content-encoding `{0}` is not supported here; send the body plain, or as gzip, deflate or zstd")]
    Unknown(String),
    #[error("the body is not {0}, as its content-encoding says")]
    Broken(&'static str),
    #[error("the body has more than {0} bytes when it is decompressed")]
    TooLarge(u64),
}

impl Encoding {
    /// The encoding that the headers name.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Encoding, UnreadableBody> {
        let named: Vec<&str> =
            headers.get_all(CONTENT_ENCODING).iter().map(|value| value.to_str().unwrap_or("?").trim()).collect();
        let named = named.join(", ").to_ascii_lowercase();
        match named.as_str() {
            "" | "identity" => Ok(Encoding::Plain),
            "gzip" | "x-gzip" => Ok(Encoding::Gzip),
            "deflate" => Ok(Encoding::Deflate),
            "zstd" => Ok(Encoding::Zstd),
            _ => Err(UnreadableBody::Unknown(named.chars().take(40).collect())),
        }
    }

    /// The body as it was before it was compressed. Work and memory end at `most` bytes.
    pub(crate) fn decoded(self, body: Bytes, most: u64) -> Result<Bytes, UnreadableBody> {
        let (name, mut reader): (_, Box<dyn Read + '_>) = match self {
            Encoding::Plain => return Ok(body),
            Encoding::Gzip => ("gzip", Box::new(flate2::read::MultiGzDecoder::new(&*body))),
            Encoding::Deflate => ("deflate", Box::new(flate2::read::ZlibDecoder::new(&*body))),
            Encoding::Zstd => match zstd::stream::read::Decoder::new(&*body) {
                Ok(decoder) => ("zstd", Box::new(decoder)),
                Err(_) => return Err(UnreadableBody::Broken("zstd")),
            },
        };
        let mut plain = Vec::new();
        let read = reader.by_ref().take(most + 1).read_to_end(&mut plain);
        match read {
            Err(_) => Err(UnreadableBody::Broken(name)),
            Ok(_) if plain.len() as u64 > most => Err(UnreadableBody::TooLarge(most)),
            Ok(_) => Ok(plain.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn gzip(text: &[u8]) -> Bytes {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap().into()
    }

    #[test]
    fn known_encodings_are_read_up_to_the_limit() {
        assert_eq!(Encoding::Gzip.decoded(gzip(b"hello"), 5).unwrap(), "hello");
        assert_eq!(Encoding::Gzip.decoded(gzip(b"hello"), 4), Err(UnreadableBody::TooLarge(4)));
        assert_eq!(Encoding::Gzip.decoded("hello".into(), 9), Err(UnreadableBody::Broken("gzip")));
        let zstd = zstd::encode_all(&b"hello"[..], 1).unwrap();
        assert_eq!(Encoding::Zstd.decoded(zstd.into(), 5).unwrap(), "hello");
        let bomb = gzip(&vec![b'x'; 8 << 20]);
        assert_eq!(Encoding::Gzip.decoded(bomb, 1000), Err(UnreadableBody::TooLarge(1000)));
    }

    #[test]
    fn an_encoding_that_is_not_known_is_named() {
        let headers = |value: &str| [(CONTENT_ENCODING, value.parse().unwrap())].into_iter().collect::<HeaderMap>();
        assert_eq!(Encoding::of(&headers("GZIP")), Ok(Encoding::Gzip));
        assert_eq!(Encoding::of(&HeaderMap::new()), Ok(Encoding::Plain));
        assert_eq!(Encoding::of(&headers("br")), Err(UnreadableBody::Unknown("br".to_owned())));
        assert_eq!(Encoding::of(&headers("gzip, br")), Err(UnreadableBody::Unknown("gzip, br".to_owned())));
    }
}
