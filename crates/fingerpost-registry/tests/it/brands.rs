//! PE-29: the brands of organisations, as the public side, copies and backups see them.

use crate::support;

use data_encoding::BASE64;
use fingerpost_gs1::EntityKey;
use fingerpost_registry::{
    AuditFilter, NewBrand, OrganisationChange, Registry, Role, copied_ranges,
};
use support::*;

const SVG: &[u8] = b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>";

fn brand() -> NewBrand {
    NewBrand {
        name: Some("Dal Giardino".to_owned()),
        accent: Some("#FFDD00".to_owned()),
        logo: Some(Some(BASE64.encode(SVG))),
        image_sources: vec!["https://images.example.com".to_owned()],
    }
}

/// The name of the brand of a key, as the public side reads it.
fn shown(registry: &Registry, level: &str) -> Option<String> {
    let key = EntityKey::parse(level).unwrap();
    let found = registry.store().view(|view| view.brand(&key)).unwrap();
    found.map(|brand| brand.name)
}

#[test]
fn a_brand_is_that_of_all_keys_of_the_organisation_and_of_no_others() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let own = fixture.ours;
    let name = registry.organisation(&root(), &own).unwrap().name;
    let within = gtin("0950600099999");
    let keys = Some(vec![format!("/{within}")]);
    let change = OrganisationChange { keys, ..Default::default() };
    registry.update_organisation(&root(), &fixture.theirs, change).unwrap();
    let admin = fixture.person("ada", Some(own), Role::Admin);
    let before = registry.list(&root(), &Default::default(), None, 100).unwrap().items.len();

    let set = registry.set_brand(&admin, &own, brand()).unwrap();
    let set = set.brand.expect("a brand");
    assert_eq!(set.accent.as_deref(), Some("#ffdd00"));
    let level = gtin("0950600013435");
    for (level, name) in [
        (level.clone(), Some("Dal Giardino")),
        (format!("{level}/10/A"), Some("Dal Giardino")),
        ("414/9506000134352".to_owned(), Some("Dal Giardino")),
        (within, None),
        (gtin("0950600100000"), None),
    ] {
        assert_eq!(shown(registry, &level).as_deref(), name, "{level}");
    }
    let logo = || registry.store().view(|view| view.logo(own.as_str())).unwrap();
    assert_eq!(logo(), Some(BASE64.encode(SVG)));
    // What is no record is in no list, and copies for any prefix have it.
    let after = registry.list(&root(), &Default::default(), None, 100).unwrap().items.len();
    assert_eq!(before, after);
    let ranges = copied_ranges(&[fingerpost_resolver::CompanyPrefix::parse("4012345").unwrap()]);
    for copied in ["-brand/", "-logo/"] {
        assert!(ranges.iter().any(|range| range == copied), "{ranges:?}");
    }

    // A new name keeps the logo that is not mentioned, and null removes it.
    let renamed = NewBrand { name: None, logo: None, ..brand() };
    let renamed = registry.set_brand(&admin, &own, renamed).unwrap().brand.expect("a brand");
    assert_eq!((renamed.name, renamed.logo), (None, set.logo));
    assert_eq!(shown(registry, &level).as_deref(), Some(&*name), "that of the organisation");
    assert!(logo().is_some());
    let plain = NewBrand { logo: Some(None), ..brand() };
    assert_eq!(registry.set_brand(&admin, &own, plain).unwrap().brand.unwrap().logo, None);
    assert_eq!(logo(), None);

    // A key that changes hands changes its brand.
    registry.set_brand(&admin, &own, brand()).unwrap();
    let prefixes = Some(Vec::new());
    let change = OrganisationChange { prefixes, ..Default::default() };
    registry.update_organisation(&root(), &own, change).unwrap();
    assert_eq!(shown(registry, &level), None);
    let prefixes = Some(vec!["9506000".to_owned()]);
    let change = OrganisationChange { prefixes, ..Default::default() };
    registry.update_organisation(&root(), &own, change).unwrap();
    assert_eq!(shown(registry, &level).as_deref(), Some("Dal Giardino"));

    assert_eq!(registry.remove_brand(&admin, &own).unwrap().brand, None);
    assert_eq!((shown(registry, &level), logo()), (None, None));
    registry.set_brand(&admin, &own, brand()).unwrap();
    registry.delete_organisation(&root(), &own).unwrap();
    assert_eq!((shown(registry, &level), logo()), (None, None));

    let filter = |action: &str| AuditFilter { action: Some(action.into()), ..Default::default() };
    let count = |action| registry.audit(&root(), 1, 100, &filter(action)).unwrap().items.len();
    assert_eq!((count("organisation.brand_set"), count("organisation.brand_removed")), (5, 1));
    assert_eq!(fingerpost_registry::fsck(registry.store()).unwrap().faults().count(), 0);
}

#[test]
fn only_administrators_set_a_brand_and_faults_are_named() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let own = fixture.ours;
    let editor = fixture.person("eve", Some(own), Role::Editor);
    let admin = fixture.person("ada", Some(own), Role::Admin);
    let stranger = fixture.person("bob", Some(fixture.theirs), Role::Admin);
    assert_eq!(kind(&registry.set_brand(&editor, &own, brand())), "forbidden");
    assert_eq!(kind(&registry.remove_brand(&editor, &own)), "forbidden");
    assert_eq!(kind(&registry.set_brand(&stranger, &own, brand())), "not found");
    let wrong = |pointer: &str, new: NewBrand| {
        let refused = registry.set_brand(&admin, &own, new).unwrap_err();
        let found = faults(&refused);
        assert!(found.iter().any(|(_, at)| at == pointer), "{pointer}: {found:?}");
    };
    wrong("/name", NewBrand { name: Some("x".repeat(61)), ..brand() });
    wrong("/name", NewBrand { name: Some("a\nb".into()), ..brand() });
    for accent in ["red", "#12", "#0a4d8c;}", "0a4d8c", "#ää"] {
        wrong("/accent", NewBrand { accent: Some(accent.into()), ..brand() });
    }
    for logo in
        [&b"GIF89a"[..], b"<html><svg/></html>", &[b"<svg>", &[b' '; 33 << 10][..]].concat()]
    {
        wrong("/logo", NewBrand { logo: Some(Some(BASE64.encode(logo))), ..brand() });
    }
    wrong("/logo", NewBrand { logo: Some(Some("no base64".into())), ..brand() });
    for source in ["http://a.example", "https://a.example/b", "https://a.example; script-src *"] {
        wrong("/imageSources/0", NewBrand { image_sources: vec![source.into()], ..brand() });
    }
    let many = vec!["https://a.example".to_owned(); 5];
    wrong("/imageSources", NewBrand { image_sources: many, ..brand() });
    assert_eq!(shown(registry, &gtin("0950600013435")), None, "nothing was stored");
}
