//! The page `docs/reference/conform.md`, generated from the checks.

use std::fmt::Write as _;
use std::fs;

use crate::topics::TOPICS;

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/conform.md");

const HEAD: &str = "\
# Checks of resolvers

This page lists the checks of [`fingerpost conform`](../guides/check-in-ci.md). It is generated from
the checks (`GENERATE=1 cargo test -p fingerpost-conform --lib reference_page`).

Clauses are those of the GS1-Conformant Resolver Standard 1.2, unless an RFC is named. The
requirements are rows of [Resolver](../requirements/resolver.md).
[Checks beside the official test suite](conform-and-official-suite.md) lists all differences to
GS1's own test suite.
";

const READINGS: &str = "
## Results that depend on the reading

These answers conform to one of two readings of the standard, and are never failures:

- `redirect-to-default`: a recalled item that is redirected to its `gs1:recallStatus` while the
  linkset has another `gs1:defaultLink`. A resolver chooses the default link (item 14 of the
  conformance list), and may change it at any time; but in example 2 of section 2.7 a temporary
  default is published as `gs1:defaultLink`. A linkset that does so in a recall conforms to both
  readings.
- `redirect-temporary`: status 301 or 308; the standard names no status.
- `query-forwarded`: before release 1.2, links could opt out of the query string.
- `query-joined`: a query string that is joined to a target in another way.
- `media-type`: links that `Accept` does not choose; its use is optional.
- `invalid-order`, `invalid-first`: tests of the URI that section 2.4 encourages.
- `unknown-key`: a key that was expected to be unknown is redirected.
- `epc-hexadecimal`, `epc-base64`: EPCs are not decoded, and the description file does not announce
  all primary keys by `all`.
- `link-linkset`: redirects without a Link header to the linkset, which release 1.2 removed.
- `schema-languages`, `schema-description`: linksets that follow the text of the standard, and that
  GS1's linkset schema refuses. Known releases of the schema differ.
";

/// Requirements of the resolver that no request shows.
const NOT_SEEN: [(&str, &str); 4] = [
    ("RES-2.4-1", "It concerns the registration of links."),
    ("RES-2.5.1-4", "Which targets come from templates cannot be seen."),
    ("RES-2.5.3-2", "The language of a few words cannot be determined."),
    ("RES-2.9-5", "Which attributes are stored cannot be seen."),
];

fn requirements() -> Vec<(String, String)> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/requirements/resolver.md");
    let catalogue = fs::read_to_string(path).expect("the catalogue");
    let rows = catalogue.lines().filter(|line| line.starts_with("| RES-"));
    let cells = rows.map(|row| row.split(" | ").map(|it| it.trim_matches(['|', ' ']).to_owned()));
    cells.map(|mut cells| (cells.next().expect("an id"), cells.next().expect("a level"))).collect()
}

/// Whether a row is a SHALL or a SHOULD of the standard, not a decision of this project.
fn is_binding(level: &str) -> bool {
    ["SHALL", "SHOULD", "MAY / SHOULD", "MAY / SHALL"].iter().any(|it| level.starts_with(it))
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    for topic in &TOPICS {
        let _ = write!(page, "\n## {}\n\n", topic.title);
        page.push_str("| check | level | releases | clause | requirements | expected | advice |\n");
        page.push_str("| -- | -- | -- | -- | -- | -- | -- |\n");
        for check in topic.checks {
            let cells = [
                &format!("`{}`", check.id),
                check.obligation.as_str(),
                &check.releases(),
                check.clause,
                &check.requirements.join(", "),
                check.expected,
                check.advice,
            ];
            let cells = cells
                .map(|cell| cell.replace('|', "\\|").replace('<', "\\<").replace("*.", "\\*."));
            let _ = writeln!(page, "| {} |", cells.join(" | "));
        }
    }
    page.push_str(READINGS);
    page.push_str("\n## Requirements and their checks\n\n");
    page.push_str(
        "Each SHALL and SHOULD of the standard; decisions of this project are not checked.\n\n",
    );
    page.push_str("| requirement | level | checks |\n| -- | -- | -- |\n");
    for (id, level) in requirements().iter().filter(|(_, level)| is_binding(level)) {
        let of_row = crate::checks().filter(|check| check.requirements.contains(&&**id));
        let checks: Vec<String> = of_row.map(|check| format!("`{}`", check.id)).collect();
        let reason = NOT_SEEN.iter().find(|row| row.0 == id).map(|row| row.1.to_owned());
        let cell = reason.map_or_else(
            || checks.join(", "),
            |reason| format!("Cannot be seen from outside. {reason}"),
        );
        let _ = writeln!(page, "| {id} | {level} | {cell} |");
    }
    page
}

/// Each SHALL and SHOULD of the catalogue has a check, or a reason why it has none.
#[test]
fn each_requirement_has_a_check_or_a_reason() {
    let requirements = requirements();
    let is_checked = |id: &str| crate::checks().any(|check| check.requirements.contains(&id));
    for (id, _) in requirements.iter().filter(|(_, level)| is_binding(level)) {
        let has_reason = NOT_SEEN.iter().any(|row| row.0 == id);
        assert!(is_checked(id) != has_reason, "{id}");
    }
    assert!(requirements.len() > 150);
    for (id, _) in NOT_SEEN {
        assert!(requirements.iter().any(|row| row.0 == id), "{id}");
    }
}

#[test]
fn the_reference_of_checks_is_up_to_date() {
    let expected = page();
    if std::env::var_os("GENERATE").is_some() {
        fs::write(PATH, &expected).expect("written");
    }
    let current = fs::read_to_string(PATH).unwrap_or_default();
    assert!(
        current == expected,
        "docs/reference/conform.md is stale: run this test with GENERATE=1"
    );
}

/// Each requirement that a check names is a row of the catalogue.
#[test]
fn checks_name_known_requirements() {
    let requirements = requirements();
    for check in crate::checks() {
        assert!(!check.requirements.is_empty() && !check.expected.is_empty(), "{}", check.id);
        assert!(!check.advice.is_empty() && !check.clause.is_empty(), "{}", check.id);
        for id in check.requirements {
            assert!(requirements.iter().any(|row| row.0 == *id), "{}: {id}", check.id);
        }
    }
}
