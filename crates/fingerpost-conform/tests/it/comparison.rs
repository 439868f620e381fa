//! `fingerpost conform` beside GS1's resolver test suite, over the same stand-ins, and the page
//! `docs/reference/conform-and-official-suite.md`, which lists every difference.

use std::fmt::Write as _;
use std::fs;

use fingerpost_conform::{Obligation, checks};

use crate::faults::{FAULTS, READINGS};
use crate::official::{Outcome, Outcomes, is_of_later_copies, outcomes, paths};

const PATH: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/conform-and-official-suite.md");

const HEAD: &str = "\
# Checks beside the official test suite

GS1 publishes a [test suite](https://github.com/gs1/GS1DL-resolver-testsuite) for resolvers, which
runs in a browser. This page compares it with [`fingerpost conform`](conform.md) over the same
stand-ins: a resolver that conforms, and copies of it, each with one planted fault.

The page is generated (`GENERATE=1 cargo test -p fingerpost-conform --test it comparison`). The
results of `fingerpost conform` are those of real runs. The results of the suite are those of a
model of its requests and criteria, `crates/fingerpost-conform/tests/it/official.rs`, because the
files of the suite are not ours to publish. `.ci/conform-suite` runs the suite itself, unchanged, in
a browser over every stand-in, with each of the three URIs of the data, and fails if any result
differs from the model. `.ci/gs1-suite` runs it against fingerpost.
";

/// What was last run with `.ci/conform-suite`, by hand: the files of the suite are not in CI.
const RUN: &str = "
## What was compared with the suite itself

Last run on 27 November 2026: every stand-in of this page, 159 in all, with three URIs each, in
Chromium 156, with the helper of the suite under PHP 8.2. 11,705 results were compared, among them
those about the URI and TLS, which every stand-in passes and this page leaves out. The model lacked
one test (`ltAllNoRedirect`), was corrected, and agrees with all of them.

- Version: `public/GS1DigitalLinkResolverTestSuite.js` of commit `8bf32535` of the suite, and
  `tester.php` of commit `1fcdcfd7`. These were the newest versions that could be had here, from an
  index of public repositories and not from a clone, and were checked by their length only. They are
  from after 2 June 2025, and lack changes that the suite got from May 2026 on.
- Not compared: the tests marked * on this page. This version does not judge them as later ones do:
  it looks for the methods of a preflight in the answer to GET (`methodsCheck`), its helper loses
  the headers of linksets (`declaredContentType`, `linksetJsonldCheck`), and it requests each of
  several links of a type with media type and language in the query string (`loFor` with a number).
  Their results are those of the model alone, also where the suite is said to pass.
- Replaced: the library of the suite for GS1 Digital Link URIs by digital-link.js 1.4.3, its
  validator of JSON schemas by ajv 8.17.1, and the documents that it loads from GS1 by local copies:
  the two schemas and the list of link types.
- The stand-ins name themselves, `https://127.0.0.1` with a port, where their data otherwise name
  `https://id.example.org`, and speak HTTP/1 over TLS.
";

/// Conforming answers about which the suite complains: the stand-in, the tests of the suite that do
/// not pass, and who is right.
const FALSE_ALARMS: &[(&str, &[&str], &str, &str)] = &[
    (
        "",
        &["loForgs1hasRetailers0", "loForgs1hasRetailers1"],
        "Two links of a type that differ in their context only, and are distinguished by `context`.",
        "`fingerpost conform`. The helper of the suite loses the parameter `context`, so the suite \
         expects a redirect for a request that does not distinguish the links (section 2.6.3, 300).",
    ),
    (
        "",
        &["loForgs1faqs0"],
        "A link without language and media type beside links with languages, requested without a \
         language: 300.",
        "Open: the suite expects the link without attributes (it requests it with the literal \
         `Accept: undefined`), the standard does not say so. `fingerpost conform` accepts both.",
    ),
    (
        "",
        &["loForgs1registerProduct"],
        "A target with a fragment: the query string is inserted before it.",
        "`fingerpost conform`. The suite cuts `Location` at the question mark, and loses the \
         fragment that it compares.",
    ),
    (
        "",
        &["loForgs1defaultLinkMulti0", "loForgs1defaultLinkMulti1"],
        "A lot with a default link of its own, below a key whose default link has variants: the lot's \
         default link, in any language.",
        "`fingerpost conform`. The suite expects the variants of the key also for the lot; variants \
         refine the default link of their own level (item 14 of the conformance list: one default).",
    ),
    (
        "accept-ignored",
        &["loForgs1relatedImage0", "loForgs1relatedImage1"],
        "Two links of a type that differ in their media type: 300 for any `Accept`.",
        "`fingerpost conform`: `media-type` depends on the reading. Item 20 of the conformance list \
         leaves the use of Accept open, the suite fails it.",
    ),
    (
        "recalled",
        &["defaultTarget"],
        "A recalled product, redirected to its `gs1:recallStatus` instead of its default link.",
        "Open: `redirect-to-default` depends on the reading (see [Checks of resolvers](conform.md)).",
    ),
    (
        "language-three-letters",
        &["validLinkset"],
        "A link with `hreflang` of three letters, `gsw`.",
        "Depends on the reading: section 2.5.4 allows every tag of BCP 47, the schema that the suite \
         loads only `en` and `fr-CA`. `fingerpost conform` names it in `schema-languages`.",
    ),
    (
        "no-description",
        &["validLinkset"],
        "A link context object without `itemDescription`.",
        "Depends on the release of the schema: that of 1.2.0 requires it, that of 1.2.1 does not. \
         `fingerpost conform` names it in `schema-description`.",
    ),
    (
        "no-linkset-link",
        &["linkOnRedirect"],
        "Redirects without a Link header to the linkset.",
        "Depends on the release: required until 1.1, removed in 1.2. `fingerpost conform` fails it \
         with `--standard 1.1` only.",
    ),
];

/// What no stand-in shows, because it concerns other keys, or how the suite is run.
const LIMITS: &str = "
## Differences that no stand-in shows

- The suite refuses a GRAI with its leading zero before any test (issue 20 of the suite, open).
  `fingerpost conform` is right: the zero is part of AI 8003.
- For a URI with 22, 10 and 21, the suite shortens the path from its end, and never looks at the
  anchor of the serial number. `fingerpost conform` is right: it judges the sets of section 2.5.10.
- The suite decodes a media type twice, so that `+` becomes a space, as in `application/ld+json`.
  `fingerpost conform` sends it as it is published.
- Copies of the suite from before mid-2026 send language and media type in the query string instead
  of the header (issue 21, closed). `fingerpost conform` sends header fields.
- The suite needs a public host with HTTPS. `fingerpost conform` also reaches other hosts
  (`--connect`, `--cacert`).
- The suite tests neither HEAD, HTTP/2, caches, EPC binary, hand-over, nor keys other than the one
  of the URI.
";

/// Returns who is right about a planted fault; empty if both are.
fn note(fault: &str, check: &str, suite: &Outcomes) -> &'static str {
    let found = suite.values().copied().max().unwrap_or(Outcome::Pass);
    let obligation = checks().find(|it| it.id == check).map(|it| it.obligation);
    match (found, obligation) {
        _ if fault == "walk-by-redirect" => {
            "Both: the redirect also misses the default link, which the suite reports; \
             `fingerpost conform` reports the cause"
        }
        (Outcome::Pass, Some(Obligation::Should)) => {
            "`fingerpost conform`: a recommendation that the suite does not test"
        }
        (Outcome::Pass, _) => "`fingerpost conform`: a requirement that the suite does not test",
        (Outcome::Warn, Some(Obligation::Shall)) => {
            "`fingerpost conform`: the standard says SHALL, the suite only warns"
        }
        (Outcome::Fail, Some(Obligation::Should)) => {
            "`fingerpost conform`: the standard says SHOULD, the suite fails"
        }
        _ => "",
    }
}

/// Returns the tests that do not pass for one of the paths, and are not among the others.
fn complaints(fault: &'static str, except: &[Outcomes; 3]) -> Outcomes {
    let mut found = Outcomes::new();
    for (path, except) in paths().iter().zip(except) {
        for (id, outcome) in outcomes(fault, path) {
            if outcome > except.get(&id).copied().unwrap_or(Outcome::Pass) {
                let worst = found.entry(id).or_insert(outcome);
                *worst = outcome.max(*worst);
            }
        }
    }
    found
}

/// Returns the results about the resolver without faults.
fn honest() -> [Outcomes; 3] {
    paths().map(|path| outcomes("", &path))
}

fn shown(outcomes: &Outcomes) -> String {
    let words = outcomes.iter().map(|(id, outcome)| {
        let mark = if is_of_later_copies(id) { "\\*" } else { "" };
        match outcome {
            Outcome::Fail => format!("`{id}`{mark}"),
            _ => format!("`{id}`{mark} (warning)"),
        }
    });
    words.collect::<Vec<_>>().join(", ")
}

fn page() -> String {
    let honest = honest();
    let mut page = HEAD.to_owned();
    let rows: Vec<_> =
        FAULTS.iter().map(|(fault, check)| (*fault, *check, complaints(fault, &honest))).collect();
    let both: Vec<_> = rows.iter().filter(|row| note(row.0, row.1, &row.2).is_empty()).collect();
    let unseen = rows.iter().filter(|row| row.2.is_empty()).count();
    let _ = writeln!(
        page,
        "\n- Planted faults: {}, all found by `fingerpost conform`, each by one check.\n\
         - Not found by the suite: {unseen}.\n\
         - Found by the suite with another severity than that of the standard: {}.",
        rows.len(),
        rows.len() - unseen - both.len()
    );
    page.push_str(RUN);
    page.push_str("\n## Differences: planted faults\n\n");
    page.push_str("| stand-in | `fingerpost conform` fails | the suite | who is right |\n");
    page.push_str("| -- | -- | -- | -- |\n");
    for (fault, check, suite) in &rows {
        let note = note(fault, check, suite);
        if !note.is_empty() {
            let suite = if suite.is_empty() { "passes".to_owned() } else { shown(suite) };
            let _ = writeln!(page, "| {fault} | `{check}` | {suite} | {note} |");
        }
    }
    page.push_str("\n## Differences: conforming answers about which the suite complains\n\n");
    page.push_str("| answer | the suite | who is right |\n| -- | -- | -- |\n");
    for (fault, tests, answer, right) in FALSE_ALARMS {
        let found = complaints(fault, &Default::default());
        let of_row: Outcomes =
            found.into_iter().filter(|(id, _)| tests.contains(&id.as_str())).collect();
        let _ = writeln!(page, "| {answer} | {} | {right} |", shown(&of_row));
    }
    page.push_str(LIMITS);
    page.push_str("\n## Agreement\n\n");
    page.push_str("| stand-in | `fingerpost conform` fails | the suite |\n| -- | -- | -- |\n");
    for (fault, check, suite) in both {
        let _ = writeln!(page, "| {fault} | `{check}` | {} |", shown(suite));
    }
    page
}

#[test]
fn the_comparison_is_up_to_date() {
    let expected = page();
    if std::env::var_os("GENERATE").is_some() {
        fs::write(PATH, &expected).expect("written");
    }
    let current = fs::read_to_string(PATH).unwrap_or_default();
    assert!(current == expected, "{PATH} is stale: run this test with GENERATE=1");
}

/// No complaint of the suite about a conforming answer is left without an explanation.
#[test]
fn each_complaint_about_a_conforming_answer_is_explained() {
    let honest = honest();
    let readings = READINGS.iter().map(|(fault, _)| (*fault, complaints(fault, &honest)));
    let mut complaints: Vec<(&str, String)> = readings
        .chain([("", complaints("", &Default::default()))])
        .flat_map(|(fault, found)| found.into_keys().map(move |id| (fault, id)))
        .collect();
    let mut explained: Vec<(&str, String)> = FALSE_ALARMS
        .iter()
        .flat_map(|(fault, tests, ..)| tests.iter().map(|id| (*fault, (*id).to_owned())))
        .collect();
    complaints.sort();
    explained.sort();
    assert_eq!(complaints, explained);
}
