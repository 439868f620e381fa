//! `fingerpost escrow`: what another operator needs to answer the same, sealed for a trustee.

use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueHint};
use fingerpost_exchange::{ImportEvent, ImportOptions, ImportSource, ImportTarget, import};
use fingerpost_registry::{Caller, Registry};
use fingerpost_server::backup::Identities;
use fingerpost_server::escrow::{EscrowManifest, unpack_escrow, write_escrow};
use fingerpost_server::{config, now};
use serde_json::json;

use crate::failure::Failure;
use crate::output::{self, NOTE, counted, printable};
use crate::shared_args::{Local, ReportFormat};
use crate::verify::read_keys;

#[derive(Debug, Args)]
pub(crate) struct Escrow {
    #[command(subcommand)]
    pub(crate) command: EscrowCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EscrowCommand {
    /// Write an escrow, also while the store is served
    Write(EscrowWrite),
    /// Restore a resolver from an escrow
    Restore(EscrowRestore),
}

#[derive(Debug, Args)]
#[command(after_help = "\
An escrow has the records, the options that decide what is answered with the files they name, the public keys
of signed answers, the resolver as static files, and a signed manifest with the digests of all of these. It
has no accounts, API keys, audit log or private keys. It is encrypted to the public keys of the trustees, in the
format of age, and signed by signatures.key of the configuration.

Examples:
  fingerpost escrow write --config fingerpost.toml --to age1… escrow-2026-12.age
  fingerpost escrow write --config fingerpost.toml --to age1… --to age1… /media/escrow.age")]
pub(crate) struct EscrowWrite {
    #[command(flatten)]
    pub(crate) local: Local,
    /// Public key of a trustee (age1…); can be repeated
    #[arg(long = "to", value_name = "KEY", required = true)]
    pub(crate) trustees: Vec<String>,
    /// File to write, which must not exist
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) format: ReportFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The folder then has the store in `data`, the configuration in fingerpost.toml, the records as JSON Lines and the
static files. Digests and signature are checked before anything is used. Give the keys that the operator published
with --keys: without them, the signature shows only that the escrow is complete.

Example:
  fingerpost escrow restore escrow-2026-12.age --identity trustee.txt --keys keys.json --out resolver
  fingerpost serve --config resolver/fingerpost.toml")]
pub(crate) struct EscrowRestore {
    /// The escrow
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// File with the private key of a trustee, as age-keygen writes it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) identity: PathBuf,
    /// File with the keys of the operator: a JSON Web Key Set, or one public key in PEM form
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) keys: Option<PathBuf>,
    /// Folder to create
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) format: ReportFormat,
}

/// Runs `fingerpost escrow`.
pub(crate) fn run(command: &EscrowCommand) -> Result<ExitCode, Failure> {
    match command {
        EscrowCommand::Write(args) => write(args),
        EscrowCommand::Restore(args) => restore(args),
    }
}

fn write(args: &EscrowWrite) -> Result<ExitCode, Failure> {
    let (config, store) = args.local.open()?;
    let file = File::create_new(&args.file).map_err(|error| {
        Failure::advise(
            format!("cannot create `{}`: {error}", args.file.display()),
            "name a file that does not exist",
        )
    })?;
    let mut out = BufWriter::new(file);
    let written = write_escrow(&config, &store, &args.trustees, now(), &mut out);
    let durable = written.map_err(Failure::from).and_then(|manifest| {
        let file = out.into_inner().map_err(|error| Failure::new(error.error()))?;
        file.sync_all().map_err(Failure::new)?;
        Ok(manifest)
    });
    let manifest = match durable {
        Ok(manifest) => manifest,
        Err(failure) => {
            let _ = fs::remove_file(&args.file);
            return Err(failure);
        }
    };
    report(args.format, &args.file, &manifest, None)
}

fn restore(args: &EscrowRestore) -> Result<ExitCode, Failure> {
    let identities = Identities::of(Some(&args.identity))?;
    let expected = args.keys.as_deref().map(read_keys).transpose()?;
    let (manifest, key) = unpack_escrow(&args.file, &identities, expected.as_ref(), &args.out)?;
    // Without its records it is no resolver, and the next attempt needs a new folder.
    load(&args.out, &manifest).inspect_err(|_| drop(fs::remove_dir_all(&args.out)))?;
    let path = args.out.join("fingerpost.toml");
    let text = fs::read_to_string(&path).unwrap_or_default();
    fs::write(&path, format!("data = \"data\"\n{text}")).map_err(|error| {
        Failure::advise(format!("cannot write `{}`: {error}", path.display()), "free space")
    })?;
    let exit = report(args.format, &args.out, &manifest, Some(&key))?;
    if args.keys.is_none() {
        output::print_aside(format_args!(
            "{NOTE}note{NOTE:#}: compare the key with the one that the operator published; --keys does it"
        ));
    }
    Ok(exit)
}

/// Registers the records in a new store.
fn load(folder: &Path, manifest: &EscrowManifest) -> Result<(), Failure> {
    let config = config::load(Some(&folder.join("fingerpost.toml")))?;
    let store = config.create_directory(Some(&folder.join("data")))?;
    let options = fingerpost_admin::registry_options(&config.admin);
    let registry = Registry::new(std::sync::Arc::new(store), options);
    let target = ImportTarget::registry(registry, Caller::local("escrow"));
    let records = File::open(folder.join("records.jsonl")).map_err(Failure::new)?;
    let source = ImportSource::new("records.jsonl", BufReader::new(records));
    let mut refused = None;
    let totals = import(target, vec![source], ImportOptions::default(), &mut |event| {
        if let ImportEvent::Refused { anchor, findings, .. } = event {
            let message = findings.first().map_or("", |finding| finding.message);
            refused = Some(format!("{}: {message}", anchor.unwrap_or_default()));
        }
        ControlFlow::Continue(())
    })?;
    match refused {
        Some(refused) => Err(Failure::advise(
            format!("a record of the escrow is refused: {}", printable(&refused)),
            "use the release of fingerpost that wrote the escrow, or a later one",
        )),
        None if totals.created != manifest.records => Err(Failure::advise(
            format!(
                "expected {} records in the escrow, found {}",
                manifest.records, totals.created
            ),
            "ask the operator for another escrow",
        )),
        None => Ok(()),
    }
}

fn report(
    format: ReportFormat,
    path: &Path,
    manifest: &EscrowManifest,
    key: Option<&str>,
) -> Result<ExitCode, Failure> {
    let mut out = output::stdout();
    let EscrowManifest { made, resolver_root, records, .. } = manifest;
    if format == ReportFormat::Json {
        writeln!(out, "{}", json!({ "path": path, "manifest": manifest, "key": key }))?;
    } else {
        let records = counted(*records, "record");
        writeln!(
            out,
            "{}: {records} of {resolver_root} at {made}",
            printable(&path.to_string_lossy())
        )?;
        if let Some(key) = key {
            writeln!(out, "  signed by {}", printable(key))?;
            writeln!(
                out,
                "  start it with: fingerpost serve --config {}/fingerpost.toml",
                path.display()
            )?;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
