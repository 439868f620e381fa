//! A slow reader of Digital Link URIs, typed step by step after the rows GS1-DL of
//! `docs/requirements/gs1.md` (and GS1-VAL, GS1-ASC, GS1-ES-18). It shares nothing with the library
//! but the AI table and the linters, and serves as the oracle of the property tests.

mod checks;
pub(crate) mod generator;

pub(crate) use checks::{check_associations, check_components};

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use fingerpost_gs1::{Ai, CharacterSet, Linter};

/// The options, by their names in the vectors. `lenient` is every lenient point at once.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mode {
    pub(crate) lenient: bool,
    pub(crate) no_requisites: bool,
    pub(crate) unknown_ais: bool,
    pub(crate) unknown_ais_as_attributes: bool,
    pub(crate) uri_syntax_1_4: bool,
}

/// What a URI says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) stem: String,
    pub(crate) path: Vec<(String, String)>,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) extensions: Vec<String>,
    pub(crate) fragment: Option<String>,
    pub(crate) canonical: String,
}

/// Code, AI at fault if one is named, position in the value for the codes `L_…`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) code: String,
    pub(crate) ai: Option<String>,
    pub(crate) at: Option<(usize, usize)>,
}

/// A row of the AI table, as text.
#[derive(Clone)]
pub(crate) struct Row {
    pub(crate) min: usize,
    pub(crate) max: usize,
    pub(crate) components: Vec<(CharacterSet, usize, usize, bool, Vec<Linter>)>,
    pub(crate) attribute: bool,
    pub(crate) qualifiers: Option<Vec<Vec<String>>>,
    pub(crate) requires: Vec<Vec<Vec<String>>>,
    pub(crate) excludes: Vec<String>,
}

pub(crate) static TABLE: LazyLock<BTreeMap<String, Row>> = LazyLock::new(|| {
    Ai::all()
        .map(|(ai, entry)| {
            let components: Vec<_> = entry
                .components()
                .iter()
                .map(|part| {
                    let linters = part.linters().to_vec();
                    let (min, max) = (part.min_length(), part.max_length());
                    (part.character_set(), min, max, part.is_optional(), linters)
                })
                .collect();
            let row = Row {
                min: components.iter().filter(|c| !c.3).map(|c| c.1).sum(),
                max: components.iter().map(|c| c.2).sum(),
                components,
                attribute: entry.is_attribute(),
                qualifiers: entry.qualifier_sequences().map(|all| {
                    all.iter().map(|one| one.iter().map(ToString::to_string).collect()).collect()
                }),
                requires: entry
                    .requires()
                    .iter()
                    .map(|groups| {
                        groups
                            .iter()
                            .map(|group| group.iter().map(ToString::to_string).collect())
                            .collect()
                    })
                    .collect(),
                excludes: entry.excludes().iter().map(ToString::to_string).collect(),
            };
            (ai.to_string(), row)
        })
        .collect()
});

const URI_CHARACTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\
                              -._~:/?#[]@!$&'()*+,;=%";
const NAME_CHARACTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\
                               -._~!$&'()*+,;=";
const ALPHAS: &str = "cpid 8010 cpsn 8011 cpv 22 gcn 255 gdti 253 giai 8004 ginc 401 gln 414 \
                      glnx 254 gmn 8013 grai 8003 gsin 402 gsrn 8018 gsrnp 8017 gtin 01 itip 8006 \
                      lot 10 party 417 refno 8020 ser 21 srin 8019 sscc 00 exp 17 expdt 7003 \
                      payto 415";

type Pairs = Vec<(String, Vec<u8>)>;

fn fault<T>(code: &str, ai: Option<&str>) -> Result<T, Fault> {
    Err(Fault { code: code.to_owned(), ai: ai.map(str::to_owned), at: None })
}

/// Section 4.2, steps 1 to 12.
pub(crate) fn parse(uri: &str, mode: Mode) -> Result<Link, Fault> {
    // 1. Length, characters.
    if uri.len() > 8191 {
        return fault("INPUT_TOO_LONG", None);
    }
    if !mode.lenient && uri.chars().any(|c| !URI_CHARACTERS.contains(c)) {
        return fault("URI_ILLEGAL_CHARACTER", None);
    }
    // 2. Scheme.
    let Some((scheme, rest)) = uri.split_once("://") else { return fault("URI_SCHEME", None) };
    if !["http", "https"].contains(&scheme.to_ascii_lowercase().as_str()) {
        return fault("URI_SCHEME", None);
    }
    // 3. Authority.
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    check_authority(authority, mode)?;
    // 4. Fragment, query, path.
    let (rest, fragment) = match rest.split_once('#') {
        Some((rest, fragment)) => (rest, Some(fragment.to_owned())),
        None => (rest, None),
    };
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    if path.is_empty() {
        return fault("URI_NO_PATH", None);
    }
    // 5, 6. The key from the right, then again without a slash at the end.
    let (stem_path, pairs) = match find_key(path, mode) {
        Some(found) => found,
        None => {
            let found = path.strip_suffix('/').and_then(|path| find_key(path, mode));
            let Some(found) = found else { return fault("NO_PRIMARY_KEY", None) };
            if !mode.lenient {
                return fault("TRAILING_SLASH", None);
            }
            found
        }
    };
    // 7. The values of the path.
    let mut path_pairs: Pairs = Vec::new();
    for (ai, value) in pairs {
        let value = read_value(&ai, &value, false, mode)?;
        path_pairs.push((ai, value));
    }
    // 8. The query.
    let (query_pairs, extensions) = read_query(query, mode)?;
    let (path_pairs, query_pairs) = check_structure(path_pairs, query_pairs, mode)?;
    // 12. Components, then associations.
    let all: Pairs = path_pairs.iter().chain(&query_pairs).cloned().collect();
    for (ai, value) in &all {
        check_components(ai, value, mode)?;
    }
    check_associations(&all, mode)?;
    let text = |pairs: &Pairs| -> Vec<(String, String)> {
        let value = |v: &Vec<u8>| String::from_utf8_lossy(v).into_owned();
        pairs.iter().map(|(ai, v)| (ai.clone(), value(v))).collect()
    };
    Ok(Link {
        stem: format!("{scheme}://{authority}{stem_path}"),
        canonical: canonical(&path_pairs, &query_pairs),
        path: text(&path_pairs),
        query: text(&query_pairs),
        extensions,
        fragment,
    })
}

/// Step 3.
fn check_authority(authority: &str, mode: Mode) -> Result<(), Fault> {
    let mut host = authority;
    if mode.lenient
        && let Some((_, after)) = authority.rsplit_once('@')
    {
        host = after;
    }
    let port = |text: &str| {
        text.is_empty()
            || text.strip_prefix(':').is_some_and(|d| d.chars().all(|c| c.is_ascii_digit()))
    };
    let ok = match host.strip_prefix('[') {
        Some(rest) => rest.split_once(']').is_some_and(|(ip, rest)| is_ip(ip) && port(rest)),
        None => {
            let at = host.find(':').unwrap_or(host.len());
            let (name, rest) = host.split_at(at);
            let mut left: String = name.to_owned();
            while let Some(at) = left.find('%') {
                let hex = left.get(at + 1..at + 3).unwrap_or("");
                if hex.len() != 2 || !hex.chars().all(|c| c.is_ascii_hexdigit()) {
                    return fault("URI_HOST", None);
                }
                left.replace_range(at..at + 3, "");
            }
            !name.is_empty() && left.chars().all(|c| NAME_CHARACTERS.contains(c)) && port(rest)
        }
    };
    if ok { Ok(()) } else { fault("URI_HOST", None) }
}

/// IPv6 or IPvFuture, number ranges unchecked.
fn is_ip(text: &str) -> bool {
    if let Some(rest) = text.strip_prefix(['v', 'V']) {
        return rest.split_once('.').is_some_and(|(version, rest)| {
            !version.is_empty()
                && version.chars().all(|c| c.is_ascii_hexdigit())
                && !rest.is_empty()
                && rest.chars().all(|c| c == ':' || NAME_CHARACTERS.contains(c))
        });
    }
    // Replace an IPv4 tail by two groups, then count groups.
    let mut text = text.to_owned();
    if text.contains('.') {
        let at = text.rfind(':').map_or(0, |at| at + 1);
        let tail: Vec<&str> = text[at..].split('.').collect();
        let number = |n: &&str| (1..=3).contains(&n.len()) && n.chars().all(|c| c.is_ascii_digit());
        if at == 0 || tail.len() != 4 || !tail.iter().all(number) {
            return false;
        }
        text.replace_range(at.., "0:0");
    }
    let parts: Vec<&str> = text.split("::").collect();
    let mut groups = 0;
    for part in &parts {
        for group in part.split(':').filter(|_| !part.is_empty()) {
            if group.is_empty() || group.len() > 4 || !group.chars().all(|c| c.is_ascii_hexdigit())
            {
                return false;
            }
            groups += 1;
        }
    }
    match parts.len() {
        1 => groups == 8,
        2 => groups <= 7,
        _ => false,
    }
}

/// The row of an AI that may stand in a path.
fn known(ai: &str, mode: Mode) -> Option<&'static Row> {
    match TABLE.get(ai) {
        None if mode.uri_syntax_1_4 && ["3944", "3945"].contains(&ai) => TABLE.get("3943"),
        row => row,
    }
}

/// Section 4.1: a convenience alpha stands for its AI.
fn translate(ai: &str, mode: Mode) -> String {
    let mut digits = ai.to_owned();
    for digit in 0..10 {
        digits = digits.replace(&format!("%3{digit}"), &digit.to_string());
    }
    if digits.bytes().all(|b| b.is_ascii_digit()) {
        return digits;
    }
    if !mode.lenient {
        return ai.to_owned();
    }
    let words: Vec<&str> = ALPHAS.split(' ').collect();
    let found = words.chunks(2).find(|pair| pair[0] == ai);
    found.map_or(ai, |pair| pair[1]).to_owned()
}

/// Step 5: what comes before the key, and the pairs from the key on.
fn find_key(path: &str, mode: Mode) -> Option<(String, Vec<(String, String)>)> {
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    let mut at = segments.len();
    loop {
        at = at.checked_sub(2)?;
        let row = known(&translate(segments[at], mode), mode)?;
        if row.qualifiers.is_some() {
            let stem = segments[..at].iter().map(|s| format!("/{s}")).collect();
            let pairs = segments[at..]
                .chunks(2)
                .map(|pair| (translate(pair[0], mode), pair[1].to_owned()))
                .collect();
            return Some((stem, pairs));
        }
    }
}

/// Step 7.
fn read_value(ai: &str, text: &str, query: bool, mode: Mode) -> Result<Vec<u8>, Fault> {
    if text.is_empty() {
        return fault("VALUE_EMPTY", Some(ai));
    }
    let bytes = text.as_bytes();
    let mut value = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let hex = |n: usize| bytes.get(n).and_then(|&b| char::from(b).to_digit(16));
        match (bytes[at], hex(at + 1), hex(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                value.push(u8::try_from(high * 16 + low).unwrap());
                at += 3;
                continue;
            }
            (b'%', ..) if !mode.lenient => return fault("PERCENT_ENCODING", Some(ai)),
            (b'+', ..) if query => value.push(b' '),
            (byte, ..) => value.push(byte),
        }
        at += 1;
    }
    if value.contains(&0) {
        return fault("NUL_IN_VALUE", Some(ai));
    }
    if mode.lenient && ai == "01" && [8, 12, 13].contains(&value.len()) {
        while value.len() < 14 {
            value.insert(0, b'0');
        }
    }
    let row = row_of(ai, mode);
    if value.len() < row.min {
        return fault("VALUE_TOO_SHORT", Some(ai));
    }
    if value.len() > row.max {
        return fault("VALUE_TOO_LONG", Some(ai));
    }
    if value.contains(&b'^') || value.contains(&0x1D) {
        return fault("FNC1_IN_VALUE", Some(ai));
    }
    Ok(value)
}

/// The row of an AI that was accepted, also of one that is not in the table.
fn row_of(ai: &str, mode: Mode) -> &'static Row {
    known(ai, mode).or_else(|| unknown_row(ai, mode)).expect("an accepted AI")
}

/// Section 3.5.
fn unknown_row(ai: &str, mode: Mode) -> Option<&'static Row> {
    if !mode.unknown_ais || !(2..=4).contains(&ai.len()) || !ai.bytes().all(|b| b.is_ascii_digit())
    {
        return None;
    }
    let same_prefix: Vec<&String> = TABLE.keys().filter(|known| known[..2] == ai[..2]).collect();
    let wrong_length = same_prefix.iter().any(|known| known.len() != ai.len());
    let overlaps =
        TABLE.keys().any(|known| known.starts_with(ai) || ai.starts_with(known.as_str()));
    if wrong_length || overlaps {
        return None;
    }
    Some(match ai.len() {
        3 if ai.starts_with("41") => &UNKNOWN[1],
        4 if ("31".."37").contains(&&ai[..2]) => &UNKNOWN[2],
        _ => &UNKNOWN[0],
    })
}

/// X..90, X13 and X6.
static UNKNOWN: LazyLock<[Row; 3]> = LazyLock::new(|| {
    [(1, 90), (13, 13), (6, 6)].map(|(min, max)| Row {
        min,
        max,
        components: vec![(CharacterSet::Cset82, min, max, false, vec![])],
        attribute: false,
        qualifiers: None,
        requires: vec![],
        excludes: vec![],
    })
});

/// Step 8.
fn read_query(query: &str, mode: Mode) -> Result<(Pairs, Vec<String>), Fault> {
    let (mut pairs, mut extensions) = (Pairs::new(), Vec::new());
    for piece in query.split(['&', ';']).filter(|piece| !piece.is_empty()) {
        let Some((key, value)) = piece.split_once('=') else {
            extensions.push(piece.to_owned());
            continue;
        };
        let key = translate(key, mode);
        if key.is_empty() || !key.bytes().all(|b| b.is_ascii_digit()) {
            extensions.push(piece.to_owned());
            continue;
        }
        if known(&key, mode).is_none() && unknown_row(&key, mode).is_none() {
            return fault("UNKNOWN_NUMERIC_KEY", (2..=4).contains(&key.len()).then_some(&key));
        }
        let value = read_value(&key, value, true, mode)?;
        pairs.push((key, value));
    }
    Ok((pairs, extensions))
}

/// Steps 9 to 11.
fn check_structure(path: Pairs, query: Pairs, mode: Mode) -> Result<(Pairs, Pairs), Fault> {
    let (mut path, mut query) = (path, query);
    let key = path[0].0.clone();
    let ais = |pairs: &Pairs| -> Vec<String> { pairs.iter().map(|pair| pair.0.clone()).collect() };
    // 9. Order of the path.
    if !is_sequence(&key, &ais(&path)[1..]) {
        return fault("QUALIFIER_SEQUENCE", None);
    }
    // 10. Repetitions; lenient: last values first, lifting afterwards.
    if mode.lenient {
        let all = query.clone();
        query = Vec::new();
        for (at, pair) in all.iter().enumerate() {
            if !all[at + 1..].iter().any(|later| later.0 == pair.0) {
                query.push(pair.clone());
            }
        }
    }
    let mut all: Vec<String> = ais(&path).into_iter().chain(ais(&query)).collect();
    all.sort();
    if let Some(pair) = all.windows(2).find(|pair| pair[0] == pair[1]) {
        return fault("DUPLICATE_AI", Some(&pair[0]));
    }
    if mode.lenient || (mode.uri_syntax_1_4 && key == "415") {
        let present: BTreeSet<String> = all.into_iter().collect();
        let best = best_sequence(&key, &ais(&path)[1..], &present);
        let from: Pairs = path.iter().chain(&query).cloned().collect();
        let take = |ai: &String| from.iter().find(|pair| pair.0 == *ai).cloned();
        path.truncate(1);
        path.extend(best.iter().filter_map(take));
        query.retain(|pair| !best.contains(&pair.0));
    }
    // 11. Attributes.
    let mut attributes = ais(&query);
    attributes.sort();
    for ai in attributes {
        let unknown = known(&ai, mode).is_none() && mode.unknown_ais_as_attributes;
        if !row_of(&ai, mode).attribute && !unknown {
            return fault("NOT_AN_ATTRIBUTE", Some(&ai));
        }
        for at in 1..=path.len() {
            let mut with = ais(&path);
            with.insert(at, ai.clone());
            if is_sequence(&key, &with[1..]) {
                return fault("BELONGS_IN_PATH", Some(&ai));
            }
        }
    }
    Ok((path, query))
}

/// Every subset, in order, of one alternative; also none.
fn all_sequences(key: &str) -> BTreeSet<Vec<String>> {
    let mut all = BTreeSet::from([vec![]]);
    for sequence in TABLE[key].qualifiers.iter().flatten() {
        for bits in 0..1_usize << sequence.len() {
            let chosen = sequence.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1);
            all.insert(chosen.map(|(_, ai)| ai.clone()).collect());
        }
    }
    all
}

fn is_sequence(key: &str, qualifiers: &[String]) -> bool {
    all_sequences(key).contains(qualifiers)
}

/// The longest sequence that has all of `path` and otherwise only AIs present; the first in lexical
/// order of several.
fn best_sequence(key: &str, path: &[String], present: &BTreeSet<String>) -> Vec<String> {
    let mut best: Vec<String> = path.to_vec();
    for sequence in all_sequences(key) {
        if path.iter().all(|ai| sequence.contains(ai))
            && sequence.iter().all(|ai| present.contains(ai))
            && sequence.len() > best.len()
        {
            best = sequence;
        }
    }
    best
}

/// Section 4.4, first paragraph.
pub(crate) fn encode(value: &[u8]) -> String {
    let keep = |b: u8| b.is_ascii_alphanumeric() || b"-._~".contains(&b);
    value
        .iter()
        .map(|&b| if keep(b) { char::from(b).to_string() } else { format!("%{b:02X}") })
        .collect()
}

/// Section 4.5.
fn canonical(path: &Pairs, query: &Pairs) -> String {
    let mut uri = String::from("https://id.gs1.org");
    for (ai, value) in path {
        uri += &format!("/{ai}/{}", encode(value));
    }
    let mut sorted: Vec<&(String, Vec<u8>)> = query.iter().collect();
    sorted.sort();
    let pairs: Vec<String> =
        sorted.iter().map(|(ai, value)| format!("{ai}={}", encode(value))).collect();
    if !pairs.is_empty() {
        uri += &format!("?{}", pairs.join("&"));
    }
    uri
}
