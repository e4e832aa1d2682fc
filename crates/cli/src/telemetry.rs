//! Sending what happens to an OpenTelemetry collector, where the configuration names one.

use std::path::Path;

use offcut::options::Options;
use offcut::policy::PolicyError;
use offcut::{Offcut, TraceContext};
#[cfg(feature = "otlp")]
use offcut_core::causes::with_causes;

use crate::config::Config;
use crate::config::problem::Problem;

/// The variable by which a program tells those that it starts which trace they belong to.
const TRACEPARENT: &str = "TRACEPARENT";

/// Sends events for as long as it lives; what was not sent by then is sent when it is dropped.
#[derive(Debug, Default)]
pub(crate) struct Sending {
    #[cfg(feature = "otlp")]
    _telemetry: Option<offcut_telemetry::Telemetry>,
}

/// The library in the trace that this process belongs to, where it was told of one.
pub(crate) fn in_trace(offcut: &Offcut) -> Offcut {
    let trace: Option<TraceContext> = std::env::var(TRACEPARENT).ok().and_then(|text| text.parse().ok());
    offcut.in_trace(trace)
}

/// Checks what the options say of telemetry.
#[cfg(feature = "otlp")]
pub(crate) fn check(options: &Options) -> Result<(), PolicyError> {
    offcut_telemetry::Settings::of(options).map(|_| ())
}

/// Checks what the options say of telemetry; this build sends nothing.
#[cfg(not(feature = "otlp"))]
pub(crate) fn check(_: &Options) -> Result<(), PolicyError> {
    Ok(())
}

/// The library with its events sent, where a receiver is named. That they cannot be is a problem, and stops nothing.
#[cfg(feature = "otlp")]
pub(crate) fn start(offcut: Offcut, config: &mut Config, root: &Path) -> (Offcut, Sending) {
    use offcut_telemetry::{Settings, Telemetry};
    let Ok(Some(settings)) = Settings::of(&config.options) else { return (offcut, Sending::default()) };
    let project = offcut.redacted("", &root.file_name().unwrap_or_default().to_string_lossy());
    match Telemetry::start(&settings, &project) {
        Ok(telemetry) => (offcut.observed_by(telemetry.observer()), Sending { _telemetry: Some(telemetry) }),
        Err(error) => {
            let why = with_causes(&error);
            config.problems.add(Problem::warning(format!("`telemetry.otlp`: nothing is sent: {why}")));
            (offcut, Sending::default())
        }
    }
}

/// The library as it is: this build sends nothing, and says so where a receiver is named.
#[cfg(not(feature = "otlp"))]
pub(crate) fn start(offcut: Offcut, config: &mut Config, _: &Path) -> (Offcut, Sending) {
    if config.options.telemetry.otlp.is_some() {
        let message = "`telemetry.otlp`: nothing is sent: this build is without the feature `otlp`";
        config.problems.add(Problem::warning(message.to_owned()));
    }
    (offcut, Sending::default())
}
