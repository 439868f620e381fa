//! The integration tests of `fingerpost`: one program, because linking takes longer than running most of them.

mod accounts;
mod audit;
mod backup;
mod browser;
mod check;
mod configuration;
mod convert;
mod damage;
mod durability;
mod examples;
mod explain;
mod faults;
mod fuzz_corpus;
mod heads;
mod import;
mod kill;
mod online;
mod passwords;
mod register;
mod register_tls;
mod reload;
mod serve;
mod support;
mod toolkit;
mod uri;
mod usage;
