//! The limits of this crate. `docs/operations/limits.md` lists them.

/// Size of a logo in bytes: every visitor loads it, often over a slow mobile connection.
pub(crate) const MAX_LOGO: u64 = 64 << 10;

/// Characters of the name of an installation, which must fit on one line of a phone.
pub(crate) const MAX_NAME: usize = 60;

/// Links in the footer, which is not a site map.
pub(crate) const MAX_FOOTER_LINKS: usize = 8;

/// Characters of the text at the end of each page.
pub(crate) const MAX_FOOTER: usize = 500;

/// Characters of the privacy text, which keeps its page below 30 kB.
pub(crate) const MAX_PRIVACY: usize = 20_000;

/// Examples on the home page.
pub(crate) const MAX_EXAMPLES: usize = 8;

/// Characters of an example, which must fit on a few lines of a phone.
pub(crate) const MAX_EXAMPLE: usize = 200;

/// Origins of pictures; the content security policy of a page names one of them.
pub(crate) const MAX_IMAGE_SOURCES: usize = 16;

/// Characters of a request target that an error quotes, both of the faulty part and on each side of
/// it (RES-2.4.1-4).
pub(crate) const MAX_SHOWN_ADDRESS: usize = 64;

/// Bytes of a question on the home page that are read: far more than any identifier has.
pub(crate) const MAX_QUESTION: usize = 4096;

/// Recall notices in the alert of a page. The list of links has all of them.
pub(crate) const MAX_RECALL_NOTICES: usize = 3;

/// Characters that a page shows of a fault in the input, and on each side of it.
pub(crate) const MAX_SHOWN_INPUT: usize = 48;

/// Faults that a page shows, and as many deviations that were ignored: a text can have one at every
/// byte.
pub(crate) const MAX_SHOWN_FAULTS: usize = 20;
