//! The integration tests of `fingerpost-resolver`: one program, because linking takes longer than
//! running most of them.

mod access;
mod decision;
mod descriptions;
mod explanation_size;
mod iana_data;
mod linkset_import;
mod oracle;
mod record_faults;
mod saved_linksets;
mod schedules;
mod stored_form;
mod urn_key;
mod windows;
