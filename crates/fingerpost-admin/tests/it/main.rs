//! The integration tests of `fingerpost-admin`: one program, because linking takes longer than
//! running most of them.

mod admission;
mod anchors;
mod bodies;
mod change_sets;
mod console;
mod description;
mod exports;
mod feed;
mod imports;
mod labels;
mod levels;
mod links;
mod log;
mod matrix;
mod npm;
#[cfg(feature = "oidc")]
mod oidc;
#[cfg(feature = "oidc")]
mod oidc_setting;
mod paths;
mod same_answers;
mod secrets;
mod selections;
mod sessions;
mod sign_in;
mod support;
mod tenants;
mod tls;
