//! Observers of answered requests: the access log, and what sends traces.

use fingerpost_http::{Meter, Observed};

use crate::config::{LogOptions, OtelOptions};
use crate::failure::Failure;
use crate::traces::Traces;

/// The target of the lines of the access log, for directives such as `info,fingerpost_access=off`.
const TARGET: &str = "fingerpost_access";

/// The access log and the traces, as far as they are configured.
#[derive(Clone)]
pub(crate) struct Observers {
    access: f64,
    traces: Option<Traces>,
}

impl Observers {
    /// Starts what sends traces, if that is configured.
    pub(crate) fn start(log: &LogOptions, otel: &OtelOptions) -> Result<Self, Failure> {
        Ok(Self { access: log.access.get(), traces: Traces::start(otel)? })
    }

    /// Adds them to a listener that does not run yet.
    pub(crate) fn add(&self, listener: &'static str, meter: &Meter) {
        if self.access > 0.0 {
            meter.observe(self.access, move |request| write(listener, request));
        }
        if let Some(traces) = &self.traces {
            traces.observe(listener, meter);
        }
    }

    /// Sends what waits, when the listeners have ended.
    pub(crate) fn finish(&self) {
        if let Some(traces) = &self.traces {
            traces.finish();
        }
    }
}

fn write(listener: &'static str, request: &Observed<'_>) {
    tracing::info!(
        target: TARGET,
        listener,
        method = request.method,
        route = request.route.unwrap_or("other"),
        status = request.status,
        answer = request.answer,
        protocol = request.protocol,
        // Four centuries fit.
        microseconds = u64::try_from(request.took.as_micros()).unwrap_or(u64::MAX),
        "answered"
    );
}
