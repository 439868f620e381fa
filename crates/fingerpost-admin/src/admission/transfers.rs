//! Slots of imports and exports, which take minutes: they have a few slots of their own, and take
//! turns with the slots of all callers.
//!
//! A file that arrives occupies no slot for running imports, so that a slow sender does not block
//! other imports.

use std::sync::Arc;

use http::StatusCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::{Admission, MAX_CALL_WAIT, Permits, semaphore, shares, wait};
use crate::limits::{MAX_EXPORTS, MAX_IMPORTS, MAX_UPLOADS, TRANSFER_RETRY_AFTER};
use crate::problem::AdminProblem;

/// The slots that all callers share.
#[derive(Debug)]
pub(super) struct Transfers {
    uploads: Arc<Semaphore>,
    imports: Arc<Semaphore>,
    exports: Arc<Semaphore>,
}

impl Transfers {
    pub(super) fn new() -> Self {
        Self {
            uploads: semaphore(MAX_UPLOADS),
            imports: semaphore(MAX_IMPORTS),
            exports: semaphore(MAX_EXPORTS),
        }
    }
}

impl Transfers {
    /// Returns how many slots are in use, and how many there are.
    pub(super) fn slots(&self) -> [(&'static str, usize, usize); 2] {
        let used = |slots: &Semaphore, all: usize| all.saturating_sub(slots.available_permits());
        [
            ("import", used(&self.imports, MAX_IMPORTS), MAX_IMPORTS),
            ("export", used(&self.exports, MAX_EXPORTS), MAX_EXPORTS),
        ]
    }
}

impl Admission {
    /// Returns the slots of a file that begins to arrive, kept until its import ends: one for each
    /// caller and organisation.
    pub(crate) fn import(&self) -> Result<Permits, AdminProblem> {
        let own =
            "an import by you or your organisation is in progress; try again when it has ended";
        let mut held = Permits::new();
        for share in shares() {
            held.push(now(&share.imports, StatusCode::TOO_MANY_REQUESTS, own)?);
        }
        // Nobody sends a large file in vain.
        if self.transfers.imports.available_permits() == 0 {
            return Err(busy());
        }
        held.push(now(&self.transfers.uploads, StatusCode::SERVICE_UNAVAILABLE, BUSY)?);
        Ok(held)
    }

    /// Waits a short time for the slot of an import that runs.
    pub(crate) async fn run_import(&self) -> Result<OwnedSemaphorePermit, AdminProblem> {
        timeout(MAX_CALL_WAIT, wait(&self.transfers.imports)).await.unwrap_or_else(|_| Err(busy()))
    }

    /// Returns the slots of an export.
    pub(crate) fn export(&self) -> Result<Permits, AdminProblem> {
        let own =
            "an export by you or your organisation is in progress; try again when it has ended";
        let mut held = Permits::new();
        for share in shares() {
            held.push(now(&share.exports, StatusCode::TOO_MANY_REQUESTS, own)?);
        }
        held.push(now(&self.transfers.exports, StatusCode::SERVICE_UNAVAILABLE, BUSY)?);
        Ok(held)
    }
}

/// The state of the others.
const BUSY: &str =
    "the server is busy with other imports or exports; try again after the seconds in Retry-After";

fn busy() -> AdminProblem {
    refused(StatusCode::SERVICE_UNAVAILABLE, BUSY)
}

fn now(
    slots: &Arc<Semaphore>,
    status: StatusCode,
    detail: &str,
) -> Result<OwnedSemaphorePermit, AdminProblem> {
    Arc::clone(slots).try_acquire_owned().map_err(|_| refused(status, detail))
}

fn refused(status: StatusCode, detail: &str) -> AdminProblem {
    let code = match status {
        StatusCode::TOO_MANY_REQUESTS => "too-many-requests",
        _ => "busy",
    };
    AdminProblem::new(status, code, detail).retry_after(TRANSFER_RETRY_AFTER)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::response::IntoResponse;
    use fingerpost_registry::Id;
    use http::header;

    use super::*;
    use crate::config::AdminOptions;

    #[tokio::test]
    async fn an_organisation_imports_one_file_at_a_time() {
        let admission = Admission::new(&AdminOptions::default());
        let of = |organisation: Id| {
            admission.admit(format!("key:{organisation}"), Some(vec![organisation]), async {
                (admission.import(), admission.import())
            })
        };
        let (first, second) = of(Id::random()).await.expect("admitted");
        let refused = second.expect_err("one at a time").into_response();
        assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
        assert!(refused.headers().contains_key(header::RETRY_AFTER));
        let (other, _) = of(Id::random()).await.expect("admitted");
        assert!(first.is_ok() && other.is_ok(), "others import meanwhile");
    }

    #[tokio::test]
    async fn two_imports_run_at_a_time() {
        let admission = Admission::new(&AdminOptions::default());
        let third = admission.import().expect("a slot to arrive");
        let running = [admission.run_import().await, admission.run_import().await];
        assert!(running.iter().all(Result::is_ok));
        let refused = admission.import().expect_err("no slot").into_response();
        assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert!(refused.headers().contains_key(header::RETRY_AFTER));
        let waits = timeout(Duration::from_millis(10), admission.run_import()).await;
        assert!(waits.is_err(), "one that has arrived waits for a short time");
        drop((third, running));
        assert!(admission.import().is_ok() && admission.run_import().await.is_ok());
    }
}
