//! Listeners to a decision, so that an answer and its explanation come from one function.

use crate::Link;

/// A listener to the steps of a decision. [`NoTrace`] compiles to nothing.
pub(crate) trait Trace {
    /// Records that a rule was applied, and the links left after it. `text` is called only by
    /// listeners that keep it.
    fn step(&mut self, rule: &'static str, text: impl FnOnce() -> String, left: &[Link<'_>]);
}

/// A listener that does nothing.
#[derive(Debug)]
pub(crate) struct NoTrace;

impl Trace for NoTrace {
    #[inline]
    fn step(&mut self, _: &'static str, _: impl FnOnce() -> String, _: &[Link<'_>]) {}
}
