//! The options at the top of the document.

use std::net::SocketAddr;
use std::path::PathBuf;

use fingerpost_http::{Limits, Network};
use fingerpost_options::{Count, Items, Period, Section, options};
use fingerpost_resolver::{Contact, ContextList, NamespaceParts, PatternParts, SettingsParts};

use super::brand::BrandOptions;

/// Returns all sections with their titles, in the order of the reference.
pub(super) fn sections() -> [(&'static str, Section); 5] {
    [
        ("The resolver", Section::of::<ResolverOptions>("")),
        ("Listening", Section::of::<ListenOptions>("")),
        ("Caching", Section::of::<CachingOptions>("")),
        ("Limits", Section::of::<Limits>("limits")),
        ("Public pages", Section::of::<BrandOptions>("brand")),
    ]
}

options! {
    /// What this resolver is and what it serves.
    pub struct ResolverOptions {
        /// Address below which all GS1 Digital Links of this resolver live: `https`, no trailing slash, a path is allowed.
        /// It is what printed codes carry; anchors, pointers to linksets and the description file use it, never the `Host`
        /// header. The default is for trials only and causes a warning.
        resolver_root: String = "https://id.example.org";
        /// Name of the resolver, for the description file and the home page.
        name: Option<String>, example r#""Example Resolver""#;
        /// Primary keys that are served: `"all"`, or Application Identifiers. Valid links with other keys get 404.
        supported_primary_keys: Items<String> = ["all"];
        /// `"linkset"`: a request without a link type gets the list of links. Absent: it is redirected to the default link.
        default_link_type: Option<String>, example r#""linkset""#;
        /// Read GTINs of 8, 12 and 13 digits, as codes printed before 2022 may carry them.
        legacy_gtin: bool = false;
        /// Read names such as `/gtin/…/lot/…` of GS1 Digital Link 1.0 to 1.2.
        legacy_alphas: bool = false;
        /// Read links compressed after GS1 Digital Link 1.1, which was withdrawn, where an ordinary path does not hold.
        /// EPC binary (`/eh…`, `/ex…`) is always read.
        legacy_decompression: bool = true;
        /// Namespaces of link types besides GS1's, ending in `/` or `#`, with the prefix that abbreviates them.
        link_type_namespaces: Vec<NamespaceParts>,
            example r#"[{ namespace = "https://example.net/voc/", prefix = "ex:" }]"#;
        /// Requests handed over to another resolver, by the beginning of their canonical path. The longest prefix wins.
        patterns: Vec<PatternParts>,
            example r#"[{ path_prefix = "/01/095060001", target_root = "https://mo.example.net/r" }]"#;
        /// Context values that links should use; others are accepted with a warning. Declared in the description file.
        context_values: Items<String>, example r#"["CH", "FR"]"#;
        /// Published lists of context values, for the description file.
        context_lists: Vec<ContextList>,
            example r#"[{ nameOfList = "ISO 3166-1 alpha-2", url = "https://www.iso.org/iso-3166-country-codes.html" }]"#;
        /// Who runs the resolver, for the description file. All members are optional.
        contact: Option<Contact>,
            example r#"{ fn = "Example Org", streetAddress = "1 Road", locality = "Town", region = "Region", postal-code = "1000", country-name = "Belgium", telephone = "+32 2 000 00 00" }"#;
        /// Address of a document about extensions of this resolver, for the description file.
        extension_profile: Option<String>, example r#""https://example.org/extensions""#;
        /// Path at the root of the host at which an own copy of the JSON-LD context of linksets is served. Absent: linksets
        /// point to the one of GS1.
        own_context: Option<String>, example r#""/linkset-context.jsonld""#;
        /// File of registered media types, one per line, in place of the built-in list of IANA.
        media_types_file: Option<PathBuf>, example r#""media-types.txt""#;
    }
}

options! {
    /// A server without TLS answers directly, whatever the scheme of `resolver_root`: a front end is in charge.
    pub struct ListenOptions {
        /// Addresses and ports of the public side. By default this machine only: opening to the world is a decision.
        listen: Items<SocketAddr> = ["127.0.0.1:8080"];
        /// Certificate chain (PEM). Checked for changes every two seconds and on SIGHUP; a new pair is used for new
        /// connections, one that does not fit is logged once and the old one stays.
        tls_cert: Option<PathBuf>, example r#""/etc/fingerpost/chain.pem""#;
        /// Private key (PEM) of the certificate.
        tls_key: Option<PathBuf>, example r#""/etc/fingerpost/key.pem""#;
        /// Create a certificate for `localhost`, `127.0.0.1`, `::1` and the host of `resolver_root` at start, for development
        /// only.
        tls_self_signed: bool = false;
        /// Plain listeners beside TLS that redirect every request to the host of `resolver_root`, keeping path and query.
        http_redirect_listen: Items<SocketAddr>, example r#"["[::]:80"]"#;
        /// Networks of proxies whose `X-Forwarded-Proto: http` or `Forwarded: proto=http` is believed: such requests are
        /// redirected to https, `/health` and `/ready` excepted. None by default, because anybody can write a header. The
        /// admin side takes the client address for the audit log from their `X-Forwarded-For`.
        trusted_proxies: Items<Network>, example r#"["10.0.0.0/8", "::1"]"#;
        /// Threads that answer requests, each with its own sockets. Absent: one per core.
        threads: Option<Count>, example "4";
    }
}

options! {
    /// Redirects carry no `Cache-Control`: a 307 is not cached unless a header allows it.
    pub struct CachingOptions {
        /// How long clients may cache a linkset, at most until the next start or end of a validity window. `0s` sends
        /// `Cache-Control: no-cache`: clients ask each time, and get 304 if nothing changed, so that a recall shows at once.
        linkset_max_age: Period = "0s";
    }
}

impl From<ResolverOptions> for SettingsParts {
    fn from(options: ResolverOptions) -> Self {
        Self {
            resolver_root: options.resolver_root,
            name: options.name,
            supported_primary_keys: Some(options.supported_primary_keys.into_vec()),
            link_type_namespaces: options.link_type_namespaces,
            patterns: options.patterns,
            default_link_type: options.default_link_type,
            legacy_gtin: options.legacy_gtin,
            legacy_alphas: options.legacy_alphas,
            legacy_decompression: Some(options.legacy_decompression),
            context_values: options.context_values.into_vec(),
            context_lists: options.context_lists,
            contact: options.contact,
            extension_profile: options.extension_profile,
            own_context: options.own_context,
        }
    }
}
