//! Compressed Digital Link URIs and paths: strict and lenient readers, and writing them again in every form.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fingerpost_fuzz::compressed(data));
