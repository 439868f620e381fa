//! The limits of this crate. `docs/operations/limits.md` lists them.

use std::time::Duration;

use jiff::SignedDuration;

/// Maximum number of bytes of the records of one proposal: an answer with it is not larger than a
/// page of a list.
pub(crate) const MAX_PROPOSAL_BYTES: usize = 8 << 20;

/// Maximum number of changes in one proposal: as many as a person can review.
pub(crate) const MAX_PROPOSAL_CHANGES: usize = 1_000;

/// Maximum number of bytes of the reason of a rejection.
pub(crate) const MAX_REASON_BYTES: usize = 1_000;

/// Maximum number of rows of an atomic batch or a dry run, which are held in memory.
pub(crate) const MAX_BATCH_ROWS: usize = 100_000;

/// Maximum number of rows of an atomic batch or a dry run of a caller with permissions in
/// organisations only: nobody else can write meanwhile.
pub(crate) const MAX_ROWS_OF_ORGANISATION: usize = 5_000;

/// Maximum number of rows of a batch kept for a retry; further ones are refused at once.
pub(crate) const MAX_RETRIED_ROWS: usize = 10_000;

/// Maximum number of bytes kept of a user agent, because it is in every audit record.
pub(crate) const MAX_USER_AGENT: usize = 200;

/// Maximum number of days of one count of changes.
pub const MAX_DAYS: usize = 366;

/// Maximum number of items of a page.
pub const MAX_PAGE: usize = 1_000;

/// Maximum number of rows that one request looks at.
pub(crate) const MAX_READ_ROWS: usize = 10_000;

/// Maximum number of bytes of the items of a page, unless a single item is larger.
pub(crate) const MAX_ANSWER_BYTES: usize = 8 << 20;

/// Maximum number of bytes of the rows that one request looks at; the last row may exceed it.
pub(crate) const MAX_READ_BYTES: usize = 16 << 20;

/// Minimum number of characters of a password. NIST SP 800-63B-4 requires fifteen for a password
/// alone, and eight with a second factor; with throttled sign-in, twelve is what users accept.
pub(crate) const MIN_PASSWORD_CHARACTERS: usize = 12;

/// Maximum number of characters of a password.
pub(crate) const MAX_PASSWORD_CHARACTERS: usize = 256;

/// Maximum number of principals that a credential depends on; with more, it depends on everyone.
pub(crate) const MAX_PRINCIPALS: usize = 64;

/// Maximum number of levels in one recall: as many as a second person can approve together.
pub(crate) const MAX_RECALLED_LEVELS: usize = 1_000;

/// Maximum number of levels of a change set that is taken back, which are held in memory.
pub(crate) const MAX_UNDONE_LEVELS: usize = 500_000;

/// Time for which change sets can be taken back.
pub(crate) const CHANGE_SETS_KEPT: SignedDuration = SignedDuration::from_hours(90 * 24);

/// Maximum number of notices of a recall: one for each of some dozen languages.
pub(crate) const MAX_NOTICES: usize = 64;

/// Maximum number of sessions of one user.
pub(crate) const MAX_SESSIONS: usize = 20;

/// Maximum number of devices of one user.
pub(crate) const MAX_DEVICES: usize = 20;

/// Maximum number of successors of a record that are followed: browsers follow 20 redirects.
pub(crate) const MAX_SUCCESSORS: usize = 20;

/// Maximum number of characters of a login.
pub(crate) const MAX_LOGIN_CHARACTERS: usize = 128;

/// Maximum number of prefixes, and of keys, of one organisation.
pub(crate) const MAX_OWNED: usize = 1_000;

/// Maximum number of hosts that the links of one organisation may lead to.
pub(crate) const MAX_TARGET_HOSTS: usize = 100;

/// Maximum number of bytes of the name of a host (RFC 1035, section 2.3.4).
pub(crate) const MAX_HOST_BYTES: usize = 253;

/// Maximum number of characters of the notice of a suspended organisation: one sentence.
pub(crate) const MAX_NOTICE_CHARACTERS: usize = 300;

/// Maximum number of invitations of one organisation that are not accepted yet.
pub(crate) const MAX_OPEN_INVITATIONS: usize = 100;

/// Maximum number of mails that wait to be sent; further ones are refused.
pub(crate) const MAX_OUTBOX: usize = 10_000;

/// Maximum number of bytes of a mail address (RFC 5321, section 4.5.3.1.3).
pub(crate) const MAX_ADDRESS_BYTES: usize = 254;

/// Maximum number of bytes of the tag of a language that a mail is wanted in.
pub(crate) const MAX_LANGUAGE_BYTES: usize = 35;

/// Maximum number of roles of one user.
pub(crate) const MAX_MEMBERSHIPS: usize = 200;

/// Maximum length of a login that is found by its own text, folded.
pub(crate) const MAX_FOLDED_BYTES: usize = 256;

/// Maximum number of keys, and of sessions, whose last use is kept between two saves; further uses
/// are ignored.
pub(crate) const MAX_NOTED_KEYS: usize = 10_000;

/// Time for which a request that changes something is admitted by an authenticated key without
/// asking the store. Its transaction asks.
pub(crate) const MAX_RECENT_KEY_AGE: SignedDuration = SignedDuration::from_secs(2);

/// Longest time until a personal key expires.
pub(crate) const MAX_PERSONAL_KEY_AGE: SignedDuration = SignedDuration::from_hours(365 * 24);

/// Longest period of an option, for arithmetic with instants: 100 years.
pub(crate) const MAX_PERIOD: Duration = Duration::from_secs(100 * 366 * 24 * 60 * 60);

/// Longest time for which the previous secret of a key stays valid.
pub(crate) const MAX_OVERLAP: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Maximum number of rows that the report of a batch lists.
pub(crate) const MAX_REPORTED_ROWS: usize = 100_000;

/// Pause after the first attempt to send a mail; each further one doubles it.
pub(crate) const FIRST_MAIL_PAUSE: SignedDuration = SignedDuration::from_secs(5);

/// Longest pause between two attempts to send a mail.
pub(crate) const MAX_MAIL_PAUSE: SignedDuration = SignedDuration::from_hours(1);

/// Earlier states that are kept of the target of a link, and languages of its answer.
pub(crate) const MAX_PAST_LINK_STATES: usize = 10;

/// Bytes kept of a text that the target of a link sends.
pub(crate) const MAX_LINK_TEXT: usize = 500;

/// The pause before a target is checked again after a failure; each further failure doubles it, up
/// to `links.interval`.
pub(crate) const FIRST_LINK_RETRY: SignedDuration = SignedDuration::from_hours(1);

/// Entities with which the template of a link is checked.
pub(crate) const MAX_SAMPLES: usize = 3;

/// Records that are looked at for the values of a template.
pub(crate) const MAX_SAMPLED_ROWS: usize = 32;

/// Distinct targets of records that a checker of links holds in memory at a time, and those of one
/// more record.
pub(crate) const MAX_LINK_SLICE: usize = 4096;

/// Records or states of targets read in one snapshot for checks of links.
pub(crate) const LINK_PAGE: usize = 500;

/// Snapshots read for one part of a round of checks; a part in which nothing is due ends, too.
pub(crate) const MAX_LINK_PAGES: usize = 100;

/// Times `links.interval` after which the state of a target that is in no record is deleted.
pub(crate) const UNUSED_LINK_INTERVALS: i32 = 4;

/// Webhooks of one organisation, and of the installation.
pub(crate) const MAX_WEBHOOKS_OF_OWNER: usize = 20;

/// Webhooks of a store.
pub(crate) const MAX_WEBHOOKS: usize = 1_000;

/// Bytes of the address of a webhook.
pub(crate) const MAX_WEBHOOK_URL: usize = 2_048;

/// Events without a record that wait for one webhook; further ones are dropped and counted.
pub(crate) const MAX_QUEUED_EVENTS: usize = 1_000;

/// Dead letters kept for one webhook; the oldest are dropped and counted.
pub(crate) const MAX_DEAD_LETTERS: usize = 1_000;

/// Dead letters shown with a webhook.
pub(crate) const MAX_SHOWN_DEAD_LETTERS: usize = 50;

/// Attempts in the delivery log of one webhook.
pub(crate) const MAX_LOGGED_DELIVERIES: usize = 50;

/// Bytes kept of the error of a delivery.
pub(crate) const MAX_DELIVERY_ERROR: usize = 300;

/// Keys in the event of a proposal.
pub(crate) const MAX_EVENT_KEYS: usize = 100;

/// Pause after the first failed delivery; each further one doubles it.
pub(crate) const FIRST_DELIVERY_PAUSE: SignedDuration = SignedDuration::from_secs(5);

/// Longest pause between two attempts to deliver.
pub(crate) const MAX_DELIVERY_PAUSE: SignedDuration = SignedDuration::from_hours(1);

/// Time after which an event that cannot be delivered becomes a dead letter.
pub(crate) const DELIVERY_LIFETIME: SignedDuration = SignedDuration::from_hours(3 * 24);

/// New targets of links for which one record raises events at a time.
pub(crate) const MAX_NEW_BROKEN_LINKS: usize = 20;

/// Maximum number of roles that one signed link proves.
pub(crate) const MAX_SIGNED_ROLES: usize = 16;

/// Maximum number of characters of the name in a brand, which must fit on one line of a phone.
pub(crate) const MAX_BRAND_CHARACTERS: usize = 60;

/// Maximum number of bytes of the logo of an organisation: every reader loads it.
pub(crate) const MAX_LOGO_BYTES: usize = 32 << 10;

/// Maximum number of origins of pictures of an organisation.
pub(crate) const MAX_BRAND_SOURCES: usize = 4;
