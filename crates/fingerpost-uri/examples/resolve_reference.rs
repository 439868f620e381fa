//! Resolves the references of a page against its address, and computes the shortest way back.
//!
//! ```console
//! $ cargo run -p fingerpost-uri --example resolve_reference -- http://a/b/c/d ../g
//! ../g -> http://a/b/g
//! http://a/b/g -> ../g
//! ```

use std::error::Error;

use fingerpost_uri::{Uri, UriBuf, UriRef};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let base =
        arguments.next().unwrap_or_else(|| "https://id.example.org/01/09520123456788/".to_owned());
    let references: Vec<String> = arguments.collect();
    let references = if references.is_empty() {
        vec!["10/ABC?linkType=all".to_owned(), "../../help#top".to_owned()]
    } else {
        references
    };
    let base = Uri::parse(&base)?;
    for reference in &references {
        let target: UriBuf = UriRef::parse(reference)?.resolve(base);
        println!("{reference} -> {target}");
        println!("{target} -> {}", target.relativise(base));
    }
    Ok(())
}
