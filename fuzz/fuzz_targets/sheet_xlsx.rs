//! Workbooks: a whole one, or the parts of one.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fingerpost_fuzz::sheet_xlsx(data));
