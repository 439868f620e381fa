//! The options of the delivery.

use std::path::PathBuf;

use fingerpost_http::Network;
use fingerpost_options::{Count, Items, Period, options};

options! {
    /// Delivers events to the webhooks that administrators create. See [Webhooks](../guides/webhooks.md).
    pub struct WebhookOptions {
        /// Deliver events. Without this, webhooks cannot be created, and no events are kept.
        deliver: bool = false;
        /// Requests at a time; one for each webhook.
        concurrency: Count = 32;
        /// Time limit for the head of an answer.
        timeout: Period<100> = "15s";
        /// Networks that receivers may be in besides the public Internet, such as that of an intranet. Administrators of organisations can
        /// have the server send POST requests there.
        allow_networks: Items<Network>, example r#"["10.20.0.0/16"]"#;
        /// Certificates of authorities (PEM) to trust besides those that this machine trusts.
        ca_file: Option<PathBuf>, example r#""/etc/fingerpost/intranet-authority.pem""#;
    }
}
