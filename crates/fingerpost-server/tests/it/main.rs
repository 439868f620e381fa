//! Tests of what the crate writes and runs, beside the public side that it must agree with.

mod edge;
mod edge_files;
mod edge_worker;
mod installation;
