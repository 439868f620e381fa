//! Rows that a write has announced: read in the round trip that takes its turn, and known from then on.
//!
//! The server runs the reads after the statement that takes the lock. In `READ COMMITTED` each of them sees what was committed when
//! it began, which is all that other nodes have written.

use fingerpost_engine::{Announced, Direction};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use crate::fault::Fault;
use crate::known::Known;
use crate::query::{Content, Query};
use crate::session::{Bound, Session};

/// Returns the statements that read announced rows.
pub(crate) fn reads<'a>(
    session: &Session,
    announced: &'a Announced,
) -> Result<Vec<Bound<'a>>, Fault> {
    let mut reads = Vec::new();
    for (table, keys) in announced.rows() {
        let statement = session.statement(Query::GetMany(table))?;
        reads.push(Bound { statement, params: vec![Box::new(keys)] });
    }
    for table in announced.last() {
        let query = Query::Page(*table, Direction::Back, Content::Rows);
        let params: Vec<Box<dyn ToSql + Sync>> = vec![Box::new(Vec::<u8>::new()), Box::new(1_i64)];
        reads.push(Bound { statement: session.statement(query)?, params });
    }
    Ok(reads)
}

/// Keeps what the statements of [`reads`] have found.
pub(crate) fn keep(
    known: &mut Known,
    announced: &Announced,
    found: &[Vec<Row>],
) -> Result<(), Fault> {
    let mut found = found.iter();
    for (table, keys) in announced.rows() {
        // First that there are no rows, then those that there are.
        keys.iter().for_each(|key| known.set_row(table, key, None));
        for row in found.next().into_iter().flatten() {
            let (key, value) = pair(row)?;
            known.set_row(table, key, Some(value));
        }
    }
    for (table, rows) in announced.last().iter().zip(found) {
        let last = rows.first().map(pair).transpose()?;
        known.set_last(*table, last.map(|(key, _)| key));
        if let Some((key, value)) = last {
            known.set_row(*table, key, Some(value));
        }
    }
    Ok(())
}

fn pair(row: &Row) -> Result<(&[u8], &[u8]), Fault> {
    let bytes = |column| row.try_get(column).map_err(Fault::Postgres);
    Ok((bytes(0)?, bytes(1)?))
}
