//! `fingerpost logout`: deletes the key of a server, and revokes it if it was created for this
//! command line.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;

use super::connection::Connection;
use super::credentials::{Credentials, Saved};
use crate::failure::Failure;
use crate::output::{self, NOTE, WARNING, printable};
use fingerpost_server::client::{Address, Call, CallError, Client, Trust};

#[derive(Debug, Args)]
#[command(after_help = "\
A key created by `login --login` is also revoked on the server.")]
pub(crate) struct Logout {
    #[command(flatten)]
    pub(crate) connection: Connection,
}

/// Deletes the key of a server from the file, and revokes it if it was created for this command
/// line.
pub(crate) fn run(args: &Logout) -> Result<ExitCode, Failure> {
    let mut credentials = Credentials::load()?;
    let address = args.connection.server.clone().or_else(|| credentials.default.clone());
    let address = address
        .ok_or_else(|| Failure::advise("nobody is signed in", "there is nothing to do"))
        .and_then(|address| Ok(Address::parse(&address)?))?;
    let Some(saved) = credentials.servers.remove(address.as_str()) else {
        return Err(Failure::advise(
            format!("nobody is signed in to {address}"),
            "give --server an address of the credentials file",
        ));
    };
    credentials.default.take_if(|default| default == address.as_str());
    credentials.save()?;
    let mut out = output::stdout();
    writeln!(out, "signed out of {address}")?;
    out.flush()?;
    if saved.own {
        revoke(address, saved);
    }
    Ok(ExitCode::SUCCESS)
}

/// Revokes a key. The key is deleted from the file in any case; failures are reported.
fn revoke(address: Address, saved: Saved) {
    // Format of a key: `fpk_`, the id, `_`, the secret.
    let id = saved.key.expose().split('_').nth(1).unwrap_or_default().to_owned();
    let trust = Trust { ca: saved.ca.as_deref(), insecure: saved.insecure };
    let revoked = Client::new(address, trust).map_err(CallError::from).and_then(|client| {
        client.with_key(saved.key).send(&Call::new("DELETE", format!("/v1/keys/{id}")))
    });
    if revoked.is_err() {
        let _ = writeln!(
            anstream::stderr(),
            "{WARNING}warning{WARNING:#}: the key could not be revoked at the server\n  \
             {NOTE}help{NOTE:#}: it expires by itself; to end it now, have an admin revoke {}",
            printable(&id)
        );
    }
}
