//! How fast a Digital Link URI is read and fully checked: strict, associations included, over ten
//! usual URIs. The goal is 200 ns on average, 5 million a second on one core.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fingerpost_gs1::{DigitalLink, EntityKey};
use std::hint::black_box;

/// One URI of each usual kind.
const URIS: [(&str, &str); 10] = [
    ("gtin", "https://id.gs1.org/01/09520123456788"),
    ("gtin_lot", "https://id.gs1.org/01/09520123456788/10/ABC123"),
    ("gtin_lot_serial_expiry", "https://id.gs1.org/01/09520123456788/10/ABC1/21/12345?17=180426"),
    ("sscc", "https://id.gs1.org/00/195201234567891232"),
    ("gln", "https://id.gs1.org/414/9520123456788"),
    ("grai", "https://id.gs1.org/8003/09520123456788ABC123"),
    ("giai", "https://id.gs1.org/8004/9520614141234567"),
    ("percent_encoded_lot", "https://id.gs1.org/01/09520123456788/10/AB%2F12%2B3"),
    ("weight_attributes", "https://id.gs1.org/01/09520123456788?17=201225&3103=000195&3922=0299"),
    (
        "custom_stem",
        "https://brand.example.com/some/path/01/09520123456788/22/2A/21/XYZ?linkType=gs1:pip",
    ),
];

fn parse(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("parse");
    for (name, uri) in URIS {
        group.bench_function(name, |bencher| {
            bencher.iter(|| black_box(&DigitalLink::parse(black_box(uri))).is_ok());
        });
    }
    group.throughput(Throughput::Elements(URIS.len() as u64));
    group.bench_function("all_ten", |bencher| {
        bencher.iter(|| {
            for (_, uri) in URIS {
                black_box(&DigitalLink::parse(black_box(uri))).as_ref().expect("a valid URI");
            }
        });
    });
    group.finish();
}

fn write(criterion: &mut Criterion) {
    let links = URIS.map(|(_, uri)| DigitalLink::parse(uri).expect("a valid URI"));
    let paths = URIS.map(|(_, uri)| DigitalLink::parse(uri).expect("a valid URI").entity_key());
    let mut group = criterion.benchmark_group("write");
    group.throughput(Throughput::Elements(URIS.len() as u64));
    group.bench_function("canonical", |bencher| {
        bencher.iter(|| links.each_ref().map(DigitalLink::canonical));
    });
    group.bench_function("entity_key", |bencher| {
        bencher.iter(|| links.each_ref().map(DigitalLink::entity_key));
    });
    group.bench_function("entity_key_parse", |bencher| {
        bencher.iter(|| {
            for key in &paths {
                black_box(EntityKey::parse(black_box(key.as_str())).expect("a valid key"));
            }
        });
    });
    group.bench_function("levels", |bencher| {
        bencher.iter(|| paths.each_ref().map(|key| key.levels().count()));
    });
    group.finish();
}

criterion_group!(benches, parse, write);
criterion_main!(benches);
