//! Answers of the resolver as HTTP responses: status, header fields and body (GS1-Conformant
//! Resolver 1.2.0 sections 2.2 and 2.10; RFC 9110).
//!
//! There are no sockets, no pages and no clock, so that the server and the edge worker, which is
//! WebAssembly, send the same bytes for the same answer.

#![forbid(unsafe_code)]

mod answer;
pub mod conditional;
pub mod headers;
pub mod linkset;
pub mod respond;

pub use answer::of_answer;
pub use respond::Body;
