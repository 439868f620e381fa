//! The `fingerpost` command. Everything it does is in the library beside it.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    fingerpost::run(std::env::args_os())
}
