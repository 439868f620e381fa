//! Random requests, the same for the same seed: Digital Links at all levels, broken ones, names,
//! compressed ones, reserved paths, with query options, `Accept` and `Accept-Language`.

use serde_json::{Value, json};

/// Installations that differ in everything that decides what a path means.
pub const CONFIGS: [&str; 4] = [
    "",
    "resolver_root = \"https://id.example.org/shop\"\nlinkset_max_age = \"1h\"\nown_context = \"/linkset-context.jsonld\"\n\
     legacy_gtin = true\nlegacy_alphas = true\n\
     patterns = [{ path_prefix = \"/01/0978\", target_root = \"https://books.example/r\" }, \
     { path_prefix = \"/01/09520999\", target_root = \"https://other.example\" }]\n\
     [brand]\nlogo = \"{logo}\"\nprivacy = \"Nothing is kept.\"",
    "default_link_type = \"linkset\"\nlegacy_decompression = false\n[limits]\nmax_target_bytes = 256",
    "supported_primary_keys = [\"01\", \"414\"]\nlinkset_max_age = \"10m\"\n\
     patterns = [{ path_prefix = \"/414/\", target_root = \"https://places.example\" }]",
];

/// What is registered: several levels, languages, media types, contexts, templates, windows, and
/// names.
///
/// # Panics
///
/// Never: the records are literals.
pub fn records() -> Vec<Value> {
    let link = |kind: &str, href: &str| json!({ "linkType": kind, "href": href, "title": "Page" });
    let more = |kind: &str, href: &str, rest: Value| {
        let mut link = link(kind, href);
        link.as_object_mut()
            .expect("an object")
            .extend(rest.as_object().expect("an object").clone());
        link
    };
    let mut records = vec![
        json!({ "anchor": "/01/09520123456788", "itemDescription": "Tea", "links": [
            link("gs1:defaultLink", "https://brand.example/tea"),
            more("gs1:defaultLinkMulti", "https://brand.example/the", json!({ "hreflang": ["fr"] })),
            more("gs1:defaultLinkMulti", "https://brand.example/data", json!({ "type": "application/json" })),
            more("gs1:defaultLinkMulti", "https://brand.example/ca", json!({ "context": ["CA"] })),
            link("gs1:pip", "https://brand.example/pip"),
            more("gs1:pip", "https://brand.example/pip-fr", json!({ "hreflang": ["fr", "fr-CA"] })),
            more("gs1:pip", "https://brand.example/pip.pdf", json!({ "type": "application/pdf", "hreflang": ["de"] })),
            more("gs1:hasRetailers", "https://shop.example/a", json!({ "hreflang": ["en"] })),
            more("gs1:hasRetailers", "https://shop.example/b", json!({ "hreflang": ["en"] })),
        ]}),
        json!({ "anchor": "/01/09520123456788/10/L1", "links": [
            link("gs1:certificationInfo", "https://lot.example/{01}?lot={10}#cert"),
            more("gs1:recallStatus", "https://lot.example/recall", json!({ "validUntil": "2020-01-01T00:00:00Z" })),
            more("gs1:recallStatus", "https://lot.example/recall2", json!({ "validFrom": "2021-01-01T00:00:00Z", "validUntil": "2190-01-01T00:00:00Z" })),
        ]}),
        json!({ "anchor": "/01/09520123456788/21/S1", "links": [
            link("gs1:defaultLink", "https://brand.example/one?x=1"), link("gs1:pip", "https://brand.example/one"),
        ]}),
        json!({ "anchor": "/01/09780451450524", "links": [
            link("gs1:defaultLink", "https://books.example/en"),
            more("gs1:defaultLinkMulti", "https://books.example/de", json!({ "hreflang": ["de"] })),
            link("gs1:review", "https://books.example/review"),
        ]}),
        json!({ "anchor": "/01/09770317847018", "links": [link("gs1:defaultLink", "https://paper.example/17")] }),
        json!({ "anchor": "/01/10614141123459", "links": [link("gs1:defaultLink", "https://thing.example/")] }),
        json!({ "anchor": "/01/10614141123459/21/400", "links": [link("gs1:defaultLink", "https://thing.example/400")] }),
        json!({ "anchor": "/414/9520123456788", "links": [link("gs1:defaultLink", "https://place.example/")] }),
        json!({ "anchor": "/00/095201234567891235", "links": [link("gs1:defaultLink", "https://pallet.example/")] }),
        json!({ "anchor": "/gcp/9520123", "itemDescription": "Brand", "links": [
            link("gs1:defaultLink", "https://company.example/"),
            link("gs1:quickStartGuide", "https://company.example/{01}"),
            link("gs1:support", "https://company.example/support?sscc={00}"),
        ]}),
        json!({ "anchor": "/01/09520123456788/-any/21", "links": [
            link("gs1:verificationService", "https://serial.example/{01}/{21}"),
        ]}),
        json!({ "anchor": "/01/09520123456788/-range/10/2/L0/L9", "links": [
            link("gs1:recallStatus", "https://recall.example/{10}"),
        ]}),
    ];
    // What a default link leads to is registered under a descriptive type too (RES-2.5.8-3).
    for record in &mut records {
        let links = record["links"].as_array_mut().expect("a list");
        let defaults = links.iter().filter(|link| {
            link["linkType"].as_str().is_some_and(|kind| kind.starts_with("gs1:default"))
        });
        let mut twins: Vec<Value> = defaults.cloned().collect();
        twins.iter_mut().for_each(|twin| twin["linkType"] = json!("gs1:faqs"));
        links.append(&mut twins);
    }
    records
}

/// Every path that is no Digital Link, and its neighbours.
pub fn reserved() -> Vec<String> {
    let fixed = [
        "/",
        "/?",
        "/?q=9520123456788",
        "/?q=+",
        "/?x=1",
        "/health",
        "/health/",
        "/ready",
        "/ready?x",
        "/privacy",
        "/privacy/",
        "/robots.txt",
        "/favicon.ico",
        "/.well-known",
        "/.well-known/",
        "/.well-known/gs1resolver",
        "/.well-known/gs1resolver/",
        "/.well-known/fingerpost/style.css",
        "/.well-known/fingerpost/style.css?v=0",
        "/.well-known/fingerpost/logo",
        "/.well-known/fingerpost/sample.svg",
        "/.well-known/security.txt",
        "/linkset-context.jsonld",
        "/shop",
        "/shop/",
        "/shop/health",
        "/urn",
        "/urn/",
        "/uri-res",
        "/uri-res/",
        "/uri-res/N2X?urn:isbn:0451450523",
        "/uri-res/N2L",
        "/uri-res/N2L/x?urn:isbn:0451450523",
        "/urnx",
        "/HEALTH",
    ];
    let long = |begin: &str, length: usize| format!("{begin}{}", "a".repeat(length));
    let mut all: Vec<String> = fixed.map(str::to_owned).into();
    all.extend([
        long("/", 254),
        long("/", 255),
        long("/", 256),
        long("/01/09520123456788?", 9000),
        long("/urn/urn:foo:", 9000),
    ]);
    all
}

/// A request as drawn.
#[derive(Debug)]
pub struct Drawn {
    /// Path and query.
    pub target: String,
    /// `Accept`; empty if absent.
    pub accept: &'static str,
    /// `Accept-Language`; empty if absent.
    pub accept_language: &'static str,
}

impl Drawn {
    /// Returns the header fields.
    pub fn headers(&self) -> Vec<(String, String)> {
        let named = [("accept", self.accept), ("accept-language", self.accept_language)];
        let named = named.into_iter().filter(|(_, value)| !value.is_empty());
        named.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }
}

const KEYS: [&str; 16] = [
    "01/09520123456788",
    "01/09520123456788",
    "01/09520123456788",
    "01/09520123456788",
    "01/09780451450524",
    "01/09770317847018",
    "01/10614141123459",
    "414/9520123456788",
    "00/095201234567891235",
    "01/09520999000005",
    "01/09520123456789",
    "01/9520123456788",
    "gtin/09520123456788",
    "01/095201234567",
    "8003/09520123456788X",
    "9999/1",
];
const QUALIFIERS: [&str; 14] = [
    "/10/L1",
    "/10/L1",
    "/10/L1",
    "/21/S1",
    "/21/S1",
    "/21/400",
    "/22/V",
    "/10/a%2Fb",
    "/10/",
    "/10",
    "/lot/L1",
    "/21/%zz",
    "/99/x",
    "/21/S1/10/L1",
];
const WHOLE: [&str; 12] = [
    "/eh3074257bf46db64000000190",
    "/ex",
    "/eh30",
    "/exMHQle_RttkAAAAGQ",
    "/ARHyLY2IlA",
    "/DBHKVAdpQgqrxTKf",
    "/x",
    "/x/01/09520123456788",
    "/a/b/01/09520123456788/10/L1",
    "/01//x",
    "/%30%31/09520123456788",
    "/EH3074257bf46db64000000190",
];
const NAMES: [&str; 16] = [
    "urn:isbn:0451450523",
    "URN:ISBN:978-0-451-45052-4",
    "urn:issn:0317-8471",
    "urn:issn:0317-8472",
    "urn:isbn:0451450524",
    "urn:isbn:9780306406157",
    "urn:epc:id:sgtin:0614141.112345.400",
    "urn:epc:tag:sgtin-96:3.0614141.112345.401",
    "urn:epc:id:sgtin:9520123.045678.1",
    "urn:epc:id:sgln:9520123.45678.0",
    "urn:epc:id:sscc:9520123.4567891235",
    "urn:foo:a",
    "urn:foo:a%00",
    "nonsense",
    "https://x.example/01/09780451450524?a=b",
    "https://x.example/414/9520123456788",
];
const SERVICES: [&str; 12] =
    ["N2L", "N2L", "N2Ls", "N2C", "N2Cs", "N2Ns", "N2R", "N2Rs", "L2Ns", "L2Ls", "L2C", "n2l"];
const DIRECTIVES: [&str; 14] = [
    "",
    "",
    "?s=I2L",
    "?s=I2Ls",
    "?s=I2C",
    "?s=I2N",
    "?s=I2Ns",
    "?s=I2R",
    "?+x=1",
    "?=a=b",
    "?=linkType=gs1:pip&a=b",
    "?linkType=gs1:pip",
    "?linkType=gs1:nothing&s=I2Ls",
    "?linkType=linkset",
];
const OPTIONS: [&str; 18] = [
    "linkType=linkset",
    "linkType=all",
    "linkType=gs1:pip",
    "linkType=pip",
    "linktype=gs1:hasRetailers",
    "linkType=gs1:certificationInfo",
    "linkType=gs1:recallStatus",
    "linkType=gs1:nothing",
    "linkType=%ff",
    "linkType=",
    "context=CA",
    "context=US",
    "a=1",
    "17=271231",
    "x;y",
    "linkType=gs1:defaultLink",
    "linkType=https://ref.gs1.org/voc/pip",
    "q=%C3%A9",
];
const ACCEPTS: [&str; 12] = [
    "",
    "",
    "",
    "*/*",
    "text/html",
    "application/linkset+json",
    "application/json",
    "application/ld+json",
    "application/pdf",
    "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "image/png",
    "application/json;q=0.5, text/html;q=0.4",
];
const LANGUAGES: [&str; 10] =
    ["", "", "", "fr", "de", "fr-CA, en;q=0.5", "en", "*", "zh-Hant, *;q=0", "fr;q=0"];

/// A small generator (xorshift64*).
#[derive(Debug)]
pub struct Draw(u64);

impl Draw {
    /// Creates a generator.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % end
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// Draws a request to a resolver whose root has this path.
    pub fn request(&mut self, stem: &str) -> Drawn {
        let target = match self.below(20) {
            0..12 => self.link(stem),
            12..14 => [stem, self.of(&WHOLE)].concat() + &self.query(),
            14 => ["/urn/", self.of(&NAMES), self.of(&DIRECTIVES)].concat(),
            15..18 => ["/uri-res/", self.of(&SERVICES), "?", self.of(&NAMES), self.of(&DIRECTIVES)]
                .concat(),
            18 => {
                let all = reserved();
                let at = self.below(all.len());
                all[at].clone()
            }
            _ => self.broken(stem),
        };
        Drawn { target, accept: self.of(&ACCEPTS), accept_language: self.of(&LANGUAGES) }
    }

    fn link(&mut self, stem: &str) -> String {
        let mut target =
            [if self.below(20) == 0 { "" } else { stem }, "/", self.of(&KEYS)].concat();
        for _ in 0..self.below(3) {
            target.push_str(self.of(&QUALIFIERS));
        }
        if self.below(12) == 0 {
            target.push('/');
        }
        target + &self.query()
    }

    fn query(&mut self) -> String {
        let mut query = String::new();
        for at in 0..self.of(&[0, 0, 1, 1, 2, 3]) {
            query.push(if at == 0 { '?' } else { '&' });
            query.push_str(self.of(&OPTIONS));
        }
        query
    }

    /// A link of which one byte is another.
    fn broken(&mut self, stem: &str) -> String {
        let mut bytes = self.link(stem).into_bytes();
        let at = 1 + self.below(bytes.len() - 1);
        bytes[at] = self.of(b"/%0A9-?&;=+~.:@!");
        String::from_utf8(bytes).expect("ASCII")
    }
}
