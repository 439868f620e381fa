//! The integration tests of `fingerpost-label`: symbols are read back by decoders of others.

mod decoded;
mod files;
mod properties;
mod readers;
mod support;
