//! How fast EPC bits become a Digital Link URI, and element values or a Digital Link URI become EPC
//! bits: `cargo bench -p fingerpost-epc`. The goal for SGTIN-96 is 6 million a second on one core,
//! each way.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fingerpost_epc::{AiValues, EncodeOptions, Epc, GcpLength, Scheme};
use fingerpost_gs1::{Ai, DigitalLink};
use std::hint::black_box;

const STEM: &str = "https://id.gs1.org";

/// Serial numbers of one, four, nine and twelve digits, company prefixes of 6, 7, 11 and 12.
const SGTINS: [(&str, &str, u8); 4] = [
    ("79521141123453", "1", 6),
    ("79521141123453", "5678", 7),
    ("09506000134352", "123456789", 11),
    ("09528765123457", "123456789123", 12),
];

fn values(gtin: &str, serial: &str) -> AiValues {
    AiValues::new([(Ai::GTIN, gtin), (Ai::SERIAL, serial)]).unwrap()
}

fn options(length: u8) -> EncodeOptions<'static> {
    EncodeOptions::new().scheme(Scheme::Sgtin96).filter(1).gcp_length(GcpLength::Digits(length))
}

fn sgtin_96(c: &mut Criterion) {
    let mut group = c.benchmark_group("SGTIN-96");
    group.throughput(Throughput::Elements(SGTINS.len() as u64));
    let elements = SGTINS.map(|(gtin, serial, length)| (values(gtin, serial), options(length)));
    let hex =
        elements.clone().map(|(values, options)| Epc::encode(&values, &options).unwrap().to_hex());
    let uris = elements.clone().map(|(values, _)| values.digital_link(STEM).unwrap());
    group.bench_function("hexadecimal to Digital Link", |b| {
        b.iter(|| {
            for hex in &hex {
                black_box(Epc::from_hex(black_box(hex)).unwrap().digital_link(STEM).unwrap());
            }
        });
    });
    group.bench_function("elements to hexadecimal", |b| {
        b.iter(|| {
            for (values, options) in &elements {
                black_box(Epc::encode(black_box(values), options).unwrap().to_hex());
            }
        });
    });
    group.bench_function("Digital Link, parsed, to hexadecimal", |b| {
        let links = uris.each_ref().map(|uri| DigitalLink::parse(uri).unwrap());
        b.iter(|| {
            for (link, (_, options)) in links.iter().zip(&elements) {
                let values: AiValues = black_box(link).into();
                black_box(Epc::encode(&values, options).unwrap().to_hex());
            }
        });
    });
    group.bench_function("Digital Link, as text, to hexadecimal", |b| {
        b.iter(|| {
            for (uri, (_, options)) in uris.iter().zip(&elements) {
                let values = AiValues::from(&DigitalLink::parse(black_box(uri)).unwrap());
                black_box(Epc::encode(&values, options).unwrap().to_hex());
            }
        });
    });
}

/// One of each kind of bits, to a Digital Link URI.
fn decode(c: &mut Criterion) {
    let mut group = c.benchmark_group("hexadecimal to Digital Link");
    for hex in [
        "3066c4409047e14000001a85",
        "3666c4409047e159b2c2bf1000000000000000000000000000",
        "3476451fd40000000000162e",
        "f7809506000134352624b5",
        "f7809506000134352624b51005003d9881802710b9acf8",
        "fd3795211411234538566cb0afc525065f1876f0d996d8",
    ] {
        let scheme = Epc::from_hex(hex).unwrap().scheme();
        group.throughput(Throughput::Elements(1));
        group.bench_function(format!("{scheme}, {} digits", hex.len()), |b| {
            b.iter(|| Epc::from_hex(black_box(hex)).unwrap().digital_link(STEM).unwrap());
        });
    }
}

criterion_group!(benches, sgtin_96, decode);
criterion_main!(benches);
