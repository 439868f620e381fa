//! Reads what a barcode scanner sends, with its symbology identifier, and lists the elements or
//! every fault.
//!
//! ```console
//! $ cargo run -p fingerpost-gs1 --example scanner_output -- "]d2010952012345678810ABC"
//! GTIN (01) 09520123456788
//! BATCH/LOT (10) ABC
//! https://id.gs1.org/01/09520123456788/10/ABC
//! $ cargo run -p fingerpost-gs1 --example scanner_output -- "]d2010952012345678910ABC"
//! L_INCORRECT_CHECK_DIGIT at 18..19: check digit of (01) is 9, expected 8
//! ```

use fingerpost_gs1::{DigitalLink, ElementString, Options, Scan};

fn main() {
    let scan = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "]d2010952012345678810ABC\u{1d}17271231".to_owned());
    let (content, findings) = ElementString::inspect_scan(&scan, &Options::new());
    for error in findings.errors() {
        println!("{} at {:?}: {error}", error.code(), error.span().range());
    }
    match content {
        Some(Scan::Elements(item)) => {
            item.hri(true).for_each(|line| println!("{line}"));
            if let Ok(uri) = DigitalLink::build(DigitalLink::REFERENCE_STEM, &item) {
                println!("{uri}");
            }
        }
        Some(Scan::DigitalLink(link)) => println!("{} is about {}", link, link.entity_key()),
        Some(other) => println!("no GS1 data: {other:?}"),
        None => {}
    }
}
