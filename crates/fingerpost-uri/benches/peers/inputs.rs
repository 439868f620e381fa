//! What is measured: texts that are the same in every run and for every implementation.

/// How many URIs [`mixed`] makes.
pub(crate) const MIXED: usize = 1_000;

/// Texts by name. All but `invalid` are URIs.
pub(crate) fn texts() -> Vec<(&'static str, Vec<String>)> {
    let short = [
        "https://id.example.org/01/09520123456788/10/ABC1?linkType=gs1:pip",
        "http://www.ics.uci.edu/pub/ietf/uri/#Related",
        "urn:epc:id:sgtin:0614141.112345.400",
        "ldap://[2001:db8::7]/c=GB?objectClass?one",
    ];
    let invalid = ["http://example.com/a b", "http://[::1/", "http://example.com/%zz"];
    vec![
        ("mixed", mixed()),
        ("short", short.map(String::from).to_vec()),
        ("query of 2 kB", vec![format!("http://example.com/?{}", "name=value&".repeat(186))]),
        ("IPv6", vec!["http://[2001:db8:85a3:8d3:1319:8a2e:370:7348]:443/".into()]),
        ("triplets", vec![format!("http://example.com/{}", "%E2%82%AC".repeat(40))]),
        ("dots", vec![format!("http://example.com/{}", "a/../b/./".repeat(40))]),
        ("invalid", invalid.map(String::from).to_vec()),
    ]
}

/// Bases, each with references to resolve against it.
pub(crate) fn references() -> Vec<(&'static str, &'static str, Vec<String>)> {
    // RFC 3986 sections 5.4.1 and 5.4.2.
    let examples = "g:h g ./g g/ /g //g ?y g?y #s g#s g?y#s ;x g;x g;x?y#s . ./ .. ../ ../g ../.. ../../ ../../g \
                    ../../../g ../../../../g /./g /../g g. .g g.. ..g ./../g ./g/. g/./h g/../h g;x=1/./y g;x=1/../y \
                    g?y/./x g?y/../x g#s/./x g#s/../x http:g";
    let links = "../style/site.css?v=31 /favicon.ico chapter-2.html chapter-3.html#figures ?lang=de #contents \
                 ../../img/photos/2026/harbour.jpg //cdn.example.net/lib/app.min.js https://example.org/about/ \
                 ./print/index.html /search?q=gs1%20digital%20link mailto:editor@example.com";
    let words = |text: &str| text.split(' ').map(String::from).collect();
    vec![
        ("examples of the RFC", "http://a/b/c/d;p?q", words(examples)),
        (
            "links of a page",
            "https://www.example.com/docs/guide/chapter-1.html?lang=en",
            words(links),
        ),
        ("many dots", "http://example.com/a/b/c/d", vec!["a/../b/./../../c/".repeat(20)]),
    ]
}

/// URNs of RFC 8141: as they are usually written, and with letters in the other case.
pub(crate) fn urns() -> Vec<(&'static str, Vec<&'static str>)> {
    let usual = vec![
        "urn:isbn:9780141036144",
        "urn:issn:2049-3630",
        "urn:epc:id:sgtin:0614141.112345.400",
        "urn:uuid:6e8bc430-9c3a-11d9-9669-0800200c9a66",
        "urn:oid:2.16.840.1.113883.3.4.5",
        "urn:ietf:rfc:8141",
        "urn:nbn:de:bvb:19-146642",
        "urn:lex:eu:council:directive:2010-03-09;2010-19-UE",
        "urn:oasis:names:specification:docbook:dtd:xml:4.1.2",
        "urn:example:weather?=op=map&lat=39.56&lon=-104.85&datetime=1969-07-21T02:56:15Z",
        "urn:example:foo-bar-baz-qux?+CCResolve:cc=uk#chapter",
        "urn:example:caf%C3%A9/men%C3%BC",
    ];
    let other = vec!["URN:ISBN:0-451-45052-3", "urn:Example:a123%2c456", "Urn:UUID:6E8BC430-9C3A"];
    vec![("usual", usual), ("other case", other)]
}

/// SplitMix64, so that every run and every machine sees the same URIs.
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

    fn digits(&mut self, count: usize) -> String {
        (0..count).map(|_| char::from(b'0' + self.below(10) as u8)).collect()
    }
}

/// One thousand URIs: about four in five are of the web, one in four is not in normal form.
fn mixed() -> Vec<String> {
    let mut random = Random(3986);
    (0..MIXED)
        .map(|_| match random.below(10) {
            0..3 => digital_link(&mut random),
            3..8 => web(&mut random),
            8 => name(&mut random),
            _ => other(&mut random),
        })
        .collect()
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

fn name(random: &mut Random) -> String {
    match random.below(3) {
        0 => format!("urn:isbn:978{}", random.digits(10)),
        1 => format!(
            "urn:epc:id:sgtin:{}.{}.{}",
            random.digits(7),
            random.digits(6),
            random.digits(3)
        ),
        _ => format!("urn:uuid:6e8bc430-9c3a-11d9-9669-{}", random.digits(12)),
    }
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
