//! Host names in `++` schemes: EPC Tag Data Standard 2.3, section 14.5.16.
//!
//! ```text
//! hostname = method                ; 1 bit
//!            length                ; 6 bits, 1 to 63 units
//!            units                 ; method 0: URN Code 40, a unit is a character
//!                                  ; method 1: a unit is seven bits
//! ```
//!
//! In method 1, seven bits represent a character or a text such as `.com`, and fourteen bits a text
//! such as `.co.uk`. A writer can use them wherever their text occurs.

use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use crate::aidc::{alnum, code40};
use crate::bits::{BitReader, Bits};
use crate::error::{Error, ErrorKind, ErrorSpan};
use crate::limits::{MAX_LABEL, MAX_UNITS};

mod segments;
mod table;

/// The host name of a `++` scheme, in lower case: letters, digits and hyphens, separated by dots.
///
/// A name given in upper case selects the other of the two methods, URN Code 40, which is rarely
/// shorter.
///
/// ```
/// use fingerpost_epc::{Hostname, HostnameMethod};
///
/// let name: Hostname = "id.example.com".parse()?;
/// assert_eq!(name.method(), HostnameMethod::SevenBit);
/// assert_eq!(name.as_str(), "id.example.com");
///
/// let upper: Hostname = "EXAMPLE.ORG".parse()?;
/// assert_eq!(upper.method(), HostnameMethod::Code40);
/// assert_eq!(upper.as_str(), "example.org");
/// # Ok::<(), fingerpost_epc::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Hostname(HostnameText);

/// The encoding method of a host name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HostnameMethod {
    /// URN Code 40: three characters in 16 bits.
    Code40,
    /// Seven bits for a character or a common sequence, fourteen for a rarer sequence.
    SevenBit,
}

impl Hostname {
    /// Returns the name, in lower case.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0.text
    }

    /// Returns the encoding method.
    #[must_use]
    pub fn method(&self) -> HostnameMethod {
        self.0.method
    }

    /// Returns the same name with another encoding method.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::HostnameLength`] if it takes more than 63 units in that method.
    pub fn with_method(&self, method: HostnameMethod) -> Result<Hostname, Error> {
        let text = HostnameText { text: self.0.text.clone(), method };
        text.check_units()?;
        Ok(Hostname(text))
    }

    /// Returns the text as encoded in the bits.
    pub(crate) fn text(&self) -> &HostnameText {
        &self.0
    }
}

impl fmt::Display for Hostname {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Hostname {
    type Err = Error;

    /// Parses a name; one with upper-case but no lower-case letters is written as URN Code 40.
    fn from_str(name: &str) -> Result<Hostname, Error> {
        let any = |member: fn(&u8) -> bool| name.as_bytes().iter().any(member);
        let upper = any(u8::is_ascii_uppercase) && !any(u8::is_ascii_lowercase);
        let method = if upper { HostnameMethod::Code40 } else { HostnameMethod::SevenBit };
        let text = HostnameText { text: name.to_ascii_lowercase(), method };
        text.check_name()?;
        text.check_units()?;
        Ok(Hostname(text))
    }
}

/// The decoded text of a host name, in lower case; possibly not a valid host name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct HostnameText {
    text: String,
    method: HostnameMethod,
}

impl HostnameText {
    /// Reads method, length and units.
    pub(crate) fn read(from: &mut BitReader<'_>) -> Result<HostnameText, Error> {
        let start = from.position();
        let method = match from.read(1)? {
            0 => HostnameMethod::Code40,
            _ => HostnameMethod::SevenBit,
        };
        // Six bits.
        let units = from.read(6)? as usize;
        if units == 0 {
            let span = ErrorSpan::bits(start, from.position());
            return Err(Error::new(ErrorKind::EmptyHostname, span));
        }
        let mut text = String::with_capacity(2 * units);
        match method {
            HostnameMethod::Code40 => {
                code40::read(from, units, |byte| text.push(char::from(byte)))?;
            }
            HostnameMethod::SevenBit => read_seven_bit(from, units, &mut text)?,
        }
        text.make_ascii_lowercase();
        Ok(HostnameText { text, method })
    }

    /// Writes method, length and units.
    pub(crate) fn write(&self, out: &mut Bits) -> Result<(), Error> {
        let units = self.check_units()?;
        match self.method {
            HostnameMethod::Code40 => {
                out.push(0, 1);
                out.push(units as u64, 6);
                code40::write(self.text.to_ascii_uppercase().as_bytes(), out);
            }
            HostnameMethod::SevenBit => {
                out.push(1, 1);
                out.push(units as u64, 6);
                segments::write(&self.text, out);
            }
        }
        Ok(())
    }

    /// Returns the host name, if the text is one.
    pub(crate) fn checked(&self) -> Result<Hostname, Error> {
        self.check_name()?;
        Ok(Hostname(self.clone()))
    }

    /// Checks for labels of letters, digits and hyphens, with hyphens only inside (RFC 1123,
    /// section 2.1).
    fn check_name(&self) -> Result<(), Error> {
        let mut start = 0;
        for label in self.text.split('.') {
            let character = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
            let hyphen_outside = label.starts_with('-') || label.ends_with('-');
            if label.is_empty()
                || label.len() > MAX_LABEL
                || hyphen_outside
                || !label.bytes().all(character)
            {
                let kind = match self.text.is_empty() {
                    true => ErrorKind::EmptyHostname,
                    false => ErrorKind::BadHostname,
                };
                return Err(Error::new(kind, ErrorSpan::text(start, start + label.len())));
            }
            start += label.len() + 1;
        }
        Ok(())
    }

    /// Returns the number of units, at most 63.
    fn check_units(&self) -> Result<usize, Error> {
        let units = match self.method {
            HostnameMethod::Code40 => self.text.len(),
            HostnameMethod::SevenBit => segments::units(&self.text),
        };
        if units > MAX_UNITS {
            let span = ErrorSpan::text(0, self.text.len());
            return Err(Error::new(ErrorKind::HostnameLength, span));
        }
        Ok(units)
    }
}

/// Parses this many units of seven bits.
fn read_seven_bit(from: &mut BitReader<'_>, units: usize, out: &mut String) -> Result<(), Error> {
    let mut left = units;
    while left > 0 {
        let start = from.position();
        // Seven bits.
        let unit = from.read(7)? as u8;
        left -= 1;
        let fail = |kind, end| Err(Error::new(kind, ErrorSpan::bits(start, end)));
        let reserved = ErrorKind::ReservedHostnameSequence;
        if let Some(texts) = table::LONG.get(usize::from(unit)) {
            if left == 0 {
                return fail(ErrorKind::HostnameLength, start + 7);
            }
            left -= 1;
            match texts.get(from.read(7)? as usize) {
                Some(text) => out.push_str(text),
                None => return fail(reserved, start + 14),
            }
        } else if let Some((_, text)) = table::SHORT.iter().find(|(bits, _)| *bits == unit) {
            out.push_str(text);
        } else if table::RESERVED.iter().any(|(first, last)| (*first..=*last).contains(&unit)) {
            return fail(reserved, start + 7);
        } else if alnum::is_character(unit) {
            out.push(char::from(unit));
        } else {
            return fail(ErrorKind::BadCharacter, start + 7);
        }
    }
    Ok(())
}
