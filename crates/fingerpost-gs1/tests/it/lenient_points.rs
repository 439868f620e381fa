//! Each lenient point of the Digital Link reader is an option of its own
//! (`docs/requirements/gs1.md`, GS1-DL-13).

use fingerpost_gs1::{DigitalLink, Options};

/// Sets one option.
type Choose = fn(Options) -> Options;

/// The option, a URI that needs it, and what the strict reader says of that URI.
const POINTS: [(Choose, &str, &str); 8] = [
    (
        |options| options.any_uri_character(true),
        "https://a.example/01/09520123456788/10/A\"B",
        "URI_ILLEGAL_CHARACTER",
    ),
    (
        |options| options.user_information(true),
        "https://user@a.example/01/09520123456788",
        "URI_HOST",
    ),
    (
        |options| options.trailing_slash(true),
        "https://a.example/01/09520123456788/",
        "TRAILING_SLASH",
    ),
    (
        |options| options.bad_percent_encoding(true),
        "https://a.example/01/09520123456788/10/A%4g",
        "PERCENT_ENCODING",
    ),
    (
        |options| options.zero_suppressed_gtin(true),
        "https://a.example/01/9520123456788",
        "VALUE_TOO_SHORT",
    ),
    (
        |options| options.convenience_alphas(true),
        "https://a.example/gtin/09520123456788",
        "NO_PRIMARY_KEY",
    ),
    (
        |options| options.last_attribute_wins(true),
        "https://a.example/01/09520123456788?99=A&99=B",
        "DUPLICATE_AI",
    ),
    (
        |options| options.lift_qualifiers(true),
        "https://a.example/01/09520123456788?10=A",
        "BELONGS_IN_PATH",
    ),
];

// GS1-DL-13
#[test]
fn each_lenient_point_can_be_chosen_alone() {
    for (position, (_, uri, code)) in POINTS.iter().enumerate() {
        let strict = DigitalLink::parse(uri).map(|_| ()).map_err(|error| error.code());
        assert_eq!(strict, Err(*code), "{uri}");
        for (other, (choose, ..)) in POINTS.iter().enumerate() {
            let read = DigitalLink::parse_with(uri, &choose(Options::new()));
            let found = read.map(|_| ()).map_err(|error| error.code());
            let expected = if other == position { Ok(()) } else { Err(*code) };
            assert_eq!(found, expected, "{uri} with option {other}");
        }
    }
}
