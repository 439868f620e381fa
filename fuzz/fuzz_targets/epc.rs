//! EPC: bits of every scheme, hexadecimal, base64url and path segments, URNs and Tag URIs.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fingerpost_fuzz::epc(data));
