//! Checks that the names of a certificate lead here, by a file of names and addresses: the doctor
//! asks no name server.
//!
//! ```text
//! file    = *( line LF )
//! line    = [ name *( blanks address ) ] [ "#" comment ]
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::net::IpAddr;
use std::path::Path;

use fingerpost_acme::Config as Acme;

use super::findings::Findings;
use crate::limits::MAX_NAMES_FILE;

const CHECK: &str = "names";

/// Compares the addresses of each name of the certificate with those of this machine.
pub(super) fn examine(acme: &Acme, file: &Path, own: &[IpAddr], findings: &mut Findings) {
    let addresses = match read(file) {
        Ok(addresses) => addresses,
        Err(found) => {
            let fix = "write a name and its addresses in each line, such as `id.example.org 192.0.2.1 2001:db8::1`";
            return findings.fault(CHECK, format!("`{}`: {found}", file.display()), fix);
        }
    };
    let before = findings.len();
    for name in acme.names() {
        let Some(listed) = addresses.get(name).filter(|listed| !listed.is_empty()) else {
            let fix = "create an A or AAAA record for it, or add it to the file";
            findings.fault(CHECK, format!("{name} has no address in `{}`", file.display()), fix);
            continue;
        };
        for address in listed.iter().filter(|address| !own.contains(address)) {
            let found = format!("{name} leads to {address}, which is no --address of this machine");
            let fix = "correct the record: authorities use any address of a name";
            findings.fault(CHECK, found, fix);
        }
    }
    if findings.len() == before {
        findings.good(CHECK, "all names of the certificate lead to the addresses of this machine");
    }
}

/// Reads the file: names in lower case, without a dot at the end, with their addresses.
fn read(file: &Path) -> Result<BTreeMap<String, Vec<IpAddr>>, String> {
    let size = fs::metadata(file).map_err(|error| error.to_string())?.len();
    if size > MAX_NAMES_FILE {
        return Err(format!("has {size} bytes, at most {MAX_NAMES_FILE} are read"));
    }
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    let mut all: BTreeMap<String, Vec<IpAddr>> = BTreeMap::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or(line);
        let mut words = line.split_whitespace();
        let Some(name) = words.next() else { continue };
        let listed = all.entry(name.trim_end_matches('.').to_ascii_lowercase()).or_default();
        for word in words {
            let address = word.parse::<IpAddr>();
            let wrong = |_| format!("line {number}: expected an address, found {word:?}");
            listed.push(address.map_err(wrong)?);
        }
    }
    Ok(all)
}
