//! GS1 Application Identifiers, element strings and GS1 Digital Link URIs: parse, validate, canonicalise, build.
#![no_std]
#![forbid(unsafe_code)]

