//! The integration tests of `fingerpost-epc`: one program, because linking takes longer than
//! running most of them.

#[path = "../../../../testdata/examples.rs"]
mod examples;
mod links;
mod plus_oracle;
mod plus_properties;
mod plus_vectors;
mod properties;
mod values;
mod vectors;
