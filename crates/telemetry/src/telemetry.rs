//! Sending events while the process lives, and what is left when it ends.

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use offcut::event::{Observer, Record};
use opentelemetry::KeyValue;
use opentelemetry::metrics::MeterProvider;
use opentelemetry::trace::TracerProvider;
use opentelemetry_http::HttpClient;
use opentelemetry_otlp::{
    ExporterBuildError, MetricExporter, OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE, RetryPolicy, SpanExporter,
    WithExportConfig, WithHttpConfig,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::{SdkMeterProvider, Temporality};
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use tokio::runtime::Runtime;

use crate::client::Client;
use crate::metrics::Instruments;
use crate::settings::Settings;
use crate::spans;

/// The scope of our spans and metrics.
const SCOPE: &str = "offcut";

/// Sends what the library does to a collector, for as long as it lives.
///
/// Nothing waits for the collector but the end: what was not sent by then is sent when this is dropped, for at most
/// [`Settings::timeout`], and given up after that.
pub struct Telemetry {
    settings: Settings,
    tracers: Option<SdkTracerProvider>,
    meters: Option<SdkMeterProvider>,
    observer: Arc<Sender>,
    /// Gone only while it is dropped.
    runtime: Option<Runtime>,
}

/// Why nothing can be sent.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// No connections can be made.
    #[error("no connections can be made")]
    Client(#[from] reqwest::Error),
    /// No threads can be started.
    #[error("no threads can be started")]
    Threads(#[from] std::io::Error),
    /// The exporter refuses its settings.
    #[error(transparent)]
    Exporter(#[from] ExporterBuildError),
}

impl fmt::Debug for Telemetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Telemetry").field(&self.settings).finish()
    }
}

impl Telemetry {
    /// Begins to send what happens in `project`.
    pub fn start(settings: &Settings, project: &str) -> Result<Telemetry, TelemetryError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("offcut-otlp")
            .enable_all()
            .build()?;
        let client: Arc<dyn HttpClient> = Arc::new(Client::new(settings, runtime.handle().clone())?);
        let resource = resource(project);
        let tracers = match settings.traces {
            false => None,
            true => Some(tracers(settings, client.clone(), resource.clone())?),
        };
        let meters = match settings.metrics {
            false => None,
            true => Some(meters(settings, client, resource)?),
        };
        let observer = Arc::new(Sender {
            tracer: tracers.as_ref().map(|tracers| tracers.tracer(SCOPE)),
            instruments: meters.as_ref().map(|meters| Instruments::new(&meters.meter(SCOPE))),
        });
        Ok(Telemetry { settings: settings.clone(), tracers, meters, observer, runtime: Some(runtime) })
    }

    /// The observer whose events are sent.
    pub fn observer(&self) -> Arc<dyn Observer> {
        self.observer.clone()
    }
}

impl Drop for Telemetry {
    fn drop(&mut self) {
        // The exporters may wait for longer than we may.
        let (done, waits) = mpsc::channel();
        let (tracers, meters) = (self.tracers.take(), self.meters.take());
        let mut signals = 0;
        if let Some(tracers) = tracers {
            let done = done.clone();
            signals += 1;
            thread::spawn(move || done.send(tracers.shutdown().is_ok()));
        }
        if let Some(meters) = meters {
            signals += 1;
            thread::spawn(move || done.send(meters.shutdown().is_ok()));
        }
        let until = Instant::now() + self.settings.timeout;
        for _ in 0..signals {
            if waits.recv_timeout(until.saturating_duration_since(Instant::now())) != Ok(true) {
                tracing::debug!("not everything was sent to the OTLP receiver");
            }
        }
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Who we are.
fn resource(project: &str) -> Resource {
    let builder = Resource::builder().with_attributes([
        KeyValue::new("service.version", env!("CARGO_PKG_VERSION")),
        KeyValue::new("offcut.project", project.to_owned()),
    ]);
    // What the user calls us holds.
    match std::env::var_os("OTEL_SERVICE_NAME") {
        Some(_) => builder.build(),
        None => builder.with_service_name("offcut").build(),
    }
}

fn tracers(
    settings: &Settings,
    client: Arc<dyn HttpClient>,
    resource: Resource,
) -> Result<SdkTracerProvider, ExporterBuildError> {
    let exporter = SpanExporter::builder()
        .with_http()
        .with_shared_http_client(client)
        .with_endpoint(settings.endpoint("traces"))
        .with_retry_policy(RetryPolicy::disabled())
        .build()?;
    Ok(SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build())
}

fn meters(
    settings: &Settings,
    client: Arc<dyn HttpClient>,
    resource: Resource,
) -> Result<SdkMeterProvider, ExporterBuildError> {
    let mut exporter = MetricExporter::builder()
        .with_http()
        .with_shared_http_client(client)
        .with_endpoint(settings.endpoint("metrics"))
        .with_retry_policy(RetryPolicy::disabled());
    // A process that makes one reply has no totals: it tells what it added.
    if std::env::var_os(OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE).is_none() {
        exporter = exporter.with_temporality(Temporality::Delta);
    }
    Ok(SdkMeterProvider::builder().with_periodic_exporter(exporter.build()?).with_resource(resource).build())
}

/// Makes spans and counts of events.
#[derive(Debug)]
struct Sender {
    tracer: Option<SdkTracer>,
    instruments: Option<Instruments>,
}

impl Observer for Sender {
    fn observe(&self, record: &Record) {
        if let Some(tracer) = &self.tracer {
            spans::record(tracer, record);
        }
        if let Some(instruments) = &self.instruments {
            instruments.record(record);
        }
    }
}
