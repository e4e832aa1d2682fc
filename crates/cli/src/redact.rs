//! `… | offcut redact`: what comes in by stdin leaves without its secrets, and nothing else happens to it.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use offcut::Offcut;
use offcut::options::{Options, RedactionMode};
use offcut_core::redact::{Counts, Redactor};
use serde_json::json;

use crate::failure::{Failure, while_doing};
use crate::filter::CHUNK;
use crate::flags::PlaceFlags;
use crate::place;
use crate::raw_lines::RawLines;
use crate::setup;
use crate::signals::Input;
use crate::table::{counted, thousands};

const EXAMPLES: &str = "\
Examples:
  kubectl get secret -o yaml | offcut redact
  offcut redact --mode report < build.log > /dev/null

Each secret is replaced by `[REDACTED: KIND]`, and a line without one leaves byte
for byte, colours and all. A line with one leaves as a terminal would show it, so
that control sequences cannot hide a part of it. Nothing is kept or logged.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RedactArgs {
    /// Write the number of secrets of each kind to this file, as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Redact secrets, or only count them
    #[arg(long, value_enum, default_value = "on")]
    pub(crate) mode: RedactMode,
    /// Number the secrets of each kind: `[REDACTED: AWS_KEY #2]`
    #[arg(long)]
    pub(crate) numbered: bool,
    /// Do not print the counts on stderr
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Apply this tool's rules
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// Use this configuration file instead of the user's and the project's [default: $OFFCUT_CONFIG]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// Whether secrets are taken out or only counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RedactMode {
    /// Redact and count.
    On,
    /// Count only.
    Report,
}

/// Redacts stdin to its end, in bounded memory.
pub(crate) fn redact(args: &RedactArgs) -> Result<ExitCode, Failure> {
    let (mut redactor, degraded) = redactor(args)?;
    let mut input = Input::open();
    let ended = copy(&mut input, &mut redactor, &mut io::stdout().lock());
    // What was found until then is told, however it ended.
    tell(redactor.counts(), &degraded, args)?;
    ended?;
    Ok(input.interrupted().unwrap_or(ExitCode::SUCCESS))
}

/// The redactor that flags and configuration describe, and what of them was wrong and is not used. Who calls it wants
/// it: `mode = "off"` does not reach it.
fn redactor(args: &RedactArgs) -> Result<(Redactor, Vec<String>), Failure> {
    let place = PlaceFlags { config: args.config.clone(), ..PlaceFlags::default() };
    let mut config = setup::config(&place::root(), &place, None);
    let tool = args.tool.as_deref().unwrap_or(setup::TOOL);
    let offcut = config.settle(|options| {
        let mut redaction = options.for_tool(tool).redaction;
        redaction.mode = Some(match args.mode {
            RedactMode::On => RedactionMode::On,
            RedactMode::Report => RedactionMode::Report,
        });
        if args.numbered {
            redaction.numbered = Some(true);
        }
        Offcut::builder().options(Options { redaction, ..Options::default() }).build()
    })?;
    config.problems.print_all();
    let redactor = offcut.redactor(tool).ok_or_else(|| Failure::other("redaction is switched off"))?;
    Ok((redactor, config.problems.reasons()))
}

fn copy(source: &mut impl Read, redactor: &mut Redactor, out: &mut impl Write) -> Result<(), Failure> {
    let mut chunk = vec![0; CHUNK];
    let mut lines = RawLines::new(redactor);
    loop {
        let read = match source.read(&mut chunk) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(while_doing("read all of stdin")(error)),
        };
        match read {
            0 => lines.finish(),
            _ => lines.push(chunk.get(..read).unwrap_or_default()),
        }
        out.write_all(&lines.clear)?;
        out.flush()?;
        lines.clear.clear();
        if read == 0 {
            return Ok(());
        }
    }
}

/// Tells how many secrets there were: to people on stderr, to programs in a file.
fn tell(counts: &Counts, degraded: &[String], args: &RedactArgs) -> Result<(), Failure> {
    let total: u64 = counts.values().sum();
    if let Some(path) = &args.report {
        let mut report = json!({ "total": total, "redactions": counts });
        if !degraded.is_empty() {
            report["degraded"] = degraded.into();
        }
        let mut json = serde_json::to_vec_pretty(&report)?;
        json.push(b'\n');
        std::fs::write(path, json).map_err(while_doing(format!("write the report to `{}`", path.display())))?;
    }
    if !args.quiet {
        let done = if args.mode == RedactMode::Report { "found" } else { "taken out" };
        let kinds: Vec<String> = counts.iter().map(|(kind, count)| format!("{} {kind}", thousands(*count))).collect();
        let line = match total {
            0 => "offcut: no secrets found\n".to_owned(),
            _ => format!("offcut: {} {done}: {}\n", counted(total, "secret"), kinds.join(", ")),
        };
        // Nothing can be done about a stderr that cannot be written.
        let _ = io::stderr().write_all(line.as_bytes());
    }
    Ok(())
}
