//! Conversion from the components of a URN to Application Identifiers: EPC Tag Data Standard 2.3,
//! section 7.
//!
//! Company prefix and reference become the key with its check digit; for keys that begin with an
//! indicator or extension digit, that is the first digit of the reference.

use fingerpost_gs1::check_digit;

use super::{Components, IdentityPattern, PureIdentity};
use crate::elements::{AiValues, Elements};
use crate::error::{Error, ErrorKind, ErrorSpan};
use crate::scheme::KeyForm;

impl PureIdentity {
    /// Returns the key, with its qualifiers, as Application Identifiers.
    ///
    /// # Errors
    ///
    /// `NO_DIGITAL_LINK` for schemes without a GS1 key: GID, USDOD, ADI, BIC and IMO numbers.
    pub fn elements(&self) -> Result<AiValues, Error> {
        elements(self.checked())
    }

    /// Works like [`PureIdentity::elements`], but writes them where they are needed: the key, then
    /// at most one qualifier of it.
    #[inline]
    pub(crate) fn write_elements(&self, out: &mut impl Elements) -> Result<(), Error> {
        write(self.checked(), out)
    }
}

impl IdentityPattern {
    /// Returns the key of the class that the pattern represents:
    /// `urn:epc:idpat:sgtin:9521141.712345.*` is the GTIN. A pattern without stars gives the
    /// same as the identity.
    ///
    /// # Errors
    ///
    /// `NO_DIGITAL_LINK` if the key is incomplete because of stars.
    pub fn elements(&self) -> Result<AiValues, Error> {
        elements(self.checked())
    }
}

fn elements(components: &Components) -> Result<AiValues, Error> {
    let mut values = AiValues::empty();
    write(components, &mut values)?;
    Ok(values)
}

#[inline]
fn write(components: &Components, out: &mut impl Elements) -> Result<(), Error> {
    let count = components.count();
    // In a pattern, components of the key may be stars.
    let Some(key) = components.scheme().key().filter(|key| count >= key.parts) else {
        return Err(Error::new(ErrorKind::NoDigitalLink, ErrorSpan::Nowhere));
    };
    out.start(key.ai);
    write_key(out, key.form, components);
    for index in 2..key.parts {
        out.write_bytes(components.bytes(index));
    }
    let Some(serial) = key.serial.filter(|_| key.parts < count) else { return Ok(()) };
    let text = components.bytes(key.parts);
    if text == key.no_serial {
        return Ok(());
    }
    if serial != key.ai {
        out.start(serial);
    }
    out.write_bytes(text);
    Ok(())
}

#[inline]
fn write_key(out: &mut impl Elements, form: KeyForm, components: &Components) {
    let (prefix, reference) = (components.bytes(0), components.bytes(1));
    let (before, after) = match form {
        KeyForm::DigitFirst => reference.split_at(reference.len().min(1)),
        KeyForm::Checked | KeyForm::ZeroFirst => (&b""[..], reference),
        KeyForm::Plain => {
            out.write_bytes(prefix);
            out.write_bytes(reference);
            return;
        }
    };
    // At most 17 digits and a check digit, and a zero.
    let mut key = [b'0'; 19];
    let mut len = usize::from(matches!(form, KeyForm::ZeroFirst));
    for piece in [before, prefix, after] {
        key[len..len + piece.len()].copy_from_slice(piece);
        len += piece.len();
    }
    // A zero before the digits does not affect the check digit.
    key[len] = check_digit::of(&key[..len]);
    out.write_bytes(&key[..=len]);
}
