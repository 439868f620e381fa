//! Reading, resolving and normalising beside other implementations, in one run: `cargo bench -p
//! fingerpost-uri --bench peers`. `PEERS_SEED` repeats the inputs of a run.
//!
//! Each does its usual call. They do not do quite the same: iri-string and iref keep no offsets, so
//! they look for components again on each access; oxiri does not look into the authority; http and
//! url refuse what they are not made for, and http checks less; url allocates and normalises
//! whatever it reads.

mod inputs;

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use fingerpost_uri::urn::{Mode, Urn};
use fingerpost_uri::{ResolveOptions, Rung, Uri, UriRef};

type Group<'c> = BenchmarkGroup<'c, WallTime>;

/// A group for the rows of one input, with the time of one text told by the throughput.
fn group<'c>(c: &'c mut Criterion, name: String, texts: usize) -> Group<'c> {
    let mut group = c.benchmark_group(name);
    group.throughput(Throughput::Elements(texts as u64));
    group
}

/// Measures `call` on every item, and keeps what it returns from being optimised away.
fn row<'t, T, R>(
    group: &mut Group<'_>,
    peer: &str,
    items: &'t [T],
    mut call: impl FnMut(&'t T) -> R,
) {
    group.bench_function(peer, |b| {
        b.iter(|| {
            for item in items {
                black_box(call(black_box(item)));
            }
        });
    });
}

fn parse(c: &mut Criterion) {
    for (name, texts) in inputs::texts() {
        let group = &mut group(c, format!("parse {name}"), texts.len());
        row(group, "fingerpost-uri", &texts, |text| UriRef::parse(text));
        row(group, "fluent-uri", &texts, |text| fluent_uri::UriRef::parse(text.as_str()));
        row(group, "iri-string", &texts, |text| iri_string::types::UriReferenceStr::new(text));
        row(group, "oxiri", &texts, |text| oxiri::IriRef::parse(text.as_str()));
        row(group, "uriparse", &texts, |text| uriparse::URIReference::try_from(text.as_str()));
        row(group, "iref", &texts, |text| iref::UriRef::new(text));
        row(group, "url", &texts, |text| url::Url::parse(text));
        row(group, "http", &texts, |text| text.parse::<http::Uri>());
    }
}

fn resolve(c: &mut Criterion) {
    for (name, base, references) in inputs::references() {
        let group = &mut group(c, format!("resolve {name}"), references.len());
        let mut buffer = String::new();

        let ours: Vec<_> =
            references.iter().map(|text| UriRef::parse(text).expect("valid")).collect();
        let our_base = Uri::parse(base).expect("valid");
        row(group, "fingerpost-uri", &ours, |reference| reference.resolve(our_base));
        row(group, "fingerpost-uri, own buffer", &ours, |reference| {
            buffer.clear();
            reference.resolve_into(our_base, ResolveOptions::new(), &mut buffer)
        });

        let theirs: Vec<_> = references
            .iter()
            .map(|text| fluent_uri::UriRef::parse(text.as_str()).expect("valid"))
            .collect();
        let their_base = fluent_uri::Uri::parse(base).expect("valid");
        row(group, "fluent-uri", &theirs, |reference| reference.resolve_against(&their_base));

        let theirs: Vec<_> = references
            .iter()
            .map(|text| oxiri::IriRef::parse(text.as_str()).expect("valid"))
            .collect();
        let their_base = oxiri::Iri::parse(base).expect("valid");
        row(group, "oxiri", &theirs, |reference| their_base.resolve(reference));
        row(group, "oxiri, own buffer", &theirs, |reference| {
            buffer.clear();
            their_base.resolve_into(reference, &mut buffer)
        });

        let theirs: Vec<_> = references
            .iter()
            .map(|text| iri_string::types::UriReferenceStr::new(text).expect("valid"))
            .collect();
        let their_base = iri_string::types::UriAbsoluteStr::new(base).expect("valid");
        row(group, "iri-string", &theirs, |reference| {
            reference.resolve_against(their_base).to_string()
        });

        let theirs: Vec<_> = references
            .iter()
            .map(|text| uriparse::URIReference::try_from(text.as_str()).expect("valid"))
            .collect();
        let their_base = uriparse::URI::try_from(base).expect("valid");
        row(group, "uriparse", &theirs, |reference| their_base.resolve(reference).to_string());

        let theirs: Vec<_> =
            references.iter().map(|text| iref::UriRef::new(text).expect("valid")).collect();
        let their_base = iref::Uri::new(base).expect("valid");
        row(group, "iref", &theirs, |reference| reference.resolved(their_base));

        // Reads the reference as well.
        let their_base = url::Url::parse(base).expect("valid");
        row(group, "url", &references, |reference| their_base.join(reference));
    }
}

/// To the scheme rung, or as far as the other one goes.
fn normalise(c: &mut Criterion) {
    for (name, texts) in inputs::texts() {
        if name == "invalid" {
            continue;
        }
        let group = &mut group(c, format!("normalise {name}"), texts.len());

        let ours: Vec<_> = texts.iter().map(|text| UriRef::parse(text).expect("valid")).collect();
        row(group, "fingerpost-uri", &ours, |uri| uri.normalise(Rung::Scheme));

        let theirs: Vec<_> = texts
            .iter()
            .map(|text| fluent_uri::Uri::parse(text.as_str()).expect("valid"))
            .collect();
        row(group, "fluent-uri", &theirs, |uri| uri.normalize());

        let theirs: Vec<_> =
            texts.iter().map(|text| iri_string::types::UriStr::new(text).expect("valid")).collect();
        row(group, "iri-string", &theirs, |uri| uri.normalize().to_string());

        // Changes its own parts, so that they are copied first.
        let theirs: Vec<_> = texts
            .iter()
            .map(|text| uriparse::URI::try_from(text.as_str()).expect("valid"))
            .collect();
        row(group, "uriparse", &theirs, |uri| {
            let mut uri = uri.clone();
            uri.normalize();
            uri.to_string()
        });

        // Reads the URI as well.
        row(group, "url", &texts, |text| url::Url::parse(text));
    }
}

fn parse_urn(c: &mut Criterion) {
    for (name, texts) in inputs::urns() {
        let group = &mut group(c, format!("urn {name}"), texts.len());
        row(group, "fingerpost-uri", &texts, |text| Urn::parse(text, Mode::Rfc8141));
        row(group, "urn", &texts, |text| urn::UrnSlice::try_from(text.as_str()));
    }
}

criterion_group!(benches, parse, resolve, normalise, parse_urn);
criterion_main!(benches);
