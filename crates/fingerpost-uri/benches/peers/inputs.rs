//! What is measured: texts drawn by a seed, the same for every implementation.
//!
//! `PEERS_SEED` repeats the texts of a run; without it each run draws others.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

/// The seed of this run.
static SEED: LazyLock<u64> = LazyLock::new(|| {
    let given = std::env::var("PEERS_SEED").ok().and_then(|text| text.parse().ok());
    let seed = given.unwrap_or_else(|| RandomState::new().hash_one(0) % 1_000_000);
    eprintln!("PEERS_SEED={seed} repeats these inputs");
    seed
});

/// Texts by name. All but `invalid` are URIs.
pub(crate) fn texts() -> Vec<(&'static str, Vec<String>)> {
    vec![
        ("mixed", drawn("mixed", 1_000, mixed)),
        ("grammar", drawn("grammar", 1_000, grammar)),
        ("campaigns", drawn("campaigns", 1_000, campaign)),
        ("short", drawn("short", 200, short)),
        ("query of 2 kB", drawn("query", 20, query)),
        ("IPv6", drawn("IPv6", 200, ipv6)),
        ("triplets", drawn("triplets", 20, triplets)),
        ("dots", drawn("dots", 20, |random| format!("http://example.com/{}", dots(random, 120)))),
        ("invalid", drawn("invalid", 200, invalid)),
    ]
}

/// Bases, each with references to resolve against it.
pub(crate) fn references() -> Vec<(&'static str, &'static str, Vec<String>)> {
    vec![
        // Of RFC 3986 sections 5.4.1 and 5.4.2.
        ("examples of the RFC", "http://a/b/c/d;p?q", drawn("examples", 200, example)),
        (
            "links of a page",
            "https://www.example.com/docs/guide/chapter-1.html?lang=en",
            drawn("links", 200, page_link),
        ),
        (
            "many dots",
            "http://example.com/a/b/c/d",
            drawn("many dots", 20, |random| dots(random, 120)),
        ),
    ]
}

/// URNs of RFC 8141: as they are usually written, and with letters in the other case.
pub(crate) fn urns() -> Vec<(&'static str, Vec<String>)> {
    vec![
        ("usual", drawn("usual", 500, urn)),
        ("other case", drawn("other case", 500, |random| swapped(&urn(random)))),
    ]
}

/// Draws texts. The name keeps one kind of text independent of how many another one draws.
fn drawn(name: &str, count: usize, draw: impl Fn(&mut Random) -> String) -> Vec<String> {
    let name = name.bytes().fold(0, |hash: u64, byte| hash.wrapping_mul(31) + u64::from(byte));
    let mut random = Random(SEED.wrapping_add(name));
    (0..count).map(|_| draw(&mut random)).collect()
}

/// SplitMix64: a seed gives the same texts on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    fn pick(&mut self, texts: &[&'static str]) -> &'static str {
        texts[self.below(texts.len())]
    }

    /// One to twelve letters.
    fn word(&mut self) -> String {
        let count = 1 + self.below(12);
        (0..count).map(|_| char::from(b'a' + self.below(26) as u8)).collect()
    }

    fn digits(&mut self, count: usize) -> String {
        (0..count).map(|_| char::from(b'0' + self.below(10) as u8)).collect()
    }
}

/// About four in five are of the web, one in four is not in normal form.
fn mixed(random: &mut Random) -> String {
    match random.below(10) {
        0..3 => digital_link(random),
        3..8 => web(random),
        8 => urn(random),
        _ => other(random),
    }
}

/// What the grammar of RFC 3986, Appendix A allows, each alternative and character about as often.
fn grammar(random: &mut Random) -> String {
    const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let text = |random: &mut Random, most: usize, others: &str| -> String {
        let allowed: Vec<char> = LETTERS.chars().chain(others.chars()).collect();
        let count = random.below(most + 1);
        let mut text = String::new();
        for _ in 0..count {
            match random.below(20) {
                0 => text += &format!("%{:02X}", random.below(256)),
                1 if random.below(8) == 0 => text += &format!("%{:02x}", random.below(256)),
                _ => text.push(allowed[random.below(allowed.len())]),
            }
        }
        text
    };
    let mut uri = random.word() + ":";
    let has_authority = random.below(4) > 0;
    if has_authority {
        uri += "//";
        if random.below(6) == 0 {
            uri += &(text(random, 12, "-._~!$&'()*+,;=:") + "@");
        }
        match random.below(8) {
            0 => uri += &format!("192.0.2.{}", random.below(256)),
            1 => uri += &format!("[2001:db8::{:x}]", random.below(0x1_0000)),
            _ => uri += &text(random, 20, "-._~!$&'()*+,;="),
        }
        if random.below(5) == 0 {
            uri += &format!(":{}", random.below(65_536));
        }
    }
    for nth in 0..random.below(6) {
        if has_authority || nth > 0 {
            uri.push('/');
        }
        uri += &text(random, 10, "-._~!$&'()*+,;=:@");
    }
    if random.below(2) == 0 {
        uri += &format!("?{}", text(random, 30, "-._~!$&'()*+,;=:@/?"));
    }
    if random.below(4) == 0 {
        uri += &format!("#{}", text(random, 15, "-._~!$&'()*+,;=:@/?"));
    }
    // A path without an authority does not begin with two slashes.
    if has_authority { uri } else { uri.replacen(":/", ":.", 1) }
}

/// Addresses of campaigns as in the logs of web servers: words in paths, parameters of trackers.
fn campaign(random: &mut Random) -> String {
    let mut uri = format!("https://www.{}.example", random.word());
    for _ in 0..1 + random.below(3) {
        let words: Vec<_> = (0..1 + random.below(4)).map(|_| random.word()).collect();
        uri += &format!("/{}", words.join("-"));
    }
    uri += random.pick(&["", "/", ".html"]);
    let mut separator = '?';
    for name in ["utm_source", "utm_medium", "utm_campaign", "gclid", "redirect"] {
        if random.below(2) == 0 {
            let value = match name {
                "gclid" => format!("Cj0KCQiA{}{}_wcB", random.digits(8), random.word()),
                "redirect" => {
                    format!("https%3A%2F%2F{}.example%2F{}", random.word(), random.word())
                }
                _ => format!("{}+{}", random.word(), random.word()),
            };
            uri += &format!("{separator}{name}={value}");
            separator = '&';
        }
    }
    uri
}

fn short(random: &mut Random) -> String {
    match random.below(4) {
        0 => format!("https://id.example.org/01/0{}", random.digits(13)),
        1 => format!("http://www.example.com/{}/#{}", random.word(), random.word()),
        2 => format!(
            "urn:epc:id:sgtin:{}.{}.{}",
            random.digits(7),
            random.digits(6),
            random.digits(3)
        ),
        _ => format!(
            "ldap://{}/c=GB?objectClass?one",
            random.pick(&["192.0.2.7", "ldap.example.org"])
        ),
    }
}

fn query(random: &mut Random) -> String {
    let mut uri = String::from("http://example.com/?");
    while uri.len() < 2_048 {
        uri += &format!("{}={}&", random.word(), random.word());
    }
    uri
}

fn ipv6(random: &mut Random) -> String {
    let groups = |random: &mut Random, count: usize| {
        let groups: Vec<_> = (0..count).map(|_| format!("{:x}", random.below(0x1_0000))).collect();
        groups.join(":")
    };
    let host = match random.below(4) {
        0 => {
            let (before, after) = (1 + random.below(3), 1 + random.below(3));
            format!("{}::{}", groups(random, before), groups(random, after))
        }
        1 => format!("::ffff:192.0.2.{}", random.below(256)),
        _ => groups(random, 8),
    };
    format!("http://[{host}]:{}/", 1 + random.below(65_535))
}

fn triplets(random: &mut Random) -> String {
    let mut uri = String::from("http://example.com/");
    for _ in 0..40 {
        uri += random.pick(&["%E2%82%AC", "%c3%a9%20", "%F0%9F%8D%8E", "%E4%BD%A0"]);
    }
    uri
}

/// Segments, many of them of dots.
fn dots(random: &mut Random, count: usize) -> String {
    (0..count).map(|_| random.pick(&["a/", "../", "./", "b.c/", "..d/", "../"])).collect()
}

/// A web address with something in it that no URI has.
fn invalid(random: &mut Random) -> String {
    let uri = web(random);
    let at = "https://".len() + random.below(uri.len() - "https://".len());
    let wrong = random.pick(&[" ", "%zz", "<", "|", "\\", "\"", "^", "é", "{"]);
    let at = (0..=at).rev().find(|&at| uri.is_char_boundary(at)).unwrap_or(0);
    format!("{}{wrong}{}", &uri[..at], &uri[at..])
}

fn example(random: &mut Random) -> String {
    let examples = [
        "g:h",
        "g",
        "./g",
        "g/",
        "/g",
        "//g",
        "?y",
        "g?y",
        "#s",
        "g#s",
        "g?y#s",
        ";x",
        "g;x",
        "g;x?y#s",
        ".",
        "./",
        "..",
        "../",
        "../g",
        "../..",
        "../../",
        "../../g",
        "../../../g",
        "../../../../g",
        "/./g",
        "/../g",
        "g.",
        ".g",
        "g..",
        "..g",
        "./../g",
        "./g/.",
        "g/./h",
        "g/../h",
        "g;x=1/./y",
        "g;x=1/../y",
        "g?y/./x",
        "g?y/../x",
        "g#s/./x",
        "g#s/../x",
        "http:g",
    ];
    random.pick(&examples).into()
}

fn page_link(random: &mut Random) -> String {
    let (one, two) = (random.word(), random.word());
    match random.below(10) {
        0 => format!("../style/{one}.css?v={}", random.digits(2)),
        1 => format!("/{one}.ico"),
        2 => format!("{one}-{}.html", random.digits(1)),
        3 => format!("{one}.html#{two}"),
        4 => format!("?lang={one}"),
        5 => format!("#{one}"),
        6 => format!("../../img/photos/{}/{one}.jpg", random.digits(4)),
        7 => format!("//cdn.example.net/lib/{one}.min.js"),
        8 => format!("https://example.org/{one}/{two}/"),
        _ => format!("/search?q={one}%20{two}"),
    }
}

fn urn(random: &mut Random) -> String {
    match random.below(9) {
        0 => format!("urn:isbn:978{}", random.digits(10)),
        1 => format!("urn:issn:{}-{}", random.digits(4), random.digits(4)),
        2 => format!(
            "urn:epc:id:sgtin:{}.{}.{}",
            random.digits(7),
            random.digits(6),
            random.digits(3)
        ),
        3 => format!("urn:uuid:6e8bc430-9c3a-11d9-9669-{}", random.digits(12)),
        4 => format!("urn:oid:2.16.840.1.{}.{}", random.digits(6), random.digits(2)),
        5 => format!("urn:ietf:rfc:{}", random.digits(4)),
        6 => format!("urn:nbn:de:{}-{}", random.word(), random.digits(6)),
        7 => format!("urn:example:{}?=op={}&lat=39.56", random.word(), random.word()),
        _ => {
            format!("urn:example:caf%C3%A9/{}?+{}#{}", random.word(), random.word(), random.word())
        }
    }
}

/// Returns a URN with the scheme, the namespace and the letters of triplets in the other case.
fn swapped(urn: &str) -> String {
    let mut parts = urn.splitn(3, ':');
    let mut part = || parts.next().unwrap_or_default();
    let (scheme, namespace, rest) = (part().to_uppercase(), part().to_uppercase(), part());
    format!("{scheme}:{namespace}:{}", rest.replace("%C3%A9", "%c3%a9"))
}

fn digital_link(random: &mut Random) -> String {
    let host =
        random.pick(&["id.gs1.org", "id.example.org", "example.com/some/stem", "ID.Example.org"]);
    let mut uri = format!("https://{host}/01/0{}", random.digits(13));
    if random.below(2) == 0 {
        uri += &format!("/10/LOT{}", random.digits(4));
    }
    if random.below(2) == 0 {
        uri += &format!("/21/{}", random.digits(9));
    }
    uri + random.pick(&["", "", "?linkType=gs1:pip", "?17=261231&3103=000195", "?linkType=all"])
}

fn web(random: &mut Random) -> String {
    let hosts = [
        "www.example.com",
        "example.org",
        "docs.example.net:8080",
        "EXAMPLE.com:80",
        "me@example.com",
        "192.0.2.16:8443",
        "[2001:db8::7]",
        "[2001:db8:85a3::8a2e:370:7334]:80",
        "static.cdn.example.net",
        "xn--bcher-kva.example",
    ];
    let segments = [
        "/index.html",
        "/articles/2026/11",
        "/a/b/c/d/e",
        "/products;v=2/list",
        "/caf%C3%A9/men%C3%BC",
        "/img/photo_4711.large.jpg",
        "/%7euser/notes",
        "/old/../new/./page",
        "/search",
    ];
    let mut uri = format!("{}://{}", random.pick(&["http", "https"]), random.pick(&hosts));
    for _ in 0..random.below(4) {
        uri += random.pick(&segments);
    }
    uri += random.pick(&[
        "",
        "",
        "",
        "/",
        "?q=rust+uri&page=2",
        "?a=1&b=%20two%20&c=/x?y",
        "?utm_source=a",
    ]);
    uri + random.pick(&["", "", "", "#top", "#section-4.2"])
}

fn other(random: &mut Random) -> String {
    random
        .pick(&[
            "mailto:John.Doe@Example.com",
            "tel:+1-816-555-1212",
            "news:comp.infosystems.www.servers.unix",
            "ldap://[2001:db8::7]/c=GB?objectClass?one",
            "ftp://ftp.is.co.za/rfc/rfc1808.txt",
            "file:///etc/hosts",
            "ws://example.com:9000/socket/feed",
            "data:text/plain;charset=utf-8,hello%20world",
        ])
        .into()
}
