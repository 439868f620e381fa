//! The limits of one request or connection, with the reasons for their defaults.

use fingerpost_options::{Count, Period, Size, options};

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
        /// Connections at a time; more are closed at once. Each costs about 20 KiB and a file descriptor (`ulimit -n`).
        max_connections: Count = 10000;
        /// Time for a TLS handshake: two round trips, even on a bad line.
        tls_handshake_timeout: Period<1> = "10s";
        /// Time for the head of a request, which is one or two packets. A client that takes longer holds a connection on
        /// purpose.
        header_timeout: Period<1> = "10s";
        /// Time a connection may rest between requests: a little above the 60 s of common proxies, so that they close first.
        idle_timeout: Period<1> = "75s";
        /// Time a client may take to accept an answer: the largest linkset over a slow mobile line.
        response_timeout: Period<1> = "30s";
        /// Time for requests in progress after SIGTERM: below the 30 s after which process managers kill.
        shutdown_grace: Period = "20s";
    }
}
