//! What `bench/toolkit` counts of fingerpost-gs1 and fingerpost-epc: the inputs of their benchmarks `parse` and `translate`.
//!
//! Without arguments it lists its calls with their numbers of inputs; with the name of a call and a number it makes that many
//! passes over the inputs. It uses only functions that early releases have too.

use std::hint::black_box;

use fingerpost_epc::{AiValues, EncodeOptions, Epc, GcpLength, Scheme};
use fingerpost_gs1::{Ai, DigitalLink};

const STEM: &str = "https://id.gs1.org";

const URIS: [&str; 10] = [
    "https://id.gs1.org/01/09520123456788",
    "https://id.gs1.org/01/09520123456788/10/ABC123",
    "https://id.gs1.org/01/09520123456788/10/ABC1/21/12345?17=180426",
    "https://id.gs1.org/00/195201234567891232",
    "https://id.gs1.org/414/9520123456788",
    "https://id.gs1.org/8003/09520123456788ABC123",
    "https://id.gs1.org/8004/9520614141234567",
    "https://id.gs1.org/01/09520123456788/10/AB%2F12%2B3",
    "https://id.gs1.org/01/09520123456788?17=201225&3103=000195&3922=0299",
    "https://brand.example.com/some/path/01/09520123456788/22/2A/21/XYZ?linkType=gs1:pip",
];

const SGTINS: [(&str, &str, u8); 4] = [
    ("79521141123453", "1", 6),
    ("79521141123453", "5678", 7),
    ("09506000134352", "123456789", 11),
    ("09528765123457", "123456789123", 12),
];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(call) = arguments.next() else {
        println!("parse and validate a Digital Link URI\t{}", URIS.len());
        println!("SGTIN-96: element values to hexadecimal\t{}", SGTINS.len());
        println!("SGTIN-96: hexadecimal to Digital Link URI\t{}", SGTINS.len());
        return;
    };
    let passes = arguments.next().and_then(|text| text.parse().ok()).expect("a number of passes");
    match call.split_once(": ").map_or("", |(_, call)| call) {
        "" => links(passes),
        "element values to hexadecimal" => to_hex(passes),
        _ => from_hex(passes),
    }
}

fn links(passes: u32) {
    for _ in 0..passes {
        for uri in URIS {
            black_box(&DigitalLink::parse(black_box(uri))).as_ref().expect("a valid URI");
        }
    }
}

fn to_hex(passes: u32) {
    let items = items();
    for _ in 0..passes {
        for (values, options) in &items {
            black_box(Epc::encode(black_box(values), options).expect("an EPC").to_hex());
        }
    }
}

fn from_hex(passes: u32) {
    let all =
        items().map(|(values, options)| Epc::encode(&values, &options).expect("an EPC").to_hex());
    for _ in 0..passes {
        for hex in &all {
            let epc = Epc::from_hex(black_box(hex)).expect("an EPC");
            black_box(epc.digital_link(STEM).expect("a Digital Link"));
        }
    }
}

fn items() -> [(AiValues, EncodeOptions<'static>); 4] {
    SGTINS.map(|(gtin, serial, length)| {
        let values = AiValues::new([(Ai::GTIN, gtin), (Ai::SERIAL, serial)]).expect("valid values");
        let options = EncodeOptions::new().scheme(Scheme::Sgtin96).filter(1);
        (values, options.gcp_length(GcpLength::Digits(length)))
    })
}
