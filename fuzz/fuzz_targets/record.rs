//! Records: read, write, encode, decode; and stored bytes that may be damaged.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fingerpost_fuzz::record(data));
