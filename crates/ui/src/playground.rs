//! The playground: an output, a limit, a strategy, and the reply that comes of it.

use std::io::{self, Write};
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header;
use maud::{Markup, html};
use offcut::explain::ExplainedPiece;
use offcut::profile::Profile;
use offcut::recall::ArtifactDocument;
use offcut::{Call, Explanation, Intake, Offcut, Reply};
use offcut_core::document::Document;
use offcut_core::limit::Limits;
use offcut_core::strategy::registry::Registry;
use offcut_store::{LocalOptions, LocalStore, Store};
use serde::Serialize;

use crate::calls::choice;
use crate::dashboard::Dashboard;
use crate::error::PageError;
use crate::format::thousands;
use crate::lines::{self, ShownLine};
use crate::page::{Section, page as whole_page};
use crate::query::Query;

/// The most lines of a piece that are explained; the reply itself is always whole.
const PIECE_LINES: u64 = 60;

/// How many bytes of an artifact are read at a time.
const CHUNK: u64 = 1024 * 1024;

/// The tool whose limits hold unless the reader names another.
const TOOL: &str = "execute_command";

/// What the page is told.
#[derive(Debug, Serialize)]
struct Cut<'r> {
    /// What `offcut --json` prints.
    reply: &'r Reply,
    /// Why each line was kept, as HTML.
    explained: String,
    /// The command that does the same.
    command: String,
    /// The configuration that does the same.
    configuration: String,
}

/// `/ui/playground`.
pub(crate) async fn page(State(dashboard): State<Dashboard>, query: Query) -> Result<Response, PageError> {
    dashboard
        .make(move |dashboard| {
            let artifact = query.text("artifact").unwrap_or_default();
            let profiles: Vec<(&str, &str)> =
                Profile::ALL.iter().map(|profile| (profile.name(), profile.name())).collect();
            let registry = Registry::default();
            let strategies: Vec<(&str, &str)> =
                [("", "by profile"), ("auto", "auto")].into_iter().chain(registry.names().into_iter().filter(|name| *name != "auto").map(|name| (name, name))).collect();
            let current = dashboard.cut_options().profile.as_deref().unwrap_or("auto");
            let body = html! {
                form.playground #playground data-artifact=(artifact) {
                    div.controls {
                        label.wide { "Limit " output #limit-shown { "8,000 characters" }
                            input #limit type="range" min="0" max="100" step="0.1" value="53.4" aria-label="Limit in characters";
                        }
                        label { "Profile " (choice("profile", current, &profiles)) }
                        label { "Strategy " (choice("strategy", "", &strategies)) }
                        label { "Tool " input name="tool" value=(TOOL) size="16"; }
                        label { "File " input #file type="file"; }
                    }
                    @if artifact.is_empty() {
                        textarea #input spellcheck="false" placeholder="Paste an output here, drop a file, or open an artifact in the playground" aria-label="Output" {}
                    } @else {
                        p.note { "Artifact " code { (artifact) } " · " a href="/ui/playground" { "paste something else" } }
                    }
                }
                p.note #figures role="status" {}
                div.beside {
                    section.pane { h2 { "The reply" } div.text tabindex="0" { pre #reply {} } }
                    section.pane { h2 { "Why" } div.text tabindex="0" #why {} }
                }
                section { h2 { "The same elsewhere" }
                    p { code #command data-copy="" {} }
                    pre #configuration data-copy="" {}
                }
            };
            Ok(whole_page(dashboard, Section::Playground, "Playground", body))
        })
        .await
}

/// `/ui/playground/cut`: the reply to the output in the body, or to an artifact's.
pub(crate) async fn cut(State(dashboard): State<Dashboard>, query: Query, body: Bytes) -> Result<Response, PageError> {
    dashboard
        .make(move |dashboard| {
            // What is kept for the sake of a reply goes with it.
            let room = tempfile::tempdir()?;
            let options = LocalOptions { durable: false, ..LocalOptions::default() };
            let offcut = offcut(dashboard, &query, Arc::new(LocalStore::open(room.path(), options)?))?;
            let mut intake = offcut.intake(call(&query)?)?;
            match query.text("artifact") {
                None => feed(&mut intake, &body),
                Some(handle) => feed_artifact(dashboard, handle, &mut intake)?,
            }
            let explanation = intake.finish_explained();
            let rules = offcut.policy().line_rules().clone();
            let cut = Cut {
                explained: explained(&explanation, &explanation.pieces(&rules)?)?.into_string(),
                reply: &explanation.reply,
                command: command(&query),
                configuration: configuration(&query),
            };
            let json = serde_json::to_vec(&cut).map_err(|_| PageError::Broken)?;
            Ok(([(header::CONTENT_TYPE, "application/json")], json).into_response())
        })
        .await
}

/// The library as it is configured, with the reader's profile, and a store that nobody else sees.
fn offcut(dashboard: &Dashboard, query: &Query, store: Arc<dyn Store>) -> Result<Offcut, PageError> {
    let mut options = dashboard.cut_options().clone();
    if let Some(profile) = query.text("profile") {
        options.profile = Some(profile.to_owned());
    }
    let builder = Offcut::builder().options(options).store_in(store).outlived();
    Ok(builder.wording(dashboard.offcut().recall_wording().clone()).build()?)
}

fn call(query: &Query) -> Result<Call, PageError> {
    let mut call = Call::new(query.text("tool").unwrap_or(TOOL));
    if let Some(limit) = query.text("limit") {
        let limits: Limits = limit.parse().map_err(|error| PageError::Refused(format!("limit: {error}")))?;
        call = call.limits(limits);
    }
    call.strategy = query.text("strategy").map(str::to_owned);
    Ok(call)
}

/// An output over the maximum size stops being taken in; its reply says so.
fn feed(intake: &mut Intake<'_>, bytes: &[u8]) {
    let _ = intake.write_all(bytes);
}

fn feed_artifact(dashboard: &Dashboard, handle: &str, intake: &mut Intake<'_>) -> Result<(), PageError> {
    let missing = || PageError::NotFound(format!("artifact `{handle}`"));
    let (session, id) = handle.split_once('/').ok_or_else(missing)?;
    let (store, _) = dashboard.offcut().store().ok_or_else(missing)?;
    let artifact = store.open(&session.parse()?, &id.parse()?)?;
    let bytes = artifact.info().extent.bytes;
    let document = ArtifactDocument::new(artifact.as_ref());
    let document: &dyn Document = &document;
    let (mut at, mut buffer) = (0, Vec::new());
    while at < bytes {
        let read = document.read_bytes(at..(at + CHUNK).min(bytes), buffer)?;
        if read.is_empty() {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        feed(intake, &read);
        at += read.len() as u64;
        buffer = read.into_owned();
    }
    Ok(())
}

/// The pieces of a cut with the reasons for what was kept.
fn explained(explanation: &Explanation, pieces: &[ExplainedPiece<'_>]) -> io::Result<Markup> {
    let document = explanation.document.as_ref();
    let mut parts = Vec::new();
    for piece in pieces {
        parts.push(match piece {
            ExplainedPiece::Keep { lines: (first, last), why, rule, .. } => {
                let shown = lines::read(document, *first, (last - first + 1).min(PIECE_LINES))?;
                kept(&shown, why, *rule, (last - first + 1).saturating_sub(PIECE_LINES))
            }
            ExplainedPiece::Omit { lines: (first, last), chars, mark, detail, .. } => {
                let whole = *mark == "line";
                html! { tr.gap { td.line { "⋯" } td.why {} td {
                    @if whole { (thousands(last - first + 1)) " lines, " }
                    (thousands(*chars)) " characters left out"
                    @if let Some(detail) = detail { ": " (detail) }
                } } }
            }
            ExplainedPiece::Insert { text } => {
                html! { tr.insert { td.line { "+" } td.why { "inserted" } td.words { code { (text) } } } }
            }
        });
    }
    Ok(html! { table.lines.explained { tbody { @for part in parts { (part) } } } })
}

fn kept(shown: &[ShownLine], why: &str, rule: Option<&str>, more: u64) -> Markup {
    html! {
        @for (at, line) in shown.iter().enumerate() {
            tr.kept {
                td.line { (line.number) }
                td.why { @if at == 0 { (why) @if let Some(rule) = rule { " (" (rule) ")" } } }
                td.words { code { (line.words) } @if line.more > 0 { span.note { " … " (thousands(line.more)) " more bytes" } } }
            }
        }
        @if more > 0 { tr.kept { td.line { "⋯" } td.why {} td { (thousands(more)) " more kept lines" } } }
    }
}

/// The command that makes the same reply.
fn command(query: &Query) -> String {
    let mut command = "offcut".to_owned();
    for name in ["limit", "profile", "strategy", "tool"] {
        if let Some(value) = query.text(name).filter(|value| name != "tool" || *value != TOOL) {
            command.push_str(&format!(" --{name} {}", quoted(value)));
        }
    }
    command
}

/// A word as a shell reads it back.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "@%+=:,./_-".contains(c);
    if word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// The configuration that makes the same reply, as `offcut.toml` has it.
fn configuration(query: &Query) -> String {
    let mut lines = vec!["# offcut.toml".to_owned()];
    for (name, key) in [("profile", "profile"), ("limit", "inline_limit"), ("strategy", "default_strategy")] {
        if let Some(value) = query.text(name) {
            let value = match value.parse::<u64>() {
                Ok(number) => number.to_string(),
                Err(_) => serde_json::Value::from(value).to_string(),
            };
            lines.push(format!("{key} = {value}"));
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_and_the_configuration_say_what_was_chosen() {
        let query = Query::of("limit=2000+tokens&profile=paged&strategy=&tool=execute_command");
        assert_eq!(command(&query), "offcut --limit '2000 tokens' --profile paged");
        assert_eq!(configuration(&query), "# offcut.toml\nprofile = \"paged\"\ninline_limit = \"2000 tokens\"");
        assert_eq!(command(&Query::of("tool=it's&limit=8000")), r"offcut --limit 8000 --tool 'it'\''s'");
    }
}
