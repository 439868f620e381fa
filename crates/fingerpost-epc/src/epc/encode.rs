//! Choosing a scheme for element values, and encoding them: EPC Tag Data Standard 2.3, sections 7
//! and 14.

use alloc::boxed::Box;

use fingerpost_gs1::Ai;

use super::Epc;
use crate::classic::ClassicEpc;
use crate::elements::AiValues;
use crate::error::{Error, ErrorKind, ErrorSpan};
use crate::gcp::GcpLength;
use crate::hostname::Hostname;
use crate::identity::{PureIdentity, is_restricted};
use crate::plus::PlusEpc;
use crate::scheme::{Family, Generation, Scheme, UrnScheme};

/// Options for the encoding of an EPC.
///
/// Without a scheme, element values become the shortest classic one that fits, with a host name the
/// `++` one.
#[derive(Clone, Copy, Debug, Default)]
pub struct EncodeOptions<'a> {
    scheme: Option<Scheme>,
    generation: Option<Generation>,
    filter: u8,
    length: GcpLength<'a>,
    hostname: Option<&'a Hostname>,
    date: Option<Ai>,
    lossy: bool,
}

impl<'a> EncodeOptions<'a> {
    /// Creates options with filter value 0, without host name or length of the company prefix.
    #[must_use]
    pub const fn new() -> EncodeOptions<'a> {
        EncodeOptions {
            scheme: None,
            generation: None,
            filter: 0,
            length: GcpLength::Unknown,
            hostname: None,
            date: None,
            lossy: false,
        }
    }

    /// Sets the scheme.
    #[must_use]
    pub const fn scheme(mut self, scheme: Scheme) -> EncodeOptions<'a> {
        self.scheme = Some(scheme);
        self
    }

    /// Sets the kind of scheme; the key determines the scheme.
    #[must_use]
    pub const fn generation(mut self, generation: Generation) -> EncodeOptions<'a> {
        self.generation = Some(generation);
        self
    }

    /// Sets the filter value.
    #[must_use]
    pub const fn filter(mut self, filter: u8) -> EncodeOptions<'a> {
        self.filter = filter;
        self
    }

    /// Sets the length of the company prefix, which classic schemes require.
    #[must_use]
    pub const fn gcp_length(mut self, length: GcpLength<'a>) -> EncodeOptions<'a> {
        self.length = length;
        self
    }

    /// Sets the host name for `++` schemes.
    #[must_use]
    pub const fn hostname(mut self, hostname: &'a Hostname) -> EncodeOptions<'a> {
        self.hostname = Some(hostname);
        self
    }

    /// Sets the date of a DSGTIN; by default the first possible one.
    #[must_use]
    pub const fn date(mut self, ai: Ai) -> EncodeOptions<'a> {
        self.date = Some(ai);
        self
    }

    /// Sets whether elements that a classic scheme cannot contain are left out instead of rejected.
    #[must_use]
    pub const fn lossy(mut self, on: bool) -> EncodeOptions<'a> {
        self.lossy = on;
        self
    }
}

impl Epc {
    /// Encodes element values as an EPC.
    ///
    /// ```
    /// use fingerpost_epc::{AiValues, EncodeOptions, Epc, GcpLength, Scheme};
    /// use fingerpost_gs1::Ai;
    ///
    /// let values = AiValues::new([(Ai::GTIN, "09506000134352"), (Ai::SERIAL, "6789")])?;
    /// let options = EncodeOptions::new().filter(3);
    /// let epc = Epc::encode(&values, &options.gcp_length(GcpLength::Digits(11)))?;
    /// assert_eq!((epc.scheme(), &*epc.to_hex()), (Scheme::Sgtin96, "3066c4409047e14000001a85"));
    ///
    /// assert_eq!(Epc::encode(&values, &options).unwrap_err().code(), "GCP_LENGTH_REQUIRED");
    /// assert!(Epc::encode(&values, &options.scheme(Scheme::SgtinPlus)).is_ok());
    /// # Ok::<(), fingerpost_epc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `NO_EPC` if the elements do not form an EPC of the scheme, `RESTRICTED_PREFIX` for a GTIN
    /// that is not allowed in an SGTIN, `GCP_LENGTH_REQUIRED` if a classic scheme needs the
    /// length of the company prefix, and those of [`ClassicEpc::new`] and [`PlusEpc::new`].
    pub fn encode(values: &AiValues, options: &EncodeOptions<'_>) -> Result<Epc, Error> {
        check_restricted(values)?;
        match options.target() {
            Generation::Classic => {
                let identity = if options.lossy {
                    PureIdentity::from_elements_lossy(values, options.length)?
                } else {
                    PureIdentity::from_elements(values, options.length)?
                };
                options.classic(identity)
            }
            generation => options.plus(values, generation),
        }
    }

    /// Encodes an identity as an EPC. The length of its company prefix is known.
    ///
    /// # Errors
    ///
    /// As [`Epc::encode`]; `NO_DIGITAL_LINK` for a `+` scheme of an identity without GS1 key.
    pub fn encode_identity(
        identity: &PureIdentity,
        options: &EncodeOptions<'_>,
    ) -> Result<Epc, Error> {
        if let Ok(values) = identity.elements() {
            check_restricted(&values)?;
        }
        match options.target() {
            Generation::Classic => options.classic(*identity),
            generation => options.plus(&identity.elements()?, generation),
        }
    }
}

impl EncodeOptions<'_> {
    fn target(&self) -> Generation {
        let otherwise =
            if self.hostname.is_some() { Generation::PlusPlus } else { Generation::Classic };
        let of_scheme = self.scheme.map(Scheme::generation);
        of_scheme.or(self.generation).unwrap_or(otherwise)
    }

    fn classic(&self, identity: PureIdentity) -> Result<Epc, Error> {
        let epc = match self.scheme {
            Some(scheme) => ClassicEpc::new(scheme, self.filter, identity),
            None => ClassicEpc::shortest(self.filter, identity),
        };
        epc.map(Epc::Classic)
    }

    fn plus(&self, values: &AiValues, generation: Generation) -> Result<Epc, Error> {
        let no_epc = Error::new(ErrorKind::NoEpc, ErrorSpan::Nowhere);
        let scheme = match self.scheme {
            Some(scheme) => scheme,
            None => {
                let family = family_of(values).ok_or(no_epc)?;
                Scheme::all()
                    .find(|scheme| (scheme.family(), scheme.generation()) == (family, generation))
                    .ok_or(no_epc)?
            }
        };
        let epc = PlusEpc::new(scheme, self.filter, values, self.hostname, self.date)?;
        Ok(Epc::Plus(Box::new(epc)))
    }
}

/// Returns the family of the first key among the values.
fn family_of(values: &AiValues) -> Option<Family> {
    values.pairs().find_map(|(ai, _)| UrnScheme::of_key(ai).next()?.0.family())
}

/// Rejects GTINs that are not unique worldwide or do not identify a trade item: EPC Tag Data
/// Standard 2.3, section 7.3.
#[inline]
fn check_restricted(values: &AiValues) -> Result<(), Error> {
    match values.find(Ai::GTIN) {
        Some(gtin) if is_restricted(gtin) => {
            Err(Error::new(ErrorKind::RestrictedPrefix, ErrorSpan::Nowhere))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    // EPC-MAP-06, EPC-RDG-13
    #[test]
    fn restricted_gtins() {
        for (digits, restricted) in [
            ("0000000012345", true),
            ("0000002123456", true),
            ("0000009501093", false),
            ("0000112345678", true),
            ("0000812345678", false),
            ("0021234567890", true),
            ("1041234567890", true),
            ("0051234567890", false),
            ("0291234567890", true),
            ("0301234567890", false),
            ("0977123456789", true),
            ("0978123456789", false),
            ("0980123456789", true),
            ("0985123456789", false),
            ("0990123456789", true),
        ] {
            let check = char::from(fingerpost_gs1::check_digit::of(digits.as_bytes()));
            let gtin = format!("{digits}{check}");
            assert_eq!(is_restricted(gtin.as_bytes()), restricted, "{gtin}");
            let values = AiValues::unchecked([(Ai::GTIN, &*gtin), (Ai::SERIAL, "1")]);
            let options = EncodeOptions::new().gcp_length(GcpLength::Digits(8));
            let code = Epc::encode(&values, &options).err().map(|error| error.code());
            assert_eq!(code, restricted.then_some("RESTRICTED_PREFIX"), "{gtin}");
        }
    }
}
