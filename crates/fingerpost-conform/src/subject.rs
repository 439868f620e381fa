//! A Digital Link URI of the resolver under test.

/// Primary keys (GS1 Digital Link URI Syntax 1.4.1, section 4.3).
pub(crate) const PRIMARY_KEYS: [&str; 16] = [
    "00", "01", "253", "255", "401", "402", "414", "415", "417", "8003", "8004", "8006", "8010",
    "8013", "8017", "8018",
];

/// The parts of a Digital Link URI, as written.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    /// Scheme and authority, without a slash at the end.
    pub(crate) origin: String,
    /// The path before the primary key; empty or with a leading slash.
    pub(crate) stem: String,
    /// The Application Identifier of the primary key.
    pub(crate) ai: String,
    /// The value of the primary key.
    pub(crate) key: String,
    /// The rest of the path; empty or with a leading slash.
    pub(crate) qualifiers: String,
}

impl Subject {
    /// Parses a URI. Its query and fragment are left out.
    pub(crate) fn parse(uri: &str) -> Result<Self, String> {
        let advice =
            "expected a GS1 Digital Link URI such as https://id.example.org/01/09520123456788";
        let wrong =
            |what: &str| format!("{advice}, found {what}: {}", crate::escape::printable(uri));
        if !uri.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(wrong("characters that a URI cannot contain"));
        }
        let (scheme, rest) = uri.split_once("://").ok_or_else(|| wrong("no scheme"))?;
        let scheme = scheme.to_ascii_lowercase();
        if !matches!(&*scheme, "http" | "https") {
            return Err(wrong("another scheme"));
        }
        let rest = rest.split(['?', '#']).next().unwrap_or_default();
        let (authority, path) = rest.split_once('/').ok_or_else(|| wrong("no path"))?;
        if authority.is_empty() || authority.contains('@') {
            return Err(wrong("no host, or a user before it"));
        }
        let segments: Vec<&str> = path.trim_end_matches('/').split('/').collect();
        let at = (0..segments.len()).find(|&at| {
            PRIMARY_KEYS.contains(&segments[at]) && (segments.len() - at).is_multiple_of(2)
        });
        let at = at.ok_or_else(|| wrong("no primary key in the path"))?;
        let joined = |range: &[&str]| range.iter().map(|it| format!("/{it}")).collect::<String>();
        Ok(Self {
            origin: format!("{scheme}://{authority}"),
            stem: joined(&segments[..at]),
            ai: segments[at].to_owned(),
            key: segments[at + 1].to_owned(),
            qualifiers: joined(&segments[at + 2..]),
        })
    }

    /// Returns the URI.
    pub(crate) fn url(&self) -> String {
        format!("{}{}", self.key_url(), self.qualifiers)
    }

    /// Returns the URI of the bare key.
    pub(crate) fn key_url(&self) -> String {
        format!("{}/{}/{}", self.root(), self.ai, self.key)
    }

    /// Returns origin and stem.
    pub(crate) fn root(&self) -> String {
        format!("{}{}", self.origin, self.stem)
    }

    /// Returns the URI with another value of the key.
    pub(crate) fn with_key(&self, key: &str) -> String {
        format!("{}/{}/{key}", self.root(), self.ai)
    }

    /// Returns a key with the same digits and a wrong check digit, if the key ends with one.
    pub(crate) fn wrong_check_digit(&self) -> Option<String> {
        let has_check_digit =
            matches!(&*self.ai, "00" | "01" | "402" | "414" | "415" | "417" | "8017" | "8018");
        let digit = self.key.bytes().last().filter(|_| has_check_digit)?;
        let other = char::from(b'0' + (digit.is_ascii_digit().then(|| digit - b'0')? + 1) % 10);
        Some(format!("{}{other}", &self.key[..self.key.len() - 1]))
    }

    /// Returns another valid key of the same length: the digits before the check digit, counted
    /// down by `step`.
    pub(crate) fn other_key(&self, step: u64) -> Option<String> {
        self.wrong_check_digit()?;
        let data = &self.key[..self.key.len() - 1];
        let low = data.len().saturating_sub(6);
        let number: u64 = data[low..].parse().ok()?;
        let modulus = 10_u64.pow((data.len() - low).try_into().ok()?);
        let number = (number + modulus - step % modulus) % modulus;
        let data = format!("{}{number:0width$}", &data[..low], width = data.len() - low);
        Some(format!("{data}{}", check_digit(&data)?))
    }
}

/// Whether the host of a URL is this machine.
pub(crate) fn is_loopback(url: &str) -> bool {
    let host = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = host.split('/').next().unwrap_or_default();
    host.starts_with("127.")
        || host.starts_with("[::1]")
        || host.split(':').next() == Some("localhost")
}

/// Returns the check digit of a string of digits (GS1 General Specifications, section 7.9).
fn check_digit(data: &str) -> Option<char> {
    let mut sum = 0;
    for (index, byte) in data.bytes().rev().enumerate() {
        let digit = u32::from(byte.is_ascii_digit().then(|| byte - b'0')?);
        sum += if index.is_multiple_of(2) { digit * 3 } else { digit };
    }
    char::from_digit((10 - sum % 10) % 10, 10)
}

#[cfg(test)]
mod tests {
    use super::Subject;

    #[test]
    fn uris_have_stem_key_and_qualifiers() {
        let subject =
            Subject::parse("HTTPS://a.example:8/x/01/09520123456788/10/A%2FB/?c#d").unwrap();
        assert_eq!(subject.root(), "https://a.example:8/x");
        assert_eq!((&*subject.ai, &*subject.key), ("01", "09520123456788"));
        assert_eq!(subject.qualifiers, "/10/A%2FB");
        assert_eq!(subject.url(), "https://a.example:8/x/01/09520123456788/10/A%2FB");
        assert_eq!(subject.wrong_check_digit().unwrap(), "09520123456789");
        assert_eq!(subject.other_key(1).unwrap(), "09520123456771");
        for wrong in [
            "a",
            "ftp://a/01/1",
            "https://a",
            "https://a/02/1",
            "https:///01/1",
            "https://u@a/01/1",
            "https://a/01/\u{1b}",
            "https://a/01",
        ] {
            assert!(Subject::parse(wrong).is_err(), "{wrong}");
        }
        // Any text as a key is tolerated: the resolver judges it.
        for odd in ["https://a/01/x", "https://a/01/%", "https://a/01//", "https://a/00/9"] {
            if let Ok(subject) = Subject::parse(odd) {
                let _ = (subject.wrong_check_digit(), subject.other_key(7), subject.url());
            }
        }
    }
}
