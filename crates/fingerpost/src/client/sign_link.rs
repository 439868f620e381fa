//! `fingerpost sign-link`: a link that proves roles, for somebody without an account.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::connection::{self, Connection};
use super::key;
use super::problem::Stop;
use crate::output::{self, NOTE, printable};
use crate::shared_args::{ReportFormat, instant_or_date};
use fingerpost_server::client::Call;

#[derive(Debug, Args)]
#[command(after_help = "\
The link shows what the roles may see, in answers to exactly this key. Everyone who has it has this proof, so treat it
like a password. It is not stored and cannot be shown again; the audit log notes who made it, for which roles and until
when. You need permission to change the key and the key above it, and the server needs signed_links.secret_file.

Examples:
  fingerpost sign-link 01/09520123456788 --role recycler --until 2027-01-01
  fingerpost sign-link '(01)09520123456788(21)7' --role recycler --role authority --until 2027-01-01T08:00:00Z")]
pub(crate) struct SignLink {
    /// The key that the link is for
    #[arg(value_name = "KEY")]
    pub(crate) key: String,
    /// Role that the link proves; can be repeated
    #[arg(long = "role", value_name = "NAME", required = true)]
    pub(crate) roles: Vec<String>,
    /// End of the link (RFC 3339), at most 366 days away; of a date, its beginning (0:00 UTC)
    #[arg(long, value_name = "TIME", value_parser = instant_or_date)]
    pub(crate) until: jiff::Timestamp,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

/// The members of the answer that are shown as text.
#[derive(Debug, Deserialize)]
struct Signed {
    href: String,
    until: String,
}

pub(crate) fn run(args: &SignLink) -> Result<ExitCode, Stop> {
    let key = key::read(&args.key)?;
    let new = json!({ "key": format!("/{key}"), "roles": args.roles, "until": args.until });
    let client = connection::open(&args.connection)?;
    let body = new.to_string();
    let call = Call::new("POST", "/v1/signed-links").body("application/json", body.as_bytes());
    let answer = client.send(&call)?;
    let mut out = output::stdout();
    match args.connection.format {
        ReportFormat::Json => writeln!(out, "{}", answer.json::<&RawValue>()?)?,
        // The address alone is on standard output, so that it can be piped.
        ReportFormat::Text => {
            let signed: Signed = answer.json()?;
            writeln!(out, "{}", printable(&signed.href))?;
            let until = printable(&signed.until);
            let said = "everyone who has it can use it";
            writeln!(anstream::stderr(), "{NOTE}note{NOTE:#}: valid until {until}; {said}")?;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
