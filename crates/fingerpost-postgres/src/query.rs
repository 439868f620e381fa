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
    Get(Table),
    GetMany(Table),
    /// Rows of several tables, and the last rows of some: each row with the index of its table, and
    /// whether it was read as the last one.
    Prefetch {
        rows: Tables,
        last: Tables,
    },
    /// A page of a range from `$1` on, of `$2` rows.
    Page(Table, Direction, Content),
    /// The same before `$3`.
    PageBefore(Table, Direction, Content),
    Count(Table),
    /// The number of these keys that exist.
    CountOf(Table),
    /// Takes rows that do not exist.
    Copy(Table),
    /// Deletes rows of some tables, and puts rows into some; with `notes`, also notes a commit: its
    /// number and its id, and both for its writer. One statement, because the server answers each
    /// with a message of its own.
    Change {
        deletes: Tables,
        puts: Tables,
        notes: bool,
    },
}

/// A set of tables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Tables(u8);

impl Tables {
    pub(crate) fn insert(&mut self, table: Table) {
        self.0 |= 1 << table.index();
    }

    /// Returns the tables, in the order of [`Table::ALL`].
    pub(crate) fn iter(self) -> impl Iterator<Item = Table> {
        Table::ALL.into_iter().filter(move |table| self.0 & 1 << table.index() != 0)
    }
}

impl FromIterator<Table> for Tables {
    fn from_iter<I: IntoIterator<Item = Table>>(tables: I) -> Self {
        let mut set = Self::default();
        tables.into_iter().for_each(|table| set.insert(table));
        set
    }
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
            Self::Get(t) => format!("SELECT value FROM {s}.{} WHERE key = $1", t.name()),
            Self::GetMany(t) => {
                format!("SELECT key, value FROM {s}.{} WHERE key = ANY($1)", t.name())
            }
            Self::Prefetch { rows, last } => prefetch(s, rows, last),
            Self::Page(t, direction, content) => page(s, t, direction, content, ""),
            Self::PageBefore(t, direction, content) => {
                page(s, t, direction, content, " AND key < $3")
            }
            Self::Count(t) => format!("SELECT count(*) FROM {s}.{}", t.name()),
            Self::CountOf(t) => {
                format!("SELECT count(*) FROM {s}.{} WHERE key = ANY($1)", t.name())
            }
            Self::Copy(t) => {
                let more = if t == Table::Entries { ", revision, record" } else { "" };
                format!("COPY {s}.{} (key, value{more}) FROM STDIN (FORMAT binary)", t.name())
            }
            Self::Change { deletes, puts, notes } => change(s, deletes, puts, notes),
        }
    }
}

fn prefetch(schema: &str, rows: Tables, last: Tables) -> String {
    let rows = rows.iter().enumerate().map(|(n, table)| {
        let (index, name, param) = (table.index(), table.name(), n + 1);
        format!("SELECT {index}, false, key, value FROM {schema}.{name} WHERE key = ANY(${param})")
    });
    let last = last.iter().map(|table| {
        let (index, name) = (table.index(), table.name());
        format!("(SELECT {index}, true, key, value FROM {schema}.{name} ORDER BY key DESC LIMIT 1)")
    });
    rows.chain(last).collect::<Vec<_>>().join(" UNION ALL ")
}

/// Parameters: the keys to delete, the keys and values to put by table, and those of the note.
fn change(schema: &str, deletes: Tables, puts: Tables, notes: bool) -> String {
    let mut params = (1..).map(|number: usize| format!("${number}"));
    let mut next = || params.next().unwrap_or_default();
    let mut parts = Vec::new();
    for table in deletes.iter() {
        parts.push(format!("DELETE FROM {schema}.{} WHERE key = ANY({})", table.name(), next()));
    }
    for table in puts.iter() {
        let (keys, values) = (next(), next());
        parts.push(match table {
            Table::Entries => format!(
                "INSERT INTO {schema}.entries (key, value, revision, record) \
                 SELECT key, value, revision, CAST(record AS jsonb) \
                 FROM unnest({keys}::bytea[], {values}::bytea[], {}::bigint[], {}::text[]) AS u (key, value, revision, record) \
                 ON CONFLICT (key) DO UPDATE SET value = excluded.value, revision = excluded.revision, \
                 record = excluded.record",
                next(),
                next()
            ),
            _ => format!(
                "INSERT INTO {schema}.{} (key, value) SELECT key, value FROM unnest({keys}::bytea[], {values}::bytea[]) \
                 AS u (key, value) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                table.name()
            ),
        });
    }
    if notes {
        let (number, commit, writer) = (next(), next(), next());
        parts.push(format!(
            "INSERT INTO {schema}.writers AS w (writer, last_commit, at) VALUES ({writer}, {commit}, now()) \
             ON CONFLICT (writer) DO UPDATE SET last_commit = excluded.last_commit, at = excluded.at"
        ));
        parts.push(format!(
            "UPDATE {schema}.state SET number = {number}, last_commit = {commit} WHERE id = 1"
        ));
    }
    // The parts change different rows, so their order does not matter.
    let last = parts.pop().unwrap_or_default();
    let named = parts.iter().enumerate().map(|(n, part)| format!("part{n} AS ({part})"));
    match named.collect::<Vec<_>>() {
        named if named.is_empty() => last,
        named => format!("WITH {} {last}", named.join(", ")),
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
