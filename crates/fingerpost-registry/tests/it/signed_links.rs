//! Issue 36.1: signed links are made by users who may change the level, and are noted.

use crate::support;

use fingerpost_gs1::EntityKey;
use fingerpost_registry::{AuditFilter, Caller, NewSignedLink, RegistryError, SignedLink, Verb};
use fingerpost_resolver::{RoleParts, Settings, SettingsParts, SigningSecrets, take_signed_access};
use jiff::{SignedDuration, Timestamp};
use support::*;

fn settings() -> Settings {
    let role = |name: &str| RoleParts { name: name.into(), ..RoleParts::default() };
    let parts = SettingsParts {
        resolver_root: "https://id.example.org/r".into(),
        roles: vec![role("recycler"), role("authority")],
        ..SettingsParts::default()
    };
    let secrets = SigningSecrets::from_lines(&"s".repeat(32)).unwrap();
    Settings::new(parts).unwrap().with_signing_secrets(secrets)
}

fn sign(
    fixture: &Fixture,
    caller: &Caller,
    key: &str,
    roles: &[&str],
    until: Timestamp,
) -> Result<SignedLink, RegistryError> {
    let roles = roles.iter().map(|role| (*role).to_owned()).collect();
    fixture.registry.sign_link(
        caller,
        &settings(),
        &NewSignedLink { key: key.into(), roles, until },
    )
}

/// 36.1: the link is accepted for its key, by this resolver, until its end; the audit log has
/// everything but the link.
#[test]
fn an_owner_makes_a_link_that_is_accepted_and_noted() {
    let fixture = Fixture::new();
    let key = format!("{}/21/7", gtin("0950600013435"));
    let until = clock() + SignedDuration::from_hours(48);
    let writer = fixture.key(Some(fixture.ours), &[Verb::Read, Verb::Write]);
    let link = sign(&fixture, &writer, &format!("/{key}"), &["recycler"], until).unwrap();
    assert!(link.href.starts_with(&format!("https://id.example.org/r/{key}?")), "{}", link.href);
    let (_, proof) = take_signed_access(&link.href).unwrap();
    let settings = settings();
    let entity = EntityKey::parse(&key).unwrap();
    let secrets = settings.signing_secrets();
    let viewer = secrets.verify(&entity, proof, settings.roles(), clock()).unwrap();
    assert_eq!(viewer.roles(), ["recycler"]);
    assert!(secrets.verify(&entity, proof, settings.roles(), until).is_err());
    let filter = AuditFilter::default();
    let found = fixture.registry.audit(&root(), 1, 100, &filter).unwrap().items;
    let noted: Vec<_> = found.iter().filter(|record| record.action() == "link.signed").collect();
    let [noted] = noted[..] else { panic!("one record") };
    let text = format!("{noted:?}");
    assert!(text.contains(&key) && text.contains("recycler"), "{text}");
    assert!(!text.contains(proof), "{text}");
}

/// 36.1: only users who may change the level and its key, whose links it also shows, make one.
#[test]
fn a_link_needs_permission_for_the_level_and_its_key() {
    let fixture = Fixture::new();
    let own = gtin("0950600013435");
    let lot = format!("{own}/10/A");
    let until = clock() + SignedDuration::from_hours(1);
    let all = [Verb::Read, Verb::Write];
    let refused =
        [fixture.key(Some(fixture.ours), &[Verb::Read]), fixture.key(Some(fixture.theirs), &all)];
    for caller in &refused {
        for key in [&own, &lot] {
            let error = sign(&fixture, caller, key, &["recycler"], until).unwrap_err();
            assert!(matches!(error, RegistryError::Forbidden(..)), "{key}: {error:?}");
        }
    }
    let writer = fixture.key(Some(fixture.ours), &all);
    assert!(sign(&fixture, &writer, &lot, &["recycler", "authority"], until).is_ok());
    let year = clock() + SignedDuration::from_hours(24 * 367);
    let past = clock() - SignedDuration::from_secs(1);
    for (key, roles, until) in [
        ("gcp/9506000", &["recycler"][..], until),
        ("x", &["recycler"], until),
        (&*own, &[], until),
        (&own, &["other"], until),
        (&own, &["recycler"; 17], until),
        (&own, &["recycler"], past),
        (&own, &["recycler"], year),
    ] {
        let error = sign(&fixture, &writer, key, roles, until).unwrap_err();
        assert!(
            matches!(error, RegistryError::Invalid { .. }),
            "{key} {roles:?} {until}: {error:?}"
        );
    }
    let new = NewSignedLink { key: own, roles: vec!["recycler".into()], until };
    let without = Settings::new(SettingsParts::default()).unwrap();
    let error = fixture.registry.sign_link(&writer, &without, &new).unwrap_err();
    assert!(matches!(error, RegistryError::Conflict(_)), "{error:?}");
}
