//! The figures of the status page, read from the same families as the text for Prometheus.

use std::time::Duration;

use fingerpost_admin::Unit;
use jiff::Timestamp;
use prometheus::proto::{Bucket, Metric};

use super::families::Families;

/// How many figures there are.
pub(super) const COUNT: usize = FIGURES.len();

/// A figure: its name, its unit, and where its values come from.
pub(super) struct Figure {
    pub(super) name: &'static str,
    pub(super) unit: Unit,
    from: From,
}

/// Where values come from. Samples of a family count if they have all of these labels, each with
/// one of its values.
enum From {
    /// The sum of a counter's samples over the time, by seconds.
    Rate(&'static str, Labels),
    /// The sum of a gauge's samples.
    Gauge(&'static str, Labels),
    /// An upper bound of this part of a histogram's events over the time.
    Quantile(f64, &'static str, Labels),
    /// The part that the first counter has of both over the time.
    Share(&'static str, &'static str),
    /// Seconds since the instant of a gauge.
    Since(&'static str),
    /// Seconds until the earliest instant of a gauge.
    Until(&'static str),
}

type Labels = &'static [(&'static str, &'static [&'static str])];

const PUBLIC: (&str, &[&str]) = ("listener", &["public"]);
const ADMIN: (&str, &[&str]) = ("listener", &["admin"]);

const fn figure(name: &'static str, unit: Unit, from: From) -> Figure {
    Figure { name, unit, from }
}

const fn requests(name: &'static str, labels: Labels) -> Figure {
    figure(name, Unit::PerSecond, From::Rate("requests_total", labels))
}

const fn latency(name: &'static str, quantile: f64, labels: Labels) -> Figure {
    figure(name, Unit::Seconds, From::Quantile(quantile, "request_duration_seconds", labels))
}

const fn gauge(name: &'static str, unit: Unit, family: &'static str) -> Figure {
    figure(name, unit, From::Gauge(family, &[]))
}

const ANSWERED: &[&str] = &["redirect", "choices", "page", "data", "empty", "not_modified"];

/// All figures. The console draws them by their names.
pub(super) const FIGURES: [Figure; 23] = [
    requests("requests.answered", &[PUBLIC, ("answer", ANSWERED)]),
    requests("requests.unknown", &[PUBLIC, ("answer", &["unknown"])]),
    requests("requests.refused", &[PUBLIC, ("answer", &["refused"])]),
    requests("requests.busy", &[PUBLIC, ("answer", &["busy"])]),
    requests("requests.failed", &[PUBLIC, ("answer", &["failed", "other"])]),
    requests("requests.admin", &[ADMIN]),
    latency("latency.median", 0.5, &[PUBLIC]),
    latency("latency.high", 0.99, &[PUBLIC]),
    latency("latency.admin", 0.99, &[ADMIN]),
    figure("connections.public", Unit::Count, From::Gauge("connections", &[PUBLIC])),
    figure("connections.admin", Unit::Count, From::Gauge("connections", &[ADMIN])),
    gauge("store.levels", Unit::Count, "store_levels"),
    gauge("store.used", Unit::Bytes, "store_used_bytes"),
    gauge("store.free", Unit::Bytes, "disk_free_bytes"),
    figure("store.writes", Unit::PerSecond, From::Rate("commit_operations_total", &[])),
    figure("cache.hits", Unit::Ratio, From::Share("cache_hits_total", "cache_misses_total")),
    gauge("cache.used", Unit::Bytes, "cache_bytes"),
    gauge("process.memory", Unit::Bytes, "own_memory_bytes"),
    figure("process.processor", Unit::Ratio, From::Rate("cpu_seconds_total", &[])),
    gauge("process.files", Unit::Count, "open_files"),
    gauge("copy.lag", Unit::Seconds, "copy_lag_seconds"),
    figure("backup.age", Unit::Seconds, From::Since("last_backup_timestamp_seconds")),
    figure("certificate.left", Unit::Seconds, From::Until("certificate_expiry_timestamp_seconds")),
];

impl Figure {
    /// Returns one value for those of times that follow each other, the newest first; NaN where
    /// there is none.
    pub(super) fn joined(&self, values: &[f64]) -> f64 {
        let known = || values.iter().copied().filter(|value| !value.is_nan());
        match self.from {
            From::Rate(..) | From::Share(..) => known().sum::<f64>() / known().count() as f64,
            From::Quantile(..) => known().fold(f64::NAN, f64::max),
            From::Gauge(..) | From::Since(_) | From::Until(_) => known().next().unwrap_or(f64::NAN),
        }
    }
}

/// What the metrics were at two times.
pub(super) struct Between<'f> {
    pub(super) before: &'f Families,
    pub(super) after: &'f Families,
    pub(super) took: Duration,
    /// The second time.
    pub(super) at: Timestamp,
}

impl Between<'_> {
    /// Returns the value of each figure; NaN where there is none.
    pub(super) fn values(&self) -> [f64; COUNT] {
        FIGURES.each_ref().map(|figure| self.value(&figure.from).unwrap_or(f64::NAN))
    }

    fn value(&self, from: &From) -> Option<f64> {
        let now = self.at.as_second() as f64;
        match *from {
            From::Rate(name, labels) => Some(self.grown(name, labels)? / self.took.as_secs_f64()),
            From::Gauge(name, labels) => {
                total(self.after, name, labels, |metric| metric.get_gauge().get_value())
            }
            From::Quantile(part, name, labels) => self.quantile(part, name, labels),
            From::Share(name, other) => {
                let (own, other) = (self.grown(name, &[])?, self.grown(other, &[])?);
                (own + other > 0.0).then(|| own / (own + other))
            }
            From::Since(name) => Some((now - self.earliest(name)?).max(0.0)),
            From::Until(name) => Some(self.earliest(name)? - now),
        }
    }

    /// Returns by how much a counter has grown; `None` for one that is not there.
    fn grown(&self, name: &str, labels: Labels) -> Option<f64> {
        let count =
            |families| total(families, name, labels, |metric| metric.get_counter().get_value());
        // A sample appears when it has something to count.
        Some((count(self.after)? - count(self.before).unwrap_or(0.0)).max(0.0))
    }

    fn quantile(&self, part: f64, name: &str, labels: Labels) -> Option<f64> {
        let events = |families| {
            total(families, name, labels, |metric| metric.get_histogram().get_sample_count() as f64)
        };
        let wanted = (events(self.after)? - events(self.before).unwrap_or(0.0)) * part;
        let bounds = chosen(self.after, name, labels).next()?.get_histogram().get_bucket();
        let within = |families, at: usize| {
            let count = |bucket: &Bucket| bucket.cumulative_count() as f64;
            let of =
                |metric: &Metric| metric.get_histogram().get_bucket().get(at).map_or(0.0, count);
            total(families, name, labels, of).unwrap_or(0.0)
        };
        let reaches = |at: &usize| within(self.after, *at) - within(self.before, *at) >= wanted;
        let class = (0..bounds.len()).find(reaches).unwrap_or(bounds.len().checked_sub(1)?);
        (wanted > 0.0).then(|| bounds[class].upper_bound())
    }

    fn earliest(&self, name: &str) -> Option<f64> {
        chosen(self.after, name, &[]).map(|metric| metric.get_gauge().get_value()).reduce(f64::min)
    }
}

/// Returns the sum of the samples with these labels; `None` if the family is not there.
fn total(
    families: &Families,
    name: &str,
    labels: Labels,
    value: impl Fn(&Metric) -> f64,
) -> Option<f64> {
    families.metrics(name)?;
    Some(chosen(families, name, labels).map(value).sum())
}

fn chosen<'f>(
    families: &'f Families,
    name: &str,
    labels: Labels,
) -> impl Iterator<Item = &'f Metric> {
    let has = |metric: &Metric, (name, values): &(&str, &[&str])| {
        metric.get_label().iter().any(|own| own.name() == *name && values.contains(&own.value()))
    };
    let all = families.metrics(name).unwrap_or_default().iter();
    all.filter(move |metric| labels.iter().all(|label| has(metric, label)))
}
