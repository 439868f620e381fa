//! The predicates of the cases, as code.

use fingerpost_resolver::{Format, Settings};
use serde_json::Value;

use crate::resolver_examples::{Answer, check_description};

type Verdict = Result<(), String>;

fn check(holds: bool, what: &str) -> Verdict {
    if holds { Ok(()) } else { Err(format!("not so: {what}")) }
}

/// Anchors in order, targets in any order with repeats.
pub(crate) fn linkset(answer: &Answer, expected: &Value) -> Verdict {
    if expected.is_null() {
        return Ok(());
    }
    let texts = |value: &Value| -> Vec<String> {
        value
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|v| v.as_str().map(str::to_owned))
            .collect()
    };
    let contexts = contexts(answer)?;
    let anchors: Vec<String> =
        contexts.iter().filter_map(|c| c["anchor"].as_str().map(str::to_owned)).collect();
    let wanted = texts(&expected["anchors"]);
    check(anchors == wanted, &format!("anchors {wanted:?}, found {anchors:?}"))?;
    let href = |link: &Value| link["href"].as_str().map(str::to_owned);
    let mut hrefs: Vec<String> = links(answer)?.iter().filter_map(|(_, link)| href(link)).collect();
    let mut wanted = texts(&expected["hrefs_in_any_order"]);
    hrefs.sort();
    wanted.sort();
    check(hrefs == wanted, &format!("targets {wanted:?}, found {hrefs:?}"))
}

pub(crate) fn header(answer: &Answer, name: &str, predicate: &str) -> Verdict {
    let link = |test: &dyn Fn(&str) -> bool| check(answer.links.iter().any(|l| test(l)), predicate);
    match (name, predicate) {
        // What a server adds to every answer.
        ("Access-Control-Allow-Origin" | "Access-Control-Expose-Headers" | "Vary", _) => Ok(()),
        ("Content-Type", "starts with application/ld+json") if answer.document.is_some() => Ok(()),
        ("Content-Type", wanted) => {
            let found = answer.format.map(Format::media_type).unwrap_or_default();
            check(wanted == format!("starts with {found}"), wanted)
        }
        // RES-2.2-11
        ("Link", wanted) if wanted.starts_with("contains <https://id.example.org/01/0952") => {
            let pointer = "<https://id.example.org/01/09520123456788?linkType=linkset>; rel=\"linkset\"; \
                           type=\"application/linkset+json\"";
            link(&|l| l == pointer && !l.contains("rel=\"gs1:"))
        }
        // RES-2.8-2, RES-2.8-3
        ("Link", wanted) if wanted.contains("gs1:handledBy") => {
            link(&|l| l == "<https://mo.example.net/r/01/09506000134352>; rel=\"gs1:handledBy\"")
        }
        // RES-2.10-4, RES-2.10-5
        ("Link", wanted) if wanted.contains("json-ld#context") => link(&|l| {
            l == "<https://ref.gs1.org/standards/resolver/linkset-context>; \
                  rel=\"http://www.w3.org/ns/json-ld#context\"; type=\"application/ld+json\""
        }),
        _ => Err(format!("no code for header {name}: {predicate}")),
    }
}

pub(crate) fn body(answer: &Answer, predicate: Option<&str>, settings: &Settings) -> Verdict {
    let Some(predicate) = predicate else { return Ok(()) };
    match predicate {
        // Bodies of HEAD, and pages: the server's. Formats and links were compared before.
        "empty" | "human-readable page; status stays 400" => Ok(()),
        text if text.starts_with("HTML") || text.starts_with("page may") => {
            check(answer.format == Some(Format::Html), text)?;
            check(answer.json_ld.as_ref().is_some_and(|ld| ld["@context"].is_object()), text)
        }
        _ if answer.document.is_some() => document(answer, predicate, settings),
        _ if answer.error.is_some() => {
            check(answer.json.is_none() && !said(answer).is_empty(), predicate)
        }
        _ => links_say(answer, predicate),
    }
}

fn said(answer: &Answer) -> String {
    answer.error.as_ref().map(ToString::to_string).unwrap_or_default()
}

fn links_say(answer: &Answer, predicate: &str) -> Verdict {
    let contexts = contexts(answer)?;
    let links = links(answer)?;
    let of = |local: &str| -> Vec<&Value> {
        let link_type = format!("https://ref.gs1.org/voc/{local}");
        links.iter().filter(|(t, _)| *t == link_type).map(|(_, link)| link).collect()
    };
    let full = answer.json_ld.as_ref().map(Value::to_string).unwrap_or_default();
    let text = answer.json.as_ref().map(Value::to_string).unwrap_or_default();
    let tags = |links: &[(String, Value)]| -> Vec<String> {
        let arrays = links.iter().filter_map(|(_, link)| link["hreflang"].as_array().cloned());
        arrays.flatten().filter_map(|tag| tag.as_str().map(str::to_owned)).collect()
    };
    let holds = match predicate {
        "exactly the anchors listed, no others" => true, // compared before
        // RES-2.3-4
        "anchors are the two uncompressed URIs; the string eh3016 appears nowhere" => {
            contexts.len() == 2 && ![&text, &full].iter().any(|body| body.contains("eh3016"))
        }
        "two context objects, qualified level and key level"
        | "one linkset with two context objects: the lot and the GTIN" => contexts.len() == 2,
        "JSON object with a non-empty array \"linkset\"; validates against the GS1 linkset schema; every \
         link has href and title; keys are full IRIs" => {
            !contexts.is_empty()
                && links.iter().all(|(link_type, link)| {
                    link["href"].is_string()
                        && link["title"].is_string()
                        && link_type.starts_with("https://")
                })
        }
        "linkset holding exactly the three gs1:smpc links, nothing else" => {
            (of("smpc").len(), links.len()) == (3, 3)
        }
        "lists exactly the two gs1:pip links" => (of("pip").len(), links.len()) == (2, 2),
        "anchor https://id.example.org/shop/eu/01/09520123456788 without trailing slash"
        | "anchor without trailing slash" => contexts
            .iter()
            .all(|c| c["anchor"].as_str().is_some_and(|a| a.ends_with("/01/09520123456788"))),
        "the gs1:epcis href is expanded, no brace remains" => links
            .iter()
            .all(|(_, link)| link["href"].as_str().is_some_and(|href| !href.contains(['{', '}']))),
        "under https://ref.gs1.org/voc/defaultLink exactly one link whose only members are href and title; the \
         same href also appears under https://ref.gs1.org/voc/pip" => {
            let default = of("defaultLink");
            let members = |link: &Value| link.as_object().map_or(0, serde_json::Map::len);
            default.len() == 1
                && members(default[0]) == 2
                && of("pip").iter().any(|link| link["href"] == default[0]["href"])
        }
        "MAY be the linkset of what is available"
        | "if it is a linkset it validates against the schema" => true, // validated before
        "valid linkset: one anchor, one link type, two links" => {
            contexts.len() == 1 && links.len() == 2 && links[0].0 == links[1].0
        }
        "the two French links" => {
            links.len() == 2
                && links.iter().all(|(_, link)| link["hreflang"] == serde_json::json!(["fr"]))
        }
        "the full linkset, not only gs1:pip" => links.len() > of("pip").len(),
        "whatsInTheBox links carry hreflang and context as arrays; relatedVideo carries neither member" => {
            of("whatsInTheBox").iter().all(|l| l["hreflang"].is_array() && l["context"].is_array())
                && of("relatedVideo")
                    .iter()
                    .all(|l| l["hreflang"].is_null() && l["context"].is_null())
        }
        "same JSON value as for application/linkset+json" => answer.format == Some(Format::Json),
        "JSON object with an @context member holding the context definitions and the same linkset" =>
        {
            let json_ld = answer.json_ld.as_ref().ok_or("no JSON-LD")?;
            let definitions: Value = serde_json::from_str(fingerpost_resolver::context_document())
                .map_err(|error| error.to_string())?;
            json_ld["@context"] == definitions["@context"]
                && json_ld["linkset"].as_array().map(Vec::len) == Some(contexts.len())
        }
        "markup in titles and descriptions is shown as text; the embedded JSON-LD contains no literal </script" => {
            answer.script.as_ref().is_some_and(|script| {
                !script.contains('<')
                    && serde_json::from_str::<Value>(script).ok() == answer.json_ld
            })
        }
        "each context object has a string itemDescription and no description member" => {
            contexts.iter().all(|c| c["itemDescription"].is_string() && c["description"].is_null())
        }
        "itemDescription present even though none was stored, for example the element string \
         (01)09520123456788" => contexts[0]["itemDescription"] == "(01)09520123456788",
        "hreflang values all match ll or ll-CC: es-419 appears as es, zh-Hant-TW as zh-TW; pt-BR unchanged" =>
        {
            let tags = tags(&links);
            ["es", "zh-TW", "pt-BR"].iter().all(|tag| tags.iter().any(|found| found == tag))
        }
        "full tags es-419 and zh-Hant-TW" => {
            full.contains("\"es-419\"") && full.contains("\"zh-Hant-TW\"")
        }
        "the gs1:faqs link has no hreflang member" => {
            of("faqs").len() == 1 && of("faqs")[0]["hreflang"].is_null()
        }
        "valid linkset with one context object holding https://ref.gs1.org/voc/pip only" => {
            contexts.len() == 1 && of("pip").len() == links.len()
        }
        "keys use https://ref.gs1.org/voc/ whatever spelling was registered" => {
            links.iter().all(|(t, _)| t.starts_with("https://ref.gs1.org/voc/"))
        }
        "full linkset; language has no influence on its content" => links.len() == 11,
        "every hreflang and context member is an array, also with one value" => {
            links.iter().all(|(_, l)| {
                (l["hreflang"].is_null() || l["hreflang"].is_array())
                    && (l["context"].is_null() || l["context"].is_array())
            })
        }
        _ => return Err(format!("no code for: {predicate}")),
    };
    check(holds, &format!("{predicate} in {text}"))
}

/// Description file and context file.
fn document(answer: &Answer, predicate: &str, settings: &Settings) -> Verdict {
    let Some(file) = &answer.document else { return Err("no document".into()) };
    if predicate == "JSON object with @context" {
        return check(file["@context"].is_object(), predicate);
    }
    check_description(file)?;
    let holds = match predicate {
        "linkTypeDefaultCanBeLinkset is true" => file["linkTypeDefaultCanBeLinkset"] == true,
        "linkTypeDefaultCanBeLinkset is false or absent" => {
            file["linkTypeDefaultCanBeLinkset"] != true
        }
        "supportedLinkType lists namespace https://example.net/voc/ with prefix ex: (colon included)" => {
            file["supportedLinkType"]
                == serde_json::json!([{"namespace": "https://example.net/voc/", "prefix": "ex:"}])
        }
        "valid JSON object; validates against the GS1 description file schema; has resolverRoot and \
         supportedPrimaryKeys" => file["resolverRoot"].is_string(),
        "resolverRoot is https://id.example.org/shop/eu without trailing slash; the file itself is at the host \
         root" => file["resolverRoot"] == "https://id.example.org/shop/eu",
        "supportedPrimaryKeys is the array [\"01\",\"414\"]" => {
            file["supportedPrimaryKeys"] == serde_json::json!(["01", "414"])
        }
        // RES-3-4: EPC decompression is part of the claim.
        "\"all\" (alone) or the 16 keys; never \"all\" when any key or qualifier is unsupported" => {
            file["supportedPrimaryKeys"] == serde_json::json!(["all"])
        }
        "supportedContextValuesEnumerated is [\"CH\",\"FR\"]; supportedContextValuesExternal is an array of \
         objects with nameOfList and url" => {
            file["supportedContextValuesEnumerated"] == serde_json::json!(["CH", "FR"])
                && file["supportedContextValuesExternal"][0]["nameOfList"].is_string()
                && file["supportedContextValuesExternal"][0]["url"].is_string()
        }
        "contact is an object with fn, hasAddress (streetAddress, locality, region, postal-code, country-name) and \
         hasTelephone beginning tel:" => {
            let address = &file["contact"]["hasAddress"];
            let telephone = file["contact"]["hasTelephone"].as_str().unwrap_or_default();
            file["contact"]["fn"].is_string()
                && ["streetAddress", "locality", "region", "postal-code", "country-name"]
                    .iter()
                    .all(|name| address[*name].is_string())
                && telephone.starts_with("tel:")
                && !telephone.contains(' ')
        }
        "jsonLdContextLocation equals the URL sent in the Link header of linkset responses" => {
            let location = file["jsonLdContextLocation"].as_str().unwrap_or_default();
            settings.context_link().starts_with(&format!("<{location}>;"))
        }
        // RES-3-13, RES-3-14
        "no internal members such as _id, no claims of features that are off" => {
            let known = |name: &String| {
                let name = name.as_str();
                matches!(
                    name,
                    "resolverRoot"
                        | "supportedPrimaryKeys"
                        | "linkTypeDefaultCanBeLinkset"
                        | "jsonLdContextLocation"
                )
            };
            file.as_object()
                .is_some_and(|file| file.keys().all(known) && !file.values().any(Value::is_null))
        }
        "name is Example Resolver; extensionProfile is https://example.org/ext" => {
            file["name"] == "Example Resolver"
                && file["extensionProfile"] == "https://example.org/ext"
        }
        _ => return Err(format!("no code for: {predicate}")),
    };
    check(holds, &format!("{predicate} in {file}"))
}

fn contexts(answer: &Answer) -> Result<Vec<Value>, String> {
    let json = answer.json.as_ref().ok_or("no linkset")?;
    Ok(json["linkset"].as_array().cloned().unwrap_or_default())
}

/// Link type and link, in document order.
fn links(answer: &Answer) -> Result<Vec<(String, Value)>, String> {
    let mut links = Vec::new();
    for context in contexts(answer)? {
        for (name, value) in context.as_object().into_iter().flatten() {
            let of_type = value.as_array().into_iter().flatten();
            links.extend(of_type.map(|link| (name.clone(), link.clone())));
        }
    }
    Ok(links)
}
