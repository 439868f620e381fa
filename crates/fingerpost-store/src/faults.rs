//! Faults that a check found: lists them up to a limit, and counts the rest.

use serde::Serialize;

use crate::StoreError;
use crate::limits::MAX_NAMED_FAULTS;

/// The faults that a check found.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(transparent)]
pub(crate) struct Faults {
    pub(crate) texts: Vec<String>,
    #[serde(skip)]
    pub(crate) count: u64,
}

impl Faults {
    pub(crate) fn add(&mut self, text: String) {
        if self.texts.len() < MAX_NAMED_FAULTS {
            self.texts.push(text);
        }
        self.count += 1;
    }

    /// Returns what was read; adds a damaged row to the faults and returns `None`.
    pub(crate) fn unless_damaged<T>(
        &mut self,
        read: Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        match read {
            Err(error) if error.is_damaged_row() => {
                self.add(error.to_string());
                Ok(None)
            }
            read => read.map(Some),
        }
    }
}
