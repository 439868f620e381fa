//! Requests to try in a shell, for the reference page.

/// The option of curl for operations whose body is a document; others send a file.
const BODIES: &[(&str, &str)] = &[
    (
        "putLevel",
        r#"{"anchor": "/01/09506000134352", "links": [
  {"linkType": "gs1:defaultLink", "href": "https://brand.example/tea", "title": "Tea"},
  {"linkType": "gs1:pip", "href": "https://brand.example/tea", "title": "Tea"}]}"#,
    ),
    ("patchLevel", r#"{"itemDescription": "Tea"}"#),
    ("writeBatch", r#"{"delete": "/01/09506000134352/10/ABC"}"#),
    (
        "recall",
        r#"{"keys": ["/01/09506000134352/10/ABC"], "notices": [{"href": "https://brand.example/recall", "title": "Recall"}]}"#,
    ),
    ("endRecall", r#"{"keys": ["/01/09506000134352/10/ABC"]}"#),
    ("exportSelection", r#"{"keys": ["/01/09506000134352"]}"#),
    ("drawSheet", r#"{"keys": ["/01/09506000134352"]}"#),
    ("explainRequest", r#"{"key": "01/09506000134352"}"#),
    ("createKey", r#"{"label": "catalogue", "verbs": ["read", "write"]}"#),
    ("createOrganisation", r#"{"name": "Brand", "prefixes": ["9506000"]}"#),
    (
        "createUser",
        r#"{"login": "eve@brand.example", "memberships": [{"role": "editor", "organisation": "ID"}]}"#,
    ),
    ("rejectProposal", r#"{"reason": "The address is wrong"}"#),
];

/// Values of parameters in examples.
const VALUES: &[(&str, &str)] = &[
    ("key", "01/09506000134352"),
    ("revision", "1"),
    ("from", "1"),
    ("text", "9506000134352"),
    ("id", "ID"),
];

/// The parts of a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Example<'d> {
    pub(super) operation: &'d str,
    pub(super) method: &'d str,
    pub(super) path: &'d str,
    /// The media type of the body.
    pub(super) media_type: Option<&'d str>,
    pub(super) needs_credential: bool,
}

/// Returns a command. `required` are the parameters of the query that it has to have.
pub(super) fn command<'d>(
    example: &Example<'d>,
    required: impl Iterator<Item = &'d str>,
) -> String {
    let mut command = "curl -s".to_owned();
    if example.needs_credential {
        command.push_str("H \"$AUTH\"");
    }
    if !matches!((example.method, example.media_type), ("GET", _) | ("POST", Some(_))) {
        command.push_str(&format!(" -X {}", example.method));
    }
    if let Some(media_type) = example.media_type {
        let known = BODIES.iter().find(|(operation, _)| *operation == example.operation);
        command.push_str(&format!(" -H 'Content-Type: {media_type}'"));
        command.push_str(&match known {
            Some((_, body)) => format!(" -d '{body}'"),
            None => " --data-binary @FILE".to_owned(),
        });
    }
    let mut target = String::new();
    let mut rest = example.path;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, tail) = after.split_once('}').unwrap_or((after, ""));
        target.push_str(before);
        target.push_str(value(name));
        rest = tail;
    }
    target.push_str(rest);
    for (at, name) in required.enumerate() {
        target.push_str(&format!("{}{name}={}", if at == 0 { '?' } else { '&' }, value(name)));
    }
    format!("{command} \"$API{target}\"")
}

fn value(name: &str) -> &str {
    VALUES.iter().find(|(known, _)| *known == name).map_or("VALUE", |(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_have_what_a_request_needs() {
        let example = |operation, method, path, media_type, needs_credential| {
            let example = Example { operation, method, path, media_type, needs_credential };
            command(
                &example,
                if operation == "checkText" { vec!["text"] } else { vec![] }.into_iter(),
            )
        };
        assert_eq!(
            example(
                "patchLevel",
                "PATCH",
                "/v1/levels/{key}",
                Some("application/merge-patch+json"),
                true
            ),
            "curl -sH \"$AUTH\" -X PATCH -H 'Content-Type: application/merge-patch+json' -d '{\"itemDescription\": \"Tea\"}' \
             \"$API/v1/levels/01/09506000134352\""
        );
        assert_eq!(
            example("checkText", "GET", "/v1/check", None, true),
            "curl -sH \"$AUTH\" \"$API/v1/check?text=9506000134352\""
        );
        assert_eq!(example("readHealth", "GET", "/health", None, false), "curl -s \"$API/health\"");
        assert_eq!(
            example("importFile", "POST", "/v1/imports", Some("application/octet-stream"), true),
            "curl -sH \"$AUTH\" -H 'Content-Type: application/octet-stream' --data-binary @FILE \"$API/v1/imports\""
        );
    }
}
