//! Cleaning and redacting what the tools show by themselves.

use std::collections::BTreeMap;

use offcut::Offcut;
use offcut_core::clean::Cleaner;
use offcut_core::redact::Redactor;

use crate::tool::Tool;

/// Makes text of raw lines: cleaned each by itself, so that a line stays a line, and without secrets.
pub(crate) struct Wash {
    cleaner: Cleaner,
    redactor: Option<Redactor>,
    scratch: String,
    text: String,
}

impl Wash {
    /// For the output of `tool`.
    pub(crate) fn new(offcut: &Offcut, tool: Tool) -> Wash {
        let redactor = offcut.redactor(tool.name());
        Wash { cleaner: Cleaner::default(), redactor, scratch: String::new(), text: String::new() }
    }

    /// Takes a line in, without its end, and the end that it shall have.
    pub(crate) fn line(&mut self, raw: &[u8], end: &str) {
        let raw = String::from_utf8_lossy(raw);
        let raw = raw.trim_end_matches('\r');
        let mut line = self.cleaner.push(raw.as_bytes(), &mut self.scratch).to_owned();
        line.push_str(self.cleaner.finish(&mut self.scratch));
        if line.contains('\n') {
            // A cursor that was moved down.
            line = line.replace('\n', " ");
        }
        line.push_str(end);
        match &mut self.redactor {
            Some(redactor) => redactor.push(&line, &mut |text| self.text.push_str(text)),
            None => self.text.push_str(&line),
        }
    }

    /// The text of all lines, and the secrets that were taken out, by kind.
    pub(crate) fn finish(mut self) -> (String, BTreeMap<String, u64>) {
        let mut counts = BTreeMap::new();
        if let Some(redactor) = &mut self.redactor {
            redactor.finish(&mut |text| self.text.push_str(text));
            counts = redactor.counts().clone();
        }
        (self.text, counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_lines_and_secrets_go() {
        let offcut = Offcut::builder().build().unwrap();
        let mut wash = Wash::new(&offcut, Tool::Read);
        wash.line(b"plain \xff", "\n");
        wash.line(b"\x1b[31mred\x1b[0m\r", "\r\n");
        wash.line(b"db: postgres://app:hunter22@db.local/main", "\n");
        wash.line(b"up\x1b[Aup", "");
        let (text, counts) = wash.finish();
        assert_eq!(text, "plain \u{fffd}\nred\r\ndb: postgres://app:[REDACTED: PASSWORD]@db.local/main\nupup");
        assert_eq!(counts.get("PASSWORD"), Some(&1));
    }
}
