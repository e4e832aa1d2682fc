//! The text that a JSON string stands for, while the string streams by.

/// Decodes what stands between a JSON string's quotes, pushed in any chunks. A half of a surrogate pair becomes U+FFFD.
#[derive(Debug, Default)]
pub(crate) struct Unescaper {
    state: State,
    /// A first half of a surrogate pair that waits for its second.
    high: Option<u32>,
}

#[derive(Debug, Default, Clone, Copy)]
enum State {
    #[default]
    Plain,
    /// Behind a backslash.
    Escape,
    /// Behind `\u` and so many digits.
    Unicode { digits: u8, code: u32 },
}

impl Unescaper {
    /// Appends to `out` what the next bytes stand for.
    pub(crate) fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let mut rest = bytes;
        while !rest.is_empty() {
            match self.state {
                State::Plain => match memchr::memchr(b'\\', rest) {
                    Some(0) => {
                        self.state = State::Escape;
                        rest = rest.get(1..).unwrap_or_default();
                    }
                    found => {
                        self.settle(out);
                        let (plain, left) = rest.split_at(found.unwrap_or(rest.len()));
                        out.extend_from_slice(plain);
                        rest = left;
                    }
                },
                State::Escape | State::Unicode { .. } => {
                    if let Some((byte, left)) = rest.split_first() {
                        self.escape(*byte, out);
                        rest = left;
                    }
                }
            }
        }
    }

    /// The end of the string.
    pub(crate) fn finish(&mut self, out: &mut Vec<u8>) {
        self.settle(out);
        *self = Unescaper::default();
    }

    fn escape(&mut self, byte: u8, out: &mut Vec<u8>) {
        let State::Unicode { digits, code } = self.state else {
            if byte == b'u' {
                self.state = State::Unicode { digits: 0, code: 0 };
                return;
            }
            self.settle(out);
            self.state = State::Plain;
            out.push(match byte {
                b'n' => b'\n',
                b't' => b'\t',
                b'r' => b'\r',
                b'b' => 8,
                b'f' => 12,
                other => other,
            });
            return;
        };
        let code = code << 4 | char::from(byte).to_digit(16).unwrap_or(0);
        if digits < 3 {
            self.state = State::Unicode { digits: digits + 1, code };
            return;
        }
        self.state = State::Plain;
        match (self.high.take(), code) {
            (Some(high), 0xdc00..=0xdfff) => {
                put(0x10000 + ((high - 0xd800) << 10) + (code - 0xdc00), out);
            }
            (high, code) => {
                if high.is_some() {
                    put(0xfffd, out);
                }
                match code {
                    0xd800..=0xdbff => self.high = Some(code),
                    _ => put(code, out),
                }
            }
        }
    }

    /// Says what a first half of a pair is once no second half can follow.
    fn settle(&mut self, out: &mut Vec<u8>) {
        if self.high.take().is_some() {
            put(0xfffd, out);
        }
    }
}

fn put(code: u32, out: &mut Vec<u8>) {
    let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(string: &str, expected: &str) {
        for size in 1..=string.len().max(1) {
            let (mut unescaper, mut out) = (Unescaper::default(), Vec::new());
            string.as_bytes().chunks(size).for_each(|chunk| unescaper.push(chunk, &mut out));
            unescaper.finish(&mut out);
            assert_eq!(String::from_utf8_lossy(&out), expected, "{string} in chunks of {size}");
        }
    }

    #[test]
    fn escapes_become_what_they_stand_for() {
        check("plain", "plain");
        check(r"a\n\t\r\b\f\/\\\u0022z", "a\n\t\r\u{8}\u{c}/\\\"z");
        check(r"\u00e9\u20AC", "é€");
        check(r"x\ud83d\ude00y", "x😀y");
        check("ä😀\\n", "ä😀\n");
        check("", "");
    }

    #[test]
    fn half_a_pair_is_replaced() {
        check(r"\ud83d", "\u{fffd}");
        check(r"\ud83dx", "\u{fffd}x");
        check(r"\ud83d\n", "\u{fffd}\n");
        check(r"\ud83d\ud83d\ude00", "\u{fffd}😀");
        check(r"\ude00", "\u{fffd}");
    }
}
