//! Conversion from the components of a URN to Application Identifiers: EPC Tag Data Standard 2.3, section 7.
//!
//! Company prefix and reference become the key with its check digit; for keys that begin with an indicator or extension
//! digit, that is the first digit of the reference.

use fingerpost_gs1::{Ai, check_digit};

use super::{Components, IdentityPattern, PureIdentity};
use crate::elements::{AiValues, Elements};
use crate::error::{Error, ErrorKind, ErrorPlace};
use crate::urn_scheme::UrnScheme;

impl PureIdentity {
    /// Returns the key, with its qualifiers, as Application Identifiers.
    ///
    /// # Errors
    ///
    /// `NO_DIGITAL_LINK` for schemes without a GS1 key: GID, USDOD, ADI, BIC and IMO numbers.
    pub fn elements(&self) -> Result<AiValues, Error> {
        elements(self.checked())
    }

    /// Works like [`PureIdentity::elements`], but writes them where they are needed: the key, then at most one qualifier of it.
    #[inline]
    pub(crate) fn write_elements(&self, out: &mut impl Elements) -> Result<(), Error> {
        write(self.checked(), out)
    }
}

impl IdentityPattern {
    /// Returns the key of the class that the pattern represents: `urn:epc:idpat:sgtin:9521141.712345.*` is the GTIN. A
    /// pattern without stars gives the same as the identity.
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
fn write<E: Elements>(components: &Components, out: &mut E) -> Result<(), Error> {
    let count = components.count();
    let serial = |out: &mut E, ai: Ai, index: usize| {
        if index < count {
            out.start(ai);
            out.write_bytes(components.bytes(index));
        }
    };
    let key = match components.scheme() {
        UrnScheme::Itip if count < 4 => None,
        // The reference may be a star.
        _ if count < 2 => None,
        scheme => key_of(scheme),
    };
    let Some((ai, form)) = key else {
        return Err(Error::new(ErrorKind::NoDigitalLink, ErrorPlace::Nowhere));
    };
    out.start(ai);
    write_key(out, form, components);
    match components.scheme() {
        UrnScheme::Sgtin => serial(out, Ai::SERIAL, 2),
        UrnScheme::Upui => serial(out, Ai::TPX, 2),
        UrnScheme::Lgtin => serial(out, Ai::LOT, 2),
        UrnScheme::Cpi => serial(out, Ai::CPID_SERIAL, 2),
        UrnScheme::Sgln if components.bytes(2) != b"0" => {
            serial(out, Ai::GLN_EXTENSION, 2);
        }
        UrnScheme::Itip => {
            out.write_bytes(components.bytes(2));
            out.write_bytes(components.bytes(3));
            serial(out, Ai::SERIAL, 4);
        }
        UrnScheme::Grai | UrnScheme::Gdti | UrnScheme::Sgcn => {
            out.write_bytes(components.bytes(2));
        }
        _ => {}
    }
    Ok(())
}

/// The composition of a key from company prefix and reference.
#[derive(Clone, Copy)]
enum KeyForm {
    /// The first digit of the reference, the prefix, the other digits, check digit.
    DigitFirst,
    /// Prefix, reference, check digit.
    Checked,
    /// Like `Checked`, after a zero.
    ZeroFirst,
    /// Prefix and reference.
    Plain,
}

fn key_of(scheme: UrnScheme) -> Option<(Ai, KeyForm)> {
    Some(match scheme {
        UrnScheme::Sgtin | UrnScheme::Upui | UrnScheme::Lgtin => (Ai::GTIN, KeyForm::DigitFirst),
        UrnScheme::Itip => (Ai::ITIP, KeyForm::DigitFirst),
        UrnScheme::Sscc => (Ai::SSCC, KeyForm::DigitFirst),
        UrnScheme::Sgln => (Ai::GLN, KeyForm::Checked),
        UrnScheme::Pgln => (Ai::PARTY, KeyForm::Checked),
        UrnScheme::Grai => (Ai::GRAI, KeyForm::ZeroFirst),
        UrnScheme::Gdti => (Ai::GDTI, KeyForm::Checked),
        UrnScheme::Sgcn => (Ai::GCN, KeyForm::Checked),
        UrnScheme::Gsin => (Ai::GSIN, KeyForm::Checked),
        UrnScheme::Gsrn => (Ai::GSRN, KeyForm::Checked),
        UrnScheme::Gsrnp => (Ai::GSRNP, KeyForm::Checked),
        UrnScheme::Giai => (Ai::GIAI, KeyForm::Plain),
        UrnScheme::Ginc => (Ai::GINC, KeyForm::Plain),
        UrnScheme::Cpi => (Ai::CPID, KeyForm::Plain),
        UrnScheme::Gid | UrnScheme::Usdod | UrnScheme::Adi | UrnScheme::Bic | UrnScheme::Imovn => {
            return None;
        }
    })
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
