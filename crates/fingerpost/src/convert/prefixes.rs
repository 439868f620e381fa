//! The table of company prefix lengths that GS1 publishes, `GCPPrefixFormatList` (EPC Tag Data
//! Standard 2.3, section 7.2.2):
//!
//! ```json
//! {"GCPPrefixFormatList": {"date": "…", "entry": [{"prefix": "952", "gcpLength": 7}]}}
//! ```

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use fingerpost_epc::PrefixTable;
use serde::Deserialize;

use crate::failure::Failure;

#[derive(Deserialize)]
struct Document {
    #[serde(rename = "GCPPrefixFormatList")]
    list: List,
}

#[derive(Deserialize)]
struct List {
    entry: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    prefix: String,
    gcp_length: u8,
}

/// Parses a table.
pub(super) fn read(file: &Path) -> Result<PrefixTable, Failure> {
    let name = file.display();
    let open = File::open(file).map_err(|error| {
        Failure::advise(
            format!("cannot read `{name}`: {error}"),
            "name the GCPPrefixFormatList (JSON) that GS1 publishes",
        )
    })?;
    let mut reader = BufReader::new(open);
    if reader.fill_buf().is_ok_and(|start| start.starts_with(b"\xef\xbb\xbf")) {
        reader.consume(3);
    }
    let document: Document = serde_json::from_reader(reader).map_err(|error| {
        Failure::advise(
            format!("expected a GCPPrefixFormatList in `{name}`: {error}"),
            r#"it begins with {"GCPPrefixFormatList": {"entry": [{"prefix": "952", "gcpLength": 7}"#,
        )
    })?;
    let entries = document.list.entry.into_iter();
    Ok(entries.map(|entry| (entry.prefix, entry.gcp_length)).collect())
}
