//! Blocks as they are stored: as they are, or each compressed by itself, so that any of them can be read alone.
//!
//! A compressed content is a row of zstd frames, which `zstdcat` reads as well.

use std::fs::File;
use std::io::{self, Read, Seek};

use crate::blocks::BLOCK;

/// How the blocks of a content are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    /// As they are.
    Plain,
    /// One zstd frame a block.
    #[cfg(feature = "zstd")]
    Zstd,
}

/// How hard to compress: the level at which logs still go by faster than a disk writes.
#[cfg(feature = "zstd")]
const LEVEL: i32 = 1;

/// Compresses blocks, one after the other.
pub(crate) struct Packer {
    #[cfg(feature = "zstd")]
    zstd: Option<zstd::bulk::Compressor<'static>>,
    packed: Vec<u8>,
    lengths: Vec<u32>,
}

impl Packer {
    pub(crate) fn new(packing: Packing) -> io::Result<Packer> {
        Ok(Packer {
            #[cfg(feature = "zstd")]
            zstd: match packing {
                Packing::Plain => None,
                Packing::Zstd => Some(zstd::bulk::Compressor::new(LEVEL)?),
            },
            packed: match packing {
                Packing::Plain => Vec::new(),
                #[cfg(feature = "zstd")]
                Packing::Zstd => Vec::with_capacity(zstd::zstd_safe::compress_bound(BLOCK) * 4),
            },
            lengths: Vec::new(),
        })
    }

    /// The next blocks as they are to be stored, and the stored length of each; no lengths if they are stored as they
    /// are. `bytes` start at a block's border, and only the last ones may end inside a block.
    pub(crate) fn pack<'a>(&'a mut self, bytes: &'a [u8]) -> io::Result<(&'a [u8], &'a [u32])> {
        self.lengths.clear();
        #[cfg(feature = "zstd")]
        if let Some(zstd) = &mut self.zstd {
            self.packed.clear();
            for block in bytes.chunks(BLOCK) {
                let frame = zstd.compress(block)?;
                self.lengths.push(u32::try_from(frame.len()).map_err(io::Error::other)?);
                self.packed.extend_from_slice(&frame);
            }
            return Ok((&self.packed, &self.lengths));
        }
        Ok((bytes, &self.lengths))
    }
}

/// Reads text that is stored either way from its beginning, which says which: no text begins like a zstd frame.
pub(crate) fn unpacking(mut content: File) -> io::Result<Box<dyn Read>> {
    #[cfg(feature = "zstd")]
    {
        let mut start = Vec::new();
        content.by_ref().take(4).read_to_end(&mut start)?;
        content.rewind()?;
        if start == zstd::zstd_safe::MAGICNUMBER.to_le_bytes() {
            return Ok(Box::new(zstd::Decoder::new(content)?));
        }
    }
    content.rewind()?;
    Ok(Box::new(content))
}

/// Unpacks one compressed block; the result is not yet verified.
pub(crate) fn unpack(frame: &[u8]) -> io::Result<Vec<u8>> {
    #[cfg(feature = "zstd")]
    return zstd::bulk::decompress(frame, BLOCK);
    #[cfg(not(feature = "zstd"))]
    return Err(io::Error::new(
        io::ErrorKind::Unsupported,
        format!("{} bytes of zstd in a build without it", frame.len()),
    ));
}
