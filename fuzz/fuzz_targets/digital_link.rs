//! Digital Link URIs: parsers for strict, lenient and URI Syntax 1.4.1 reading, canonical form, entity keys.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fingerpost_fuzz::digital_link(data));
