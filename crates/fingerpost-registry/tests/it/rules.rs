//! Rules of the standard that registration checks, each with its id and pointer (GS1-Conformant
//! Resolver 1.2.0).

use crate::support;

use fingerpost_registry::{Conditions, OrganisationChange, RegistryError, Verb};
use support::*;

fn refused(fixture: &Fixture, record: &str) -> Vec<(String, String)> {
    let error = fixture.put(&root(), record).unwrap_err();
    assert!(matches!(error, RegistryError::Invalid { .. }), "{error}");
    faults(&error)
}

fn links(level: &str, links: &str) -> String {
    format!(r#"{{"anchor": "/{level}", "links": [{links}]}}"#)
}

#[test]
fn a_qualified_level_needs_a_default_above_it() {
    // RES-2.5.9-1
    let fixture = Fixture::new();
    let key = gtin("0950600013435");
    let lot = format!("{key}/10/L");
    let error = fixture.put(&root(), &plain(&lot, "gs1:pip")).unwrap_err();
    assert!(matches!(error, RegistryError::MissingDefault(_)));
    let fault = &error.faults()[0];
    assert_eq!(fault.id(), "RES-2.5.9-1");
    assert_eq!(
        fault.detail(),
        format!(
            "expected a default link at /{key}, above this level, found nothing registered there: \
             register /{key} with a gs1:defaultLink first, or in the same batch"
        )
    );
    // Following the advice fixes it.
    fixture.register(&key);
    assert_eq!(kind(&fixture.put(&root(), &plain(&lot, "gs1:pip"))), "done");
    // The default cannot be taken away from above it.
    let error = fixture.registry.delete(&root(), &level(&key), Conditions::none()).unwrap_err();
    let detail = error.faults()[0].detail();
    assert!(detail.contains(&format!("found /{lot}: delete them first")), "{detail}");
    let error = fixture.put(&root(), &plain(&key, "gs1:pip")).unwrap_err();
    assert_eq!(faults(&error)[0].0, "RES-2.5.9-1");
    // A default that ends does not count.
    let href = "https://example.com/p";
    let windowed = links(
        &gtin("0950600023435"),
        &format!(
            r#"{{"linkType": "gs1:defaultLink", "href": "{href}", "title": "T", "validUntil": "2099-01-01T00:00:00Z"}},
               {{"linkType": "gs1:pip", "href": "{href}", "title": "T"}}"#
        ),
    );
    let error = fixture.put(&root(), &windowed).unwrap_err();
    assert!(error.faults()[0].detail().contains("without a validity window"));
}

#[test]
fn sets_of_qualifiers_are_judged() {
    let fixture = Fixture::new();
    let key = gtin("0950600013435");
    for (path, id) in [
        (format!("{key}/235/T1/10/L1"), "RES-2.5.10-1"),
        (format!("{key}/10/L1/21/S1"), "RES-2.5.10-2"),
        (format!("{key}/22/V1/21/S1"), "RES-2.5.10-2"),
        (format!("{key}/21/S1/10/L1"), "RES-2.4-1"),
        ("01/09506000134353".to_owned(), "RES-2.4-1"),
    ] {
        assert_eq!(
            refused(&fixture, &plain(&path, "gs1:pip")),
            [(id.into(), "/anchor".into())],
            "{path}"
        );
    }
}

#[test]
fn default_links_are_judged() {
    let fixture = Fixture::new();
    let key = gtin("0950600013435");
    let default =
        r#"{"linkType": "gs1:defaultLink", "href": "https://example.com/p", "title": "T"}"#;
    let pip = r#"{"linkType": "gs1:pip", "href": "https://example.com/p", "title": "T"}"#;
    // RES-2.5.8-1
    let found = refused(&fixture, &links(&key, &[default, default, pip].join(",")));
    assert_eq!(found, [("RES-2.5.8-1".into(), "/links/1".into())]);
    // RES-2.5.8-2
    let with_language = default.replace("\"title\"", "\"hreflang\": [\"en\"], \"title\"");
    let found = refused(&fixture, &links(&key, &[&with_language, pip].join(",")));
    assert_eq!(found, [("RES-2.5.8-2".into(), "/links/0/hreflang".into())]);
    // RES-2.5.8-3
    let found = refused(&fixture, &links(&key, default));
    assert_eq!(found, [("RES-2.5.8-3".into(), "/links/0".into())]);
    // RES-2.5.8-7
    let variant = with_language.replace("defaultLink", "defaultLinkMulti");
    let found = refused(&fixture, &links(&key, &[&variant, pip].join(",")));
    assert_eq!(found, [("RES-2.5.8-7".into(), "/links/0".into())]);
    // RES-2.5.8-5: only a warning
    let one = links(&key, &[default, pip, &variant].join(","));
    let outcome = fixture.put(&root(), &one).unwrap();
    assert_eq!(outcome.warnings[0].id(), "RES-2.5.8-5");
}

#[test]
fn link_types_are_judged() {
    let fixture = Fixture::new();
    let key = gtin("0950600013435");
    for (link_type, id) in [
        ("", "RES-2.5.2-2"),
        ("gs1:noSuchType", "RES-2.5.2-2"),
        ("https://other.example/voc/recall", "RES-2.5.2-2"),
        ("ex:re-call", "RES-2.5.2-3"),
        ("linkset", "RES-2.5.2-4"),
        ("ex:pip", "RES-2.14-5"),
        ("https://example.net/voc/defaultLink", "RES-2.14-5"),
        ("gs1:handledBy", "RES-2.8-6"),
    ] {
        let found = refused(&fixture, &plain(&key, link_type));
        assert_eq!(found, [(id.into(), "/links/0/linkType".into())], "{link_type}");
    }
    // RES-2.5.2-1
    let found =
        refused(&fixture, &links(&key, r#"{"href": "https://example.com/", "title": "T"}"#));
    assert_eq!(found, [("RES-2.5.2-1".into(), "/links/0".into())]);
}

#[test]
fn regulated_link_types_take_the_right() {
    let fixture = Fixture::new();
    let key = gtin("0950600013435");
    let editor = fixture.key(Some(fixture.ours), &[Verb::Read, Verb::Write]);
    let href = "https://example.com/p";
    let types = ["gs1:defaultLink", "gs1:epil", "epil", "https://gs1.org/voc/smpc", "gs1:eifu"];
    let given: Vec<String> = types
        .iter()
        .enumerate()
        .map(|(n, t)| {
            format!(
                r#"{{"linkType": "{t}", "href": "{href}", "title": "T", "hreflang": ["a{}"]}}"#,
                n + 10
            )
        })
        .collect();
    let given = links(&key, &given.join(",")).replace(r#", "hreflang": ["a10"]"#, "");
    let given =
        given.replace("a11", "en").replace("a12", "de").replace("a13", "fr").replace("a14", "it");
    let error = fixture.put(&editor, &given).unwrap_err();
    let positions: Vec<_> = faults(&error).into_iter().map(|(_, position)| position).collect();
    assert_eq!(positions, (1..=4).map(|n| format!("/links/{n}/linkType")).collect::<Vec<_>>());
    assert!(error.faults()[0].detail().contains("regulated gs1:epil"));
    // Patches, batches and proposals are judged alike.
    fixture.register(&key);
    let patch =
        format!(r#"{{"links": [{{"linkType": "gs1:eifu", "href": "{href}", "title": "T"}}]}}"#);
    let patched =
        fixture.registry.patch(&editor, &level(&key), patch.as_bytes(), Conditions::none());
    assert_eq!(kind(&patched), "invalid");
    let batch = fixture.registry.batch(
        &editor,
        given.as_bytes(),
        fingerpost_registry::BatchMode::Each,
        Conditions::none(),
    );
    assert_eq!(batch.unwrap().refused, 1);
    assert!(!fixture.registry.abilities(&editor).unwrap()[0].regulated);

    let change = OrganisationChange { regulated: Some(true), ..Default::default() };
    fixture.registry.update_organisation(&root(), &fixture.ours, change).unwrap();
    fixture.put(&editor, &given).unwrap().revision.unwrap();
    assert!(fixture.registry.abilities(&editor).unwrap()[0].regulated);
}

#[test]
fn all_faults_come_at_once() {
    let fixture = Fixture::new();
    let given = r#"{"anchor": "/01/09506000134353", "color": 1, "links": [
        {"linkType": "gs1:noSuchType", "href": "nowhere", "title": " "}]}"#;
    let found = refused(&fixture, given);
    let positions: Vec<&str> = found.iter().map(|(_, position)| position.as_str()).collect();
    for position in ["/anchor", "/color", "/links/0/linkType", "/links/0/href", "/links/0/title"] {
        assert!(positions.contains(&position), "{position} in {positions:?}");
    }
    // The anchor is the level that was named beside it.
    let (one, other) = (gtin("0950600013435"), gtin("0950600023435"));
    let body = record(&one, "A");
    let result =
        fixture.registry.put(&root(), Some(&level(&other)), body.as_bytes(), Conditions::none());
    assert_eq!(faults(&result.unwrap_err()), [("anchor".into(), "/anchor".into())]);
}
