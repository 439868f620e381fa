//! Inputs that are likely to be slow: something that a reader recognises, then one piece many times, then perhaps something that it does not
//! accept.

/// The beginnings of the forms that are read.
const BEGINNINGS: &[&str] = &[
    "",
    "/",
    "http://a/",
    "http://a/?",
    "urn:ab:x",
    "urn:ab:x?a=b",
    "urn:isbn:",
    "urn:oid:1",
    "urn:epc:id:sgtin:0614141.112345.",
    "urn:epc:pat:sgtin-96:",
    "urn:epc:raw:",
    "/uri-res/N2L?urn:ab:x",
    "https://id.gs1.org/01/09520123456788",
    "https://id.gs1.org/01/09520123456788?",
    "https://id.gs1.org/x/01/09520123456788/",
    "/01/09520123456788",
    "/gcp/",
    "/01/09520123456788/-any",
    "/01/09520123456788/-any/22/",
    "/01/09520123456788/-range",
    "/01/09520123456788/-range/10/",
    "/01/09520123456788/-range/10/4/A100/",
    "/01/09520123456788/-range/22/2A/10/",
    "(01)09520123456788",
    "^0109520123456788",
    "]d20109520123456788",
    "]Q1http://a/01/",
    "36",
    "f7",
    "en,",
];

/// Pieces to repeat.
const PIECES: &[&str] = &[
    "a",
    "0",
    "1",
    "9",
    "A",
    "-",
    ".",
    "/",
    "//",
    "../",
    "./",
    "%",
    "%41",
    "%2e",
    "%2E%2E/",
    ":",
    "::",
    "[",
    "(",
    ")",
    "<",
    ">",
    "\"",
    "{",
    "}",
    "?",
    "#",
    "&",
    "=",
    ";",
    "&a=b",
    "a=b&",
    "&b=a;",
    "(10)",
    "(10)a",
    "(10",
    "10a^",
    "^",
    "^10a",
    "\u{1d}10a",
    "|",
    "|^",
    "/10/a",
    "/21/1",
    "10/a/",
    "/01/09520123456788",
    "/-any/10",
    "/-range/10/4/A100/A199",
    "99=a&",
    "3103=000001&",
    "8200=http://a/;",
    "*",
    "*.",
    "[0-1].",
    "a-",
    "a-b-",
    "x-a",
    ",",
    ", ",
    "en,",
    "en-GB;q=0.1,",
    "*;q=0,",
    "*,",
    "a;q=\"\\",
    "\\",
    "\"a",
    "http:",
    "http://a ",
    "www.",
    "urn:a:",
    "<http://a\n",
    "\n",
    "\r\n",
    " ",
    "+",
    "é",
    "中",
    "\u{0}",
    "f",
    "00",
    "ff",
    "b7",
    "s=I2L&",
    "gzip,",
    "gzip;q=0,",
    "7040=1AB&",
    "]Q3",
    "0109520123456788",
];

/// What comes at the end.
const ENDS: &[&str] = &["", "!", "%"];

/// Returns all inputs of about `len` bytes.
pub fn inputs(len: usize) -> impl Iterator<Item = String> {
    let combinations = BEGINNINGS.iter().flat_map(|beginning| {
        PIECES.iter().flat_map(move |piece| ENDS.iter().map(move |end| (beginning, piece, end)))
    });
    combinations.map(move |(beginning, piece, end)| {
        let times = len.saturating_sub(beginning.len() + end.len()) / piece.len();
        [beginning, piece.repeat(times).as_str(), end].concat()
    })
}

/// Returns texts of about `len` bytes whose pieces all differ: the places where equal ones are looked for.
pub fn distinct(len: usize) -> Vec<String> {
    let numbered = |begin: &str, piece: &dyn Fn(usize) -> String| {
        let mut text = begin.to_owned();
        (0..)
            .map(piece)
            .take_while(|piece| {
                text.push_str(piece);
                text.len() < len
            })
            .for_each(drop);
        text
    };
    let record = |link: &dyn Fn(usize) -> String| {
        let anchor = r#"{"anchor":"/01/09520123456788","links":[{"linkType":"gs1:pip","href":"https://a.example/p","title":"T"}"#;
        numbered(anchor, &|n| format!(",{}", link(n))) + "]}"
    };
    vec![
        record(&|n| {
            format!(r#"{{"linkType":"gs1:pip","href":"https://a.example/{n}","title":"T{n}"}}"#)
        }),
        record(&|n| {
            let link =
                r#""linkType":"gs1:defaultLinkMulti","href":"https://a.example/p","title":"T""#;
            format!(
                r#"{{{link},"hreflang":["en-x-{n}"],"validFrom":"2026-01-01T00:{:02}:{:02}Z"}}"#,
                n / 60 % 60,
                n % 60
            )
        }),
        "[".repeat(len),
        r#"{"a":"#.repeat(len / 5),
        numbered("urn:ab:x?a=b", &|n| format!("&a{n}=b")),
        numbered("urn:ab:x?a=b", &|n| format!("&aaaaaaaaaaaaaaaaaaaaaaaa{n}=b")),
        numbered("https://id.gs1.org/01/09520123456788?a=b", &|n| format!("&a{n}=b")),
        numbered("https://id.gs1.org/01/09520123456788?a=b", &|n| {
            format!("&{}=b", 4000 + n % 5000)
        }),
        numbered("https://id.gs1.org/01/09520123456788?a=b", &|n| format!("&{}=b", 91 + n % 9)),
        numbered("/01/09520123456788", &|n| format!("/{}/b", 4000 + n % 5000)),
        numbered("(01)09520123456788", &|n| format!("({})b", 91 + n % 9)),
        numbered("(01)09520123456788", &|n| format!("({})b", 4000 + n % 5000)),
        numbered("^0109520123456788", &|n| format!("{}b^", 91 + n % 9)),
        numbered("en", &|n| format!(",a{}-b{};q=0.{}", n % 97, n % 89, n % 999)),
    ]
}
