//! Traces for OpenTelemetry: a span for a part of the requests, sent as OTLP over HTTP.
//!
//! Spans wait in a queue of the SDK, which is bounded and read by a thread of its own; those for
//! which there is no room are dropped. So a request never waits for the receiver.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use bytes::Bytes;
use fingerpost_http::{Meter, Observed};
use http::{Request, Response};
use opentelemetry::trace::{
    Span, SpanContext, SpanId, SpanKind, Status, TraceContextExt, TraceFlags, TraceId, TraceState,
    Tracer, TracerProvider,
};
use opentelemetry::{Context, KeyValue};
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{Sampler, SdkTracer, SdkTracerProvider};

use crate::client::web_agent;
use crate::config::OtelOptions;
use crate::failure::Failure;

/// How long one transmission may take, and how long the last one is waited for at the end.
const SENDING: Duration = Duration::from_secs(5);

/// What sends spans.
#[derive(Clone)]
pub(crate) struct Traces {
    provider: SdkTracerProvider,
    sample: f64,
}

impl Traces {
    /// Starts what sends spans, if that is configured.
    pub(crate) fn start(options: &OtelOptions) -> Result<Option<Self>, Failure> {
        let Some(endpoint) = &options.endpoint else { return Ok(None) };
        let client = Client { agent: web_agent(endpoint), is_failing: AtomicBool::new(false) };
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(client)
            .with_endpoint(endpoint)
            .with_timeout(SENDING)
            .build()
            .map_err(|error| {
                Failure::advise(
                    format!("otel.endpoint `{endpoint}`: {error}"),
                    "give the address of a receiver of OTLP over HTTP, such as http://127.0.0.1:4318/v1/traces",
                )
            })?;
        let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        let resource =
            Resource::builder().with_service_name("fingerpost").with_attribute(version).build();
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            // The sample is taken before.
            .with_sampler(Sampler::AlwaysOn)
            .with_resource(resource)
            .build();
        Ok(Some(Self { provider, sample: options.sample.get() }))
    }

    /// Sends spans of a part of the requests of a listener.
    pub(crate) fn observe(&self, listener: &'static str, meter: &Meter) {
        let tracer = self.provider.tracer("fingerpost");
        meter.observe(self.sample, move |request| record(&tracer, listener, request));
    }

    /// Sends what waits.
    pub(crate) fn finish(&self) {
        if let Err(error) = self.provider.shutdown_with_timeout(SENDING) {
            tracing::warn!(%error, "the last spans were not sent");
        }
    }
}

/// Records a request as a span, with the names of the semantic conventions for HTTP.
fn record(tracer: &SdkTracer, listener: &'static str, request: &Observed<'_>) {
    let (method, route) = (request.method, request.route.unwrap_or("other"));
    let attributes = vec![
        KeyValue::new("http.request.method", method),
        KeyValue::new("http.route", route.to_owned()),
        KeyValue::new("http.response.status_code", i64::from(request.status)),
        KeyValue::new("network.protocol.version", request.protocol.trim_start_matches("http/")),
        KeyValue::new("fingerpost.listener", listener),
        KeyValue::new("fingerpost.answer", request.answer),
    ];
    let span = tracer
        .span_builder(format!("{method} {route}"))
        .with_kind(SpanKind::Server)
        .with_start_time(request.at)
        .with_attributes(attributes);
    let parent = request.trace.and_then(parent);
    let context = parent.map(|parent| Context::new().with_remote_span_context(parent));
    let mut span = tracer.build_with_context(span, &context.unwrap_or_default());
    if request.status >= 500 {
        span.set_status(Status::error(request.answer));
    }
    span.end_with_timestamp(request.at + request.took);
}

/// Reads the trace that a request belongs to (W3C Trace Context, section 3.2).
fn parent(text: &str) -> Option<SpanContext> {
    let mut parts = text.split('-');
    let (version, trace, span, flags) =
        (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let is_hex = |part: &str| part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let lengths = [version, trace, span, flags].map(str::len);
    if lengths != [2, 32, 16, 2] || ![version, trace, span, flags].into_iter().all(is_hex) {
        return None;
    }
    let trace = TraceId::from_hex(trace).ok()?;
    let span = SpanId::from_hex(span).ok()?;
    let parent = SpanContext::new(trace, span, TraceFlags::SAMPLED, true, TraceState::default());
    (version != "ff" && parent.is_valid()).then_some(parent)
}

/// The HTTP client of the command, for the SDK.
struct Client {
    agent: ureq::Agent,
    /// Whether the last transmission failed, so that the log says so once.
    is_failing: AtomicBool,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Client")
    }
}

impl HttpClient for Client {
    /// Blocks: the SDK calls it on a thread of its own.
    fn send_bytes<'a, 'f>(
        &'a self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'f>>
    where
        'a: 'f,
        Self: 'f,
    {
        Box::pin(async move {
            let sent = self.send(request);
            let has_failed = !matches!(&sent, Ok(answer) if answer.status().is_success());
            if has_failed && !self.is_failing.swap(has_failed, Relaxed) {
                let why = sent.as_ref().map_or_else(
                    |error| error.to_string(),
                    |answer| format!("the answer has status {}", answer.status()),
                );
                tracing::warn!(why, "spans cannot be sent; this is said once until they can");
            }
            self.is_failing.store(has_failed, Relaxed);
            sent.map_err(HttpError::from)
        })
    }
}

impl Client {
    fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, Arc<ureq::Error>> {
        let (head, body) = request.into_parts();
        let request = Request::from_parts(head, body.to_vec());
        let answer = self.agent.run(request)?;
        let (head, mut body) = answer.into_parts();
        Ok(Response::from_parts(head, body.read_to_vec()?.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_read_or_ignored() {
        let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let read = parent(trace).expect("a trace");
        assert_eq!(read.trace_id().to_string(), "0af7651916cd43dd8448eb211c80319c");
        assert_eq!(read.span_id().to_string(), "b7ad6b7169203331");
        for wrong in [
            "",
            "00",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-äf7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        ] {
            assert!(parent(wrong).is_none(), "{wrong}");
        }
    }
}
