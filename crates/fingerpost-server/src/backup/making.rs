//! Makes backups in a repository: reads the store into a temporary file, writes that to the
//! repository, restores it as a test, and deletes what is not kept.
//!
//! The temporary file has no name and is in the data directory, so a slow repository does not hold
//! back the store, and a killed process leaves nothing.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use fingerpost_store::{ChangesBackup, Store, StoreError, StoreOptions, verify_backup};
use jiff::Timestamp;

use super::keys::{Identities, Recipients};
use super::last::{FailedBackup, LastBackup};
use super::manifest::{Kind, Made, Manifest, Previous, Verified};
use super::repository::{Listing, Repository};
use super::restoring::head_at;
use super::storage::{BUSY, lock_file};
use super::{retention, trial};
use crate::config::{BackupOptions, Config};
use crate::failure::Failure;
use crate::limits::MAX_CHAIN;

/// The file in the data directory that a run locks.
const LOCK: &str = "backup.lock";

/// Makes the backups of one store.
pub struct Maker {
    options: BackupOptions,
    store_options: StoreOptions,
    /// The data directory, if the store has one: for the lock and what is noted of backups.
    data: Option<PathBuf>,
    /// Where temporary files are: there, or where there is none, in the directory of the system.
    spool: PathBuf,
    /// Where the backups are.
    pub repository: Repository,
    recipients: Recipients,
    /// The private keys with which backups are restored as a test.
    pub identities: Identities,
    clock: fn() -> Timestamp,
}

/// What a run did.
#[derive(Debug)]
pub struct Done {
    /// The backup.
    pub backup: Manifest,
    /// Why it is a full one instead of changes.
    pub why_full: Option<String>,
    /// Names of the backups that were deleted.
    pub deleted: Vec<String>,
}

impl Maker {
    /// Reads keys and opens the repository, if backups are configured.
    pub fn new(
        config: &Config,
        data: Option<&Path>,
        clock: fn() -> Timestamp,
    ) -> Result<Self, Failure> {
        let options = config.backup.clone();
        let to = options.to.as_deref().ok_or_else(|| {
            Failure::advise(
                "no repository for backups is configured",
                "set `to` in the table `backup` of the configuration, or FINGERPOST_BACKUP_TO, or give --to",
            )
        })?;
        Ok(Self {
            repository: Repository::open(to, &options)?,
            recipients: Recipients::of(&options)?,
            identities: Identities::of(options.identity_file.as_deref())?,
            store_options: config.store_options(),
            options,
            spool: data.map_or_else(std::env::temp_dir, Path::to_owned),
            data: data.map(Path::to_owned),
            clock,
        })
    }

    /// Makes a full backup, or one of what has changed if there is a backup that it can depend on;
    /// notes a failure in the data directory.
    pub fn run(&self, store: &Store, kind: Kind) -> Result<Done, Failure> {
        self.make(store, kind).inspect_err(|failure| self.note_failure(failure))
    }

    /// Notes in the data directory that a backup failed. Another run in progress is no failure.
    pub fn note_failure(&self, failure: &Failure) {
        let Some(data) = &self.data else { return };
        if is_busy(failure) {
            return;
        }
        let failed = FailedBackup { at: (self.clock)(), error: failure.what.clone() };
        if let Err(error) = failed.write(data) {
            tracing::warn!(%error, "a failed backup cannot be noted in the data directory");
        }
    }

    /// Returns the finished backups, in the order in which they were made; none if the newest
    /// cannot be used, so that a full one is due.
    pub fn backups(&self) -> Result<Vec<Manifest>, Failure> {
        let _one_at_a_time = self.lock()?;
        let listing = self.repository.list()?;
        for (name, fault) in &listing.faults {
            tracing::warn!(name, fault, "a backup cannot be used");
        }
        match listing.newest() {
            Ok(_) => Ok(listing.backups),
            Err(why) => {
                tracing::info!(why, "the next backup is a full one");
                Ok(Vec::new())
            }
        }
    }

    fn make(&self, store: &Store, kind: Kind) -> Result<Done, Failure> {
        let _one_at_a_time = self.lock()?;
        let listing = self.repository.list()?;
        for name in &listing.unfinished {
            self.repository.delete_file(name)?;
        }
        let (found, why_full) = match kind {
            Kind::Changes => match self.read_changes(store, &listing)? {
                Ok(found) => (Some(found), None),
                Err(why) => (None, Some(why)),
            },
            Kind::Full => (None, None),
        };
        let (made, spooled) = match found {
            Some(found) => found,
            None => self.read_store(store, &listing)?,
        };
        let report = made.report.clone();
        let mut backup = self.repository.add(&made, &spooled, &self.recipients)?;
        let is_verified = backup.kind == Kind::Full && self.options.verify;
        if is_verified {
            backup.verified = Some(self.verify_spooled(&backup, spooled)?);
            self.repository.note(&backup)?;
        }
        let deleted = match &self.options.keep {
            Some(keep) => self.prune(keep)?,
            None => Vec::new(),
        };
        if let Some(data) = &self.data {
            let noted = LastBackup::write(data, &report, (self.clock)(), is_verified);
            noted.map_err(|error| {
                let data = data.display();
                Failure::advise(
                    format!(
                        "the backup is complete, but that cannot be noted in `{data}`: {error}"
                    ),
                    "metrics and `fingerpost doctor` do not know of it",
                )
            })?;
        }
        Ok(Done { backup, why_full, deleted })
    }

    /// Locks the data directory and the repository, and deletes what trials of killed processes
    /// left.
    pub fn lock(&self) -> Result<(Option<File>, Option<File>), Failure> {
        let lock = |data: &PathBuf| {
            lock_file(&data.join(LOCK)).map_err(|error| {
                let data = data.display();
                let next =
                    "wait until it has finished, or check the permissions of the data directory";
                Failure::advise(format!("cannot begin a backup in `{data}`: {error}"), next)
            })
        };
        let locks = (self.data.as_ref().map(lock).transpose()?, self.repository.lock()?);
        trial::clear(&self.spool);
        Ok(locks)
    }

    fn unwritable(&self, error: &io::Error) -> Failure {
        Failure::advise(
            format!("cannot write a temporary file in `{}`: {error}", self.spool.display()),
            "a backup needs free space there, about half as much as the data",
        )
    }

    /// Reads the store into a temporary file.
    fn read_store(&self, store: &Store, listing: &Listing) -> Result<(Made, File), Failure> {
        let at = (self.clock)();
        let mut file =
            tempfile::tempfile_in(&self.spool).map_err(|error| self.unwritable(&error))?;
        let mut out = BufWriter::with_capacity(1 << 16, Slow::new(&file, self.rate()));
        let report = store.backup(&mut out)?;
        out.flush().map_err(|error| self.unwritable(&error))?;
        drop(out);
        file.rewind().map_err(|error| self.unwritable(&error))?;
        let found = verify_backup(BufReader::with_capacity(1 << 16, &file))?;
        if found != report {
            return Err(Failure::advise(
                "what was read from the store reads back wrong",
                "check disk and memory of the machine",
            ));
        }
        let head_at = head_at(store, &report)?;
        let line = match listing.backups.last() {
            Some(last) if goes_on(store, last)? => Some(last.line.clone()),
            _ => None,
        };
        Ok((Made { kind: Kind::Full, report, at, head_at, previous: None, line }, file))
    }

    /// Reads what has changed since the last backup into a temporary file, or returns why that is
    /// not possible.
    fn read_changes(
        &self,
        store: &Store,
        listing: &Listing,
    ) -> Result<Result<(Made, File), String>, Failure> {
        let last = match listing.newest() {
            Err(why) => return Ok(Err(why)),
            Ok(last) => last,
        };
        if listing.chain(last).is_ok_and(|chain| chain.len() > MAX_CHAIN) {
            return Ok(Err(format!("{MAX_CHAIN} backups of changes depend on each other")));
        }
        let Some(base) = last.base() else {
            return Ok(Err("the last backup is of another format of the store".to_owned()));
        };
        let at = (self.clock)();
        let file = tempfile::tempfile_in(&self.spool).map_err(|error| self.unwritable(&error))?;
        let mut out = BufWriter::with_capacity(1 << 16, Slow::new(&file, self.rate()));
        let report = match store.backup_changes(&base, &mut out)? {
            ChangesBackup::Written(report) => report,
            ChangesBackup::FullNeeded(why) => return Ok(Err(why.to_owned())),
        };
        out.flush().map_err(|error| self.unwritable(&error))?;
        drop(out);
        let previous = Previous { name: last.name.clone(), digest: last.digest.clone() };
        let made = Made {
            kind: Kind::Changes,
            head_at: head_at(store, &report)?,
            report,
            at,
            previous: Some((previous, last.revision)),
            line: Some(last.line.clone()),
        };
        Ok(Ok((made, file)))
    }

    fn rate(&self) -> Option<u64> {
        self.options.rate.map(|rate| rate.get() as u64)
    }

    /// Restores as a test what was written to the repository, or if there is no private key, what
    /// was written before its encryption.
    fn verify_spooled(&self, backup: &Manifest, mut spooled: File) -> Result<Verified, Failure> {
        let before_encryption = backup.is_encrypted() && self.identities.is_empty();
        if before_encryption {
            spooled.rewind().map_err(Failure::new)?;
            let input = Box::new(BufReader::with_capacity(1 << 16, spooled));
            trial::restore(vec![input], backup, &self.spool, self.store_options)?;
        } else {
            self.restore_on_trial(&[backup], &self.identities)?;
        }
        Ok(Verified { at: (self.clock)(), before_encryption })
    }

    /// Restores a chain of backups from the repository as a test.
    pub fn restore_on_trial(&self, chain: &[&Manifest], keys: &Identities) -> Result<(), Failure> {
        let inputs = super::restoring::open_chain(&self.repository, keys, chain)?;
        let Some(last) = chain.last() else { return Ok(()) };
        trial::restore(inputs, last, &self.spool, self.store_options)
    }

    /// Deletes what is not kept; returns the names.
    fn prune(&self, keep: &crate::config::Keep) -> Result<Vec<String>, Failure> {
        let listing = self.repository.list()?;
        let judged = retention::judge(&listing, keep);
        // What depends on others goes first, so that a killed run leaves complete chains.
        let unneeded = judged.iter().rev().filter(|judged| judged.reason.is_none());
        let names: Vec<String> = unneeded.map(|judged| judged.backup.name.clone()).collect();
        for name in &names {
            self.repository.delete(name)?;
        }
        Ok(names)
    }

    /// Deletes what is not kept by the rule that is configured.
    pub fn prune_now(&self, keep: &crate::config::Keep) -> Result<Vec<String>, Failure> {
        let _one_at_a_time = self.lock()?;
        self.prune(keep)
    }
}

/// Returns whether a run could not begin because another one is in progress.
pub fn is_busy(failure: &Failure) -> bool {
    failure.what.ends_with(BUSY)
}

/// Returns whether the store goes on from a backup: its audit log has the head of the backup.
fn goes_on(store: &Store, backup: &Manifest) -> Result<bool, StoreError> {
    let Some(head) = backup.audit_head() else { return Ok(false) };
    let record = store.view(|view| view.audit(head.seq()))?;
    Ok(record.is_some_and(|record| record.head() == head))
}

/// A file that is written no faster than so many bytes in a second.
struct Slow<'f> {
    file: &'f File,
    rate: Option<u64>,
    begun: Instant,
    written: u64,
}

/// The longest pause at once.
const PAUSE: Duration = Duration::from_secs(1);

impl<'f> Slow<'f> {
    fn new(file: &'f File, rate: Option<u64>) -> Self {
        Self { file, rate, begun: Instant::now(), written: 0 }
    }
}

impl Write for Slow<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.written += count as u64;
        if let Some(rate) = self.rate {
            let due = Duration::from_secs_f64(self.written as f64 / rate as f64);
            thread::sleep(due.saturating_sub(self.begun.elapsed()).min(PAUSE));
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
