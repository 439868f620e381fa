//! The limits of this crate: the options of listeners with the reasons for their defaults, and constants.
//! `docs/operations/limits.md` lists them.

use fingerpost_options::{Count, Period, Size, options};

use crate::network::PrefixLength;

options! {
    /// What one request or connection may take. Times are kept to a quarter of a second. What is far beyond the limits of
    /// size, or not HTTP at all, gets the bare 4xx of the HTTP library, without CORS headers.
    pub struct Limits {
        /// Longest request target; longer ones get 414. Above the 8000 bytes that RFC 9110 asks for, and twice the longest
        /// Digital Link URI in use.
        max_target_bytes: Size<1, 65_000> = 8191;
        /// Largest sum of header names and values; more gets 431. Browsers stay below 4 KiB unless cookies pile up.
        /// At least 8 KiB.
        max_header_bytes: Size<8192, 1_048_576> = "16 KiB";
        /// Connections at a time; for one more, the connection that has been idle longest is closed. Each costs about 20 KiB
        /// and a file descriptor (`ulimit -n`, which the server raises as far as it may).
        max_connections: Count = 10000;
        /// Connections of one client network at a time; for one more, the one of this network that has been idle longest is
        /// closed. Many phones share one address of their mobile network. Does not apply to `trusted_proxies`.
        max_connections_per_network: Count = 1000;
        /// Length of the prefix that makes IPv4 addresses one client network: 32 counts each address by itself.
        ipv4_network: PrefixLength<32> = 32;
        /// Length of the prefix that makes IPv6 addresses one client network: providers give each customer 64 or less.
        ipv6_network: PrefixLength<128> = 64;
        /// Time for a TLS handshake: two round trips, even on a bad line.
        tls_handshake_timeout: Period<1> = "10s";
        /// Time for the head of a request, which is one or two packets. A client that takes longer holds a connection on
        /// purpose.
        header_timeout: Period<1> = "10s";
        /// Time a connection may rest between requests: a little above the 60 s of common proxies, so that they close first.
        idle_timeout: Period<1> = "75s";
        /// Time a client may take to accept an answer: the largest linkset over a slow mobile line.
        response_timeout: Period<1> = "30s";
        /// Bytes of answers that clients have not accepted yet, all connections together. No connection may hold more than a
        /// quarter of what is left; a request whose answer would gets 503 with `Retry-After` and no body. Redirects have no
        /// body, and are not affected.
        max_unsent_bytes: Size<65_536> = "64 MiB";
        /// The same for one connection. One answer alone may be larger.
        max_unsent_bytes_per_connection: Size<1> = "1 MiB";
        /// How late a thread may be before it answers requests with 503 and `Retry-After`, until it has caught up. `/health`
        /// and `/ready` are answered in any case.
        shed_after: Period<1> = "1s";
        /// Time after SIGTERM in which `/ready` is 503 and everything else goes on, so that a load balancer can take the
        /// server out first: the interval of its checks, times the failures it waits for. SIGINT does without.
        shutdown_drain: Period = "0s";
        /// Time for requests in progress after that: together below the 30 s after which process managers kill.
        shutdown_grace: Period = "20s";
    }
}

/// Idle connections that one search over all connections collects, so that a flood of new
/// connections does not cause a search each.
pub(crate) const EVICTION_CANDIDATES: usize = 64;

/// Connections of a worker that wait to be accepted; the kernel reduces it to its own limit.
pub(crate) const ACCEPT_BACKLOG: i32 = 4096;

/// Bytes of an answer that the kernel buffers before the client has room for them: enough for a
/// fast line, and little enough for thousands of clients that read nothing.
pub(crate) const MAX_UNSENT_IN_KERNEL: u32 = 128 << 10;

/// The part of the remaining `max_unsent_bytes` that one connection may use: a quarter.
pub(crate) const UNSENT_SHARE: usize = 4;

/// Parts of `response_timeout` in which the age of bodies is counted. A body is dropped at most one
/// part after the deadline.
pub(crate) const DEADLINE_PARTS: u32 = 16;

/// Concurrent requests on one HTTP/2 connection. Answers are ready at once, so more would only wait
/// to be sent.
pub(crate) const MAX_STREAMS: u32 = 32;

/// Bytes of a body that one HTTP/2 stream buffers until the client accepts them.
pub(crate) const MAX_SEND_BUFFER: usize = 64 << 10;

/// Requests that a client may cancel before they are answered; more end the connection
/// (CVE-2023-44487).
pub(crate) const MAX_PENDING_RESETS: usize = 20;

/// Observers of the requests of a listener.
pub(crate) const MAX_OBSERVERS: usize = 8;
