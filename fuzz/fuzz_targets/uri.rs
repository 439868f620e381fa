//! URI references: parts, normal forms, resolution, relative forms, extraction from text, the first web syntax.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fingerpost_fuzz::uri(data));
