//! Another fingerpost as a source: the feed of its admin listener.

use std::time::Duration;

use fingerpost_follow::{Changes, FeedAnswer, Head, Source, SourceError, wire};
use fingerpost_registry::{CompanyPrefix, Secret, copied_ranges};
use fingerpost_store::Revision;
use fingerpost_store::copy::{
    CopyPage, CopyRow, ENTRY_FORMAT, LevelRange, Position, Selection, SpanDigest,
};
use serde::Deserialize;

use crate::client::{Address, ApiAnswer, Call, CallError, Client, Trust};
use crate::failure::Failure;
use crate::limits::{FEED_ANSWER_TIME, FEED_WAIT};

/// The admin listener of another fingerpost.
#[derive(Debug)]
pub struct FeedSource {
    client: Client,
    /// The company prefixes, separated by commas.
    prefixes: String,
    selection: Selection,
}

/// The answer of `GET /v1/feed/head`.
#[derive(Deserialize)]
struct FeedHead {
    format: u32,
    #[serde(flatten)]
    head: Head,
}

/// The answer of `GET /v1/feed/digest`.
#[derive(Deserialize)]
struct FeedDigest {
    at: Position,
    #[serde(flatten)]
    digest: SpanDigest,
}

impl FeedSource {
    /// Creates the source at an address, with an API key that can read everything there.
    pub fn new(
        url: &str,
        key: Secret,
        trust: Trust<'_>,
        prefixes: &[CompanyPrefix],
    ) -> Result<Self, Failure> {
        let client = Client::hurried(Address::parse(url)?, trust, FEED_ANSWER_TIME)?.with_key(key);
        let selection = Selection::of(copied_ranges(prefixes));
        let prefixes: Vec<_> = prefixes.iter().map(CompanyPrefix::as_str).collect();
        Ok(Self { client, prefixes: prefixes.join(","), selection })
    }

    fn get(&self, call: &Call<'_>) -> Result<FeedAnswer<ApiAnswer>, SourceError> {
        match self.client.send(call) {
            Ok(answer) => Ok(FeedAnswer::Found { at: Position::default(), data: answer }),
            Err(error) => match error.code() {
                Some(wire::UNKNOWN_POSITION) => Ok(FeedAnswer::WentBack),
                Some(wire::HISTORY_PRUNED) => Ok(FeedAnswer::Pruned),
                _ => Err(self.failed(error)),
            },
        }
    }

    fn failed(&self, error: CallError) -> SourceError {
        match error {
            CallError::Problem(problem) => {
                SourceError::Unusable(format!("{}: {}", self.client.address(), problem.text()))
            }
            CallError::Failure(Failure { what, .. }) => {
                let checks = "store.url, store.key_file and store.ca_file";
                let address = self.client.address();
                SourceError::Away(format!("{address}: {what} (if this stays so, check {checks})"))
            }
        }
    }

    fn malformed(&self, what: impl std::fmt::Display) -> SourceError {
        let address = self.client.address();
        SourceError::Unusable(format!("{address} sent something else than a feed: {what}"))
    }

    fn read_head(&self, call: &Call<'_>) -> Result<Head, SourceError> {
        let FeedAnswer::Found { data: answer, .. } = self.get(call)? else {
            return Err(self.malformed("no position"));
        };
        let found: FeedHead = self.json(&answer)?;
        if found.format != ENTRY_FORMAT {
            return Err(self.malformed(wire::MalformedRows::Format { found: found.format }));
        }
        Ok(found.head)
    }

    fn json<T: for<'a> Deserialize<'a>>(&self, answer: &ApiAnswer) -> Result<T, SourceError> {
        serde_json::from_slice(answer.body()).map_err(|error| self.malformed(error))
    }

    /// Returns the rows of an answer, all in a span.
    fn rows(
        &self,
        answer: &ApiAnswer,
        span: &LevelRange,
    ) -> Result<(wire::RowsHead, Vec<CopyRow>), SourceError> {
        let (head, rows) = wire::decode(answer.body()).map_err(|error| self.malformed(error))?;
        let is_inside = |row: &CopyRow| {
            let is_before_end = span.until.as_ref().is_none_or(|until| row.level <= *until);
            row.level > span.after && is_before_end && self.selection.covers(&row.level)
        };
        let until = head.until.as_ref();
        if until.is_some_and(|until| *until <= span.after) || !rows.iter().all(is_inside) {
            return Err(self.malformed("rows that were not requested"));
        }
        Ok((head, rows))
    }

    fn in_span(&self, path: &str, span: &LevelRange, seen: &Position) -> Call<'static> {
        Call::new("GET", path)
            .query("from", &span.after)
            .query_if("until", span.until.as_deref())
            .query("seen", &seen.to_string())
            .query("companyPrefixes", &self.prefixes)
    }
}

/// Returns an answer whose data were read.
fn read<T, U>(
    answer: FeedAnswer<T>,
    read: impl FnOnce(T) -> Result<(Position, U), SourceError>,
) -> Result<FeedAnswer<U>, SourceError> {
    Ok(match answer {
        FeedAnswer::Found { data, .. } => {
            let (at, data) = read(data)?;
            FeedAnswer::Found { at, data }
        }
        FeedAnswer::WentBack => FeedAnswer::WentBack,
        FeedAnswer::Pruned => FeedAnswer::Pruned,
    })
}

impl Source for FeedSource {
    fn name(&self) -> String {
        self.client.address().to_string()
    }

    fn selection(&self) -> &Selection {
        &self.selection
    }

    fn head(&self) -> Result<Head, SourceError> {
        self.read_head(&Call::new("GET", "/v1/feed/head"))
    }

    fn changes(
        &self,
        after: &Position,
        seen: &Position,
    ) -> Result<FeedAnswer<Changes>, SourceError> {
        let call = Call::new("GET", "/v1/feed/changes")
            .query("after", &after.to_string())
            .query("seen", &seen.to_string())
            .query("companyPrefixes", &self.prefixes);
        read(self.get(&call)?, |answer| {
            let (head, rows) = self.rows(&answer, &LevelRange::default())?;
            let upto = head.upto.ok_or_else(|| self.malformed("changes without a position"))?;
            Ok((head.at, Changes { upto, rows }))
        })
    }

    fn page(
        &self,
        span: &LevelRange,
        seen: &Position,
    ) -> Result<FeedAnswer<CopyPage>, SourceError> {
        read(self.get(&self.in_span("/v1/feed/records", span, seen))?, |answer| {
            let (head, rows) = self.rows(&answer, span)?;
            Ok((head.at, CopyPage { rows, until: head.until }))
        })
    }

    fn digest(
        &self,
        span: &LevelRange,
        seen: &Position,
    ) -> Result<FeedAnswer<SpanDigest>, SourceError> {
        read(self.get(&self.in_span("/v1/feed/digest", span, seen))?, |answer| {
            let FeedDigest { at, digest } = self.json(&answer)?;
            if digest.until.as_ref().is_some_and(|until| *until <= span.after) {
                return Err(self.malformed("a digest that was not requested"));
            }
            Ok((at, digest))
        })
    }

    fn wait(&self, seen: Revision, timeout: Duration) -> Result<Revision, SourceError> {
        let seconds = timeout.min(FEED_WAIT).as_secs().max(1).to_string();
        let call = Call::new("GET", "/v1/feed/head").query("seen", &seen.to_string());
        Ok(self.read_head(&call.query("wait", &seconds))?.position.revision())
    }
}
