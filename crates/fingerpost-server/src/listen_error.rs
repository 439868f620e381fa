//! Advice for a listener that cannot serve.

use std::io;

use fingerpost_http::ServeError;

use crate::failure::Failure;

/// The side whose flags the advice names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Public,
    Admin,
    Metrics,
}

pub(crate) fn cannot_serve(error: ServeError, side: Side) -> Failure {
    let is_admin = side == Side::Admin;
    let next = match &error {
        ServeError::Bind { .. } if side == Side::Metrics => {
            "give metrics.listen an address of this machine with a free port, such as 127.0.0.1:9464"
        }
        ServeError::Bind { error, .. } => match error.kind() {
            io::ErrorKind::AddrInUse if is_admin => {
                "choose another address for the admin side with --admin-listen, or do without by --no-admin"
            }
            io::ErrorKind::AddrInUse => {
                "choose another address with --listen; port 0 takes a free one"
            }
            io::ErrorKind::PermissionDenied => {
                "ports below 1024 need a privilege: choose one above, or grant CAP_NET_BIND_SERVICE"
            }
            _ if is_admin => {
                "give --admin-listen an address of this machine, such as 127.0.0.1:8081"
            }
            _ => "give --listen an address of this machine, such as 127.0.0.1:8080",
        },
        ServeError::Tls(_) if is_admin => "check admin.tls_cert and admin.tls_key",
        ServeError::Tls(_) => "check the files given with --tls-cert and --tls-key",
        _ => return Failure::new(error),
    };
    Failure::advise(error, next)
}
