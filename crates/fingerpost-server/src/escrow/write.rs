//! Writes an escrow.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use fingerpost_exchange::{ExportFormat, ExportOptions, export};
use fingerpost_public::Config as Public;
use fingerpost_store::Store;
use flate2::Compression;
use flate2::write::GzEncoder;
use jiff::Timestamp;
use tempfile::TempDir;

use super::{
    CONFIGURATION, EscrowFile, EscrowManifest, FILES, FORMAT, KEYS, MANIFEST, MANIFEST_TYPE,
    RECORDS, SITE,
};
use crate::backup::Recipients;
use crate::config::Config;
use crate::failure::Failure;
use crate::static_site::{copy_of_snapshot, write_static_site};

/// Writes an escrow of a store to `out`, encrypted to the public keys of age of the trustees.
/// Needs space for the records, the static files and their archive in the data directory.
pub fn write_escrow(
    config: &Config,
    store: &Store,
    trustees: &[String],
    made: Timestamp,
    out: &mut dyn Write,
) -> Result<EscrowManifest, Failure> {
    let recipients = Recipients::parse(trustees)?;
    let (Some(signer), Some(keys)) = (config.public.signer(), config.public.key_directory()) else {
        return Err(Failure::advise(
            "an escrow is signed, and no key is configured",
            "make one with `openssl genpkey -algorithm ed25519 -out signing.pem`, and name it as signatures.key",
        ));
    };
    let scratch = store.scratch();
    let folder = TempDir::new_in(&scratch).map_err(|error| failed(&scratch, &error))?;
    let folder = folder.path();
    let writing = |error: io::Error| failed(folder, &error);

    // Records and static files are of one snapshot.
    let (snapshot, _copy) = copy_of_snapshot(store)?;
    let mut records = BufWriter::new(File::create_new(folder.join(RECORDS)).map_err(writing)?);
    let exported = export(&snapshot, ExportOptions::new(ExportFormat::JsonLines), &mut records)
        .map_err(Failure::new)?;
    records.flush().map_err(writing)?;
    let site = folder.join("site");
    write_static_site(config.public.clone(), &snapshot, &site)?;
    let mut archive =
        tar::Builder::new(BufWriter::new(File::create_new(folder.join(SITE)).map_err(writing)?));
    archive.append_dir_all("site", &site).map_err(writing)?;
    archive.into_inner().and_then(|mut file| file.flush()).map_err(writing)?;
    fs::write(folder.join(KEYS), keys.to_json()).map_err(writing)?;

    let mut paths = vec![RECORDS.to_owned(), CONFIGURATION.to_owned()];
    paths.extend(configuration(config, folder)?);
    paths.extend([KEYS.to_owned(), SITE.to_owned()]);
    let files: Result<Vec<_>, _> = paths
        .into_iter()
        .map(|path| {
            let mut file = File::open(folder.join(&path))?;
            EscrowFile::copied(path, &mut file, &mut io::sink())
        })
        .collect();
    let manifest = EscrowManifest {
        format: FORMAT.to_owned(),
        made: made.to_string(),
        resolver_root: config.public.settings().root().as_str().to_owned(),
        records: exported.records,
        files: files.map_err(writing)?,
    };
    let text = serde_json::to_vec(&manifest).map_err(Failure::new)?;
    let signed = signer.archive(MANIFEST_TYPE, &text, made);
    fs::write(folder.join(MANIFEST), signed).map_err(writing)?;

    let packed = folder.join("escrow.tar.gz");
    pack(folder, &manifest, &packed).map_err(writing)?;
    let sealed = File::open(&packed).and_then(|packed| recipients.seal(packed, out));
    sealed.and_then(|()| out.flush()).map_err(|error| {
        Failure::advise(
            format!("cannot write the escrow: {error}"),
            "free space, or name another file",
        )
    })?;
    Ok(manifest)
}

/// Writes the options that decide what is answered, and the files they name; returns the paths of
/// these files.
fn configuration(config: &Config, folder: &Path) -> Result<Vec<String>, Failure> {
    let mut document = toml::Table::new();
    let mut files = Vec::new();
    for section in Public::sections_of_answers() {
        for key in section.keys {
            let Some(value) = config.value(section.table, key.name) else { continue };
            let mut value = value.clone();
            if let Some(path) = value.as_str().filter(|text| key.is_path() && !text.contains("://"))
            {
                let copied = format!("{FILES}/{}", name_of(&files, path));
                let prepare = fs::create_dir_all(folder.join(FILES));
                prepare
                    .and_then(|()| fs::copy(path, folder.join(&copied)))
                    .map_err(|error| failed(Path::new(path), &error))?;
                files.push(copied.clone());
                value = toml::Value::String(copied);
            }
            let table = match section.table {
                "" => &mut document,
                name => {
                    let inner = document.entry(name).or_insert_with(|| toml::Table::new().into());
                    match inner.as_table_mut() {
                        Some(table) => table,
                        None => continue,
                    }
                }
            };
            table.insert(key.name.to_owned(), value);
        }
    }
    let text = toml::to_string(&document).map_err(Failure::new)?;
    fs::write(folder.join(CONFIGURATION), text).map_err(|error| failed(folder, &error))?;
    Ok(files)
}

/// Returns a name that is free and plain, with the extension of a path, which can have a meaning.
fn name_of(files: &[String], path: &str) -> String {
    let path = PathBuf::from(path);
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let is_plain = extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let extension = if is_plain && !extension.is_empty() { extension } else { "txt" };
    format!("{}.{extension}", files.len() + 1)
}

/// Packs the files and the signed manifest.
fn pack(folder: &Path, manifest: &EscrowManifest, to: &Path) -> io::Result<()> {
    let out = GzEncoder::new(BufWriter::new(File::create_new(to)?), Compression::default());
    let mut archive = tar::Builder::new(out);
    // Times and owners of this machine mean nothing elsewhere.
    archive.mode(tar::HeaderMode::Deterministic);
    let paths = manifest.files.iter().map(|file| &*file.path);
    for path in paths.chain([MANIFEST]) {
        archive.append_path_with_name(folder.join(path), path)?;
    }
    archive.into_inner()?.finish()?.flush()
}

fn failed(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::advise(
        format!("cannot make the escrow: `{}`: {error}", path.display()),
        "check that the file can be read, or that there is space",
    )
}
