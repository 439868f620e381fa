//! Maps errors of LMDB and of the operating system, where no environment is open.

use std::io;
use std::path::Path;

use fingerpost_engine::{EngineError, Unavailable};
use heed::MdbError;

pub(super) fn open_fault(dir: &Path, map_size: usize, error: heed::Error) -> EngineError {
    let path = dir.to_owned();
    match error {
        heed::Error::EnvAlreadyOpened => EngineError::AlreadyOpen { path },
        heed::Error::Mdb(MdbError::Invalid) => {
            EngineError::NotAStore { path, found: "data.mdb is not an LMDB file" }
        }
        heed::Error::Mdb(MdbError::VersionMismatch) => {
            EngineError::NotAStore { path, found: "data.mdb has another version of LMDB's format" }
        }
        heed::Error::Io(error) if error.kind() == io::ErrorKind::OutOfMemory => {
            Unavailable::AddressSpace { map_size }.into()
        }
        heed::Error::Io(error) => io_fault(dir, error),
        error => EngineError::Io {
            location: dir.display().to_string(),
            source: io::Error::other(error).into(),
        },
    }
}

pub(super) fn io_fault(dir: &Path, source: io::Error) -> EngineError {
    let path = dir.to_owned();
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            EngineError::DiskFull { path, source: source.into() }
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            EngineError::Permission { path, source: source.into() }
        }
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            EngineError::NotAStore { path, found: "not a directory" }
        }
        _ => EngineError::Io { location: dir.display().to_string(), source: source.into() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cause_has_its_error() {
        let dir = Path::new("data");
        let text = |kind: io::ErrorKind| io_fault(dir, kind.into()).to_string();
        for kind in
            [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded, io::ErrorKind::FileTooLarge]
        {
            assert!(text(kind).starts_with("no space left for `data` ("), "{}", text(kind));
        }
        for kind in [io::ErrorKind::PermissionDenied, io::ErrorKind::ReadOnlyFilesystem] {
            assert!(text(kind).starts_with("no permission to use `data` ("), "{}", text(kind));
        }
        assert!(text(io::ErrorKind::TimedOut).starts_with("cannot use the store in `data`: "));
        let refused = open_fault(dir, 1 << 40, io::Error::from_raw_os_error(12).into());
        assert!(refused.to_string().contains("choose a smaller map size"), "{refused}");
    }
}
