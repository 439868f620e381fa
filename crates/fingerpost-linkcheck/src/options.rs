//! The options of the checks.

use std::path::PathBuf;

use fingerpost_http::Network;
use fingerpost_options::{Count, Items, Period, options};

options! {
    /// Checks whether the targets of links can be reached, never while a scan is answered. See [Link health](../operations/links.md).
    pub struct LinkOptions {
        /// Check the targets of all links in the background. `fingerpost links check` checks them also without this.
        check: bool = false;
        /// Time between two checks of a target that works. One that fails is checked again after an hour, two, four, up to this time.
        interval: Period<1000> = "24h";
        /// Targets that are checked at a time.
        concurrency: Count = 32;
        /// Targets of one host that are checked at a time.
        per_host: Count = 2;
        /// Pause between two requests to one host; more if its `robots.txt` has a `Crawl-delay`.
        host_pause: Period = "500ms";
        /// Time limit for the head of an answer.
        timeout: Period<100> = "15s";
        /// Networks that targets may be in besides the public Internet, such as that of an intranet. Anybody who may write links can
        /// have the server send HEAD and GET requests there.
        allow_networks: Items<Network>, example r#"["10.20.0.0/16"]"#;
        /// Address in the `User-Agent` of the checks, at which hosts find out who checks them; absent: the resolver root.
        contact: Option<String>, example r#""https://example.org/about-our-link-checks""#;
        /// Certificates of authorities (PEM) to trust besides those that this machine trusts.
        ca_file: Option<PathBuf>, example r#""/etc/fingerpost/intranet-authority.pem""#;
    }
}
