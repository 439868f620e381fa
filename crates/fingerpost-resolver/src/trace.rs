//! What listens to a decision, so that an answer and its explanation come from one function.

use crate::Link;

/// Listens to the steps of a decision. With [`NoTrace`] nothing of it is left in the program.
pub(crate) trait Trace {
    /// A rule was applied, and these links are left. `text` is called by listeners that keep it.
    fn step(&mut self, rule: &'static str, text: impl FnOnce() -> String, left: &[Link<'_>]);
}

/// Nobody listens.
#[derive(Debug)]
pub(crate) struct NoTrace;

impl Trace for NoTrace {
    #[inline]
    fn step(&mut self, _: &'static str, _: impl FnOnce() -> String, _: &[Link<'_>]) {}
}
