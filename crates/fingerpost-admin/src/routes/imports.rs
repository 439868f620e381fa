//! Import of a file: records, linksets and spreadsheets, in any number of records.
//!
//! ```text
//! handler    permission to write → slots → body into an unnamed file (upload) → slot for a running import
//! run        on a thread: recognises the file, imports it by turns, sends messages          (report: the messages)
//! handler    messages → server-sent events as they come, or one document at the end
//! ```
//!
//! If the client disconnects, the import ends after the running transaction. Committed records
//! stay.

mod query;
mod report;
mod run;

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use fingerpost_http::headers;
use fingerpost_resolver::Accept;
use http::header::{self, HeaderMap};
use http::{HeaderName, HeaderValue};
use tokio::sync::mpsc::{self, Receiver};

use crate::admission::Work;
use crate::credential::Who;
use crate::finish::RequestId;
use crate::limits::MAX_UNSENT_MESSAGES;
use crate::problem::AdminProblem;
use crate::query::Query;
use crate::response::ok;
use crate::state::App;
use crate::{stream, upload};

use query::ImportQuery;
use report::{ImportReport, Message};
use run::Import;

/// Imports a file: JSON Lines, a JSON array of records, a GS1 linkset, CSV or XLSX; its content
/// says which.
///
/// A record in the file replaces what its key held before; with `keepRest`, it keeps what the file
/// does not mention. A dry run says what each record would replace. Everything that an import
/// changes is one change set, which can be taken back. Each is judged by itself with your
/// permissions, so some can be refused and the others registered; nothing is registered before the
/// whole file has been read. Records are written in the order of their keys, many in a transaction:
/// if the import ends early, committed records stay, and importing the same file again continues
/// it.
///
/// With `Accept: text/event-stream`, events report on the import as it goes, each with a JSON
/// document: `sheet` (how a spreadsheet is understood), `progress`, `refused`, `warned`,
/// `superseded`, `replaces` (in a dry run), `proposed`, `committed`, and at the end `done` with the
/// totals, or `failed` with a problem document. Otherwise the answer is a report at the end. If the
/// client disconnects, the import stops.
///
/// One import of a caller or organisation runs at a time (429), and two in all (503); `Retry-After`
/// says when to try again.
#[utoipa::path(
    post, path = "/v1/imports", operation_id = "importFile", tag = "levels",
    params(
        ("dryRun" = Option<bool>, Query, description = "Whether to check everything and change nothing."),
        ("keepRest" = Option<bool>, Query, description = "Whether a record keeps what it does not replace of the one that its key held: its description, and links of other types, languages, media types, contexts or validity. False by default: the whole record is replaced."),
        ("sheet" = Option<String>, Query, description = "The sheet of a workbook; the first one by default."),
        ("column" = Option<Vec<String>>, Query, description = "What a column of a spreadsheet means, as `TITLE=NAME`: the name of a column such as `gtin` or `href`, a link type such as `gs1:pip (fr)`, or `ignore`. Repeat it for each column. The sheet must have the column.", example = json!(["Art. no.=gtin"])),
        ("remembered" = Option<Vec<String>>, Query, description = "As `column`, for columns that the sheet need not have."),
        ("mergeRows" = Option<bool>, Query, description = "Whether rows of a spreadsheet that have the same key and seem to be about different products make one record; false by default: they are refused, with the id `spreadsheet-conflict`."),
        ("faults" = Option<u32>, Query, description = "Most refused, and as many warned, superseded and replacing, records to report; 1,000 by default. The others are counted.", minimum = 0, maximum = 100_000),
    ),
    request_body(content = String, content_type = "application/octet-stream", description = "The file, at most `admin.max_import_bytes` (1 GiB). Its media type does not matter."),
    responses(
        (status = 200, description = "The report, or events.", content((ImportReport = "application/json"), (String = "text/event-stream"))),
        (status = 422, description = "The file is not understood. For a spreadsheet without the columns that are needed (`unknown-columns`), `columns` lists those found and `columnNames` the names that they can be mapped to.", body = crate::problem::ProblemBody, content_type = "application/problem+json")
    )
)]
pub(crate) async fn import(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    Extension(RequestId(request_id)): Extension<RequestId>,
    Query(pairs): Query<Vec<(String, String)>>,
    request: Request,
) -> Result<Response, AdminProblem> {
    let asked = ImportQuery::read(pairs)?;
    let (parts, body) = request.into_parts();
    // The permission is checked before the body is read, and the body is complete before it
    // occupies a shared slot.
    let who = caller.clone();
    app.call(move |registry| registry.require_write(&who, None)).await?;
    let slots = app.admission().import()?;
    let scratch = app.registry().store().scratch();
    let limit = app.config().options().max_import_bytes.get() as u64;
    let upload = upload::receive(&scratch, limit, &parts.headers, body).await?;
    let running = app.admission().run_import().await?;
    let turn = app.admission().turn(Work::Long).await?;
    let (send, mut messages) = mpsc::channel(MAX_UNSENT_MESSAGES);
    let (registry, dry_run) = (app.registry().clone(), asked.dry_run);
    let import = Import { registry, caller, asked, scratch, upload };
    tokio::task::spawn_blocking(move || import.run(turn, (slots, running), &send));
    let first = match messages.recv().await {
        Some(Message::Failed(problem)) => return Err(problem),
        Some(first) => first,
        None => return Err(AdminProblem::internal()),
    };
    match wants_events(&parts.headers) {
        true => Ok(events(first, messages, request_id)),
        false => collect(first, messages, dry_run).await,
    }
}

/// Returns whether a client names server-sent events, with a weight above zero.
fn wants_events(fields: &HeaderMap) -> bool {
    let accept = headers::joined(fields, header::ACCEPT);
    Accept::read(&accept).weight_of_named(&["text/event-stream"]) > Some(0)
}

/// Answers with events as they come.
fn events(first: Message, messages: Receiver<Message>, request_id: String) -> Response {
    let part = move |message: Message| Ok(Bytes::from(message.event(&request_id)));
    let fields = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
        // Proxies that collect responses must not.
        (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no")),
    ];
    (fields, stream::body(first, messages, part)).into_response()
}

/// Answers with one document at the end.
async fn collect(
    first: Message,
    mut messages: Receiver<Message>,
    dry_run: bool,
) -> Result<Response, AdminProblem> {
    let mut report = ImportReport::new(dry_run);
    let mut next = Some(first);
    while let Some(message) = next {
        report.take(message)?;
        next = messages.recv().await;
    }
    // The thread ends without a last message only if it panics.
    if report.is_complete() { Ok(ok(&report)) } else { Err(AdminProblem::internal()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_sent_to_clients_that_name_them() {
        for (accept, expected) in [
            ("", false),
            ("*/*", false),
            ("text/event-stream", true),
            ("application/json, Text/Event-Stream;q=0.1", true),
            ("text/event-stream;q=0", false),
            ("text/event-stream; q=0.000, */*", false),
            ("application/json;profile=\"text/event-stream,\"", false),
        ] {
            let value = HeaderValue::from_static(accept);
            let fields = HeaderMap::from_iter([(header::ACCEPT, value)]);
            assert_eq!(wants_events(&fields), expected, "{accept}");
        }
    }
}
