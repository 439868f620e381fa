//! A repository: backups of one store with their manifests, in one place.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use super::keys::Recipients;
use super::manifest::{Kind, MANIFEST, Made, Manifest, Name, Written};
use super::storage::{Directory, Storage};
use crate::config::BackupOptions;
use crate::failure::Failure;
use crate::limits::MAX_MANIFEST;
use crate::text::printable;

/// Backups of one store.
pub struct Repository {
    storage: Box<dyn Storage>,
    /// The directory or address, for messages.
    location: String,
}

/// What is in a repository.
#[derive(Debug, Default)]
pub struct Listing {
    /// The finished backups, in the order in which they were made.
    pub backups: Vec<Manifest>,
    /// The backups that cannot be used: the name, and why.
    pub faults: Vec<(String, String)>,
    /// Backups without a manifest that no other backup depends on: a run that writes them, or one
    /// that was killed.
    pub unfinished: Vec<String>,
}

impl Listing {
    /// Returns the backup of this name.
    pub fn named(&self, name: &str) -> Option<&Manifest> {
        self.backups.iter().find(|backup| backup.name == name)
    }

    /// Returns why the backup of this name cannot be used, if that is known.
    pub fn fault(&self, name: &str) -> Option<&str> {
        self.faults.iter().find(|(of, _)| of == name).map(|(_, why)| why.as_str())
    }

    /// Returns the newest backup. An older one never replaces it.
    pub fn newest(&self) -> Result<&Manifest, String> {
        let last = self.backups.last();
        if let Some((name, why)) = self.faults.iter().max()
            && last.is_none_or(|last| last.name < *name)
        {
            return Err(format!("the newest backup, `{name}`, cannot be used: {}", printable(why)));
        }
        let last = last.ok_or("the repository has no backup")?;
        self.chain(last).map(|_| last)
    }

    /// Returns the backups that one needs to be restored, the full one first, itself last.
    pub fn chain<'l>(&'l self, last: &'l Manifest) -> Result<Vec<&'l Manifest>, String> {
        let mut chain = vec![last];
        let mut link = last;
        while let Some(previous) = &link.previous {
            let named = &printable(&previous.name);
            let needed_by = &link.name;
            // Older than what depends on it, so the walk ends.
            let found = self.named(&previous.name).filter(|found| found.name < link.name);
            let found = found.ok_or_else(|| match self.fault(&previous.name) {
                Some(why) => format!(
                    "`{needed_by}` depends on `{named}`, which cannot be used: {}",
                    printable(why)
                ),
                None => {
                    format!("`{needed_by}` depends on `{named}`, which is not in the repository")
                }
            })?;
            if found.digest != previous.digest || Some(found.revision) != link.after {
                return Err(format!(
                    "`{needed_by}` depends on another backup than `{named}`, whose contents have another digest"
                ));
            }
            chain.push(found);
            link = found;
        }
        chain.reverse();
        match chain.first() {
            Some(first) if first.kind == Kind::Full => Ok(chain),
            _ => Err(format!("`{}` has no full backup to depend on", last.name)),
        }
    }
}

impl Repository {
    /// Opens the repository at a path or an address.
    pub fn open(to: &Path, options: &BackupOptions) -> Result<Self, Failure> {
        let address = to.to_string_lossy().into_owned();
        let storage: Box<dyn Storage> = match address.split_once("://") {
            Some(("s3", bucket)) => s3(bucket, options)?,
            Some(_) => {
                return Err(Failure::advise(
                    format!("cannot use `{}` for backups", printable(&address)),
                    "name a directory, or s3://BUCKET/PREFIX",
                ));
            }
            None => Box::new(Directory::new(to)),
        };
        Ok(Self { storage, location: printable(&address) })
    }

    /// Returns the directory or address, for messages.
    pub fn location(&self) -> &str {
        &self.location
    }

    fn failed(&self, what: &str, error: &io::Error) -> Failure {
        let next = match error.kind() {
            io::ErrorKind::ResourceBusy => "wait until it has finished",
            io::ErrorKind::StorageFull => {
                "free space there, or let `backup.keep` delete older backups"
            }
            _ => "check address, permissions and space",
        };
        Failure::advise(format!("cannot {what} `{}`: {error}", self.location), next)
    }

    /// Locks the repository.
    pub(super) fn lock(&self) -> Result<Option<File>, Failure> {
        self.storage.lock().map_err(|error| self.failed("write backups to", &error))
    }

    /// Lists the backups.
    pub fn list(&self) -> Result<Listing, Failure> {
        let mut files =
            self.storage.list().map_err(|error| self.failed("list the backups in", &error))?;
        files.sort_unstable();
        let size_of = |name: &str| {
            let found = files.binary_search_by(|(other, _)| other.as_str().cmp(name));
            found.ok().map(|position| files[position].1)
        };
        let mut listing = Listing::default();
        for (name, size) in &files {
            let backup = name.strip_suffix(MANIFEST).unwrap_or(name);
            if Name::parse(backup).is_none() {
                continue; // not ours
            }
            if backup == name {
                if size_of(&format!("{name}{MANIFEST}")).is_none() {
                    listing.unfinished.push(name.clone());
                }
                continue;
            }
            match (self.manifest(backup, *size)?, size_of(backup)) {
                (Err(fault), _) => {
                    listing
                        .faults
                        .push((backup.to_owned(), format!("its manifest cannot be used: {fault}")));
                }
                (Ok(_), None) => {
                    listing.faults.push((backup.to_owned(), "its file is missing".to_owned()));
                }
                (Ok(manifest), Some(found)) if found != manifest.bytes => {
                    let fault = format!("its file has {found} bytes, not {}", manifest.bytes);
                    listing.faults.push((backup.to_owned(), fault));
                }
                (Ok(manifest), Some(_)) => listing.backups.push(manifest),
            }
        }
        let Listing { backups, faults, unfinished } = &mut listing;
        let previous = backups.iter().filter_map(|backup| backup.previous.as_ref());
        let needed: BTreeSet<&str> = previous.map(|previous| previous.name.as_str()).collect();
        // A run that is killed leaves nothing that others depend on: its manifest was lost later.
        let lost = unfinished.extract_if(.., |name| needed.contains(name.as_str()));
        faults.extend(lost.map(|name| (name, "its manifest is missing".to_owned())));
        Ok(listing)
    }

    /// Reads a manifest; the inner error says what is wrong with it.
    fn manifest(&self, name: &str, size: u64) -> Result<Result<Manifest, String>, Failure> {
        if size > MAX_MANIFEST {
            return Ok(Err(format!("it is not a file of at most {MAX_MANIFEST} bytes")));
        }
        let mut json = Vec::new();
        let read = self.storage.open(&format!("{name}{MANIFEST}"));
        let read = read.and_then(|file| file.take(MAX_MANIFEST).read_to_end(&mut json));
        match read {
            Ok(_) => Ok(Manifest::parse(name, &json)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Ok(Err("it was deleted".to_owned()))
            }
            // That of one file. Other errors are those of storage elsewhere, and say nothing about
            // the file.
            Err(error)
                if error.kind() == io::ErrorKind::PermissionDenied
                    || error.raw_os_error().is_some() =>
            {
                Ok(Err(error.to_string()))
            }
            Err(error) => Err(self.failed("read a manifest in", &error)),
        }
    }

    /// Opens the file of a backup, which is compared with its manifest while it is read.
    pub(super) fn read(&self, backup: &Manifest) -> Result<impl Read + Send + use<>, Failure> {
        let name = &backup.name;
        let file = self.storage.open(name);
        let file = file.map_err(|error| self.failed(&format!("read `{name}` in"), &error))?;
        Ok(Compared {
            file,
            name: name.clone(),
            hasher: Sha256::new(),
            left: backup.bytes,
            sha256: backup.sha256.clone(),
        })
    }

    /// Stores a backup that was made: its file, which is read back, and then its manifest.
    pub(super) fn add(
        &self,
        made: &Made,
        file: &File,
        recipients: &Recipients,
    ) -> Result<Manifest, Failure> {
        let name = self.free_name(made, recipients)?;
        let mut written = None;
        let mut write = |out: &mut dyn Write| {
            let mut from = file;
            io::Seek::rewind(&mut from)?;
            let mut hashing = Hashing { hasher: Sha256::new(), bytes: 0, out };
            recipients.seal(from, &mut hashing)?;
            written = Some(hashing.end());
            Ok(())
        };
        let stored = self.storage.store(&name, &mut write);
        stored.map_err(|error| self.failed("write a backup to", &error))?;
        let Some(written) = written else {
            return Err(Failure::new(format!("nothing was written to `{}`", self.location)));
        };
        let mut found = Hashing { hasher: Sha256::new(), bytes: 0, out: &mut io::sink() };
        let read = self.storage.open(&name).and_then(|mut file| io::copy(&mut file, &mut found));
        read.map_err(|error| self.failed("read a backup back from", &error))?;
        if found.end() != written {
            let _ = self.storage.delete(&name); // without a manifest it counts as none
            return Err(Failure::advise(
                format!("what was written to `{}` reads back wrong", self.location),
                "check the disk, the memory of the machine and the storage",
            ));
        }
        let manifest = Manifest::of(made, name, written, recipients.texts());
        self.note(&manifest)?;
        Ok(manifest)
    }

    /// Writes a manifest.
    ///
    /// Fails if it cannot be written; an existing one is unchanged then.
    pub fn note(&self, manifest: &Manifest) -> Result<(), Failure> {
        let json = manifest.to_json().map_err(Failure::new)?;
        let name = format!("{}{MANIFEST}", manifest.name);
        let stored = self.storage.store(&name, &mut |out| out.write_all(&json));
        stored.map_err(|error| self.failed("write a manifest to", &error))
    }

    /// Deletes a backup: the manifest first, so that what is left of it counts as none.
    pub(super) fn delete(&self, name: &str) -> Result<(), Failure> {
        self.delete_file(&format!("{name}{MANIFEST}"))?;
        self.delete_file(name)
    }

    /// Deletes a file, if it is there.
    pub(super) fn delete_file(&self, name: &str) -> Result<(), Failure> {
        match self.storage.delete(name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(self.failed(&format!("delete `{name}` in"), &error))
            }
            _ => Ok(()),
        }
    }

    /// Returns a name after all others, also if the clock went back.
    fn free_name(&self, made: &Made, recipients: &Recipients) -> Result<String, Failure> {
        let files =
            self.storage.list().map_err(|error| self.failed("list the backups in", &error))?;
        let times = files.iter().filter_map(|(name, _)| {
            Some(Name::parse(name.strip_suffix(MANIFEST).unwrap_or(name))?.at)
        });
        let after = times
            .max()
            .and_then(|last| last.checked_add(jiff::SignedDuration::from_millis(1)).ok());
        let name = Name {
            at: after.map_or(made.at, |after| made.at.max(after)),
            kind: made.kind,
            after: made.previous.as_ref().map(|(_, revision)| *revision),
            revision: made.report.revision().number(),
            is_encrypted: !recipients.is_empty(),
        };
        Ok(name.to_string())
    }
}

/// Opens S3-compatible storage.
#[cfg(feature = "s3")]
fn s3(address: &str, options: &BackupOptions) -> Result<Box<dyn Storage>, Failure> {
    Ok(Box::new(super::s3::S3::open(address, options)?))
}

/// Refuses S3-compatible storage.
#[cfg(not(feature = "s3"))]
fn s3(address: &str, _: &BackupOptions) -> Result<Box<dyn Storage>, Failure> {
    Err(Failure::advise(
        format!("cannot use `s3://{}`: this fingerpost was built without S3", printable(address)),
        "build it with `--features s3`, or keep backups in a directory",
    ))
}

/// Hashes and counts what goes through it.
struct Hashing<'w> {
    hasher: Sha256,
    bytes: u64,
    out: &'w mut dyn Write,
}

impl Hashing<'_> {
    fn end(self) -> Written {
        Written { bytes: self.bytes, sha256: HEXLOWER.encode(&self.hasher.finalize()) }
    }
}

impl Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.hasher.update(&bytes[..count]);
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A file that is compared with its manifest while it is read: its last bytes are an error if its
/// size or SHA-256 is another.
struct Compared {
    file: Box<dyn Read + Send>,
    name: String,
    hasher: Sha256,
    left: u64,
    sha256: String,
}

impl Read for Compared {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(bytes)?;
        self.hasher.update(&bytes[..count]);
        let left = self.left.checked_sub(count as u64);
        let differs = match left {
            Some(0) if count > 0 => HEXLOWER.encode(&self.hasher.finalize_reset()) != self.sha256,
            Some(left) => left > 0 && count == 0 && !bytes.is_empty(),
            None => true,
        };
        if differs {
            let text = format!("size or SHA-256 of `{}` is not that in its manifest", self.name);
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        self.left = left.unwrap_or_default();
        Ok(count)
    }
}
