//! The database in MMDB format
//! (<https://maxmind.github.io/MaxMind-DB/>), entirely in memory.

use std::fs::File;
use std::io::{self, Read};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use fingerpost_insight::CountryCode;
use fingerpost_public::{Config, CountrySource, FindCountry};
use maxminddb::{Reader, path};

use crate::failure::Failure;
use crate::limits::MAX_COUNTRY_DATABASE;
use crate::metrics::{Families, number};
use crate::services::{Next, Service, Stop};

/// How often the file is looked at; a change must be the same twice.
const LOOK: Duration = Duration::from_secs(2);

/// The countries of addresses.
#[derive(Clone, Debug)]
pub(crate) struct Countries(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    database: RwLock<Arc<Reader<Vec<u8>>>>,
    /// The file in use, and the file when it was last looked at.
    files: Mutex<[Option<FileMark>; 2]>,
    refused: AtomicU64,
}

/// What tells a file from the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileMark {
    modified: SystemTime,
    bytes: u64,
}

impl FileMark {
    fn of(path: &Path) -> Option<Self> {
        let metadata = path.metadata().ok()?;
        Some(Self { modified: metadata.modified().ok()?, bytes: metadata.len() })
    }
}

impl Countries {
    /// Reads the configured database; `None` if there is none.
    pub(crate) fn open(config: &Config) -> Result<Option<Self>, Failure> {
        let Some(CountrySource::Database(path)) = config.country() else { return Ok(None) };
        let mark = FileMark::of(path);
        let database = read(path).map_err(|error| {
            let advice = "it must be a file in MMDB format, such as GeoLite2 Country";
            Failure::advise(format!("country.database `{}`: {error}", path.display()), advice)
        })?;
        Ok(Some(Self(Arc::new(Shared {
            path: path.clone(),
            database: RwLock::new(Arc::new(database)),
            files: Mutex::new([mark; 2]),
            refused: AtomicU64::new(0),
        }))))
    }

    fn database(&self) -> Arc<Reader<Vec<u8>>> {
        Arc::clone(&self.0.database.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads the file again if it has changed, and is not being written any more. A broken one is
    /// not used.
    fn refresh(&self) {
        let Shared { path, database, files, refused } = &*self.0;
        let mut files = files.lock().unwrap_or_else(PoisonError::into_inner);
        let [used, seen] = &mut *files;
        // It may be missing for a moment while it is replaced.
        let Some(now) = FileMark::of(path) else { return };
        let is_written = seen.replace(now) != Some(now);
        if *used == Some(now) || is_written {
            return;
        }
        *used = Some(now);
        match read(path) {
            Ok(new) => {
                *database.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(new);
                tracing::info!(path = %path.display(), "the database of countries was read again");
            }
            Err(error) => {
                refused.fetch_add(1, Relaxed);
                tracing::warn!(
                    path = %path.display(),
                    %error,
                    "the new database of countries cannot be used; the old one stays in use"
                );
            }
        }
    }
}

/// Reads a database as a whole and checks it, so that no request meets a fault of it.
fn read(path: &Path) -> Result<Reader<Vec<u8>>, io::Error> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_COUNTRY_DATABASE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_COUNTRY_DATABASE {
        let expected = format!("expected at most {MAX_COUNTRY_DATABASE} bytes, found more");
        return Err(io::Error::other(expected));
    }
    let database = Reader::from_source(bytes).map_err(io::Error::other)?;
    database.verify().map_err(io::Error::other)?;
    Ok(database)
}

impl FindCountry for Countries {
    fn country_of(&self, address: IpAddr) -> Option<CountryCode> {
        let database = self.database();
        let found = database.lookup(address).ok()?;
        let code: Option<&str> = found.decode_path(&path!["country", "iso_code"]).ok().flatten();
        code.or_else(|| found.decode_path(&path!["country_code"]).ok().flatten())?.parse().ok()
    }
}

impl Service for Countries {
    fn name(&self) -> &'static str {
        "countries"
    }

    fn run(&self, _: &Stop) -> Result<Next, Failure> {
        self.refresh();
        Ok(Next::After(LOOK))
    }

    fn report(&self, families: &mut Families) {
        families.one(
            "country_database_built_timestamp_seconds",
            "When the database of countries in use was built.",
            number(self.database().metadata().build_epoch),
        );
        families.one_counter(
            "country_database_refusals_total",
            "Changed databases of countries since the start that could not be used.",
            self.0.refused.load(Relaxed),
        );
    }
}
