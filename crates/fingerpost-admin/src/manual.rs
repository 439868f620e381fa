//! The page for people who write programs against the API: the description as HTML, without scripts.

use std::fmt::Write;

use http::HeaderValue;
use serde_json::Value;
use utoipa::openapi::OpenApi;

/// How the page looks.
pub(crate) const STYLE: &str = include_str!("manual.css");

/// Nothing but the style of ours.
pub(crate) fn policy() -> HeaderValue {
    HeaderValue::from_static(
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
}

/// The page.
pub(crate) fn page(document: &OpenApi) -> String {
    let document: Value = serde_json::from_str(&crate::openapi::text(document)).unwrap_or_default();
    let mut html = String::new();
    let title = escape(document["info"]["title"].as_str().unwrap_or_default());
    let _ = write!(
        html,
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><link rel=\"stylesheet\" href=\"docs/style.css\"></head><body><main><h1>{title} {}</h1>\
         <p>{}</p><p>The same for programs: <a href=\"openapi.json\">openapi.json</a>.</p>",
        escape(document["info"]["version"].as_str().unwrap_or_default()),
        prose(document["info"]["description"].as_str().unwrap_or_default()),
    );
    let operations = operations(&document);
    let mut tag = "";
    for operation in &operations {
        if operation.tag != tag {
            tag = operation.tag;
            let _ = write!(html, "<h2 id=\"{0}\">{0}</h2>", escape(tag));
        }
        operation.write(&mut html);
    }
    html.push_str("<h2 id=\"documents\">documents</h2>");
    for (name, schema) in document["components"]["schemas"].as_object().into_iter().flatten() {
        schema_section(name, schema, &mut html);
    }
    html.push_str("</main></body></html>");
    html
}

struct Operation<'d> {
    tag: &'d str,
    method: &'d str,
    path: &'d str,
    body: &'d Value,
}

fn operations(document: &Value) -> Vec<Operation<'_>> {
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        for (method, body) in item.as_object().into_iter().flatten() {
            let tag = body["tags"][0].as_str().unwrap_or_default();
            operations.push(Operation { tag, method, path, body });
        }
    }
    operations.sort_by_key(|operation| (operation.tag, operation.path));
    operations
}

impl Operation<'_> {
    fn write(&self, html: &mut String) {
        let id = escape(self.body["operationId"].as_str().unwrap_or_default());
        let open = self.body["security"].as_array().is_some_and(|all| {
            all.iter().any(|one| one.as_object().is_some_and(serde_json::Map::is_empty))
        });
        let _ = write!(
            html,
            "<section><h3 id=\"{id}\"><code>{} {}</code></h3><p>{}{}</p>",
            self.method.to_uppercase(),
            escape(self.path),
            prose(self.body["summary"].as_str().unwrap_or_default()),
            if open { " <em>Needs no credential.</em>" } else { "" },
        );
        if let Some(description) = self.body["description"].as_str() {
            let _ = write!(html, "<p>{}</p>", prose(description));
        }
        self.parameters(html);
        if let Some(content) = self.body["requestBody"]["content"].as_object() {
            for (media_type, content) in content {
                let shown = type_of(&content["schema"]);
                let _ = write!(html, "<p>Body: <code>{}</code>, {shown}</p>", escape(media_type));
            }
        }
        html.push_str("<table><tr><th>status</th><th>meaning</th><th>document</th></tr>");
        for (status, response) in self.body["responses"].as_object().into_iter().flatten() {
            let content =
                response["content"].as_object().and_then(|content| content.values().next());
            let _ = write!(
                html,
                "<tr><td>{}</td><td>{}</td><td>{}</td></tr>",
                escape(status),
                prose(response["description"].as_str().unwrap_or_default()),
                content.map_or_else(String::new, |content| type_of(&content["schema"])),
            );
        }
        html.push_str("</table></section>");
    }

    fn parameters(&self, html: &mut String) {
        let Some(parameters) = self.body["parameters"].as_array() else { return };
        html.push_str("<table><tr><th>parameter</th><th>in</th><th>meaning</th></tr>");
        for parameter in parameters {
            let _ = write!(
                html,
                "<tr><td><code>{}</code>{}</td><td>{}</td><td>{}</td></tr>",
                escape(parameter["name"].as_str().unwrap_or_default()),
                if parameter["required"] == true { " (needed)" } else { "" },
                escape(parameter["in"].as_str().unwrap_or_default()),
                prose(parameter["description"].as_str().unwrap_or_default()),
            );
        }
        html.push_str("</table>");
    }
}

fn schema_section(name: &str, schema: &Value, html: &mut String) {
    let name = escape(name);
    let text = prose(schema["description"].as_str().unwrap_or_default());
    let _ = write!(html, "<section><h3 id=\"document-{name}\">{name}</h3><p>{text}</p>");
    let needed = |member: &str| {
        schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == member))
    };
    if let Some(members) = schema["properties"].as_object() {
        html.push_str("<table><tr><th>member</th><th>is</th><th>meaning</th></tr>");
        for (member, value) in members {
            let _ = write!(
                html,
                "<tr><td><code>{}</code>{}</td><td>{}</td><td>{}</td></tr>",
                escape(member),
                if needed(member) { "" } else { " (may be absent)" },
                type_of(value),
                prose(value["description"].as_str().unwrap_or_default()),
            );
        }
        html.push_str("</table>");
    } else {
        let _ = write!(html, "<p>{}</p>", type_of(schema));
    }
    html.push_str("</section>");
}

/// A schema in a few words.
fn type_of(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        return format!("<a href=\"#document-{0}\">{0}</a>", escape(name));
    }
    let variants = ["oneOf", "anyOf", "allOf"].into_iter().find_map(|key| schema[key].as_array());
    if let Some(variants) = variants {
        return variants.iter().map(type_of).collect::<Vec<_>>().join(" or ");
    }
    if let Some(values) = schema["enum"].as_array() {
        let shown =
            values.iter().map(|value| format!("<code>{}</code>", escape(&value.to_string())));
        return shown.collect::<Vec<_>>().join(" or ");
    }
    match &schema["type"] {
        Value::String(kind) if kind == "array" => format!("array of {}", type_of(&schema["items"])),
        Value::String(kind) => escape(kind),
        Value::Array(kinds) => {
            let shown = kinds.iter().filter_map(Value::as_str).map(|kind| match kind {
                "array" => format!("array of {}", type_of(&schema["items"])),
                kind => escape(kind),
            });
            shown.collect::<Vec<_>>().join(" or ")
        }
        _ => "anything".to_owned(),
    }
}

/// Text with code between backticks.
fn prose(text: &str) -> String {
    let parts = text.split('`').enumerate().map(|(number, part)| match number % 2 {
        0 => escape(part),
        _ => format!("<code>{}</code>", escape(part)),
    });
    parts.collect()
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_every_operation_and_document() {
        let document = crate::openapi::document();
        let page = page(&document);
        let described: Value =
            serde_json::from_str(&crate::openapi::text(&document)).expect("JSON");
        for (path, item) in described["paths"].as_object().expect("paths") {
            for (method, operation) in item.as_object().expect("operations") {
                let id = operation["operationId"].as_str().expect("an id");
                assert!(page.contains(&format!("id=\"{id}\"")), "{method} {path}");
            }
        }
        // What is linked to is there.
        for link in page.split("href=\"#").skip(1) {
            let id = link.split('"').next().expect("a quote");
            assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
        }
        assert!(!page.contains("<script"));
    }

    #[test]
    fn text_never_becomes_markup() {
        assert_eq!(prose("a `<b>` & \"c\""), "a <code>&lt;b&gt;</code> &amp; &quot;c&quot;");
    }
}
