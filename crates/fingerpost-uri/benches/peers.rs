//! Reading and resolving beside three other implementations, in one run: `cargo bench -p fingerpost-uri --bench peers`.
//!
//! They do not do quite the same: iri-string and iref keep no offsets, so they look for components again on each access.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fingerpost_uri::{ResolveOptions, Uri, UriRef};

/// Inputs by name; each is parsed as a URI reference.
fn inputs() -> Vec<(&'static str, Vec<String>)> {
    let short = [
        "https://id.example.org/01/09520123456788/10/ABC1?linkType=gs1:pip",
        "http://www.ics.uci.edu/pub/ietf/uri/#Related",
        "urn:epc:id:sgtin:0614141.112345.400",
        "ldap://[2001:db8::7]/c=GB?objectClass?one",
    ];
    vec![
        ("short", short.map(String::from).to_vec()),
        ("query of 2 kB", vec![format!("http://example.com/?{}", "name=value&".repeat(186))]),
        ("IPv6", vec!["http://[2001:db8:85a3:8d3:1319:8a2e:370:7348]:443/".into()]),
        ("triplets", vec![format!("http://example.com/{}", "%E2%82%AC".repeat(40))]),
        ("dots", vec![format!("http://example.com/{}", "a/../b/./".repeat(40))]),
        ("invalid", vec!["http://example.com/a b".into(), "http://[::1/".into(), "1x:y".into()]),
    ]
}

fn parse(c: &mut Criterion) {
    for (name, texts) in inputs() {
        let mut group = c.benchmark_group(format!("parse {name}"));
        group.throughput(Throughput::Elements(texts.len() as u64));
        let mut with = |peer: &str, parses: &dyn Fn(&str) -> bool| {
            group.bench_function(peer, |b| {
                b.iter(|| texts.iter().filter(|text| parses(black_box(text))).count());
            });
        };
        with("fingerpost-uri", &|text| UriRef::parse(text).is_ok());
        with("fluent-uri", &|text| fluent_uri::UriRef::parse(text).is_ok());
        with("iri-string", &|text| iri_string::types::UriReferenceStr::new(text).is_ok());
        with("iref", &|text| iref::UriRef::new(text).is_ok());
    }
}

fn resolve(c: &mut Criterion) {
    let base = "http://a/b/c/d;p?q";
    let reference = "../../g/./h?y#s";
    let mut group = c.benchmark_group("resolve");
    let (ours, ours_base) =
        (UriRef::parse(reference).expect("valid"), Uri::parse(base).expect("valid"));
    let mut buffer = String::new();
    group.bench_function("fingerpost-uri, own buffer", |b| {
        b.iter(|| {
            buffer.clear();
            black_box(ours).resolve_into(black_box(ours_base), ResolveOptions::new(), &mut buffer)
        });
    });
    group.bench_function("fingerpost-uri", |b| {
        b.iter(|| black_box(ours).resolve(black_box(ours_base)));
    });
    let theirs = fluent_uri::UriRef::parse(reference).expect("valid");
    let their_base = fluent_uri::Uri::parse(base).expect("valid");
    group.bench_function("fluent-uri", |b| {
        b.iter(|| black_box(&theirs).resolve_against(black_box(&their_base)));
    });
    let theirs = iri_string::types::UriReferenceStr::new(reference).expect("valid");
    let their_base = iri_string::types::UriAbsoluteStr::new(base).expect("valid");
    group.bench_function("iri-string", |b| {
        b.iter(|| black_box(theirs).resolve_against(black_box(their_base)).to_string());
    });
    group.finish();
}

criterion_group!(benches, parse, resolve);
criterion_main!(benches);
