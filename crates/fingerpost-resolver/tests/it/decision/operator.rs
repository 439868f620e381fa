//! What the operator sets: settings, hand-over by pattern, the description file. RES-2.8-*,
//! RES-3-*.

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
    PatternParts {
        path_prefix: Some(prefix.into()),
        target_root: Some(target.into()),
        ..Default::default()
    }
}

fn of_company(prefix: &str, target: &str) -> PatternParts {
    PatternParts {
        company_prefix: Some(prefix.into()),
        target_root: Some(target.into()),
        ..Default::default()
    }
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
            SettingsParts { supported_primary_keys: vec![].into(), ..parts() },
            "supported_primary_keys",
        ),
        (
            SettingsParts { supported_primary_keys: vec!["410".into()].into(), ..parts() },
            "supported_primary_keys",
        ),
        (
            SettingsParts {
                supported_primary_keys: vec!["all".into(), "01".into()].into(),
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
        (SettingsParts { context_values: vec![String::new()].into(), ..parts() }, "context_values"),
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
    let text = |text: &str| Some(text.to_owned());
    let company = |prefix, target| PatternParts { target_root: None, ..of_company(prefix, target) };
    for (parts, expected) in [
        (of_company("950", target), "company_prefix of 4 to 12 digits"),
        (of_company("95060A", target), "company_prefix of 4 to 12 digits"),
        (
            PatternParts { path_prefix: text("/01/0950"), ..of_company("9506000", target) },
            "either path_prefix or company_prefix",
        ),
        (
            PatternParts { company_prefix: None, ..of_company("9506000", target) },
            "either path_prefix or company_prefix",
        ),
        (company("9506000", target), "either target_root or target_template"),
        (
            PatternParts { target_template: text(target), ..of_company("9506000", target) },
            "either target_root or target_template",
        ),
        (
            PatternParts {
                target_template: text("https://a.example/{x}"),
                ..company("9506000", "")
            },
            "target_template: expected placeholders",
        ),
        (
            PatternParts {
                target_template: text("https://id.example.org/01/{01}"),
                ..company("9506000", "")
            },
            "target_template: expected a target outside the own resolver",
        ),
    ] {
        let (setting, message) = refusal(with_patterns(vec![parts]));
        assert!(setting == "patterns" && message.contains(expected), "{message}");
    }
    let twice = vec![of_company("9506000", target), of_company("9506000", target)];
    let message = refusal(with_patterns(twice)).1;
    assert!(
        message.ends_with("expected each pattern once, found company_prefix \"9506000\" again")
    );
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
        // Section 2.8: the header exposes the same address.
        let link = format!("<{location}>; rel=\"gs1:handledBy\"");
        assert_eq!(answer.link().as_deref(), Some(&*link));
        assert_eq!(plan.options_link(), Some(link));
    }
    for path in ["/01/09520123456788", "/01/19506000134359"] {
        assert!(Plan::of(&settings, &get(path)).key().is_some(), "{path}");
    }
}

// RES-2.8-1: section 2.8 names the level of the GS1 Company Prefix.
#[test]
fn section_2_8_a_company_prefix_covers_every_key_type_indicator_and_extension() {
    let template = PatternParts {
        path_prefix: Some("/01/09506000".into()),
        target_template: Some("https://shop.example/p/{01}/{10}".into()),
        ..Default::default()
    };
    let patterns = vec![
        pattern("/414/", "https://places.example"),
        pattern("/417/95060001", "https://parties.example"),
        of_company("9506000", "https://mo.example.net/r"),
        template,
    ];
    let settings = Settings::new(with_patterns(patterns)).expect("settings");
    for path in [
        "/01/19506000134359",
        "/01/99506000134355/21/1",
        "/00/395060001343500003",
        "/253/9506000134352X",
        "/255/95060001343521",
        "/401/9506000A%2F",
        "/402/95060001343500002",
        "/414/9506000134352",
        "/415/9506000134352/8020/1",
        "/417/9506000234359",
        "/8003/09506000134352",
        "/8004/9506000A",
        "/8006/195060001343590102",
        "/8010/9506000A",
        "/8017/950600013435200008",
        "/8018/950600013435200008",
    ] {
        let plan = Plan::of(&settings, &get(path));
        if let Some(refusal) = plan.refusal() {
            panic!("{path}: {refusal:?}");
        }
        let location = format!("https://mo.example.net/r{path}");
        assert_eq!(plan.answer(&[]).location(), Some(&*location));
    }
    for (path, location) in [
        // A longer text is more specific, whatever it names; at a tie the pattern of one key type
        // wins.
        ("/417/9506000134352?a=1", "https://parties.example/417/9506000134352?a=1"),
        ("/01/09506000134352/10/A%2fB?a=1", "https://shop.example/p/09506000134352/A%2FB?a=1"),
        ("/414/9521234567899", "https://places.example/414/9521234567899"),
    ] {
        let plan = Plan::of(&settings, &get(path));
        assert_eq!(plan.answer(&[]).location(), Some(location));
    }
    // A GTIN-8 has no company prefix.
    for path in ["/01/00000095060002", "/01/09521234567899", "/417/9521234567899"] {
        assert!(Plan::of(&settings, &get(path)).key().is_some(), "{path}");
    }
}

// RES-2.8-1: a template for one key type leaves the others to the next pattern.
#[test]
fn a_template_applies_to_keys_that_fill_it() {
    let template = PatternParts {
        target_root: None,
        target_template: Some("https://shop.example/{01}".into()),
        ..of_company("9506000", "")
    };
    let patterns = vec![template, of_company("9506", "https://mo.example.net")];
    let settings = Settings::new(with_patterns(patterns)).expect("settings");
    for (path, location) in [
        ("/01/09506000134352", "https://shop.example/09506000134352"),
        ("/414/9506000134352", "https://mo.example.net/414/9506000134352"),
    ] {
        assert_eq!(Plan::of(&settings, &get(path)).answer(&[]).location(), Some(location));
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

// RES-3-3, RES-3-4, RES-3-5, RES-3-6, RES-3-7, RES-3-8, RES-3-9, RES-3-10, RES-3-11, RES-3-12,
// RES-3-13, RES-3-14, RES-2.5.9-5, RES-2.11-2, RES-2.14-4, ER-5
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
