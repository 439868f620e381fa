//! The tables: created when the store is opened first, changed forward only.
//!
//! | table | rows |
//! |---|---|
//! | `state` | one row: `layout` of the tables, `number` and `last_commit` (a random id) of the last commit; the writer locks it |
//! | `writers` | for each process that has written: the id of its last commit, and when the server noted it |
//! | `meta`, `entries`, … | one for each table of the store: `key` and `value` |
//!
//! `entries` also has `revision` and `record`, which the view `records` shows; the store never
//! reads them.

use fingerpost_engine::{EngineError, Table};
use tokio_postgres::error::SqlState;

use crate::fault::{Fault, Kind};
use crate::limits::SCHEMA_ATTEMPTS;
use crate::session::Session;

/// The layout of the tables that this release writes.
const LAYOUT: i32 = 1;

/// The rows of `writers` that nobody waits for are deleted after this time.
const FORGOTTEN: &str = "30 days";

/// A fault of the database, or a layout that this release does not know.
pub(crate) enum Refused {
    Fault(Fault),
    Newer(EngineError),
}

/// Creates the tables, or brings them to the newest layout, if that is needed.
pub(crate) fn bring_up(session: &Session, schema: &str) -> Result<(), Refused> {
    for attempt in 1.. {
        match layout(session, schema) {
            Ok(Some(LAYOUT)) => {
                forget_writers(session, schema);
                return Ok(());
            }
            Ok(Some(found)) if found > LAYOUT => {
                let (found, supported) = (found.unsigned_abs(), LAYOUT.unsigned_abs());
                return Err(Refused::Newer(EngineError::NewerFormat { found, supported }));
            }
            Ok(_) => {}
            Err(fault) => return Err(Refused::Fault(fault)),
        }
        match create(session, schema) {
            Err(fault) if attempt < SCHEMA_ATTEMPTS && is_met_by_another(&fault) => {
                session.send("ROLLBACK");
                std::thread::sleep(std::time::Duration::from_millis(50));
            }
            Err(fault) => return Err(Refused::Fault(fault)),
            Ok(()) => {}
        }
    }
    unreachable!("an endless loop")
}

/// Returns the layout of existing tables.
fn layout(session: &Session, schema: &str) -> Result<Option<i32>, Fault> {
    match session.number(&format!("SELECT layout FROM {schema}.state WHERE id = 1")) {
        Ok(found) => Ok(found),
        Err(fault) => match fault.code() {
            Some(code)
                if [SqlState::UNDEFINED_TABLE, SqlState::INVALID_SCHEMA_NAME].contains(code) =>
            {
                Ok(None)
            }
            _ => Err(fault),
        },
    }
}

/// Creates the tables in one transaction. The row of the state comes last: with it, they are
/// complete.
fn create(session: &Session, schema: &str) -> Result<(), Fault> {
    let mut text = format!(
        "BEGIN;
         CREATE SCHEMA IF NOT EXISTS {schema};
         CREATE TABLE IF NOT EXISTS {schema}.state (
             id int PRIMARY KEY CHECK (id = 1), layout int NOT NULL, number bigint NOT NULL, last_commit bytea NOT NULL);
         CREATE TABLE IF NOT EXISTS {schema}.writers (
             writer bytea PRIMARY KEY, last_commit bytea NOT NULL, at timestamptz NOT NULL);"
    );
    for table in Table::ALL {
        let more = match table {
            Table::Entries => ", revision bigint, record jsonb",
            _ => "",
        };
        let name = table.name();
        text += &format!(
            "CREATE TABLE IF NOT EXISTS {schema}.{name} (key bytea PRIMARY KEY, value bytea NOT NULL{more});"
        );
    }
    text += &format!(
        "CREATE OR REPLACE VIEW {schema}.records AS
             SELECT convert_from(key, 'UTF8') AS level, revision, record FROM {schema}.entries;
         INSERT INTO {schema}.state (id, layout, number, last_commit) VALUES (1, {LAYOUT}, 0, '')
             ON CONFLICT (id) DO NOTHING;
         COMMIT"
    );
    session.batch(&text)
}

/// Whether the fault shows that another node creates the same tables at this moment.
fn is_met_by_another(fault: &Fault) -> bool {
    let codes = [
        SqlState::UNIQUE_VIOLATION,
        SqlState::DUPLICATE_TABLE,
        SqlState::DUPLICATE_SCHEMA,
        SqlState::DUPLICATE_OBJECT,
        SqlState::INTERNAL_ERROR, // "tuple concurrently updated"
    ];
    fault.kind() == Kind::Conflict || fault.code().is_some_and(|code| codes.contains(code))
}

/// Deletes the rows of processes that ended long ago. If it fails, the next start does it.
fn forget_writers(session: &Session, schema: &str) {
    let old =
        format!("DELETE FROM {schema}.writers WHERE at < now() - CAST('{FORGOTTEN}' AS interval)");
    let _ = session.batch(&old);
}
