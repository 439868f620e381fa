//! The fingerpost command.

fn main() {}
