//! Faults of the database: which of them a repetition can overcome, and what the operator reads.

use std::error::Error as _;
use std::time::Duration;

use fingerpost_engine::EngineError;
use tokio_postgres::error::{Severity, SqlState};

use crate::limits::TURN;

/// A failed call of the database.
#[derive(Debug)]
pub(crate) enum Fault {
    /// What the client or the server reports.
    Postgres(tokio_postgres::Error),
    /// A host that takes no connection, or no writes.
    Unreachable(String),
    /// There was no answer to a request in time.
    Late(&'static str, Duration),
    /// The server must not be used, with the reason and what to do.
    Refused(String),
    /// No host of the address can be used: each with its fault.
    Everywhere(Vec<(String, Fault)>),
    /// The database was unreachable a moment ago.
    Down(String),
    /// All connections of this process are in use.
    Crowded(usize),
}

/// What a fault means for a transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// The transaction was rolled back; it can be repeated in the same session.
    Conflict,
    /// The session is lost, and with it all answers that were due.
    Lost,
    /// A repetition would fail as well.
    Lasting,
}

impl Fault {
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Late(..) | Self::Unreachable(_) => Kind::Lost,
            Self::Down(_) | Self::Refused(_) | Self::Crowded(_) => Kind::Lasting,
            Self::Postgres(error) => kind_of(error),
            Self::Everywhere(faults) => {
                let is_lost = faults.iter().any(|(_, fault)| fault.kind() == Kind::Lost);
                if is_lost { Kind::Lost } else { Kind::Lasting }
            }
        }
    }

    /// Returns whether the server reported that a transaction failed. It was rolled back then, even
    /// if its commit was requested.
    pub(crate) fn is_rolled_back(&self) -> bool {
        let Self::Postgres(error) = self else { return false };
        error.as_db_error().is_some_and(|error| error.parsed_severity() == Some(Severity::Error))
    }

    /// Returns the SQLSTATE that the server reported.
    pub(crate) fn code(&self) -> Option<&SqlState> {
        match self {
            Self::Postgres(error) => error.code(),
            _ => None,
        }
    }

    /// Returns the fault as an error of the store.
    pub(crate) fn error(&self, location: &str) -> EngineError {
        let (location, detail) = (location.to_owned(), self.detail());
        match self.code() {
            Some(&SqlState::DISK_FULL) => EngineError::DatabaseFull { location, detail },
            _ => EngineError::Database { location, detail },
        }
    }

    /// Returns the fault in words.
    pub(crate) fn detail(&self) -> String {
        match self {
            Self::Postgres(error) if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) => {
                format!("another node holds the turn to write for more than {} s", TURN.as_secs())
            }
            Self::Postgres(error) if error.code().is_some_and(is_shared_session) => {
                let why = "a pooler gives the statements of one session to several sessions of the server: use session pooling";
                format!("{}: {why}", describe(error))
            }
            Self::Postgres(error) => describe(error),
            Self::Everywhere(faults) => {
                let all = faults.iter().map(|(host, fault)| format!("{host}: {}", fault.detail()));
                all.collect::<Vec<_>>().join("; ")
            }
            Self::Late(what, limit) => {
                format!("no answer to {what} within {} s", limit.as_secs_f32())
            }
            Self::Refused(why) | Self::Down(why) | Self::Unreachable(why) => why.clone(),
            Self::Crowded(connections) => {
                format!("all {connections} connections of this process are in use")
            }
        }
    }
}

/// Whether the server does not know a statement that was prepared, or knows one that was not.
fn is_shared_session(code: &SqlState) -> bool {
    [SqlState::INVALID_SQL_STATEMENT_NAME, SqlState::DUPLICATE_PSTATEMENT].contains(code)
}

fn kind_of(error: &tokio_postgres::Error) -> Kind {
    let Some(reported) = error.as_db_error() else {
        // Anything but a report of the server: a socket, a broken protocol, a refused connection,
        // or a value that does not fit its column, which no statement of ours sends.
        return Kind::Lost;
    };
    let code = reported.code();
    let is_class = |class: &str| code.code().starts_with(class);
    if [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED].contains(code) {
        return Kind::Conflict;
    }
    // 08: connection; 25006: a standby; 57P01 to 57P05: shut down, starting, idle for too long;
    // 53300: too many connections.
    let is_lost = is_class("08") || is_class("57P");
    let is_lost = is_lost
        || [SqlState::READ_ONLY_SQL_TRANSACTION, SqlState::TOO_MANY_CONNECTIONS].contains(code)
        || *code == SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT
        || reported.parsed_severity() == Some(Severity::Panic);
    if is_lost { Kind::Lost } else { Kind::Lasting }
}

/// Returns an error of the client in one line: the message of the server with its code, or the
/// chain of causes.
pub(crate) fn describe(error: &tokio_postgres::Error) -> String {
    if let Some(reported) = error.as_db_error() {
        let hint = reported.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
        return format!("{} (SQLSTATE {}){hint}", reported.message(), reported.code().code());
    }
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        let next_text = next.to_string();
        if !text.contains(&next_text) {
            text = format!("{text}: {next_text}");
        }
        cause = next.source();
    }
    text
}
