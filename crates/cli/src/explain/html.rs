//! `offcut explain --html`: one page that needs nothing else, with kept and omitted parts side by side.

use std::fmt::Write as _;
use std::io::{self, Write};

use offcut::Explanation;
use offcut::explain::ExplainedPiece;
use offcut_core::hidden::is_hidden;
use offcut_core::notice::counted;
use offcut_core::report::Report;
use offcut_core::text;

/// The most lines of an omitted part that the page holds; of a longer one half from each end.
const MOST_LINES: u64 = 400;

/// The most characters of a line that the page holds.
const MOST_CHARS: u64 = 2000;

/// An omitted part of more lines is folded at first.
const FOLDED: u64 = 12;

/// How the page looks.
const STYLE: &str = include_str!("page.css");

/// A page about one output.
pub(super) struct Page<'p> {
    pub(super) name: &'p str,
    pub(super) explanation: &'p Explanation,
    pub(super) pieces: &'p [ExplainedPiece<'p>],
}

impl Page<'_> {
    /// Writes the page.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let name = escaped(self.name);
        writeln!(out, "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">")?;
        writeln!(out, "<meta name=\"viewport\" content=\"width=device-width\">")?;
        // The page shows what a stranger may have written: nothing of it runs or loads.
        let policy = "default-src 'none'; style-src 'unsafe-inline'";
        writeln!(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">")?;
        writeln!(out, "<title>{name} · offcut</title>\n<style>\n{STYLE}</style>")?;
        writeln!(out, "<header>\n<h1>{name}</h1>")?;
        self.write_facts(out)?;
        self.write_map(out)?;
        writeln!(out, "</header>\n<main>\n<div class=\"row head\"><b>Kept</b><b>Omitted</b></div>")?;
        for (at, piece) in self.pieces.iter().enumerate() {
            self.write_piece(at, piece, out)?;
        }
        writeln!(out, "</main>\n<section>\n<h2>What the model reads</h2>")?;
        writeln!(out, "<pre class=\"reply\">{}</pre>\n</section>\n</html>", escaped(&self.explanation.reply.text))?;
        out.flush()
    }

    fn write_facts(&self, out: &mut dyn Write) -> io::Result<()> {
        let Report { original_size, original_tokens, original_lines, kept, .. } = &self.explanation.reply.report;
        let report = &self.explanation.reply.report;
        let shown: u64 = kept.iter().map(|(first, last)| last - first + 1).sum();
        let (size, tokens) = (original_size.unwrap_or(0), original_tokens.unwrap_or(0));
        let lines = counted(original_lines.unwrap_or(0), "line");
        writeln!(
            out,
            "<p>{shown} of {lines} · {} of {} · {} of {} · {}, cut by {}</p>",
            report.truncated_size,
            counted(size, "character"),
            report.truncated_tokens.unwrap_or(0),
            counted(tokens, "token"),
            escaped(&report.kind),
            escaped(report.strategy.as_deref().unwrap_or("none")),
        )
    }

    /// A strip of the whole output: where the kept parts lie in it.
    fn write_map(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "<nav>")?;
        for (at, piece) in self.pieces.iter().enumerate() {
            let (class, bytes) = match piece {
                ExplainedPiece::Keep { bytes, .. } => ("kept", bytes),
                ExplainedPiece::Omit { bytes, .. } => ("omitted", bytes),
                ExplainedPiece::Insert { .. } => continue,
            };
            write!(out, "<a class=\"{class}\" href=\"#p{at}\" style=\"flex-grow:{}\"></a>", bytes.1 - bytes.0)?;
        }
        writeln!(out, "</nav>")
    }

    fn write_piece(&self, at: usize, piece: &ExplainedPiece<'_>, out: &mut dyn Write) -> io::Result<()> {
        match piece {
            ExplainedPiece::Keep { bytes, lines, why, rule } => {
                let rule = rule.map(|rule| format!(" · rule {}", escaped(rule))).unwrap_or_default();
                let title = format!("{} <i>{}{rule}</i>", span(*lines), escaped(why));
                writeln!(out, "<div class=\"row\" id=\"p{at}\"><article class=\"kept\"><h3>{title}</h3><pre>")?;
                self.write_lines(*bytes, u64::MAX, out)?;
                writeln!(out, "</pre></article><i></i></div>")
            }
            ExplainedPiece::Omit { bytes, lines, chars, detail, .. } => {
                let detail = detail.map(|detail| format!(" · {}", escaped(detail))).unwrap_or_default();
                let title = format!("{} <i>{}{detail}</i>", span(*lines), counted(*chars, "character"));
                let count = lines.1 - lines.0 + 1;
                let open = if count <= FOLDED { " open" } else { "" };
                writeln!(out, "<div class=\"row\" id=\"p{at}\"><i></i><article class=\"omitted\"><details{open}>")?;
                writeln!(out, "<summary>{title}</summary><pre>")?;
                self.write_omitted(*bytes, *lines, out)?;
                writeln!(out, "</pre></details></article></div>")
            }
            ExplainedPiece::Insert { text } => {
                writeln!(
                    out,
                    "<div class=\"row\"><article class=\"said\"><pre>{}</pre></article><i></i></div>",
                    escaped(text)
                )
            }
        }
    }

    /// The lines of an omitted part, or those at its two ends where it is long.
    fn write_omitted(&self, bytes: (u64, u64), lines: (u64, u64), out: &mut dyn Write) -> io::Result<()> {
        let document = self.explanation.document.as_ref();
        let count = lines.1 - lines.0 + 1;
        if count <= MOST_LINES {
            return self.write_lines(bytes, MOST_LINES, out);
        }
        let half = MOST_LINES / 2;
        let upto = document.line_start(lines.0 - 1 + half)?.byte.clamp(bytes.0, bytes.1);
        let from = document.line_start(lines.1 - half)?.byte.clamp(upto, bytes.1);
        self.write_lines((bytes.0, upto), half, out)?;
        writeln!(out, "<em>… {} …</em>", counted(count - 2 * half, "more line"))?;
        self.write_lines((from, bytes.1), half, out)
    }

    fn write_lines(&self, bytes: (u64, u64), most: u64, out: &mut dyn Write) -> io::Result<()> {
        if bytes.0 >= bytes.1 {
            return Ok(());
        }
        let document = self.explanation.document.as_ref();
        let mut lines = document.lines_from(document.position(bytes.0)?);
        let mut written = 0;
        while let Some(line) = lines.next_line()? {
            let start = line.position.byte;
            if start >= bytes.1 || written == most {
                break;
            }
            let length = usize::try_from(bytes.1 - start).unwrap_or(usize::MAX);
            let words = text::slice(line.text, 0..length.min(line.text.len()));
            let shown = text::first_chars(words, MOST_CHARS);
            let more = if shown.len() < words.len() { "…" } else { "" };
            writeln!(out, "<code data-n=\"{}\">{}{more}</code>", line.position.line + 1, escaped(shown))?;
            written += 1;
        }
        Ok(())
    }
}

fn span((first, last): (u64, u64)) -> String {
    if first == last { format!("line {first}") } else { format!("lines {first}–{last}") }
}

/// Text as a page shows it; characters that nobody would see are written out.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            hidden if is_hidden(hidden) => {
                let _ = write!(escaped, "{}", hidden.escape_unicode());
            }
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_an_output_acts_in_the_page() {
        assert_eq!(escaped("<b a=\"1\">&\u{202e}x\n"), "&lt;b a=&quot;1&quot;&gt;&amp;\\u{202e}x\n");
    }
}
