//! Events, counted.

use offcut::event::{Event, Record};
use opentelemetry::KeyValue;
use opentelemetry::metrics::{Counter, Histogram, Meter};

/// The bounds of the histogram of times, in seconds.
const SECONDS: [f64; 12] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0];

/// The bounds of the histogram of sizes, in characters.
const CHARACTERS: [f64; 9] = [1e3, 4e3, 8e3, 2e4, 5e4, 2e5, 1e6, 1e7, 1e8];

/// Everything that is counted. How many values a label may have is bounded by the SDK.
#[derive(Debug)]
pub(crate) struct Instruments {
    calls: Counter<u64>,
    output_characters: Histogram<u64>,
    reply_characters: Counter<u64>,
    output_tokens: Counter<u64>,
    reply_tokens: Counter<u64>,
    duration: Histogram<f64>,
    redactions: Counter<u64>,
    artifacts: Counter<u64>,
    artifact_bytes: Counter<u64>,
    retrievals: Counter<u64>,
    retrieved_bytes: Counter<u64>,
    extractions: Counter<u64>,
    refusals: Counter<u64>,
    oversize: Counter<u64>,
    requests: Counter<u64>,
    requests_saved_tokens: Counter<u64>,
}

impl Instruments {
    pub(crate) fn new(meter: &Meter) -> Instruments {
        let counter = |name: &'static str, unit: &'static str, about: &'static str| {
            meter.u64_counter(name).with_unit(unit).with_description(about).build()
        };
        Instruments {
            calls: counter("offcut.calls", "{call}", "Outputs that became replies"),
            output_characters: meter
                .u64_histogram("offcut.output.characters")
                .with_unit("{character}")
                .with_description("Characters of each output")
                .with_boundaries(CHARACTERS.to_vec())
                .build(),
            reply_characters: counter("offcut.reply.characters", "{character}", "Characters of replies"),
            output_tokens: counter("offcut.output.tokens", "{token}", "Tokens of outputs"),
            reply_tokens: counter("offcut.reply.tokens", "{token}", "Tokens of replies"),
            duration: meter
                .f64_histogram("offcut.reply.duration")
                .with_unit("s")
                .with_description("How long each reply took")
                .with_boundaries(SECONDS.to_vec())
                .build(),
            redactions: counter("offcut.redactions", "{secret}", "Secrets that were redacted"),
            artifacts: counter("offcut.artifacts", "{artifact}", "Artifacts that were created"),
            artifact_bytes: counter("offcut.artifacts.size", "By", "Bytes of artifacts that were created"),
            retrievals: counter("offcut.retrievals", "{retrieval}", "Times an artifact was asked for"),
            retrieved_bytes: counter("offcut.retrievals.size", "By", "Bytes that were returned"),
            extractions: counter("offcut.extractions", "{question}", "Questions that artifacts were asked"),
            refusals: counter("offcut.refusals", "{id}", "Ids that were refused"),
            oversize: counter("offcut.oversize", "{output}", "Outputs over the maximum size"),
            requests: counter("offcut.proxy.requests", "{request}", "Requests that the proxy passed on"),
            requests_saved_tokens: counter(
                "offcut.proxy.saved_tokens",
                "{token}",
                "Tokens that requests have less than they came with",
            ),
        }
    }

    /// Counts an event.
    pub(crate) fn record(&self, record: &Record) {
        let label = |key: &'static str, value: &str| KeyValue::new(key, value.to_owned());
        match &record.event {
            Event::Reply {
                tool,
                kind,
                strategy,
                original_size,
                truncated_size,
                was_truncated,
                redactions,
                degraded,
                duration_us,
                original_tokens,
                truncated_tokens,
                session: _,
                artifact_id: _,
                kept: _,
            } => {
                let tool = [label("tool", tool), label("agent", &record.agent)];
                let details = [
                    label("kind", kind),
                    label("strategy", strategy),
                    KeyValue::new("truncated", *was_truncated),
                    KeyValue::new("degraded", *degraded > 0),
                ];
                self.calls.add(1, &[tool.as_slice(), &details].concat());
                self.output_characters.record(*original_size, &tool);
                self.reply_characters.add(*truncated_size, &tool);
                self.output_tokens.add(*original_tokens, &tool);
                self.reply_tokens.add(*truncated_tokens, &tool);
                self.duration.record(*duration_us as f64 / 1e6, &tool);
                for (kind, count) in redactions {
                    self.redactions.add(*count, &[tool.as_slice(), &[label("kind", kind)]].concat());
                }
            }
            Event::Artifact { tool, bytes, id: _, session: _ } => {
                let tool = [label("tool", tool)];
                self.artifacts.add(1, &tool);
                self.artifact_bytes.add(*bytes, &tool);
            }
            Event::Retrieval { range, by, outcome, bytes, id: _, session: _ } => {
                // `lines 1-5` is a retrieval of lines.
                let range = range.split(' ').next().unwrap_or_default();
                let labels = [label("range", range), label("by", &by.to_string()), label("outcome", outcome)];
                self.retrievals.add(1, &labels);
                self.retrieved_bytes.add(*bytes, &labels);
            }
            Event::Extraction { mode, outcome, .. } => {
                self.extractions.add(1, &[label("mode", mode), label("outcome", outcome)]);
            }
            Event::Refusal { reason, by, id: _, session: _ } => {
                self.refusals.add(1, &[label("reason", reason), label("by", &by.to_string())]);
            }
            Event::Request { format, tokens_before, tokens_after, .. } => {
                let labels = [label("format", format)];
                self.requests.add(1, &labels);
                self.requests_saved_tokens.add(tokens_before.saturating_sub(*tokens_after), &labels);
            }
            Event::Oversize { tool, .. } => self.oversize.add(1, &[label("tool", tool)]),
        }
    }
}
