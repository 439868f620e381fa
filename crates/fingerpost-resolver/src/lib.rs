//! Decides, without I/O or a clock, what a request to a GS1-Conformant Resolver resolves to.

#![forbid(unsafe_code)]

// The model: what can be registered, and its JSON and stored forms.
mod anchor;
mod beginnings;
mod company_prefix;
mod entry;
mod excerpt;
mod fault;
mod international;
mod language;
mod linkset_import;
mod media_type;
mod record;
mod registration;
mod stored;
mod target;
mod vocabulary;

pub use anchor::{Anchor, AnchorError, AnchorForm, Sets, Specificity};
pub use beginnings::{Beginning, Beginnings, Digits};
pub use company_prefix::{CompanyPrefix, NotAPrefix};
pub use day::day_of;
pub use entry::{
    ContextSource, DefaultAnswer, DefaultRole, Entry, Link, OrganisationBrand, Suspension,
    logo_type,
};
pub use excerpt::{Excerpt, excerpt};
pub use fault::RecordFault;
pub use international::{ascii_form, ascii_host};
pub use language::{degraded_language_tag, is_language_tag};
pub use limits::MAX_RECORD_BYTES;
pub use linkset_import::read_linkset_context;
pub use media_type::{MediaTypes, media_type_essence};
#[cfg(feature = "schema")]
pub use record::schema;
pub use record::{
    LATEST_INSTANT, RecallNotice, is_recall_page, parse_instant, patch_record, read_record,
    recall_page, recall_record, record_with_rest, record_without_recall, write_each_link,
    write_record,
};
pub use registration::{Accepted, Refused, Rules, has_standing_default};
pub use stored::{DecodeError, restricted_length};
pub use vocabulary::{
    AddedTerm, GS1_NAMESPACE, GS1_PREFIX, LinkTypeListError, LinkTypeNamespace, NamespaceError,
    Term, TermClass, Vocabulary, gs1_terms, is_link_relation,
};

// The pipeline: from the request, through the entries to read, to the answer.
mod accept;
mod answer;
mod applying;
mod compressed;
mod country;
mod day;
mod description;
mod explain;
mod format;
mod forward;
mod freshness;
mod hand_over;
mod language_match;
mod limits;
mod linkset;
mod names;
mod overview;
mod path;
mod plan;
mod public_path;
mod refusal;
mod request;
mod resolution_request;
mod resolve;
mod roles;
mod root;
mod select;
mod settings;
mod signed_access;
mod step;
mod surrogate;
mod trace;
mod urn_key;

pub use accept::{Accept, takes_gzip};
pub use answer::{Answer, Outcome, Redirect};
pub use applying::{
    AnchorRow, AnchorRows, applying_rows, company_anchor, company_row, owner_row, set_rows,
};
pub use description::description_file;
pub use explain::Explanation;
pub use format::Format;
pub use freshness::Freshness;
pub use hand_over::HandOver;
pub use language_match::{LanguageRank, ReaderLanguages, choose_language};
pub use linkset::{
    LeftOut, LinkContext, LinkGroup, Linkset, PublishedLink, context_document,
    write_linkset_context,
};
pub use overview::Overview;
pub use plan::Plan;
pub use public_path::PublicPath;
pub use refusal::{InvalidPath, NameFault, PathClass, PathFault, Refusal};
pub use resolution_request::ResolutionRequest;
pub use roles::{RoleError, RoleParts, Roles, Viewer};
pub use root::{ResolverRoot, RootError};
pub use settings::{
    Contact, ContextList, CountryOrigin, NamespaceParts, Pattern, PatternFault, PatternParts,
    PrimaryKeys, PublicSide, Settings, SettingsError, SettingsFault, SettingsParts, SharedCaching,
};
pub use signed_access::{SIGNED_ACCESS, SignedAccessFault, SigningSecrets, take_signed_access};
pub use surrogate::{surrogate_key, surrogate_keys};
pub use urn_key::{UrnKeyError, key_urns, urn_key};
