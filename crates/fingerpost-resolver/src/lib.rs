//! Decides, without I/O or a clock, what a request to a GS1-Conformant Resolver resolves to.

#![forbid(unsafe_code)]

// The decision: from a request and the entries of its levels to an answer.
mod accept;
mod description;
mod explain;
mod few;
mod format;
mod forward;
mod language_match;
mod linkset;
mod path;
mod pattern;
mod request;
mod resolve;
mod root;
mod select;
mod settings;

pub use description::{Capabilities, description_file, linkset_link};
pub use explain::Explanation;
pub use format::Format;
pub use linkset::{LinkContext, LinkGroup, Linkset, PublishedLink, context_document};
pub use pattern::{Delegation, Pattern, PatternFault, delegate};
pub use request::{InvalidPath, PathFault, RawRequest, Request, RequestError};
pub use resolve::{Redirect, Resolution, explain, resolve};
pub use root::{ResolverRoot, RootError};
pub use settings::{
    Contact, ContextList, NamespaceParts, PatternParts, PrimaryKeys, Settings, SettingsError, SettingsFault,
    SettingsParts,
};
