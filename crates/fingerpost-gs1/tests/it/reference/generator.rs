//! Random Digital Link URIs from the formal grammar of GS1 Digital Link URI Syntax 1.4.1, sections
//! 4.2 to 4.11. One function per rule or family of rules; slips of the printed grammar are read as
//! meant.
//!
//! A value is drawn from its rule in the grammar and then, most of the time, put right where its
//! content rules (check digits, dates, code lists) say more than the grammar.

use fingerpost_gs1::{Ai, ErrorKind};

/// SplitMix64: small, and the same everywhere.
pub(crate) struct Random(pub u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Less than `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).unwrap()
    }

    pub(crate) fn range(&mut self, from: usize, to: usize) -> usize {
        from + self.below(to - from + 1)
    }

    /// True once in `n`.
    pub(crate) fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn one_of<'t>(&mut self, all: &[&'t str]) -> &'t str {
        all[self.below(all.len())]
    }

    fn char_of(&mut self, set: &str) -> char {
        char::from(set.as_bytes()[self.below(set.len())])
    }

    fn text_of(&mut self, set: &str, from: usize, to: usize) -> String {
        (0..self.range(from, to)).map(|_| self.char_of(set)).collect()
    }
}

const DIGIT: &str = "0123456789";
const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const UNRESERVED: &str = "ABCXYZabcxyz0189-._~";
const SUB_DELIMS: &str = "!$&'()*+,;=";
/// `XSYMBOL`, and `YSYMBOL`.
const XSYMBOL: &str = "\"-._!%&+,/*()';:<>=?";
const YSYMBOL: &str = "-#/";

/// Section 4.9: key, and the alternatives of its qualifiers. The rules for 7040 after 414 and 8004
/// are named in the printed list, their text is lost. 8020 is listed as a qualifier without a
/// rule; the dictionary has one.
const PATHS: [(&str, &str, &[&[&str]]); 16] = [
    ("00", "18N", &[]),
    ("01", "14N", &[&["22", "10", "21"], &["235"]]),
    ("253", "13N 0-17X", &[]),
    ("255", "13N 0-12N", &[]),
    ("401", "1-30X", &[]),
    ("402", "17N", &[]),
    ("414", "13N", &[&["254"], &["7040"]]),
    ("415", "13N", &[&["8020"]]),
    ("417", "13N", &[&["7040"]]),
    ("8003", "14N 0-16X", &[]),
    ("8004", "1-30X", &[&["7040"]]),
    ("8006", "18N", &[&["22", "10", "21"]]),
    ("8010", "1-30Y", &[&["8011"]]),
    ("8013", "1-25X", &[]),
    ("8017", "18N", &[&["8019"]]),
    ("8018", "18N", &[&["8019"]]),
];

/// Section 4.6.
const QUALIFIERS: [(&str, &str); 9] = [
    ("22", "1-20X"),
    ("10", "1-20X"),
    ("21", "1-20X"),
    ("8011", "1-12N"),
    ("254", "1-20X"),
    ("8020", "1-25X"),
    ("8019", "1-10N"),
    ("235", "1-28X"),
    ("7040", "1N 3X"),
];

/// Section 4.10: first and last AI of each rule with its format. Keys may be attributes too.
const ATTRIBUTES: [(&str, &str, &str); 119] = [
    ("02", "02", "14N"),
    ("10", "10", "1-20X"),
    ("11", "13", "6N"),
    ("15", "17", "6N"),
    ("20", "20", "2N"),
    ("240", "241", "1-30X"),
    ("242", "242", "1-6N"),
    ("243", "243", "1-20X"),
    ("250", "251", "1-30X"),
    ("30", "30", "1-8N"),
    ("37", "37", "1-8N"),
    ("3100", "3105", "6N"),
    ("3110", "3115", "6N"),
    ("3120", "3125", "6N"),
    ("3130", "3135", "6N"),
    ("3140", "3145", "6N"),
    ("3150", "3155", "6N"),
    ("3160", "3165", "6N"),
    ("3200", "3205", "6N"),
    ("3210", "3215", "6N"),
    ("3220", "3225", "6N"),
    ("3230", "3235", "6N"),
    ("3240", "3245", "6N"),
    ("3250", "3255", "6N"),
    ("3260", "3265", "6N"),
    ("3270", "3275", "6N"),
    ("3280", "3285", "6N"),
    ("3290", "3295", "6N"),
    ("3300", "3305", "6N"),
    ("3310", "3315", "6N"),
    ("3320", "3325", "6N"),
    ("3330", "3335", "6N"),
    ("3340", "3345", "6N"),
    ("3350", "3355", "6N"),
    ("3360", "3365", "6N"),
    ("3370", "3375", "6N"),
    ("3400", "3405", "6N"),
    ("3410", "3415", "6N"),
    ("3420", "3425", "6N"),
    ("3430", "3435", "6N"),
    ("3440", "3445", "6N"),
    ("3450", "3455", "6N"),
    ("3460", "3465", "6N"),
    ("3470", "3475", "6N"),
    ("3480", "3485", "6N"),
    ("3490", "3495", "6N"),
    ("3500", "3505", "6N"),
    ("3510", "3515", "6N"),
    ("3520", "3525", "6N"),
    ("3530", "3535", "6N"),
    ("3540", "3545", "6N"),
    ("3550", "3555", "6N"),
    ("3560", "3565", "6N"),
    ("3570", "3575", "6N"),
    ("3600", "3605", "6N"),
    ("3610", "3615", "6N"),
    ("3620", "3625", "6N"),
    ("3630", "3635", "6N"),
    ("3640", "3645", "6N"),
    ("3650", "3655", "6N"),
    ("3660", "3665", "6N"),
    ("3670", "3675", "6N"),
    ("3680", "3685", "6N"),
    ("3690", "3695", "6N"),
    ("3900", "3905", "1-15N"),
    ("3910", "3915", "3N 1-15N"),
    ("3920", "3925", "1-15N"),
    ("3930", "3935", "3N 1-15N"),
    ("3940", "3945", "4N"),
    ("3950", "3953", "6N"),
    ("400", "400", "1-30X"),
    ("403", "403", "1-30X"),
    ("410", "413", "13N"),
    ("416", "416", "13N"),
    ("420", "420", "1-20X"),
    ("421", "421", "3N 1-9X"),
    ("422", "422", "3N"),
    ("423", "423", "3N 1-12N"),
    ("424", "424", "3N"),
    ("425", "425", "3N 1-12N"),
    ("426", "426", "3N"),
    ("427", "427", "1-3X"),
    ("4300", "4301", "1-35X"),
    ("4302", "4306", "1-70X"),
    ("4307", "4307", "2X"),
    ("4308", "4308", "1-30X"),
    ("4310", "4311", "1-35X"),
    ("4312", "4316", "1-70X"),
    ("4317", "4317", "2X"),
    ("4318", "4318", "1-20X"),
    ("4319", "4319", "1-30X"),
    ("4320", "4320", "1-35X"),
    ("4321", "4323", "1B"),
    ("4324", "4325", "10N"),
    ("4326", "4326", "6N"),
    ("7001", "7001", "13N"),
    ("7002", "7002", "1-30X"),
    ("7003", "7003", "10N"),
    ("7004", "7004", "1-4N"),
    ("7005", "7005", "1-12X"),
    ("7006", "7006", "6N"),
    ("7007", "7007", "6N 0-6N"),
    ("7008", "7008", "1-3X"),
    ("7009", "7009", "1-10X"),
    ("7010", "7010", "1-2X"),
    ("7020", "7022", "1-20X"),
    ("7023", "7023", "1-30X"),
    ("7030", "7039", "3N 1-27X"),
    ("710", "715", "1-20X"),
    ("7230", "7239", "2X 1-28X"),
    ("8001", "8001", "14N"),
    ("8002", "8002", "1-20X"),
    ("8005", "8005", "6N"),
    ("8007", "8007", "1-34X"),
    ("8008", "8008", "8N 0-4N"),
    ("8009", "8009", "1-50X"),
    ("8012", "8012", "1-20X"),
    ("8020", "8020", "1-25X"),
    ("8026", "8026", "18N"),
];

/// Rules of section 4.10 that are taken by hand: coupons, points, internal information.
const MORE_ATTRIBUTES: [(&str, &str, &str); 4] = [
    ("8110", "8110", "1-70X"),
    ("8111", "8111", "4N"),
    ("8112", "8112", "1-70X"),
    ("90", "99", "1-30X"),
];

/// What a URI was made of.
pub(crate) struct Made {
    pub(crate) uri: String,
    /// Decoded pairs of the path, key first.
    pub(crate) path: Vec<(String, String)>,
    /// Decoded pairs of the query.
    pub(crate) query: Vec<(String, String)>,
    pub(crate) extensions: Vec<String>,
}

/// `uncompressedCustomGS1webURI` (section 4.11).
pub(crate) fn uri(random: &mut Random) -> Made {
    let mut made =
        Made { uri: stem(random), path: gs1_path(random), query: vec![], extensions: vec![] };
    for (ai, value) in &made.path {
        made.uri += &format!("/{ai}/{}", spell(random, value));
    }
    let pieces = match random.below(8) {
        0..3 => 0,
        3..6 => random.range(1, 2),
        6 => random.range(3, 7),
        _ => random.range(8, 14),
    };
    for at in 0..pieces {
        made.uri.push(if at == 0 { '?' } else { random.char_of("&;&") });
        if random.once_in(5) {
            let piece = extension(random);
            made.uri += &piece;
            made.extensions.push(piece);
        } else {
            let (ai, value) = attribute(random, &made);
            made.uri += &format!("{ai}={}", spell(random, &value));
            made.query.push((ai, value));
        }
    }
    if random.once_in(10) {
        made.uri += &format!("#{}", random.text_of("abc/?=&%", 0, 6));
    }
    made
}

/// `customURIstem = scheme "://" hostname *optionalPathSegment`
fn stem(random: &mut Random) -> String {
    let mut stem = random.one_of(&["http", "https", "https", "HTTPS", "Http"]).to_owned();
    stem += "://";
    stem += &host(random);
    if random.once_in(6) {
        stem += &format!(":{}", random.text_of(DIGIT, 0, 5));
    }
    for _ in 0..random.below(9).saturating_sub(5) {
        stem.push('/');
        match random.below(8) {
            0 => stem += random.one_of(&["01", "10", "00", "8004", "gtin", "", "26", "123"]),
            _ => {
                for _ in 0..random.below(6) {
                    stem += &pchar(random);
                }
            }
        }
    }
    stem
}

/// `host = IP-literal / IPv4address / reg-name`
fn host(random: &mut Random) -> String {
    match random.below(10) {
        0 => "[2001:db8::1]".to_owned(),
        1 => format!("[v{}.{}]", random.text_of("0aF", 1, 2), random.text_of("ab:!", 1, 4)),
        2 => (0..4).map(|_| random.below(256).to_string()).collect::<Vec<_>>().join("."),
        3 => (0..random.range(1, 8))
            .map(|_| match random.below(4) {
                0 => "%4a".to_owned(),
                1 => random.char_of(SUB_DELIMS).to_string(),
                _ => random.char_of(UNRESERVED).to_string(),
            })
            .collect(),
        4..7 => "id.gs1.org".to_owned(),
        _ => format!("{}.example", random.text_of("abcxyz0-", 1, 8)),
    }
}

/// `pchar = unreserved / pct-encoded / sub-delims / ":" / "@"`
fn pchar(random: &mut Random) -> String {
    match random.below(8) {
        0 => format!("%{}", random.text_of("0123456789abcdefABCDEF", 2, 2)),
        1 => random.char_of(SUB_DELIMS).to_string(),
        2 => random.char_of(":@").to_string(),
        _ => random.char_of(UNRESERVED).to_string(),
    }
}

/// `gs1path` (section 4.9)
fn gs1_path(random: &mut Random) -> Vec<(String, String)> {
    let at = if random.once_in(3) { 1 } else { random.below(PATHS.len()) };
    let (key, format, alternatives) = PATHS[at];
    let mut path = vec![(key.to_owned(), value(random, key, format))];
    if !alternatives.is_empty() {
        for &ai in alternatives[random.below(alternatives.len())] {
            if random.once_in(2) {
                let format = QUALIFIERS.iter().find(|q| q.0 == ai).expect("a qualifier").1;
                path.push((ai.to_owned(), value(random, ai, format)));
            }
        }
    }
    path
}

/// `queryStringParam` but extensions. Mostly one that is not there yet; often a companion that the
/// key does not forbid.
fn attribute(random: &mut Random, made: &Made) -> (String, String) {
    for _ in 0..20 {
        let (ai, format) = match random.below(12) {
            0 => {
                let (key, format, _) = PATHS[random.below(PATHS.len())];
                (key.to_owned(), format)
            }
            1 => {
                let (from, to, format) = MORE_ATTRIBUTES[random.below(MORE_ATTRIBUTES.len())];
                (between(random, from, to), format)
            }
            _ => {
                let (from, to, format) = ATTRIBUTES[random.below(ATTRIBUTES.len())];
                (between(random, from, to), format)
            }
        };
        let present = made.path.iter().chain(&made.query).any(|pair| pair.0 == ai);
        if !present || random.once_in(40) {
            let text = value(random, &ai, format);
            return (ai, text);
        }
    }
    ("99".to_owned(), "A".to_owned())
}

fn between(random: &mut Random, from: &str, to: &str) -> String {
    let (low, high): (usize, usize) = (from.parse().unwrap(), to.parse().unwrap());
    format!("{:0width$}", random.range(low, high), width = from.len())
}

/// `extensionParameter`: a pair whose key is not all digits, or a word alone.
fn extension(random: &mut Random) -> String {
    match random.below(5) {
        0 => "linkType=gs1:pip".to_owned(),
        1 => "context=x".to_owned(),
        2 => random.text_of(ALNUM, 1, 5),
        _ => {
            let key = format!("k{}", random.text_of(ALNUM, 0, 4));
            let text: String = (0..random.below(5)).map(|_| pchar(random)).collect();
            format!("{key}={}", text.replace(['&', ';'], "~"))
        }
    }
}

/// A decoded value of the grammar's format, put right where more is asked of it.
fn value(random: &mut Random, ai: &str, format: &str) -> String {
    let mut text = raw_value(random, format);
    if random.once_in(40) {
        return text;
    }
    let known = Ai::new(ai).filter(|ai| ai.entry().is_some());
    for _ in 0..60 {
        let Some(error) = known.and_then(|ai| ai.check_value(text.as_bytes()).err()) else {
            return text;
        };
        let Some(span) = error.value_span() else { return text };
        let mut bytes = text.clone().into_bytes();
        match error.kind() {
            ErrorKind::CheckDigit { expected, .. } => bytes[span.start] = expected,
            ErrorKind::CheckPair { expected, .. } => {
                bytes[span.start..span.start + 2].copy_from_slice(&expected);
            }
            _ if error.code().contains("GCP") => {
                let start = span.start.min(bytes.len());
                bytes.truncate(start);
                bytes.extend_from_slice(b"9520");
            }
            _ if SAMPLES.iter().any(|sample| sample.0 == ai) => {
                let samples: Vec<&str> =
                    SAMPLES.iter().filter(|sample| sample.0 == ai).map(|sample| sample.1).collect();
                return random.one_of(&samples).to_owned();
            }
            // Dates, code lists and the like: other characters of the same kind.
            _ if span.end <= bytes.len() && span.start < span.end => {
                for byte in &mut bytes[span.start..span.end] {
                    let set = if byte.is_ascii_digit() { "0012" } else { ALNUM };
                    let set = if random.once_in(3) { DIGIT } else { set };
                    *byte = random.char_of(set) as u8;
                }
            }
            _ => return raw_value(random, format),
        }
        text = String::from_utf8(bytes).expect("ASCII");
    }
    text
}

/// Values whose rules are too narrow to be met by chance.
const SAMPLES: [(&str, &str); 17] = [
    ("8007", "FR7630006000011234567890189"),
    ("8110", "012345612345611110123"),
    ("8112", "001234561234560123456"),
    ("8001", "01230456012310"),
    ("8026", "095201234567880102"),
    ("8006", "095201234567880102"),
    ("7040", "1ABC"),
    ("422", "840"),
    ("424", "004"),
    ("426", "978"),
    ("423", "840004"),
    ("425", "840004"),
    ("421", "840X1"),
    ("7030", "999ABC"),
    ("3910", "978100"),
    ("4307", "GB"),
    ("4317", "FR"),
];

/// `14N`, `1-20X`, `3N 1-9X`: counts and sets of the rules. A range from 0 is an optional part.
fn raw_value(random: &mut Random, format: &str) -> String {
    let mut text = String::new();
    for part in format.split(' ') {
        let (count, set) = part.split_at(part.len() - 1);
        let (from, to) = count.split_once('-').unwrap_or((count, count));
        let count = random.range(from.parse().unwrap(), to.parse().unwrap());
        for _ in 0..count {
            text.push(match set {
                "N" => random.char_of(DIGIT),
                "B" => random.char_of("01"),
                "Y" if random.once_in(4) => random.char_of(YSYMBOL),
                "Y" => random.char_of("ABCXYZ0189"),
                _ if random.once_in(4) => random.char_of(XSYMBOL),
                _ => random.char_of(ALNUM),
            });
        }
    }
    text
}

/// The value as a URI spells it: what the grammar wants encoded is, the rest sometimes.
fn spell(random: &mut Random, value: &str) -> String {
    let mut text = String::new();
    for c in value.chars() {
        let raw = c.is_ascii_alphanumeric() || "-._~".contains(c);
        if raw && !random.once_in(100) {
            text.push(c);
        } else if random.once_in(4) {
            text += &format!("%{:02x}", c as u32);
        } else {
            text += &format!("%{:02X}", c as u32);
        }
    }
    text
}
