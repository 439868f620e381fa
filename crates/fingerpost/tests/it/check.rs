//! `check`: what each form of identifier says, pinned in `tests/golden`, and exit statuses.
//!
//! To accept a change of wording, run with `UPDATE_GOLDEN=1` and look at the difference.

use crate::support;

use std::path::Path;

use support::{run, run_with_input};

/// Inputs by the name of their golden file.
const GOLDEN: [(&str, &[&str]); 10] = [
    (
        "digital-link",
        &[
            "https://id.example.org/01/09520123456788/10/A%2FB?17=261231&lang=fr",
            "/01/09520123456788/21/S1",
            "01/09520123456788",
        ],
    ),
    (
        "digital-link-faults",
        &[
            "https://id.example.org/01/09520123456789/10/A%5EB?17=261301",
            "https://id.example.org/01/9520123456788/",
            "https://id.example.org/gtin/09520123456788/lot/A",
            "https://id.example.org/01/09520123456788/21/S/10/L",
            "https://id.example.org/products/42",
            "/01/09520123456780",
        ],
    ),
    ("bracketed", &["(01)09520123456788(17)261231(10)ABC", "(00)195201234567891232"]),
    (
        "bracketed-faults",
        &[
            "(01)09520123456789(17)271301(10)A^B",
            "(01)09520123456788(99999)x",
            "(10)ABC",
            "(01)09520123456788(10)äö",
            "(01",
        ],
    ),
    (
        "raw",
        &[
            "^010952012345678810ABC^17261231",
            "\u{1d}010952012345678810ABC\u{1d}17261231",
            "010952012345678810ABC\u{1d}17261231",
            "0109520123456788",
        ],
    ),
    (
        "scan",
        &[
            "]d2010952012345678810ABC\u{1d}17261231",
            "]C1010952012345678910ABC",
            "]Q1https://id.example.org/01/09520123456788",
            "]Q1hello",
            "]E09520123456788",
            "]x9123",
            "]",
        ],
    ),
    (
        "numbers",
        &[
            "9520123456788",
            "09520123456788",
            "952 0123 45678-8",
            "95200002",
            "012345678905",
            "195201234567891232",
            "9520123456780",
            "1 95201 23456789123-3",
            "12345",
            "1234567890123456789012345",
        ],
    ),
    (
        "epc",
        &[
            "3066c4409047e14000001a85",
            "94CVBgABNDUmJLUQBQA9mIGAJxC5rPg",
            "fd3795211411234538566cb0afc525065f1876f0d996d8",
            "3500e86f8000a9e000000586",
            "exMGbEQJBH4UAAABqF",
            "https://id.example.org/eh3066c4409047e14000001a85?linkType=all",
            "]Q1https://id.example.org/exMGbEQJBH4UAAABqF",
            "https://example.com/DBHKVAdpQgowOQ",
            "/01/09780345418913/IQUYHI",
            "urn:epc:tag:sgtin-96:3.95060001343.05.6789",
            "urn:epc:raw:96.x3066C4409047E14000001A85",
            "urn:epc:id:sgtin:95060001343.05.6789",
            "urn:epc:idpat:sgtin:95060001343.05.*",
            "urn:epc:class:lgtin:95060001343.05.A",
        ],
    ),
    (
        "epc-faults",
        &[
            "ff66c4409047e14000001a85",
            "3066c4",
            "MGbEQJBH4UAAA",
            "eh3066C4409047E14000001A85",
            "https://id.example.org/eh0166c4409047e140",
            "https://id.example.org/eh3500e86f8000a9e000000586",
            "urn:epc:id:xyz:1.2.3",
            "urn:epc:tag:sgtin-96:3.95060001343.05.06789",
            "urn:epc:raw:96.x30",
        ],
    ),
    ("unknown", &["hello", "", "\u{1b}[31mred\u{202e}", "mailto:a@example.com"]),
];

#[test]
fn findings_are_worded_as_pinned() {
    let mut different = Vec::new();
    for (name, inputs) in GOLDEN {
        let arguments = ["check", "--"].into_iter().chain(inputs.iter().copied());
        let found = run(arguments).stdout;
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/check-{name}.txt"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&path, &found).unwrap();
        } else if std::fs::read_to_string(&path).unwrap_or_default() != found {
            different.push(format!("{}:\n{found}", path.display()));
        }
        assert!(
            found.chars().all(|char| char == '\n' || !char.is_control()),
            "control characters are escaped: {found:?}"
        );
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn the_exit_status_tells_whether_all_is_valid() {
    run(["check", "9520123456788", "(01)09520123456788"]).expect_status(0);
    run(["check", "9520123456788", "9520123456780"]).expect_status(1);
    run(["check"]).expect_status(2);
    // Options may come last; an input that begins with a hyphen comes after two.
    let last = run(["check", "9520123456788", "--format", "json"]).expect_status(0);
    assert_eq!(last.events().len(), 1);
    run(["check", "--", "-hello"]).expect_status(1);
}

#[test]
fn lines_of_standard_input_are_checked_one_by_one() {
    let input = b"9520123456788\r\n\n(01)09520123456789\n]d20109520123456788\n\xff\n";
    let checked = run_with_input(["check", "--format", "json", "-"], input).expect_status(1);
    let valid: Vec<_> = checked.events().iter().map(|line| line["valid"].clone()).collect();
    assert_eq!(valid, [true, false, true, false]);
}

#[test]
fn json_has_spans_and_elements() {
    let checked = run(["check", "--format", "json", "(01)09520123456789"]).expect_status(1);
    let fault = &checked.events()[0]["faults"][0];
    assert_eq!(fault["code"], "L_INCORRECT_CHECK_DIGIT");
    assert_eq!(fault["message"], "check digit of (01) is 9, expected 8");
    assert_eq!((&fault["span"]["start"], &fault["span"]["end"]), (&17.into(), &18.into()));
    let checked = run(["check", "--format", "json", "]d20109520123456788"]).expect_status(0);
    let found = &checked.events()[0];
    assert_eq!(found["symbology"]["carrier"], "GS1 DataMatrix");
    assert_eq!(found["item"]["canonical_uri"], "https://id.gs1.org/01/09520123456788");
    assert_eq!(found["item"]["elements"][0]["title"], "GTIN");
}
