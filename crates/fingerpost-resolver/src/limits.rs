//! The limits of this crate. `docs/operations/limits.md` lists them.

/// The maximum number of usable members read from one header; the rest is not read, which bounds
/// the work per request for any length of header. Every link is compared with each of them.
pub(crate) const MAX_HEADER_MEMBERS: usize = 32;

/// The maximum number of subtags of a language range: language, script, region, and room for
/// variants and an extension.
pub(crate) const MAX_SUBTAGS: usize = 8;

/// The maximum size of the links that are listed in all steps together, and again at all levels
/// together, in bytes as published. Those beyond it are counted.
pub(crate) const MAX_LISTED_BYTES: usize = 128 << 10;

/// Bytes of input shown in a message: enough to recognise it, too few to fill a log.
pub(crate) const MAX_SHOWN_TEXT: usize = 32;

/// Longest tag accepted, in bytes: RFC 5646 section 4.4.1 computes 35 for everything that the
/// registry can build; extensions are rare, and the limit leaves room for them.
pub(crate) const MAX_LANGUAGE_TAG_BYTES: usize = 64;

/// Longest media type accepted including its parameters, in bytes: RFC 6838 allows twice 127
/// characters; real ones with parameters are far shorter.
pub(crate) const MAX_MEDIA_TYPE_BYTES: usize = 255;

/// The maximum number of stem segments tried when looking for a Digital Link below another stem. It
/// limits the cost of a long path of almost valid segments.
pub(crate) const MAX_FOREIGN_STEM: usize = 16;

/// The maximum size of a record, in bytes, for every way of registering it. It has room for many
/// times the five hundred links that a level may have.
pub const MAX_RECORD_BYTES: usize = 1 << 20;

/// The maximum length of a description in bytes: a name or a sentence, not a page.
pub(crate) const MAX_DESCRIPTION_BYTES: usize = 2048;

/// Languages of the description of an item, beside the one for everybody else.
pub(crate) const MAX_DESCRIPTIONS: usize = 32;

/// Bytes of the description of an item in all of these languages together.
pub(crate) const MAX_DESCRIPTIONS_BYTES: usize = 8 << 10;

/// The maximum length of a title, a line to tap on, in bytes.
pub(crate) const MAX_TITLE_BYTES: usize = 1024;

/// The maximum length of a context value, a code or a word, in bytes. It is sent in the query of
/// requests.
pub(crate) const MAX_CONTEXT_BYTES: usize = 128;

/// The maximum number of languages, and of context values, of one link: enough for all countries of
/// ISO 3166-1.
pub(crate) const MAX_LIST_ITEMS: usize = 300;

/// The maximum number of roles that may see one link.
pub(crate) const MAX_ACCESS: usize = 16;

/// The maximum number of roles that an operator declares.
pub(crate) const MAX_ROLES: usize = 64;

/// The maximum length of the name of a role, in bytes: it is a value of claims and of a query.
pub(crate) const MAX_ROLE_BYTES: usize = 32;

/// The minimum length of a secret that signs links, in bytes: that of its hash (RFC 2104 section
/// 3).
pub(crate) const MIN_SIGNING_SECRET: usize = 32;

/// The maximum depth of a JSON document. A GS1 linkset is five deep; the rest leaves room for
/// documents that are invalid but readable.
pub(crate) const MAX_JSON_DEPTH: usize = 16;

/// The maximum number of members of an object. A context object has one member for each link type,
/// and there are fewer than 200 without foreign namespaces. The number is limited because repeats
/// are searched for member by member.
pub(crate) const MAX_OBJECT_MEMBERS: usize = 512;

/// The maximum length of a link type, in bytes; it is repeated in every linkset that has it.
pub(crate) const MAX_LINK_TYPE_BYTES: usize = 300;

/// Longest target, in bytes as sent: with four filled placeholders and a forwarded query it stays
/// within the 8 KiB of response header that common proxies buffer.
pub(crate) const MAX_HREF_BYTES: usize = 4096;

/// The maximum number of placeholders in a target: a key has at most four qualifiers, and each may
/// occur several times.
pub(crate) const MAX_PLACEHOLDERS: usize = 16;

/// The longest value that fills a placeholder: 30 characters (8004, 8010), percent-encoded.
pub(crate) const MAX_VALUE_BYTES: usize = 90;

/// Maximum length of an address that an error suggests.
pub(crate) const MAX_MEANT_BYTES: usize = 200;

/// The maximum length of the name of an added link type, in bytes.
pub(crate) const MAX_NAME_BYTES: usize = 100;

/// The maximum length of a namespace of link types, in bytes. It is short because the namespace is
/// part of every link type in it.
pub(crate) const MAX_NAMESPACE_BYTES: usize = 200;

/// The maximum length of the prefix of a namespace, in bytes.
pub(crate) const MAX_PREFIX_BYTES: usize = 32;

/// Letters by which a suggested name may differ.
pub(crate) const MAX_DIFFERENCE: usize = 2;

/// Pairs of a path that are read: a key with three qualifiers, and one more to detect that there
/// are too many.
pub(crate) const MAX_PAIRS: usize = 5;
