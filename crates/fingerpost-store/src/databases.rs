//! The two databases of a store: found and recognised by their format, or created.

use heed::types::{Bytes, Str};
use heed::{CommitOrAbort, Database, MdbError};

use crate::environment::Environment;
use crate::error::StoreError;
use crate::format::{ENTRIES, FORMAT, FORMAT_KEY, META, format_text, parse_format};

/// Values by text, both as [`crate::format`] describes them.
pub(crate) type Table = Database<'static, Str, Bytes>;

/// Handles of the two databases, valid as long as their environment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Databases {
    pub(crate) entries: Table,
    pub(crate) meta: Table,
}

const FOREIGN: &str = "it holds LMDB data of another program";

/// What an environment holds.
enum Found {
    Store(Databases),
    Nothing,
    Other(&'static str),
    Newer(u32),
}

impl Databases {
    /// Finds the databases of a store, and creates them in an environment that holds nothing.
    ///
    /// A store of a newer format is recognised in a read transaction, before anything could change.
    pub(crate) fn open(environment: &Environment) -> Result<Self, StoreError> {
        match Self::find(environment)? {
            Found::Store(databases) => Ok(databases),
            Found::Nothing => Self::create(environment),
            Found::Other(found) => {
                Err(StoreError::NotAStore { path: environment.dir().to_owned(), found })
            }
            Found::Newer(found) => Err(StoreError::NewerFormat { found, supported: FORMAT }),
        }
    }

    fn find(environment: &Environment) -> Result<Found, StoreError> {
        let env = environment.env();
        let txn = environment.read()?;
        let found = env.open_databases_and_commit(txn, |opener, txn| {
            let meta = match opener.open_database::<Str, Bytes>(txn, Some(META)) {
                Ok(Some(meta)) => meta,
                Ok(None) if env.unnamed_database_stat().entries == 0 => {
                    return Ok(CommitOrAbort::Abort(Found::Nothing));
                }
                Ok(None) | Err(heed::Error::Mdb(MdbError::Incompatible)) => {
                    return Ok(CommitOrAbort::Abort(Found::Other(FOREIGN)));
                }
                Err(error) => return Err(error),
            };
            let Some(Some(version)) = meta.get(txn, FORMAT_KEY)?.map(parse_format) else {
                return Ok(CommitOrAbort::Abort(Found::Other(FOREIGN)));
            };
            if version > FORMAT {
                return Ok(CommitOrAbort::Abort(Found::Newer(version)));
            }
            match opener.open_database::<Str, Bytes>(txn, Some(ENTRIES))? {
                Some(entries) => Ok(CommitOrAbort::Commit((meta, entries))),
                None => Ok(CommitOrAbort::Abort(Found::Other("its entries are missing"))),
            }
        });
        match found.map_err(|error| environment.fault(error))? {
            CommitOrAbort::Commit((meta, entries)) => Ok(Found::Store(Self { entries, meta })),
            CommitOrAbort::Abort(found) => Ok(found),
        }
    }

    /// Creates both databases; another process may have done so since they were looked for.
    fn create(environment: &Environment) -> Result<Self, StoreError> {
        let txn = environment.write()?;
        let created = environment.env().create_databases_and_commit(txn, |opener, txn| {
            let meta = opener.create_database::<Str, Bytes>(txn, Some(META))?;
            match meta.get(txn, FORMAT_KEY)?.map(parse_format) {
                None => meta.put(txn, FORMAT_KEY, format_text(FORMAT).as_bytes())?,
                Some(Some(version)) if version <= FORMAT => {}
                Some(Some(version)) => return Ok(CommitOrAbort::Abort(Found::Newer(version))),
                Some(None) => {
                    return Ok(CommitOrAbort::Abort(Found::Other("its format is unknown")));
                }
            }
            let entries = opener.create_database::<Str, Bytes>(txn, Some(ENTRIES))?;
            Ok(CommitOrAbort::Commit((meta, entries)))
        });
        match created.map_err(|error: heed::Error| environment.fault(error))? {
            CommitOrAbort::Commit((meta, entries)) => Ok(Self { entries, meta }),
            CommitOrAbort::Abort(Found::Newer(found)) => {
                Err(StoreError::NewerFormat { found, supported: FORMAT })
            }
            CommitOrAbort::Abort(_) => Err(StoreError::NotAStore {
                path: environment.dir().to_owned(),
                found: "its format is unknown",
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::{EmbeddedStore, StoreOptions};

    fn open(dir: &Path) -> Result<EmbeddedStore, StoreError> {
        EmbeddedStore::open(dir, StoreOptions::default())
    }

    #[test]
    fn a_store_of_a_newer_format_is_refused_and_stays_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path()).unwrap();
        let mut txn = store.environment.write().unwrap();
        store.databases.meta.put(&mut txn, FORMAT_KEY, b"fingerpost/7").unwrap();
        txn.commit().unwrap();
        drop(store);
        let data = dir.path().join("data.mdb");
        let before = fs::read(&data).unwrap();

        for result in
            [open(dir.path()), EmbeddedStore::open_existing(dir.path(), StoreOptions::default())]
        {
            let error = result.unwrap_err();
            assert!(
                matches!(error, StoreError::NewerFormat { found: 7, supported: FORMAT }),
                "{error:?}"
            );
            assert_eq!(
                error.to_string(),
                "the store has format 7, this release reads up to 1: use the release that wrote it, \
                 or export there and import here"
            );
        }
        assert_eq!(fs::read(&data).unwrap(), before);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
    }

    #[test]
    fn data_of_another_program_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let environment = Environment::create(dir.path(), 1 << 20).unwrap();
        let txn = environment.write().unwrap();
        environment
            .env()
            .create_databases_and_commit(txn, |opener, txn| {
                opener
                    .create_database::<Str, Bytes>(txn, Some("theirs"))
                    .map(CommitOrAbort::<_, ()>::Commit)
            })
            .unwrap()
            .unwrap_commit();
        drop(environment);
        let error = open(dir.path()).unwrap_err();
        assert!(matches!(error, StoreError::NotAStore { found: FOREIGN, .. }), "{error:?}");
    }

    #[test]
    fn a_store_that_was_killed_before_it_had_databases_is_completed() {
        let dir = tempfile::tempdir().unwrap();
        drop(Environment::create(dir.path(), 1 << 20).unwrap());
        assert!(open(dir.path()).unwrap().is_empty().unwrap());
    }
}
