//! The recent past of the metrics, for the status page: one sample a minute for a day, and one an
//! hour for 30 days, in memory.
//!
//! A sample is what happened since the one before it. 2,160 samples of 23 figures take at most 0.5
//! MB.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fingerpost_admin::{Series, Status, StatusPeriod};
use jiff::Timestamp;

use super::families::Families;
use super::figures::{Between, COUNT, FIGURES};

/// Samples of a day, at one a minute.
const DAY: usize = 24 * 60;
/// Samples of 30 days, at one an hour.
const MONTH: usize = 30 * 24;
const HOUR: usize = 60;
/// How many samples make a point of the day.
const JOINED: usize = 5;

/// The samples of the last day and of the last month.
pub(super) struct Samples {
    started: Timestamp,
    rings: Mutex<[Ring; 2]>,
}

/// The last samples.
struct Ring {
    /// The time between two.
    every: Duration,
    /// How many are kept.
    most: usize,
    samples: VecDeque<Sample>,
    /// The metrics at the last sample.
    before: Option<(Instant, Families)>,
}

/// The values of all figures; NaN where there is none.
#[derive(Clone, Copy)]
struct Sample {
    at: Timestamp,
    values: [f64; COUNT],
}

impl Samples {
    /// Creates samples of a process that started at this time. `every` is the time between two
    /// samples of the day.
    pub(super) fn new(started: Timestamp, every: Duration) -> Self {
        let ring = |every, most| Ring { every, most, samples: VecDeque::new(), before: None };
        // An hour is 60 minutes.
        let rings = [ring(every, DAY), ring(every.saturating_mul(HOUR as u32), MONTH)];
        Self { started, rings: Mutex::new(rings) }
    }

    /// Takes the samples that are due. `read` returns the metrics.
    pub(super) fn take(&self, (at, clock): (Timestamp, Instant), read: impl Fn() -> Families) {
        let is_due = |ring: &Ring| ring.elapsed(clock).is_none_or(|elapsed| elapsed >= ring.every);
        if !self.rings().iter().any(is_due) {
            return;
        }
        // The store is not read while others wait for the samples.
        let now = read();
        for ring in self.rings().iter_mut().filter(|ring| is_due(ring)) {
            if let Some(sample) = ring.since(&now, at, clock) {
                ring.samples.truncate(ring.most - 1);
                ring.samples.push_front(sample);
            }
            ring.before = Some((clock, now.clone()));
        }
    }

    /// Returns the samples of a time, with what has happened since the last one, of which `now` are
    /// the metrics.
    pub(super) fn status(
        &self,
        span: StatusPeriod,
        (at, clock): (Timestamp, Instant),
        now: &Families,
    ) -> Status {
        let rings = self.rings();
        let (ring, most, joined) = match span {
            StatusPeriod::Hour => (&rings[0], HOUR, 1),
            StatusPeriod::Day => (&rings[0], DAY, JOINED),
            StatusPeriod::Month => (&rings[1], MONTH, 1),
        };
        // What happened within a moment says nothing about rates, unless there is nothing else.
        let is_due = ring.elapsed(clock).is_some_and(|elapsed| elapsed > ring.every / 6);
        let is_shown = is_due || ring.samples.is_empty();
        let last = is_shown.then(|| ring.since(now, at, clock)).flatten();
        let newest: Vec<_> =
            last.into_iter().chain(ring.samples.iter().copied()).take(most).collect();
        let points: Vec<_> = newest.chunks(joined).rev().filter_map(join).collect();
        let values = |of: usize| points.iter().map(|point| rounded(point.values[of])).collect();
        let series = FIGURES.iter().enumerate().map(|(of, figure)| Series {
            name: figure.name,
            unit: figure.unit,
            values: values(of),
        });
        Status {
            started: self.started,
            at: points.iter().map(|point| point.at).collect(),
            series: series.collect(),
        }
    }

    fn rings(&self) -> MutexGuard<'_, [Ring; 2]> {
        self.rings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ring {
    /// Returns the time since the last sample.
    fn elapsed(&self, clock: Instant) -> Option<Duration> {
        Some(clock.duration_since(self.before.as_ref()?.0))
    }

    /// Returns a sample of the time since the last one.
    fn since(&self, now: &Families, at: Timestamp, clock: Instant) -> Option<Sample> {
        let (begin, before) = self.before.as_ref()?;
        let took = clock.duration_since(*begin);
        if took.is_zero() {
            return None;
        }
        Some(Sample { at, values: Between { before, after: now, took, at }.values() })
    }
}

/// Returns samples that follow each other as one. The newest comes first.
fn join(samples: &[Sample]) -> Option<Sample> {
    let mut joined = *samples.first()?;
    for (of, figure) in FIGURES.iter().enumerate() {
        let values: Vec<f64> = samples.iter().map(|sample| sample.values[of]).collect();
        joined.values[of] = figure.joined(&values);
    }
    Some(joined)
}

/// Returns a value with four digits if it is no whole number; nothing if there is none.
fn rounded(value: f64) -> Option<f64> {
    if !value.is_finite() {
        return None;
    }
    if value.fract() == 0.0 {
        return Some(value);
    }
    let digits = (4.0 - value.abs().log10().ceil()).clamp(0.0, 12.0);
    let factor = 10_f64.powf(digits);
    Some((value * factor).round() / factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The metrics after this many redirects, of which each took a little longer than 10 µs.
    fn after(redirects: u64) -> Families {
        let mut families = Families::default();
        let labels = vec![("listener", "public"), ("answer", "redirect")];
        families.counter(
            "requests_total",
            "-",
            [(labels, crate::metrics::families::number(redirects))],
        );
        let classes = vec![(Some(1e-5), 0), (Some(2.5e-5), redirects), (None, 0)];
        let labels = vec![("listener", "public")];
        families.histogram("request_duration_seconds", "-", [(labels, classes, 0.0)]);
        families.one("connections", "-", 7.0);
        families
    }

    /// Returns the values of a figure over a time.
    fn values(status: &Status, name: &str) -> Vec<Option<f64>> {
        let found = status.series.iter().find(|series| series.name == name);
        let values = &found.unwrap_or_else(|| panic!("{name}")).values;
        assert_eq!(values.len(), status.at.len());
        values.clone()
    }

    fn at(begin: (Timestamp, Instant), seconds: u64) -> (Timestamp, Instant) {
        let passed = Duration::from_secs(seconds);
        (begin.0 + passed, begin.1 + passed)
    }

    #[test]
    fn samples_say_what_happened_between_them_and_are_bounded() {
        let begin = (Timestamp::UNIX_EPOCH, Instant::now());
        let samples = Samples::new(begin.0, Duration::from_secs(60));
        samples.take(begin, || after(0));
        assert!(
            samples.status(StatusPeriod::Day, begin, &after(0)).at.is_empty(),
            "nothing happened yet"
        );
        let first = samples.status(StatusPeriod::Hour, at(begin, 5), &after(10));
        assert_eq!(values(&first, "requests.answered"), [Some(2.0)], "since the start");
        // 60 redirects a minute, but none in the second minute.
        samples.take(at(begin, 60), || after(60));
        samples.take(at(begin, 90), || panic!("no sample is due"));
        samples.take(at(begin, 120), || after(60));
        let hour = samples.status(StatusPeriod::Hour, at(begin, 121), &after(90));
        assert_eq!(values(&hour, "requests.answered"), [Some(1.0), Some(0.0)]);
        assert_eq!(values(&hour, "latency.median"), [Some(2.5e-5), None]);
        assert_eq!(values(&hour, "copy.lag"), [None, None], "no node");
        let running = samples.status(StatusPeriod::Hour, at(begin, 150), &after(90));
        assert_eq!(values(&running, "requests.answered"), [Some(1.0), Some(0.0), Some(1.0)]);
        let day = samples.status(StatusPeriod::Day, at(begin, 150), &after(90));
        assert_eq!(values(&day, "requests.answered"), [Some(0.6667)], "one for five minutes");

        for minute in 3..=60 * 24 * 31 {
            samples.take(at(begin, minute * 60), || after(minute * 60));
        }
        let end = at(begin, 60 * 60 * 24 * 31);
        let now = after(60 * 60 * 24 * 31);
        for (span, points) in
            [(StatusPeriod::Hour, 60), (StatusPeriod::Day, 288), (StatusPeriod::Month, 720)]
        {
            let status = samples.status(span, end, &now);
            assert_eq!(values(&status, "requests.answered"), vec![Some(1.0); points], "{span:?}");
            assert_eq!(status.at.last(), Some(&end.0));
            assert!(status.at.is_sorted());
        }
    }
}
