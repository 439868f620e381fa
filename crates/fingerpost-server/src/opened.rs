//! The second step of a start: the store of the data directory is open and checked.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fingerpost_store::{Store, StoreError};

use crate::config::Config;
use crate::failure::Failure;
use crate::following::{Database, Followed};
use crate::mark::Mark;
use crate::starting::{Notice, Starting};

/// A server that has opened its store.
pub struct Opened {
    pub(crate) starting: Starting,
    pub(crate) data: PathBuf,
    pub(crate) store: Arc<Store>,
    pub(crate) followed: Option<Followed>,
    pub(crate) mark: Mark,
}

impl Opened {
    /// Opens the store of a data directory, which is created if it is missing.
    pub fn new(starting: Starting, data: PathBuf) -> Result<Self, Failure> {
        let followed = match starting.start.is_demo {
            true => None,
            false => Followed::of(&starting.config.source, Some(&data))?,
        };
        let (store, mark) =
            open_store(&starting.config, &data, followed.as_ref(), starting.start.notice)?;
        Ok(Self { starting, data, store, followed, mark })
    }

    /// Returns the configuration.
    pub fn config(&self) -> &Config {
        &self.starting.config
    }

    /// Returns the data directory.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// Returns the store of the data directory.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// Returns whether the store is empty and no other store is followed, so that every identifier
    /// is unknown.
    pub fn is_empty(&self) -> Result<bool, Failure> {
        Ok(self.followed.is_none() && self.store.is_empty()?)
    }
}

/// Opens the store of the data directory: the store itself, or the copy of the one that the node
/// follows. Checks it as configured, and its pages after a crash; if a check is left to do, the
/// store is marked as unchecked. Returns the mark of this server too.
pub(crate) fn open_store(
    config: &Config,
    data: &Path,
    followed: Option<&Followed>,
    notice: fn(Notice<'_>),
) -> Result<(Arc<Store>, Mark), Failure> {
    let options =
        config.store_options().cache_bytes(config.storage.cache_bytes.get()).random_reads();
    let options = if followed.is_some() { options.copy() } else { options };
    let store = Arc::new(Store::open(data, options)?);
    let mut mark = Mark::set(data);
    if mark.follows_a_crash() {
        notice(Notice::CheckingAfterCrash(data));
    }
    let file = store.size()?.map_or(0, |size| size.file);
    if !config.storage.check_at_start || file > config.storage.check_first.get() as u64 {
        if mark.demands_a_check() {
            store.check_pages()?;
        }
        store.set_unchecked(config.storage.check_at_start);
    } else {
        check(&store)?;
    }
    mark.forget_crashes();
    if followed.is_none() && store.copy_state()?.is_some() {
        return Err(Failure::advise(
            format!("`{}` is a copy of another store", data.display()),
            "set `url` in the table `store` of the configuration to the store that it is a copy of",
        ));
    }
    Ok((store, mark))
}

/// Checks all pages and rows of a store.
pub(crate) fn check(store: &Store) -> Result<(), Failure> {
    store.check_pages()?;
    store.check_rows().map_err(damaged_row)
}

/// The store that is written.
#[derive(Clone)]
pub(crate) enum Primary {
    /// In this process.
    Here(Arc<Store>),
    /// In a database that does not answer.
    Away(Arc<Database>),
    /// At another fingerpost.
    Elsewhere,
}

impl Primary {
    /// Returns the store that is written, which a database opens when it answers; `None` at another
    /// fingerpost.
    pub(crate) fn store(&self) -> Result<Option<Arc<Store>>, StoreError> {
        match self {
            Self::Here(store) => Ok(Some(Arc::clone(store))),
            Self::Away(database) => database.store().map(Some),
            Self::Elsewhere => Ok(None),
        }
    }

    /// Returns the store that is written. A node with a complete copy starts without its database.
    pub(crate) fn of(store: &Arc<Store>, followed: Option<&Followed>) -> Result<Self, Failure> {
        let database = match followed {
            None => return Ok(Self::Here(Arc::clone(store))),
            Some(Followed::Feed(_)) => return Ok(Self::Elsewhere),
            Some(Followed::Database(database)) => database,
        };
        match database.store() {
            Ok(store) => Ok(Self::Here(store)),
            Err(error) if store.copy_state()?.is_some_and(|copy| copy.is_complete()) => {
                tracing::error!(%error, "the database cannot be opened: scans are answered from the copy");
                Ok(Self::Away(Arc::clone(database)))
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Returns the failure of a store in which a row is damaged. The message of the error says how to
/// repair it.
fn damaged_row(error: StoreError) -> Failure {
    match error.is_damaged_row() {
        true => Failure::advise(
            error,
            "`fingerpost fsck` lists all damaged rows; with `check_at_start = false`, the server starts and refuses only what \
             needs them",
        ),
        false => error.into(),
    }
}
