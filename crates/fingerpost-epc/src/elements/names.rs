//! Conversion of element values to a Digital Link URI, an entity key or an element string.
//!
//! GS1 Digital Link URI Syntax 1.4.1, sections 4.8 and 4.9: the key and its qualifiers form the
//! path, everything else the query.

use alloc::string::String;
use alloc::vec::Vec;

use fingerpost_gs1::{Ai, DigitalLink, ElementString, EntityKey, percent};

use super::{AiValues, Elements};
use crate::charset::{self, UNRESERVED};
use crate::digits::are_digits;
use crate::error::{Error, ErrorKind, ErrorSpan};
use crate::text::into_string;

/// A key with its qualifiers, and the other pairs in their order.
pub type KeyAndAttributes<'v> = (EntityKey, Vec<(Ai, &'v str)>);

impl AiValues {
    /// Writes the Digital Link URI below `stem`, a slash at whose end is dropped: the first key
    /// with the longest sequence of its qualifiers, then the other pairs in their order as the
    /// query. [`DigitalLink::parse`] reads the result.
    ///
    /// ```
    /// use fingerpost_epc::Epc;
    ///
    /// let epc = Epc::from_hex("f7809506000134352624b51005003d9881802710b9acf8")?;
    /// assert_eq!(
    ///     epc.elements()?.digital_link("https://id.gs1.org")?,
    ///     "https://id.gs1.org/01/09506000134352/10/00123/21/S1?3103=001250&17=261231",
    /// );
    /// # Ok::<(), fingerpost_epc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `NO_DIGITAL_LINK` if there is no primary key; the error of the stem; or the reason why the
    /// values are not the content of a Digital Link URI: a value that violates the rules of its
    /// Application Identifier, one without its companion, or one that is allowed neither in
    /// this path nor in the query. [`AiValues::path_and_query`] writes these as well.
    pub fn digital_link(&self, stem: &str) -> Result<String, Error> {
        let uri = self.write_link(DigitalLink::check_stem(stem)?)?;
        DigitalLink::parse(&uri)?.check_dot_segments()?;
        Ok(uri)
    }

    /// Writes path and query of the Digital Link URI for a resolver, which looks up a key whatever
    /// else the tag holds: values and their associations are not checked, and elements that are
    /// not allowed in a query are in it nevertheless.
    ///
    /// ```
    /// use fingerpost_epc::Epc;
    ///
    /// let values = Epc::from_hex("3066c4409047e14000001a85")?.elements()?;
    /// assert_eq!(values.path_and_query()?, "/01/09506000134352/21/6789");
    /// # Ok::<(), fingerpost_epc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `NO_DIGITAL_LINK` if there is no primary key.
    pub fn path_and_query(&self) -> Result<String, Error> {
        self.write_link("")
    }

    /// Writes the URI below a checked stem. Values are percent-encoded, not checked.
    pub(crate) fn write_link(&self, stem: &str) -> Result<String, Error> {
        let path = self.path()?;
        // Values of a typical EPC leave room; percent-encoded values may need more.
        let mut uri = Vec::with_capacity(stem.len() + self.text().len() + 6 * self.len() + 16);
        uri.extend_from_slice(stem.as_bytes());
        for index in path.indices() {
            uri.push(b'/');
            self.write_pair(index, b'/', &mut uri);
        }
        let mut separator = b'?';
        for index in (0..self.len()).filter(|index| !path.holds(*index)) {
            uri.push(core::mem::replace(&mut separator, b'&'));
            self.write_pair(index, b'=', &mut uri);
        }
        Ok(into_string(uri))
    }

    /// Returns the key with its qualifiers, checked and in canonical form, and the other pairs in
    /// their order: the query of a Digital Link URI.
    ///
    /// ```
    /// use fingerpost_epc::Epc;
    /// use fingerpost_gs1::Ai;
    ///
    /// let values = Epc::from_hex("f7809506000134352624b51005003d9881802710b9acf8")?.elements()?;
    /// let (key, attributes) = values.entity_key()?;
    /// assert_eq!(key.as_str(), "01/09506000134352/10/00123/21/S1");
    /// assert_eq!(attributes[1].1, "261231");
    /// # Ok::<(), fingerpost_epc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `NO_DIGITAL_LINK` if there is no primary key, or the error of one of its values.
    pub fn entity_key(&self) -> Result<KeyAndAttributes<'_>, Error> {
        let path = self.path()?;
        let mut pairs = path.indices().filter_map(|index| self.iter().nth(index));
        let no_key = Error::new(ErrorKind::NoDigitalLink, ErrorSpan::Nowhere);
        let key = pairs.next().ok_or(no_key)?;
        let qualifiers: Vec<(Ai, &str)> = pairs.collect();
        let others = self.iter().enumerate().filter(|(index, _)| !path.holds(*index));
        Ok((EntityKey::new(key, &qualifiers)?, others.map(|(_, pair)| pair).collect()))
    }

    /// Checks every value against the rules of its Application Identifier; associations are not
    /// checked.
    ///
    /// # Errors
    ///
    /// The error of the first value that violates a rule.
    pub fn check_values(&self) -> Result<(), Error> {
        self.pairs().try_for_each(|(ai, value)| Ok(ai.check_value(value)?))
    }

    /// Returns the element string, with all checks of values and associations.
    ///
    /// # Errors
    ///
    /// The first violated rule.
    pub fn to_element_string(&self) -> Result<ElementString<'static>, Error> {
        let text = alloc::format!("{self}");
        Ok(ElementString::parse_bracketed(&text)?.into_owned())
    }

    /// Returns the pairs that form the path.
    #[inline]
    fn path(&self) -> Result<Path, Error> {
        let no_key = Error::new(ErrorKind::NoDigitalLink, ErrorSpan::Nowhere);
        let mut pairs = (0..self.len()).map(|index| (index, self.pair(index).ai));
        let (key, sequences) = pairs
            .find_map(|(index, ai)| Some((index, ai.entry()?.qualifier_sequences()?)))
            .ok_or(no_key)?;
        let mut path = Path { indices: [key; PATH], count: 1 };
        if self.len() == 1 {
            return Ok(path);
        }
        for sequence in sequences {
            let mut other = Path { indices: [key; PATH], count: 1 };
            for &qualifier in *sequence {
                let slot = other.indices.get_mut(other.count);
                if let (Some(index), Some(slot)) = (self.index_of(qualifier), slot) {
                    *slot = index;
                    other.count += 1;
                }
            }
            // The first of several with the same length, like `DigitalLink::build`.
            if other.count > path.count {
                path = other;
            }
        }
        Ok(path)
    }

    fn write_pair(&self, index: usize, between: u8, uri: &mut Vec<u8>) {
        let Some((ai, value)) = self.pair_at(index) else { return };
        uri.extend_from_slice(ai.as_bytes());
        uri.push(between);
        write_encoded(value, uri);
    }
}

/// Writes a value, percent-encoded where it must be.
#[inline]
fn write_encoded(value: &[u8], uri: &mut Vec<u8>) {
    // Most values are digits, of which eight are checked at once.
    if are_digits(value) || value.iter().all(|&byte| charset::is(byte, UNRESERVED)) {
        uri.extend_from_slice(value);
    } else {
        let mut encoded = String::new();
        percent::encode_value(value, &mut encoded);
        uri.extend_from_slice(encoded.as_bytes());
    }
}

/// A Digital Link URI of elements that all belong to its path: a key, then qualifiers in their
/// order.
pub(crate) struct LinkPath {
    uri: Vec<u8>,
}

impl LinkPath {
    /// Starts a URI with a checked stem; `room` is the expected length of the values.
    #[inline]
    pub(crate) fn below(stem: &str, room: usize) -> LinkPath {
        // Two Application Identifiers between slashes.
        let mut uri = Vec::with_capacity(stem.len() + room + 12);
        uri.extend_from_slice(stem.as_bytes());
        LinkPath { uri }
    }

    /// Returns the URI.
    #[inline]
    pub(crate) fn finish(self) -> String {
        into_string(self.uri)
    }
}

impl Elements for LinkPath {
    #[inline]
    fn start(&mut self, ai: Ai) {
        self.uri.push(b'/');
        self.uri.extend_from_slice(ai.as_bytes());
        self.uri.push(b'/');
    }

    #[inline]
    fn write_bytes(&mut self, bytes: &[u8]) {
        write_encoded(bytes, &mut self.uri);
    }
}

/// The maximum number of pairs in a path: a GTIN with variant, lot and serial number.
const PATH: usize = 4;

/// Indices of the pairs of a path, the key first.
struct Path {
    indices: [usize; PATH],
    count: usize,
}

impl Path {
    fn indices(&self) -> impl Iterator<Item = usize> + '_ {
        self.indices[..self.count].iter().copied()
    }

    fn holds(&self, index: usize) -> bool {
        self.indices().any(|own| own == index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The longest sequence of qualifiers forms the path; the rest is the query, in order.
    #[test]
    fn paths_and_queries() {
        for (pairs, uri) in [
            (&[("01", "09506000134352"), ("21", "a/b")][..], "/01/09506000134352/21/a%2Fb"),
            (
                &[("01", "09506000134352"), ("21", "1"), ("235", "T"), ("10", "L"), ("22", "V")],
                "/01/09506000134352/22/V/10/L/21/1?235=T",
            ),
            (&[("01", "09506000134352"), ("235", "T")], "/01/09506000134352/235/T"),
            (
                &[("01", "09506000134352"), ("235", "T"), ("10", "L")],
                "/01/09506000134352/10/L?235=T",
            ),
            (&[("414", "9506000134352"), ("7040", "1A")], "/414/9506000134352/7040/1A"),
            (&[("21", "1"), ("00", "0"), ("01", "2")], "/00/0?21=1&01=2"),
        ] {
            let pairs = pairs.iter().filter_map(|(ai, value)| Some((Ai::new(ai)?, *value)));
            let values = AiValues::unchecked(pairs);
            assert_eq!(values.path_and_query().unwrap(), uri);
        }
        let none = AiValues::unchecked([(Ai::LOT, "1")]);
        assert_eq!(none.digital_link("https://a.example").unwrap_err().code(), "NO_DIGITAL_LINK");
        assert_eq!(none.entity_key().unwrap_err().code(), "NO_DIGITAL_LINK");
    }

    #[test]
    fn keys_and_element_strings_are_checked() {
        let values = AiValues::unchecked([
            (Ai::GTIN, "09506000134352"),
            (Ai::SERIAL, "a(b"),
            (Ai::COUNT, "1"),
        ]);
        let (key, attributes) = values.entity_key().unwrap();
        assert_eq!(key.as_str(), "01/09506000134352/21/a%28b");
        assert_eq!(attributes, [(Ai::COUNT, "1")]);
        assert!(values.check_values().is_ok());
        // 37 goes with 02, not with 01.
        assert!(values.to_element_string().is_err());
        let wrong = AiValues::unchecked([(Ai::GTIN, "09506000134353")]);
        assert!(wrong.check_values().is_err() && wrong.entity_key().is_err());
    }
}
