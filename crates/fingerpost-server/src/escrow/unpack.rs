//! Unpacks an escrow, and checks it before anything of it is used.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read};
use std::path::{Component, Path};

use fingerpost_signature::{KeyDirectory, verify_archive};
use flate2::read::GzDecoder;
use tempfile::TempDir;

use super::{EscrowFile, EscrowManifest, FILES, FORMAT, KEYS, MANIFEST, SITE};
use crate::backup::Identities;
use crate::failure::Failure;
use crate::limits::{MAX_ESCROW_FILES, MAX_ESCROW_MANIFEST};

/// Unpacks an escrow to a folder that does not exist, in which `records.jsonl`, `fingerpost.toml`
/// and `site` are then. Nothing is left there if a digest or the signature is wrong.
///
/// The signature must be by one of the keys that are `expected`; without them by one in the escrow
/// itself, which shows that it is complete, not whose it is. Returns the name of the key, too.
pub fn unpack_escrow(
    file: &Path,
    identities: &Identities,
    expected: Option<&KeyDirectory>,
    folder: &Path,
) -> Result<(EscrowManifest, String), Failure> {
    let name = file.display().to_string();
    let unusable = |what: &dyn std::fmt::Display| {
        Failure::advise(
            format!("`{name}`: {what}; nothing was restored"),
            "compare the file with that of the operator, or use an older one",
        )
    };
    if folder.exists() {
        return Err(Failure::advise(
            format!("`{}` exists already", folder.display()),
            "name a new folder for the restored resolver",
        ));
    }
    let parent = folder.parent().filter(|path| !path.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    let writing = |error: io::Error| {
        Failure::advise(
            format!("cannot write below `{}`: {error}", parent.display()),
            "free space, or name another folder",
        )
    };
    let temporary = TempDir::new_in(parent).map_err(writing)?;
    let sealed = File::open(file).map_err(|error| unusable(&error))?;
    let opened = identities.open(&name, BufReader::new(sealed))?;
    let found = unpack(opened, temporary.path()).map_err(|error| unusable(&error))?;

    let text = fs::read_to_string(temporary.path().join(MANIFEST));
    let text = text.map_err(|_| unusable(&"it has no manifest"))?;
    let own =
        || KeyDirectory::from_json(&fs::read(temporary.path().join(KEYS)).unwrap_or_default());
    let keys = match expected {
        Some(keys) => keys.clone(),
        None => own().map_err(|error| unusable(&error))?,
    };
    let verified = verify_archive(&text, &keys).map_err(|error| unusable(&error))?;
    let manifest: EscrowManifest =
        serde_json::from_slice(&verified.document).map_err(|error| unusable(&error))?;
    if manifest.format != FORMAT {
        return Err(unusable(&format_args!(
            "expected the format {FORMAT}, found {}",
            manifest.format
        )));
    }
    if let Some(path) = difference(&manifest.files, found) {
        return Err(unusable(&format_args!("{path} is not what the manifest describes")));
    }
    let site = File::open(temporary.path().join(SITE)).map_err(writing)?;
    let mut site = tar::Archive::new(BufReader::new(site));
    site.set_preserve_permissions(false);
    site.unpack(temporary.path()).map_err(|error| unusable(&error))?;
    fs::remove_file(temporary.path().join(SITE)).map_err(writing)?;
    fs::write(temporary.path().join("manifest.json"), &verified.document).map_err(writing)?;
    fs::rename(temporary.path(), folder).map_err(writing)?;
    // It has another name now.
    let _ = temporary.keep();
    Ok((manifest, verified.key))
}

/// Writes the files of an archive to a folder; returns their sizes and digests.
fn unpack(packed: impl Read, folder: &Path) -> io::Result<BTreeMap<String, EscrowFile>> {
    let mut found = BTreeMap::new();
    // Buffered, because each read of the decoder moves its window of 32 KiB.
    let mut archive = tar::Archive::new(BufReader::new(GzDecoder::new(packed)));
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = entry.path()?.into_owned();
        let text = path.to_str().filter(|_| is_expected(&path)).map(str::to_owned);
        let is_file = entry.header().entry_type().is_file();
        let Some(text) = text.filter(|_| is_file && found.len() <= MAX_ESCROW_FILES) else {
            return Err(io::Error::other(format!("{} is not part of an escrow", path.display())));
        };
        if text == MANIFEST && entry.size() > MAX_ESCROW_MANIFEST {
            return Err(io::Error::other("the manifest is too large"));
        }
        fs::create_dir_all(folder.join(FILES))?;
        let mut out = BufWriter::new(File::create_new(folder.join(&path))?);
        found.insert(text.clone(), EscrowFile::copied(text, &mut entry, &mut out)?);
    }
    Ok(found)
}

/// Whether a path is that of a file of an escrow: a plain name, or one below `files`.
fn is_expected(path: &Path) -> bool {
    let names: Option<Vec<_>> = path
        .components()
        .map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    match names.as_deref() {
        Some([name]) => !name.starts_with('.') && *name != FILES,
        Some([folder, name]) => *folder == FILES && !name.starts_with('.'),
        _ => false,
    }
}

/// Returns the first file that is missing, additional or different.
fn difference(expected: &[EscrowFile], mut found: BTreeMap<String, EscrowFile>) -> Option<String> {
    found.remove(MANIFEST);
    for file in expected {
        if found.remove(&file.path).as_ref() != Some(file) {
            return Some(file.path.clone());
        }
    }
    found.into_keys().next()
}
