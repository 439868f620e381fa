//! Observers of answered requests, for an access log and for traces: each gets a part of them.
//!
//! A request without an observer costs one look at an empty list. Every worker takes its own
//! sample, in even distances.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, SystemTime};

use http::Method;

use crate::limits::MAX_OBSERVERS;

/// 1, as parts of requests are counted.
const WHOLE: f64 = 4_294_967_296.0;

/// The requested route, without values: an extension of the response to a request with
/// [`Arrival::is_observed`].
///
/// [`Arrival::is_observed`]: crate::Arrival::is_observed
#[derive(Clone, Debug)]
pub struct Route(pub Cow<'static, str>);

/// An answered request, without data about the client or the requested item.
#[derive(Clone, Copy, Debug)]
pub struct Observed<'r> {
    /// The method; `other` for one that is not usual, because clients can send any text.
    pub method: &'static str,
    /// The requested route, without values.
    pub route: Option<&'r str>,
    /// The status of the answer.
    pub status: u16,
    /// The kind of the answer, as the metrics name it.
    pub answer: &'static str,
    /// The protocol.
    pub protocol: &'static str,
    /// When the request arrived.
    pub at: SystemTime,
    /// The time from the head of the request to that of the answer.
    pub took: Duration,
    /// The trace that the request belongs to (`traceparent`, W3C Trace Context).
    pub trace: Option<&'r str>,
}

/// A function that gets requests.
type Observe = Arc<dyn Fn(&Observed<'_>) + Send + Sync>;

/// An observer, and the part of the requests that it gets.
#[derive(Clone)]
pub(crate) struct Observer {
    step: u64,
    observe: Observe,
}

impl Observer {
    /// Creates an observer. `part` is the part of the requests that it gets, from 0 for none to 1
    /// for all.
    pub(crate) fn new(part: f64, observe: impl Fn(&Observed<'_>) + Send + Sync + 'static) -> Self {
        // The product is between 0 and 2^32.
        Self { step: (part.clamp(0.0, 1.0) * WHOLE) as u64, observe: Arc::new(observe) }
    }
}

/// The observers of one worker, each with its phase between two samples.
#[derive(Default)]
pub(crate) struct Observers(Vec<(Observer, AtomicU64)>);

/// Observers by their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Chosen(u8);

impl Observers {
    pub(crate) fn new(observers: &[Observer]) -> Self {
        let own = observers.iter().filter(|observer| observer.step > 0).take(MAX_OBSERVERS);
        Self(own.map(|observer| (observer.clone(), AtomicU64::new(0))).collect())
    }

    /// Returns which observers get the next request, if any.
    pub(crate) fn choose(&self) -> Option<Chosen> {
        let mut chosen = 0;
        for (at, (observer, phase)) in self.0.iter().enumerate() {
            let before = phase.fetch_add(observer.step, Relaxed);
            let after = before.wrapping_add(observer.step);
            chosen |= u8::from(before >> 32 != after >> 32) << at;
        }
        (chosen != 0).then_some(Chosen(chosen))
    }

    /// Passes a request to these observers.
    pub(crate) fn notify(&self, Chosen(chosen): Chosen, observed: &Observed<'_>) {
        for (at, (observer, _)) in self.0.iter().enumerate() {
            if chosen & (1 << at) != 0 {
                (observer.observe)(observed);
            }
        }
    }
}

/// Returns the name of a usual method.
pub(crate) fn name(method: &Method) -> &'static str {
    let usual = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"];
    usual.into_iter().find(|usual| method.as_str() == *usual).unwrap_or("other")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_observer_gets_its_part() {
        let parts = [0.0, 0.01, 0.25, 1.0, f64::NAN];
        let observers = Observers::new(&parts.map(|part| Observer::new(part, |_| {})));
        assert_eq!(observers.0.len(), 3, "those without a part cost nothing");
        let mut counts = [0; 3];
        for _ in 0..10_000 {
            let Some(Chosen(chosen)) = observers.choose() else { panic!("one gets all") };
            for (at, count) in counts.iter_mut().enumerate() {
                *count += usize::from(chosen & (1 << at) != 0);
            }
        }
        assert_eq!(counts[1..], [2_500, 10_000]);
        assert!((99..=100).contains(&counts[0]), "{counts:?}");
        assert_eq!(Observers::default().choose(), None);
    }
}
