//! The metrics of the process and their recent past, which the program that runs the listener
//! provides.

#![allow(unused_qualifications, reason = "utoipa's derive qualifies the types that it is given")]

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Two functions that report on the process; each may block as long as a read of the store.
#[derive(Clone)]
pub struct Exposition {
    text: Arc<dyn Fn() -> String + Send + Sync>,
    status: Arc<dyn Fn(StatusPeriod) -> Status + Send + Sync>,
}

impl Exposition {
    /// The media type of the text.
    pub const MEDIA_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

    /// Creates an exposition. `text` returns the metrics in the text format of Prometheus, `status`
    /// their recent past.
    pub fn new(
        text: impl Fn() -> String + Send + Sync + 'static,
        status: impl Fn(StatusPeriod) -> Status + Send + Sync + 'static,
    ) -> Self {
        Self { text: Arc::new(text), status: Arc::new(status) }
    }

    /// Returns the metrics.
    pub fn text(&self) -> String {
        (self.text)()
    }

    /// Returns the recent past of the metrics.
    pub fn status(&self, span: StatusPeriod) -> Status {
        (self.status)(span)
    }
}

/// How far back a status goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum StatusPeriod {
    /// An hour, with a sample a minute.
    Hour,
    /// A day, with a sample for five minutes.
    #[default]
    Day,
    /// 30 days, with a sample an hour.
    Month,
}

/// The metrics of the process over a time.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Status {
    /// When the process started. Nothing is known from before.
    #[schema(value_type = String, format = DateTime)]
    pub started: Timestamp,
    /// The ends of the periods that the samples are about, oldest first. The last one can be
    /// shorter than the others.
    #[schema(value_type = Vec<String>)]
    pub at: Vec<Timestamp>,
    /// The figures.
    pub series: Vec<Series>,
}

/// A figure over a time.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = StatusSeries)]
pub struct Series {
    /// Its name, such as `requests.answered`.
    pub name: &'static str,
    /// Its unit.
    pub unit: Unit,
    /// The samples, one for each element of `at`; null where there is none, such as the latency of
    /// a time without requests.
    pub values: Vec<Option<f64>>,
}

/// The unit of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum Unit {
    /// A number of things.
    Count,
    /// Events in a second.
    PerSecond,
    /// Seconds.
    Seconds,
    /// Bytes.
    Bytes,
    /// A part of a whole: 1 is all of it. Processor time can be more than that of one processor.
    Ratio,
}
