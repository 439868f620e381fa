//! Metrics with their samples, and their text.

use prometheus::TextEncoder;
use prometheus::proto::{
    Bucket, Counter, Gauge, Histogram, LabelPair, Metric, MetricFamily, MetricType,
};

/// What every name begins with.
const PREFIX: &str = "fingerpost_";

/// Returns a number for a metric: exact up to 2^53.
pub(crate) fn number(count: u64) -> f64 {
    count as f64
}

/// Metrics with their samples.
#[derive(Clone, Default)]
pub(crate) struct Families(Vec<MetricFamily>);

/// Labels of a sample.
type Labels<V> = Vec<(&'static str, V)>;

impl Families {
    /// Adds a counter.
    pub(crate) fn counter<V: Into<String>>(
        &mut self,
        name: &str,
        help: &str,
        samples: impl IntoIterator<Item = (Labels<V>, f64)>,
    ) {
        let metrics = each(samples, |metric, value| {
            let mut counter = Counter::default();
            counter.set_value(value);
            metric.set_counter(counter);
        });
        self.add(name, help, MetricType::COUNTER, metrics);
    }

    /// Adds a counter without labels.
    pub(crate) fn one_counter(&mut self, name: &str, help: &str, count: u64) {
        self.counter::<&str>(name, help, [(vec![], number(count))]);
    }

    /// Adds a value.
    pub(crate) fn gauge<V: Into<String>>(
        &mut self,
        name: &str,
        help: &str,
        samples: impl IntoIterator<Item = (Labels<V>, f64)>,
    ) {
        let metrics = each(samples, |metric, value| {
            let mut gauge = Gauge::default();
            gauge.set_value(value);
            metric.set_gauge(gauge);
        });
        self.add(name, help, MetricType::GAUGE, metrics);
    }

    /// Adds a value without labels.
    pub(crate) fn one(&mut self, name: &str, help: &str, value: f64) {
        self.gauge::<&str>(name, help, [(vec![], value)]);
    }

    /// Adds a histogram: for each sample the number of events in each class by its upper bound, and
    /// the sum of their values.
    pub(crate) fn histogram<V: Into<String>>(
        &mut self,
        name: &str,
        help: &str,
        samples: impl IntoIterator<Item = (Labels<V>, Vec<(Option<f64>, u64)>, f64)>,
    ) {
        let metrics = samples.into_iter().map(|(labels, classes, sum)| {
            let mut metric = Metric::from_label(pairs(labels));
            let (mut buckets, mut count) = (Vec::new(), 0);
            for (bound, events) in classes {
                count += events;
                let Some(bound) = bound else { continue };
                let mut bucket = Bucket::default();
                bucket.set_upper_bound(bound);
                bucket.set_cumulative_count(count);
                buckets.push(bucket);
            }
            let mut histogram = Histogram::default();
            histogram.set_bucket(buckets);
            histogram.set_sample_count(count);
            histogram.set_sample_sum(sum);
            metric.set_histogram(histogram);
            metric
        });
        self.add(name, help, MetricType::HISTOGRAM, metrics.collect());
    }

    fn add(&mut self, name: &str, help: &str, kind: MetricType, metrics: Vec<Metric>) {
        if metrics.is_empty() {
            return;
        }
        let mut family = MetricFamily::default();
        family.set_name(format!("{PREFIX}{name}"));
        family.set_help(help.to_owned());
        family.set_field_type(kind);
        family.set_metric(metrics);
        self.0.push(family);
    }

    /// Returns the samples of a metric; `None` if there is no such metric.
    pub(crate) fn metrics(&self, name: &str) -> Option<&[Metric]> {
        let has_name = |family: &&MetricFamily| family.name().strip_prefix(PREFIX) == Some(name);
        self.0.iter().find(has_name).map(MetricFamily::get_metric)
    }

    /// Returns the text.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        // Every family has a name and a sample, which is all that could be wrong.
        if let Err(error) = TextEncoder::new().encode_utf8(&self.0, &mut text) {
            tracing::error!(%error, "the metrics are incomplete");
        }
        text
    }
}

/// Returns a metric for each sample, with the value that `set` gives it.
fn each<V: Into<String>>(
    samples: impl IntoIterator<Item = (Labels<V>, f64)>,
    set: impl Fn(&mut Metric, f64),
) -> Vec<Metric> {
    let metrics = samples.into_iter().map(|(labels, value)| {
        let mut metric = Metric::from_label(pairs(labels));
        set(&mut metric, value);
        metric
    });
    metrics.collect()
}

fn pairs<V: Into<String>>(labels: Labels<V>) -> Vec<LabelPair> {
    let pairs = labels.into_iter().map(|(name, value)| {
        let mut pair = LabelPair::default();
        pair.set_name(name.to_owned());
        pair.set_value(value.into());
        pair
    });
    pairs.collect()
}
