//! What a build without the feature `parquet` says. A program of its own, as in `fingerpost`.

#![cfg(not(feature = "parquet"))]

use fingerpost_insight::InsightReport;

#[test]
fn parquet_is_refused() {
    let report = InsightReport { rows: Vec::new(), hidden: 0, threshold: 10 };
    let error = report.to_parquet().expect_err("no writer").to_string();
    assert!(error.contains("--features parquet") && error.contains("CSV"), "{error}");
}
