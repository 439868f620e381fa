//! The commands that speak to an admin listener: `login`, `logout`, `get`, `put`, `delete`, `list`,
//! `history`, `revert`, `recall`, `succeed`,
//! `sign-link`.
//!
//! They make no decisions: the server checks each request, and they show its findings with the
//! position of each fault.

mod connection;
mod credentials;
pub(crate) mod delete;
pub(crate) mod get;
pub(crate) mod history;
mod input;
pub(crate) mod key;
mod level;
pub(crate) mod list;
pub(crate) mod login;
pub(crate) mod logout;
mod outcome;
pub(crate) mod problem;
pub(crate) mod put;
pub(crate) mod recall;
pub(crate) mod revert;
pub(crate) mod sign_link;
pub(crate) mod succeed;
