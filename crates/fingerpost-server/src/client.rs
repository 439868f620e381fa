//! The HTTP client of an admin listener: for the commands that speak to one, and for nodes that
//! follow one.

mod address;
mod answer;
mod api;
mod origin;
mod problem;

pub use address::Address;
pub use answer::ApiAnswer;
pub use api::{Call, Client, Trust, web_agent};
pub use origin::{is_loopback, origin};
pub use problem::{ApiProblem, CallError, code};
