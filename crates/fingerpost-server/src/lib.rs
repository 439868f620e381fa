//! Serves GS1-Conformant resolution over HTTP/1.1 and HTTP/2, with TLS and configuration.

#![forbid(unsafe_code)]
