//! The limits of this crate: the options of listeners with the reasons for their defaults, and
//! constants. `docs/operations/limits.md` lists them.

use std::time::Duration;

use fingerpost_options::{ByteSize, Count, Period, options};

use crate::network::PrefixLength;

options! {
    /// Limits of one request or connection. Times are accurate to a quarter of a second. Requests
    /// far beyond the limits of size, or that are not HTTP, get a plain 4xx of the HTTP library,
    /// without CORS headers.
    pub struct Limits {
        /// Longest request target; longer ones get 414. More than the 8000 bytes that RFC 9110
        /// recommends, and twice the longest Digital Link URI in use.
        max_target_bytes: ByteSize<1, 65_000> = 8191;
        /// Largest sum of header names and values; more gets 431. Browsers stay below 4 KiB unless
        /// they send many cookies. At least 8 KiB.
        max_header_bytes: ByteSize<8192, 1_048_576> = "16 KiB";
        /// Concurrent connections; one more closes the connection that has been idle longest. Each
        /// costs about 20 KiB and a file descriptor (`ulimit -n`, which the server raises as far as
        /// permitted).
        max_connections: Count = 10000;
        /// Concurrent connections of one client network; one more closes the connection of this
        /// network that has been idle longest. Many phones share one address of their mobile
        /// network. Does not apply to `trusted_proxies`.
        max_connections_per_network: Count = 1000;
        /// Length of the prefix that makes IPv4 addresses one client network: 32 counts each
        /// address by itself.
        ipv4_network: PrefixLength<32> = 32;
        /// Length of the prefix that makes IPv6 addresses one client network: providers give each
        /// customer 64 or less.
        ipv6_network: PrefixLength<128> = 64;
        /// Time for a TLS handshake: two round trips, even on a bad line.
        tls_handshake_timeout: Period<1> = "10s";
        /// Time for the head of a request, which is one or two packets. A client that takes longer
        /// occupies a connection on purpose.
        header_timeout: Period<1> = "10s";
        /// Time that a connection may be idle between requests: a little above the 60 s of common
        /// proxies, so that they close first.
        idle_timeout: Period<1> = "75s";
        /// Time for a client to accept an answer: enough for the largest linkset over a slow mobile
        /// connection.
        response_timeout: Period<1> = "30s";
        /// Bytes of answers that clients have not accepted yet, on all connections together. No
        /// connection may use more than a quarter of the remaining bytes; a request whose answer
        /// would exceed it gets 503 with `Retry-After` and no body. Redirects have no body, and are
        /// not affected.
        max_unsent_bytes: ByteSize<65_536> = "64 MiB";
        /// The same for one connection. One answer alone may be larger.
        max_unsent_bytes_per_connection: ByteSize<1> = "1 MiB";
        /// Delay of a thread from which it answers requests with 503 and `Retry-After`, until it
        /// has caught up. `/health` and `/ready` are answered in any case.
        shed_after: Period<1> = "1s";
        /// Time after SIGTERM in which `/ready` is 503 and everything else is served, so that a
        /// load balancer can remove the server first: the interval of its checks, times the
        /// failures it waits for. SIGINT skips it.
        shutdown_drain: Period = "0s";
        /// Time for requests in progress after that. Both times together must stay below the 30 s
        /// after which process managers kill.
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

/// Bytes of a host name that an error shows.
pub(crate) const MAX_SHOWN_HOST: usize = 32;

/// Addresses of a host that an outgoing request tries one after the other.
pub(crate) const MAX_RESOLVED_ADDRESSES: usize = 3;

/// Time limit for the connection of an outgoing request to one address.
pub(crate) const OUTGOING_CONNECT_TIME: Duration = Duration::from_secs(5);

/// Threads that resolve the names of outgoing requests.
pub(crate) const NAME_THREADS: usize = 8;

/// Bytes of the head of an answer to an outgoing request.
pub(crate) const MAX_ANSWER_HEAD: usize = 64 << 10;

/// Header fields of an answer to an outgoing request.
pub(crate) const MAX_ANSWER_FIELDS: usize = 100;
