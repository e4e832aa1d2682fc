//! A small OTLP receiver, made of the official protobufs.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::{AggregationTemporality, Metric, number_data_point};
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;

use crate::workbench::PATIENCE;

/// A request that came.
#[derive(Debug, Clone)]
struct Received {
    head: String,
    body: Vec<u8>,
}

/// Takes whatever is sent.
pub(crate) struct Receiver {
    /// Its address, as the configuration has it.
    pub(crate) address: String,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Receiver {
    pub(crate) fn start() -> Receiver {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let taken = received.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let taken = taken.clone();
                std::thread::spawn(move || take(&stream, &taken));
            }
        });
        Receiver { address, received }
    }

    /// How many requests came.
    pub(crate) fn requests(&self) -> usize {
        self.received.lock().unwrap().len()
    }

    /// The heads of the requests to a path.
    pub(crate) fn heads(&self, path: &str) -> Vec<String> {
        self.of(path).into_iter().map(|received| received.head).collect()
    }

    /// The spans that came.
    pub(crate) fn spans(&self) -> Vec<Span> {
        let requests = self.of("/v1/traces").into_iter();
        let requests = requests.map(|received| ExportTraceServiceRequest::decode(received.body.as_slice()).unwrap());
        let resources = requests.flat_map(|request| request.resource_spans);
        resources.flat_map(|resource| resource.scope_spans).flat_map(|scope| scope.spans).collect()
    }

    /// The span of this name.
    pub(crate) fn span(&self, name: &str) -> Span {
        let spans = self.spans();
        spans.iter().find(|span| span.name == name).unwrap_or_else(|| panic!("no `{name}` in {spans:?}")).clone()
    }

    /// What the counter of this name came to, over all labels and requests.
    pub(crate) fn counted(&self, name: &str) -> i64 {
        let mut sum = 0;
        for metric in self.metrics().into_iter().filter(|metric| metric.name == name) {
            let Some(Data::Sum(counter)) = metric.data else { panic!("`{name}` is no counter") };
            assert!(counter.is_monotonic);
            assert_eq!(counter.aggregation_temporality(), AggregationTemporality::Delta);
            for point in counter.data_points {
                let Some(number_data_point::Value::AsInt(value)) = point.value else { panic!("{point:?}") };
                sum += value;
            }
        }
        sum
    }

    /// How many values the histogram of this name has.
    pub(crate) fn measured(&self, name: &str) -> u64 {
        let mut count = 0;
        for metric in self.metrics().into_iter().filter(|metric| metric.name == name) {
            let Some(Data::Histogram(histogram)) = metric.data else { panic!("`{name}` is no histogram") };
            count += histogram.data_points.iter().map(|point| point.count).sum::<u64>();
        }
        count
    }

    /// Whether these bytes came in any request.
    pub(crate) fn has_seen(&self, text: &str) -> bool {
        let received = self.received.lock().unwrap();
        received.iter().any(|received| received.body.windows(text.len()).any(|part| part == text.as_bytes()))
    }

    fn metrics(&self) -> Vec<Metric> {
        let requests = self.of("/v1/metrics").into_iter();
        let requests = requests.map(|received| ExportMetricsServiceRequest::decode(received.body.as_slice()).unwrap());
        let resources = requests.flat_map(|request| request.resource_metrics);
        resources.flat_map(|resource| resource.scope_metrics).flat_map(|scope| scope.metrics).collect()
    }

    fn of(&self, path: &str) -> Vec<Received> {
        let is_meant = |received: &&Received| received.head.starts_with(&format!("POST {path} "));
        self.received.lock().unwrap().iter().filter(is_meant).cloned().collect()
    }
}

/// An attribute of a span, as text.
pub(crate) fn attribute(span: &Span, key: &str) -> String {
    let told = |attribute: &&KeyValue| attribute.key == key;
    let value = span.attributes.iter().find(told).and_then(|attribute| attribute.value.clone());
    match value {
        Some(AnyValue { value: Some(Value::StringValue(text)) }) => text,
        Some(AnyValue { value: Some(Value::IntValue(number)) }) => number.to_string(),
        Some(AnyValue { value: Some(Value::BoolValue(yes)) }) => yes.to_string(),
        other => panic!("{key}: {other:?}"),
    }
}

/// Takes requests until the other end has no more.
fn take(stream: &TcpStream, received: &Mutex<Vec<Received>>) {
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut reader = BufReader::new(stream);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).unwrap_or(0) == 0 {
                return;
            }
        }
        let length = head.lines().find_map(|line| {
            line.to_ascii_lowercase().strip_prefix("content-length: ").and_then(|length| length.parse().ok())
        });
        let mut body = vec![0; length.unwrap_or(0)];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        received.lock().unwrap().push(Received { head, body });
        // The sender may have gone.
        let _ = reader.get_mut().write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
    }
}
