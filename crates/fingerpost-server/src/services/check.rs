//! Checks the data file while the server answers, if it is larger than `storage.check_first`. Until
//! then the store is unchecked: its reads also verify what could hide a record.

use std::sync::Arc;

use fingerpost_store::Store;

use super::{Next, Service, Stop};
use crate::failure::Failure;
use crate::opened::check;

/// The check of a store.
pub(crate) struct Check(pub(crate) Arc<Store>);

impl Service for Check {
    fn name(&self) -> &'static str {
        "check"
    }

    /// Damage can be repaired meanwhile, so a check that found some is repeated.
    fn run(&self, _: &Stop) -> Result<Next, Failure> {
        tracing::info!("checking the data file");
        check(&self.0)?;
        self.0.set_unchecked(false);
        tracing::info!("the data file is sound");
        Ok(Next::AtStop)
    }
}
