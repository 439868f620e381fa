//! Reads the bits of an RFID tag as hexadecimal digits, and writes them in every other form.
//!
//! ```console
//! $ cargo run -p fingerpost-epc --example rfid_tag -- 3066c4409047e14000001a85
//! scheme: SGTIN-96, filter: Some(3)
//! urn:epc:tag:sgtin-96:3.95060001343.05.6789
//! urn:epc:id:sgtin:95060001343.05.6789
//! (01)09506000134352(21)6789
//! https://id.gs1.org/01/09506000134352/21/6789
//! ```

use std::error::Error;

use fingerpost_epc::{Epc, GcpLength};

fn main() -> Result<(), Box<dyn Error>> {
    let hex = std::env::args().nth(1).unwrap_or_else(|| "3066c4409047e14000001a85".to_owned());
    let epc: Epc = hex.parse()?;
    println!("scheme: {}, filter: {:?}", epc.scheme(), epc.filter());
    if let Some(tag_uri) = epc.to_tag_uri() {
        println!("{tag_uri}");
    }
    // A + scheme does not tell where the company prefix ends.
    match epc.identity(GcpLength::Unknown) {
        Ok(identity) => println!("{identity}"),
        Err(error) => println!("no pure identity: {error}"),
    }
    println!("{}", epc.elements()?);
    println!("{}", epc.own_digital_link()?);
    Ok(())
}
