//! Writes a Digital Link URI for values, as `AI=value` arguments, and checks them first.
//!
//! ```console
//! $ cargo run -p fingerpost-gs1 --example link_from_values -- 01=09520123456788 10=A/1 17=271231
//! (01)09520123456788(10)A/1(17)271231
//! https://id.example.org/01/09520123456788/10/A%2F1?17=271231
//! ```

use std::error::Error;

use fingerpost_gs1::{Ai, DigitalLink, ElementString};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.is_empty() {
        arguments = ["01=09520123456788", "10=A/1", "17=271231"].map(String::from).to_vec();
    }
    let mut pairs: Vec<(Ai, &str)> = Vec::new();
    for argument in &arguments {
        let (ai, value) = argument.split_once('=').ok_or("expected AI=value")?;
        pairs.push((ai.parse()?, value));
    }
    let item = ElementString::from_pairs(pairs)?;
    println!("{item}");
    println!("{}", DigitalLink::build("https://id.example.org", &item)?);
    Ok(())
}
