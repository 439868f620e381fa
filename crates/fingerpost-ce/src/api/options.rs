//! The options of the data-entry API.

use fingerpost_options::options;

options! {
    /// The data-entry API of GS1 Resolver CE on the admin listener
    /// ([`ce-api.md`](ce-api.md)).
    pub struct CeApiOptions {
        /// Whether there is this API, below the path `/api`.
        enabled: bool = false;
    }
}
