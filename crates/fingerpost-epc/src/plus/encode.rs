//! Writing `+` and `++` EPCs: EPC Tag Data Standard 2.3, sections 14.6 and 15.3.

use fingerpost_gs1::Ai;

use super::{NO_EXTENSION, PlusEpc, check_digits, ends_in_zeros};
use crate::aidc::value::{self, Position};
use crate::aidc::{self, date};
use crate::bits::Bits;
use crate::elements::AiValues;
use crate::error::{Error, ErrorKind, ErrorSpan};
use crate::hostname::Hostname;
use crate::limits::MAX_FILTER;
use crate::scheme::{self, Generation, Scheme};

impl PlusEpc {
    /// Creates an EPC of a scheme from Application Identifiers and values in any order; those that
    /// the scheme does not contain become +AIDC data, in the given order.
    ///
    /// The date of DSGTIN is the value of `date`; if that is `None`, the first date that it can
    /// contain. `hostname` is for `++` schemes, which require one; `+` schemes cannot contain
    /// it.
    ///
    /// ```
    /// use fingerpost_epc::{AiValues, PlusEpc, Scheme};
    /// use fingerpost_gs1::Ai;
    ///
    /// let values = AiValues::new([(Ai::GTIN, "79521141123453"), (Ai::SERIAL, "32a/b")])?;
    /// let epc = PlusEpc::new(Scheme::SgtinPlusPlus, 3, &values, Some(&"id.example.com".parse()?), None)?;
    /// assert_eq!(epc.to_bits().to_hex(), "fd3795211411234538566cb0afc525065f1876f0d996d8");
    /// # Ok::<(), fingerpost_epc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnknownScheme`] for a classic scheme, [`ErrorKind::BadFilter`],
    /// [`ErrorKind::NoEpc`] when a value of the scheme is missing or the last of the +AIDC data is
    /// an SSCC of zeros, which would be read as padding,
    /// [`ErrorKind::EmptyHostname`] for a `++` scheme without host name and
    /// [`ErrorKind::BadHostname`] for a `+` scheme with one, [`ErrorKind::DuplicateAi`],
    /// [`ErrorKind::BadCheckDigit`], and other errors of a value.
    pub fn new(
        scheme: Scheme,
        filter: u8,
        values: &AiValues,
        hostname: Option<&Hostname>,
        date: Option<Ai>,
    ) -> Result<PlusEpc, Error> {
        let nowhere = |kind| Error::new(kind, ErrorSpan::Nowhere);
        match (scheme.generation(), hostname) {
            (Generation::Classic, _) => return Err(nowhere(ErrorKind::UnknownScheme)),
            _ if filter > MAX_FILTER => {
                return Err(nowhere(ErrorKind::BadFilter { max: MAX_FILTER }));
            }
            (Generation::PlusPlus, None) => return Err(nowhere(ErrorKind::EmptyHostname)),
            (Generation::Plus, Some(_)) => return Err(nowhere(ErrorKind::BadHostname)),
            (Generation::PlusPlus, Some(_)) | (Generation::Plus, None) => {}
        }
        let (values, own_len) = sort(scheme, values, date)?;
        let mut epc = PlusEpc {
            scheme,
            filter,
            toggle: values.len() > own_len,
            values,
            own_len,
            hostname: hostname.map(Hostname::text).cloned(),
            epc_bits: 0,
            bits: 0,
        };
        (epc.epc_bits, epc.bits) = epc.write(&mut Bits::new())?;
        check_digits(&epc.values, own_len)?;
        if ends_in_zeros(&epc.values, own_len) {
            // It could not be distinguished from padding.
            return Err(nowhere(ErrorKind::NoEpc));
        }
        Ok(epc)
    }

    /// Returns the bits in the shortest form; the original bits may have been longer.
    #[must_use]
    pub fn to_bits(&self) -> Bits {
        let mut out = Bits::new();
        // Everything that can be parsed or created can be written, so there is no error to report.
        let _ = self.write(&mut out);
        out
    }

    /// Writes everything. Returns the bits of the EPC and of the whole.
    fn write(&self, out: &mut Bits) -> Result<(usize, usize), Error> {
        let missing = Error::new(ErrorKind::NoEpc, ErrorSpan::Nowhere);
        let family = self.scheme.family().row();
        out.push(u64::from(self.scheme.header()), 8);
        out.push(u64::from(self.values.len() > self.own_len), 1);
        out.push(u64::from(self.filter), 3);
        if family.plus_date {
            let (ai, text) = self.values.iter().take(self.own_len).last().ok_or(missing)?;
            out.push(scheme::date_type(ai).ok_or(missing)?, 4);
            date::write_date(text.as_bytes(), 0, out)?;
        }
        for &ai in family.plus_ais {
            // Only the extension of a GLN can be missing.
            let own = self.values.iter().take(self.own_len).find(|(own, _)| *own == ai);
            let text = own.map_or(NO_EXTENSION, |(_, text)| text);
            value::write(ai, text, Position::Epc, out)?;
        }
        if let Some(hostname) = &self.hostname {
            hostname.write(out)?;
        }
        let epc_bits = out.len();
        for (ai, text) in self.values.iter().skip(self.own_len) {
            aidc::write(ai, text, out)?;
        }
        Ok((epc_bits, out.len()))
    }
}

/// Moves the values of the scheme to the front, in its order with the date last. Returns their
/// number.
fn sort(scheme: Scheme, values: &AiValues, date: Option<Ai>) -> Result<(AiValues, usize), Error> {
    let nowhere = |kind| Error::new(kind, ErrorSpan::Nowhere);
    let family = scheme.family().row();
    let mut sorted = AiValues::empty();
    for &ai in family.plus_ais {
        match values.get(ai) {
            Some(value) if ai == Ai::GLN_EXTENSION && value == NO_EXTENSION => {}
            Some(value) => sorted.push(ai, value),
            None if ai == Ai::GLN_EXTENSION => {}
            None => return Err(nowhere(ErrorKind::NoEpc)),
        }
    }
    if family.plus_date {
        let fits = |&(ai, value): &(Ai, &str)| {
            date.is_none_or(|wanted| ai == wanted)
                && value.len() == 6
                && scheme::date_type(ai).is_some()
        };
        let (ai, value) = values.iter().find(fits).ok_or(nowhere(ErrorKind::NoEpc))?;
        sorted.push(ai, value);
    }
    let own_len = sorted.len();
    for (ai, value) in values.iter() {
        match sorted.get(ai) {
            None if family.plus_ais.contains(&ai) => {}
            None => sorted.push(ai, value),
            Some(own) if own == value => {}
            Some(_) => return Err(nowhere(ErrorKind::DuplicateAi)),
        }
    }
    Ok((sorted, own_len))
}
