//! The name of a backup in a repository, and its manifest: a small JSON document beside it, which
//! is written last. A backup without a manifest is not finished and counts as none.

use std::collections::BTreeMap;
use std::fmt;

use data_encoding::HEXLOWER;
use fingerpost_engine::format;
use fingerpost_store::{AuditHead, BackupBase, BackupReport, Revision};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The version of the manifest.
const FORMAT: u32 = 1;

/// The member of a manifest with the SHA-256 of the others. Earlier releases did not write it.
const CHECKSUM: &str = "checksum";

/// What comes after the name of a backup in that of its manifest.
pub(super) const MANIFEST: &str = ".json";

/// What a backup contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The whole store.
    Full,
    /// What has changed since the backup before it.
    Changes,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full => "full",
            Self::Changes => "changes",
        })
    }
}

/// The backup that one with changes depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Previous {
    /// Its name.
    pub name: String,
    /// SHA-256 of its contents.
    pub digest: String,
}

/// How a backup was verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verified {
    /// When it was verified.
    pub at: Timestamp,
    /// Whether the restored file was what had been written before its encryption, because there
    /// was no private key.
    pub before_encryption: bool,
}

/// What is known about a backup without reading it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of the manifest.
    pub format: u32,
    /// The name of the backup.
    pub name: String,
    /// What it contains.
    pub kind: Kind,
    /// When it was made, by the clock of the machine.
    pub at: Timestamp,
    /// The revision after which its changes begin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// The revision that it holds.
    pub revision: u64,
    /// The head of the audit log.
    pub head: String,
    /// The time of the last audit record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head_at: Option<Timestamp>,
    /// Number of levels.
    pub levels: u64,
    /// Number of rows by table.
    pub rows: BTreeMap<String, u64>,
    /// The format of the store.
    pub store_format: u32,
    /// The name of the first backup of the line: those that the audit log connects. A restored
    /// store begins a new one.
    pub line: String,
    /// Size of the file.
    pub bytes: u64,
    /// SHA-256 of the file.
    pub sha256: String,
    /// SHA-256 of its contents, which those with changes name.
    pub digest: String,
    /// The backup that its changes follow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<Previous>,
    /// The public keys to which the file is encrypted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recipients: Vec<String>,
    /// The release that made it.
    pub version: String,
    /// How it was verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified: Option<Verified>,
}

/// What is known when a backup has been read from the store, before it is in the repository.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub(super) kind: Kind,
    pub(super) report: BackupReport,
    pub(super) at: Timestamp,
    pub(super) head_at: Option<Timestamp>,
    /// The backup that changes depend on, and its revision.
    pub(super) previous: Option<(Previous, u64)>,
    /// The line that it continues.
    pub(super) line: Option<String>,
}

/// Size and SHA-256 of a file that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

impl Manifest {
    /// Describes a backup that was written.
    pub(super) fn of(made: &Made, name: String, written: Written, recipients: Vec<String>) -> Self {
        let report = &made.report;
        let (previous, after) = made.previous.clone().unzip();
        Self {
            format: FORMAT,
            kind: made.kind,
            at: made.at,
            after,
            revision: report.revision().number(),
            head: report.audit_head().to_string(),
            head_at: made.head_at,
            levels: report.levels(),
            rows: report.base().rows,
            store_format: format::FORMAT,
            line: made.line.clone().unwrap_or_else(|| name.clone()),
            name,
            bytes: written.bytes,
            sha256: written.sha256,
            digest: report.digest(),
            previous,
            recipients,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            verified: None,
        }
    }

    /// Reads the manifest of the backup `name`.
    pub(super) fn parse(name: &str, json: &[u8]) -> Result<Self, String> {
        let mut value: Value = serde_json::from_slice(json).map_err(|error| error.to_string())?;
        let noted = value.as_object_mut().and_then(|members| members.remove(CHECKSUM));
        if noted.is_some_and(|noted| noted != checksum(&value)) {
            return Err("its checksum does not match".to_owned());
        }
        let manifest: Self = serde_json::from_value(value).map_err(|error| error.to_string())?;
        if manifest.format != FORMAT {
            return Err(format!("its format is {}, expected {FORMAT}", manifest.format));
        }
        let parts = Name::parse(name).ok_or("its name is not that of a backup")?;
        let is_of_name = manifest.name == name
            && (parts.kind, parts.after, parts.revision)
                == (manifest.kind, manifest.after, manifest.revision)
            && parts.is_encrypted == manifest.is_encrypted();
        if !is_of_name {
            return Err("it is of another backup".to_owned());
        }
        if manifest.previous.is_some() != (manifest.kind == Kind::Changes) {
            return Err("it names no backup that its changes depend on".to_owned());
        }
        manifest.audit_head().ok_or("its audit head is malformed")?;
        Ok(manifest)
    }

    /// Writes the manifest as JSON, with a checksum.
    pub(super) fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        let mut value = serde_json::to_value(self)?;
        value[CHECKSUM] = checksum(&value).into();
        let mut json = serde_json::to_vec_pretty(&value)?;
        json.push(b'\n');
        Ok(json)
    }

    /// Returns whether the manifest describes these contents.
    pub(super) fn describes(&self, found: &BackupReport) -> bool {
        self.described() == Some(found.base()) && self.levels == found.levels()
    }

    /// Returns whether the file is encrypted.
    pub fn is_encrypted(&self) -> bool {
        !self.recipients.is_empty()
    }

    /// Returns what a backup of changes that depends on this one needs; `None` if the store had
    /// another format.
    pub(super) fn base(&self) -> Option<BackupBase> {
        self.described().filter(|_| self.store_format == format::FORMAT)
    }

    fn described(&self) -> Option<BackupBase> {
        Some(BackupBase {
            revision: Revision::new(self.revision),
            head: self.audit_head()?,
            digest: self.digest.clone(),
            rows: self.rows.clone(),
        })
    }

    /// Returns the head of the audit log.
    pub fn audit_head(&self) -> Option<AuditHead> {
        self.head.parse().ok()
    }
}

/// Returns the SHA-256 of a JSON document.
fn checksum(value: &Value) -> String {
    HEXLOWER.encode(&Sha256::digest(value.to_string()))
}

/// The parts of a name, whose order is the order in which backups were made:
/// `20261123T120000000Z-r000000123456-full.fpb`,
/// `20261123T130000000Z-r000000123456-r000000123999-changes.fpb.age`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) at: Timestamp,
    pub(super) kind: Kind,
    pub(super) after: Option<u64>,
    pub(super) revision: u64,
    pub(super) is_encrypted: bool,
}

impl Name {
    pub(super) fn parse(name: &str) -> Option<Self> {
        let (stem, is_encrypted) = match name.strip_suffix(".age") {
            Some(stem) => (stem, true),
            None => (name, false),
        };
        let mut parts = stem.strip_suffix(".fpb")?.split('-');
        let at = parse_time(parts.next()?)?;
        let first = parse_revision(parts.next()?)?;
        let (kind, after, revision) = match (parts.next()?, parts.next()) {
            ("full", None) => (Kind::Full, None, first),
            (second, Some("changes")) => (Kind::Changes, Some(first), parse_revision(second)?),
            _ => return None,
        };
        let found = Self { at, kind, after, revision, is_encrypted };
        // One spelling for each.
        (parts.next().is_none() && found.to_string() == name).then_some(found)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.at.to_zoned(TimeZone::UTC).datetime();
        write!(f, "{:04}{:02}{:02}T", at.year(), at.month(), at.day())?;
        write!(f, "{:02}{:02}{:02}", at.hour(), at.minute(), at.second())?;
        write!(f, "{:03}Z", at.millisecond())?;
        if let Some(after) = self.after {
            write!(f, "-r{after:012}")?;
        }
        write!(f, "-r{:012}-{}.fpb", self.revision, self.kind)?;
        if self.is_encrypted { f.write_str(".age") } else { Ok(()) }
    }
}

/// Parses `20261123T120000000Z`.
fn parse_time(text: &str) -> Option<Timestamp> {
    let is_time = text.is_ascii() && text.len() == 19;
    let digits = |range: std::ops::Range<usize>| text.get(range)?.parse::<u32>().ok();
    let text = is_time.then(|| {
        let part = |from, to| digits(from..to).unwrap_or(u32::MAX);
        let (year, month, day) = (part(0, 4), part(4, 6), part(6, 8));
        let (hour, minute, second, milli) = (part(9, 11), part(11, 13), part(13, 15), part(15, 18));
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
    })?;
    text.parse().ok()
}

fn parse_revision(text: &str) -> Option<u64> {
    text.strip_prefix('r')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_spelling() {
        for name in [
            "20261123T120000000Z-r000000123456-full.fpb",
            "20261123T120000007Z-r000000123456-full.fpb.age",
            "20261123T130000000Z-r000000123456-r000000123999-changes.fpb",
            "20261123T130000000Z-r9999999999999-r9999999999999-changes.fpb.age",
        ] {
            assert_eq!(Name::parse(name).map(|name| name.to_string()).as_deref(), Some(name));
        }
        for other in [
            "",
            "20261123T120000000Z-r000000123456-full.fpb.json",
            "20261123T120000000Z-r123456-full.fpb",
            "20261323T120000000Z-r000000123456-full.fpb",
            "20261123T120000000Z-r000000123456-r000000123456-full.fpb",
            "20261123T120000000Z-r000000123456-changes.fpb",
            "20261123T120000000Z-r+00000123456-full.fpb",
            "é0261123T120000000Z-r000000123456-full.fpb",
            ".fingerpost-backup-x",
        ] {
            assert_eq!(Name::parse(other), None, "{other}");
        }
    }
}
