//! Compares two URNs: as text, as names (RFC 8141 section 3.1), and by the rules of their
//! namespace.
//!
//! ```console
//! $ cargo run -p fingerpost-uri --example compare_urns -- urn:isbn:0-451-45052-3 URN:ISBN:0451450523
//! same text: false
//! same name: false
//! same name to the namespace: true
//! preferred spelling: urn:isbn:0451450523
//! ```

use std::error::Error;

use fingerpost_uri::urn::{Mode, NameKey, NamespaceRegistry, Urn};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let one = arguments.next().unwrap_or_else(|| "urn:isbn:0-451-45052-3?+source=shop".to_owned());
    let other = arguments.next().unwrap_or_else(|| "URN:ISBN:0451450523".to_owned());
    let (one, other) = (Urn::parse(&one, Mode::Auto)?, Urn::parse(&other, Mode::Auto)?);
    let registry = NamespaceRegistry::builtin();
    let key = |urn| NameKey::with_registry(urn, &registry);
    println!("same text: {}", one == other);
    println!("same name: {}", one.is_equivalent(other));
    println!("same name to the namespace: {}", key(one) == key(other));
    println!("preferred spelling: {}", key(one));
    Ok(())
}
