//! Calls of an admin listener with the key of the environment or of the last login.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use fingerpost_registry::Secret;
use fingerpost_server::client::{Address, Call, Client, Trust};

use super::credentials::Credentials;
use crate::failure::Failure;
use crate::secret;
use crate::shared_args::ReportFormat;

/// The server, and the format of its answers.
#[derive(Debug, Args)]
pub(crate) struct Connection {
    /// Address of the admin listener [default: that of the last login]
    #[arg(long, value_name = "URL", env = "FINGERPOST_SERVER", hide_env_values = true)]
    #[arg(value_hint = ValueHint::Url)]
    pub(crate) server: Option<String>,
    /// Trust only certificates of this authority (PEM)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) ca: Option<PathBuf>,
    /// Allow sending the key to another machine without TLS
    #[arg(long)]
    pub(crate) insecure: bool,
    #[command(flatten)]
    pub(crate) format: ReportFormat,
}

/// Creates a client for the server of the command line, the environment or the last login, with the
/// key from the environment or the credentials file.
pub(super) fn open(connection: &Connection) -> Result<Client, Failure> {
    let credentials = Credentials::load()?;
    let default = || credentials.default.clone();
    let address = connection.server.clone().or_else(default).ok_or_else(|| {
        Failure::advise(
            "no server is known",
            "sign in with `fingerpost login URL`, or give --server and FINGERPOST_KEY",
        )
    })?;
    let address = Address::parse(&address)?;
    let saved = credentials.servers.get(address.as_str());
    let from_environment = std::env::var("FINGERPOST_KEY").ok().filter(|key| !key.is_empty());
    let key = from_environment.map(Secret::new).or_else(|| Some(saved?.key.clone()));
    let key = key.ok_or_else(|| {
        Failure::advise(
            format!("there is no key for {address}"),
            format!("sign in with `fingerpost login {address}`, or set FINGERPOST_KEY"),
        )
    })?;
    let insecure = connection.insecure || saved.is_some_and(|saved| saved.insecure);
    let ca = connection.ca.as_deref().or_else(|| saved?.ca.as_deref());
    Ok(Client::new(address, Trust { ca, insecure })?.with_key(key))
}

/// Turns the request into a write: optionally as a dry run, applied once even if it is sent twice,
/// and only if the level has this revision.
pub(super) fn writing(
    call: Call<'_>,
    dry_run: bool,
    if_match: Option<u64>,
) -> Result<Call<'_>, Failure> {
    let call = call.header("idempotency-key", secret::random()?.expose());
    let call = if dry_run { call.query("dryRun", "true") } else { call };
    Ok(match if_match {
        Some(revision) => call.header("if-match", format!("\"{revision}\"")),
        None => call,
    })
}
