//! The integration tests of `fingerpost-registry`: one program, because linking takes longer than running most of them.

mod approval;
mod batch;
mod concurrency;
mod engines;
mod history;
mod list;
mod model;
mod own_keys;
mod ownership;
mod people;
mod rights;
mod rules;
mod secrets;
mod support;
