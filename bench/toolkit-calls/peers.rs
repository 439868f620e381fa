//! What `bench/toolkit --peers` counts: fingerpost-uri beside the fastest other libraries, over the inputs of its benchmark
//! `peers`, each by its usual call.
//!
//! Without arguments it lists its calls, each with the library and the number of its inputs; with the name of a call, a library
//! and a number it makes that many passes over the inputs. `PEERS_SEED` repeats the inputs.

mod inputs;

use std::hint::black_box;

use fingerpost_uri::urn::{Mode, Urn};
use fingerpost_uri::{ResolveOptions, Rung, Uri, UriRef};

fn main() {
    let mut counted = Counted { arguments: std::env::args().skip(1).collect() };
    for (name, texts) in inputs::texts() {
        parse(&mut counted, &format!("parse, {name}"), &texts);
        if name != "invalid" {
            normalise(&mut counted, &format!("normalise, {name}"), &texts);
        }
    }
    for (name, base, references) in inputs::references() {
        resolve(&mut counted, &format!("resolve, {name}"), base, &references);
    }
    for (name, texts) in inputs::urns() {
        let name = &format!("URN, {name}");
        counted.call(name, "fingerpost-uri", &texts, |text| Urn::parse(text, Mode::Rfc8141));
        counted.call(name, "urn", &texts, |text| urn::UrnSlice::try_from(text.as_str()));
    }
}

/// The arguments: nothing, or a call, a library and a number of passes.
struct Counted {
    arguments: Vec<String>,
}

impl Counted {
    /// Lists the call, or makes it if the arguments name it.
    fn call<'t, T, R>(
        &mut self,
        name: &str,
        library: &str,
        items: &'t [T],
        mut call: impl FnMut(&'t T) -> R,
    ) {
        match &*self.arguments {
            [own_name, own_library, passes] if own_name == name && own_library == library => {
                for _ in 0..passes.parse().expect("a number of passes") {
                    for item in items {
                        black_box(call(black_box(item)));
                    }
                }
            }
            [] => println!("{name}\t{library}\t{}", items.len()),
            _ => {}
        }
    }
}

fn parse(counted: &mut Counted, name: &str, texts: &[String]) {
    counted.call(name, "fingerpost-uri", texts, |text| UriRef::parse(text));
    counted.call(name, "fluent-uri", texts, |text| fluent_uri::UriRef::parse(text.as_str()));
    counted.call(name, "oxiri", texts, |text| oxiri::IriRef::parse(text.as_str()));
}

fn normalise(counted: &mut Counted, name: &str, texts: &[String]) {
    let ours: Vec<_> = texts.iter().map(|text| UriRef::parse(text).expect("valid")).collect();
    counted.call(name, "fingerpost-uri", &ours, |uri| uri.normalise(Rung::Scheme));

    let theirs: Vec<_> =
        texts.iter().map(|text| fluent_uri::Uri::parse(text.as_str()).expect("valid")).collect();
    counted.call(name, "fluent-uri", &theirs, |uri| uri.normalize());

    // Changes its own parts, so that they are copied first.
    let theirs: Vec<_> =
        texts.iter().map(|text| uriparse::URI::try_from(text.as_str()).expect("valid")).collect();
    counted.call(name, "uriparse", &theirs, |uri| {
        let mut uri = uri.clone();
        uri.normalize();
        uri.to_string()
    });
}

fn resolve(counted: &mut Counted, name: &str, base: &str, references: &[String]) {
    let (mut buffer, own_buffer) = (String::new(), &format!("{name}, own buffer"));

    let ours: Vec<_> = references.iter().map(|text| UriRef::parse(text).expect("valid")).collect();
    let our_base = Uri::parse(base).expect("valid");
    counted.call(name, "fingerpost-uri", &ours, |reference| reference.resolve(our_base));
    counted.call(own_buffer, "fingerpost-uri", &ours, |reference| {
        buffer.clear();
        reference.resolve_into(our_base, ResolveOptions::new(), &mut buffer)
    });

    let theirs: Vec<_> = references
        .iter()
        .map(|text| fluent_uri::UriRef::parse(text.as_str()).expect("valid"))
        .collect();
    let their_base = fluent_uri::Uri::parse(base).expect("valid");
    counted.call(name, "fluent-uri", &theirs, |reference| reference.resolve_against(&their_base));

    let theirs: Vec<_> =
        references.iter().map(|text| oxiri::IriRef::parse(text.as_str()).expect("valid")).collect();
    let their_base = oxiri::Iri::parse(base).expect("valid");
    counted.call(name, "oxiri", &theirs, |reference| their_base.resolve(reference));
    counted.call(own_buffer, "oxiri", &theirs, |reference| {
        buffer.clear();
        their_base.resolve_into(reference, &mut buffer)
    });
}
