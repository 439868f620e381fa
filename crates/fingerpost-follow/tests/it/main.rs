//! The integration tests of `fingerpost-follow`: one program, because linking takes longer than
//! running most of them.

mod follower;
mod histories;
mod support;
mod wire;
