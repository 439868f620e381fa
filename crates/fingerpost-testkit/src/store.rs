//! Stores for tests: one with records, one whose engine fails.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fingerpost_engine::{Engine, EngineError, Memory, Prefetch, Snapshot, Unavailable, Work};
use fingerpost_resolver::{Rules, read_record};
use fingerpost_store::{Batch, Store};
use serde_json::Value;

/// Returns an in-memory store with these records, which may break the rule across levels
/// (`stored_breaks`).
///
/// # Panics
///
/// If a record is refused.
pub fn store_with(records: &[Value], rules: &Rules<'_>) -> Store {
    let mut batch = Batch::unchecked();
    for record in records {
        let json = record.to_string();
        let accepted = read_record(json.as_bytes(), rules)
            .unwrap_or_else(|refused| panic!("{refused} in {json}"));
        batch.put(accepted.entry);
    }
    let store = Store::over(Memory::new()).expect("memory takes the format");
    store.write(&batch).expect("memory can be written");
    store
}

/// Returns a store that cannot be reached (RES-2.4.1-5).
pub fn unavailable() -> Store {
    failing(|| Unavailable::Stopped.into())
}

/// Returns a store whose engine, once the store is open, fails with the result of `fault`; `fault`
/// may also panic.
///
/// # Panics
///
/// Never: the engine fails only after the store is open.
pub fn failing(fault: impl Fn() -> EngineError + Send + Sync + 'static) -> Store {
    let engine = Arc::new(Failing { rows: Memory::new(), fails: AtomicBool::new(false), fault });
    let store = Store::over(Arc::clone(&engine)).expect("it does not fail yet");
    engine.fails.store(true, Ordering::Release);
    store
}

/// An engine whose snapshots and writes fail.
struct Failing<F> {
    rows: Memory,
    fails: AtomicBool,
    fault: F,
}

impl<F: Fn() -> EngineError> Failing<F> {
    fn check(&self) -> Result<(), EngineError> {
        if self.fails.load(Ordering::Acquire) { Err((self.fault)()) } else { Ok(()) }
    }
}

impl<F: Fn() -> EngineError + Send + Sync> Engine for Failing<F> {
    fn location(&self) -> &str {
        self.rows.location()
    }

    fn snapshot(&self) -> Result<Box<dyn Snapshot + '_>, EngineError> {
        self.check()?;
        self.rows.snapshot()
    }

    fn write(&self, prefetch: &Prefetch, work: &mut Work<'_>) -> Result<(), EngineError> {
        self.check()?;
        self.rows.write(prefetch, work)
    }
}
