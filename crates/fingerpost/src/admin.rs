//! `fingerpost admin`: creates accounts and keys, including the first ones, on the machine that has the data.
//!
//! Anyone with write access to the data directory can do everything there, so no sign-in is required; the audit log records the user as
//! `local:admin`.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use fingerpost_registry::{
    ApiKey, Caller, Id, KeyRotation, Membership, NewKey, NewUser, Registry, RegistryError, Role,
    Secret, Verb,
};
use serde_json::json;

use crate::args::ReportFormat;
use crate::args::local::{
    AdminCommand, AdminCreate, AdminKey, AdminResetSecondFactor, AdminRotateKey, KeyVerb, Local,
};
use crate::failure::Failure;
use crate::output::{self, NOTE, printable};
use crate::secret;
use fingerpost_server::config;

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
    let config = config::load(args.config.as_deref())?;
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
