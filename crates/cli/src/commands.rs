//! The list of commands. Each command's arguments and code are in its own file.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::failure::Failure;
use crate::filter::FilterArgs;
use crate::{
    artifacts, audit, bench, completions, config, doctor, explain, extract, filter, hook, init, manual, mcp, profiles,
    redact, retain, run, savings, serve, shell, stats, trace, ui, version, wrap,
};

const EXAMPLES: &str = "\
Examples:
  cargo test 2>&1 | offcut        show the part that matters, keep all of it
  offcut run -- cargo test        the same; keeps the exit code and the order of output
  curl -s URL | offcut --tool http_request --limit '2000 tokens'
  offcut artifacts list           list the outputs that were kept in this project
  offcut show ID 200-260          print these lines of one
  offcut explain build.log        show which parts would be kept, and why
  offcut stats --by tool          show how much was cut, by tool
  offcut ui                       open the dashboard

An output that fits is printed byte for byte. A longer one is cut to the limit:
the notice names the artifact that holds all of it, and the command that prints
the missing part.

Exit codes: 0 success; 1 something failed; 2 wrong arguments or configuration.
`run` exits with the command's own code: 128+n if signal n ended it, 124 if it
timed out, 126 if it cannot be executed, 127 if it is not found.

A mistake in the configuration never stops the filter, `run`, `redact`, `retain`,
`mcp` or `wrap`: they print it on stderr and use the value that applies without it.";

/// Shows a model the part of a tool's output that matters, and keeps the rest one call away.
#[derive(Debug, Parser)]
#[command(name = "offcut", version = version::LINE, after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    filter: FilterArgs,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a command and show the part of its output that matters
    Run(run::RunArgs),
    /// Print a kept output, or a part of it
    Show(artifacts::read::ShowArgs),
    /// Print the lines of a kept output that match a regular expression
    Grep(artifacts::read::GrepArgs),
    /// Print what a JSONPath or a small SELECT selects of a kept output
    Query(artifacts::read::QueryArgs),
    /// List, read, search and remove kept outputs
    Artifacts(artifacts::ArtifactsArgs),
    /// Ask a question about an artifact
    Extract(extract::ExtractArgs),
    /// Show which parts of a file would be kept, and why
    Explain(explain::ExplainArgs),
    /// Show, check or create a configuration
    Config(config::commands::ConfigArgs),
    /// List the profiles
    Profiles(profiles::ProfilesArgs),
    /// Show how much was cut, kept and read back
    Stats(stats::StatsArgs),
    /// Show what was saved in this project, less what was read back
    Savings(savings::SavingsArgs),
    /// Open the dashboard: calls as they come, what the model saw, savings, a playground
    Ui(ui::UiArgs),
    /// Show the audit log: artifacts created and read, secrets redacted, ids refused
    Audit(audit::AuditArgs),
    /// Redact secrets in stdin, and do nothing else
    Redact(redact::RedactArgs),
    /// Serve a coding agent's tools over MCP, with outputs cut and kept
    Mcp(mcp::McpArgs),
    /// Shorten old tool results in a conversation, and keep each of them whole
    Retain(retain::RetainArgs),
    /// Print the full text of a tool result that was shortened in a conversation
    Trace(trace::TraceArgs),
    /// Serve over HTTP: the tools over MCP, and a proxy in front of a language model
    Serve(serve::ServeArgs),
    /// Run between an MCP client and any MCP server, and cut oversized results
    Wrap(wrap::WrapArgs),
    /// Answer a coding agent's hook: the event on stdin, the agent's answer on stdout
    Hook(hook::HookArgs),
    /// Give the commands of a coding agent's own shell a reply
    Shell(shell::ShellArgs),
    /// Set a coding agent up: its tools, its own shell, its instructions
    Init(init::InitArgs),
    /// Say what is set up here and whether it works
    Doctor(doctor::DoctorArgs),
    /// Measure how much of what a model needs is still shown (runs `offcut-bench`)
    Bench(bench::BenchArgs),
    /// Print a completion script for a shell
    Completions(completions::CompletionsArgs),
    /// Print the manual page
    Man(manual::ManArgs),
}

/// The arguments as they are meant: a link to this program may stand for a command.
pub(crate) fn arguments(given: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = given.collect();
    let name = arguments.first().map(Path::new).and_then(Path::file_name);
    if name.is_some_and(|name| name == shell::PREFIX_LINK) {
        arguments.splice(1..1, ["shell", "prefix", "--"].map(OsString::from));
    }
    arguments
}

/// Reads the arguments. Where they do not begin with a command they are the filter's, and what each command would take
/// need not be worked out.
pub(crate) fn parse(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    let names_none = arguments.get(1).is_none_or(|first| first.as_encoded_bytes().starts_with(b"-"));
    let filter = || FilterArgs::augment_args(clap::Command::new("offcut")).try_get_matches_from(arguments).ok();
    let filter = names_none.then(filter).flatten();
    match filter.and_then(|given| FilterArgs::from_arg_matches(&given).ok()) {
        Some(filter) => Ok(Cli { filter, command: None }),
        None => Cli::try_parse_from(arguments),
    }
}

/// Runs the command that was given; without one, filters stdin.
pub(crate) fn dispatch(cli: Cli) -> Result<ExitCode, Failure> {
    let done = match cli.command {
        None if filter::nobody_pipes() => Cli::command().print_help().map_err(Failure::from),
        None => return filter::filter(&cli.filter),
        Some(Command::Run(args)) => return run::run(&args),
        Some(Command::Show(args)) => artifacts::read::show(&args),
        Some(Command::Grep(args)) => return artifacts::read::grep(&args),
        Some(Command::Query(args)) => artifacts::read::query(&args),
        Some(Command::Artifacts(args)) => return artifacts::artifacts(&args),
        Some(Command::Extract(args)) => return extract::extract(&args),
        Some(Command::Explain(args)) => return explain::explain(&args),
        Some(Command::Config(args)) => config::commands::config(&args),
        Some(Command::Profiles(args)) => profiles::profiles(&args),
        Some(Command::Stats(args)) => stats::stats(&args),
        Some(Command::Savings(args)) => savings::savings(&args),
        Some(Command::Ui(args)) => return ui::ui(&args),
        Some(Command::Audit(args)) => audit::audit(&args),
        Some(Command::Mcp(args)) => return mcp::mcp(&args),
        Some(Command::Redact(args)) => return redact::redact(&args),
        Some(Command::Retain(args)) => return retain::retain(&args),
        Some(Command::Trace(args)) => return trace::trace(&args),
        Some(Command::Serve(args)) => return serve::serve(&args),
        Some(Command::Wrap(args)) => return wrap::wrap(&args),
        Some(Command::Hook(args)) => return hook::hook(&args),
        Some(Command::Shell(args)) => return shell::shell(args),
        Some(Command::Init(args)) => return init::init(&args),
        Some(Command::Doctor(args)) => return doctor::doctor(&args),
        Some(Command::Bench(args)) => return bench::bench(&args),
        Some(Command::Completions(args)) => completions::completions(&args, Cli::command()),
        Some(Command::Man(args)) => manual::manual(&args, Cli::command()),
    };
    done.map(|()| ExitCode::SUCCESS)
}
