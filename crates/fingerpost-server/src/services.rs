//! What runs in the background while the server does.

pub(crate) mod audit_heads;
pub(crate) mod backups;
pub(crate) mod certificates;
pub(crate) mod reload;
