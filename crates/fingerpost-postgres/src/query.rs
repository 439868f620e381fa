//! The statements. Each is prepared once in a session; all names are qualified, so that no search
//! path matters.

use fingerpost_engine::{Direction, Table};

/// A statement about one schema.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Query {
    /// The number of the last commit.
    Number,
    /// The number of the last commit, and the row that the writer locks.
    Lock,
    /// The last commit of a writer.
    LastOf,
    /// Notes a commit: its number and its id, and both for its writer.
    Note,
    Get(Table),
    GetMany(Table),
    /// A page of a range from `$1` on, of `$2` rows.
    Page(Table, Direction, Content),
    /// The same before `$3`.
    PageBefore(Table, Direction, Content),
    Count(Table),
    /// The number of these keys that exist.
    CountOf(Table),
    Put(Table),
    /// Takes rows that do not exist.
    Copy(Table),
    Delete(Table),
}

/// What a page holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Content {
    Rows,
    /// Keys, and the lengths of their values.
    Keys,
}

impl Query {
    /// Whether the statement reads many rows before it answers.
    pub(crate) fn counts(self) -> bool {
        matches!(self, Self::Count(_) | Self::CountOf(_))
    }

    /// Returns the text of the statement for the tables of a schema.
    pub(crate) fn text(self, schema: &str) -> String {
        let s = schema;
        match self {
            Self::Number => format!("SELECT number FROM {s}.state WHERE id = 1"),
            Self::Lock => {
                format!("SELECT number, last_commit FROM {s}.state WHERE id = 1 FOR UPDATE")
            }
            Self::LastOf => format!("SELECT last_commit FROM {s}.writers WHERE writer = $1"),
            Self::Note => format!(
                "WITH noted AS (INSERT INTO {s}.writers AS w (writer, last_commit, at) VALUES ($3, $2, now()) \
                 ON CONFLICT (writer) DO UPDATE SET last_commit = excluded.last_commit, at = excluded.at) \
                 UPDATE {s}.state SET number = $1, last_commit = $2 WHERE id = 1"
            ),
            Self::Get(t) => format!("SELECT value FROM {s}.{} WHERE key = $1", t.name()),
            Self::GetMany(t) => {
                format!("SELECT key, value FROM {s}.{} WHERE key = ANY($1)", t.name())
            }
            Self::Page(t, direction, content) => page(s, t, direction, content, ""),
            Self::PageBefore(t, direction, content) => {
                page(s, t, direction, content, " AND key < $3")
            }
            Self::Count(t) => format!("SELECT count(*) FROM {s}.{}", t.name()),
            Self::CountOf(t) => {
                format!("SELECT count(*) FROM {s}.{} WHERE key = ANY($1)", t.name())
            }
            Self::Put(Table::Entries) => format!(
                "INSERT INTO {s}.entries (key, value, revision, record) SELECT key, value, revision, CAST(record AS jsonb) \
                 FROM unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::text[]) AS u (key, value, revision, record) \
                 ON CONFLICT (key) DO UPDATE SET value = excluded.value, revision = excluded.revision, \
                 record = excluded.record"
            ),
            Self::Put(t) => format!(
                "INSERT INTO {s}.{} (key, value) SELECT key, value FROM unnest($1::bytea[], $2::bytea[]) \
                 AS u (key, value) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                t.name()
            ),
            Self::Copy(t) => {
                let more = if t == Table::Entries { ", revision, record" } else { "" };
                format!("COPY {s}.{} (key, value{more}) FROM STDIN (FORMAT binary)", t.name())
            }
            Self::Delete(t) => format!("DELETE FROM {s}.{} WHERE key = ANY($1)", t.name()),
        }
    }
}

fn page(schema: &str, table: Table, direction: Direction, content: Content, end: &str) -> String {
    let value = match content {
        Content::Rows => "value",
        Content::Keys => "length(value)",
    };
    let order = match direction {
        Direction::Forward => "ASC",
        Direction::Back => "DESC",
    };
    let table = table.name();
    format!(
        "SELECT key, {value} FROM {schema}.{table} WHERE key >= $1{end} ORDER BY key {order} LIMIT $2"
    )
}
