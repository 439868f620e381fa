//! Names of commands that people know from other programs, with what to do here.

use std::ffi::OsStr;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Names that people try, with a tip that begins with a command.
const TIPS: &[(&[&str], &str)] = &[
    (
        &["undo", "rollback"],
        "`fingerpost revert` restores an earlier revision that `fingerpost history` lists",
    ),
    (
        &["upgrade", "update"],
        "install a newer fingerpost: it brings a store up to date when it opens it",
    ),
    (&["rm", "remove", "del"], "`fingerpost delete` deletes the record of a level"),
    (
        &["show", "cat", "view"],
        "`fingerpost get` shows a record, `fingerpost explain` how a request is answered",
    ),
    (&["ls", "records"], "`fingerpost list` lists records"),
    (&["add", "create", "new", "set", "register"], "`fingerpost put` registers records"),
    (
        &["log"],
        "`fingerpost history` shows the changes of a level, `fingerpost audit` those of all",
    ),
    (
        &["status", "health"],
        "`fingerpost doctor` examines an installation; `/health` and `/ready` are for monitoring",
    ),
    (&["version"], "`fingerpost --version` prints the version"),
    (&["start", "run", "server", "up"], "`fingerpost serve` starts the server"),
    (
        &["validate", "parse", "identify", "scan"],
        "`fingerpost check` identifies and validates an identifier",
    ),
    (&["qr", "barcode", "print"], "`fingerpost label` draws the symbol of an identifier"),
    (&["load", "upload"], "`fingerpost import` loads records into a data directory"),
    (&["dump", "download"], "`fingerpost export` writes all records"),
    (&["test"], "`fingerpost conform` checks a resolver"),
    (&["diff"], "`fingerpost compare` compares the answers of two resolvers"),
    (&["rename", "mv", "replace"], "`fingerpost succeed` lets a new key answer for an old one"),
    (&["config", "settings"], "`fingerpost configuration` prints all settings"),
    (
        &["user", "users", "account", "accounts", "key", "keys"],
        "`fingerpost admin` creates accounts and API keys",
    ),
];

/// Replaces what clap finds similar in an unknown command by a tip, or by commands with the same
/// first letter: an unrelated command may change data.
pub(crate) fn improve(mut error: clap::Error, first: Option<&OsStr>) -> clap::Error {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return error;
    }
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand) else {
        return error;
    };
    let typed = typed.clone();
    let is_first = first.is_some_and(|first| first == typed.as_str());
    let tip = TIPS.iter().find(|(names, _)| is_first && names.contains(&typed.as_str()));
    let similar = match error.remove(ContextKind::SuggestedSubcommand) {
        Some(ContextValue::String(name)) => vec![name],
        Some(ContextValue::Strings(names)) => names,
        _ => Vec::new(),
    };
    if let Some((_, tip)) = tip {
        let tips = vec![StyledStr::from(*tip)];
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
        return error;
    }
    let begins_alike = |name: &String| name.bytes().next() == typed.bytes().next();
    let similar: Vec<_> = similar.into_iter().filter(begins_alike).collect();
    if !similar.is_empty() {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(similar));
    }
    error
}
