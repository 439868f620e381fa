//! The integration tests of `fingerpost`: one program, because linking takes longer than running most of them.

mod accounts;
mod audit;
mod backup;
mod browser;
mod check;
mod configuration;
mod convert;
mod durability;
mod examples;
mod fuzz_corpus;
mod import;
mod kill;
mod register;
mod register_tls;
mod serve;
mod support;
mod uri;
mod usage;
