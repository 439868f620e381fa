//! Translates EPCs for another program: reads a request from each line, and answers with a line.
//!
//! ```console
//! $ printf 'hex\t3066c4409047e14000001a85\n' | cargo run -p fingerpost-epc --example translate_lines | tr '\t' '\n'
//! urn:epc:tag:sgtin-96:3.95060001343.05.6789
//! urn:epc:id:sgtin:95060001343.05.6789
//! (01)09506000134352(21)6789
//! 3066c4409047e14000001a85
//! ```
//!
//! The fields of a line are separated by tabs. A request is one of these:
//!
//! | form | fields after it |
//! |---|---|
//! | `hex` | the bits of a tag as hexadecimal digits |
//! | `tag` | an EPC Tag URI |
//! | `identity` | a pure identity URI; to encode it, a scheme and a filter value |
//! | `elements` | a bracketed element string, and the length of its company prefix |
//!
//! The answer has the Tag URI, the pure identity, the element string and the hexadecimal digits,
//! each empty if the EPC has none or the request does not determine it; or `error` and its code.

use std::io::{BufRead, Write};

use fingerpost_epc::{AiValues, EncodeOptions, Epc, Error, GcpLength, PureIdentity};
use fingerpost_gs1::ElementString;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let fields: Vec<&str> = line.split('\t').collect();
        let answer = match *fields {
            ["hex", digits] => digits.parse().map(|epc| of_epc(&epc)),
            ["tag", uri] => Epc::from_tag_uri(uri).map(|epc| of_epc(&epc)),
            ["identity", uri] => uri.parse().map(|identity| of_identity(&identity)),
            ["identity", uri, scheme, filter] => encode(uri, scheme, filter.parse()?),
            ["elements", text, length] => of_elements(text, length.parse()?),
            _ => return Err(format!("no such request: {line:?}").into()),
        };
        match answer {
            Ok(answer) => writeln!(out, "{answer}")?,
            Err(error) => writeln!(out, "error\t{}", error.code())?,
        }
    }
    Ok(())
}

fn of_epc(epc: &Epc) -> String {
    // A + scheme has no Tag URI, and does not tell where the company prefix ends.
    let identity = epc.identity(GcpLength::Unknown).map(|urn| urn.to_string()).unwrap_or_default();
    let tag = epc.to_tag_uri().unwrap_or_default();
    let elements = epc.elements().map(|values| values.to_string()).unwrap_or_default();
    format!("{tag}\t{identity}\t{elements}\t{epc}")
}

fn of_identity(identity: &PureIdentity) -> String {
    let elements = identity.elements().map(|values| values.to_string()).unwrap_or_default();
    format!("\t{identity}\t{elements}\t")
}

fn encode(uri: &str, scheme: &str, filter: u8) -> Result<String, Error> {
    let options = EncodeOptions::new().scheme(scheme.parse()?).filter(filter);
    Ok(of_epc(&Epc::encode_identity(&uri.parse()?, &options)?))
}

fn of_elements(text: &str, length: u8) -> Result<String, Error> {
    let values = AiValues::from(&ElementString::parse_bracketed(text)?);
    Ok(of_identity(&PureIdentity::from_elements(&values, GcpLength::Digits(length))?))
}
