//! No secret is kept, shown or told: the whole data and everything printable is searched for them.

use crate::support;

use std::fs;

use fingerpost_registry::{AuditFilter, NewUser, Role, Secret, UserChange, Verb};
use support::*;

#[test]
fn no_secret_is_in_the_data_or_in_what_is_printed() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let mut printed = String::new();
    let mut secrets = vec![PASSWORD.to_owned(), "typed by mistake as login".to_owned()];

    let id = fixture.member("ada", Some(fixture.ours), Role::Admin);
    let signed_in = registry.sign_in("ada", &Secret::new(PASSWORD), &client()).unwrap();
    printed += &format!("{signed_in:?} {:?}", signed_in.caller(&client()));
    secrets.extend([signed_in.token.expose().to_owned(), signed_in.csrf.expose().to_owned()]);

    let (key, token) = registry
        .create_key(&signed_in.caller(&client()), new_key(Some(fixture.ours), &[Verb::Write], None))
        .unwrap();
    printed += &format!("{key:?} {token:?} {}", serde_json::to_string(&key).unwrap());
    // The id is part of the token and no secret; what follows it is.
    let secret_part = token.expose().rsplit_once(&format!("{}_", key.id)).unwrap().1.to_owned();
    assert_eq!(secret_part.len(), 43);
    secrets.push(secret_part.clone());

    let wrong = Secret::new(format!("fpk_{}_{}", key.id, "A".repeat(43)));
    for error in [
        registry.authenticate_key(&wrong, &client()).unwrap_err(),
        registry.sign_in("typed by mistake as login", &Secret::new("x"), &client()).unwrap_err(),
        registry.sign_in("ada", &Secret::new("typed by mistake as login"), &client()).unwrap_err(),
        registry.session(&wrong, &client()).unwrap_err(),
    ] {
        printed += &format!("{error} {error:?}");
    }
    let new = NewUser {
        login: "eve".into(),
        name: String::new(),
        password: Some(Secret::new("too short!!")),
        memberships: vec![],
    };
    printed += &format!("{new:?}");
    let error = registry.create_user(&root(), new).unwrap_err();
    printed += &format!("{error} {error:?}");
    secrets.push("too short!!".to_owned());
    let change =
        UserChange { password: Some(Secret::new("another good password")), ..Default::default() };
    printed += &format!("{change:?}");
    secrets.push("another good password".to_owned());
    registry.authenticate_key(&token, &client()).unwrap();
    registry.update_user(&root(), &id, change).unwrap();
    registry.flush_usage().unwrap();
    for record in registry.audit(&root(), 1, 1_000, &AuditFilter::default()).unwrap().items {
        printed += record.json();
    }
    for user in registry.users(&root(), None, 10).unwrap().items {
        printed += &serde_json::to_string(&user).unwrap();
    }

    let mut data = Vec::new();
    for file in fs::read_dir(fixture.dir.path()).unwrap() {
        data.extend(fs::read(file.unwrap().path()).unwrap());
    }
    for secret in &secrets {
        assert!(!printed.contains(secret.as_str()), "{secret} is printed");
        let is_kept = data.windows(secret.len()).any(|window| window == secret.as_bytes());
        assert!(!is_kept, "{secret} is kept");
    }
    assert!(!printed.contains("$argon2"), "not even its hash is printed");
    // The search would find it: the id of the key is there.
    assert!(data.windows(26).any(|window| window == key.id.as_str().as_bytes()));
}

#[test]
fn tokens_are_taken_as_a_whole() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let (key, token) = registry.create_key(&root(), new_key(None, &[Verb::Read], None)).unwrap();
    let token = token.expose();
    let secret = token.rsplit_once('_').map(|_| &token[31..]).unwrap();
    let id = key.id.to_string();
    for wrong in [
        String::new(),
        "fpk_".into(),
        format!("fpk_{id}"),
        format!("fpk_{id}_"),
        format!("fpk_{id}_{}", &secret[..42]),
        format!("fpk_{id}_{secret}A"),
        format!("fpk_{id}{secret}"),
        format!("fpk_{}_{secret}", fingerpost_registry::Id::random()),
        format!("FPK_{id}_{secret}"),
        format!(" {token}"),
        format!("fpk_{}é_{secret}", &id[..25]),
    ] {
        let result = registry.authenticate_key(&Secret::new(wrong.clone()), &client());
        assert_eq!(kind(&result), "unauthenticated", "{wrong}");
    }
    assert_eq!(kind(&registry.authenticate_key(&Secret::new(token), &client())), "done");
    assert_eq!(registry.key(&root(), &key.id).unwrap().last_used, None);
    registry.flush_usage().unwrap();
    assert!(registry.key(&root(), &key.id).unwrap().last_used.is_some());
}
