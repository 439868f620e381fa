//! Rules for the short texts of accounts. The API schemas (feature `schema`) use the same
//! constants.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer};

use crate::limits::{MAX_FOLDED_BYTES, MAX_LOGIN_CHARACTERS, MAX_NOTICE_CHARACTERS};

/// A display text: one line with at least one visible character.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    /// Maximum number of characters.
    max: usize,
}

/// The name of an organisation or a user.
pub(crate) const NAME: Line = Line { max: 200 };

/// The label of a key.
pub(crate) const LABEL: Line = Line { max: 200 };

/// The notice of a suspended organisation.
pub(crate) const NOTICE: Line = Line { max: MAX_NOTICE_CHARACTERS };

/// Numbers of digits to which a key can be limited, from the shortest company prefix to all of an
/// SSCC after its extension digit.
pub(crate) const PREFIX_DIGITS: std::ops::RangeInclusive<usize> = 4..=17;

impl Line {
    /// Creates the rule of lines of at most this many characters.
    pub(crate) const fn of(max: usize) -> Self {
        Self { max }
    }

    pub(crate) fn allows(self, text: &str) -> bool {
        !text.trim().is_empty()
            && text.chars().count() <= self.max
            && !text.chars().any(char::is_control)
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1 to {} characters on one line", self.max)
    }
}

/// Returns whether a text can be a login.
pub(crate) fn is_login(text: &str) -> bool {
    (1..=MAX_LOGIN_CHARACTERS).contains(&text.chars().count())
        && !text.chars().any(|c| c.is_control() || c.is_whitespace())
}

/// Returns the text by which logins are compared and found: letter case does not count.
///
/// Long ones are found by a digest, because names of documents are limited. It begins with a space,
/// which no login has.
pub(crate) fn fold(login: &str) -> String {
    let folded = login.to_lowercase();
    if folded.len() <= MAX_FOLDED_BYTES {
        return folded;
    }
    format!(" {}", crate::secret::digest(&folded))
}

/// Returns whether a text is the digits to which a key can be limited.
pub(crate) fn is_prefix(text: &str) -> bool {
    PREFIX_DIGITS.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Parses an instant in the RFC 3339 format, or null.
pub(crate) fn optional_instant<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Timestamp>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    let read = |text: String| {
        let found = fingerpost_resolver::parse_instant(&text);
        found.ok_or_else(|| serde::de::Error::custom("expected an instant (RFC 3339)"))
    };
    text.map(read).transpose()
}

/// Schemas of texts, for the API description.
#[cfg(feature = "schema")]
pub(crate) mod schema {
    use utoipa::openapi::schema::{KnownFormat, Object, ObjectBuilder, SchemaFormat, Type};
    use utoipa::openapi::{RefOr, Schema};

    use super::{LABEL, Line, NAME, PREFIX_DIGITS};
    use crate::limits::{MAX_LOGIN_CHARACTERS, MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS};
    use crate::{Actor, Id};

    macro_rules! texts {
        ($($(#[doc = $doc:literal])+ $name:ty => $schema:expr;)*) => {$(
            impl utoipa::PartialSchema for $name {
                fn schema() -> RefOr<Schema> {
                    let description = [$($doc),+].map(str::trim).join("\n");
                    let builder: ObjectBuilder = $schema;
                    let object: Object =
                        builder.schema_type(Type::String).description(Some(description)).build();
                    object.into()
                }
            }

            impl utoipa::ToSchema for $name {}
        )*};
    }

    /// The name of an organisation or a user.
    #[derive(Debug)]
    pub(crate) enum Name {}

    /// The name of a new user, who needs none.
    #[derive(Debug)]
    pub(crate) enum OptionalName {}

    /// The label of a key.
    #[derive(Debug)]
    pub(crate) enum Label {}

    /// A login.
    #[derive(Debug)]
    pub(crate) enum Login {}

    /// The schema of a password that is set.
    #[derive(Debug)]
    pub enum NewPassword {}

    /// The digits to which a key is limited.
    #[derive(Debug)]
    pub(crate) enum KeyPrefix {}

    /// The schema of a level as a path.
    #[derive(Debug)]
    pub enum LevelKey {}

    texts! {
        /// Id of an organisation, user, key or proposal.
        Id => ObjectBuilder::new().pattern(Some(Id::pattern()));

        /// Who did something: `user:ID`, `key:ID`, or `local:COMMAND` for the command line.
        Actor => ObjectBuilder::new().pattern(Some(Actor::PATTERN));

        /// Name, on one line.
        Name => line(NAME);

        /// Name, on one line, or empty.
        OptionalName => ObjectBuilder::new()
            .max_length(Some(NAME.max))
            .pattern(Some(format!("^({VISIBLE})?$")));

        /// Label, on one line.
        Label => line(LABEL);

        /// Text that is typed to sign in, without spaces. Letter case does not count.
        Login => ObjectBuilder::new()
            .min_length(Some(1))
            .max_length(Some(MAX_LOGIN_CHARACTERS))
            .pattern(Some(r"^[^\s\u0000-\u001f\u007f-\u009f]+$"));

        /// Password of 12 to 256 characters.
        NewPassword => ObjectBuilder::new()
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Password)))
            .min_length(Some(MIN_PASSWORD_CHARACTERS))
            .max_length(Some(MAX_PASSWORD_CHARACTERS));

        /// First digits of the company prefix of a GS1 key.
        KeyPrefix => ObjectBuilder::new().pattern(Some(format!(
            "^[0-9]{{{},{}}}$",
            PREFIX_DIGITS.start(),
            PREFIX_DIGITS.end()
        )));

        /// Level as a path, with or without a slash at the beginning: `01/09506000134352/10/ABC`. Characters other than
        /// letters, digits, `-`, `.`, `_` and `~` can be percent-encoded in values. Check digits must be correct.
        LevelKey => ObjectBuilder::new()
            .format(Some(SchemaFormat::Custom("gs1-key".to_owned())))
            .pattern(Some(concat!(
                "^/?(gcp/[0-9]{4,12}|[0-9]{2,4}/[^/]+(/[0-9]{2,4}/[^/]+)*(/-any(/[0-9]{2,4}/[^/]+)*/[0-9]{2,4}",
                "|/-range(/[0-9]{2,4}/[^/]+)*/[0-9]{2,4}/[0-9]{1,2}/[^/]+/[^/]+)?)$"
            )));
    }

    /// No control characters, and at least one visible character.
    const VISIBLE: &str = r"[^\u0000-\u001f\u007f-\u009f]*[^\s\u0000-\u001f\u007f-\u009f][^\u0000-\u001f\u007f-\u009f]*";

    fn line(line: Line) -> ObjectBuilder {
        ObjectBuilder::new()
            .min_length(Some(1))
            .max_length(Some(line.max))
            .pattern(Some(format!("^{VISIBLE}$")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_bounded_in_characters() {
        for (text, allowed) in [
            ("é".repeat(200), true),
            ("é".repeat(201), false),
            (" x ".into(), true),
            (" \u{3000}".into(), false),
            (String::new(), false),
            ("a\nb".into(), false),
        ] {
            assert_eq!(NAME.allows(&text), allowed, "{text:?}");
        }
    }

    #[test]
    fn logins_of_every_length_have_a_name_that_fits() {
        let long = "\u{1f600}".repeat(MAX_LOGIN_CHARACTERS);
        assert!(is_login(&long) && !is_login(&format!("{long}x")));
        let name = fold(&long);
        assert!(name.len() <= MAX_FOLDED_BYTES && !is_login(&name), "{name}");
        assert_eq!(fold("ADA"), "ada");
    }
}
