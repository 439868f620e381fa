//! Signs redirects, to measure what a signature costs: the difference between two runs is that of
//! their numbers. `kept` signs the same answer again and again, `new` signs each one once.
//!
//! ```text
//! cargo build --release -p fingerpost-signature --example sign
//! valgrind --tool=callgrind --callgrind-out-file=/dev/null target/release/examples/sign kept 10000
//! valgrind --tool=callgrind --callgrind-out-file=/dev/null target/release/examples/sign kept 110000
//! ```

use fingerpost_signature::{RequestTarget, Signer, SigningKey};
use http::header::{HeaderMap, HeaderValue, LOCATION};
use jiff::Timestamp;

fn main() {
    let arguments: Vec<_> = std::env::args().collect();
    let is_kept = arguments.get(1).is_some_and(|kind| kind == "kept");
    let count: usize = arguments.get(2).and_then(|text| text.parse().ok()).unwrap_or(10_000);
    let (key, _) = SigningKey::generate().expect("random bits");
    let signer = Signer::new(key, "24h".parse().expect("a duration"));
    let paths: Vec<_> =
        (0..if is_kept { 1 } else { count }).map(|number| format!("/01/{number:014}")).collect();
    let mut signed = 0;
    for path in paths.iter().cycle().take(count) {
        let mut fields = HeaderMap::new();
        fields.insert(LOCATION, HeaderValue::from_static("https://brand.example/product/1"));
        let target = RequestTarget { path, query: None };
        signer.sign_redirect(target, 307, &mut fields, Timestamp::UNIX_EPOCH);
        signed += usize::from(fields.contains_key("signature"));
    }
    println!("{signed} signatures");
}
