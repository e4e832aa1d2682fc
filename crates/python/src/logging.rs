//! The library's log lines as records of Python's `logging`, under the logger `offcut`.

use std::fmt::{self, Write};
use std::sync::atomic::{AtomicU8, Ordering};

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Event, Level, Metadata, Subscriber};

/// The lowest level that the logger lets through, as Python counts levels; read when a call begins.
static LOWEST: AtomicU8 = AtomicU8::new(30);

/// Hands events to Python.
struct Forward;

/// Starts handing the library's log lines to Python.
pub(crate) fn start(py: Python<'_>) -> PyResult<()> {
    // Where the module is loaded a second time, the first one serves.
    let _ = tracing::subscriber::set_global_default(Forward);
    follow(py);
    Ok(())
}

/// Takes note of the logger's level, so that what nobody wants costs nothing.
pub(crate) fn follow(py: Python<'_>) {
    let level = logger(py).and_then(|logger| logger.call_method0(intern!(py, "getEffectiveLevel"))?.extract::<u64>());
    LOWEST.store(level.map_or(30, |level| u8::try_from(level).unwrap_or(u8::MAX)), Ordering::Relaxed);
}

fn logger(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    py.import(intern!(py, "logging"))?.call_method1(intern!(py, "getLogger"), (intern!(py, "offcut"),))
}

/// A level as Python counts them.
fn number(level: Level) -> u8 {
    match level {
        Level::ERROR => 40,
        Level::WARN => 30,
        Level::INFO => 20,
        Level::DEBUG => 10,
        Level::TRACE => 5,
    }
}

/// The words of an event, and its fields.
#[derive(Default)]
struct EventText {
    message: String,
    fields: String,
}

impl Visit for EventText {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add(field, format_args!("{value:?}"));
    }
}

impl EventText {
    fn add(&mut self, field: &Field, value: fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value}"),
            name => write!(self.fields, " {name}={value}"),
        };
    }
}

impl Subscriber for Forward {
    /// The logger's level can change at any time.
    fn register_callsite(&self, _: &'static Metadata<'static>) -> Interest {
        Interest::sometimes()
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event()
            && metadata.target().starts_with("offcut")
            && number(*metadata.level()) >= LOWEST.load(Ordering::Relaxed)
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = EventText::default();
        event.record(&mut line);
        let level = number(*event.metadata().level());
        // Threads may still log when the interpreter is gone, and no log line is worth an output.
        let _ = Python::try_attach(|py| log(py, level, &line));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

fn log(py: Python<'_>, level: u8, line: &EventText) -> PyResult<()> {
    let arguments = (level, intern!(py, "%s%s"), &line.message, &line.fields);
    logger(py)?.call_method(intern!(py, "log"), arguments, None::<&Bound<'_, PyDict>>)?;
    Ok(())
}
