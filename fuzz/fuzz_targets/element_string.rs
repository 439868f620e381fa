//! Element strings: bracketed, raw and scan data.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fingerpost_fuzz::element_string(data));
