//! The integration tests of `fingerpost-uri`: one program, because linking takes longer than
//! running most of them.

mod characters;
mod comparison;
mod differential;
#[path = "../../../../testdata/examples.rs"]
mod examples;
mod normalisation;
mod resolution;
mod syntax;
mod text;
mod urn;
mod values;
mod vectors;
mod www;
