//! Decides, without I/O or a clock, what a request to a GS1-Conformant Resolver resolves to.

#![forbid(unsafe_code)]
