//! Digital Link URIs: strict, lenient and seed-compatible parsers, canonical form, entity keys.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fingerpost_fuzz::digital_link(data));
