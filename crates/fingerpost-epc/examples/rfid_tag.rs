//! Reads the bits of an RFID tag as hexadecimal digits, and writes them in every other form.
//!
//! `cargo run -p fingerpost-epc --example rfid_tag -- 3066c4409047e14000001a85`
//!
//! With `-` it reads tags line by line and writes a line of tab-separated forms for each: Tag URI, pure identity, element string,
//! the bits written again; or `error` and its code.

use std::error::Error;
use std::io::{BufRead, Write};

use fingerpost_epc::{Epc, GcpLength};

fn main() -> Result<(), Box<dyn Error>> {
    match std::env::args().nth(1).as_deref() {
        Some("-") => lines(),
        Some(hex) => show(hex),
        None => show("3066c4409047e14000001a85"),
    }
}

fn show(hex: &str) -> Result<(), Box<dyn Error>> {
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

fn lines() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        match line?.parse::<Epc>() {
            Ok(epc) => {
                let tag = epc.to_tag_uri().unwrap_or_default();
                let identity = epc.identity(GcpLength::Unknown);
                let identity = identity.map(|identity| identity.to_string()).unwrap_or_default();
                let elements = epc.elements().map(|values| values.to_string()).unwrap_or_default();
                writeln!(out, "{tag}\t{identity}\t{elements}\t{epc}")?;
            }
            Err(error) => writeln!(out, "error\t{}", error.code())?,
        }
    }
    Ok(())
}
