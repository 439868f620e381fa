//! Serves the registration of links over HTTP: the admin API, its sessions and its description.

#![forbid(unsafe_code)]
