//! Files in request bodies: kept in a file without a name in the data directory, never in memory,
//! and limited in size and time.

use std::fs::File;
use std::io::{self, ErrorKind, Seek, Write};
use std::path::Path;
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use fingerpost_http::process::free_space;
use http::StatusCode;
use http::header::{self, HeaderMap};
use http_body_util::BodyExt;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

use crate::body::{closing, too_slow};
use crate::limits::{
    MAX_BODY_PAUSE, MAX_UNWRITTEN_PARTS, MIN_FREE_SPACE, MIN_UPLOAD_RATE, SPACE_CHECK_INTERVAL,
    UPLOAD_GRACE,
};
use crate::problem::AdminProblem;

/// A file that has arrived.
#[derive(Debug)]
pub(crate) struct Upload {
    pub(crate) file: File,
    pub(crate) bytes: u64,
}

/// Receives a body of at most `limit` bytes into a file without a name in `dir`.
pub(crate) async fn receive(
    dir: &Path,
    limit: u64,
    fields: &HeaderMap,
    mut body: Body,
) -> Result<Upload, AdminProblem> {
    if fields.get(header::CONTENT_ENCODING).is_some_and(|coding| coding != "identity") {
        let detail = "the body must have no Content-Encoding";
        let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        return Err(closing(AdminProblem::new(status, "unsupported-media-type", detail)));
    }
    let announced = fields.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    let announced = announced.and_then(|value| value.parse().ok()).unwrap_or(0);
    if announced > limit {
        return Err(too_large(limit));
    }
    let (send, parts) = mpsc::channel(MAX_UNWRITTEN_PARTS);
    let dir = dir.to_owned();
    let writing = tokio::task::spawn_blocking(move || write(&dir, announced, parts));
    let begin = Instant::now();
    let mut bytes = 0;
    loop {
        let deadline = begin + UPLOAD_GRACE + Duration::from_secs(bytes / MIN_UPLOAD_RATE);
        let until = deadline.min(Instant::now() + MAX_BODY_PAUSE);
        let frame = match timeout_at(until, body.frame()).await {
            Err(_) => return Err(too_slow()),
            Ok(None) => break,
            Ok(Some(Err(_))) => {
                return Err(AdminProblem::bad_request("incomplete", "the body is incomplete"));
            }
            Ok(Some(Ok(frame))) => frame,
        };
        let Ok(data) = frame.into_data() else { continue };
        bytes += data.len() as u64;
        if bytes > limit {
            return Err(too_large(limit));
        }
        if send.send(data).await.is_err() {
            break; // it could not be written
        }
    }
    drop(send);
    match writing.await {
        Ok(Ok(file)) => Ok(Upload { file, bytes }),
        Ok(Err(error)) => Err(closing(AdminProblem::of_io(&error))),
        Err(_) => Err(AdminProblem::internal()),
    }
}

/// Writes the parts of a body, as long as there is space for them.
fn write(dir: &Path, announced: u64, mut parts: mpsc::Receiver<Bytes>) -> io::Result<File> {
    let mut file = tempfile::tempfile_in(dir)?;
    let mut unlooked = 0;
    look(dir, announced)?;
    while let Some(part) = parts.blocking_recv() {
        unlooked += part.len() as u64;
        if unlooked >= SPACE_CHECK_INTERVAL {
            look(dir, 0)?;
            unlooked = 0;
        }
        file.write_all(&part)?;
    }
    file.rewind()?;
    Ok(file)
}

/// Checks that there is space for so many bytes, with others left free.
pub(crate) fn look(dir: &Path, bytes: u64) -> io::Result<()> {
    match free_space(dir)? >= bytes.saturating_add(MIN_FREE_SPACE) {
        true => Ok(()),
        false => Err(ErrorKind::StorageFull.into()),
    }
}

fn too_large(limit: u64) -> AdminProblem {
    let detail = format!(
        "the file is larger than {limit} bytes (admin.max_import_bytes): import it in parts, or on the server with fingerpost import"
    );
    closing(AdminProblem::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", detail))
}
