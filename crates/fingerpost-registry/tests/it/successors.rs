//! Successors: chains are allowed, circles are refused.

use crate::support;

use fingerpost_registry::{Conditions, Mode, RegistryError};
use support::*;

fn replaced(old: &str, root: &str, new: &str) -> String {
    let own = record(old, "Tea");
    let end = own.rfind(']').unwrap();
    let link =
        format!(r#",{{"linkType":"successor-version","href":"{root}/{new}","title":"New"}}"#);
    let own = format!("{}{link}{}", &own[..end], &own[end..]);
    own.replacen('{', r#"{"defaultLinkType":"successor-version","#, 1)
}

const ROOT: &str = "https://id.example.org";

#[test]
fn successors_that_lead_back_are_refused_when_written() {
    let fixture = Fixture::new();
    let [a, b, c] = ["0950600013435", "0950600013436", "0950600013437"].map(gtin);
    for key in [&a, &b, &c] {
        fixture.put(&root(), &record(key, "Tea")).unwrap();
    }
    fixture.put(&root(), &replaced(&a, ROOT, &b)).unwrap();
    fixture.put(&root(), &replaced(&b, ROOT, &c)).unwrap();
    // On another resolver it is another item.
    fixture.put(&root(), &replaced(&c, "https://other.example", &a)).unwrap();
    let error = fixture.put(&root(), &replaced(&c, ROOT, &a)).unwrap_err();
    let RegistryError::Invalid { faults, .. } = &error else { panic!("{error:?}") };
    assert!(faults[0].detail().contains("in a circle"), "{faults:?}");
    assert!(faults[0].pointer().ends_with("/href"), "{faults:?}");
    // With the succession of one of them ended, there is no circle.
    fixture.put(&root(), &record(&b, "Tea")).unwrap();
    fixture.put(&root(), &replaced(&c, ROOT, &a)).unwrap();
}

#[test]
fn a_circle_within_one_batch_is_refused() {
    let fixture = Fixture::new();
    let [a, b] = ["0950600013435", "0950600013436"].map(gtin);
    let rows = format!("{}\n{}\n", replaced(&a, ROOT, &b), replaced(&b, ROOT, &a));
    let report =
        fixture.registry.batch(&root(), rows.as_bytes(), Mode::Atomic, Conditions::none()).unwrap();
    assert_eq!(report.refused, 1, "{report:?}");
}
