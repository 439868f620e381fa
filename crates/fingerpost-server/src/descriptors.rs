//! The file descriptors of the process, and how many connections of the public side they allow. The
//! others are reserved for the admin side and the store, so that a crowd on the public side locks
//! nobody out who could do something about it.

use fingerpost_http::process;

use crate::config::Config;

/// Descriptors for the store, the log, the runtimes and their sockets, and for connections that are
/// just being closed.
const OWN: usize = 64;

/// Descriptors for each thread of the public side: its sockets, and what its runtime needs.
const PER_THREAD: usize = 16;

/// The descriptors of the process.
#[derive(Clone, Copy, Debug)]
pub struct Descriptors {
    /// How many the process may have; `None` if there is no limit.
    limit: Option<usize>,
    /// How many are not for connections of the public side.
    reserved: usize,
    /// How many connections of the public side are configured.
    wanted: usize,
}

impl Descriptors {
    /// Raises the limit as far as the process may.
    pub fn raise(config: &Config) -> Self {
        let admin = config.admin.options();
        let admin = if admin.enabled { admin.max_connections.get() } else { 0 };
        Self {
            limit: process::raise_descriptors(),
            reserved: OWN + PER_THREAD * config.public.threads() + admin,
            wanted: config.public.limits().max_connections.get(),
        }
    }

    /// Returns how many connections the public side may have. There is always one.
    pub(crate) fn for_public(self) -> usize {
        self.limit.map_or(self.wanted, |limit| limit.saturating_sub(self.reserved).max(1))
    }

    /// Returns a warning if that is less than what is configured.
    pub fn warning(self) -> Option<String> {
        let (limit, possible) = (self.limit?, self.for_public());
        (possible < self.wanted).then(|| {
            format!(
                "limits.max_connections is {}, but the process may have {limit} files and connections open (`ulimit -n`), of \
                 which {} are reserved for the admin side and the store: the public side serves {possible} connections at a time",
                self.wanted, self.reserved
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_admin_side_keeps_its_descriptors() {
        let cases = [
            (None, 10_000, false),
            (Some(20_000), 19_400, false),
            (Some(4096), 3496, true),
            (Some(256), 1, true),
        ];
        for (limit, possible, warns) in cases {
            let descriptors = Descriptors { limit, reserved: 600, wanted: 10_000 };
            assert_eq!(descriptors.for_public(), possible, "{limit:?}");
            assert_eq!(descriptors.warning().is_some(), warns, "{limit:?}");
        }
    }
}
