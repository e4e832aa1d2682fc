//! The metrics, as Prometheus reads them.

use std::collections::BTreeMap;
use std::fmt::Write;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header;
use offcut_history::{Histogram, LabelledCount, Sums, TallyName};
use offcut_store::SessionInfo;

use crate::dashboard::Dashboard;
use crate::error::PageError;

/// The most tools that are told apart; those with the fewest calls are `other`.
const TOOLS: usize = 100;

/// The bounds of sizes and times, as powers of two: characters, and microseconds.
const SIZES: [u32; 8] = [8, 10, 12, 14, 16, 20, 24, 28];
const TIMES: [u32; 9] = [8, 10, 12, 14, 16, 18, 20, 22, 24];

/// `/metrics`.
pub(crate) async fn page(State(dashboard): State<Dashboard>) -> Result<Response, PageError> {
    dashboard
        .make(|dashboard| {
            let (tools, tallies) = dashboard.history(|history| Ok((history.sums_by_tool()?, history.tallies()?)))?;
            let sessions = match dashboard.offcut().store() {
                Some((store, _)) => store.sessions()?,
                None => Vec::new(),
            };
            let text = exposition(tools, &tallies, &sessions);
            Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response())
        })
        .await
}

/// All metrics in Prometheus's text format.
fn exposition(tools: BTreeMap<String, Sums>, tallies: &[LabelledCount], sessions: &[SessionInfo]) -> String {
    let tools = bounded(tools);
    let mut text = Exposition::default();
    let by_tool = |value: fn(&Sums) -> f64| -> Vec<(Vec<(&'static str, String)>, f64)> {
        tools.iter().map(|(tool, sums)| (vec![("tool", tool.clone())], value(sums))).collect()
    };
    let ratio = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    text.counter("offcut_calls_total", "Tool outputs that became replies.", by_tool(|sums| sums.calls as f64));
    text.counter(
        "offcut_truncated_calls_total",
        "Replies that leave something out.",
        by_tool(|sums| sums.truncated as f64),
    );
    text.counter(
        "offcut_degraded_replies_total",
        "Replies with a promise that could not be kept.",
        by_tool(|sums| sums.degraded as f64),
    );
    let rates = tools.iter().map(|(tool, sums)| (vec![("tool", tool.clone())], ratio(sums.truncated, sums.calls)));
    text.gauge(
        "offcut_truncation_ratio",
        "Share of replies that leave something out, since the history began.",
        rates.collect(),
    );
    let reduced = |sums: &Sums| ratio(sums.original_size.saturating_sub(sums.truncated_size), sums.original_size);
    let reductions = tools.iter().map(|(tool, sums)| (vec![("tool", tool.clone())], reduced(sums)));
    text.gauge(
        "offcut_size_reduction_ratio",
        "Share of characters that replies leave out, since the history began.",
        reductions.collect(),
    );
    text.counter("offcut_reply_characters_total", "Characters of replies.", by_tool(|sums| sums.truncated_size as f64));
    text.counter("offcut_output_tokens_total", "Tokens of outputs.", by_tool(|sums| sums.original_tokens as f64));
    text.counter("offcut_reply_tokens_total", "Tokens of replies.", by_tool(|sums| sums.truncated_tokens as f64));
    // Characters are whole numbers: those below a power of two are at most one less.
    let bounds = SIZES.map(|power| (power, format!("{}", (1_u64 << power) - 1)));
    text.histogram("offcut_output_characters", "Characters of outputs.", &tools, &bounds, |sums| {
        (&sums.sizes, sums.original_size as f64)
    });
    let bounds = TIMES.map(|power| (power, format!("{}", (1_u64 << power) as f64 / 1e6)));
    text.histogram("offcut_reply_duration_seconds", "Time to make a reply.", &tools, &bounds, |sums| {
        (&sums.durations, sums.duration_us as f64 / 1e6)
    });

    let counted = |name: TallyName, labels: [&'static str; 3], amount: bool| {
        let mut values: BTreeMap<Vec<(&'static str, String)>, f64> = BTreeMap::new();
        for tally in tallies.iter().filter(|tally| tally.name == name) {
            let told = |(label, value): (&'static str, &String)| match label {
                "tool" if !tools.contains_key(value) => (label, "other".to_owned()),
                label => (label, value.clone()),
            };
            let labels = labels.into_iter().zip(&tally.labels).filter(|(label, _)| !label.is_empty()).map(told);
            *values.entry(labels.collect()).or_default() += if amount { tally.amount } else { tally.count } as f64;
        }
        values.into_iter().collect::<Vec<_>>()
    };
    text.counter(
        "offcut_artifacts_created_total",
        "Artifacts that were created.",
        counted(TallyName::Artifact, ["tool", "", ""], false),
    );
    text.counter(
        "offcut_artifacts_created_bytes_total",
        "Bytes of artifacts that were created.",
        counted(TallyName::Artifact, ["tool", "", ""], true),
    );
    text.counter(
        "offcut_retrievals_total",
        "Retrievals of artifacts, by what was asked for, by whom, and how it went.",
        counted(TallyName::Retrieval, ["range", "by", "outcome"], false),
    );
    text.counter(
        "offcut_retrieved_bytes_total",
        "Bytes that retrievals returned.",
        counted(TallyName::Retrieval, ["range", "by", "outcome"], true),
    );
    text.counter(
        "offcut_extractions_total",
        "Questions that artifacts were asked.",
        counted(TallyName::Extraction, ["mode", "outcome", ""], false),
    );
    text.counter(
        "offcut_redactions_total",
        "Secrets that were redacted, by kind.",
        counted(TallyName::Redaction, ["tool", "kind", ""], true),
    );
    text.counter(
        "offcut_refusals_total",
        "Artifact ids that were refused.",
        counted(TallyName::Refusal, ["reason", "by", ""], false),
    );
    text.counter(
        "offcut_oversize_outputs_total",
        "Outputs over the maximum size.",
        counted(TallyName::Oversize, ["tool", "", ""], false),
    );
    text.counter(
        "offcut_proxy_requests_total",
        "Conversations that the proxy passed on.",
        counted(TallyName::Request, ["format", "", ""], false),
    );
    text.counter(
        "offcut_proxy_saved_tokens_total",
        "Tokens that those have less than they came with.",
        counted(TallyName::Request, ["format", "", ""], true),
    );
    let sum = |value: fn(&SessionInfo) -> u64| vec![(Vec::new(), sessions.iter().map(value).sum::<u64>() as f64)];
    text.gauge("offcut_store_artifacts", "Artifacts in the store.", sum(|session| session.artifacts));
    text.gauge("offcut_store_bytes", "Bytes that the store's artifacts take.", sum(|session| session.stored_bytes));
    text.gauge("offcut_store_sessions", "Sessions in the store.", vec![(Vec::new(), sessions.len() as f64)]);
    text.gauge(
        "offcut_build_info",
        "The version that runs.",
        vec![(vec![("version", env!("CARGO_PKG_VERSION").to_owned())], 1.0)],
    );
    text.text
}

/// The tools with the most calls, and all others as one: a label must not grow without bounds.
fn bounded(mut tools: BTreeMap<String, Sums>) -> BTreeMap<String, Sums> {
    if tools.len() <= TOOLS {
        return tools;
    }
    let mut by_calls: Vec<(u64, String)> = tools.iter().map(|(tool, sums)| (sums.calls, tool.clone())).collect();
    by_calls.sort_by(|one, other| other.cmp(one));
    let mut others = Sums::default();
    for (_, tool) in by_calls.split_off(TOOLS - 1) {
        if let Some(sums) = tools.remove(&tool) {
            others.merge(&sums);
        }
    }
    tools.entry("other".to_owned()).or_default().merge(&others);
    tools
}

/// Labels and a value.
type Sample = (Vec<(&'static str, String)>, f64);

/// The text as it grows.
#[derive(Default)]
struct Exposition {
    text: String,
}

impl Exposition {
    fn counter(&mut self, name: &str, help: &str, samples: Vec<Sample>) {
        self.family(name, help, "counter", samples);
    }

    fn gauge(&mut self, name: &str, help: &str, samples: Vec<Sample>) {
        self.family(name, help, "gauge", samples);
    }

    fn family(&mut self, name: &str, help: &str, kind: &str, samples: Vec<Sample>) {
        self.head(name, help, kind);
        for (labels, value) in samples {
            self.sample(name, &labels, value);
        }
    }

    fn histogram<'t>(
        &mut self,
        name: &str,
        help: &str,
        tools: &'t BTreeMap<String, Sums>,
        bounds: &[(u32, String)],
        of: impl Fn(&'t Sums) -> (&'t Histogram, f64),
    ) {
        self.head(name, help, "histogram");
        for (tool, sums) in tools {
            let (histogram, sum) = of(sums);
            let label = |le: &str| vec![("tool", tool.clone()), ("le", le.to_owned())];
            for (power, le) in bounds {
                self.sample(&format!("{name}_bucket"), &label(le), histogram.below(1 << power) as f64);
            }
            self.sample(&format!("{name}_bucket"), &label("+Inf"), histogram.total() as f64);
            self.sample(&format!("{name}_sum"), &[("tool", tool.clone())], sum);
            self.sample(&format!("{name}_count"), &[("tool", tool.clone())], histogram.total() as f64);
        }
    }

    fn head(&mut self, name: &str, help: &str, kind: &str) {
        // A text in memory takes whatever is written.
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn sample(&mut self, name: &str, labels: &[(&'static str, String)], value: f64) {
        let labels: Vec<String> =
            labels.iter().map(|(label, value)| format!("{label}=\"{}\"", escaped(value))).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.text, "{name}{labels} {value}");
    }
}

/// A label's value as the format has it.
fn escaped(value: &str) -> String {
    value.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(calls: u64) -> Sums {
        let mut sums = Sums { calls, truncated: 1, original_size: 1000, truncated_size: 250, ..Sums::default() };
        sums.durations.add(300);
        sums.durations.add(5_000);
        sums
    }

    #[test]
    fn counters_ratios_and_histograms_are_told_by_tool() {
        let text = exposition(BTreeMap::from([("bash".to_owned(), sums(4))]), &[], &[]);
        for line in [
            "# TYPE offcut_calls_total counter",
            "offcut_calls_total{tool=\"bash\"} 4",
            "offcut_truncation_ratio{tool=\"bash\"} 0.25",
            "offcut_size_reduction_ratio{tool=\"bash\"} 0.75",
            "offcut_reply_duration_seconds_bucket{tool=\"bash\",le=\"0.000256\"} 0",
            "offcut_reply_duration_seconds_bucket{tool=\"bash\",le=\"0.001024\"} 1",
            "offcut_reply_duration_seconds_bucket{tool=\"bash\",le=\"+Inf\"} 2",
            "offcut_reply_duration_seconds_count{tool=\"bash\"} 2",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is missing in:\n{text}");
        }
    }

    #[test]
    fn names_cannot_break_out_of_their_label_and_do_not_grow_without_bounds() {
        let tool = "a\"} 1\nevil_total{x=\"\\".to_owned();
        let text = exposition(BTreeMap::from([(tool, sums(1))]), &[], &[]);
        assert!(text.contains(r#"offcut_calls_total{tool="a\"} 1\nevil_total{x=\"\\"} 1"#), "{text}");
        assert!(!text.lines().any(|line| line.starts_with("evil")));
        let many = (0..500).map(|number| (format!("tool {number}"), sums(number))).collect();
        let text = exposition(many, &[], &[]);
        let calls: Vec<&str> = text.lines().filter(|line| line.starts_with("offcut_calls_total")).collect();
        assert_eq!(calls.len(), TOOLS);
        assert!(calls.contains(&"offcut_calls_total{tool=\"tool 499\"} 499"));
        assert!(calls.contains(&"offcut_calls_total{tool=\"other\"} 80200"), "{calls:?}");
    }
}
