//! Rerunning the tests of a program over another storage engine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use fingerpost_engine::Memory;
use fingerpost_postgres::{DatabaseAddress, Postgres, PostgresOptions};
use fingerpost_store::{Store, StoreOptions, stored_record};

use crate::cluster::{Cluster, shared_cluster};
use crate::skip::skipped as skip;

/// Name of the variable with the engine that the tests of this process use; LMDB by default.
const ENGINE: &str = "FINGERPOST_TEST_ENGINE";
const POSTGRES: &str = "postgres";

/// In-memory engines by the directory that they represent, so that a store can be closed and opened
/// again.
static ENGINES: Mutex<BTreeMap<PathBuf, Arc<Memory>>> = Mutex::new(BTreeMap::new());

/// Addresses of schemas by the directory that they represent.
static SCHEMAS: Mutex<BTreeMap<PathBuf, DatabaseAddress>> = Mutex::new(BTreeMap::new());

/// Opens the store of a directory over the engine that this process tests.
///
/// # Panics
///
/// If the store cannot be opened, or [`run_all_over`] named an unknown engine.
pub fn open_store(dir: &Path, options: StoreOptions) -> Store {
    let memory = match std::env::var(ENGINE).as_deref() {
        Err(_) => return Store::open(dir, options).expect("the store opens"),
        Ok("memory") => Memory::new,
        Ok("repeating") => || Memory::new().repeating(),
        Ok(POSTGRES) => return open_postgres(dir),
        Ok(other) => panic!("there is no engine `{other}`"),
    };
    let mut engines = ENGINES.lock().unwrap_or_else(PoisonError::into_inner);
    let engine = engines.entry(dir.to_owned()).or_insert_with(|| Arc::new(memory()));
    Store::over(Arc::clone(engine)).expect("the store opens")
}

/// Returns an engine with an empty schema of the server that all tests of this process share.
///
/// # Panics
///
/// If the server cannot be used.
pub fn fresh_postgres() -> Result<Postgres, &'static str> {
    Ok(engine_at(&fresh_address(shared_cluster()?)))
}

/// Opens the store in a database.
///
/// # Panics
///
/// If the server cannot be used, or the URL is none of a database.
pub fn store_at(url: &str) -> Store {
    let address = DatabaseAddress::parse(url).expect("a valid address");
    Store::over(engine_at(&address)).expect("the store opens")
}

fn open_postgres(dir: &Path) -> Store {
    let cluster = shared_cluster().expect("the run was started because there is a server");
    let mut schemas = SCHEMAS.lock().unwrap_or_else(PoisonError::into_inner);
    let address = schemas.entry(dir.to_owned()).or_insert_with(|| fresh_address(cluster)).clone();
    drop(schemas);
    Store::over(engine_at(&address)).expect("the store opens")
}

fn fresh_address(cluster: &Cluster) -> DatabaseAddress {
    DatabaseAddress::parse(&cluster.fresh_schema()).expect("a valid address")
}

fn engine_at(address: &DatabaseAddress) -> Postgres {
    let options = PostgresOptions::default().describe(stored_record);
    Postgres::open(address, options).expect("the database opens")
}

/// Runs the tests of this program once more over another engine: `memory`; `repeating`, which runs
/// each write twice; `postgres`, if it is installed. Skips tests whose names contain one of
/// `skipped`: they test files of a store or processes, not engines.
///
/// # Panics
///
/// If a test fails, or fewer than five run.
pub fn run_all_over(engine: &str, skipped: &[&str]) {
    if std::env::var_os(ENGINE).is_some() {
        return; // this process is that run
    }
    if let (POSTGRES, Err(why)) = (engine, Cluster::is_installed()) {
        return skip("all tests over PostgreSQL", &why);
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
    assert!(passed >= 5, "{text}");
}
