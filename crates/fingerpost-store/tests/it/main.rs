//! The integration tests of `fingerpost-store`: one program, because linking takes longer than
//! running most of them.

mod anchors;
mod backup;
mod battery;
mod changes;
mod compact;
mod copies;
mod damage;
mod embedded;
mod engines;
mod full_disk;
mod history;
mod killed_groups;
mod model;
mod processes;
mod support;
mod transactions;
mod waiting;
