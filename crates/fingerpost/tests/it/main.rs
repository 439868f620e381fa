//! The integration tests of `fingerpost`: one program, because linking takes longer than running
//! most of them.

mod access;
mod accounts;
mod acme;
mod anchors;
mod audit;
mod backup;
mod backup_matrix;
mod browser;
mod check;
mod compare;
mod configuration;
mod conform;
mod convert;
#[cfg(feature = "country")]
mod countries;
mod damage;
mod databases;
mod doctor;
mod durability;
mod epcis;
mod escrow;
mod examples;
mod explain;
mod export;
mod faults;
mod flips;
mod follow;
mod foreign;
mod fuzz_corpus;
mod heads;
mod import;
mod import_ce;
mod import_from;
mod import_report;
mod insight;
mod interrupted;
mod kill;
mod killed_imports;
mod killed_nodes;
mod label;
mod lifecycle;
mod links;
mod mails;
mod migrate;
mod monitoring;
mod networks;
mod online;
mod outputs;
mod passwords;
mod poolers;
mod promotion;
mod purges;
mod real_inputs;
mod register;
mod register_tls;
mod reload;
mod repository;
mod repository_faults;
#[cfg(feature = "oidc")]
mod role_tokens;
#[cfg(feature = "s3")]
mod s3;
#[cfg(feature = "s3")]
mod s3_hostile;
mod serve;
mod sheets;
mod shortages;
mod sign_link;
mod static_site;
mod support;
mod suspension;
mod together;
mod toolkit;
#[cfg(feature = "otel")]
mod traces;
mod upgrade;
mod uri;
mod usage;
mod verify;
mod webhooks;
