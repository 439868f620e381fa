//! `fingerpost admin`: creates accounts and keys, including the first ones, on the machine that has
//! the data.
//!
//! Anyone with write access to the data directory can do everything there, so no sign-in is
//! required; the audit log records the user as `local:admin`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use fingerpost_registry::{
    ApiKey, Caller, Id, KeyRotation, Membership, NewKey, NewUser, Registry, RegistryError, Role,
    Secret, Verb,
};
use serde_json::json;

use crate::failure::Failure;
use crate::output::{self, NOTE, printable};
use crate::secret;
use crate::shared_args::{ConfigFile, Local, ReportFormat};

#[derive(Debug, Args)]
#[command(after_help = "\
Anyone with write access to the data directory can do this, also while a server uses it. Manage accounts
and keys otherwise with the console or the API.")]
pub(crate) struct Admin {
    #[command(subcommand)]
    pub(crate) command: AdminCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AdminCommand {
    /// Create an administrator of the installation
    Create(AdminCreate),
    /// Create an API key and print it once
    Key(AdminKey),
    /// Give an API key a new secret and print it once
    RotateKey(AdminRotateKey),
    /// Remove the second factor of a user
    ResetSecondFactor(AdminResetSecondFactor),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Prompts for a password of at least 12 characters, or reads it from standard input.

Examples:
  fingerpost admin create --data data --login ada --name 'Ada Example'
  pwgen 20 1 | tee password | fingerpost admin create --data data --login ada")]
pub(crate) struct AdminCreate {
    /// Data directory; created if missing [default: from the configuration]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) config: ConfigFile,
    /// Name to sign in with
    #[arg(long, value_name = "LOGIN")]
    pub(crate) login: String,
    /// Display name [default: the login]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The key is printed once; only its hash is stored. Without --organisation it is valid for the whole
installation.

Examples:
  fingerpost admin key --data data --label 'nightly export'
  fingerpost admin key --data data --label ERP --verb read,write --prefix 9520123 > key.txt")]
pub(crate) struct AdminKey {
    #[command(flatten)]
    pub(crate) local: Local,
    /// Purpose of the key, shown in lists
    #[arg(long, value_name = "TEXT")]
    pub(crate) label: String,
    /// Permission of the key; can be repeated
    #[arg(long = "verb", value_enum, value_delimiter = ',', default_value = "read")]
    pub(crate) verbs: Vec<KeyVerb>,
    /// Id of the organisation that the key is for
    #[arg(long, value_name = "ID")]
    pub(crate) organisation: Option<String>,
    /// Limit the key to identifiers whose company prefix begins with these digits
    #[arg(long, value_name = "DIGITS")]
    pub(crate) prefix: Option<String>,
    /// Expiry time (RFC 3339) [default: never]
    #[arg(long, value_name = "TIME")]
    pub(crate) expires: Option<jiff::Timestamp>,
    #[command(flatten)]
    pub(crate) format: ReportFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The current secret stays valid for 24 hours, or until --previous-until, at most 30 days. Keys that
belong to a user can be rotated by that user only, in the console or with the API.

Examples:
  fingerpost admin rotate-key --data data 01jz8k0m3v5q7s9t1w3x5y7z9a > key.txt
  fingerpost admin rotate-key --data data 01jz8k0m3v5q7s9t1w3x5y7z9a --previous-until 2026-06-01T00:00:00Z")]
pub(crate) struct AdminRotateKey {
    #[command(flatten)]
    pub(crate) local: Local,
    /// Id of the key
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// When the current secret ends (RFC 3339) [default: in 24 hours]
    #[arg(long, value_name = "TIME")]
    pub(crate) previous_until: Option<jiff::Timestamp>,
    #[command(flatten)]
    pub(crate) format: ReportFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
For a user who lost the device and the recovery codes. All sessions of the user end; the password
stays.

Examples:
  fingerpost admin reset-second-factor --data data --login ada")]
pub(crate) struct AdminResetSecondFactor {
    #[command(flatten)]
    pub(crate) local: Local,
    /// Login of the user
    #[arg(long, value_name = "LOGIN")]
    pub(crate) login: String,
}

/// A permission of an API key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeyVerb {
    /// Read records
    Read,
    /// Write records
    Write,
    /// Manage accounts, approve changes, read the audit log
    Admin,
}

/// Runs `fingerpost admin`.
pub(crate) fn run(command: &AdminCommand) -> Result<ExitCode, Failure> {
    match command {
        AdminCommand::Create(args) => create(args),
        AdminCommand::Key(args) => key(args),
        AdminCommand::RotateKey(args) => rotate_key(args),
        AdminCommand::ResetSecondFactor(args) => reset_second_factor(args),
    }
}

fn create(args: &AdminCreate) -> Result<ExitCode, Failure> {
    let config = args.config.load()?;
    let store = config.create_store(args.data.as_deref())?;
    let registry =
        Registry::new(Arc::new(store), fingerpost_admin::registry_options(&config.admin));
    let password = secret::read_new(&format!("Password for {}", args.login))?;
    let new = NewUser {
        login: args.login.clone(),
        name: args.name.clone().unwrap_or_else(|| args.login.clone()),
        password: Some(password),
        memberships: vec![Membership { organisation: None, role: Role::Admin }],
    };
    let user = registry.create_user(&Caller::local("admin"), new).map_err(refused)?;
    let mut out = output::stdout();
    writeln!(out, "made the admin {} ({})", printable(&user.login), user.id)?;
    writeln!(
        out,
        "  {NOTE}help{NOTE:#}: sign in at the admin address of `fingerpost serve` with a browser, or with \
         `fingerpost login URL --login {}`",
        printable(&user.login)
    )?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn key(args: &AdminKey) -> Result<ExitCode, Failure> {
    let organisation = match &args.organisation {
        None => None,
        Some(id) => Some(Id::parse(id).ok_or_else(|| {
            Failure::advise(
                format!("expected the id of an organisation, found `{}`", printable(id)),
                "the admin listener lists them: GET /v1/organisations",
            )
        })?),
    };
    let registry = open(&args.local)?;
    let new = NewKey {
        label: args.label.clone(),
        organisation,
        verbs: args.verbs.iter().copied().map(Verb::from).collect(),
        prefix: args.prefix.clone(),
        expires: args.expires,
        for_organisation: true,
    };
    let (key, token) = registry.create_key(&Caller::local("admin"), new).map_err(refused)?;
    print(&key, &token, args.format)
}

fn rotate_key(args: &AdminRotateKey) -> Result<ExitCode, Failure> {
    let id = Id::parse(&args.id).ok_or_else(|| {
        Failure::advise(
            format!("expected the id of a key, found `{}`", printable(&args.id)),
            "it stands between `fpk_` and the next `_` in the key; GET /v1/keys lists them",
        )
    })?;
    let registry = open(&args.local)?;
    let rotation = KeyRotation { previous_until: args.previous_until };
    let rotated = registry.rotate_key(&Caller::local("admin"), &id, &rotation);
    let (key, token) = rotated.map_err(refused)?;
    print(&key, &token, args.format)
}

fn reset_second_factor(args: &AdminResetSecondFactor) -> Result<ExitCode, Failure> {
    let registry = open(&args.local)?;
    let caller = Caller::local("admin");
    let user = registry.user_of_login(&caller, &args.login).map_err(refused)?.ok_or_else(|| {
        let what = format!("there is no user `{}`", printable(&args.login));
        Failure::advise(what, "check --login and --data")
    })?;
    registry.reset_totp(&caller, &user.id).map_err(refused)?;
    let mut out = output::stdout();
    writeln!(out, "removed the second factor of {}", printable(&user.login))?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Prints a new token.
fn print(key: &ApiKey, token: &Secret, format: ReportFormat) -> Result<ExitCode, Failure> {
    let mut out = output::stdout();
    match format {
        // Only the token goes to standard output, so that it can be piped to a secret store.
        ReportFormat::Text => {
            writeln!(out, "{}", token.expose())?;
            let _ = writeln!(
                anstream::stderr(),
                "{NOTE}note{NOTE:#}: this is shown once; {} names the key in lists",
                key.id
            );
        }
        ReportFormat::Json => {
            writeln!(out, "{}", json!({"key": key, "token": token.expose()}))?;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Opens the registry of an existing data directory.
fn open(local: &Local) -> Result<Registry, Failure> {
    let (config, store) = local.open()?;
    Ok(Registry::new(Arc::new(store), fingerpost_admin::registry_options(&config.admin)))
}

/// Returns all faults, one per line.
pub(crate) fn refused(error: RegistryError) -> Failure {
    match error.faults() {
        [] => Failure::new(error),
        faults => {
            let lines: Vec<_> = faults.iter().map(|fault| fault.to_string()).collect();
            Failure::new(printable_lines(&lines))
        }
    }
}

fn printable_lines(lines: &[String]) -> String {
    lines.iter().map(|line| printable(line)).collect::<Vec<_>>().join("\n  ")
}

impl From<KeyVerb> for Verb {
    fn from(verb: KeyVerb) -> Self {
        match verb {
            KeyVerb::Read => Self::Read,
            KeyVerb::Write => Self::Write,
            KeyVerb::Admin => Self::Admin,
        }
    }
}
