//! URNs in all modes: keys, namespaces, directives, building, requests for services.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fingerpost_fuzz::urn(data));
