//! Which keys a running server takes over on SIGHUP, and which have changed.

use toml::{Table, Value};

use super::Config;

/// The keys, and the tables of which every key counts. Everything else belongs to sockets, threads
/// or the store, and needs a restart.
const RELOADED: [&str; 41] = [
    "name",
    "supported_primary_keys",
    "default_link_type",
    "default_link_type_by_record",
    "legacy_gtin",
    "legacy_alphas",
    "legacy_decompression",
    "link_type_namespaces",
    "patterns",
    "weight_codes",
    "context_values",
    "context_lists",
    "contact",
    "extension_profile",
    "own_context",
    "media_types_file",
    "link_types_file",
    "hsts_max_age",
    "hsts_include_subdomains",
    "hsts_preload",
    "linkset_max_age",
    "cache",
    "brand",
    "admin.origins",
    "admin.caller_calls",
    "admin.organisation_calls",
    "admin.caller_rate",
    "admin.organisation_rate",
    "admin.session_lifetime",
    "admin.session_idle",
    "admin.quota_levels",
    "admin.quota_bytes",
    "admin.quota_keys",
    "admin.quota_proposals",
    "admin.require_second_factor",
    "admin.history_days",
    "admin.invitation_lifetime",
    "admin.reset_lifetime",
    "admin.terms_version",
    "admin.terms_url",
    "admin.terms_file",
];

/// Returns whether a running server takes over this key, or the key that this one lies in.
pub fn is_reloaded(key: &str) -> bool {
    RELOADED.iter().any(|reloaded| {
        key.strip_prefix(reloaded).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

impl Config {
    /// Returns the keys whose values differ in another configuration, in alphabetical order.
    pub fn changed(&self, other: &Self) -> Vec<String> {
        let mut changed = Vec::new();
        compare(&self.values, &other.values, "", &mut changed);
        changed
    }
}

fn compare(old: &Table, new: &Table, path: &str, changed: &mut Vec<String>) {
    let mut keys: Vec<&String> = old.keys().chain(new.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    for key in keys {
        let inner = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        match (old.get(key), new.get(key)) {
            (Some(Value::Table(old)), Some(Value::Table(new))) => {
                compare(old, new, &inner, changed);
            }
            (Some(Value::Table(one)), None) | (None, Some(Value::Table(one))) => {
                compare(one, &Table::new(), &inner, changed);
            }
            (old, new) if old == new => {}
            _ => changed.push(inner),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::sections;

    #[test]
    fn every_reloaded_key_exists() {
        let known: Vec<String> = sections()
            .iter()
            .flat_map(|(_, section)| section.keys.iter().map(|key| section.path(key.name)))
            .collect();
        for key in RELOADED {
            let is_table = sections().iter().any(|(_, section)| section.table == key);
            assert!(is_table || known.iter().any(|known| known == key), "{key}");
        }
    }

    #[test]
    fn changes_are_found_in_tables_and_beside_them() {
        let config = |text: &str| Config::from_toml(text).unwrap();
        let old = config(
            "name = \"a\"\nthreads = 2\n[brand]\nname = \"b\"\n[limits]\nidle_timeout = \"9s\"",
        );
        let new =
            config("name = \"c\"\nthreads = 2\n[brand]\nname = \"d\"\n[admin]\ncaller_rate = 9");
        assert_eq!(
            old.changed(&new),
            ["admin.caller_rate", "brand.name", "limits.idle_timeout", "name"]
        );
        assert_eq!(old.changed(&old), [""; 0]);
        assert!(is_reloaded("brand.name") && is_reloaded("contact.fn") && !is_reloaded("brands"));
        assert!(!is_reloaded("resolver_root") && !is_reloaded("limits.idle_timeout"));
    }
}
