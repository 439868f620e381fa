//! Tells what a text is, lists its faults, and writes it in every other form that it has.
//!
//! ```console
//! $ cargo run -p fingerpost-identify --example identify -- "(01)09520123456788(10)ABC"
//! form: bracketed-element-string
//! digital-link: https://id.gs1.org/01/09520123456788/10/ABC
//! canonical: https://id.gs1.org/01/09520123456788/10/ABC
//! element-string: (01)09520123456788(10)ABC
//! epc-urn: the length of the company prefix is required
//! epc-tag: the length of the company prefix is required
//! epc-hex: the length of the company prefix is required
//! epc-base64: the length of the company prefix is required
//! epc-link: the length of the company prefix is required
//! compressed: https://id.gs1.org/CxFRJydaKIdXg
//! hri: (01) 09520123456788 (10) ABC
//! ```

use fingerpost_identify::{Converter, OutputForm, inspect};

fn main() {
    let text = std::env::args().nth(1).unwrap_or_else(|| "(01)09520123456788(10)ABC".to_owned());
    let found = inspect(&text);
    println!("form: {}", found.form.code());
    for fault in &found.faults {
        println!("{} at {:?}: {}", fault.code, fault.span, fault.message);
    }
    for &form in OutputForm::ALL {
        match Converter::new().convert(&text, form) {
            Ok(written) => println!("{}: {written}", form.code()),
            Err(reason) => println!("{}: {}", form.code(), reason.message),
        }
    }
}
