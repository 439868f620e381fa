//! The databases of a store: found and recognised by their format, or created.

use heed::types::{Bytes, Str};
use heed::{
    CommitOrAbort, CommitToken, Database, DatabaseOpener, MdbError, OnCommit, RoTxn, RwTxn, WithTls,
};

use crate::environment::Environment;
use crate::error::StoreError;
use crate::format::{
    AUDIT, CHANGES, DOCUMENTS, ENTRIES, FORMAT, FORMAT_KEY, HISTORY, META, PERSONAL, REVISIONS,
    format_text, parse_format,
};

/// Values by bytes, both as [`crate::format`] describes them.
pub(crate) type Rows = Database<'static, Bytes, Bytes>;

/// Handles of the databases, valid as long as their environment.
pub(crate) type Databases = Handles<'static>;

/// Handles of the databases, valid within the transaction that opens them until that is committed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handles<'d> {
    pub(crate) entries: Database<'d, Str, Bytes>,
    pub(crate) meta: Database<'d, Str, Bytes>,
    pub(crate) history: Database<'d, Bytes, Bytes>,
    pub(crate) changes: Database<'d, Bytes, Bytes>,
    pub(crate) revisions: Database<'d, Bytes, Bytes>,
    pub(crate) audit: Database<'d, Bytes, Bytes>,
    pub(crate) personal: Database<'d, Bytes, Bytes>,
    pub(crate) documents: Database<'d, Bytes, Bytes>,
}

const FOREIGN: &str = "it holds LMDB data of another program";
const INCOMPLETE: &str = "a part of its databases is missing";

/// What an environment holds.
enum Found {
    Store(Databases),
    Nothing,
    /// A store of a format before ours.
    Older,
    Other(&'static str),
    Newer(u32),
}

impl Databases {
    /// Finds the databases of a store, and creates them in an environment that holds nothing or a store of an
    /// older format. Returns the format, which then is still to be brought up.
    ///
    /// A store of a newer format is recognised in a read transaction, before anything could change.
    pub(crate) fn open(environment: &Environment) -> Result<(Self, u32), StoreError> {
        match Self::find(environment)? {
            Found::Store(databases) => Ok((databases, FORMAT)),
            Found::Nothing | Found::Older => Self::create(environment),
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
            Ok(match Handles::opened(opener, txn)? {
                Some(handles) if version == FORMAT => CommitOrAbort::Commit(handles),
                _ if version < FORMAT => CommitOrAbort::Abort(Found::Older),
                _ => CommitOrAbort::Abort(Found::Other(INCOMPLETE)),
            })
        });
        match found.map_err(|error| environment.fault(error))? {
            CommitOrAbort::Commit(databases) => Ok(Found::Store(databases)),
            CommitOrAbort::Abort(found) => Ok(found),
        }
    }

    /// Creates what is missing; another process may have done so since it was looked for.
    fn create(environment: &Environment) -> Result<(Self, u32), StoreError> {
        let mut format = FORMAT;
        let txn = environment.write()?;
        let created = environment.env().create_databases_and_commit(txn, |opener, txn| {
            let handles = Handles::created(opener, txn)?;
            match handles.meta.get(txn, FORMAT_KEY)?.map(parse_format) {
                None => handles.meta.put(txn, FORMAT_KEY, format_text(FORMAT).as_bytes())?,
                Some(Some(version)) if version <= FORMAT => format = version,
                Some(Some(version)) => return Ok(CommitOrAbort::Abort(Found::Newer(version))),
                Some(None) => {
                    return Ok(CommitOrAbort::Abort(Found::Other("its format is unknown")));
                }
            }
            Ok(CommitOrAbort::Commit(handles))
        });
        match created.map_err(|error: heed::Error| environment.fault(error))? {
            CommitOrAbort::Commit(databases) => Ok((databases, format)),
            CommitOrAbort::Abort(Found::Newer(found)) => {
                Err(StoreError::NewerFormat { found, supported: FORMAT })
            }
            CommitOrAbort::Abort(_) => Err(StoreError::NotAStore {
                path: environment.dir().to_owned(),
                found: "its format is unknown",
            }),
        }
    }

    /// The databases by name, all but `meta` and `entries`, whose keys are texts.
    pub(crate) fn rows(&self) -> [(&'static str, Rows); 8] {
        [
            (META, self.meta.remap_key_type()),
            (ENTRIES, self.entries.remap_key_type()),
            (HISTORY, self.history),
            (CHANGES, self.changes),
            (REVISIONS, self.revisions),
            (AUDIT, self.audit),
            (PERSONAL, self.personal),
            (DOCUMENTS, self.documents),
        ]
    }
}

impl<'d> Handles<'d> {
    fn opened(
        opener: &DatabaseOpener<'d, WithTls>,
        txn: &RoTxn<'d, WithTls>,
    ) -> heed::Result<Option<Self>> {
        let texts = |name| opener.open_database::<Str, Bytes>(txn, Some(name));
        let rows = |name| opener.open_database::<Bytes, Bytes>(txn, Some(name));
        let (Some(entries), Some(meta)) = (texts(ENTRIES)?, texts(META)?) else { return Ok(None) };
        let (Some(history), Some(changes)) = (rows(HISTORY)?, rows(CHANGES)?) else {
            return Ok(None);
        };
        let (Some(revisions), Some(audit)) = (rows(REVISIONS)?, rows(AUDIT)?) else {
            return Ok(None);
        };
        let (Some(personal), Some(documents)) = (rows(PERSONAL)?, rows(DOCUMENTS)?) else {
            return Ok(None);
        };
        let handles =
            Self { entries, meta, history, changes, revisions, audit, personal, documents };
        Ok(Some(handles))
    }

    fn created(opener: &DatabaseOpener<'d, WithTls>, txn: &mut RwTxn<'d>) -> heed::Result<Self> {
        let entries = opener.create_database::<Str, Bytes>(txn, Some(ENTRIES))?;
        let meta = opener.create_database::<Str, Bytes>(txn, Some(META))?;
        let mut rows = |name| opener.create_database::<Bytes, Bytes>(txn, Some(name));
        Ok(Self {
            entries,
            meta,
            history: rows(HISTORY)?,
            changes: rows(CHANGES)?,
            revisions: rows(REVISIONS)?,
            audit: rows(AUDIT)?,
            personal: rows(PERSONAL)?,
            documents: rows(DOCUMENTS)?,
        })
    }
}

impl OnCommit for Handles<'_> {
    type Committed = Databases;

    fn on_commit(self, token: &CommitToken) -> Databases {
        Handles {
            entries: self.entries.on_commit(token),
            meta: self.meta.on_commit(token),
            history: self.history.on_commit(token),
            changes: self.changes.on_commit(token),
            revisions: self.revisions.on_commit(token),
            audit: self.audit.on_commit(token),
            personal: self.personal.on_commit(token),
            documents: self.documents.on_commit(token),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::{Store, StoreOptions};

    fn open(dir: &Path) -> Result<Store, StoreError> {
        Store::open(dir, StoreOptions::default())
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

        for result in [open(dir.path()), Store::open_existing(dir.path(), StoreOptions::default())]
        {
            let error = result.unwrap_err();
            assert!(
                matches!(error, StoreError::NewerFormat { found: 7, supported: FORMAT }),
                "{error:?}"
            );
            assert_eq!(
                error.to_string(),
                "the store has format 7, this release reads up to 2: use the release that wrote it, \
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
