//! Request bodies: strict JSON (RFC 8259) of one media type, limited in size and time.

use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use bytes::{Bytes, BytesMut};
use fingerpost_registry::{Caller, Fault, Operation};
use http::header::{self, HeaderMap};
use http::{HeaderValue, StatusCode};
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, timeout_at};

use crate::limits::{
    BODY_PERMIT, MAX_BATCH_BODY, MAX_BATCH_TIME, MAX_BODY, MAX_BODY_PAUSE, MAX_BODY_TIME,
    MAX_SIGN_IN_BODY,
};
use crate::problem::AdminProblem;
use crate::state::App;

/// The media type and limits of a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accepts {
    media_types: &'static [&'static str],
    limit: usize,
    time: Duration,
}

/// A JSON document.
pub(crate) const JSON: Accepts =
    Accepts { media_types: &["application/json"], limit: MAX_BODY, time: MAX_BODY_TIME };

/// A JSON document of a client without a credential.
const SIGN_IN: Accepts =
    Accepts { media_types: &["application/json"], limit: MAX_SIGN_IN_BODY, time: MAX_BODY_TIME };

/// A JSON merge patch (RFC 7396).
pub(crate) const MERGE_PATCH: Accepts = Accepts {
    media_types: &["application/merge-patch+json", "application/json"],
    limit: MAX_BODY,
    time: MAX_BODY_TIME,
};

/// JSON Lines: one document per line.
pub(crate) const JSON_LINES: Accepts = Accepts {
    media_types: &["application/jsonl", "application/x-ndjson"],
    limit: MAX_BATCH_BODY,
    time: MAX_BATCH_TIME,
};

/// Reads a body.
pub(crate) async fn read(
    fields: &HeaderMap,
    body: Body,
    accepts: Accepts,
) -> Result<Bytes, AdminProblem> {
    read_within(fields, body, accepts, |_| Ok(())).await.map(|(body, _)| body)
}

/// Reads a body; `room` is called before each part is stored; its permits are returned with the
/// body.
pub(crate) async fn read_within<P>(
    fields: &HeaderMap,
    body: Body,
    accepts: Accepts,
    room: impl Fn(usize) -> Result<P, AdminProblem>,
) -> Result<(Bytes, Vec<P>), AdminProblem> {
    check_type(fields, accepts)?;
    let announced = fields.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    if announced.and_then(|value| value.parse().ok()).is_some_and(|len: usize| len > accepts.limit)
    {
        return Err(too_large(accepts));
    }
    let deadline = Instant::now() + accepts.time;
    let mut body = body;
    let mut read = BytesMut::new();
    let (mut kept, mut roomy) = (Vec::new(), 0);
    loop {
        let until = deadline.min(Instant::now() + MAX_BODY_PAUSE);
        let frame = match timeout_at(until, body.frame()).await {
            Err(_) => return Err(too_slow()),
            Ok(None) => return Ok((read.freeze(), kept)),
            Ok(Some(Err(_))) => {
                return Err(AdminProblem::bad_request("incomplete", "the body is incomplete"));
            }
            Ok(Some(Ok(frame))) => frame,
        };
        if let Ok(data) = frame.into_data() {
            if read.len() + data.len() > accepts.limit {
                return Err(too_large(accepts));
            }
            // Memory is reserved in steps, because parts can be small.
            while read.len() + data.len() > roomy {
                kept.push(room(BODY_PERMIT).map_err(closing)?);
                roomy += BODY_PERMIT;
            }
            read.extend_from_slice(&data);
        }
    }
}

fn check_type(fields: &HeaderMap, accepts: Accepts) -> Result<(), AdminProblem> {
    let found = fields.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = found.unwrap_or("").split(';').next().unwrap_or("").trim();
    let fits = accepts.media_types.iter().any(|name| name.eq_ignore_ascii_case(essence));
    let coded = fields.get(header::CONTENT_ENCODING).is_some_and(|coding| coding != "identity");
    if fits && !coded && fields.get_all(header::CONTENT_TYPE).iter().count() == 1 {
        return Ok(());
    }
    let expected = format!(
        "the body must have Content-Type {} and no Content-Encoding",
        accepts.media_types.join(" or ")
    );
    Err(AdminProblem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported-media-type", expected))
}

fn too_large(accepts: Accepts) -> AdminProblem {
    let expected = format!("the body is larger than {} bytes", accepts.limit);
    closing(AdminProblem::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", expected))
}

pub(crate) fn too_slow() -> AdminProblem {
    let expected = "the request body arrived too slowly";
    closing(AdminProblem::new(StatusCode::REQUEST_TIMEOUT, "too-slow", expected))
}

/// Closes the connection, because the rest of the body is not read.
pub(crate) fn closing(problem: AdminProblem) -> AdminProblem {
    problem.field(header::CONNECTION, HeaderValue::from_static("close"))
}

/// Reads a document, parsed into a type that refuses unknown and repeated members, from a caller
/// with permission for the operation: the permission is checked before the body.
pub(crate) async fn document<T: DeserializeOwned + Send + 'static>(
    app: &App,
    caller: &Caller,
    operation: Operation,
    request: Request,
) -> Result<T, AdminProblem> {
    require(app, caller, operation).await?;
    permitted(app, request).await
}

/// As [`document`]; `None` if the request has no body, or `null`.
pub(crate) async fn optional<T: DeserializeOwned + Send + 'static>(
    app: &App,
    caller: &Caller,
    operation: Operation,
    request: Request,
) -> Result<Option<T>, AdminProblem> {
    require(app, caller, operation).await?;
    if http_body::Body::is_end_stream(request.body()) {
        return Ok(None);
    }
    permitted(app, request).await
}

async fn require(app: &App, caller: &Caller, operation: Operation) -> Result<(), AdminProblem> {
    let caller = caller.clone();
    app.call(move |registry| registry.require(&caller, operation)).await
}

async fn permitted<T: DeserializeOwned + Send + 'static>(
    app: &App,
    request: Request,
) -> Result<T, AdminProblem> {
    let (parts, body) = request.into_parts();
    let bytes = read(&parts.headers, body, JSON).await?;
    // Parsing takes a while if the document is large.
    app.try_call(move |_| parse(&bytes)).await?
}

/// Reads a document from a client that is not known yet.
pub(crate) async fn of_stranger<T: DeserializeOwned>(request: Request) -> Result<T, AdminProblem> {
    let (parts, body) = request.into_parts();
    parse(&read(&parts.headers, body, SIGN_IN).await?)
}

/// Parses a document into a type that refuses unknown and repeated members.
pub(crate) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, AdminProblem> {
    let malformed = |detail: String| {
        let fault = Fault::new("", "RFC 8259", detail);
        AdminProblem::fault(StatusCode::BAD_REQUEST, "malformed-json", fault)
    };
    if std::str::from_utf8(bytes).is_err() {
        return Err(malformed("expected UTF-8".into()));
    }
    // Serde would take the members of an array for those of an object.
    if bytes.trim_ascii_start().starts_with(b"[") {
        let fault = Fault::new("", "body", "expected an object");
        return Err(AdminProblem::fault(StatusCode::UNPROCESSABLE_ENTITY, "invalid", fault));
    }
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let pointer = pointer(error.path());
        let error = error.into_inner();
        if error.is_data() {
            let fault = Fault::new(pointer, "body", expected(&error));
            AdminProblem::fault(StatusCode::UNPROCESSABLE_ENTITY, "invalid", fault)
        } else {
            malformed(format!("expected JSON, found: {error}"))
        }
    })?;
    reader.end().map_err(|error| malformed(format!("expected JSON, found: {error}")))?;
    Ok(value)
}

/// Returns the expected value. The found value is not repeated, because it can be a misplaced
/// secret.
fn expected(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message);
    match text.find("expected ") {
        Some(at) => text[at..].to_owned(),
        None => format!("expected another document, found: {text}"),
    }
}

/// RFC 6901
fn pointer(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    let mut pointer = String::new();
    for segment in path {
        pointer.push('/');
        match segment {
            Segment::Seq { index } => pointer.push_str(&index.to_string()),
            Segment::Map { key } => {
                pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
            }
            Segment::Enum { variant } => pointer.push_str(variant),
            Segment::Unknown => pointer.push('?'),
        }
    }
    pointer
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Example {
        #[serde(rename = "names")]
        _names: Vec<String>,
    }

    fn problem(body: &[u8]) -> serde_json::Value {
        let problem = parse::<Example>(body).expect_err("refused");
        serde_json::to_value(problem.body("id")).expect("JSON")
    }

    #[test]
    fn faults_have_pointers_and_hide_what_was_found() {
        let found = problem(br#"{"names": ["a", 472915]}"#);
        assert_eq!(found["errors"][0]["pointer"], "/names/1");
        assert_eq!(found["errors"][0]["detail"], "expected a string");
        assert_eq!(found["status"], 422);
        assert!(!found.to_string().contains("472915"), "{found}");
    }

    #[test]
    fn the_notation_is_recognised_by_content() {
        for (body, status) in [
            (&br#"{"names": []"#[..], 400),
            (b"{\"names\": [\"\xff\"]}", 400),
            (br#"{"names": []} {}"#, 400),
            (br#"{"names": [], "names": []}"#, 422),
            (br#"{"names": [], "more": 1}"#, 422),
            (b"{}", 422),
            (b" [[]]", 422),
        ] {
            assert_eq!(problem(body)["status"], status, "{}", String::from_utf8_lossy(body));
        }
        let deep = [&b"{\"names\": "[..], &[b'['; 100_000]].concat();
        assert!([400, 422].contains(&problem(&deep)["status"].as_u64().expect("status")));
    }
}
