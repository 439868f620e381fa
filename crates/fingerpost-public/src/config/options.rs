//! The options at the top of the document.

use std::net::SocketAddr;
use std::path::PathBuf;

use fingerpost_http::{Limits, Network};
use fingerpost_options::{Count, Items, Period, Section, options};
use fingerpost_resolver::SettingsParts;

use super::brand::BrandOptions;
use super::signatures::SignatureOptions;

/// Returns all sections with their titles, in the order of the reference.
pub(super) fn sections() -> [(&'static str, Section); 10] {
    [
        ("The resolver", Section::of::<SettingsParts>("")),
        ("Media types and link types", Section::of::<MediaTypeOptions>("")),
        ("Listening", Section::of::<ListenOptions>("")),
        ("Caching", Section::of::<CachingOptions>("")),
        ("Caches in front", Section::of::<CacheOptions>("cache")),
        ("Country of clients", Section::of::<CountryOptions>("country")),
        ("Signed links", Section::of::<SignedLinkOptions>("signed_links")),
        ("Limits", Section::of::<Limits>("limits")),
        ("Public pages", Section::of::<BrandOptions>("brand")),
        ("Signed answers", Section::of::<SignatureOptions>("signatures")),
    ]
}

/// Returns the sections that decide what is answered. The country of clients depends on the network
/// in front, so it is not among them.
pub(super) fn sections_of_answers() -> [Section; 5] {
    [
        Section::of::<SettingsParts>(""),
        Section::of::<MediaTypeOptions>(""),
        Section::of::<CachingOptions>(""),
        Section::of::<CacheOptions>("cache"),
        Section::of::<BrandOptions>("brand"),
    ]
}

options! {
    /// Lists that records are checked against.
    pub struct MediaTypeOptions {
        /// File of registered media types, one per line, instead of the built-in list of IANA.
        media_types_file: Option<PathBuf>, example r#""media-types.txt""#;
        /// File of link types that GS1 added after this release, one per line in addition to the
        /// built-in ones: the name and, after a space, a title for pages and the console, in
        /// English. Types that are built in are skipped.
        link_types_file: Option<PathBuf>, example r#""link-types.txt""#;
    }
}

options! {
    /// Without TLS the server answers plain HTTP, whatever the scheme of `resolver_root`: TLS is up
    /// to a front end.
    pub struct ListenOptions {
        /// Addresses and ports of the public side. By default only this machine can connect. `[]`:
        /// another process has the public side.
        listen: Items<SocketAddr> = ["127.0.0.1:8080"];
        /// Certificate chain (PEM). Checked for changes every two seconds; a new pair is used for
        /// new connections, a pair that does not match is logged once, and the old one stays in
        /// use.
        tls_cert: Option<PathBuf>, example r#""/etc/fingerpost/chain.pem""#;
        /// Private key (PEM) of the certificate.
        tls_key: Option<PathBuf>, example r#""/etc/fingerpost/key.pem""#;
        /// Get the certificate from an authority, and renew it ([`acme`](#certificates),
        /// [guide](../operations/certificates.md)).
        tls_acme: bool = false;
        /// Create a certificate for `localhost`, `127.0.0.1`, `::1` and the host of `resolver_root`
        /// at start, for development only.
        tls_self_signed: bool = false;
        /// How long browsers shall use https only for this host, as `Strict-Transport-Security`
        /// (RFC 6797) on every answer of the TLS listener. Absent: the header is not sent. Browsers
        /// do not forget it before that time, so begin with a short one.
        hsts_max_age: Option<Period>, example r#""8760h""#;
        /// Whether browsers shall use https only for all names below this host, too
        /// (`includeSubDomains`).
        hsts_include_subdomains: bool = false;
        /// Whether browsers may put this host into their lists of hosts with https only
        /// (`preload`), which takes months to undo. Needs `hsts_include_subdomains`, and a
        /// `hsts_max_age` of a year.
        hsts_preload: bool = false;
        /// Plain listeners beside TLS that redirect every request to the host of `resolver_root`,
        /// keeping path and query. They also answer an authority that validates names with
        /// `http-01` (`acme.challenge`).
        http_redirect_listen: Items<SocketAddr>, example r#"["[::]:80"]"#;
        /// Networks of proxies whose `X-Forwarded-Proto: http` or `Forwarded: proto=http` is
        /// believed: such requests are redirected to https, `/health` and `/ready` excepted. None
        /// by default, because any client can send the header. The admin side takes the client
        /// address for the audit log from their `X-Forwarded-For`.
        /// `limits.max_connections_per_network` does not apply to them.
        trusted_proxies: Items<Network>, example r#"["10.0.0.0/8", "::1"]"#;
        /// Threads that answer requests, each with its own sockets. Absent: one per core.
        threads: Option<Count>, example "4";
    }
}

options! {
    /// Links that prove roles by a signature in their query, with an end of life
    /// ([guide](../guides/roles.md)).
    pub struct SignedLinkOptions {
        /// File with the secrets that sign them, one in each line, each of at least 32 bytes. The
        /// first one signs, all of them are accepted; without the line of a secret, its links are
        /// revoked. Read at start and with the configuration. Every node needs the same file.
        /// Absent: there are no signed links.
        secret_file: Option<PathBuf>, example r#""/etc/fingerpost/signed-links""#;
    }
}

options! {
    /// A CDN or another shared cache in front ([guide](../guides/cdn.md)). With
    /// [`purge`](#purging-caches), a change removes the answers that it affects.
    pub struct CacheOptions {
        /// How long shared caches may keep redirects and linksets (`s-maxage`), at most until the
        /// next start or end of a validity window. Clients still ask the cache each time. `0s`:
        /// shared caches keep redirects not at all, and linksets as clients do. Without purging, a
        /// change shows after this time.
        shared_max_age: Period = "0s";
        /// How long after that a cache may answer with the stale answer while it asks for the
        /// current one (`stale-while-revalidate`, RFC 5861). Never with validity windows.
        stale_while_revalidate: Period = "0s";
        /// How long after that a cache may answer with the stale answer if this server fails
        /// (`stale-if-error`, RFC 5861). Never with validity windows.
        stale_if_error: Period = "0s";
        /// Headers with surrogate keys, by which caches find the answers that a change affects:
        /// `Surrogate-Key` (Fastly), `Cache-Tag` (Cloudflare), `xkey` (Varnish). Private answers
        /// have none.
        surrogate_keys: Items<String>, example r#"["Surrogate-Key"]"#;
    }
}

options! {
    /// The country of clients as context of requests that name none, where an organisation or a
    /// record wants it ([guide](../guides/countries.md)). Either `database` or `header`; without
    /// both, the country is not determined. The address is used while a request is answered, and
    /// neither stored nor logged.
    pub struct CountryOptions {
        /// File in MMDB format with the countries of addresses (`country.iso_code` or
        /// `country_code`), such as GeoLite2 Country or DB-IP Lite. Read again when it changes.
        /// Needs a build with the feature `country`.
        database: Option<PathBuf>, example r#""/var/lib/fingerpost/countries.mmdb""#;
        /// Request header with the country that a proxy writes, believed only from
        /// `trusted_proxies`. The proxy must replace what clients send.
        header: Option<String>, example r#""CF-IPCountry""#;
        /// Count scans by country too, if scans are counted (`insight.enabled`).
        count_scans: bool = false;
    }
}

options! {
    /// Redirects carry no `Cache-Control` without `cache.shared_max_age`: a 307 is not cached unless a header allows it.
    pub struct CachingOptions {
        /// How long clients may cache a linkset, at most until the next start or end of a validity
        /// window. `0s` sends `Cache-Control: no-cache`: clients ask each time, and get 304 if
        /// nothing changed, so that a recall shows at once.
        linkset_max_age: Period = "0s";
    }
}
