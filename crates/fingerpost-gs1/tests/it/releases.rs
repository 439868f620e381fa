//! The grammar of GS1 Digital Link URI Syntax 1.7.0, as two public readings of it report its
//! clauses: <https://github.com/odal-node/dpp-engine> (`dpp-digital-link`, one URI for each rule) and the
//! conformance review of GS1 Brasil's branch of Resolver CE. The cases are our own.
//! `docs/reference/releases.md` lists the clauses, and the differences below.

use fingerpost_gs1::DigitalLink;

const GTIN: &str = "/01/09506000134352";

/// The clause, what follows the host, and whether the grammar allows it.
const CASES: [(&str, &str, bool); 50] = [
    ("4.1 and 4.5, 14 digits", GTIN, true),
    ("4.1 and 4.5, 14 digits", "/01/9506000134352", false),
    ("4.1, no convenience alphas", "/gtin/09506000134352", false),
    ("4.5, check digit", "/01/09506000134353", false),
    ("4.2, an escaped symbol", "/01/09506000134352/10/A%2FB", true),
    ("4.2, an escape in lower case", "/01/09506000134352/10/a%2fb", true),
    ("4.2, not in the character set", "/01/09506000134352/10/A%40B", false),
    ("4.2, not in the character set", "/01/09506000134352/10/A%20B", false),
    ("4.2, a malformed escape", "/01/09506000134352/10/A%ZZ", false),
    ("4.6, as long as can be", "/01/09506000134352/10/ABCDEFGHIJABCDEFGHIJ", true),
    ("4.6, one too long", "/01/09506000134352/10/ABCDEFGHIJABCDEFGHIJK", false),
    ("4.6, no value", "/01/09506000134352/10/", false),
    ("4.9, gtin-path", "/01/09506000134352/22/A/10/B/21/C", true),
    ("4.9, order", "/01/09506000134352/10/B/22/A", false),
    ("4.9, order", "/01/09506000134352/21/C/10/B", false),
    ("4.9, twice", "/01/09506000134352/10/A/10/B", false),
    ("4.9, upui-path", "/01/09506000134352/235/TPX", true),
    ("4.9, upui-path alone", "/01/09506000134352/235/TPX/21/C", false),
    ("4.9, upui-path alone", "/01/09506000134352/10/B/235/TPX", false),
    ("4.9, itip-path with cpv", "/8006/095060001343520101/22/A", true),
    ("4.9, itip-path", "/8006/095060001343520101/10/B/21/C", true),
    ("4.9, gln-path", "/414/4226350800008/254/A", true),
    ("4.9, fid-path", "/414/4226350800008/7040/1ABC", true),
    ("4.9, eoid-path", "/417/4226350800008/7040/1ABC", true),
    ("4.9, mid-path", "/8004/4012345ABC123/7040/1ABC", true),
    ("4.9, one extension", "/414/4226350800008/254/A/7040/1ABC", false),
    ("4.9, partyGln-path", "/417/4226350800008/254/A", false),
    ("4.6, a digit first", "/417/4226350800008/7040/ABCD", false),
    ("4.9, cpid-path", "/8010/4012345ABC/8011/123", true),
    ("4.6, digits", "/8010/4012345ABC/8011/ABC", false),
    ("4.9, gsrn-path", "/8018/401234567890123450/8019/1", true),
    ("4.9, payTo-path", "/415/4226350800008/8020/REF", true),
    ("4.9, payTo-path", "/415/4226350800008", false),
    ("4.9, no key first", "/8020/REF", false),
    ("4.9, no qualifiers", "/00/106141412345678908/10/A", false),
    ("4.9, one key", "/01/09506000134352/414/4226350800008", false),
    ("4.10, attributes in the query", "/01/09506000134352?17=261231", true),
    ("4.10, attributes in the query", "/01/09506000134352/17/261231", false),
    ("4.10, format of attributes", "/01/09506000134352?17=26123", false),
    ("4.10.1, extension parameters", "/01/09506000134352?linkType=gs1:pip&23P=1", true),
    ("4.10.1, no extension of digits", "/01/09506000134352?236=1", false),
    ("4.11, delimiters of the query", "/01/09506000134352?17=261231;3103=000189", true),
    ("4.11, custom stem", "/a/b%20c/01/09506000134352", true),
    ("4.11, empty segment of a stem", "//01/09506000134352", true),
    ("4.12, no slash at the end", "/01/09506000134352/", false),
    ("4.12, no empty segment", "/01//09506000134352", false),
    ("8010, its character set", "/8010/4012345AB_C", false),
    ("8003, begins with 0", "/8003/14012345678901", false),
    ("253, as long as can be", "/253/4012345678901ABCDEFGHIJABCDEFG", true),
    ("8013, check characters", "/8013/1987654Ad4X4bL5ttr2310c2X", false),
];

/// Where strict reading decides otherwise, each with a reason on the page of the releases.
const DIFFERENCES: [&str; 1] = ["/01/09506000134352/414/4226350800008"];

// GS1-REL-01
#[test]
fn the_grammar_of_1_7_0_is_followed_as_public_readings_report_it() {
    let mut differences = Vec::new();
    for (clause, rest, is_allowed) in CASES {
        for stem in ["https://id.example.org", "HTTP://id.example.org:8080"] {
            let uri = [stem, rest].concat();
            if DigitalLink::parse(&uri).is_ok() != is_allowed {
                differences.push((clause, rest));
            }
        }
    }
    differences.dedup();
    let paths: Vec<&str> = differences.iter().map(|(_, rest)| *rest).collect();
    assert_eq!(paths, DIFFERENCES, "{differences:?}");
}
