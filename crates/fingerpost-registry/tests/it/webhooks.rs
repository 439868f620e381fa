//! Webhooks: who manages them, and what ends them. Their delivery is tested in
//! `fingerpost-webhooks`.

use crate::support;

use fingerpost_registry::{
    Caller, KeyRotation, NewWebhook, Registry, RegistryError, RegistryOptions, Role, Verb,
    WebhookChange, WebhookMode,
};
use support::*;

fn new(organisation: Option<fingerpost_registry::Id>) -> NewWebhook {
    NewWebhook {
        label: "shop".to_owned(),
        organisation,
        url: "https://example.com/hook?token=hush".to_owned(),
        kinds: Vec::new(),
        prefixes: Vec::new(),
        mode: WebhookMode::Structured,
    }
}

fn delivering(fixture: &Fixture) -> Registry {
    fixture.registry.with_options(RegistryOptions::new().webhooks(true))
}

/// 35.3: administrators manage the webhooks of their organisation, and see no others.
#[test]
fn administrators_manage_the_webhooks_of_their_organisation() {
    let fixture = Fixture::new();
    let registry = delivering(&fixture);
    let admin = fixture.person("ada", Some(fixture.ours), Role::Admin);
    let stranger = fixture.person("eve", Some(fixture.theirs), Role::Admin);
    let editor = fixture.person("ed", Some(fixture.ours), Role::Editor);
    let (hook, secret) = registry.create_webhook(&admin, new(Some(fixture.ours))).unwrap();
    assert!(secret.expose().starts_with("whsec_") && secret.expose().len() == 6 + 44);
    let (whole, _) = registry.create_webhook(&root(), new(None)).unwrap();
    let listed = |caller: &Caller| {
        let page = registry.webhooks(caller, None, 100).unwrap();
        page.items.into_iter().map(|hook| hook.id).collect::<Vec<_>>()
    };
    assert_eq!(listed(&admin), [hook.id]);
    assert_eq!(listed(&stranger), []);
    assert_eq!(listed(&root()), [hook.id, whole.id]);
    assert!(matches!(registry.webhooks(&editor, None, 1), Err(RegistryError::Forbidden(_))));
    for (caller, organisation) in
        [(&admin, None), (&editor, Some(fixture.ours)), (&stranger, Some(fixture.ours))]
    {
        assert!(registry.create_webhook(caller, new(organisation)).is_err());
    }
    for caller in [&stranger, &editor] {
        let change = WebhookChange { paused: Some(true), ..WebhookChange::default() };
        for refused in [
            registry.webhook(caller, &hook.id).err(),
            registry.update_webhook(caller, &hook.id, change).err(),
            registry.rotate_webhook(caller, &hook.id, &KeyRotation::default()).err(),
            registry.test_webhook(caller, &hook.id).err(),
            registry.replay_webhook(caller, &hook.id).err(),
            registry.webhook_log(caller, &hook.id).err(),
            registry.delete_webhook(caller, &hook.id).err(),
        ] {
            assert!(matches!(refused, Some(RegistryError::NotFound)), "{refused:?}");
        }
    }
    let narrow = fixture.key_with(Some(fixture.ours), &[Verb::Read], Some("9506000"));
    assert!(registry.webhook(&narrow, &hook.id).is_err());
    // Neither the secret nor what the address contains is in the log.
    let log = fixture.registry.store().view(|view| {
        let mut text = String::new();
        for seq in 1..200 {
            text.extend(view.audit(seq)?.map(|record| record.json().to_owned()));
        }
        Ok::<_, fingerpost_store::StoreError>(text)
    });
    let log = log.unwrap();
    assert!(log.contains("webhook.created") && log.contains("https://example.com"));
    assert!(!log.contains("hush") && !log.contains("whsec_"));
}

/// 35.3: the webhooks of an organisation end with it.
#[test]
fn webhooks_end_with_their_organisation() {
    let fixture = Fixture::new();
    let registry = delivering(&fixture);
    let (hook, _) = registry.create_webhook(&root(), new(Some(fixture.theirs))).unwrap();
    registry.test_webhook(&root(), &hook.id).unwrap();
    registry.delete_organisation(&root(), &fixture.theirs).unwrap();
    assert!(matches!(registry.webhook(&root(), &hook.id), Err(RegistryError::NotFound)));
    assert!(!registry.due_webhooks().unwrap().has_queued);
}

/// 35.3: webhooks that were removed after a backup get nothing when it is restored.
#[test]
fn a_restored_backup_sends_nothing() {
    let fixture = Fixture::new();
    let registry = delivering(&fixture);
    let (hook, _) = registry.create_webhook(&root(), new(None)).unwrap();
    registry.after_restore(&root(), true).unwrap();
    assert!(!registry.webhook(&root(), &hook.id).unwrap().paused);
    registry.after_restore(&root(), false).unwrap();
    assert!(registry.webhook(&root(), &hook.id).unwrap().paused);
    assert_eq!(registry.due_webhooks().unwrap().active, 0);
}
