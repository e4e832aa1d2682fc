//! One library object, as the packages hold it.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use offcut::audit_log::AuditLog;
use offcut::event_log::EventLog;
use offcut::options::Options;
use offcut::policy::Policy;
use offcut::{Builder, Offcut};
use offcut_core::strategy::Strategy;
use offcut_core::strategy::registry::Registry;
use offcut_retain::Retainer;
use parking_lot::Mutex;

use crate::call::{Answer, CallFacts, answer};
use crate::failure::Failure;
use crate::file;
use crate::stream::Intake;

/// Turns outputs into replies and reads back what was kept. Any number of threads may use one.
pub struct Engine {
    pub(crate) offcut: Offcut,
    /// The same with one artifact for equal outputs: a conversation is sent again and again.
    pub(crate) once: Offcut,
    /// The last settings and what treats conversations by them: it remembers what it has shown.
    pub(crate) retainer: Mutex<Option<(String, Arc<Retainer>)>>,
}

impl Engine {
    /// Builds one. `options` is a JSON object with the keys of a configuration file; `store` is a directory, an address,
    /// `memory` or `none`.
    pub fn new(
        options: &str,
        store: &str,
        session: &str,
        strategies: Vec<Arc<dyn Strategy>>,
    ) -> Result<Engine, Failure> {
        let options: Options = serde_json::from_str(options).map_err(|error| bad_options(&error))?;
        let builder = Offcut::builder().options(options.clone()).session(session);
        let builder = strategies.iter().cloned().fold(builder, Builder::strategy);
        let offcut = stored(builder, store, options, &strategies)?.build()?;
        Ok(Engine { once: offcut.keeping_once(), offcut, retainer: Mutex::default() })
    }

    /// Cuts an output that is there already; returns the reply's text and its report.
    pub fn cut(&self, output: &[u8], facts: CallFacts) -> Result<Answer, Failure> {
        let outcome = facts.outcome();
        let mut intake = self.offcut.intake(facts.call()?)?;
        intake.ended(outcome);
        intake.reserve(output.len());
        // An output over the maximum size stops being taken in; its reply says so.
        let _ = intake.write_all(output);
        answer(intake.finish())
    }

    /// Cuts a file, read in blocks.
    pub fn cut_file(&self, path: &Path, facts: CallFacts) -> Result<Answer, Failure> {
        let outcome = facts.outcome();
        let mut intake = self.offcut.intake(facts.call()?)?;
        intake.ended(outcome);
        file::take_in(path, &mut intake)?;
        answer(intake.finish())
    }

    /// Begins an output that comes in chunks.
    pub fn stream(&self, facts: CallFacts) -> Result<Intake, Failure> {
        Intake::begin(&self.offcut, facts)
    }

    /// The name of the session.
    pub fn session(&self) -> String {
        self.offcut.session().to_string()
    }

    /// Ends the session where the options say that it is cleared at its end.
    pub fn close(&self) -> Result<(), Failure> {
        self.offcut.close()?;
        Ok(())
    }
}

/// Options that cannot be read. They came as an object, so the place in its JSON says nothing.
fn bad_options(error: &serde_json::Error) -> Failure {
    let told = error.to_string();
    let what = told.split(" at line ").next().unwrap_or(&told);
    Failure::new("bad_option", format!("the options cannot be used: {what}"))
}

/// With the store that is asked for. A directory also gets the logs that `offcut stats` and the dashboard read.
fn stored(
    builder: Builder,
    written: &str,
    options: Options,
    strategies: &[Arc<dyn Strategy>],
) -> Result<Builder, Failure> {
    match written {
        "" => {
            Err(Failure::argument("store: expected a directory, an address such as `s3://bucket`, `memory` or `none`"))
        }
        "none" => Ok(builder),
        "memory" => open(builder, "memory://", options, strategies),
        address if address.contains("://") => open(builder, address, options, strategies),
        directory => {
            let directory = std::path::absolute(directory)
                .map_err(|error| Failure::argument(format!("store: `{directory}`: {error}")))?;
            Ok(builder
                .observer(Arc::new(EventLog::in_store(&directory)))
                .observer(Arc::new(AuditLog::in_store(directory.clone())))
                .store(directory))
        }
    }
}

fn open(
    builder: Builder,
    address: &str,
    options: Options,
    strategies: &[Arc<dyn Strategy>],
) -> Result<Builder, Failure> {
    let mut registry = Registry::default();
    strategies.iter().for_each(|strategy| registry.add(strategy.clone()));
    let options = Policy::new(options, registry)?.store_options()?;
    Ok(builder.store_in(offcut_store::open(address, options)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(facts: CallFacts) -> Failure {
        let engine = Engine::new("{}", "none", "default", Vec::new()).unwrap();
        engine.cut(b"x", facts).unwrap_err()
    }

    #[test]
    fn an_argument_that_is_not_right_is_named() {
        let limit = refused(CallFacts { limit: Some("many".to_owned()), ..CallFacts::default() });
        assert_eq!(limit.code, "bad_argument");
        assert!(limit.message.starts_with("limit: "), "{limit}");
        let kind = refused(CallFacts { kind: Some("poem".to_owned()), ..CallFacts::default() });
        assert!(kind.message.starts_with("kind: ") && kind.message.contains("poem"), "{kind}");
    }

    #[test]
    fn options_that_are_wrong_are_told_without_a_place_in_their_json() {
        let Err(failure) = Engine::new(r#"{"inline_limt": 3}"#, "none", "default", Vec::new()) else {
            panic!("a key that does not exist was taken");
        };
        assert_eq!(failure.code, "bad_option");
        assert!(failure.message.contains("inline_limt") && !failure.message.contains(" at line "), "{failure}");
    }

    #[test]
    fn a_file_gives_the_reply_of_its_content() {
        let directory = tempfile::tempdir().unwrap();
        let (path, content) = (directory.path().join("out.log"), "all is well\n".repeat(300_000));
        std::fs::write(&path, &content).unwrap();
        let engine = Engine::new("{}", "none", "default", Vec::new()).unwrap();
        let (whole, _) = engine.cut(content.as_bytes(), CallFacts::default()).unwrap();
        assert_eq!(engine.cut_file(&path, CallFacts::default()).unwrap().0, whole);
        assert_eq!(
            engine.cut_file(&directory.path().join("none"), CallFacts::default()).unwrap_err().code,
            "unreadable"
        );
    }
}
