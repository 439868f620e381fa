//! Rerunning the tests of a program over another storage engine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use fingerpost_store::engine::Memory;
use fingerpost_store::{Store, StoreOptions};

/// Name of the variable with the engine that the tests of this process use; LMDB by default.
const ENGINE: &str = "FINGERPOST_TEST_ENGINE";

/// In-memory engines by the directory that they represent, so that a store can be closed and opened again.
static ENGINES: Mutex<BTreeMap<PathBuf, Arc<Memory>>> = Mutex::new(BTreeMap::new());

/// Opens the store of a directory over the engine that this process tests.
///
/// # Panics
///
/// If the store cannot be opened, or [`run_all_over`] named an unknown engine.
#[must_use]
pub fn open_store(dir: &Path, options: StoreOptions) -> Store {
    let memory = match std::env::var(ENGINE).as_deref() {
        Err(_) => return Store::open(dir, options).expect("the store opens"),
        Ok("memory") => Memory::new,
        Ok("repeating") => || Memory::new().repeating(),
        Ok(other) => panic!("there is no engine `{other}`"),
    };
    let mut engines = ENGINES.lock().unwrap_or_else(PoisonError::into_inner);
    let engine = engines.entry(dir.to_owned()).or_insert_with(|| Arc::new(memory()));
    Store::over(Arc::clone(engine), options).expect("the store opens")
}

/// Runs the tests of this program once more over another engine: `memory`, or `repeating`, which runs each write twice. Skips tests whose
/// names contain one of `skipped`: they test files of a store or processes, not engines.
///
/// # Panics
///
/// If a test fails, or fewer than ten run.
pub fn run_all_over(engine: &str, skipped: &[&str]) {
    if std::env::var_os(ENGINE).is_some() {
        return; // this process is that run
    }
    let mut command = Command::new(std::env::current_exe().expect("the program of this test"));
    command.env(ENGINE, engine).args(["--quiet", "--skip", "passes_every_test"]);
    for name in skipped {
        command.args(["--skip", name]);
    }
    let output = command.output().expect("this program runs again");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    let passed = text.split(" passed").next().and_then(|text| text.rsplit(' ').next());
    let passed: u32 = passed.and_then(|number| number.parse().ok()).unwrap_or_default();
    assert!(passed > 10, "{text}");
}
