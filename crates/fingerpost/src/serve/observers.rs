//! Observers of answered requests: the access log.

use fingerpost_http::{Meter, Observed};

use crate::config::LogOptions;

/// The target of the lines of the access log, for directives such as `info,fingerpost_access=off`.
const TARGET: &str = "fingerpost_access";

/// The access log, as far as it is configured.
#[derive(Clone)]
pub(super) struct Observers {
    access: f64,
}

impl Observers {
    pub(super) fn new(log: &LogOptions) -> Self {
        Self { access: log.access.get() }
    }

    /// Adds it to a listener that does not run yet.
    pub(super) fn add(&self, listener: &'static str, meter: &Meter) {
        if self.access > 0.0 {
            meter.observe(self.access, move |request| write(listener, request));
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
