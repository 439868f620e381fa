//! Signing a redirect: one that was signed before, and one that was not.

use criterion::{Criterion, criterion_group, criterion_main};
use fingerpost_signature::{RequestTarget, Signer, SigningKey};
use http::HeaderMap;
use http::header::{HeaderValue, LOCATION};
use jiff::Timestamp;

fn sign(criterion: &mut Criterion) {
    let (key, _) = SigningKey::generate().expect("random bits");
    let signer = Signer::new(key, "24h".parse().expect("a duration"));
    let now = Timestamp::UNIX_EPOCH;
    let signed = |query: &str| {
        let mut fields = HeaderMap::new();
        fields.insert(LOCATION, HeaderValue::from_static("https://brand.example/product/1"));
        let target = RequestTarget { path: "/01/09506000134352", query: Some(query) };
        signer.sign_redirect(target, 307, &mut fields, now);
        fields
    };
    criterion.bench_function("finished", |bencher| bencher.iter(|| signed("")));
    let mut count = 0u64;
    criterion.bench_function("new", |bencher| {
        bencher.iter(|| {
            count += 1;
            signed(&count.to_string())
        });
    });
}

criterion_group!(benches, sign);
criterion_main!(benches);
