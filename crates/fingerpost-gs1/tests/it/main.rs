//! The integration tests of `fingerpost-gs1`: one program, because linking takes longer than
//! running most of them.

mod common;
mod compression;
mod compression_properties;
mod compression_vectors;
mod dictionary;
mod digital_link_properties;
mod digital_link_vectors;
mod element_string_options;
mod element_string_properties;
mod element_string_vectors;
mod entity_key;
mod equivalent_spellings;
mod error_texts;
#[path = "../../../../testdata/examples.rs"]
mod examples;
mod lenient_points;
mod meaning;
mod reference;
mod releases;
mod vectors;

mod values;
