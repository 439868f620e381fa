//! CSV files and other tables.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fingerpost_fuzz::sheet_csv(data));
