//! What one request or connection may take, and why that much.

use std::time::Duration;

use serde::Deserialize;

use crate::units::{Period, Size};

/// Limits of requests and connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    max_target_bytes: usize,
    max_header_bytes: usize,
    max_connections: usize,
    tls_handshake_timeout: Duration,
    header_timeout: Duration,
    idle_timeout: Duration,
    response_timeout: Duration,
    shutdown_grace: Duration,
}

/// Twice the longest Digital Link URI in use and what RFC 9110 section 4.1 asks for at least (8000).
const MAX_TARGET_BYTES: usize = 8191;
/// What browsers send with some cookies is below 4 KiB; others refuse above 8 to 16 KiB.
const MAX_HEADER_BYTES: usize = 16 << 10;
/// Each connection costs some 20 KiB and one file descriptor.
const MAX_CONNECTIONS: u32 = 10_000;
/// A handshake takes two round trips; a phone on a bad line needs seconds.
const TLS_HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// A request head is one or two packets; who takes longer holds a place on purpose.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// A little above the 60 s after which common proxies close, so that they, not we, close first.
const IDLE_TIMEOUT: Duration = Duration::from_secs(75);
/// The largest linkset over a slow mobile line.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(30);
/// Below the 30 s after which process managers kill.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(20);

/// Hyper's smallest read buffer; a smaller limit could not be kept.
const SMALLEST_HEADER_LIMIT: usize = 8192;
/// `http::Uri` counts positions in 16 bits.
const LARGEST_TARGET_LIMIT: usize = 65_000;

impl Limits {
    /// Checks what the configuration says.
    ///
    /// # Errors
    ///
    /// The first value that cannot be used.
    pub fn new(layer: &LimitsLayer) -> Result<Self, LimitsFault> {
        let size = |value: Option<Size>, default| value.map_or(default, Size::bytes);
        let period = |value: Option<Period>, default| value.map_or(default, Period::duration);
        let limits = Self {
            max_target_bytes: size(layer.max_target_bytes, MAX_TARGET_BYTES),
            max_header_bytes: size(layer.max_header_bytes, MAX_HEADER_BYTES),
            max_connections: layer.max_connections.unwrap_or(MAX_CONNECTIONS) as usize,
            tls_handshake_timeout: period(layer.tls_handshake_timeout, TLS_HANDSHAKE_TIMEOUT),
            header_timeout: period(layer.header_timeout, HEADER_TIMEOUT),
            idle_timeout: period(layer.idle_timeout, IDLE_TIMEOUT),
            response_timeout: period(layer.response_timeout, RESPONSE_TIMEOUT),
            shutdown_grace: period(layer.shutdown_grace, SHUTDOWN_GRACE),
        };
        limits.check()
    }

    fn check(self) -> Result<Self, LimitsFault> {
        if !(1..=LARGEST_TARGET_LIMIT).contains(&self.max_target_bytes) {
            let expected = format!("expected 1 to {LARGEST_TARGET_LIMIT} bytes");
            return Err(LimitsFault::new("limits.max_target_bytes", expected));
        }
        if !(SMALLEST_HEADER_LIMIT..=1 << 20).contains(&self.max_header_bytes) {
            let expected = format!("expected {SMALLEST_HEADER_LIMIT} bytes to 1 MiB");
            return Err(LimitsFault::new("limits.max_header_bytes", expected));
        }
        if self.max_connections == 0 {
            return Err(LimitsFault::new("limits.max_connections", "expected at least 1"));
        }
        let periods = [
            ("limits.tls_handshake_timeout", self.tls_handshake_timeout),
            ("limits.header_timeout", self.header_timeout),
            ("limits.idle_timeout", self.idle_timeout),
            ("limits.response_timeout", self.response_timeout),
        ];
        match periods.iter().find(|(_, period)| period.is_zero()) {
            Some((key, _)) => Err(LimitsFault::new(key, "expected more than no time")),
            None => Ok(self),
        }
    }

    /// Longest request target in bytes; a longer one gets 414.
    #[must_use]
    pub fn max_target_bytes(&self) -> usize {
        self.max_target_bytes
    }

    /// Largest sum of header names and values in bytes; more gets 431.
    #[must_use]
    pub fn max_header_bytes(&self) -> usize {
        self.max_header_bytes
    }

    /// Most connections at a time, over all threads; one more is closed at once.
    #[must_use]
    pub fn max_connections(&self) -> usize {
        self.max_connections
    }

    /// Time for a TLS handshake.
    #[must_use]
    pub fn tls_handshake_timeout(&self) -> Duration {
        self.tls_handshake_timeout
    }

    /// Time from the first byte of a request (or from connecting) to the end of its head.
    #[must_use]
    pub fn header_timeout(&self) -> Duration {
        self.header_timeout
    }

    /// Time that a connection may rest between two requests.
    #[must_use]
    pub fn idle_timeout(&self) -> Duration {
        self.idle_timeout
    }

    /// Time that a client may take to accept an answer that is ready.
    #[must_use]
    pub fn response_timeout(&self) -> Duration {
        self.response_timeout
    }

    /// Time that requests in progress have after the order to stop.
    #[must_use]
    pub fn shutdown_grace(&self) -> Duration {
        self.shutdown_grace
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::new(&LimitsLayer::default()).expect("the defaults are within the bounds")
    }
}

/// A limit that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitsFault {
    /// The key, with dots.
    pub key: &'static str,
    /// What was expected.
    pub expected: String,
}

impl LimitsFault {
    fn new(key: &'static str, expected: impl Into<String>) -> Self {
        Self { key, expected: expected.into() }
    }
}

/// The table `limits` as it is written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the accessors of `Limits` have the same names")]
pub struct LimitsLayer {
    pub max_target_bytes: Option<Size>,
    pub max_header_bytes: Option<Size>,
    pub max_connections: Option<u32>,
    pub tls_handshake_timeout: Option<Period>,
    pub header_timeout: Option<Period>,
    pub idle_timeout: Option<Period>,
    pub response_timeout: Option<Period>,
    pub shutdown_grace: Option<Period>,
}
