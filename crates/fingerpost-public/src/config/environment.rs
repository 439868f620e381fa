//! Configuration from environment variables: `FINGERPOST_` and the key in capitals, dots as underscores.

use super::ConfigError;
use super::file::{self, FileConfig};

/// What all our variables begin with.
const PREFIX: &str = "FINGERPOST_";

/// Variables of the command line itself, which are no keys.
const NOT_KEYS: [&str; 4] =
    ["FINGERPOST_CONFIG", "FINGERPOST_DATA", "FINGERPOST_SERVER", "FINGERPOST_KEY"];

/// Every key that a variable can set; the example file is checked against this list.
pub(super) const KEYS: [&str; 64] = [
    "resolver_root",
    "name",
    "supported_primary_keys",
    "link_type_namespaces",
    "patterns",
    "default_link_type",
    "legacy_gtin",
    "legacy_alphas",
    "legacy_decompression",
    "context_values",
    "context_lists",
    "contact",
    "extension_profile",
    "own_context",
    "media_types_file",
    "listen",
    "tls_cert",
    "tls_key",
    "tls_self_signed",
    "http_redirect_listen",
    "trusted_proxies",
    "threads",
    "cache_bytes",
    "map_size",
    "linkset_max_age",
    "log.level",
    "log.format",
    "limits.max_target_bytes",
    "limits.max_header_bytes",
    "limits.max_connections",
    "limits.tls_handshake_timeout",
    "limits.header_timeout",
    "limits.idle_timeout",
    "limits.response_timeout",
    "limits.shutdown_grace",
    "admin.enabled",
    "admin.listen",
    "admin.tls_cert",
    "admin.tls_key",
    "admin.tls_self_signed",
    "admin.insecure",
    "admin.origins",
    "admin.max_connections",
    "admin.session_lifetime",
    "admin.session_idle",
    "admin.history_days",
    "admin.oidc.issuer",
    "admin.oidc.client_id",
    "admin.oidc.client_secret_file",
    "admin.oidc.scopes",
    "admin.oidc.claim",
    "admin.oidc.roles",
    "admin.oidc",
    "admin",
    "brand.name",
    "brand.logo",
    "brand.accent",
    "brand.accent_dark",
    "brand.footer_text",
    "brand.footer_links",
    "brand.privacy",
    "limits",
    "log",
    "brand",
];

/// Lays the variables over the configuration. Unknown names are warned of, not refused: container
/// platforms make up variables from the name of a service.
pub(super) fn apply(
    config: &mut FileConfig,
    environment: impl IntoIterator<Item = (String, String)>,
    warnings: &mut Vec<String>,
) -> Result<(), ConfigError> {
    for (variable, value) in environment {
        if !variable.starts_with(PREFIX) || NOT_KEYS.contains(&variable.as_str()) {
            continue;
        }
        match KEYS.iter().find(|key| is_name_of(&variable, key)) {
            Some(key) => config.overlay(read(&variable, key, &value)?),
            None => warnings.push(format!("the variable {variable} names no key: it is ignored")),
        }
    }
    Ok(())
}

fn is_name_of(variable: &str, key: &str) -> bool {
    let name = variable.strip_prefix(PREFIX).unwrap_or_default();
    name.len() == key.len()
        && name.bytes().zip(key.bytes()).all(|(found, expected)| match expected {
            b'.' => found == b'_',
            _ => found == expected.to_ascii_uppercase(),
        })
}

/// One value: as TOML if it reads as that, else as plain text.
fn read(variable: &str, key: &str, value: &str) -> Result<FileConfig, ConfigError> {
    let as_toml = file::parse(variable, &format!("{key} = {value}"));
    let as_text = || file::parse(variable, &format!("{key} = {}", toml::Value::from(value)));
    let structured = value.trim_start().starts_with(['[', '{']);
    let read = if structured { as_toml } else { as_toml.or_else(|_| as_text()) };
    read.map_err(|error| match error {
        ConfigError::Line { message, .. } => {
            ConfigError::Variable { variable: variable.to_owned(), message }
        }
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(variable: &str, value: &str) -> Result<FileConfig, ConfigError> {
        let mut config = FileConfig::default();
        let environment = [(variable.to_owned(), value.to_owned())];
        apply(&mut config, environment, &mut Vec::new()).map(|()| config)
    }

    #[test]
    fn values_are_toml_or_plain_text() {
        let config = with("FINGERPOST_RESOLVER_ROOT", "https://id.example.org").expect("text");
        assert_eq!(config.resolver_root.as_deref(), Some("https://id.example.org"));
        let config = with("FINGERPOST_NAME", "123").expect("text that looks like a number");
        assert_eq!(config.name.as_deref(), Some("123"));
        let config = with("FINGERPOST_THREADS", "3").expect("number");
        assert_eq!(config.threads, Some(3));
        let keys = with("FINGERPOST_SUPPORTED_PRIMARY_KEYS", "01, 414").expect("words");
        assert_eq!(keys.supported_primary_keys.expect("keys").into_vec(), ["01", "414"]);
        let config = with("FINGERPOST_CONTEXT_VALUES", r#"["CH","FR"]"#).expect("array");
        assert_eq!(config.context_values.expect("values").into_vec(), ["CH", "FR"]);
        let config = with("FINGERPOST_LIMITS_MAX_CONNECTIONS", "7").expect("nested");
        assert_eq!(config.limits.expect("limits").max_connections, Some(7));
        let config = with("FINGERPOST_LOG_FORMAT", "json").expect("word");
        assert_eq!(config.log.expect("log").format, Some(super::super::LogFormat::Json));
        let config = with("FINGERPOST_CONTACT", r#"{ fn = "Example" }"#).expect("table");
        assert_eq!(config.contact.expect("contact").formatted_name.as_deref(), Some("Example"));
    }

    #[test]
    fn wrong_values_are_refused_with_the_name_of_the_variable() {
        let error = with("FINGERPOST_THREADS", "many").expect_err("not a number").to_string();
        assert!(error.starts_with("FINGERPOST_THREADS: "), "{error}");
        assert!(with("FINGERPOST_CONTACT", "{ phone = 1 }").is_err());
    }

    #[test]
    fn unknown_variables_are_warned_of() {
        let mut warnings = Vec::new();
        let environment = [("FINGERPOST_PORT".to_owned(), "tcp://10.0.0.1".to_owned())];
        apply(&mut FileConfig::default(), environment, &mut warnings).expect("ignored");
        assert_eq!(warnings.len(), 1);
    }
}
