//! The query, `Accept` and `Accept-Language` of a request: any bytes get an answer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fingerpost_fuzz::accept_language_once(data));
