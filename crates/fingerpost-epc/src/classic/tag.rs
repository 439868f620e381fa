//! EPC Tag URIs: EPC Tag Data Standard 2.3, section 12.
//!
//! ```text
//! tag      = "urn:epc:tag:" [ 1*control ":" ] name ":" [ filter "." ] component *( "." component )
//! control  = "[att=x" 2HEX "]" / "[umi=" ( "0" / "1" ) "]" / "[xpc=x" 4HEX "]"   ; in this order
//! filter   = number                        ; not in gid-96
//! ```
//!
//! Control fields describe tag memory outside the EPC; they are checked and ignored.

use core::fmt;
use core::str::FromStr;

use super::{ClassicEpc, checked_filter, layout};
use crate::digits;
use crate::error::{Error, ErrorKind, ErrorSpan};
use crate::identity::{Components, PureIdentity};
use crate::scheme::{Scheme, UrnScheme, part};

pub(super) const TAG: &str = "urn:epc:tag:";

impl ClassicEpc {
    /// Parses an EPC Tag URI. Control fields such as `[att=x01]` are skipped.
    ///
    /// ```
    /// use fingerpost_epc::ClassicEpc;
    ///
    /// let epc = ClassicEpc::from_tag_uri("urn:epc:tag:[att=x01]:sgtin-96:3.95060001343.05.1")?;
    /// assert_eq!(epc.to_string(), "urn:epc:tag:sgtin-96:3.95060001343.05.1");
    /// # Ok::<(), fingerpost_epc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `BAD_URN_SYNTAX`, `UNKNOWN_SCHEME`, `BAD_FILTER`, or the first rule that a component
    /// violates.
    pub fn from_tag_uri(urn: &str) -> Result<ClassicEpc, Error> {
        let wrong =
            |start: usize| Error::new(ErrorKind::BadUrnSyntax, ErrorSpan::text(start, urn.len()));
        let rest = urn.strip_prefix(TAG).ok_or(wrong(0))?;
        let start = TAG.len() + control_length(rest).ok_or(wrong(TAG.len()))?;
        let Named { scheme, urn_scheme, rest, after_name } = read_name(urn, start)?;
        let (mut filter, mut start) = (0, after_name);
        if scheme.filter_max().is_some() {
            let (text, _) = rest.split_once('.').ok_or(wrong(after_name))?;
            filter = read_filter(scheme, text).map_err(|kind| {
                Error::new(kind, ErrorSpan::text(after_name, after_name + text.len()))
            })?;
            start += text.len() + 1;
        }
        let components = Components::parse(urn_scheme, urn, start, false)?;
        ClassicEpc::new(scheme, filter, PureIdentity::from_checked(components))
            .map_err(|error| Error::new(error.kind(), ErrorSpan::text(start, urn.len())))
    }
}

/// The binary scheme at the start of a Tag URI or a tag pattern.
pub(super) struct Named<'u> {
    pub(super) scheme: Scheme,
    pub(super) urn_scheme: UrnScheme,
    /// The text after the colon, and its position.
    pub(super) rest: &'u str,
    pub(super) after_name: usize,
}

/// Reads `name ":"` at `start`.
pub(super) fn read_name(urn: &str, start: usize) -> Result<Named<'_>, Error> {
    let wrong = Error::new(ErrorKind::BadUrnSyntax, ErrorSpan::text(start, urn.len()));
    let (name, rest) = urn[start..].split_once(':').ok_or(wrong)?;
    let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if name.is_empty() || !name.bytes().all(is_name) {
        return Err(wrong);
    }
    let end = start + name.len();
    let scheme = Scheme::from_tag_name(name);
    let (scheme, (urn_scheme, _)) = scheme
        .and_then(|scheme| Some((scheme, layout(scheme)?)))
        .ok_or(Error::new(ErrorKind::UnknownScheme, ErrorSpan::text(start, end)))?;
    Ok(Named { scheme, urn_scheme, rest, after_name: end + 1 })
}

fn read_filter(scheme: Scheme, text: &str) -> Result<u8, ErrorKind> {
    let max = scheme.filter_max().unwrap_or(0);
    let number =
        part::check_number(text.as_bytes()).ok().and_then(|()| digits::read(text.as_bytes()));
    let number = number.and_then(|number| u8::try_from(number).ok());
    checked_filter(scheme, number.ok_or(ErrorKind::BadFilter { max })?)
}

/// Returns the length of the control fields with their colon; `None` if they are malformed.
fn control_length(text: &str) -> Option<usize> {
    let hex = |text: &str| text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'A'..=b'F'));
    let mut rest = text;
    for (name, digits) in [("[att=x", 2), ("[umi=", 1), ("[xpc=x", 4)] {
        let Some(value) = rest.strip_prefix(name) else { continue };
        let (value, after) = value.split_once(']')?;
        if value.len() != digits || !hex(value) || digits == 1 && !matches!(value, "0" | "1") {
            return None;
        }
        rest = after;
    }
    if rest.len() == text.len() {
        return if text.starts_with('[') { None } else { Some(0) };
    }
    Some(text.len() - rest.strip_prefix(':')?.len())
}

impl FromStr for ClassicEpc {
    type Err = Error;

    fn from_str(urn: &str) -> Result<ClassicEpc, Error> {
        ClassicEpc::from_tag_uri(urn)
    }
}

impl fmt::Display for ClassicEpc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(TAG)?;
        f.write_str(self.scheme().tag_name().unwrap_or_default())?;
        f.write_str(":")?;
        if let Some(filter) = self.filter() {
            write!(f, "{filter}.")?;
        }
        self.identity().checked().write(f)
    }
}

impl fmt::Debug for ClassicEpc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ClassicEpc({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // EPC-URN-06
    #[test]
    fn control_fields_are_read_over() {
        for (fields, good) in [
            ("", true),
            ("[att=x01]:", true),
            ("[att=xFF][umi=1][xpc=x0004]:", true),
            ("[umi=0]:", true),
            ("[umi=2]:", false),
            ("[umi=0][att=x01]:", false),
            ("[att=x1]:", false),
            ("[att=x01]", false),
            ("[foo=1]:", false),
        ] {
            let urn = alloc::format!("{TAG}{fields}sscc-96:0.952012.03456789123");
            assert_eq!(ClassicEpc::from_tag_uri(&urn).is_ok(), good, "{urn}");
        }
    }

    #[test]
    fn faults_have_their_span() {
        for (urn, code, span) in [
            ("urn:epc:tag:sgtin-96:8.9521141.012345.1", "BAD_FILTER", (21, 22)),
            ("urn:epc:tag:sgtin-96:03.9521141.012345.1", "BAD_FILTER", (21, 23)),
            ("urn:epc:tag:sgtin-97:3.9521141.012345.1", "UNKNOWN_SCHEME", (12, 20)),
            ("urn:epc:tag:SGTIN-96:3.9521141.012345.1", "BAD_URN_SYNTAX", (12, 39)),
            ("urn:epc:tag:sgtin-96:3.9521141.01234.1", "BAD_REF_LENGTH", (31, 36)),
            ("urn:epc:tag:sgtin-96:3.9521141.012345.01", "LEADING_ZERO", (23, 40)),
            ("urn:epc:tag:sgtin-198:3.9521141.012345.a%2", "BAD_ESCAPE", (40, 42)),
        ] {
            let error = ClassicEpc::from_tag_uri(urn).unwrap_err();
            assert_eq!(
                (error.code(), error.span),
                (code, ErrorSpan::text(span.0, span.1)),
                "{urn}"
            );
        }
    }
}
