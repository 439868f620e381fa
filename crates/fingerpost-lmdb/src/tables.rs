//! The tables of an environment: opens those of a store after checking its format, or creates them.
//!
//! Each table is a named LMDB database. Opening detects databases of other programs, and stores of
//! a newer format, before it creates anything.

use fingerpost_engine::format::{FORMAT, FORMAT_KEY, format_text, parse_format};
use fingerpost_engine::{EngineError, Table};
use heed::types::Bytes;
use heed::{
    CommitOrAbort, CommitToken, Database, DatabaseOpener, MdbError, OnCommit, RoTxn, RwTxn, WithTls,
};

use crate::environment::Environment;

/// Handles of the tables, valid as long as their environment.
pub(super) type Tables = Handles<'static>;

/// Handles of the tables, valid within the transaction that opens them until that is committed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handles<'d>([Database<'d, Bytes, Bytes>; Table::ALL.len()]);

const FOREIGN: &str = "it holds LMDB data of another program";
const INCOMPLETE: &str = "a part of its databases is missing";
const UNKNOWN: &str = "its format is unknown";

/// The contents of an environment.
enum Contents {
    Store(Tables),
    Nothing,
    /// A store of an older format.
    Older,
    Other(&'static str),
    Newer(u32),
}

impl Tables {
    /// Opens the tables of a store; creates them in an empty environment, or in a store of an older
    /// format.
    ///
    /// A read transaction detects a store of a newer format before anything can change.
    pub(super) fn open(environment: &Environment) -> Result<Self, EngineError> {
        match Self::find(environment)? {
            Contents::Store(tables) => Ok(tables),
            Contents::Nothing | Contents::Older => Self::create(environment),
            Contents::Other(found) => {
                Err(EngineError::NotAStore { path: environment.dir().to_owned(), found })
            }
            Contents::Newer(found) => Err(EngineError::NewerFormat { found, supported: FORMAT }),
        }
    }

    #[inline]
    pub(super) fn of(&self, table: Table) -> Database<'static, Bytes, Bytes> {
        self.0[table.index()]
    }

    fn find(environment: &Environment) -> Result<Contents, EngineError> {
        let env = environment.env();
        let (_held, txn) = environment.read()?;
        let found = env.open_databases_and_commit(txn, |opener, txn| {
            let meta = match opener.open_database::<Bytes, Bytes>(txn, Some(Table::Meta.name())) {
                Ok(Some(meta)) => meta,
                Ok(None) if env.unnamed_database_stat().entries == 0 => {
                    return Ok(CommitOrAbort::Abort(Contents::Nothing));
                }
                Ok(None) | Err(heed::Error::Mdb(MdbError::Incompatible)) => {
                    return Ok(CommitOrAbort::Abort(Contents::Other(FOREIGN)));
                }
                Err(error) => return Err(error),
            };
            let Some(Some(version)) = meta.get(txn, FORMAT_KEY)?.map(parse_format) else {
                return Ok(CommitOrAbort::Abort(Contents::Other(FOREIGN)));
            };
            if version > FORMAT {
                return Ok(CommitOrAbort::Abort(Contents::Newer(version)));
            }
            Ok(match Handles::opened(opener, txn)? {
                Some(handles) if version == FORMAT => CommitOrAbort::Commit(handles),
                _ if version < FORMAT => CommitOrAbort::Abort(Contents::Older),
                _ => CommitOrAbort::Abort(Contents::Other(INCOMPLETE)),
            })
        });
        match found.map_err(|error| environment.fault(error))? {
            CommitOrAbort::Commit(tables) => Ok(Contents::Store(tables)),
            CommitOrAbort::Abort(found) => Ok(found),
        }
    }

    /// Creates missing tables; another process may have created them since the check.
    fn create(environment: &Environment) -> Result<Self, EngineError> {
        let (_held, txn) = environment.write()?;
        let created = environment.env().create_databases_and_commit(txn, |opener, txn| {
            let handles = Handles::created(opener, txn)?;
            let meta = handles.0[Table::Meta.index()];
            match meta.get(txn, FORMAT_KEY)?.map(parse_format) {
                None => meta.put(txn, FORMAT_KEY, format_text(FORMAT).as_bytes())?,
                Some(Some(version)) if version <= FORMAT => {}
                Some(Some(version)) => return Ok(CommitOrAbort::Abort(Contents::Newer(version))),
                Some(None) => return Ok(CommitOrAbort::Abort(Contents::Other(UNKNOWN))),
            }
            Ok(CommitOrAbort::Commit(handles))
        });
        match created.map_err(|error: heed::Error| environment.fault(error))? {
            CommitOrAbort::Commit(tables) => Ok(tables),
            CommitOrAbort::Abort(Contents::Newer(found)) => {
                Err(EngineError::NewerFormat { found, supported: FORMAT })
            }
            CommitOrAbort::Abort(_) => {
                Err(EngineError::NotAStore { path: environment.dir().to_owned(), found: UNKNOWN })
            }
        }
    }
}

impl<'d> Handles<'d> {
    /// Returns the tables, unless one is missing.
    fn opened(
        opener: &DatabaseOpener<'d, WithTls>,
        txn: &RoTxn<'d, WithTls>,
    ) -> heed::Result<Option<Self>> {
        let mut handles = Vec::with_capacity(Table::ALL.len());
        for table in Table::ALL {
            handles.extend(opener.open_database(txn, Some(table.name()))?);
        }
        Ok(handles.try_into().ok().map(Self))
    }

    fn created(opener: &DatabaseOpener<'d, WithTls>, txn: &mut RwTxn<'d>) -> heed::Result<Self> {
        let mut handles = Vec::with_capacity(Table::ALL.len());
        for table in Table::ALL {
            handles.push(opener.create_database(txn, Some(table.name()))?);
        }
        Ok(Self(handles.try_into().expect("each table gave one handle")))
    }
}

impl OnCommit for Handles<'_> {
    type Committed = Tables;

    fn on_commit(self, token: &CommitToken) -> Tables {
        Handles(self.0.on_commit(token))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use fingerpost_engine::{Engine, Prefetch, Verdict};

    use crate::{Lmdb, LmdbOptions};

    fn open(dir: &Path) -> Result<Lmdb, EngineError> {
        Lmdb::create(dir, LmdbOptions::default())
    }

    #[test]
    fn a_store_of_a_newer_format_is_refused_and_stays_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path()).unwrap();
        store
            .write(&Prefetch::NONE, &mut |rows| {
                rows.put(Table::Meta, FORMAT_KEY, b"fingerpost/7")?;
                Ok(Verdict::Keep)
            })
            .unwrap();
        drop(store);
        let data = dir.path().join("data.mdb");
        let before = fs::read(&data).unwrap();

        for result in [open(dir.path()), Lmdb::open_existing(dir.path(), LmdbOptions::default())] {
            let error = result.unwrap_err();
            assert!(
                matches!(error, EngineError::NewerFormat { found: 7, supported: FORMAT }),
                "{error:?}"
            );
            assert_eq!(
                error.to_string(),
                "the store has format 7, this release reads up to 3: use the release that wrote it, \
                 or export there and import here"
            );
        }
        assert_eq!(fs::read(&data).unwrap(), before);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
    }

    #[test]
    fn data_of_another_program_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let environment =
            Environment::create(dir.path(), LmdbOptions::default().map_size(1 << 20)).unwrap();
        let (held, txn) = environment.write().unwrap();
        environment
            .env()
            .create_databases_and_commit(txn, |opener, txn| {
                opener
                    .create_database::<Bytes, Bytes>(txn, Some("theirs"))
                    .map(CommitOrAbort::<_, ()>::Commit)
            })
            .unwrap()
            .unwrap_commit();
        drop(held);
        drop(environment);
        let error = open(dir.path()).unwrap_err();
        assert!(matches!(error, EngineError::NotAStore { found: FOREIGN, .. }), "{error:?}");
    }

    #[test]
    fn a_store_that_was_killed_before_it_had_databases_is_completed() {
        let dir = tempfile::tempdir().unwrap();
        drop(Environment::create(dir.path(), LmdbOptions::default().map_size(1 << 20)).unwrap());
        let lmdb = open(dir.path()).unwrap();
        assert_eq!(lmdb.snapshot().unwrap().count(Table::Entries).unwrap(), 0);
    }
}
