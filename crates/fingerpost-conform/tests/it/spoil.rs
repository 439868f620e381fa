//! The faults of the resolver of the tests that change a finished answer.

use serde_json::{Value, json};

use crate::resolver::{HANDED_OVER, KEY, Resolver};
use crate::server::{Received, Reply};

const VOC: &str = "https://ref.gs1.org/voc/";

impl Resolver {
    /// Applies the fault, if it concerns this request.
    pub(crate) fn spoil(&self, request: &Received, reply: &mut Reply) {
        let query = request.query.clone().unwrap_or_default();
        let is_other = ["/context", HANDED_OVER].iter().any(|it| request.path.starts_with(it))
            || reply.location().starts_with("https://other.example");
        if is_other {
            return;
        }
        if request.path == "/.well-known/gs1resolver" {
            self.spoil_description(reply);
        } else if request.method == "OPTIONS" {
            self.spoil_options(request, reply);
        } else if reply.status == 400 || (reply.status == 404 && !query.contains("linkType")) {
            self.spoil_error(request, reply);
        } else if query.contains("linkType=linkset")
            || request.header("accept").contains("linkset+")
        {
            self.spoil_linkset(request, &query, reply);
        } else if query.contains("linkType=") {
            self.spoil_type(request, &query, reply);
        } else {
            self.spoil_redirect(request, &query, reply);
        }
        match self.fault {
            "http-1.0" => reply.version = "1.0",
            "vary-language" => reply.set("vary", Some("accept-language")),
            "vary-accept" => reply.set("vary", Some("accept")),
            "no-expose" => reply.set("access-control-expose-headers", None),
            "head-405" if request.method == "HEAD" && query.is_empty() => reply.status = 405,
            "head-without-location" if request.method == "HEAD" => reply.set("location", None),
            "head-without-link" if request.method == "HEAD" => reply.set("link", None),
            "head-linkset-404" if request.method == "HEAD" && !query.is_empty() => {
                reply.status = 404;
            }
            _ => {}
        }
    }

    fn spoil_description(&self, reply: &mut Reply) {
        match self.fault {
            "description-404" => reply.status = 404,
            "description-html" => reply.body = "<html>".to_owned(),
            "no-cors-description" => reply.set("access-control-allow-origin", None),
            _ => {}
        }
    }

    fn spoil_options(&self, request: &Received, reply: &mut Reply) {
        let is_preflight = !request.header("origin").is_empty();
        match self.fault {
            "options-405" if !is_preflight => reply.status = 405,
            "no-allow" => reply.set("allow", None),
            "allow-get" => reply.set("allow", Some("GET, HEAD")),
            "preflight-403" if is_preflight => reply.status = 403,
            "preflight-get" => reply.set("access-control-allow-methods", Some("GET, HEAD")),
            "preflight-no-headers" => reply.set("access-control-allow-headers", Some("Accept")),
            _ => {}
        }
    }

    fn spoil_error(&self, request: &Received, reply: &mut Reply) {
        let path = &*request.path;
        let is_linkset = request.header("accept").contains("linkset+");
        let is_gtin = path.starts_with("/01/");
        let key = path.split('/').nth(2).unwrap_or_default();
        match self.fault {
            "structure-404" if path.ends_with("/foo") => reply.status = 404,
            "ai-tolerated" if path.ends_with("/1/A") => reply.status = 307,
            "length-404" if key.len() == 15 => reply.status = 404,
            "characters-404" if is_gtin && key.contains('A') => reply.status = 404,
            "check-digit-404" if path.ends_with("789") => reply.status = 404,
            "keys-refused" if !is_gtin && !path.starts_with("/e") && reply.status == 404 => {
                reply.status = 400;
            }
            "sscc-check-digit" if path.starts_with("/00") => reply.status = 404,
            "cpid-case" if path.ends_with("abc") => reply.status = 404,
            "itip-pieces" if path.ends_with("0302") => reply.status = 404,
            "24-tolerated" if path.contains("/24/") => reply.status = 307,
            "tilde-tolerated" if path.contains("/26/") => reply.status = 307,
            "order-tolerated" if path.ends_with("/21/A/10/B") => reply.status = 307,
            "first-404" if path == "/10/A" => reply.status = 404,
            "sgtin-only" if path.starts_with("/eh31") => reply.status = 400,
            "percent-500" if path.contains("%ZZ") => reply.status = 500,
            "repeated-tolerated" if path.ends_with("/10/A/10/B") => reply.status = 307,
            "invalid-linkset-200" if is_linkset && reply.status == 400 => reply.status = 200,
            "unknown-500" if is_gtin && reply.status == 404 => reply.status = 500,
            "unknown-400" if is_gtin && reply.status == 404 => reply.status = 400,
            "unknown-200" if is_gtin && reply.status == 404 => reply.status = 200,
            "invalid-200" if reply.status == 400 && path.starts_with(KEY) => reply.status = 200,
            "unknown-redirect" if reply.status == 404 => reply.status = 302,
            "unknown-linkset-200" if is_linkset && reply.status == 404 => reply.status = 200,
            "epc-404" if path.starts_with("/eh") => reply.status = 404,
            _ => {}
        }
    }

    fn spoil_linkset(&self, request: &Received, query: &str, reply: &mut Reply) {
        let accept = request.header("accept");
        if request.header("if-none-match") == "\"1\"" && self.fault != "etag-ignored" {
            reply.status = 304;
        }
        match self.fault {
            "linkset-redirect" if query.contains("linkset") => reply.status = 307,
            "linkset-404" if query.contains("linkset") => reply.status = 404,
            "accept-redirect" if query.is_empty() => reply.status = 307,
            "content-type" if accept.contains("linkset+") => {
                reply.set("content-type", Some("application/json"));
            }
            "no-context-link" => reply.set("link", None),
            "context-link-without-type" => {
                let link = reply.header("link").replace("; type=\"application/ld+json\"", "");
                reply.set("link", Some(&link));
            }
            "text-without-anchor" if accept == "application/linkset" => {
                reply.body = reply.body.replace("anchor=", "of=");
            }
            "json-406" if accept == "application/json" => reply.status = 406,
            "cut-body" if accept == "application/json" => reply.missing = 10,
            "ld-without-context" => reply.body = reply.body.replace("@context", "context"),
            "html-as-json" if accept == "text/html" => {
                reply.set("content-type", Some("application/json"));
            }
            "html-without-links" if accept == "text/html" => {
                reply.body = reply.body.replace("href=\"https://example.com/pip", "href=\"");
            }
            "html-without-json-ld" if accept == "text/html" => {
                reply.body = reply.body.replace("application/ld", "application/x");
            }
            "default-json" if accept.is_empty() => {
                reply.set("content-type", Some("application/json"));
            }
            "no-cors-linkset" => reply.set("access-control-allow-origin", None),
            "unknown-lot-linkset-404" if request.path.contains("/10/FPZ7Q") => reply.status = 404,
            _ => {}
        }
        if accept == "text/html" {
            // The links that faults of the linkset add.
            reply.body.push_str("<a href=\"/relative\"><a href='https://example.com/more'>");
            reply.body.push_str("<a href='https://example.com/help'>");
        } else if accept == "application/linkset" {
            for href in ["", "/relative", "https://example.com/more", "https://example.com/help"] {
                reply.body.push_str(&format!(",<{href}>; rel=\"a\"; anchor=\"b\""));
            }
        }
        if let Ok(mut value) = serde_json::from_str::<Value>(&reply.body) {
            self.spoil_json(request, &mut value);
            reply.body = value.to_string();
        }
    }

    /// Changes what is published; the redirects follow the same data as before.
    fn spoil_json(&self, request: &Received, value: &mut Value) {
        let is_lot = request.path.contains("LOT1");
        match self.fault {
            "outer-member" => value["total"] = json!(1),
            "linkset-object" => value["linkset"] = value["linkset"][0].clone(),
            "levels-below" => {
                let anchor = format!("https://id.example.org{KEY}/22/V1");
                let link = json!([{"href": "https://example.com/help", "title": "Help"}]);
                let level = json!({
                    "anchor": anchor, "itemDescription": "tea", (format!("{VOC}support")): link});
                value["linkset"].as_array_mut().expect("an array").push(level);
            }
            "item-in-lot" if is_lot && request.path.contains("/21/F1") => {
                value["linkset"][0]["anchor"] =
                    json!(format!("https://id.example.org{KEY}/10/LOT1/21/F1"));
            }
            "lot-linkset-alone" if is_lot => {
                value["linkset"].as_array_mut().expect("an array").truncate(1);
            }
            _ => {}
        }
        for context in value["linkset"].as_array_mut().into_iter().flatten() {
            let anchor = context["anchor"].as_str().expect("an anchor").to_owned();
            match self.fault {
                "no-anchor" => context["anchor"] = Value::Null,
                "anchor-query" => context["anchor"] = json!(format!("{anchor}?a=b")),
                "anchor-slash" => context["anchor"] = json!(format!("{anchor}/")),
                "anchor-relative" => {
                    context["anchor"] = json!(anchor.replace("https://id.example.org", ""));
                }
                "anchor-other" => context["anchor"] = json!(anchor.replace("6788", "6795")),
                "epc-anchors" if request.path.starts_with("/eh") => {
                    context["anchor"] = json!(format!("https://id.example.org{}", request.path));
                }
                _ => {}
            }
            if anchor.ends_with(KEY) {
                self.spoil_context(context);
            }
        }
    }

    fn spoil_context(&self, context: &mut Value) {
        let [pip, default, faqs, shops] =
            ["pip", "defaultLink", "faqs", "hasRetailers"].map(|it| format!("{VOC}{it}"));
        let (pip, default, faqs, shops) = (&*pip, &*default, &*faqs, &*shops);
        match self.fault {
            "links-object" => context[pip] = context[pip][0].clone(),
            "relation-prefix" => rename(context, pip, "gs1:pip"),
            "misspelt-type" => rename(context, pip, &format!("{VOC}productInfo")),
            "foreign-pip" => {
                rename(
                    context,
                    "https://example.net/types/colour",
                    "https://example.net/types/pip",
                );
            }
            "language-three-letters" => context[pip][0]["hreflang"] = json!(["gsw"]),
            "no-description" => {
                context.as_object_mut().expect("an object").remove("itemDescription");
            }
            "old-namespace" => rename(context, pip, "https://gs1.org/voc/pip"),
            "href-missing" => push(context, faqs, json!({"title": "Tea"})),
            "href-relative" => push(context, faqs, json!({"href": "/relative", "title": "Tea"})),
            "title-missing" => push(context, faqs, json!({"href": "https://example.com/more"})),
            "title-blank" => context[pip][0]["title"] = json!(" "),
            "hreflang-text" => context[pip][0]["hreflang"] = json!("en"),
            "context-text" => {
                context[shops][0]["context"] = json!("CH");
                context[shops][1]["context"] = json!("FR");
            }
            "language-name" => context[pip][0]["hreflang"] = json!(["english"]),
            "media-type-word" => context[pip][0]["type"] = json!("html"),
            "own-member" => context[pip][0]["colour"] = json!("red"),
            "two-defaults" => push(context, default, context[default][0].clone()),
            "no-default" => drop(context.as_object_mut().expect("an object").remove(default)),
            "default-language" => context[default][0]["hreflang"] = json!(["en"]),
            "default-undescribed" => drop(context.as_object_mut().expect("an object").remove(faqs)),
            _ => {}
        }
    }

    fn spoil_type(&self, request: &Received, query: &str, reply: &mut Reply) {
        let is = |name: &str| query.contains(name);
        match self.fault {
            "link-type-dropped" if is("gs1:pip") => {
                reply.set("location", Some("https://example.com/pip"));
            }
            "context-dropped" if is("context=") => {
                let location = reply.location().split("&context=").next().map(str::to_owned);
                reply.set("location", location.as_deref());
            }
            "levels-below" if is("gs1:support") => {
                reply.status = 307;
                reply.set("location", Some(&format!("https://example.com/help?{query}")));
            }
            "type-ignored" if is("gs1:pip") => {
                reply.set("location", Some(&format!("https://example.com/tea?{query}")));
            }
            "type-404" if is("gs1:pip") => {
                reply.status = 404;
                reply.set("location", None);
            }
            "attributes-required" if request.header("accept-language") == "tlh" => {
                reply.status = 404;
            }
            "full-uri-404" if is("https://ref") => reply.status = 404,
            "encoded-404" if is("gs1%3A") => reply.status = 404,
            "unknown-type-default" if is("nosuchlt") => {
                reply.status = 307;
                reply.set("location", Some("https://example.com/tea"));
            }
            "first-of-several" if reply.status == 300 && is("recipeInfo") => {
                reply.status = 307;
                reply.set("location", Some(&format!("https://example.com/r1?{query}")));
            }
            "several-with-location" if reply.status == 300 => {
                reply.set("location", Some("https://example.com/r1"));
            }
            "several-all" if reply.status == 300 => {
                reply.body = reply.body.replace("example.com/r2", "example.com/tea");
            }
            "several-html" if reply.status == 300 => reply.body = "<html>".to_owned(),
            "language-ignored" if is("instructions") => {
                reply.set("location", Some("https://example.com/i-en"));
            }
            _ => {}
        }
    }

    fn spoil_redirect(&self, request: &Received, query: &str, reply: &mut Reply) {
        let location = reply.location().to_owned();
        let to = |reply: &mut Reply, location: &str| reply.set("location", Some(location));
        let language = request.header("accept-language");
        let host = request.header("host");
        let is_lot = request.path.contains("LOT1");
        match self.fault {
            "plain-200" if query.is_empty() && language.is_empty() => {
                reply.status = 200;
                reply.set("location", None);
            }
            "plain-300" if query.is_empty() && language.is_empty() => reply.status = 300,
            "relative-location" if language.is_empty() => {
                to(reply, &location.replace("https://example.com", ""));
            }
            "recalled" if language.is_empty() => {
                to(reply, &location.replace("/tea", "/recall"));
            }
            "other-default" if language.is_empty() => {
                to(reply, &location.replace("/tea", "/other"));
            }
            "default-of-key" if is_lot => to(reply, &location.replace("lot?id=7", "tea?id=7")),
            "walk-by-redirect" if is_lot => to(
                reply,
                &location.replace("https://example.com/lot", &format!("http://{host}{KEY}")),
            ),
            "key-undecoded" if request.path.contains("%30") => reply.status = 400,
            "slash-decoded" if request.path.contains("%2F") => reply.status = 400,
            "query-validated" if query.contains("17=999999") => reply.status = 400,
            "no-235" if request.path.contains("/235/") => reply.status = 404,
            "lot-item-of-key" if is_lot && request.path.contains("/21/FP") => {
                to(reply, "https://example.com/tea");
            }
            "compressed-400" if request.path.starts_with("/A") => reply.status = 400,
            "no-same-as" => {
                let link = reply.header("link").replace("owl:sameAs", "related");
                reply.set("link", Some(&link));
            }
            "slash-404" if request.path.ends_with('/') => reply.status = 404,
            "slash-redirect" if request.path.ends_with('/') => {
                to(reply, &format!("http://{host}{}", request.path.trim_end_matches('/')));
            }
            "query-dropped" => to(reply, &location.replace(query, "")),
            "query-parsed" => to(reply, &location.replace("&&", "&")),
            "query-decoded" => to(reply, &location.replace("%2f%2F", "//")),
            "two-question-marks" => to(reply, &location.replace("id=7&", "id=7?")),
            "query-after-fragment" if location.contains("#top") && !query.is_empty() => {
                to(reply, &format!("https://example.com/item#top?{query}"));
            }
            "variants-ignored" if !language.is_empty() => to(reply, "https://example.com/tea"),
            "variant-300" if matches!(language, "en" | "fr") => reply.status = 300,
            "variant-for-any" if language == "tlh" => to(reply, "https://example.com/tea-en"),
            "variant-for-star" if language == "*" => to(reply, "https://example.com/tea-en"),
            "no-cors-redirect" => reply.set("access-control-allow-origin", None),
            "unknown-lot-404" if request.path.contains("/10/FPZ7Q") => reply.status = 404,
            "hexadecimal-400" | "epc-unannounced" if request.path.starts_with("/eh") => {
                reply.status = 400;
            }
            "base64-400" if request.path.starts_with("/ex") => reply.status = 400,
            "handled-by-case" => reply
                .set("link", Some("<https://a.example/>; rel=\"handledby\", <x>; rel=\"linkset\"")),
            "no-linkset-link" => {
                let link = reply.header("link").replace("rel=\"linkset\"", "rel=\"related\"");
                reply.set("link", Some(&link));
            }
            "permanent" => reply.status = 301,
            _ => {}
        }
    }
}

fn rename(context: &mut Value, from: &str, to: &str) {
    let links = context.as_object_mut().expect("an object").remove(from).expect("links");
    context[to] = links;
}

fn push(context: &mut Value, relation: &str, link: Value) {
    context[relation].as_array_mut().expect("links").push(link);
}
