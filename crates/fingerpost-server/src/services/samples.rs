//! Takes the samples of the metrics that the status page shows.

use std::sync::Arc;
use std::time::Duration;

use super::{Next, Service, Stop};
use crate::failure::Failure;
use crate::metrics::Metrics;

/// How often a sample can be due.
const LOOK: Duration = Duration::from_millis(250);

/// Takes the samples that are due.
pub(crate) struct StatusSamples(pub(crate) Arc<Metrics>);

impl Service for StatusSamples {
    fn name(&self) -> &'static str {
        "samples"
    }

    fn run(&self, _: &Stop) -> Result<Next, Failure> {
        self.0.take_samples();
        Ok(Next::After(LOOK))
    }

    /// It reads the store, which is closed next.
    fn is_awaited(&self) -> bool {
        true
    }
}
