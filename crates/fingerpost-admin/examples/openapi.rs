//! Prints the description of the API: `cargo run -p fingerpost-admin --example openapi >
//! docs/reference/openapi.json`.

fn main() {
    print!("{}", fingerpost_admin::openapi_document());
}
