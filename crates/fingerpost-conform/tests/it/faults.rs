//! Each fault of a resolver is found by the check for it, and by no other check.

use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

use fingerpost_conform::{CheckResult, ConformOptions, ConformReport, Release, checks, examine};

use crate::resolver::{self, HANDED_OVER, KEY};

/// Faults, each with the check that finds it. Faults of resolvers in use are among them: a linkset
/// that GS1's schema refuses, a default variant that becomes a list, `gs1:` types as JSON members,
/// unknown qualifiers as 404, error pages with status 200, dropped queries.
pub(crate) const FAULTS: &[(&str, &str)] = &[
    ("http-1.0", "transport-version"),
    ("cut-body", "transport-answers"),
    ("description-404", "description-available"),
    ("description-html", "description-json"),
    ("root-slash", "description-root"),
    ("root-number", "description-root"),
    ("root-http", "description-root-https"),
    ("keys-names", "description-keys"),
    ("keys-text", "description-keys"),
    ("key-undeclared", "description-key"),
    ("prefix-without-colon", "description-link-types"),
    ("namespaces-object", "description-link-types"),
    ("name-null", "description-members"),
    ("boolean-text", "description-members"),
    ("contexts-text", "description-members"),
    ("other-context", "description-context"),
    ("linkset-redirect", "linkset-by-type"),
    ("linkset-404", "linkset-by-type"),
    ("accept-redirect", "linkset-by-accept"),
    ("content-type", "linkset-content-type"),
    ("outer-member", "linkset-shape"),
    ("linkset-object", "linkset-shape"),
    ("no-anchor", "linkset-shape"),
    ("links-object", "linkset-shape"),
    ("anchor-query", "linkset-anchor"),
    ("anchor-slash", "linkset-anchor"),
    ("anchor-relative", "linkset-anchor"),
    ("anchor-other", "linkset-anchor"),
    ("relation-prefix", "linkset-relation"),
    ("old-namespace", "linkset-namespace"),
    ("href-missing", "linkset-href"),
    ("href-relative", "linkset-href"),
    ("title-missing", "linkset-title"),
    ("title-blank", "linkset-title"),
    ("hreflang-text", "linkset-arrays"),
    ("context-text", "linkset-arrays"),
    ("language-name", "linkset-languages"),
    ("media-type-word", "linkset-media-types"),
    ("own-member", "linkset-members"),
    ("two-defaults", "linkset-default-one"),
    ("no-default", "linkset-default-one"),
    ("default-language", "linkset-default-plain"),
    ("default-undescribed", "linkset-default-typed"),
    ("no-context-link", "format-context-link"),
    ("context-link-without-type", "format-context-type"),
    ("json-406", "format-json"),
    ("ld-without-context", "format-json-ld"),
    ("html-as-json", "format-html"),
    ("html-without-links", "format-html-links"),
    ("html-without-json-ld", "format-html-json-ld"),
    ("default-json", "format-default-html"),
    ("plain-200", "redirect-default"),
    ("plain-300", "redirect-default"),
    ("relative-location", "redirect-absolute"),
    ("other-default", "redirect-to-default"),
    ("default-of-key", "redirect-to-default"),
    ("walk-by-redirect", "redirect-elsewhere"),
    ("slash-404", "redirect-slash"),
    ("slash-redirect", "redirect-slash"),
    ("query-dropped", "query-forwarded"),
    ("query-parsed", "query-verbatim"),
    ("query-decoded", "query-verbatim"),
    ("link-type-dropped", "query-link-type"),
    ("query-after-fragment", "query-before-fragment"),
    ("type-ignored", "type-redirect"),
    ("type-404", "type-redirect"),
    ("attributes-required", "type-any-attributes"),
    ("full-uri-404", "type-full-uri"),
    ("encoded-404", "type-percent-encoded"),
    ("unknown-type-default", "type-unknown"),
    ("first-of-several", "type-several"),
    ("several-with-location", "type-several"),
    ("several-all", "type-several-body"),
    ("several-html", "type-several-body"),
    ("variants-ignored", "variant-language"),
    ("variant-300", "variant-language"),
    ("variant-for-any", "variant-none"),
    ("variant-for-star", "variant-any-language"),
    ("language-ignored", "language"),
    ("language-case", "language-case"),
    ("weights-ignored", "language-weights"),
    ("no-shortening", "language-closest"),
    ("context-ignored", "context"),
    ("structure-404", "invalid-structure"),
    ("ai-tolerated", "invalid-ai"),
    ("length-404", "invalid-length"),
    ("characters-404", "invalid-characters"),
    ("check-digit-404", "invalid-check-digit"),
    ("percent-500", "invalid-percent"),
    ("repeated-tolerated", "invalid-repeated"),
    ("invalid-linkset-200", "invalid-linkset"),
    ("unknown-500", "unknown-key"),
    ("unknown-400", "unknown-key"),
    ("unknown-200", "error-status"),
    ("invalid-200", "error-status"),
    ("unknown-linkset-200", "unknown-key-linkset"),
    ("head-405", "head-redirect"),
    ("head-without-location", "head-redirect"),
    ("head-linkset-404", "head-linkset"),
    ("options-405", "options-status"),
    ("no-allow", "options-allow"),
    ("allow-get", "options-allow"),
    ("no-cors-redirect", "cors-redirect"),
    ("no-cors-linkset", "cors-linkset"),
    ("no-cors-description", "cors-description"),
    ("no-expose", "cors-expose"),
    ("preflight-403", "cors-preflight"),
    ("preflight-get", "cors-preflight-methods"),
    ("preflight-no-headers", "cors-preflight-headers"),
    ("vary-language", "cache-vary-accept"),
    ("vary-accept", "cache-vary-language"),
    ("etag-ignored", "cache-conditional"),
    ("unknown-lot-404", "level-unknown"),
    ("unknown-lot-linkset-404", "level-unknown-linkset"),
    ("lot-linkset-alone", "level-union"),
    ("hexadecimal-400", "epc-hexadecimal"),
    ("base64-400", "epc-base64"),
    ("epc-anchors", "epc-anchor"),
    ("epc-404", "epc-invalid"),
    ("handled-by-case", "link-handled-by"),
    ("no-linkset-link", "link-linkset-required"),
    ("hand-over-without-query", "hand-over-query"),
    ("hand-over-unnamed", "hand-over-link"),
    ("hand-over-compressed", "hand-over-uncompressed"),
    ("keys-refused", "key-accepted"),
    ("sscc-check-digit", "key-check-digit"),
    ("cpid-case", "key-characters"),
    ("itip-pieces", "key-components"),
    ("misspelt-type", "vocabulary-gs1"),
    ("namespace-undeclared", "vocabulary-declared"),
    ("foreign-pip", "vocabulary-duplicate"),
    ("context-undeclared", "vocabulary-context"),
    ("key-undecoded", "path-percent-encoded"),
    ("slash-decoded", "path-encoded-slash"),
    ("query-validated", "query-not-validated"),
    ("sgtin-only", "epc-schemes"),
    ("compressed-400", "compressed-link"),
    ("no-same-as", "compressed-same-as"),
    ("no-235", "level-qualifiers"),
    ("lot-item-of-key", "level-combined"),
    ("levels-below", "level-literal"),
    ("item-in-lot", "level-sets"),
    ("context-file-json", "format-context-file"),
    ("text-without-anchor", "format-text"),
    ("context-dropped", "query-context"),
    ("head-without-link", "head-fields"),
    ("24-tolerated", "invalid-ai-length"),
    ("tilde-tolerated", "invalid-unknown-ai"),
];

/// Answers that conform to one of two readings, each with the check that names the reading.
pub(crate) const READINGS: &[(&str, &str)] = &[
    ("recalled", "redirect-to-default"),
    ("permanent", "redirect-temporary"),
    ("two-question-marks", "query-joined"),
    ("accept-ignored", "media-type"),
    ("unknown-redirect", "unknown-key"),
    ("no-linkset-link", "link-linkset"),
    ("epc-unannounced", "epc-hexadecimal"),
    ("order-tolerated", "invalid-order"),
    ("first-404", "invalid-first"),
    ("language-three-letters", "schema-languages"),
    ("no-description", "schema-description"),
];

/// Checks that need TLS, which the resolver of these tests does not have.
const OVER_TLS: [&str; 5] = [
    "certificate-authority",
    "certificate-host",
    "certificate-validity",
    "http2-answers",
    "transport-https",
];

fn report(fault: &'static str, standard: Release) -> ConformReport {
    let server = resolver::start(fault);
    let mut paths = ["", "/10/LOT1", "/21/F1"].map(|rest| format!("{KEY}{rest}")).to_vec();
    if fault.is_empty() || fault == "item-in-lot" {
        paths.push(format!("{KEY}/10/LOT1/21/F1"));
    }
    if fault.is_empty() || fault.starts_with("hand-over") {
        paths.push(HANDED_OVER.to_owned());
    }
    let uris: Vec<_> =
        paths.iter().map(|path| format!("http://{}{path}", server.address)).collect();
    let timeout = Duration::from_secs(20);
    let options = ConformOptions { rate: 0, standard, timeout, ..ConformOptions::default() };
    examine(&uris, options).expect("a report")
}

/// Returns the last release that has a check.
fn release(id: &str) -> Release {
    checks().find(|check| check.id == id).expect("a check").until
}

/// Returns the checks with a result, each with what was found.
fn with_result(report: &ConformReport, result: &str) -> Vec<String> {
    let those = report.results.iter().filter(|it| it.judgement.as_str() == result);
    those.map(|it: &CheckResult| format!("{}: {}", it.check.id, it.judgement.detail())).collect()
}

/// Whether exactly these checks are in a list of [`with_result`].
fn are(found: &[String], ids: &[&str]) -> bool {
    found.len() == ids.len()
        && ids.iter().all(|id| found.iter().any(|it| it.starts_with(&format!("{id}: "))))
}

/// All requirements of the checks, RES-2.2-1 to RES-3-15.
#[test]
fn a_resolver_without_faults_passes_every_check() {
    for standard in [Release::V1_2, Release::V1_1, Release::V1_0] {
        let report = report("", standard);
        assert_eq!(with_result(&report, "fail"), Vec::<String>::new());
        assert_eq!(with_result(&report, "depends"), Vec::<String>::new());
        let not_tried = with_result(&report, "not-tried");
        assert!(are(&not_tried, &OVER_TLS), "{not_tried:#?}");
    }
}

#[test]
fn each_fault_is_found_by_its_check_alone() {
    assert!(FAULTS.len() >= 60);
    let wrong = |faults: &[(&'static str, &str)]| -> Vec<String> {
        let wrong = faults.iter().filter_map(|(fault, check)| {
            let found = with_result(&report(fault, release(check)), "fail");
            let holds = are(&found, &[check]);
            (!holds).then(|| format!("{fault}: expected {check}, found {found:#?}"))
        });
        wrong.collect()
    };
    let wrong: Vec<String> = thread::scope(|scope| {
        let quarters = FAULTS.chunks(FAULTS.len().div_ceil(4));
        let threads: Vec<_> = quarters.map(|faults| scope.spawn(move || wrong(faults))).collect();
        threads.into_iter().flat_map(|it| it.join().expect("no panic")).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Doubtful readings are no failures.
#[test]
fn each_open_reading_is_named_and_no_failure() {
    for (fault, check) in READINGS {
        let report = report(fault, release(check));
        assert_eq!(with_result(&report, "fail"), Vec::<String>::new(), "{fault}");
        let depends = with_result(&report, "depends");
        assert!(
            depends.iter().any(|it| it.starts_with(&format!("{check}: "))),
            "{fault}: {depends:#?}"
        );
    }
}

#[test]
fn each_check_has_a_fault_or_a_reading() {
    let tried: BTreeSet<&str> = FAULTS.iter().chain(READINGS).map(|(_, check)| *check).collect();
    let all: BTreeSet<&str> = checks().map(|check| check.id).collect();
    assert_eq!(all.len(), checks().count(), "ids are unique");
    let without: Vec<_> = all.difference(&tried).collect();
    assert_eq!(without, OVER_TLS.iter().collect::<Vec<_>>(), "tested in tls.rs");
    assert!(tried.is_subset(&all));
}
