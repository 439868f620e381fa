//! Advice on the most likely cause of a refused path, for every form of the answer (GS1-Conformant
//! Resolver 1.2.0, section 2.4.1; RES-2.4.1-4).

use fingerpost_gs1::Ai;
use fingerpost_resolver::{PathFault, Plan, Refusal, Settings, SettingsParts};

use crate::decision::{get, parts, settings};

fn refusal(settings: &Settings, path: &str) -> Refusal {
    let plan = Plan::of(settings, &get(path));
    plan.refusal().unwrap_or_else(|| panic!("{path} is answered")).clone()
}

/// GS1 Digital Link URI Syntax 1.4.1, section 4.1: each of the names that 1.3.0 removed, at the
/// position of a key and of a qualifier. RES-2.4-17.
#[test]
fn uri_syntax_4_1_former_names_are_told() {
    let settings = settings();
    for (name, ai) in Ai::CONVENIENCE_ALPHAS {
        for (path, at) in [
            (format!("/{name}/09520123456788"), 1),
            (format!("/{}/09520123456788", name.to_uppercase()), 1),
            (format!("/01/09520123456788/{name}/A"), 19),
            (format!("/01/09520123456788/{name}"), 19),
        ] {
            let refused = refusal(&settings, &path);
            let Refusal::Invalid(invalid) = &refused else { panic!("{path}: {refused:?}") };
            assert_eq!(*invalid.fault(), PathFault::FormerName(ai), "{path}");
            assert_eq!((invalid.span().start, invalid.span().end), (at, at + name.len()), "{path}");
            assert_eq!(
                refused.to_string(),
                format!("expected the Application Identifier {ai}, found its former name")
            );
            assert_eq!(refused.hint(), Some("write the digits instead of the name"), "{path}");
            assert_eq!(refused.status(), 400);
        }
    }
    let alphas = Settings::new(SettingsParts { legacy_alphas: true, ..parts() }).expect("settings");
    assert!(Plan::of(&alphas, &get("/gtin/09520123456788/lot/A")).refusal().is_none());
}

/// Section 2.4, test 1.1: what follows the last value is told as such, whatever it looks like.
#[test]
fn section_2_4_surplus_segments_are_told() {
    for end in ["extra", "foo/bar", "ehrlich", "index.html", "10/A/b", "1/A", "%41"] {
        let path = format!("/01/09520123456788/{end}");
        let refused = refusal(&settings(), &path);
        let Refusal::Invalid(invalid) = &refused else { panic!("{path}: {refused:?}") };
        assert_eq!(*invalid.fault(), PathFault::NotAnAi, "{path}");
        let hint = refused.hint().expect("advice");
        assert!(hint.starts_with("remove what follows the last value"), "{path}: {hint}");
    }
    let refused = refusal(&settings(), "/01/09520123456788/10");
    assert_eq!(refused.hint(), Some("add the value, or remove the Application Identifier"));
}

/// RFC 3986, section 4.5: a browser that follows `example.com/01/…` asks for it as a path.
#[test]
fn rfc_3986_4_5_a_missing_scheme_is_told() {
    let stem = SettingsParts { resolver_root: "https://id.example.org/shop".into(), ..parts() };
    let stem = Settings::new(stem).expect("settings");
    for (settings, path) in [
        (&settings(), "/example.com/01/09520123456788"),
        (&settings(), "/a-b.example:8080/x/01/09520123456788/10/A"),
        (&stem, "/example.com/01/09520123456788"),
        (&stem, "/shop/example.com/01/09520123456788"),
    ] {
        let refused = refusal(settings, path);
        assert_eq!((&refused, refused.status()), (&Refusal::NoScheme, 404), "{path}");
        assert_eq!(refused.hint(), Some("start the link with https://"));
        assert!(refused.to_string().contains("expected https://"), "{refused}");
    }
    for path in ["/shop/01/09520123456788", "/a..b/01/09520123456788", "/a.b:/01/09520123456788"] {
        assert_eq!(refusal(&settings(), path), Refusal::NotServed, "{path}");
    }
}

/// Section 2.4.1: no fault of a path is without advice.
#[test]
fn section_2_4_1_every_fault_has_a_hint() {
    for path in [
        "/foo",
        "/gtin/1",
        "/01/09520123456788//",
        "/01",
        "/01/09520123456788/10/%zz",
        "/01/09520123456788/x",
        "/01/09520123456788/24/A",
        "/01/09520123456788/26/X%7EZ",
        "/01/09520123456788/26/A/26/B",
        "/eh30164596f40c0e5cbe99",
        "/01/09520123456788/DBHKV",
        "/01/09520123456789",
    ] {
        let hint = refusal(&settings(), path).hint().unwrap_or_default();
        assert!(hint.len() > 10 && !hint.ends_with('.'), "{path}: {hint:?}");
    }
}
