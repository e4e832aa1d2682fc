//! `offcut explain`: a document with what is kept and what is omitted told apart, and why.

mod html;

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anstyle::{AnsiColor, Style};
use clap::Args;
use offcut::explain::ExplainedPiece;
use offcut::recall::Selector;
use offcut::{Call, Explanation, Intake, Offcut};
use offcut_core::document::Document;
use offcut_core::report::Report;
use offcut_core::text;
use offcut_store::{LocalOptions, LocalStore, Store};
use serde::Serialize;

use crate::failure::{Failure, while_doing};
use crate::filter;
use crate::flags::{CutFlags, PlaceFlags, ToolFlags};
use crate::place;
use crate::setup::{self, stored};

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The file to explain, an artifact's id as a notice gives it, `last`, or `-` for stdin
    #[arg(value_name = "FILE|ID")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) cut: CutFlags,
    #[command(flatten)]
    pub(crate) tool: ToolFlags,
    /// Print the pieces and the report as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Show only the first and last N lines of each omitted part [default: 0 on a terminal, else all]
    #[arg(long, value_name = "N")]
    pub(crate) context: Option<u64>,
    /// Show omitted parts in full on a terminal, too
    #[arg(long, conflicts_with = "context")]
    pub(crate) all: bool,
    /// Write a page to this file instead: kept and omitted parts side by side
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub(crate) html: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) place: PlaceFlags,
}

/// All of it, for programs.
#[derive(Serialize)]
struct FullExplanation<'p> {
    pieces: Vec<ExplainedPiece<'p>>,
    report: &'p Report,
    text: &'p str,
}

/// Explains how a file or an artifact would be cut. Nothing is kept, and nothing is counted.
pub(crate) fn explain(args: &ExplainArgs) -> Result<ExitCode, Failure> {
    let mut config = setup::config(&place::root(), &args.place, args.cut.profile.as_deref());
    let room = tempfile::tempdir().map_err(while_doing("make a temporary directory"))?;
    let store = LocalStore::open(room.path(), LocalOptions { durable: false, ..LocalOptions::default() })?;
    let store: Arc<dyn Store> = Arc::new(store);
    let offcut = config.settle(|options| Offcut::builder().options(options.clone()).store_in(store.clone()).build())?;
    config.problems.failure()?;
    config.problems.print_warnings();
    let name = args.file.display().to_string();
    let mut explanation = taken_in(args, &offcut)?.finish_explained();
    forget_artifact(&mut explanation.reply.report);
    let read = |error| while_doing(format!("read `{name}` again"))(error);
    let rules = offcut.policy().line_rules().clone();
    let pieces = explanation.pieces(&rules).map_err(read)?;
    if let Some(file) = &args.html {
        let page = html::Page { name: &name, explanation: &explanation, pieces: &pieces };
        let written = File::create(file).and_then(|file| page.write(&mut BufWriter::new(file)));
        written.map_err(while_doing(format!("write `{}`", file.display())))?;
    } else if args.json {
        let Explanation { reply, .. } = &explanation;
        let mut out = BufWriter::new(io::stdout().lock());
        serde_json::to_writer_pretty(&mut out, &FullExplanation { pieces, report: &reply.report, text: &reply.text })?;
        writeln!(out)?;
        out.flush()?;
    } else {
        let folded = io::stdout().is_terminal() && !args.all;
        let context = args.context.or(folded.then_some(0));
        let mut out = BufWriter::new(anstream::stdout().lock());
        let page = Page { document: explanation.document.as_ref(), context };
        page.write(&pieces, &mut out)?;
        write_report(&explanation.reply.report, &mut out)?;
        out.flush()?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Takes in what is to be explained: standard input, a file, or an artifact where no file has that name.
fn taken_in<'o>(args: &ExplainArgs, offcut: &'o Offcut) -> Result<Intake<'o>, Failure> {
    let call = setup::call(&args.cut, &args.tool);
    if args.file == Path::new("-") {
        let mut intake = offcut.intake(call)?;
        filter::feed(&mut io::stdin().lock(), &mut intake).map_err(while_doing("read stdin"))?;
        return Ok(intake);
    }
    let name = args.file.display();
    let missing = match File::open(&args.file) {
        Ok(mut file) => {
            let arguments = serde_json::json!({ "path": args.file.to_string_lossy() }).to_string();
            let mut intake = offcut.intake(made_by(call, args, "read_file", &arguments))?;
            filter::feed(&mut file, &mut intake).map_err(while_doing(format!("read `{name}`")))?;
            return Ok(intake);
        }
        Err(error) => error,
    };
    let handle = args.file.to_string_lossy();
    let stored = stored(&args.place)?;
    let recall = stored.offcut.recall();
    let Ok(artifact) = recall.open(&handle) else { return Err(while_doing(format!("open `{name}`"))(missing)) };
    let info = artifact.info();
    if info.binary {
        return Err(Failure::other(format!("`{handle}` is {}, not text", info.media_type)));
    }
    let mut intake = offcut.intake(made_by(call, args, &info.source.tool, &info.source.arguments))?;
    recall.write(&handle, &Selector::Whole, &mut intake)?;
    Ok(intake)
}

/// The call with the tool and the arguments that made the output, unless flags name others.
fn made_by(mut call: Call, args: &ExplainArgs, tool: &str, arguments: &str) -> Call {
    if args.tool.tool.is_none() {
        call.tool = tool.to_owned();
    }
    if args.tool.args.is_none() {
        call = call.arguments(arguments);
    }
    call
}

/// What was kept for the sake of explaining is gone when we are.
fn forget_artifact(report: &mut Report) {
    (report.artifact_id, report.artifact_path, report.artifact_created) = (None, None, false);
}

/// The document as people see it.
struct Page<'d> {
    document: &'d dyn Document,
    context: Option<u64>,
}

/// How a line of a piece is marked and coloured.
#[derive(Clone, Copy)]
struct Look {
    mark: char,
    style: Style,
}

impl Page<'_> {
    fn write(&self, pieces: &[ExplainedPiece<'_>], out: &mut dyn Write) -> io::Result<()> {
        let kept = Look { mark: '+', style: AnsiColor::Green.on_default() };
        let omitted = Look { mark: '-', style: Style::new().dimmed() };
        let inserted = Look { mark: '>', style: AnsiColor::Yellow.on_default() };
        for piece in pieces {
            match piece {
                ExplainedPiece::Keep { bytes, lines, why, rule } => {
                    let rule = rule.map(|rule| format!(" (rule {rule})")).unwrap_or_default();
                    head(out, &format!("{}: kept, {why}{rule}", span(*lines)))?;
                    self.lines(*bytes, kept, out)?;
                }
                ExplainedPiece::Omit { bytes, lines, chars, detail, .. } => {
                    let detail = detail.map(|detail| format!(": {detail}")).unwrap_or_default();
                    head(out, &format!("{}: omitted, {chars} characters{detail}", span(*lines)))?;
                    self.omitted(*bytes, *lines, omitted, out)?;
                }
                ExplainedPiece::Insert { text } => {
                    head(out, "inserted")?;
                    for line in text::split(text) {
                        row(out, inserted, None, line.text)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The lines of an omitted piece, or where few are wanted those at its two ends.
    fn omitted(&self, bytes: (u64, u64), lines: (u64, u64), look: Look, out: &mut dyn Write) -> io::Result<()> {
        let count = lines.1 - lines.0 + 1;
        let Some(context) = self.context.filter(|context| count > context.saturating_mul(2) + 1) else {
            return self.lines(bytes, look, out);
        };
        let upto = self.document.line_start(lines.0 - 1 + context)?.byte.clamp(bytes.0, bytes.1);
        let from = self.document.line_start(lines.1 - context)?.byte.clamp(upto, bytes.1);
        self.lines((bytes.0, upto), look, out)?;
        let style = look.style;
        let more = if context == 0 { "" } else { "more " };
        writeln!(out, "{style}{} {:>7} │ … {} {more}lines …{style:#}", look.mark, "", count - 2 * context)?;
        self.lines((from, bytes.1), look, out)
    }

    fn lines(&self, bytes: (u64, u64), look: Look, out: &mut dyn Write) -> io::Result<()> {
        if bytes.0 >= bytes.1 {
            return Ok(());
        }
        let mut lines = self.document.lines_from(self.document.position(bytes.0)?);
        while let Some(line) = lines.next_line()? {
            let start = line.position.byte;
            if start >= bytes.1 {
                break;
            }
            let length = usize::try_from(bytes.1 - start).unwrap_or(usize::MAX);
            row(out, look, Some(line.position.line + 1), text::slice(line.text, 0..length))?;
        }
        Ok(())
    }
}

fn span((first, last): (u64, u64)) -> String {
    if first == last { format!("line {first}") } else { format!("lines {first}-{last}") }
}

fn head(out: &mut dyn Write, sentence: &str) -> io::Result<()> {
    let style = AnsiColor::Cyan.on_default();
    writeln!(out, "{style}@@ {sentence}{style:#}")
}

fn row(out: &mut dyn Write, look: Look, number: Option<u64>, words: &str) -> io::Result<()> {
    let number = number.map(|number| number.to_string()).unwrap_or_default();
    let Look { mark, style } = look;
    writeln!(out, "{style}{mark} {number:>7} │ {words}{style:#}")
}

fn write_report(report: &Report, out: &mut dyn Write) -> Result<(), Failure> {
    head(out, "report")?;
    let serde_json::Value::Object(facts) = serde_json::to_value(report)? else { return Ok(()) };
    for (name, fact) in facts {
        match fact {
            serde_json::Value::String(text) => writeln!(out, "{name}: {text}")?,
            other => writeln!(out, "{name}: {other}")?,
        }
    }
    Ok(())
}
