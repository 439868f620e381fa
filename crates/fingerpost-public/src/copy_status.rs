//! How far the copy is that a node answers from.

use std::fmt;
use std::sync::Arc;

/// How far the copy is that a node answers from, as `/ready` shows it.
#[derive(Clone)]
pub struct CopyStatus(Arc<dyn Fn() -> serde_json::Value + Send + Sync>);

impl CopyStatus {
    /// Creates a status from a function that returns it as a JSON object.
    pub fn new(status: impl Fn() -> serde_json::Value + Send + Sync + 'static) -> Self {
        Self(Arc::new(status))
    }

    /// Returns the status.
    pub(crate) fn current(&self) -> serde_json::Value {
        (self.0)()
    }
}

impl fmt::Debug for CopyStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CopyStatus(..)")
    }
}
