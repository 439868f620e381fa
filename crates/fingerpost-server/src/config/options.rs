//! The options of the server itself: the data directory, the process, logging, metrics, the audit
//! log and backups.

use std::net::SocketAddr;
use std::path::PathBuf;

use fingerpost_options::{ByteSize, ConfigError, Document, FromLiteral, Items, Period, options};
use serde::Deserialize;

use super::schedule::{Keep, Schedule};

options! {
    /// The data directory, and how it is read.
    pub struct StorageOptions {
        /// Data directory, for every command that has `--data`, which takes precedence.
        data: Option<PathBuf>, example r#""/var/lib/fingerpost""#;
        /// Memory for finding records without a search of the data file, up to this size. Seven eighths are for where each record is,
        /// twelve bytes a record; the rest is for the records that most requests are for.
        cache_bytes: ByteSize = "128 MiB";
        /// Maximum size of the data file. Unlimited by default: the file grows with its content, and takes address space (256
        /// GiB, or as much as the operating system grants), not memory or disk.
        map_size: Option<ByteSize>, example r#""64 GiB""#;
        /// Check at start that every page of the data file is where it belongs, and the checksum of every row. Takes as long as
        /// reading the file once, or twice if it is larger than memory: half a second for a million records in memory. Without
        /// it, only the first pages of each table are checked, and each row when it is read.
        check_at_start: bool = true;
        /// The largest data file whose check the start waits for. The check of a larger one goes on while the server answers. Until it
        /// has ended, and if it finds damage, each request also verifies what could hide its record, and is refused if that is damaged.
        check_first: ByteSize = "1 GiB";
    }
}

options! {
    /// The process.
    pub struct ProcessOptions {
        /// Read this configuration again when its file has changed, without SIGHUP: two seconds after the last change of the file.
        reload_on_change: bool = false;
    }
}

options! {
    /// The store that this node follows, if it is not the data directory itself. The data directory then holds a copy of that store,
    /// from which scans are answered, also while the store is away. See [Nodes](../operations/nodes.md).
    pub struct SourceOptions {
        /// Address of the store. `postgres://USER:PASSWORD@HOST/DATABASE`: a PostgreSQL database, which this node and others write;
        /// commands without `--data` work on it. `https://…`: the admin listener of another fingerpost; this node then only reads,
        /// and has no admin listener.
        url: Option<String>, example r#""postgres://fingerpost@db.example.org/links""#;
        /// File with an API key of that fingerpost, which needs the permission `read` in the whole installation. Read at start.
        key_file: Option<PathBuf>, example r#""/etc/fingerpost/follow-key""#;
        /// Certificate of the authority (PEM) that signed the certificate of that fingerpost; by default those that this machine
        /// trusts.
        ca_file: Option<PathBuf>, example r#""/etc/fingerpost/authority.pem""#;
        /// Whether the key may be sent to another machine without TLS.
        insecure: bool = false;
        /// GS1 Company Prefixes whose records the copy holds; all other identifiers are unknown to this node. Absent: everything.
        company_prefixes: Items<String>, example r#"["9506000"]"#;
        /// How long a write through this node waits, before it is answered, until the copy of this node has it.
        write_wait: Period = "2s";
    }
}

options! {
    /// Addresses for metrics alone. The admin listener shows them too, at `/metrics`, to keys that can read in the whole
    /// installation. See [Monitoring](../operations/monitoring.md).
    pub struct MetricsOptions {
        /// Addresses and ports at which `/metrics` needs no credential and no TLS: for this machine or the private network of the
        /// monitoring. Metrics contain no personal data, but tell much about the installation.
        listen: Items<SocketAddr>, example r#"["127.0.0.1:9464"]"#;
        /// Time between two samples for the status page of the console. It keeps 1,440 of them, and 720 with 60 times this time between
        /// two: a day and 30 days by default. They are in memory and take at most 0.5 MB.
        sample_every: Period<1000> = "1m";
    }
}

options! {
    /// Where `serve` publishes the head of the audit log, a number and a hash, whenever it has changed. Kept where nobody with
    /// access to the data can write, heads show later that the log was not rewritten: `fingerpost audit verify --heads FILE`.
    pub struct AuditOptions {
        /// File to which one line of JSON is appended: `{"at":"…","head":"…"}`.
        heads_file: Option<PathBuf>, example r#""/mnt/elsewhere/heads.jsonl""#;
        /// Send the line to the local syslog, with facility 13 (log audit).
        heads_syslog: bool = false;
        /// Socket of the local syslog.
        heads_syslog_socket: PathBuf = "/dev/log";
        /// Web address to which the line is sent with POST. It contains no secret.
        heads_webhook: Option<String>, example r#""https://log.example.org/fingerpost""#;
        /// Time between two heads.
        heads_interval: Period<1> = "1h";
    }
}

options! {
    /// Backups that `serve` makes by itself, and that `fingerpost backup run` makes. See [Backup and restore](../operations/backup.md).
    pub struct BackupOptions {
        /// Where backups are kept: a directory, on another disk than the data, or `s3://BUCKET/PREFIX` in a build with the feature
        /// `s3`. Use it for one store only. Without it, no backups are made on a schedule.
        to: Option<PathBuf>, example r#""/backup/fingerpost""#;
        /// When `serve` makes a full backup: an interval, or a time of each day or of a day of the week in UTC, `"daily 02:30"` or
        /// `"sunday 02:30"`. A time that was missed is made up after the next start.
        full: Option<Schedule>, example r#""daily 02:30""#;
        /// After which time without a backup `serve` makes one of what has changed since the last one. Absent: full ones only.
        incremental: Option<Period<1000>>, example r#""1h""#;
        /// Public keys (`age1…`) to which backups are encrypted; the private key of any of them restores. Without any, backups are
        /// not encrypted.
        recipients: Items<String>, example r#"["age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"]"#;
        /// File with further public keys, one per line; lines that begin with `#` are comments.
        recipients_file: Option<PathBuf>, example r#""/etc/fingerpost/backup-recipients""#;
        /// File with private keys, for the trial restore of encrypted backups and `fingerpost backup verify`. Better not on this machine: without it, the
        /// trial restore reads what was written before its encryption.
        identity_file: Option<PathBuf>, example r#""/etc/fingerpost/backup-identity""#;
        /// Restore each full backup as a test, into a temporary directory within the data directory, and compare the result with
        /// the store. Takes as much space as the data for that time.
        verify: bool = true;
        /// Which backups are kept: all of the last `days` days that have any, the last full one of each of the last `weeks` weeks
        /// and `months` months, and what these need. Without it, none is deleted.
        keep: Option<Keep>, example "{ days = 30, weeks = 12, months = 24 }";
        /// Address of the S3-compatible storage; absent: that of AWS. Without TLS on this machine only.
        s3_endpoint: Option<String>, example r#""https://s3.example.org""#;
        /// Region of the bucket; absent: the variable `AWS_REGION`.
        s3_region: Option<String>, example r#""eu-central-1""#;
        /// File with the lines `access_key_id = "…"` and `secret_access_key = "…"`; absent: the variables `AWS_ACCESS_KEY_ID` and
        /// `AWS_SECRET_ACCESS_KEY`, or the role of the machine.
        s3_credentials_file: Option<PathBuf>, example r#""/etc/fingerpost/s3.toml""#;
        /// Bytes of the store read in a second for a backup, so that it takes little from a busy disk. Absent: as fast as possible.
        rate: Option<ByteSize<65536>>, example r#""20 MiB""#;
    }
}

options! {
    /// Mails to users: invitations, and links to reset a password. Without `server`, they are written to
    /// `folder`, or else to the log. See [Running a resolver for others](../guides/resolver-for-others.md).
    pub struct MailOptions {
        /// Address that mails come from. Required with `server`.
        from: Option<String>, example r#""resolver@example.org""#;
        /// SMTP server, `HOST` or `HOST:PORT`. The port is 465 for `tls`, else 587.
        server: Option<String>, example r#""smtp.example.org""#;
        /// `starttls`: TLS after a first greeting; `tls`: from the beginning; `none`: only for a server on this machine. Nothing is
        /// sent without what is configured.
        tls: MailTls = "starttls";
        /// Certificate of the authority (PEM) that signed the certificate of the server, besides those that this machine trusts.
        ca_file: Option<PathBuf>, example r#""/etc/fingerpost/mail-authority.pem""#;
        /// File with the lines `username = "…"` and `password = "…"`. Read at start.
        credentials_file: Option<PathBuf>, example r#""/etc/fingerpost/mail.toml""#;
        /// Folder to which each mail is written as a file `.eml`, instead of being sent. The link in it lets its reader in.
        folder: Option<PathBuf>, example r#""/var/spool/fingerpost""#;
    }
}

impl MailOptions {
    /// Reads the table `mail`.
    pub(super) fn checked(document: &Document) -> Result<Self, ConfigError> {
        let options: Self = document.read("mail")?;
        let wrong = |key: &'static str, expected: &str| {
            Err(document.with_position(ConfigError::value(key, expected)))
        };
        let is_address = |from: &str| {
            from.is_ascii()
                && from
                    .split_once('@')
                    .is_some_and(|(name, host)| !name.is_empty() && !host.is_empty())
                && !from.contains(|c: char| c.is_ascii_control() || " <>,".contains(c))
        };
        match (&options.server, &options.folder, &options.from) {
            (Some(_), Some(_), _) => {
                wrong("mail.folder", "expected either server or folder, found both")
            }
            (Some(_), None, None) => {
                wrong("mail.from", "expected the address that mails come from, found none")
            }
            (.., Some(from)) if !is_address(from) => {
                wrong("mail.from", "expected an address such as resolver@example.org")
            }
            _ => Ok(options),
        }
    }
}

impl FromLiteral<&str> for MailTls {
    fn from_literal(literal: &str) -> Self {
        match literal {
            "tls" => Self::Tls,
            "none" => Self::None,
            _ => Self::Starttls,
        }
    }
}

/// How connections to the mail server are encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MailTls {
    /// After a first greeting (RFC 3207).
    Starttls,
    /// From the beginning (RFC 8314).
    Tls,
    /// Not at all.
    None,
}

options! {
    /// Purges caches in front after changes, by surrogate keys (`cache.surrogate_keys`). See [CDNs](../guides/cdn.md).
    pub struct PurgeOptions {
        /// `fastly`, `cloudflare` or `varnish`. Absent: nothing is purged.
        service: Option<PurgeService>, example r#""fastly""#;
        /// Service ID of Fastly, or zone ID of Cloudflare.
        id: Option<String>, example r#""SU1Z0isxPaozGVKXdv0eY""#;
        /// File with the API token; for Varnish, sent as `Purge-Token` if given. Read at start.
        token_file: Option<PathBuf>, example r#""/etc/fingerpost/purge-token""#;
        /// Addresses of all Varnish servers, each of which is purged. For the others, the address of their API, if it is not the
        /// usual one.
        urls: Items<String>, example r#"["http://10.0.0.7:6081"]"#;
        /// Certificate of the authority (PEM) that signed theirs, besides those that this machine trusts.
        ca_file: Option<PathBuf>, example r#""/etc/fingerpost/cdn-authority.pem""#;
        /// Time limit of a request.
        timeout: Period<1000> = "10s";
        /// Time after which a purge is repeated, because an answer from before the change can reach the cache after the first one:
        /// longer than copies of nodes are behind.
        repeat_after: Period = "5s";
    }
}

impl PurgeOptions {
    /// Reads the table `purge`.
    pub(super) fn checked(document: &Document, has_keys: bool) -> Result<Self, ConfigError> {
        let options: Self = document.read("purge")?;
        let Some(service) = options.service else { return Ok(options) };
        let is_id = |id: &String| {
            !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
        };
        let is_web = |url: &String| url.starts_with("http://") || url.starts_with("https://");
        let is_varnish = service == PurgeService::Varnish;
        let wrong = if !has_keys {
            ("purge.service", "expected cache.surrogate_keys with it, found none")
        } else if !is_varnish && !options.id.as_ref().is_some_and(is_id) {
            ("purge.id", "expected the ID of the service or zone: letters, digits, hyphens")
        } else if !is_varnish && options.token_file.is_none() {
            ("purge.token_file", "expected a file with the API token, found none")
        } else if is_varnish && options.urls.is_empty() {
            ("purge.urls", "expected the address of each Varnish, found none")
        } else if !options.urls.iter().all(is_web) {
            ("purge.urls", "expected addresses with http:// or https://")
        } else {
            return Ok(options);
        };
        Err(document.with_position(ConfigError::value(wrong.0, wrong.1)))
    }
}

/// A kind of cache in front, by how it is purged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PurgeService {
    /// Fastly, by its API.
    Fastly,
    /// Cloudflare, by its API.
    Cloudflare,
    /// Varnish with its module `xkey`.
    Varnish,
}

options! {
    /// Log lines of fingerpost contain no client addresses and no query strings, at any level; libraries can log them at `trace`.
    pub struct LogOptions {
        /// Directives of tracing: `error`, `warn`, `info`, `debug`, `trace`, or `fingerpost_public=debug`. Up to `info`,
        /// requests are not logged.
        level: String = "info";
        /// `text`, or machine-readable `json`.
        format: LogFormat = "text";
        /// Access log: the part of the requests that are logged at `info`, such as `0.01` for one of a hundred, evenly distributed; `1` for
        /// all. A line has the listener, the method, the kind of path without its values, the status, the answer, the protocol and
        /// the time it took; no address, no identifier, no query.
        access: Part = 0.0;
    }
}

options! {
    /// Traces for OpenTelemetry: a span for a part of the requests, with method, kind of path, status and time, but no address and no identifier.
    /// Needs a program that was built with the feature `otel`. See [Monitoring](../operations/monitoring.md#traces).
    pub struct OtelOptions {
        /// Address that spans are sent to: OTLP over HTTP, in the binary format.
        endpoint: Option<String>, example r#""http://127.0.0.1:4318/v1/traces""#;
        /// The part of the requests that a span is sent of: 1 for all.
        sample: Part = 0.01;
    }
}

/// A part of all requests, from 0 for none to 1 for all, in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "f64")]
pub struct Part(u32);

impl Part {
    /// Returns the number.
    pub fn get(self) -> f64 {
        f64::from(self.0) / 1e6
    }
}

impl TryFrom<f64> for Part {
    type Error = String;

    fn try_from(part: f64) -> Result<Self, String> {
        if !(0.0..=1.0).contains(&part) {
            return Err(format!(
                "expected a part of all requests from 0 to 1, such as 0.01, found {part}"
            ));
        }
        // At most a million. Less than a millionth is not nothing.
        Ok(Self((part * 1e6).ceil() as u32))
    }
}

impl FromLiteral<f64> for Part {
    fn from_literal(literal: f64) -> Self {
        Self::try_from(literal).expect("a default is a part")
    }
}

impl FromLiteral<&str> for LogFormat {
    fn from_literal(literal: &str) -> Self {
        if literal == "json" { Self::Json } else { Self::Text }
    }
}

/// Form of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// For programs: one JSON object per line.
    Json,
}
