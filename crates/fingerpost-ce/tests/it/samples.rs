//! The published samples of Resolver CE, used where they are.

use std::fs;
use std::path::Path;

use crate::support::{Fixture, Scan};

const SAMPLES: &str = "/work/shared/data/resolver-ce";

/// Returns a sample, or `None`, reported on the terminal, on a machine without them.
pub(crate) fn sample(name: &str) -> Option<Vec<u8>> {
    let folder = std::env::var("FINGERPOST_CE_SAMPLES").unwrap_or_else(|_| SAMPLES.to_owned());
    let file = fs::read(Path::new(&folder).join(name));
    if file.is_err() {
        fingerpost_testkit::skipped(name, "the samples of Resolver CE are not on this machine");
    }
    file.ok()
}

fn to(href: &str) -> Scan {
    Scan::To(href.to_owned())
}

#[test]
fn three_certificates_are_three_choices() {
    let Some(file) = sample("test_01_09506000134376.json") else { return };
    let fixture = Fixture::new();
    let fates = fixture.import(&[&file]).fates();
    assert!(fates.iter().all(|(_, fate, _)| *fate == "imported"), "{fates:?}");
    let lot = "/01/09506000134376/10/LOT01";
    let pil = "https://dalgiardino.com/medicinal-compound/pil.html";
    assert_eq!(fixture.scan(lot, None), to(&format!("{pil}?lot=LOT01")));
    assert_eq!(fixture.scan("/01/09506000134376/21/S1", None), to(&format!("{pil}?serial=S1")));
    assert_eq!(fixture.scan("/01/09506000134376", None), to(pil));
    let Scan::OneOf(three) = fixture.scan(&format!("{lot}?linkType=gs1:certificationInfo"), None)
    else {
        panic!("three links suit equally well")
    };
    assert_eq!(three.len(), 3);
}

#[test]
fn the_variable_asset_and_the_fixed_one() {
    let (Some(variable), Some(fixed)) =
        (sample("test_8004_095060001343.json"), sample("test_8004_0950600013430000001.json"))
    else {
        return;
    };
    let fixture = Fixture::new();
    let fates = fixture.import(&[&variable, &fixed]).fates();
    assert_eq!(fates[0].2, ["asset-pattern"]);
    let assets = "https://dalgiardino.com/medicinal-compound/assets";
    assert_eq!(
        fixture.scan("/8004/095060001343999999", None),
        to(&format!("{assets}?giai=095060001343999999"))
    );
    assert_eq!(
        fixture.scan("/8004/0950600013430000001", None),
        to(&format!("{assets}/8004/0950600013430000001.html"))
    );
}

#[test]
fn languages_of_the_first_test_document() {
    let Some(file) = sample("test_01_09506000134352.json") else { return };
    let fixture = Fixture::new();
    assert_eq!(fixture.import(&[&file]).fates()[0].1, "imported");
    let pip = "/01/09506000134352?linkType=gs1:pip";
    for (language, end) in [
        ("es", "index.html.es?test_lt=gs1:pip&test_lang=es"),
        ("ja", "index.html.ja?test_lt=gs1:pip&test_lang=ja"),
    ] {
        let expected = format!("https://dalgiardino.com/risotto-rice-with-mushrooms/{end}");
        assert_eq!(fixture.scan(pip, Some(language)), to(&expected));
    }
}

#[test]
fn every_sample_document_ends_in_the_report() {
    for (name, documents) in [
        ("data_entry_example.json", 2),
        ("data_entry_v3_format.json", 2),
        ("mongo_linkset_example.json", 4),
        ("data_entry_v2_format.json", 0),
    ] {
        let Some(file) = sample(name) else { continue };
        let fixture = Fixture::new();
        let fates = fixture.import(&[&file]).fates();
        let expected = match documents {
            0 => serde_json::from_slice::<Vec<serde_json::Value>>(&file).unwrap().len(),
            documents => documents,
        };
        assert_eq!(fates.len(), expected, "{name}");
        for (anchor, fate, reasons) in &fates {
            println!("{name} {anchor}: {fate} {reasons:?}");
        }
        assert!(!fixture.export().is_empty());
    }
}
