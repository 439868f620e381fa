//! The metrics of the process, which the program that runs the listener provides.

use std::fmt;
use std::sync::Arc;

/// A function that returns the metrics of the process, in the text format of Prometheus.
#[derive(Clone)]
pub struct Exposition(Arc<dyn Fn() -> String + Send + Sync>);

impl Exposition {
    /// The media type of the text.
    pub const MEDIA_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

    /// Creates an exposition from a function. It may block for as long as a read of the store.
    pub fn new(text: impl Fn() -> String + Send + Sync + 'static) -> Self {
        Self(Arc::new(text))
    }

    /// Returns the metrics.
    #[must_use]
    pub fn text(&self) -> String {
        (self.0)()
    }
}

impl fmt::Debug for Exposition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Exposition(..)")
    }
}
