//! One session with the server: prepared statements, and time limits.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::io::Cursor;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, MaybeDone, join, join_all, maybe_done};
use futures_util::{FutureExt, SinkExt, StreamExt};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, Error, NoTls, Row, SimpleQueryMessage, Statement};

use crate::driver::Driver;
use crate::fault::{Fault, Kind};
use crate::limits::{ANSWER, COMMIT, GRACE, IDLE_READER, IDLE_WRITER, STATEMENT, TURN};
use crate::query::Query;
use crate::tls::Tls;

/// The parameters of a statement.
pub(crate) type Params<'p> = &'p [&'p (dyn ToSql + Sync)];

/// A parameter of a statement.
pub(crate) type Param<'p> = Box<dyn ToSql + Sync + Send + 'p>;

/// A statement with its parameters.
pub(crate) struct Bound<'p> {
    pub(crate) statement: Statement,
    pub(crate) params: Vec<Param<'p>>,
}

/// Changes that are being sent, and their result when they are over.
type Sending = Pin<Box<MaybeDone<BoxFuture<'static, Result<(), Error>>>>>;

/// What a session is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    Reader,
    Writer,
}

/// A session with the server, used by one thread at a time.
pub(crate) struct Session {
    client: Arc<Client>,
    /// Changes that are not over.
    sending: RefCell<Option<Sending>>,
    /// Dropped after the client, so that it can end the session.
    driver: Driver,
    schema: Arc<str>,
    statements: RefCell<HashMap<Query, Statement>>,
    /// Whether an answer is missing, so that the session cannot be used again.
    is_broken: Cell<bool>,
    /// Whether the server is set to report commits before they are stored.
    is_early: Cell<bool>,
}

impl Session {
    /// Connects to a host, and sets the limits of the session.
    pub(crate) fn connect(
        config: &Config,
        schema: &str,
        tls: Option<&Tls>,
        role: Role,
    ) -> Result<Self, Fault> {
        let limit = config.get_connect_timeout().copied().unwrap_or(GRACE);
        let (driver, what) = (Driver::connect(config)?, "the connection");
        let client = match tls {
            None => {
                let begun = driver.run(limit, what, config.connect_raw(driver.stream(), NoTls))?;
                driver.set_connection(begun.1.map(|_| ()));
                begun.0
            }
            Some(tls) => {
                let begun = config.connect_raw(driver.stream(), tls.handshake(config)?);
                let begun = driver.run(limit, what, begun)?;
                driver.set_connection(begun.1.map(|_| ()));
                begun.0
            }
        };
        let session = Self {
            client: Arc::new(client),
            sending: RefCell::default(),
            driver,
            schema: schema.into(),
            statements: RefCell::default(),
            is_broken: Cell::new(false),
            is_early: Cell::new(false),
        };
        session.prepare_server(role)?;
        Ok(session)
    }

    /// Sets the limits of the session, and refuses a server that loses commits.
    fn prepare_server(&self, role: Role) -> Result<(), Fault> {
        let idle = match role {
            Role::Reader => IDLE_READER,
            Role::Writer => IDLE_WRITER,
        };
        self.batch(&format!(
            "SET statement_timeout = {}; SET lock_timeout = {}; SET idle_in_transaction_session_timeout = {}",
            STATEMENT.as_millis(),
            TURN.as_millis(),
            idle.as_millis(),
        ))?;
        // Compatible servers need not know these. Every read is a short range of a primary key,
        // which the planner cannot tell from a prepared statement; and the server must notice soon
        // that a writer has vanished.
        let hints = [
            "SET plan_cache_mode = force_generic_plan",
            "SET enable_seqscan = off",
            "SET enable_bitmapscan = off",
            "SET enable_sort = off",
            "SET jit = off",
            "SET tcp_keepalives_idle = 10",
            "SET tcp_keepalives_interval = 5",
            "SET tcp_keepalives_count = 3",
            "SET tcp_user_timeout = 25000",
        ];
        let settings = "SELECT current_setting('fsync', true), current_setting('synchronous_commit', true), \
             current_setting('transaction_read_only')";
        let settings = self.run_within(ANSWER, "its settings", async {
            let (_, settings) = join(
                join_all(hints.map(|hint| self.client.batch_execute(hint))),
                self.client.simple_query(settings),
            )
            .await;
            settings
        })?;
        let mut values = settings.iter().filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some([row.get(0), row.get(1), row.get(2)]),
            _ => None,
        });
        let [fsync, synchronous, read_only] = values.next().unwrap_or_default();
        if read_only == Some("on") {
            return Err(Fault::Unreachable("database does not allow writes".to_owned()));
        }
        if fsync == Some("off") {
            let why = "the server has `fsync = off` and can lose what was committed: set `fsync = on`, or use another server";
            return Err(Fault::Refused(why.to_owned()));
        }
        if synchronous == Some("off") {
            self.is_early.set(true);
            self.batch("SET synchronous_commit = on")?;
        }
        Ok(())
    }

    /// Returns whether the session can be used.
    pub(crate) fn is_open(&self) -> bool {
        self.driver.flush(); // learns of its end
        !self.is_broken.get() && !self.client.is_closed()
    }

    /// Begins a write with `begin`, and waits for the row of `query` as [`Session::begin`] does.
    /// Behind a pooler, the server's session can be another one than that which was set up: what
    /// keeps acknowledged commits is set for each transaction.
    pub(crate) fn begin_write(
        &self,
        begin: &str,
        query: Query,
        reads: &[Bound<'_>],
        answer: Duration,
        limit: Duration,
    ) -> Result<(Option<Row>, Vec<Vec<Row>>), Fault> {
        match self.is_early.get() {
            true => {
                let begin = format!("{begin}; SET LOCAL synchronous_commit = on");
                self.begin(&begin, query, reads, answer, limit)
            }
            false => self.begin(begin, query, reads, answer, limit),
        }
    }

    /// Runs statements without parameters.
    pub(crate) fn batch(&self, statements: &str) -> Result<(), Fault> {
        self.run_within(ANSWER, "a statement", self.client.batch_execute(statements))
    }

    /// Sends a statement, and does not wait for its answer. The server runs it before what is sent
    /// next.
    pub(crate) fn send(&self, statement: &str) {
        drop(self.sending.take()); // the server is told that copies fail
        let _ = Box::pin(self.client.batch_execute(statement)).now_or_never();
        self.driver.flush();
    }

    /// Returns the rows of a query.
    pub(crate) fn rows(&self, query: Query, params: Params<'_>) -> Result<Vec<Row>, Fault> {
        let statement = self.statement(query)?;
        let silence = if query.counts() { STATEMENT + GRACE } else { ANSWER };
        let params = params.iter().map(|param| *param as &dyn ToSql);
        let rows = self.client.query_raw(&statement, params);
        let mut rows = pin!(self.run_within(silence, "a query", rows)?);
        let mut found = Vec::new();
        let mut next = async || rows.next().await.transpose();
        while let Some(row) = self.run_within(silence, "a query", next())? {
            found.push(row);
        }
        Ok(found)
    }

    /// Begins a transaction with `begin`, and returns the row of `query` and the rows of each of
    /// `reads`: in one round trip. The begin must be answered within `answer`, which shows whether
    /// the server is there; the query may wait for others within `limit`. The server runs the reads
    /// after the query, so they see what was committed before that ended.
    pub(crate) fn begin(
        &self,
        begin: &str,
        query: Query,
        reads: &[Bound<'_>],
        answer: Duration,
        limit: Duration,
    ) -> Result<(Option<Row>, Vec<Vec<Row>>), Fault> {
        let statement = self.statement(query)?;
        let mut begun = pin!(maybe_done(self.client.batch_execute(begin)));
        let mut row = pin!(maybe_done(self.client.query_opt(&statement, &[])));
        let mut found = pin!(maybe_done(in_order(self.queries(reads))));
        // Futures send when they are first polled.
        let _ = (begun.as_mut().now_or_never(), row.as_mut().now_or_never());
        let _ = found.as_mut().now_or_never();
        self.run_within(answer, "the begin of a transaction", async {
            begun.as_mut().await;
            begun.take_output().unwrap_or(Ok(()))
        })?;
        let row = self.run_within(limit, "the first query of a transaction", async {
            row.as_mut().await;
            row.take_output().unwrap_or(Ok(None))
        })?;
        let found = self.run_within(ANSWER, "the first reads of a transaction", async {
            found.as_mut().await;
            found.take_output().unwrap_or_default().into_iter().collect()
        })?;
        Ok((row, found))
    }

    /// Returns the rows of each of several queries, in one round trip.
    pub(crate) fn read_all(&self, reads: &[Bound<'_>]) -> Result<Vec<Vec<Row>>, Fault> {
        self.run_within(ANSWER, "queries", async {
            in_order(self.queries(reads)).await.into_iter().collect()
        })
    }

    /// Returns futures that send the queries when they are first polled.
    fn queries<'q>(
        &'q self,
        reads: &'q [Bound<'_>],
    ) -> Vec<impl Future<Output = Result<Vec<Row>, Error>> + 'q> {
        let query = |Bound { statement, params }: &'q Bound<'_>| async move {
            self.client.query(statement, &borrowed(params)).await
        };
        reads.iter().map(query).collect()
    }

    /// Runs a query without parameters, and returns the number in its first row.
    pub(crate) fn number(&self, query: &str) -> Result<Option<i32>, Fault> {
        let messages = self.run_within(ANSWER, "a query", self.client.simple_query(query))?;
        Ok(messages.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0)?.parse().ok(),
            _ => None,
        }))
    }

    /// Runs a statement with parameters, then `last`, if there are such, in one round trip. Returns
    /// all faults.
    pub(crate) fn execute(
        &self,
        statement: Option<&Bound<'_>>,
        last: Option<&str>,
        limit: Duration,
    ) -> Result<(), Vec<Fault>> {
        let executed = async {
            let Some(Bound { statement, params }) = statement else { return Ok(()) };
            self.client.execute(statement, &borrowed(params)).await.map(|_| ())
        };
        let mut results = Vec::new();
        let outcome = self.run_within(limit, "statements of a write", async {
            // Futures send when they are first polled, which is in this order.
            let last = async {
                match last {
                    Some(last) => self.client.batch_execute(last).await,
                    None => Ok(()),
                }
            };
            let (executed, last) = join(executed, last).await;
            results.extend(executed.err().into_iter().chain(last.err()));
            Ok(())
        });
        let mut faults: Vec<Fault> = results.into_iter().map(Fault::Postgres).collect();
        faults.extend(outcome.err());
        self.note_lost(&faults);
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }

    /// Begins to send changes: rows to statements that copy them into tables, one after the other,
    /// then a statement. It proceeds with each [`Session::proceed`], so that the server makes these
    /// changes while others are collected. The next call waits for its end, and returns its fault.
    pub(crate) fn begin_changes(
        &self,
        copies: Vec<(Query, Vec<u8>)>,
        last: Option<Bound<'static>>,
    ) -> Result<(), Fault> {
        let with_statement = |(query, rows)| Ok((self.statement(query)?, rows));
        let copies = copies.into_iter().map(with_statement).collect::<Result<Vec<_>, Fault>>()?;
        let client = Arc::clone(&self.client);
        let sending = async move {
            for (statement, rows) in copies {
                let mut sink = pin!(client.copy_in(&statement).await?);
                sink.send(Cursor::new(rows)).await?;
                sink.finish().await?;
            }
            match &last {
                Some(Bound { statement, params }) => {
                    client.execute(statement, &borrowed(params)).await.map(|_| ())
                }
                None => Ok(()),
            }
        };
        self.end_changes()?;
        *self.sending.borrow_mut() = Some(Box::pin(maybe_done(sending.boxed())));
        self.proceed();
        Ok(())
    }

    /// Proceeds with changes as far as that is possible without waiting.
    pub(crate) fn proceed(&self) {
        if let Some(sending) = &mut *self.sending.borrow_mut() {
            let _ = self.driver.proceed(sending.as_mut()); // kept until the next call
        }
    }

    /// Waits for the end of changes.
    fn end_changes(&self) -> Result<(), Fault> {
        let Some(mut sending) = self.sending.take() else { return Ok(()) };
        self.run_within(COMMIT, "changes", async {
            sending.as_mut().await;
            sending.as_mut().take_output().unwrap_or(Ok(()))
        })
    }

    /// Returns a prepared statement.
    pub(crate) fn statement(&self, query: Query) -> Result<Statement, Fault> {
        if let Some(statement) = self.statements.borrow().get(&query) {
            return Ok(statement.clone());
        }
        let text = query.text(&self.schema);
        let prepared = self.client.prepare(&text);
        let statement = self.run_within(ANSWER, "the preparation of a statement", prepared)?;
        self.statements.borrow_mut().insert(query, statement.clone());
        Ok(statement)
    }

    fn run_within<T>(
        &self,
        limit: Duration,
        what: &'static str,
        future: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Fault> {
        self.end_changes()?;
        let result = self.driver.run(limit, what, future);
        self.note_lost(result.as_ref().err());
        result
    }

    fn note_lost<'f>(&self, faults: impl IntoIterator<Item = &'f Fault>) {
        if faults.into_iter().any(|fault| fault.kind() == Kind::Lost) {
            self.is_broken.set(true);
        }
    }
}

fn borrowed<'p>(params: &'p [Param<'_>]) -> Vec<&'p (dyn ToSql + Sync)> {
    params.iter().map(|param| &**param as _).collect()
}

/// Polls all futures, for the first time in their order.
async fn in_order<F: Future>(futures: Vec<F>) -> Vec<F::Output> {
    let mut futures: Vec<_> = futures.into_iter().map(|future| Box::pin(future.fuse())).collect();
    let mut results: Vec<Option<F::Output>> = futures.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        for (future, result) in futures.iter_mut().zip(&mut results) {
            if result.is_none()
                && let std::task::Poll::Ready(output) = future.as_mut().poll(context)
            {
                *result = Some(output);
            }
        }
        if results.iter().all(Option::is_some) {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
    results.into_iter().flatten().collect()
}
