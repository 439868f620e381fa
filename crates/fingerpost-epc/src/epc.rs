//! An EPC of any scheme, and its conversion to and from bits, texts, identity and element values.

use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use fingerpost_gs1::DigitalLink;

use crate::bits::Bits;
use crate::classic::{self, ClassicEpc};
use crate::elements::{AiValues, LinkPath};
use crate::error::{Error, ErrorKind, ErrorSpan};
use crate::gcp::GcpLength;
use crate::hostname::Hostname;
use crate::identity::PureIdentity;
use crate::plus::PlusEpc;
use crate::scheme::{Generation, Scheme};
use crate::text::HEX_SEGMENT;

mod encode;

pub use encode::EncodeOptions;

/// An Electronic Product Code as stored on a tag.
///
/// ```
/// use fingerpost_epc::Epc;
///
/// let epc = Epc::from_hex("3066c4409047e14000001a85")?;
/// assert_eq!(epc.to_base64url(), "MGbEQJBH4UAAABqF");
/// assert_eq!(
///     epc.digital_link("https://id.gs1.org")?,
///     "https://id.gs1.org/01/09506000134352/21/6789",
/// );
/// # Ok::<(), fingerpost_epc::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Epc {
    /// A scheme without `+`.
    Classic(ClassicEpc),
    /// A scheme with `+` or `++`, including the data after the EPC.
    Plus(Box<PlusEpc>),
}

impl Epc {
    /// Reads the bits of an EPC. Any number of zero bits may follow.
    ///
    /// # Errors
    ///
    /// `TRUNCATED` without a complete header, `RESERVED_HEADER`, or the first error from the left.
    pub fn from_bits(bits: &Bits) -> Result<Epc, Error> {
        // The header has eight bits.
        let header = bits.reader().read(8)? as u8;
        let scheme = Scheme::from_header(header)
            .ok_or(Error::new(ErrorKind::ReservedHeader { header }, ErrorSpan::bits(0, 8)))?;
        match scheme.generation() {
            Generation::Classic => classic::decode(scheme, bits).map(Epc::Classic),
            Generation::Plus | Generation::PlusPlus => {
                PlusEpc::decode(bits).map(|epc| Epc::Plus(Box::new(epc)))
            }
        }
    }

    /// Parses hexadecimal digits of either case.
    ///
    /// # Errors
    ///
    /// As [`Bits::from_hex`] and [`Epc::from_bits`].
    #[inline]
    pub fn from_hex(text: &str) -> Result<Epc, Error> {
        let mut bits = Bits::new();
        bits.read_hex(text.as_bytes(), 0)?;
        Epc::from_bits(&bits).map_err(|error| error.in_text(0, 4))
    }

    /// Reads base64url characters, six bits each.
    ///
    /// # Errors
    ///
    /// As [`Bits::from_base64url`] and [`Epc::from_bits`].
    pub fn from_base64url(text: &str) -> Result<Epc, Error> {
        Epc::from_bits(&Bits::from_base64url(text)?).map_err(|error| error.in_text(0, 6))
    }

    /// Reads the path segment `eh…` or `ex…` of a compressed Digital Link URI.
    ///
    /// A segment could also be the value of an uncompressed URI, as in
    /// `/01/09520123456788/10/ex12`: try that first.
    ///
    /// ```
    /// use fingerpost_epc::Epc;
    ///
    /// let (key, attributes) = Epc::from_segment("exMBZFlvQMDly-mRqD")?.elements()?.entity_key()
    ///     .map(|(key, attributes)| (key, attributes.len()))?;
    /// assert_eq!((key.as_str(), attributes), ("01/09528765123457/21/123456789123", 0));
    /// # Ok::<(), fingerpost_epc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Bits::from_segment`] and [`Epc::from_bits`].
    pub fn from_segment(segment: &str) -> Result<Epc, Error> {
        let bits = Bits::from_segment(segment)?;
        Epc::from_bits(&bits).map_err(|error| {
            let width = if segment.starts_with(HEX_SEGMENT) { 4 } else { 6 };
            error.in_text(HEX_SEGMENT.len(), width)
        })
    }

    /// Reads an EPC Tag URI.
    ///
    /// # Errors
    ///
    /// As [`ClassicEpc::from_tag_uri`].
    pub fn from_tag_uri(urn: &str) -> Result<Epc, Error> {
        ClassicEpc::from_tag_uri(urn).map(Epc::Classic)
    }

    /// Returns the bits of the EPC and of the data after it, with their exact length.
    #[must_use]
    pub fn to_bits(&self) -> Bits {
        match self {
            Epc::Classic(epc) => epc.to_bits(),
            Epc::Plus(epc) => epc.to_bits(),
        }
    }

    /// Returns the bits as hexadecimal digits in lower case.
    #[must_use]
    #[inline]
    pub fn to_hex(&self) -> String {
        match self {
            Epc::Classic(epc) => epc.hex(),
            Epc::Plus(epc) => epc.to_bits().to_hex(),
        }
    }

    /// Returns the bits as base64url.
    #[must_use]
    pub fn to_base64url(&self) -> String {
        self.to_bits().to_base64url()
    }

    /// Returns the EPC Tag URI; `None` for schemes with `+`, which have none.
    #[must_use]
    pub fn to_tag_uri(&self) -> Option<String> {
        match self {
            Epc::Classic(epc) => Some(alloc::format!("{epc}")),
            Epc::Plus(_) => None,
        }
    }

    /// Returns the scheme.
    #[must_use]
    pub fn scheme(&self) -> Scheme {
        match self {
            Epc::Classic(epc) => epc.scheme(),
            Epc::Plus(epc) => epc.scheme(),
        }
    }

    /// Returns the filter value, if the scheme has one.
    #[must_use]
    pub fn filter(&self) -> Option<u8> {
        match self {
            Epc::Classic(epc) => epc.filter(),
            Epc::Plus(epc) => Some(epc.filter()),
        }
    }

    /// Returns the host name of a `++` scheme.
    ///
    /// # Errors
    ///
    /// `BAD_HOSTNAME` if the bits contain a text that is not a host name.
    pub fn hostname(&self) -> Result<Option<Hostname>, Error> {
        match self {
            Epc::Classic(_) => Ok(None),
            Epc::Plus(epc) => epc.hostname(),
        }
    }

    /// Returns whether the toggle bit contradicts the presence of data after the EPC. The data are
    /// parsed anyway; this is only a warning.
    #[must_use]
    pub fn is_toggle_wrong(&self) -> bool {
        match self {
            Epc::Classic(_) => false,
            Epc::Plus(epc) => epc.is_toggle_wrong(),
        }
    }

    /// Returns the key and its qualifiers, then the data after the EPC.
    ///
    /// # Errors
    ///
    /// `NO_DIGITAL_LINK` for GID, USDOD and ADI, which have no GS1 key.
    pub fn elements(&self) -> Result<AiValues, Error> {
        match self {
            Epc::Classic(epc) => epc.identity().elements(),
            Epc::Plus(epc) => Ok(epc.values().clone()),
        }
    }

    /// Returns the pure identity. `length` gives the length of the company prefix for schemes with
    /// `+`, which do not encode it; classic schemes do, and ignore `length`.
    ///
    /// ```
    /// use fingerpost_epc::{Epc, GcpLength};
    ///
    /// let epc = Epc::from_hex("f7809506000134352624b51005003d9881802710b9acf8")?;
    /// let identity = epc.identity(GcpLength::Digits(11))?;
    /// assert_eq!(identity.to_string(), "urn:epc:id:sgtin:95060001343.05.S1");
    /// assert_eq!(epc.identity(GcpLength::Unknown).unwrap_err().code(), "GCP_LENGTH_REQUIRED");
    /// # Ok::<(), fingerpost_epc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`PureIdentity::from_elements`].
    pub fn identity(&self, length: GcpLength<'_>) -> Result<PureIdentity, Error> {
        match self {
            Epc::Classic(epc) => Ok(*epc.identity()),
            Epc::Plus(epc) => {
                let own = AiValues::unchecked(epc.values().iter().take(epc.own_len()));
                PureIdentity::from_elements_lossy(&own, length)
            }
        }
    }

    /// Returns the Digital Link URI below a stem, as [`AiValues::digital_link`] does.
    ///
    /// # Errors
    ///
    /// As [`AiValues::digital_link`]; `NO_DIGITAL_LINK` for GID, USDOD and ADI.
    pub fn digital_link(&self, stem: &str) -> Result<String, Error> {
        match self {
            Epc::Classic(epc) => {
                let identity = epc.identity();
                let key = identity.scheme().key();
                if key.is_none_or(|key| !key.obeys_rules) || stem.len() > LONG_STEM {
                    return identity.elements()?.digital_link(stem);
                }
                let is_usual = stem == DigitalLink::REFERENCE_STEM;
                let stem = if is_usual { stem } else { DigitalLink::check_stem(stem)? };
                let mut path = LinkPath::below(stem, identity.checked().end() + 1);
                identity.write_elements(&mut path)?;
                let uri = path.finish();
                // The values obey the rules of their elements, but a serial number can be dots.
                match uri.ends_with("/.") || uri.ends_with("/..") {
                    true => identity.elements()?.digital_link(stem),
                    false => Ok(uri),
                }
            }
            Epc::Plus(epc) => epc.values().digital_link(stem),
        }
    }

    /// Returns the Digital Link URI below the host name of a `++` scheme; for other schemes the
    /// canonical one, below `https://id.gs1.org`.
    ///
    /// ```
    /// use fingerpost_epc::Epc;
    ///
    /// let epc = Epc::from_hex("fd3795211411234538566cb0afc525065f1876f0d996d8")?;
    /// assert_eq!(
    ///     epc.own_digital_link()?,
    ///     "https://id.example.com/01/79521141123453/21/32a%2Fb",
    /// );
    /// # Ok::<(), fingerpost_epc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Epc::digital_link`]; `BAD_HOSTNAME`.
    pub fn own_digital_link(&self) -> Result<String, Error> {
        match self.hostname()? {
            Some(name) => self.digital_link(&alloc::format!("https://{}", name.as_str())),
            None => self.digital_link(DigitalLink::REFERENCE_STEM),
        }
    }
}

impl FromStr for Epc {
    type Err = Error;

    /// Parses hexadecimal digits, as [`Epc::from_hex`] does.
    fn from_str(hex: &str) -> Result<Epc, Error> {
        Epc::from_hex(hex)
    }
}

impl TryFrom<&Bits> for Epc {
    type Error = Error;

    fn try_from(bits: &Bits) -> Result<Epc, Error> {
        Epc::from_bits(bits)
    }
}

impl fmt::Display for Epc {
    /// Formats the bits as hexadecimal digits, which every scheme has.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.to_hex())
    }
}

/// A stem that leaves room for the values of any classic EPC in a URI of [`DigitalLink::MAX_LEN`]
/// bytes.
const LONG_STEM: usize = DigitalLink::MAX_LEN - 1000;
