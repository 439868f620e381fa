//! `fingerpost login`: signs in to an admin listener, and stores an API key.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueHint};
use fingerpost_registry::Secret;
use jiff::SignedDuration;
use serde::Deserialize;
use serde_json::json;

use super::credentials::{Credentials, Saved};
use super::problem::Stop;
use crate::failure::Failure;
use crate::output::{self, printable};
use crate::secret;
use fingerpost_server::client::{Address, Call, Client, Trust, code};
use fingerpost_server::now;

/// The members of a session that this command needs.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Session {
    user: Named,
    csrf: Secret,
    #[serde(default)]
    rights: Vec<Right>,
    #[serde(default)]
    second_factor_required: bool,
}

#[derive(Deserialize)]
struct Named {
    login: String,
}

/// A role of a user in one organisation.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Right {
    organisation: Option<String>,
    #[serde(default)]
    organisation_name: Option<String>,
    #[serde(default)]
    verbs: Vec<String>,
    #[serde(default)]
    role: Option<String>,
}

#[derive(Deserialize)]
struct MadeKey {
    token: Secret,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Without --login, the command prompts for an API key, or reads it from standard input. With --login, it
prompts for a password, and the server creates an API key, which is stored; the password is not.

Keys are stored in $XDG_CONFIG_HOME/fingerpost/credentials.toml, readable only by you. The server of
the last login is the default. FINGERPOST_SERVER and FINGERPOST_KEY override the file.

Examples:
  fingerpost login https://admin.id.example.org
  fingerpost login http://127.0.0.1:8081 --login ada
  fingerpost login https://admin.id.example.org --ca authority.pem < key.txt")]
pub(crate) struct Login {
    /// Address of the admin listener
    #[arg(value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) url: String,
    /// Sign in with this name and a password
    #[arg(long, value_name = "NAME")]
    pub(crate) login: Option<String>,
    /// Id of the organisation that the key is for; required if you belong to several
    #[arg(long, value_name = "ID", requires = "login")]
    pub(crate) organisation: Option<String>,
    /// Days after which the key expires
    #[arg(long, value_name = "DAYS", requires = "login", default_value_t = 90)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=365))]
    pub(crate) days: u32,
    /// Create a key that can only read
    #[arg(long, requires = "login")]
    pub(crate) read_only: bool,
    /// Trust only certificates of this authority (PEM)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) ca: Option<PathBuf>,
    /// Allow sending the key to another machine without TLS
    #[arg(long)]
    pub(crate) insecure: bool,
}

pub(crate) fn run(args: &Login) -> Result<ExitCode, Stop> {
    let address = Address::parse(&args.url)?;
    // A relative path would name another file when run from another folder.
    let ca = args.ca.as_deref().map(absolute).transpose()?;
    let client =
        Client::new(address.clone(), Trust { ca: ca.as_deref(), insecure: args.insecure })?;
    let (key, who) = match &args.login {
        Some(name) => by_password(&client, name, args)?,
        None => (secret::read(&format!("API key for {address}"))?, None),
    };
    let client = client.with_key(key.clone());
    // Any request that needs a key shows whether this one is valid.
    client.send(&Call::new("GET", "/v1/levels").query("limit", "1"))?;
    let mut credentials = Credentials::load()?;
    let own = who.is_some();
    let saved = Saved { key, ca, insecure: args.insecure, own };
    credentials.servers.insert(address.as_str().to_owned(), saved);
    credentials.default = Some(address.as_str().to_owned());
    let path = credentials.save()?;
    let mut out = output::stdout();
    let who = who.map(|who| format!(" as {}", printable(&who))).unwrap_or_default();
    writeln!(out, "signed in to {address}{who}; the key is in {}", path.display())?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Signs in, creates a key, and signs out again.
fn by_password(
    client: &Client,
    name: &str,
    args: &Login,
) -> Result<(Secret, Option<String>), Stop> {
    let password = secret::read(&format!("Password of {name} at {}", client.address()))?;
    let origin = client.address().as_str();
    let enter = |code: Option<&Secret>| {
        let code = code.map(Secret::expose);
        let body = json!({"login": name, "password": password.expose(), "code": code}).to_string();
        let call = Call::new("POST", "/v1/session").body("application/json", body.as_bytes());
        client.send(&call.header("origin", origin))
    };
    let answer = match enter(None) {
        Err(error) if error.code() == Some(code::CODE_REQUIRED) => {
            enter(Some(&secret::read("Code of your authenticator application, or recovery code")?))
        }
        answer => answer,
    }?;
    let session: Session = answer.json()?;
    if session.second_factor_required {
        let what = "an administrator needs a second factor at this server";
        return Err(Failure::advise(what, "set it up in the console first").into());
    }
    let cookies = answer.cookies();
    let within = |call: Call<'static>| {
        call.header("cookie", cookies.clone())
            .header("origin", origin)
            .header("x-csrf-token", session.csrf.expose())
    };
    let made = make_key(client, &session, args, &within);
    // Sign out even after a failure, so that no session is left.
    let _ = client.send(&within(Call::new("DELETE", "/v1/session")));
    Ok((made?, Some(session.user.login)))
}

fn make_key(
    client: &Client,
    session: &Session,
    args: &Login,
    within: &impl Fn(Call<'static>) -> Call<'static>,
) -> Result<Secret, Stop> {
    let right = choose(&session.rights, args.organisation.as_deref())?;
    let may_write = right.verbs.iter().any(|verb| verb == "write")
        || right.role.as_deref().is_some_and(|role| role != "reader");
    let mut verbs = vec!["read"];
    if may_write && !args.read_only {
        verbs.push("write");
    }
    let expires = now().saturating_add(SignedDuration::from_hours(24 * i64::from(args.days)));
    let body = json!({
        "label": format!("command line on {}", machine()),
        "organisation": args.organisation.as_ref().or(right.organisation.as_ref()),
        "verbs": verbs,
        "expires": expires.map_err(Failure::new)?.to_string(),
    });
    let body = body.to_string();
    let call = within(Call::new("POST", "/v1/keys"));
    let made: MadeKey = client.send(&call.body("application/json", body.as_bytes()))?.json()?;
    Ok(made.token)
}

/// Returns the scope of the key: the only one possible, or the one that was named.
fn choose<'r>(rights: &'r [Right], organisation: Option<&str>) -> Result<&'r Right, Failure> {
    if let Some(id) = organisation {
        let named = rights.iter().find(|right| right.organisation.as_deref() == Some(id));
        // A role for the whole installation applies to each organisation; the server knows whether
        // the named one exists.
        let all = rights.iter().find(|right| right.organisation.is_none());
        return named.or(all).ok_or_else(|| {
            Failure::advise(
                format!("you have no rights in the organisation `{}`", printable(id)),
                listed(rights),
            )
        });
    }
    match rights {
        [] => Err(Failure::advise(
            "the account has no rights yet",
            "ask an admin to add it to an organisation",
        )),
        [only] => Ok(only),
        several => match several.iter().find(|right| right.organisation.is_none()) {
            Some(all) => Ok(all),
            None => Err(Failure::advise(
                "the account belongs to several organisations, and a key counts for one",
                listed(several),
            )),
        },
    }
}

fn listed(rights: &[Right]) -> String {
    let one = |right: &Right| {
        let id = printable(right.organisation.as_deref()?);
        let name = printable(right.organisation_name.as_deref().unwrap_or_default());
        Some(format!("--organisation {id} ({name})"))
    };
    format!("choose one: {}", rights.iter().filter_map(one).collect::<Vec<_>>().join(", "))
}

fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    fs::canonicalize(path).map_err(|error| {
        Failure::advise(
            format!("cannot read `{}`: {error}", path.display()),
            "give --ca a file with the authority's certificate (PEM)",
        )
    })
}

/// Returns the name of this machine, by which users recognise the key in a list.
fn machine() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    match name.trim() {
        "" => "a machine without a name".to_owned(),
        name => name.to_owned(),
    }
}
