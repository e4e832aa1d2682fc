//! Reading and writing a file at a position, beside whoever else does.

use std::fs::File;
use std::io;

use crate::system;

/// Reads and writes at a position, with a shared reference: threads need no lock between them.
///
/// Where the file's own cursor is afterwards depends on the system: nobody who uses these calls may rely on it.
pub trait FileAt {
    /// Reads what one call of the system gives from `offset` on; 0 at the end.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Writes what one call of the system takes.
    fn write_at(&self, buffer: &[u8], offset: u64) -> io::Result<usize>;

    /// Fills all of `buffer` from `offset` on; a file that ends before is [`io::ErrorKind::UnexpectedEof`].
    fn read_exact_at(&self, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !buffer.is_empty() {
            match self.read_at(buffer, offset) {
                Ok(0) => return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "failed to fill whole buffer")),
                Ok(read) => {
                    buffer = buffer.split_at_mut(read).1;
                    offset += read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Writes all of `buffer` from `offset` on.
    fn write_all_at(&self, mut buffer: &[u8], mut offset: u64) -> io::Result<()> {
        while !buffer.is_empty() {
            match self.write_at(buffer, offset) {
                Ok(0) => return Err(io::Error::new(io::ErrorKind::WriteZero, "failed to write whole buffer")),
                Ok(written) => {
                    buffer = buffer.split_at(written).1;
                    offset += written as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl FileAt for File {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        system::file::read_at(self, buffer, offset)
    }

    fn write_at(&self, buffer: &[u8], offset: u64) -> io::Result<usize> {
        system::file::write_at(self, buffer, offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_at_a_position_is_read_there() {
        let file = tempfile::tempfile().unwrap();
        file.write_all_at(b"world", 6).unwrap();
        file.write_all_at(b"hello ", 0).unwrap();
        let mut all = [0; 11];
        file.read_exact_at(&mut all, 0).unwrap();
        assert_eq!(&all, b"hello world");
        let mut end = [0; 8];
        assert_eq!(file.read_at(&mut end, 8).unwrap(), 3);
        assert_eq!(file.read_at(&mut end, 11).unwrap(), 0);
        assert_eq!(file.read_exact_at(&mut end, 8).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }

    /// A file that takes and gives one byte a call, and is interrupted before each.
    #[derive(Default)]
    struct Slow(std::cell::RefCell<(Vec<u8>, bool)>);

    impl Slow {
        fn interrupted(&self) -> io::Result<()> {
            let mut inner = self.0.borrow_mut();
            inner.1 = !inner.1;
            if inner.1 { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
        }
    }

    impl FileAt for Slow {
        fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
            self.interrupted()?;
            let byte = self.0.borrow().0.get(offset as usize).copied();
            byte.map_or(Ok(0), |byte| {
                buffer[0] = byte;
                Ok(1)
            })
        }

        fn write_at(&self, buffer: &[u8], offset: u64) -> io::Result<usize> {
            self.interrupted()?;
            assert_eq!(offset as usize, self.0.borrow().0.len());
            self.0.borrow_mut().0.push(buffer[0]);
            Ok(1)
        }
    }

    #[test]
    fn short_and_interrupted_calls_are_gone_on_with() {
        let file = Slow::default();
        file.write_all_at(b"abc", 0).unwrap();
        let mut all = [0; 3];
        file.read_exact_at(&mut all, 0).unwrap();
        assert_eq!(&all, b"abc");
        assert_eq!(file.read_exact_at(&mut all, 1).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }
}
