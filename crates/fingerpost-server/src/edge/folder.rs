//! The folder of an export. Files appear under their names complete, and objects before the root
//! that leads to them.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use fingerpost_edge::{Digest, Root};
use serde::Serialize;

use super::State;
use crate::failure::Failure;

pub(super) struct Folder {
    folder: PathBuf,
    /// Locked while the export runs.
    _lock: File,
    /// The objects of this export that were written, or had been there.
    used: BTreeSet<String>,
    /// Files written.
    pub(super) written: u64,
}

impl Folder {
    pub(super) fn open(folder: &Path) -> Result<Self, Failure> {
        let open = || {
            fs::create_dir_all(folder.join("records/objects"))?;
            File::create(folder.join(".lock"))
        };
        let lock = open().map_err(|error| failed(folder, &error))?;
        lock.try_lock().map_err(|error| {
            Failure::advise(
                format!("cannot lock `{}`: {error}", folder.display()),
                "wait until the other export to this folder ends",
            )
        })?;
        Ok(Self { folder: folder.to_owned(), _lock: lock, used: BTreeSet::new(), written: 0 })
    }

    /// Returns the root of the last export, if it is usable.
    pub(super) fn root(&self) -> Option<Root> {
        Root::read(&fs::read(self.folder.join("records/root.json")).ok()?).ok()
    }

    pub(super) fn state(&self) -> Option<State> {
        serde_json::from_slice(&fs::read(self.folder.join("state.json")).ok()?).ok()
    }

    pub(super) fn write_root(&mut self, root: &Root) -> Result<(), Failure> {
        self.written += 1;
        self.write_json("records/root.json", root)
    }

    pub(super) fn write_state(&self, state: &State) -> Result<(), Failure> {
        self.write_json("state.json", state)
    }

    /// Returns an object, if it is there and is what its name says.
    pub(super) fn read(&self, name: &str) -> Option<Vec<u8>> {
        let object = fs::read(self.object(name)).ok()?;
        (Digest::of(&object).name() == name).then_some(object)
    }

    /// Writes an object unless it is there.
    pub(super) fn write(&mut self, object: &[u8]) -> Result<Digest, Failure> {
        let digest = Digest::of(object);
        let name = digest.name();
        let path = self.object(&name);
        self.used.insert(name);
        if fs::read(&path).is_ok_and(|found| found == object) {
            return Ok(digest);
        }
        replace(&path, object).map_err(|error| failed(&self.folder, &error))?;
        self.written += 1;
        Ok(digest)
    }

    /// Returns the objects that do not belong to this export.
    pub(super) fn others(&self) -> Result<BTreeSet<String>, Failure> {
        let list = || {
            let mut others = BTreeSet::new();
            for folder in fs::read_dir(self.folder.join("records/objects"))? {
                for file in fs::read_dir(folder?.path())? {
                    let name = file?.file_name().to_string_lossy().into_owned();
                    if !self.used.contains(&name) {
                        others.insert(name);
                    }
                }
            }
            Ok(others)
        };
        list().map_err(|error: io::Error| failed(&self.folder, &error))
    }

    /// Deletes objects, but none of this export, and none that only this one replaced.
    pub(super) fn delete(
        &self,
        objects: &BTreeSet<String>,
        replaced: &BTreeSet<String>,
    ) -> Result<(), Failure> {
        let is_unused = |name: &&String| !self.used.contains(*name) && !replaced.contains(*name);
        for name in objects.iter().filter(is_unused).filter(|name| Digest::parse(name).is_some()) {
            match fs::remove_file(self.object(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(failed(&self.folder, &error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn object(&self, name: &str) -> PathBuf {
        let first = name.get(..2).unwrap_or_default();
        self.folder.join("records/objects").join(first).join(name)
    }

    fn write_json(&self, name: &str, value: &impl Serialize) -> Result<(), Failure> {
        let json = serde_json::to_vec(value).map_err(Failure::new)?;
        replace(&self.folder.join(name), &json).map_err(|error| failed(&self.folder, &error))
    }
}

/// Replaces a file as a whole.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new().prefix(".new").tempfile_in(folder)?;
    file.write_all(bytes)?;
    // Web servers run as other users.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.as_file().set_permissions(fs::Permissions::from_mode(0o644))?;
    }
    file.persist(path)?;
    Ok(())
}

fn failed(folder: &Path, error: &io::Error) -> Failure {
    Failure::advise(
        format!("cannot write below `{}`: {error}", folder.display()),
        "free space, or name another folder",
    )
}
