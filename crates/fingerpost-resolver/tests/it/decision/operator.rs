//! What the operator sets: settings, hand-over by pattern, the description file. RES-2.8-*, RES-3-*.

use fingerpost_resolver::{
    Contact, ContextList, NamespaceParts, Outcome, PatternParts, Plan, Settings, SettingsParts,
    description_file,
};
use serde_json::json;

use crate::decision::{get, parts, settings};

fn refusal(parts: SettingsParts) -> (&'static str, String) {
    let error = Settings::new(parts).expect_err("not usable");
    (error.setting(), error.to_string())
}

fn pattern(prefix: &str, target: &str) -> PatternParts {
    PatternParts { path_prefix: prefix.into(), target_root: target.into() }
}

fn with_patterns(patterns: Vec<PatternParts>) -> SettingsParts {
    SettingsParts { patterns, ..parts() }
}

#[test]
fn refusals_name_the_setting() {
    let text = |text: &str| Some(text.to_owned());
    let rows = [
        (SettingsParts { resolver_root: "http://h".into(), ..parts() }, "resolver_root"),
        (
            SettingsParts { supported_primary_keys: Some(vec![]), ..parts() },
            "supported_primary_keys",
        ),
        (
            SettingsParts { supported_primary_keys: Some(vec!["410".into()]), ..parts() },
            "supported_primary_keys",
        ),
        (
            SettingsParts {
                supported_primary_keys: Some(vec!["all".into(), "01".into()]),
                ..parts()
            },
            "supported_primary_keys",
        ),
        (
            SettingsParts {
                link_type_namespaces: vec![NamespaceParts {
                    namespace: "x".into(),
                    prefix: "ex:".into(),
                }],
                ..parts()
            },
            "link_type_namespaces",
        ),
        (SettingsParts { default_link_type: text("gs1:pip"), ..parts() }, "default_link_type"),
        (SettingsParts { name: text(" "), ..parts() }, "name"),
        (SettingsParts { extension_profile: text("/ext"), ..parts() }, "extension_profile"),
        (SettingsParts { context_values: vec![String::new()], ..parts() }, "context_values"),
        (
            SettingsParts {
                context_lists: vec![ContextList { name_of_list: "L".into(), url: "l".into() }],
                ..parts()
            },
            "context_lists",
        ),
        (
            SettingsParts {
                contact: Some(Contact { telephone: text("call me"), ..Contact::default() }),
                ..parts()
            },
            "contact",
        ),
    ];
    for (parts, setting) in rows {
        let (found, message) = refusal(parts);
        assert_eq!(found, setting);
        assert!(
            message.starts_with(&format!("{setting}: expected "))
                || setting == "link_type_namespaces",
            "{message}"
        );
    }
    for path in ["context", "/", "/01/x", "/ehx", "/exx", "/.well-known/x", "/a//b", "/a?b"] {
        let parts = SettingsParts { own_context: text(path), ..parts() };
        assert_eq!(refusal(parts).0, "own_context", "{path}");
    }
}

// RES-2.8-1: a target inside the own root is refused, and so is what is no pattern.
#[test]
fn patterns_are_checked() {
    let target = "https://mo.example.net/r";
    for (prefix, target) in [
        ("01/0950", target),
        ("/01", target),
        ("/10/0950", target),
        ("/01/09 50", target),
        ("/01/0950", "https://mo.example.net/r/"),
        ("/01/0950", "https://mo.example.net/r?x"),
        ("/01/0950", "ftp://mo.example.net"),
        ("/01/0950", "mo.example.net"),
        ("/01/0950", "https://id.example.org"),
        ("/01/0950", "HTTPS://ID.EXAMPLE.ORG/r"),
        ("/01/0950", "https://ID.example.org:443/r"),
    ] {
        assert_eq!(
            refusal(with_patterns(vec![pattern(prefix, target)])).0,
            "patterns",
            "{prefix} {target}"
        );
    }
    let twice = vec![pattern("/01/0950", target), pattern("/01/0950", "https://x.example")];
    assert!(refusal(with_patterns(twice)).1.starts_with("patterns: entry 2: "));
}

// RES-2.8-1, RES-2.8-2, RES-2.8-3, RES-2.8-4, RES-2.8-5, RES-2.12-1, RES-2.13-1, ER-18
#[test]
fn hands_over_by_the_longest_prefix() {
    let patterns = vec![
        pattern("/01/09506", "https://short.example"),
        pattern("/01/095060001", "https://mo.example.net/r"),
        pattern("/00/", "https://sscc.example"),
    ];
    let settings = Settings::new(with_patterns(patterns)).expect("settings");
    for (path, location) in [
        (
            "/01/09506000134352/10/A%2fB/?a=1&linkType=linkset",
            "https://mo.example.net/r/01/09506000134352/10/A%2fB?a=1&linkType=linkset",
        ),
        ("/01/09506099000019", "https://short.example/01/09506099000019"),
        ("/00/195287651234567892?", "https://sscc.example/00/195287651234567892"),
    ] {
        let plan = Plan::of(&settings, &get(path));
        assert_eq!(plan.key(), None, "nothing is read");
        let answer = plan.answer(&[]);
        assert!(matches!(answer.outcome(), Outcome::HandOver(_)));
        assert_eq!((answer.status(), answer.location()), (307, Some(location)));
        let target = location.split('?').next().unwrap_or_default();
        let link = format!("<{target}>; rel=\"gs1:handledBy\"");
        assert_eq!(answer.link().as_deref(), Some(&*link));
        assert_eq!(plan.options_link(), Some(link));
    }
    for path in ["/01/09520123456788", "/01/19506000134359"] {
        assert!(Plan::of(&settings, &get(path)).key().is_some(), "{path}");
    }
}

// RES-2.2-11, RES-2.10-4, RES-2.10-5, RES-3-12
#[test]
fn link_headers() {
    let own = SettingsParts {
        resolver_root: "https://id.example.org/shop".into(),
        own_context: Some("/linkset-context.jsonld".into()),
        ..parts()
    };
    let own = Settings::new(own).expect("settings");
    let plan = Plan::of(&own, &get("/shop/01/09520123456788/10/a%2fb/?x"));
    assert_eq!(
        plan.options_link().expect("a Digital Link"),
        "<https://id.example.org/shop/01/09520123456788/10/a%2Fb?linkType=linkset>; rel=\"linkset\"; \
         type=\"application/linkset+json\""
    );
    assert_eq!(
        own.context_link(),
        "<https://id.example.org/linkset-context.jsonld>; rel=\"http://www.w3.org/ns/json-ld#context\"; \
         type=\"application/ld+json\""
    );
    assert_eq!(
        settings().context_location(),
        "https://ref.gs1.org/standards/resolver/linkset-context"
    );
}

// RES-3-3, RES-3-4, RES-3-5, RES-3-6, RES-3-7, RES-3-8, RES-3-9, RES-3-10, RES-3-11, RES-3-12, RES-3-13, RES-3-14,
// RES-2.5.9-5, RES-2.11-2, RES-2.14-4, ER-5
#[test]
fn description_file_says_what_is_set_and_nothing_else() {
    let plain = description_file(&settings());
    let expected = json!({
        "resolverRoot": "https://id.example.org",
        "supportedPrimaryKeys": ["all"],
        "linkTypeDefaultCanBeLinkset": false,
        "jsonLdContextLocation": "https://ref.gs1.org/standards/resolver/linkset-context",
    });
    assert_eq!(plain, expected);
    let parts: SettingsParts = serde_json::from_value(json!({
        "resolver_root": "https://id.example.org/shop/eu",
        "name": "Example Resolver",
        "supported_primary_keys": ["414", "01", "414"],
        "link_type_namespaces": [{"namespace": "https://example.net/voc/", "prefix": "ex:"}],
        "default_link_type": "linkset",
        "context_values": ["CH"],
        "context_lists": [{"nameOfList": "ISO", "url": "https://www.iso.org/iso-3166"}],
        "contact": {"fn": "Org", "country-name": "Belgium", "telephone": "+32 2 000 00 00"},
        "extension_profile": "https://example.org/ext",
        "own_context": "/context.jsonld",
    }))
    .expect("the shape of the configuration");
    let full = description_file(&Settings::new(parts).expect("settings"));
    let expected = json!({
        "resolverRoot": "https://id.example.org/shop/eu",
        "name": "Example Resolver",
        "supportedPrimaryKeys": ["414", "01"],
        "supportedLinkType": [{"namespace": "https://example.net/voc/", "prefix": "ex:"}],
        "linkTypeDefaultCanBeLinkset": true,
        "supportedContextValuesEnumerated": ["CH"],
        "supportedContextValuesExternal": [{"nameOfList": "ISO", "url": "https://www.iso.org/iso-3166"}],
        "contact": {"fn": "Org", "hasAddress": {"country-name": "Belgium"}, "hasTelephone": "tel:+3220000000"},
        "extensionProfile": "https://example.org/ext",
        "jsonLdContextLocation": "https://id.example.org/context.jsonld",
    });
    assert_eq!(full, expected);
}
