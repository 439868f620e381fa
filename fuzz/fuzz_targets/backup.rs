//! Backups, and backups of changes on top of one.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fingerpost_fuzz::backup(data));
