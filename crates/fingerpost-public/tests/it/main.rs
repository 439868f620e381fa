//! The integration tests of `fingerpost-public`: one program, because linking takes longer than
//! running most of them.

mod body;
mod branding;
mod compressed;
mod countries;
mod equivalent_spellings;
mod examples;
mod lifecycle;
mod limits;
mod names;
mod official_suite;
mod organisation_brands;
mod page;
mod pages_gzip;
mod pages_home;
mod pages_hostile;
mod pages_language;
mod pages_long;
mod pages_picture;
mod pages_reader;
mod pages_recall;
mod pages_shape;
mod pressure;
mod roles;
mod schedules;
mod signatures;
mod support;
mod templates;
mod transport;
mod unreadable;
