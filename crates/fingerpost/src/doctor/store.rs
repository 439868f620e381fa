//! Checks of the store, of the clock against it, and of the store that a node follows.

use std::path::Path;

use fingerpost_engine::EngineError;
use fingerpost_store::{Store, StoreError};
use jiff::{SignedDuration, Timestamp};

use super::findings::Findings;
use crate::output::counted;
use fingerpost_server::config::Config;
use fingerpost_server::following::Followed;

/// How far behind the last change the clock may be: several machines may write one store.
const TOLERANCE: SignedDuration = SignedDuration::from_secs(5);

/// Looks at the store of the data directory, which is a copy on a node.
pub(super) fn examine(config: &Config, data: &Path, now: Timestamp, findings: &mut Findings) {
    let store = match Store::open_existing(data, config.store_options()) {
        Ok(store) => store,
        Err(error) => {
            let fix = match error {
                StoreError::Engine(EngineError::Missing { .. }) => {
                    "`fingerpost serve` or `fingerpost import` creates it; or name another directory"
                }
                _ => {
                    "run this as the user of the server; `fingerpost restore` brings a backup back"
                }
            };
            return findings.fault("store", error, fix);
        }
    };
    if let Err(error) = store.check_pages().and_then(|()| store.check_rows()) {
        return findings.fault(
            "store",
            error,
            "`fingerpost fsck` lists everything that is damaged; restore a backup",
        );
    }
    if let Err(error) = store.check_writable() {
        return findings.fault(
            "store",
            error,
            "writes fail: give the server space, and the right to write in the directory",
        );
    }
    match store.len() {
        Ok(levels) => {
            findings.good("store", format!("is sound, with {}", counted(levels, "level")));
        }
        Err(error) => {
            findings.fault("store", error, "`fingerpost fsck` lists everything that is damaged");
        }
    }
    if let Ok(Some(size)) = store.size()
        && size.used / 4 > size.map / 5
    {
        let text = format!(
            "has used {} MiB of the {} MiB that map_size allows",
            size.used >> 20,
            size.map >> 20
        );
        findings.warning(
            "store",
            text,
            "raise map_size or remove it; `fingerpost compact` gives free pages back",
        );
    }
    clock(&store, now, findings);
}

/// Compares the clock with the last entry of the audit log.
fn clock(store: &Store, now: Timestamp, findings: &mut Findings) {
    let last = store.view(|view| {
        let seq = view.audit_head()?.seq();
        Ok::<_, StoreError>(view.audit(seq)?.map(|record| record.at()))
    });
    match last {
        Ok(Some(last)) if last.duration_since(now) > TOLERANCE => findings.fault(
            "clock",
            format!("it is {now} by the clock of this machine, but the store was changed at {last}"),
            "set the clock, and let it be kept (systemd-timesyncd, chrony): links with dates and sessions depend on it",
        ),
        Ok(_) => findings.good("clock", format!("{now}, after the last change of the store")),
        // It is in the findings about the store.
        Err(_) => {}
    }
}

/// Looks at the store that a node follows, and how far its copy is.
pub(super) fn source(config: &Config, data: &Path, findings: &mut Findings) {
    let followed = match Followed::of(&config.source, Some(data)) {
        Ok(Some(followed)) => followed,
        Ok(None) => return,
        Err(failure) => {
            return findings.fault("node", failure.what, failure.next.unwrap_or_default());
        }
    };
    let head = match followed.source().head() {
        Ok(head) => head.position.revision().number(),
        Err(error) => {
            let fix = "see whether the store that this node follows runs, and whether address, key and certificate are right; scans go on meanwhile";
            return findings.fault("node", error, fix);
        }
    };
    let copy = Store::open_existing(data, config.store_options());
    match copy.and_then(|copy| copy.copy_state()) {
        Ok(Some(state)) if state.is_complete() => {
            let behind = head.saturating_sub(state.position.revision().number());
            let state = format!("the copy is complete, and {} behind", counted(behind, "revision"));
            match behind {
                0..=1000 => findings.good("node", state),
                _ => findings.warning(
                    "node",
                    state,
                    "see whether the server of this node runs: it brings the copy up to date",
                ),
            }
        }
        Ok(_) => {
            let fix = "start the server of this node, or run `fingerpost follow`, and wait";
            findings.fault("node", "there is no complete copy: this node answers no scans", fix);
        }
        Err(error) => {
            findings.fault("node", error, "start the server of this node, which makes the copy");
        }
    }
}

#[cfg(test)]
mod tests {
    use fingerpost_store::Event;

    use super::*;

    #[test]
    fn a_clock_before_the_last_change_is_a_fault() {
        let store = Store::in_memory();
        let at: Timestamp = "2026-01-05T10:00:00Z".parse().unwrap();
        let event = Event::new("note.written", "local:test", at);
        store.transact(move |tx| -> Result<u64, StoreError> { tx.record(event.clone()) }).unwrap();
        for (now, faults) in
            [("2026-01-05T09:00:00Z", 1), ("2026-01-05T09:59:57Z", 0), ("2026-01-05T10:00:01Z", 0)]
        {
            let mut findings = Findings::default();
            clock(&store, now.parse().unwrap(), &mut findings);
            assert_eq!(findings.faults(), faults, "{now}");
        }
    }
}
