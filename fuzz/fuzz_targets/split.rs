//! Files of records as JSON, read at once and in small parts.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fingerpost_fuzz::split(data));
