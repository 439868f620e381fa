//! A repository in S3-compatible storage (feature `s3`).
//!
//! A file appears when its upload is complete: small ones are put at once, others as multipart
//! uploads, which are aborted when something fails. Files are read in ranges, each of which is
//! retried, so that no connection waits while others of a chain are read.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use fingerpost_resolver::excerpt;
use futures_util::StreamExt;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path as Key;
use object_store::{
    ClientOptions, Error, MultipartUpload, ObjectStore, ObjectStoreExt, PutPayload, RetryConfig,
};
use serde::Deserialize;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use self::bounded::Bounded;
use super::storage::{Storage, WriteFile, too_many};
use crate::config::BackupOptions;
use crate::failure::Failure;
use crate::limits::MAX_REPOSITORY_FILES;
use crate::text::printable;

mod bounded;

/// Size of a part of an upload. There may be 10,000 parts, so that a backup may have 160 GB.
const PART: usize = 16 << 20;

/// Size of a range that is read at once.
const RANGE: u64 = 4 << 20;

/// How long a request is retried.
const RETRY_TIMEOUT: Duration = Duration::from_secs(120);

/// Time limit of a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Limits of what waits for the storage.
#[derive(Debug)]
struct Limits {
    request: Duration,
    list: Duration,
    retries: usize,
}

const USUAL: Limits =
    Limits { request: Duration::from_secs(300), list: Duration::from_secs(600), retries: 5 };

/// Longest message of the server that is shown, in bytes.
const MESSAGE: usize = 300;

/// The keys of an account in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Credentials {
    access_key_id: String,
    secret_access_key: String,
    session_token: Option<String>,
}

/// A bucket, and a prefix in it.
pub(super) struct S3(Arc<Inner>);

struct Inner {
    bucket: AmazonS3,
    prefix: Key,
    runtime: Runtime,
    list_timeout: Duration,
}

impl S3 {
    /// Opens `BUCKET/PREFIX`. Nothing is sent yet.
    pub(super) fn open(address: &str, options: &BackupOptions) -> Result<Self, Failure> {
        Self::open_with(address, options, &USUAL)
    }

    fn open_with(address: &str, options: &BackupOptions, limits: &Limits) -> Result<Self, Failure> {
        let shown = printable(address);
        let (bucket, prefix) = address.split_once('/').unwrap_or((address, ""));
        if bucket.is_empty() {
            return Err(Failure::advise(
                format!("`s3://{shown}` names no bucket"),
                "write s3://BUCKET/PREFIX",
            ));
        }
        let mut builder =
            AmazonS3Builder::from_env().with_bucket_name(bucket).with_retry(RetryConfig {
                max_retries: limits.retries,
                retry_timeout: RETRY_TIMEOUT,
                ..RetryConfig::default()
            });
        let mut client =
            ClientOptions::new().with_connect_timeout(CONNECT_TIMEOUT).with_timeout(limits.request);
        if let Some(region) = &options.s3_region {
            builder = builder.with_region(region);
        }
        if let Some(endpoint) = &options.s3_endpoint {
            client = client.with_allow_http(may_be_plain(endpoint)?);
            builder = builder.with_endpoint(endpoint);
        }
        if let Some(path) = &options.s3_credentials_file {
            let keys = read_credentials(path)?;
            builder = builder
                .with_access_key_id(keys.access_key_id)
                .with_secret_access_key(keys.secret_access_key);
            if let Some(token) = keys.session_token {
                builder = builder.with_token(token);
            }
        }
        let cannot = |error: String| {
            Failure::advise(
                format!("cannot use `s3://{shown}` for backups: {error}"),
                "check backup.s3_endpoint, backup.s3_region and the credentials",
            )
        };
        let bucket = builder.with_client_options(client).with_http_connector(Bounded).build();
        let bucket = bucket.map_err(|error| cannot(shortened(&error)))?;
        let prefix = Key::parse(prefix.trim_end_matches('/'));
        let prefix = prefix.map_err(|error| cannot(error.to_string()))?;
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| cannot(error.to_string()))?;
        Ok(Self(Arc::new(Inner { bucket, prefix, runtime, list_timeout: limits.list })))
    }
}

/// Returns whether an endpoint is one of this machine without TLS.
fn may_be_plain(endpoint: &str) -> Result<bool, Failure> {
    let Some(rest) = endpoint.strip_prefix("http://") else { return Ok(false) };
    let host = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let is_local = |host: &str| ["localhost", "127.0.0.1", "[::1]"].contains(&host);
    // What is no port could be a password, before the host.
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let with_port = host.rsplit_once(':').filter(|(_, port)| is_port(port));
    if is_local(host) || with_port.is_some_and(|(host, _)| is_local(host)) {
        return Ok(true);
    }
    let shown = printable(&fingerpost_uri::hide_password(endpoint));
    Err(Failure::advise(
        format!("backup.s3_endpoint `{shown}` is another machine, without TLS"),
        "use https://",
    ))
}

fn read_credentials(path: &std::path::Path) -> Result<Credentials, Failure> {
    let wrong = |what: &str| {
        Failure::advise(
            format!(
                "cannot read the credentials in `{}`: {what}",
                printable(&path.to_string_lossy())
            ),
            "write access_key_id = \"…\" and secret_access_key = \"…\", readable by the server only",
        )
    };
    let text = fs::read_to_string(path).map_err(|error| wrong(&error.to_string()))?;
    // The message of the parser quotes the line, which may be the secret.
    toml::from_str(&text).map_err(|_| wrong("it is not TOML with these two keys"))
}

/// Returns the message of an error with what caused it, and no more of the server's answer than
/// fits a line.
fn shortened(error: &dyn std::error::Error) -> String {
    excerpt(&printable(&error.to_string()), MESSAGE).to_string()
}

fn io_error(error: &Error) -> io::Error {
    match error {
        Error::NotFound { .. } => io::Error::new(io::ErrorKind::NotFound, "not found"),
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => denied(error),
        // That of a list has no kind.
        error if REFUSED.iter().any(|status| error.to_string().contains(status)) => denied(error),
        error => io::Error::other(shortened(error)),
    }
}

/// What the message of a refusal contains.
const REFUSED: [&str; 2] = ["status code: 401", "status code: 403"];

fn denied(error: &Error) -> io::Error {
    let answer = shortened(error);
    let text = format!("the storage refused the credentials, or they may not do this: {answer}");
    io::Error::new(io::ErrorKind::PermissionDenied, text)
}

impl Inner {
    fn key(&self, name: &str) -> Key {
        self.prefix.clone().join(name)
    }

    fn put_all(&self, key: &Key, bytes: Vec<u8>) -> io::Result<()> {
        let put = self.bucket.put(key, PutPayload::from(bytes));
        self.runtime.block_on(put).map(drop).map_err(|error| io_error(&error))
    }
}

impl Storage for S3 {
    fn list(&self) -> io::Result<Vec<(String, u64)>> {
        let inner = &*self.0;
        let prefix = (!inner.prefix.as_ref().is_empty()).then_some(&inner.prefix);
        let list = async {
            let (mut found, mut count) = (Vec::new(), 0);
            let mut objects = inner.bucket.list(prefix);
            while let Some(object) = objects.next().await {
                let object = object.map_err(|error| io_error(&error))?;
                count += 1;
                if count > MAX_REPOSITORY_FILES {
                    return Err(too_many());
                }
                let mut parts = object.location.prefix_match(&inner.prefix).into_iter().flatten();
                if let (Some(name), None) = (parts.next(), parts.next()) {
                    found.push((name.as_ref().to_owned(), object.size));
                }
            }
            Ok(found)
        };
        // Pages without files can follow each other endlessly.
        let listed = inner.runtime.block_on(async { timeout(inner.list_timeout, list).await });
        listed.unwrap_or_else(|_| Err(io::Error::other("the list of its files does not end")))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn Read + Send>> {
        let key = self.0.key(name);
        let found = self.0.runtime.block_on(self.0.bucket.head(&key));
        let size = found.map_err(|error| io_error(&error))?.size;
        Ok(Box::new(Reader {
            inner: Arc::clone(&self.0),
            key,
            size,
            next: 0,
            bytes: io::Cursor::default(),
        }))
    }

    fn store(&self, name: &str, write: &mut WriteFile<'_>) -> io::Result<()> {
        let mut upload =
            Upload { inner: &self.0, key: self.0.key(name), parts: None, bytes: Vec::new() };
        match write(&mut upload) {
            Ok(()) => upload.finish(),
            Err(error) => {
                upload.abort();
                Err(error)
            }
        }
    }

    fn delete(&self, name: &str) -> io::Result<()> {
        let key = self.0.key(name);
        self.0.runtime.block_on(self.0.bucket.delete(&key)).map_err(|error| io_error(&error))
    }

    fn lock(&self) -> io::Result<Option<File>> {
        Ok(None)
    }
}

/// A file that is being uploaded.
struct Upload<'u> {
    inner: &'u Inner,
    key: Key,
    parts: Option<Box<dyn MultipartUpload>>,
    bytes: Vec<u8>,
}

impl Upload<'_> {
    fn send_part(&mut self) -> io::Result<()> {
        let bytes = std::mem::take(&mut self.bytes);
        let runtime = &self.inner.runtime;
        let parts = match &mut self.parts {
            Some(parts) => parts,
            none => {
                let begun = runtime.block_on(self.inner.bucket.put_multipart(&self.key));
                none.insert(begun.map_err(|error| io_error(&error))?)
            }
        };
        runtime.block_on(parts.put_part(PutPayload::from(bytes))).map_err(|error| io_error(&error))
    }

    fn finish(mut self) -> io::Result<()> {
        if self.parts.is_none() {
            let bytes = std::mem::take(&mut self.bytes);
            return self.inner.put_all(&self.key, bytes);
        }
        let sent = if self.bytes.is_empty() { Ok(()) } else { self.send_part() };
        let ended = sent.and_then(|()| match &mut self.parts {
            Some(parts) => {
                let ended = self.inner.runtime.block_on(parts.complete());
                ended.map(drop).map_err(|error| io_error(&error))
            }
            None => Ok(()),
        });
        if ended.is_err() {
            self.abort();
        }
        ended
    }

    /// Deletes the parts. If that fails too, the storage keeps them until it cleans up unfinished
    /// uploads.
    fn abort(&mut self) {
        if let Some(parts) = &mut self.parts
            && let Err(error) = self.inner.runtime.block_on(parts.abort())
        {
            let error = shortened(&error);
            tracing::warn!(error, "an unfinished upload of a backup cannot be deleted");
        }
    }
}

impl Write for Upload<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(PART - self.bytes.len());
        self.bytes.extend_from_slice(&bytes[..count]);
        if self.bytes.len() == PART {
            self.send_part()?;
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file that is read range by range.
struct Reader {
    inner: Arc<Inner>,
    key: Key,
    size: u64,
    next: u64,
    bytes: io::Cursor<Vec<u8>>,
}

impl Read for Reader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read(out)?;
        if count > 0 || self.next >= self.size || out.is_empty() {
            return Ok(count);
        }
        let range: Range<u64> = self.next..self.size.min(self.next + RANGE);
        let expected = range.end - range.start;
        let read = self.inner.bucket.get_range(&self.key, range);
        let bytes = self.inner.runtime.block_on(read).map_err(|error| io_error(&error))?;
        if bytes.len() as u64 != expected {
            return Err(io::Error::other(
                "the storage sent another number of bytes than asked for",
            ));
        }
        self.next += expected;
        self.bytes = io::Cursor::new(bytes.to_vec());
        self.bytes.read(out)
    }
}

#[cfg(test)]
mod tests;
