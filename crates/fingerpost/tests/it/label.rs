//! `fingerpost label`: files, reports and sheets. `fingerpost-label` tests that the symbols are
//! read by decoders of others.

use std::process::Command;

use fingerpost_testkit::skipped;
use serde_json::{Value, json};

use crate::support::{Run, Sandbox, run, run_with_input};

/// Runs `label` with a file in `sandbox` as output.
fn label(sandbox: &Sandbox, file: &str, arguments: &[&str]) -> (Run, Vec<u8>) {
    let path = sandbox.path(file);
    let path = path.to_str().unwrap();
    let run = run(["label", "--output", path].into_iter().chain(arguments.iter().copied()));
    (run, std::fs::read(path).unwrap_or_default())
}

#[test]
fn every_format_is_written_and_reported() {
    let sandbox = Sandbox::new();
    let item = "(01)09520123456788(10)L7";
    for (file, symbol, beginning) in [
        ("a.svg", "qr", &b"<svg xmlns=\"http://www.w3.org/2000/svg\""[..]),
        ("a.pdf", "datamatrix", b"%PDF-1.4"),
        ("a.PNG", "gs1-datamatrix", b"\x89PNG"),
    ] {
        let arguments =
            [item, "--symbol", symbol, "--root", "https://id.brand.example", "--report", "json"];
        let (run, bytes) = label(&sandbox, file, &arguments);
        let run = run.expect_status(0);
        assert!(bytes.starts_with(beginning), "{file}");
        let report = &run.events()[0];
        let content = match symbol {
            "gs1-datamatrix" => "010952012345678810L7",
            _ => "https://id.brand.example/01/09520123456788/10/L7",
        };
        assert_eq!(report["content"], content);
        assert_eq!(report["text"], json!(["(01) 09520123456788", "(10) L7"]));
        assert_eq!(report["symbol"], symbol);
    }
}

/// IN-11
#[test]
fn a_linear_symbol_is_drawn_alone_or_beside_another() {
    let sandbox = Sandbox::new();
    let item = "(01)09520123456788(10)L7";
    let root = ["--root", "https://id.brand.example"];
    let (run, bytes) = label(&sandbox, "a.svg", &[item, "--symbol", "ean-13"]);
    let text = run.expect_status(0).stdout;
    assert!(text.contains("EAN-13, 95 modules of 0.33 mm"), "{text}");
    assert!(text.contains("37.29 mm × 24.75 mm with its quiet zone of 3.63 mm"), "{text}");
    assert!(text.contains("LEFT_OUT") && text.contains("no place for (10)"), "{text}");
    assert!(String::from_utf8_lossy(&bytes).contains(">456788</text>"));
    let both = [&[item, "--beside", "ean-13", "--report", "json"], &root[..]].concat();
    let (run, bytes) = label(&sandbox, "b.svg", &both);
    let report = run.expect_status(0).events().remove(0);
    assert_eq!(report["warnings"], json!([]));
    let beside =
        json!({"symbol": "ean-13", "content": "9520123456788", "scan_data": "]E09520123456788"});
    assert_eq!((&report["symbol"], &report["beside"]), (&json!("qr"), &beside));
    let svg = String::from_utf8_lossy(&bytes);
    assert!(svg.contains(">(10) L7</text>") && !svg.contains("(01)"), "{svg}");
    let low = [item, "--symbol", "gs1-128", "--bar-height", "10mm"];
    let text = label(&sandbox, "c.pdf", &low).0.expect_status(0).stdout;
    assert!(text.contains("BARS_LOW") && text.contains("31.75 mm"), "{text}");
    for (arguments, part) in [
        (&["(01)19520123456785", "--symbol", "ean-13"][..], "use ITF-14"),
        (&["(01)09520123456788", "--symbol", "ean-8"], "use EAN-13"),
        (&["(01)09520123456788", "--symbol", "upc-a"], "use EAN-13"),
        (&["(00)195201234567891232", "--symbol", "itf-14"], "use GS1-128"),
        (&[item, "--symbol", "ean-13", "--beside", "gs1-128"], "choose a QR Code"),
        (&[item, "--beside", "datamatrix"], "choose a QR Code"),
        (&["(00)195201234567891232", "--beside", "ean-13"], "found (00) 195201234567891232"),
    ] {
        let (run, bytes) = label(&sandbox, "refused.svg", arguments);
        let run = run.expect_status(1);
        assert!(run.stderr.contains(part), "{arguments:?}: {}", run.stderr);
        assert!(bytes.is_empty(), "{arguments:?}");
    }
}

#[test]
fn the_report_has_sizes_advice_and_shorter_addresses() {
    let sandbox = Sandbox::new();
    let (run, _) =
        label(&sandbox, "tea.svg", &["9520123456788", "--root", "https://brand.example"]);
    let text = run.expect_status(0).stdout;
    assert!(
        text.contains("QR Code version 3, 29 × 29 modules of 0.495 mm, error correction M"),
        "{text}"
    );
    assert!(text.contains("18.315 mm × 18.315 mm with its quiet zone of 1.98 mm"), "{text}");
    assert!(text.contains("from about 14 cm"), "{text}");
    let note = "--address upper-case makes it smaller, 25 × 25 modules and 16.335 mm: HTTPS://BRAND.EXAMPLE/01/09520123456788";
    assert!(text.contains(note), "{text}");
    assert!(!text.contains("warning"), "{text}");
    let far = [
        "9520123456788",
        "--root",
        "https://brand.example",
        "--distance",
        "1m",
        "--report",
        "json",
    ];
    let report = label(&sandbox, "far.pdf", &far).0.expect_status(0).events().remove(0);
    assert_eq!(report["x_dimension_mm"], 3.449);
    assert_eq!(report["warnings"], json!([]));
}

#[test]
fn a_root_that_leads_elsewhere_is_reported() {
    let sandbox = Sandbox::new();
    let config = sandbox.write("fingerpost.toml", "resolver_root = \"https://id.brand.example\"\n");
    let config = ["--config", config.to_str().unwrap(), "--report", "json"];
    let report = |arguments: &[&str]| -> Value {
        let (run, _) = label(&sandbox, "a.svg", arguments);
        run.expect_status(0).events().remove(0)
    };
    let codes = |report: &Value| {
        report["warnings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["code"].clone())
            .collect::<Vec<_>>()
    };
    let default = report(&["9520123456788", "--report", "json"]);
    assert_eq!(default["content"], "https://id.example.org/01/09520123456788");
    assert_eq!(codes(&default), ["DEFAULT_ROOT"]);
    let own = report(&[&["9520123456788"], &config[..]].concat());
    assert_eq!(own["content"], "https://id.brand.example/01/09520123456788");
    assert_eq!(codes(&own), [""; 0]);
    let reference = report(&[&["https://id.gs1.org/01/09520123456788"], &config[..]].concat());
    assert_eq!(codes(&reference), ["DEFAULT_ROOT"]);
    assert!(
        reference["warnings"][0]["help"].as_str().unwrap().contains("https://id.brand.example")
    );
    let other = report(&[&["https://shop.example/01/09520123456788"], &config[..]].concat());
    assert_eq!(codes(&other), ["OTHER_ROOT"]);
}

#[test]
fn what_cannot_be_drawn_says_why_and_writes_nothing() {
    let sandbox = Sandbox::new();
    let long = format!("https://b.example/01/09520123456788?x={}", "a".repeat(3000));
    for (file, arguments, status, expected) in [
        ("a.svg", &["9520123456789"][..], 1, "error[EAN_CHECK_DIGIT]"),
        ("a.svg", &["hello"], 1, "error[NOT_RECOGNISED]"),
        ("a.svg", &["(8018)952012345678901237(10)A"], 1, "error["),
        (
            "a.svg",
            &[&long],
            1,
            "704 characters too long for a QR Code: it has 3038, of which the first 2334 fit",
        ),
        ("a.gif", &["9520123456788"], 2, "end its name in .svg, .png or .pdf"),
        ("no/a.svg", &["9520123456788"], 2, "cannot write"),
        ("a.svg", &["9520123456788", "--root", "ftp://a"], 2, "cannot use `ftp://a` as --root"),
        (
            "a.svg",
            &["9520123456788", "--x-dimension", "0"],
            2,
            "expected a length of at most 10000 mm",
        ),
        ("a.png", &["9520123456788", "--x-dimension", "10m", "--dpi", "4800"], 2, "pixels"),
        ("a.png", &["9520123456788", "--dpi", "10"], 2, "72..=4800"),
    ] {
        let (run, bytes) = label(&sandbox, file, arguments);
        let run = run.expect_status(status);
        assert!(run.stderr.contains(expected), "{run:?}");
        assert!(bytes.is_empty(), "{file} {arguments:?}");
    }
    let refused =
        label(&sandbox, "a.svg", &["9520123456789", "--report", "json"]).0.expect_status(1);
    assert_eq!(refused.events()[0]["faults"][0]["code"], "EAN_CHECK_DIGIT");
}

#[test]
fn standard_output_has_the_label_alone() {
    let run =
        run(["label", "9520123456788", "-o", "-", "--format", "svg", "--no-text"]).expect_status(0);
    assert!(run.stdout.starts_with("<svg") && run.stdout.ends_with("</svg>\n"));
    assert!(!run.stdout.contains("<text") && run.stderr.contains("QR Code version 3"), "{run:?}");
}

/// Products in all three kinds of file, some of which have no label.
fn products() -> String {
    let records = (0..40).map(|serial| {
        json!({"anchor": format!("/01/09520123456788/21/S{serial}"), "links": [
            {"linkType": "gs1:pip", "href": "https://brand.example/tea", "title": "Tea"}]})
        .to_string()
    });
    let others = [
        r#"{"anchor":"/01/09520123456788/10/{lot}","links":[]}"#.to_owned(),
        r#"{"anchor":"/01/09520123456789","links":[]}"#.to_owned(),
    ];
    records.chain(others).map(|record| record + "\n").collect()
}

#[test]
fn a_sheet_has_a_label_for_each_record() {
    let sandbox = Sandbox::new();
    let file = sandbox.write("records.jsonl", &products());
    let sheet = sandbox.path("sheet.pdf");
    let (file, sheet) = (file.to_str().unwrap(), sheet.to_str().unwrap());
    let arguments = [
        "label",
        "--sheet",
        sheet,
        "--from",
        file,
        "--root",
        "https://brand.example",
        "--report",
        "json",
    ];
    let done = run(arguments).expect_status(1);
    let summary = &done.events_of("summary")[0];
    assert_eq!((&summary["labels"], &summary["pages"]), (&json!(40), &json!(2)), "{done:?}");
    let refused = done.events_of("refused");
    assert_eq!(refused.last().unwrap()["line"], 42, "{done:?}");
    assert!(std::fs::read(sheet).unwrap().ends_with(b"%%EOF\n"));
    let csv = b"GTIN,Product page\n9520123456788,https://brand.example/tea\n";
    let piped = run_with_input(["label", "--sheet", sheet, "--from", "-"], csv).expect_status(0);
    assert!(piped.stdout.contains("1 label on 1 page"), "{piped:?}");
    assert!(piped.stdout.contains("warning[DEFAULT_ROOT]"), "{piped:?}");
}

#[test]
fn a_sheet_that_cannot_be_made_leaves_no_file() {
    let sandbox = Sandbox::new();
    let file = sandbox.write("records.jsonl", &products());
    let (file, sheet) = (file.to_str().unwrap().to_owned(), sandbox.path("sheet.pdf"));
    let sheet = sheet.to_str().unwrap();
    for (arguments, expected) in [
        (&["--from", "missing.csv"][..], "cannot read `missing.csv`"),
        (&["--from", &file, "--label", "300x20mm"], "does not fit on paper"),
        (&["--from", &file, "--root", "no address"], "cannot use"),
    ] {
        let run = run(["label", "--sheet", sheet].iter().chain(arguments)).expect_status(2);
        assert!(run.stderr.contains(expected), "{run:?}");
        assert!(!std::path::Path::new(sheet).exists());
    }
    let small = ["label", "--sheet", sheet, "--from", &file, "--label", "10x10mm"];
    let run = run(small).expect_status(1);
    assert!(run.stdout.contains("larger than the label of 10 × 10 mm"), "{run:?}");
    assert!(run.stdout.contains("0 labels on 0 pages"), "{run:?}");
}

#[test]
fn the_symbols_of_a_sheet_are_read_by_others() {
    for (program, package) in [("zbarimg", "zbar-tools"), ("pdftoppm", "poppler-utils")] {
        if Command::new(program).arg("--version").output().is_err() {
            return skipped(
                "sheets of the command",
                &format!("{program} is not installed (Debian: {package})"),
            );
        }
    }
    let sandbox = Sandbox::new();
    let file = sandbox.write("records.jsonl", &products());
    let sheet = sandbox.path("sheet.pdf");
    let pages = sandbox.path("page");
    let root = "https://brand.example";
    run([
        "label",
        "--sheet",
        sheet.to_str().unwrap(),
        "--from",
        file.to_str().unwrap(),
        "--root",
        root,
    ]);
    let drawn =
        Command::new("pdftoppm").args(["-png", "-r", "300"]).arg(&sheet).arg(&pages).status();
    assert!(drawn.unwrap().success());
    let mut found = Vec::new();
    for page in ["page-1.png", "page-2.png"] {
        let mut zbar = Command::new("zbarimg");
        let read =
            zbar.args(["--quiet", "--raw", "--nodbus"]).arg(sandbox.path(page)).output().unwrap();
        found.extend(String::from_utf8(read.stdout).unwrap().lines().map(str::to_owned));
    }
    found.sort();
    let mut expected: Vec<String> =
        (0..40).map(|serial| format!("{root}/01/09520123456788/21/S{serial}")).collect();
    expected.sort();
    assert_eq!(found, expected);
}
