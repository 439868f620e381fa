//! A resolver that conforms, and can be broken in one way at a time.

use serde_json::{Map, Value, json};

use crate::server::{Received, Reply, TestServer};

const VOC: &str = "https://ref.gs1.org/voc/";
const FOREIGN: &str = "https://example.net/types/";
const LINKSET: &str = "application/linkset+json";
pub(crate) const KEY: &str = "/01/09520123456788";
/// A key whose requests are handed over to another resolver.
pub(crate) const HANDED_OVER: &str = "/01/09506000134352";
const OTHER: &str = "https://other.example";

/// Starts a resolver with a fault; an unknown fault is none.
pub(crate) fn start(fault: &'static str) -> TestServer {
    TestServer::start(move |request, stream| {
        let reply = Resolver { fault }.answer(request);
        reply.write(request.method != "HEAD", stream);
    })
}

/// Returns the answer of a resolver with a fault.
pub(crate) fn reply(fault: &'static str, request: &Received) -> Reply {
    Resolver { fault }.answer(request)
}

/// The resolver, with its fault.
pub(crate) struct Resolver {
    pub(crate) fault: &'static str,
}

/// The path of a request: the level it names.
enum Level {
    Invalid,
    Unknown,
    /// A key of the data, with qualifiers of any value.
    Known(String),
    /// A path of another resolver.
    Other(String),
}

impl Resolver {
    fn is(&self, fault: &str) -> bool {
        self.fault == fault
    }

    pub(crate) fn answer(&self, request: &Received) -> Reply {
        let mut reply = self.honest(request);
        reply.set("access-control-allow-origin", Some("*"));
        reply.set("access-control-expose-headers", Some("Link"));
        reply.set("vary", Some("Accept, Accept-Language"));
        self.spoil(request, &mut reply);
        reply
    }

    fn honest(&self, request: &Received) -> Reply {
        if request.path == "/.well-known/gs1resolver" {
            let file = self.description(&context(request));
            return Reply::new(200, "application/json", file.to_string());
        }
        if request.path == "/context" {
            let media_type = match self.is("context-file-json") {
                true => "application/json",
                false => "application/ld+json",
            };
            return Reply::new(200, media_type, r#"{"@context":{}}"#);
        }
        if request.method == "OPTIONS" {
            let mut reply = Reply::new(204, "text/plain", "");
            reply.set("allow", Some("GET, HEAD, OPTIONS"));
            reply.set("access-control-allow-methods", Some("GET, HEAD, OPTIONS"));
            reply.set("access-control-allow-headers", Some("Accept, Accept-Language"));
            return reply;
        }
        match Self::level(&request.path) {
            Level::Invalid => Reply::new(400, "text/plain", "invalid"),
            Level::Unknown => Reply::new(404, "text/plain", "unknown"),
            Level::Known(path) => self.resolve(request, &path),
            Level::Other(path) => self.hand_over(request, &path),
        }
    }

    fn hand_over(&self, request: &Received, path: &str) -> Reply {
        let path = if self.is("hand-over-compressed") { &request.path } else { path };
        let query = request.query.as_ref().filter(|_| !self.is("hand-over-without-query"));
        let query = query.map(|query| format!("?{query}")).unwrap_or_default();
        let mut reply = Reply::new(307, "text/plain", "");
        reply.set("location", Some(&format!("{OTHER}{path}{query}")));
        let link = format!("<{OTHER}>; rel=\"gs1:handledBy\"");
        reply.set("link", Some(&link).filter(|_| !self.is("hand-over-unnamed")).map(|it| &**it));
        reply
    }

    fn description(&self, context: &str) -> Value {
        let mut file = json!({
            "name": "Test", "resolverRoot": "https://id.example.org", "supportedPrimaryKeys": ["all"],
            "supportedLinkType": [
                {"namespace": VOC, "prefix": "gs1:"}, {"namespace": FOREIGN, "prefix": "ex:"}],
            "supportedContextValuesEnumerated": ["CH", "FR"],
            "linkTypeDefaultCanBeLinkset": false, "jsonLdContextLocation": context,
        });
        match self.fault {
            "root-slash" => file["resolverRoot"] = json!("https://id.example.org/"),
            "root-number" => file["resolverRoot"] = json!(1),
            "root-http" => file["resolverRoot"] = json!("http://id.example.org"),
            "keys-names" => file["supportedPrimaryKeys"] = json!(["gtin"]),
            "keys-text" => file["supportedPrimaryKeys"] = json!("all"),
            "key-undeclared" => file["supportedPrimaryKeys"] = json!(["00"]),
            "prefix-without-colon" => file["supportedLinkType"][0]["prefix"] = json!("gs1"),
            "namespaces-object" => file["supportedLinkType"] = json!({"gs1:": VOC}),
            "name-null" => file["name"] = Value::Null,
            "boolean-text" => file["linkTypeDefaultCanBeLinkset"] = json!("false"),
            "contexts-text" => file["supportedContextValuesEnumerated"] = json!("CH"),
            "context-undeclared" => file["supportedContextValuesEnumerated"] = json!(["CH"]),
            "namespace-undeclared" => {
                file["supportedLinkType"].as_array_mut().expect("an array").truncate(1);
            }
            "epc-unannounced" => file["supportedPrimaryKeys"] = json!(["01"]),
            "other-context" => file["jsonLdContextLocation"] = json!("https://example.com/context"),
            _ => {}
        }
        file
    }

    fn level(path: &str) -> Level {
        let path = path.strip_suffix('/').unwrap_or(path);
        let path = match Self::decoded(path) {
            Some(Some(path)) => path,
            Some(None) => return Level::Invalid,
            None => path.to_owned(),
        };
        let segments: Vec<String> = path.split('/').skip(1).map(unescaped).collect();
        let is_pairs = !segments.is_empty()
            && segments.len().is_multiple_of(2)
            && segments.iter().all(|it| !it.is_empty());
        if !is_pairs || !is_valid_key(&segments[0], &segments[1]) {
            return Level::Invalid;
        }
        let ais: Vec<&str> = segments.iter().map(String::as_str).step_by(2).collect();
        let is_ai = |ai: &&str| {
            let is_digits = matches!(ai.len(), 2..=4) && ai.bytes().all(|it| it.is_ascii_digit());
            is_digits && *ai != "24"
        };
        let order = |ai: &str| ["01", "22", "10", "21"].iter().position(|it| *it == ai);
        let places: Vec<_> = ais.iter().filter_map(|ai| order(ai)).collect();
        let repeats = ais.iter().any(|ai| ais.iter().filter(|it| it == &ai).count() > 1);
        if !ais.iter().all(is_ai) || repeats || path.contains("%Z") || path.contains("%7E") {
            return Level::Invalid;
        }
        let key = format!("/{}/{}", segments[0], segments[1]);
        let path = format!(
            "{key}{}",
            path.splitn(4, '/').nth(3).map(|it| format!("/{it}")).unwrap_or_default()
        );
        match &*key {
            _ if !places.is_sorted() => Level::Invalid,
            KEY => Level::Known(path),
            HANDED_OVER => Level::Other(path),
            _ => Level::Unknown,
        }
    }

    /// Returns the path of an EPC; `None` for other paths, `Some(None)` if it cannot be decoded.
    fn decoded(path: &str) -> Option<Option<String>> {
        if path.len() == 11 && path.starts_with("/A") {
            // The compression of GS1 Digital Link 1.1, of a GTIN alone.
            let bits = base64(&path[1..])? >> 5;
            return Some(Some(format!("/01/{:014}", bits & ((1 << 47) - 1))));
        }
        let bits = if let Some(hex) = path.strip_prefix("/eh") {
            (hex.len() == 24).then(|| u128::from_str_radix(hex, 16).ok()).flatten()
        } else {
            let text = path.strip_prefix("/ex")?;
            base64(text)
        };
        Some(bits.map(|bits| {
            if bits >> 88 != 0x30 {
                // Of another scheme; nothing is known about it.
                return "/00/195201230000000018".to_owned();
            }
            let (company, item) = ((bits >> 58) & 0xff_ffff, (bits >> 38) & 0xf_ffff);
            let item = format!("{item:06}");
            let data = format!("{}{company:07}{}", &item[..1], &item[1..]);
            let check = check_digit(&data).expect("digits");
            format!("/01/{data}{check}/21/{}", bits & ((1 << 38) - 1))
        }))
    }

    /// Answers a request for a valid path of the data.
    fn resolve(&self, request: &Received, path: &str) -> Reply {
        let query = request.query.clone().unwrap_or_default();
        let parameter = |name: &str| {
            let pairs = query.split(['&', ';']).filter_map(|it| it.split_once('='));
            pairs.into_iter().find(|(it, _)| *it == name).map(|(_, value)| decode(value))
        };
        let link_type = parameter("linkType");
        let accept = request.header("accept");
        if link_type.as_deref() == Some("linkset") || accept == LINKSET {
            return Self::linkset(request, &levels(path), accept, 200);
        }
        let levels = levels(path);
        let wanted = link_type.clone().unwrap_or_else(|| "gs1:defaultLink".to_owned());
        let wanted = wanted.replace(VOC, "gs1:").replace("gs1:", VOC);
        let wanted = match self.fault {
            "misspelt-type" => wanted.replace("/productInfo", "/pip"),
            "foreign-pip" => wanted.replace("types/pip", "types/colour"),
            _ => wanted,
        };
        let Some(level) = levels.iter().find(|it| it.get(&wanted).is_some()) else {
            return Reply::new(404, "text/plain", "no such link");
        };
        let mut links = level[&wanted].as_array().expect("an array").clone();
        if link_type.is_none() {
            let variants = level.get(format!("{VOC}defaultLinkMulti")).and_then(Value::as_array);
            let variants = variants.cloned().unwrap_or_default();
            if let Some(variant) = self.by_language(&variants, request.header("accept-language")) {
                links = vec![variant];
            }
        } else if links.len() > 1 {
            if let Some(link) = self.by_language(&links, request.header("accept-language")) {
                links = vec![link];
            } else if let Some(context) =
                parameter("context").filter(|_| !self.is("context-ignored"))
            {
                links.retain(|link| link["context"][0] == *context);
            } else if links.iter().any(|link| link["type"] == accept) && !self.is("accept-ignored")
            {
                links.retain(|link| link["type"] == accept);
            }
        }
        if links.len() > 1 {
            let context =
                json!({"anchor": level["anchor"], "itemDescription": "tea", (wanted): links});
            return Self::linkset(request, &[context], LINKSET, 300);
        }
        Self::redirect(request, links[0]["href"].as_str().expect("a target"), &query)
    }

    fn by_language(&self, links: &[Value], header: &str) -> Option<Value> {
        let mut ranges: Vec<(f64, &str)> = header
            .split(',')
            .map(|member| {
                let (range, q) = member.trim().split_once(";q=").unwrap_or((member.trim(), "1"));
                (if self.is("weights-ignored") { 1.0 } else { q.parse().unwrap_or(1.0) }, range)
            })
            .collect();
        ranges.sort_by(|one, two| two.0.total_cmp(&one.0));
        let matches = |link: &Value, range: &str| {
            let tag = link["hreflang"][0].as_str().unwrap_or_default();
            if self.is("language-case") { tag == range } else { tag.eq_ignore_ascii_case(range) }
        };
        let primary = |range: &str| match self.is("no-shortening") {
            true => String::new(),
            false => range.split('-').next().unwrap_or_default().to_owned(),
        };
        ranges.retain(|(_, range)| !range.is_empty());
        ranges.iter().find_map(|(_, range)| {
            let exact = links.iter().find(|link| matches(link, range));
            exact.or_else(|| links.iter().find(|link| matches(link, &primary(range)))).cloned()
        })
    }

    fn redirect(request: &Received, href: &str, query: &str) -> Reply {
        let (before, fragment) =
            href.split_once('#').map_or((href, ""), |(it, _)| (it, &href[it.len()..]));
        let separator = match (query, before.contains('?')) {
            ("", _) => "",
            (_, true) => "&",
            _ => "?",
        };
        let mut reply = Reply::new(307, "text/plain", "");
        reply.set("location", Some(&format!("{before}{separator}{query}{fragment}")));
        let host = request.header("host");
        let link = format!(
            "<http://{host}{}?linkType=linkset>; rel=\"linkset\"; type=\"{LINKSET}\", \
             <http://{host}{KEY}>; rel=\"owl:sameAs\"",
            request.path
        );
        reply.set("link", Some(&link));
        reply
    }

    fn linkset(request: &Received, levels: &[Value], accept: &str, status: u16) -> Reply {
        let value = json!({"linkset": levels});
        let context = context(request);
        let mut reply = match accept {
            LINKSET | "application/json" => Reply::new(status, LINKSET, value.to_string()),
            "application/ld+json" => {
                let value = json!({"@context": context, "linkset": levels});
                Reply::new(status, "application/ld+json", value.to_string())
            }
            "application/linkset" => Reply::new(status, "application/linkset", text(levels)),
            _ => {
                let objects = levels.iter().filter_map(Value::as_object).flat_map(Map::values);
                let links = objects.filter_map(Value::as_array).flatten();
                let items = links
                    .map(|link| format!("<a href={}>x</a>", link["href"]).replace('&', "&amp;"));
                let items: String = items.collect();
                let script = format!("<script type=\"application/ld+json\">{value}</script>");
                Reply::new(status, "text/html; charset=utf-8", format!("<html>{script}{items}"))
            }
        };
        let link = format!(
            "<{context}>; rel=\"http://www.w3.org/ns/json-ld#context\"; type=\"application/ld+json\""
        );
        reply.set("link", Some(&link));
        reply.set("etag", Some("\"1\""));
        reply
    }
}

/// Returns the link context objects of a path, the most granular first.
fn levels(path: &str) -> Vec<Value> {
    let at = |rest: &str| format!("https://id.example.org{KEY}{rest}");
    let voc = |name: &str| format!("{VOC}{name}");
    let link = |name: &str, attributes: Value| {
        let mut link = json!({"href": format!("https://example.com/{name}"), "title": "Tea"});
        for (name, value) in attributes.as_object().expect("an object") {
            link[name] = value.clone();
        }
        link
    };
    let key = json!({
        "anchor": at(""), "itemDescription": "tea",
        (voc("defaultLink")): [link("tea", json!({}))],
        (voc("defaultLinkMulti")): [
            link("tea-en", json!({"hreflang": ["en"]})), link("tea-fr", json!({"hreflang": ["fr"]}))],
        (voc("faqs")): [
            link("tea", json!({})), link("tea-en", json!({"hreflang": ["en"]})),
            link("tea-fr", json!({"hreflang": ["fr"]}))],
        (voc("pip")): [link("pip", json!({"type": "text/html", "hreflang": ["en"]}))],
        (voc("recallStatus")): [link("recall", json!({}))],
        (format!("{FOREIGN}colour")): [link("colour", json!({}))],
        (voc("recipeInfo")): [link("r1", json!({})), link("r2", json!({}))],
        (voc("hasRetailers")): [
            link("ch", json!({"context": ["CH"]})), link("fr", json!({"context": ["FR"]}))],
        (voc("instructions")): [
            link("i-en", json!({"hreflang": ["en"]})), link("i-fr", json!({"hreflang": ["fr"]}))],
        (voc("relatedImage")): [
            link("png", json!({"type": "image/png"})), link("jpeg", json!({"type": "image/jpeg"}))],
    });
    let lot = json!({
        "anchor": at("/10/LOT1"), "itemDescription": "a lot",
        (voc("defaultLink")): [link("lot?id=7", json!({}))],
        (voc("recallStatus")): [link("lot?id=7", json!({}))],
    });
    let item = json!({
        "anchor": at("/21/F1"), "itemDescription": "an item",
        (voc("defaultLink")): [link("item#top", json!({}))],
        (voc("registerProduct")): [link("item#top", json!({}))],
    });
    let path = format!("{path}/");
    let found = [("/21/F1/", item), ("/10/LOT1/", lot)];
    let mut levels: Vec<Value> =
        found.into_iter().filter(|(it, _)| path.contains(it)).map(|(_, level)| level).collect();
    levels.push(key);
    levels
}

/// Returns the address of the JSON-LD context.
fn context(request: &Received) -> String {
    format!("http://{}/context", request.header("host"))
}

/// Returns a linkset as text (RFC 9264, section 4.1).
fn text(levels: &[Value]) -> String {
    let mut lines = Vec::new();
    for level in levels {
        for (relation, links) in level.as_object().expect("an object") {
            for link in links.as_array().into_iter().flatten() {
                let (href, anchor) = (link["href"].as_str(), level["anchor"].as_str());
                let (href, anchor) = (href.expect("a target"), anchor.expect("an anchor"));
                lines.push(format!("<{href}>; rel=\"{relation}\"; anchor=\"{anchor}\""));
            }
        }
    }
    lines.join(",\n")
}

/// Whether a primary key has a valid value.
fn is_valid_key(ai: &str, key: &str) -> bool {
    let ends_with_check_digit = |digits: &str| {
        let Some((last, data)) = digits.as_bytes().split_last() else { return false };
        let data = std::str::from_utf8(data).expect("digits");
        check_digit(data) == Some(char::from(*last))
    };
    let begins = |length: usize| key.get(..length).is_some_and(ends_with_check_digit);
    let is_company = || key.get(..4).is_some_and(|it| it.bytes().all(|it| it.is_ascii_digit()));
    let is_plain = !key.contains('~');
    match ai {
        "00" | "8017" | "8018" => key.len() == 18 && begins(18),
        "01" => key.len() == 14 && begins(14),
        "402" => key.len() == 17 && begins(17),
        "414" | "415" | "417" => key.len() == 13 && begins(13),
        "253" | "255" => begins(13) && is_plain,
        "401" | "8004" => is_company() && is_plain,
        "8003" => key.starts_with('0') && key.get(1..14).is_some_and(ends_with_check_digit),
        "8006" => key.len() == 18 && begins(14) && key[14..16] <= key[16..],
        "8010" => is_company() && !key.bytes().any(|it| it.is_ascii_lowercase()),
        "8013" => key.ends_with("2K"),
        _ => false,
    }
}

fn base64(text: &str) -> Option<u128> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'-' => Some(62),
        b'_' => Some(63),
        _ => None,
    };
    text.bytes().try_fold(0_u128, |bits, byte| Some((bits << 6) | u128::from(digit(byte)?)))
}

/// Returns a segment without the escapes that the tests use.
fn unescaped(segment: &str) -> String {
    segment.replace("%30", "0").replace("%7E", "~")
}

fn check_digit(data: &str) -> Option<char> {
    let weighted = data.bytes().rev().enumerate().map(|(index, byte)| {
        let digit = u32::from(byte.is_ascii_digit().then(|| byte - b'0')?);
        Some(if index % 2 == 0 { 3 * digit } else { digit })
    });
    char::from_digit((10 - weighted.sum::<Option<u32>>()? % 10) % 10, 10)
}

fn decode(value: &str) -> String {
    value.replace("%3A", ":").replace("%2F", "/")
}
