//! Replacement of traces in builds without the feature `otel`: an error that explains how to get
//! them.

use fingerpost_http::Meter;

use crate::config::OtelOptions;
use crate::failure::Failure;

/// What sends spans; cannot exist in this build.
#[derive(Clone)]
pub(crate) enum Traces {}

impl Traces {
    /// Refuses a configured receiver, because the operator relies on it.
    pub(crate) fn start(options: &OtelOptions) -> Result<Option<Self>, Failure> {
        match options.endpoint {
            None => Ok(None),
            Some(_) => Err(Failure::advise(
                "otel.endpoint: this build sends no traces",
                "build with `cargo build --release --features otel`, or remove the table otel",
            )),
        }
    }

    pub(crate) fn observe(&self, _: &'static str, _: &Meter) {
        match *self {}
    }

    pub(crate) fn finish(&self) {
        match *self {}
    }
}
