//! What organisations use, as counters: changed in the transaction of each change, so that a quota
//! needs one row to be checked.

use fingerpost_store::Transaction;
use serde::{Deserialize, Serialize};

use super::{Document, load, save};
use crate::{Id, RegistryError};

/// What one organisation uses. An organisation without this document is not counted yet: see
/// `quotas::count`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Held {
    /// Number of levels with a record.
    pub(crate) levels: u64,
    /// Bytes of these records, as stored.
    pub(crate) bytes: u64,
    /// Number of API keys that were not revoked.
    pub(crate) keys: u64,
    /// Number of proposals that wait.
    pub(crate) proposals: u64,
    /// Levels up to this text are counted, those after it are not yet. `None`: all are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) counted_to: Option<String>,
}

/// Something of which an organisation uses a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Quantity {
    Levels,
    Bytes,
    Keys,
    Proposals,
}

impl Document for Held {
    const COLLECTION: &'static str = "held";
}

impl Held {
    /// Returns a number.
    pub(crate) fn of(&self, quantity: Quantity) -> u64 {
        match quantity {
            Quantity::Levels => self.levels,
            Quantity::Bytes => self.bytes,
            Quantity::Keys => self.keys,
            Quantity::Proposals => self.proposals,
        }
    }

    pub(crate) fn of_mut(&mut self, quantity: Quantity) -> &mut u64 {
        match quantity {
            Quantity::Levels => &mut self.levels,
            Quantity::Bytes => &mut self.bytes,
            Quantity::Keys => &mut self.keys,
            Quantity::Proposals => &mut self.proposals,
        }
    }

    /// Returns whether this level is among those that are counted.
    pub(crate) fn counts(&self, level: &str) -> bool {
        self.counted_to.as_deref().is_none_or(|to| level <= to)
    }
}

/// Changes a number of an organisation, if it is counted.
pub(super) fn change(
    tx: &mut Transaction<'_>,
    id: &Id,
    quantity: Quantity,
    change: impl FnOnce(u64) -> u64,
) -> Result<(), RegistryError> {
    let Some(mut held) = load::<Held>(tx, id.as_str())? else { return Ok(()) };
    let number = held.of_mut(quantity);
    *number = change(*number);
    save(tx, id.as_str(), &held)
}
