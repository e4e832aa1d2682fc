//! Events as spans.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use offcut::TraceContext;
use offcut::event::{Event, Record};
use opentelemetry::trace::{
    Span, SpanBuilder, SpanContext, SpanKind, Status, TraceContextExt, TraceFlags, TraceState, Tracer,
};
use opentelemetry::{Context, KeyValue};

/// What a span tells of an event.
#[derive(Debug, PartialEq)]
struct SpanFacts {
    name: &'static str,
    /// How long it took, in microseconds; 0 where that is not known.
    duration_us: u64,
    attributes: Vec<KeyValue>,
    /// Why it failed, where it did.
    failure: Option<String>,
}

/// Makes a span of an event that has a duration or an outcome, in the trace that it belongs to.
///
/// A span ends when its event was told. Where the one who asks does not record their trace, neither do we.
pub(crate) fn record(tracer: &impl Tracer, record: &Record) {
    let Some(SpanFacts { name, duration_us, mut attributes, failure }) = facts(&record.event) else { return };
    if !record.agent.is_empty() {
        attributes.push(KeyValue::new("offcut.agent", record.agent.clone()));
    }
    let end = UNIX_EPOCH + Duration::from_millis(record.at_ms);
    let start = end.checked_sub(Duration::from_micros(duration_us)).unwrap_or(SystemTime::UNIX_EPOCH);
    let builder =
        SpanBuilder::from_name(name).with_kind(SpanKind::Internal).with_start_time(start).with_attributes(attributes);
    let mut span = tracer.build_with_context(builder, &parent(record.trace));
    if let Some(why) = failure {
        span.set_status(Status::error(why));
    }
    span.end_with_timestamp(end);
}

/// The span that asks, as a parent for ours.
fn parent(trace: Option<TraceContext>) -> Context {
    let Some(trace) = trace else { return Context::new() };
    let flags = TraceFlags::new(trace.flags());
    let (trace_id, span_id) = (trace.trace_id().into(), trace.span_id().into());
    Context::new().with_remote_span_context(SpanContext::new(trace_id, span_id, flags, true, TraceState::default()))
}

/// What a span tells of an event; none of one that belongs to another that has a span.
fn facts(event: &Event) -> Option<SpanFacts> {
    let text = |key: &'static str, value: &str| KeyValue::new(key, value.to_owned());
    let failed = |outcome: &str| (!matches!(outcome, "ok" | "nothing")).then(|| outcome.to_owned());
    match event {
        Event::Reply {
            tool,
            session,
            kind,
            strategy,
            original_size,
            truncated_size,
            was_truncated,
            redactions,
            artifact_id,
            degraded,
            duration_us,
            original_tokens,
            truncated_tokens,
            kept: _,
        } => {
            let mut attributes = vec![
                text("offcut.tool", tool),
                text("offcut.session", session),
                text("offcut.kind", kind),
                text("offcut.strategy", strategy),
                KeyValue::new("offcut.truncated", *was_truncated),
                number("offcut.output.characters", *original_size),
                number("offcut.reply.characters", *truncated_size),
                number("offcut.output.tokens", *original_tokens),
                number("offcut.reply.tokens", *truncated_tokens),
                number("offcut.redactions", redactions.values().sum()),
                number("offcut.degraded", *degraded as u64),
            ];
            attributes.extend(artifact_id.as_deref().map(|id| text("offcut.artifact", id)));
            let failure = (*degraded > 0).then(|| "degraded".to_owned());
            Some(SpanFacts { name: "offcut.reply", duration_us: *duration_us, attributes, failure })
        }
        Event::Retrieval { id, session, range, by, outcome, bytes } => Some(SpanFacts {
            name: "offcut.retrieval",
            duration_us: 0,
            attributes: vec![
                text("offcut.artifact", id),
                text("offcut.session", session),
                text("offcut.range", range),
                text("offcut.requester", &by.to_string()),
                text("offcut.outcome", outcome),
                number("offcut.retrieved.bytes", *bytes),
            ],
            failure: failed(outcome),
        }),
        Event::Extraction {
            id,
            session,
            tool,
            by,
            mode,
            model,
            calls,
            input_tokens,
            output_tokens,
            fallbacks,
            outcome,
            duration_us,
        } => Some(SpanFacts {
            name: "offcut.extraction",
            duration_us: *duration_us,
            attributes: vec![
                text("offcut.artifact", id),
                text("offcut.session", session),
                text("offcut.tool", tool),
                text("offcut.requester", &by.to_string()),
                text("offcut.mode", mode),
                text("gen_ai.request.model", model),
                number("offcut.model.calls", *calls),
                number("gen_ai.usage.input_tokens", *input_tokens),
                number("gen_ai.usage.output_tokens", *output_tokens),
                number("offcut.fallbacks", *fallbacks),
                text("offcut.outcome", outcome),
            ],
            failure: failed(outcome),
        }),
        Event::Refusal { id, session, by, reason } => Some(SpanFacts {
            name: "offcut.refusal",
            duration_us: 0,
            attributes: vec![
                text("offcut.artifact", id),
                text("offcut.session", session),
                text("offcut.requester", &by.to_string()),
                text("offcut.outcome", reason),
            ],
            failure: Some(reason.clone()),
        }),
        Event::Request {
            session,
            conversation,
            model,
            format,
            request,
            tokens_before,
            tokens_after,
            cut,
            shortened,
            cost_before,
            cost_after,
            total_before: _,
            total_after: _,
        } => Some(SpanFacts {
            name: "offcut.request",
            duration_us: 0,
            attributes: vec![
                text("offcut.session", session),
                text("gen_ai.conversation.id", conversation),
                text("gen_ai.request.model", model),
                text("offcut.format", format),
                number("offcut.request.number", *request),
                number("offcut.request.tokens_before", *tokens_before),
                number("offcut.request.tokens_after", *tokens_after),
                number("offcut.request.cut", *cut),
                number("offcut.request.shortened", *shortened),
                KeyValue::new("offcut.request.cost_before", *cost_before),
                KeyValue::new("offcut.request.cost_after", *cost_after),
            ],
            failure: None,
        }),
        Event::Oversize { tool, session, bytes, max } => Some(SpanFacts {
            name: "offcut.oversize",
            duration_us: 0,
            attributes: vec![
                text("offcut.tool", tool),
                text("offcut.session", session),
                number("offcut.output.bytes", *bytes),
                number("offcut.output.max_bytes", *max),
            ],
            failure: Some("over the maximum size".to_owned()),
        }),
        // Its reply names it.
        Event::Artifact { .. } => None,
    }
}

fn number(key: &'static str, value: u64) -> KeyValue {
    KeyValue::new(key, i64::try_from(value).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use offcut::event::Requester;

    #[test]
    fn what_failed_is_an_error_and_finding_nothing_is_not() {
        let retrieval = |outcome: &str| {
            let (id, session, range) = ("art_1_x".to_owned(), "s".to_owned(), "lines 1-5".to_owned());
            let event =
                Event::Retrieval { id, session, range, by: Requester::Model, outcome: outcome.to_owned(), bytes: 7 };
            facts(&event).unwrap().failure
        };
        assert_eq!(retrieval("ok"), None);
        assert_eq!(retrieval("nothing"), None);
        assert_eq!(retrieval("not_found"), Some("not_found".to_owned()));
    }
}
