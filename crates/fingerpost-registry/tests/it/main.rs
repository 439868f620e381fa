//! The integration tests of `fingerpost-registry`: one program, because linking takes longer than
//! running most of them.

mod approval;
mod batch;
mod brands;
mod budgets;
mod change_sets;
mod concurrency;
mod countries;
mod covered;
mod engines;
mod four_eyes;
mod history;
mod independence;
mod invitations;
mod key_end;
mod links;
mod list;
mod look_ups;
mod model;
mod own_keys;
mod ownership;
mod people;
mod quotas;
mod recalls;
mod register_cases;
mod rights;
mod round_trips;
mod rules;
mod second_factor;
mod secrets;
mod signed_links;
mod successors;
mod support;
mod suspension;
mod webhooks;
