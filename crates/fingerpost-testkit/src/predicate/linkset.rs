//! Expectations of linksets.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{Predicate, Scene, Verdict, ensure};
use crate::linkset::{href, published};
use crate::{Ask, linkset_faults};

const VOC: &str = "https://ref.gs1.org/voc/";

pub(super) const TABLE: &[(&str, Predicate)] = &[
    ("linkset holding exactly the three gs1:smpc links, nothing else", |scene| {
        holds_exactly(scene, &[("smpc", 3)])
    }),
    ("lists exactly the two gs1:pip links", |scene| holds_exactly(scene, &[("pip", 2)])),
    ("valid linkset: one anchor, one link type, two links", |scene| {
        ensure(scene.published()?.anchors.len() == 1, "not one anchor")?;
        ensure(types(scene)?.len() == 1 && scene.published()?.links.len() == 2, "other links")
    }),
    ("the two French links", |scene| {
        let links = scene.published()?.links;
        let french = links.iter().all(|(_, link)| link["hreflang"] == serde_json::json!(["fr"]));
        ensure(french && links.len() == 2, "other links")
    }),
    ("valid linkset with one context object holding https://ref.gs1.org/voc/pip only", |scene| {
        ensure(scene.published()?.anchors.len() == 1, "not one context object")?;
        ensure(types(scene)?.into_keys().eq([format!("{VOC}pip")]), "other link types")
    }),
    ("the full linkset, not only gs1:pip", |scene| {
        ensure(types(scene)?.len() > 1, "one type only")
    }),
    ("full linkset; language has no influence on its content", |scene| {
        let other = Ask {
            headers: vec![("Accept".into(), "application/linkset+json".into())],
            ..scene.ask.clone()
        };
        let without = (scene.again)(&other);
        ensure(without.body == scene.answer.body, "another body without Accept-Language")
    }),
    ("anchors are the two uncompressed URIs; the string eh3016 appears nowhere", |scene| {
        ensure(scene.published()?.anchors.len() == 2, "not two anchors")?;
        ensure(!scene.answer.text().contains("eh3016"), "the compressed string")
    }),
    ("anchor https://id.example.org/shop/eu/01/09520123456788 without trailing slash", |scene| {
        let anchors = scene.published()?.anchors;
        ensure(anchors == ["https://id.example.org/shop/eu/01/09520123456788"], "another anchor")
    }),
    ("anchor without trailing slash", |scene| {
        ensure(scene.published()?.anchors.iter().all(|anchor| !anchor.ends_with('/')), "a slash")
    }),
    ("one linkset with two context objects: the lot and the GTIN", two_levels),
    ("two context objects, qualified level and key level", two_levels),
    ("exactly the anchors listed, no others", |scene| {
        let listed = scene.outcome.linkset.as_ref().ok_or("no anchors listed")?;
        ensure(scene.published()?.anchors == listed.anchors, "other anchors")
    }),
    ("the gs1:epcis href is expanded, no brace remains", |scene| {
        let links = scene.published()?.links;
        let epcis: Vec<_> =
            links.iter().filter(|(name, _)| *name == format!("{VOC}epcis")).collect();
        ensure(!epcis.is_empty(), "no gs1:epcis link")?;
        ensure(links.iter().all(|(_, link)| !href(link).contains(['{', '}'])), "a brace")
    }),
    (
        "under https://ref.gs1.org/voc/defaultLink exactly one link whose only members are href and title; the same \
         href also appears under https://ref.gs1.org/voc/pip",
        default_link,
    ),
    ("MAY be the linkset of what is available", if_linkset_valid),
    ("if it is a linkset it validates against the schema", if_linkset_valid),
    (
        "JSON object with a non-empty array \"linkset\"; validates against the GS1 linkset schema; every link has href \
         and title; keys are full IRIs",
        |scene| {
            let found = scene.published()?;
            ensure(!found.links.is_empty(), "no links")?;
            ensure(linkset_faults(&found.document).is_empty(), "not valid")?;
            let complete = |link: &Value| link["href"].is_string() && link["title"].is_string();
            ensure(
                found.links.iter().all(|(_, link)| complete(link)),
                "a link without href or title",
            )?;
            ensure(
                types(scene)?.keys().all(|name| name.starts_with("https://")),
                "a key that is no IRI",
            )
        },
    ),
    (
        "whatsInTheBox links carry hreflang and context as arrays; relatedVideo carries neither member",
        |scene| {
            let links = scene.published()?.links;
            let of = |name: &str| -> Vec<Value> {
                let full = format!("{VOC}{name}");
                links
                    .iter()
                    .filter(|(found, _)| *found == full)
                    .map(|(_, link)| link.clone())
                    .collect()
            };
            let both = |link: &Value| link["hreflang"].is_array() && link["context"].is_array();
            ensure(
                !of("whatsInTheBox").is_empty() && of("whatsInTheBox").iter().all(both),
                "no arrays",
            )?;
            let neither =
                |link: &Value| link.get("hreflang").is_none() && link.get("context").is_none();
            ensure(
                !of("relatedVideo").is_empty() && of("relatedVideo").iter().all(neither),
                "a member",
            )
        },
    ),
    ("same JSON value as for application/linkset+json", |scene| {
        let other = with_accept(scene, "application/linkset+json");
        ensure(other.json() == scene.answer.json() && other.status == 200, "another value")
    }),
    (
        "JSON object with an @context member holding the context definitions and the same linkset",
        |scene| {
            let document = scene.json()?;
            let definitions: Value = serde_json::from_str(fingerpost_resolver::context_document())
                .map_err(|error| error.to_string())?;
            ensure(document["@context"] == definitions["@context"], "other definitions")?;
            let plain =
                published(&with_accept(scene, "application/linkset+json")).ok_or("no linkset")?;
            // Language tags may differ (ER-3); these data have only short ones.
            ensure(document["linkset"] == plain.document["linkset"], "another linkset")
        },
    ),
    ("each context object has a string itemDescription and no description member", |scene| {
        let described = |context: &Value| {
            context["itemDescription"].is_string() && context.get("description").is_none()
        };
        ensure(contexts(scene)?.iter().all(described), "another member")
    }),
    (
        "itemDescription present even though none was stored, for example the element string (01)09520123456788",
        |scene| {
            let element_string =
                |context: &Value| context["itemDescription"] == "(01)09520123456788";
            ensure(contexts(scene)?.iter().all(element_string), "another text")
        },
    ),
    (
        "hreflang values all match ll or ll-CC: es-419 appears as es, zh-Hant-TW as zh-TW; pt-BR unchanged",
        |scene| {
            let tags = tags(scene)?;
            ensure(tags.iter().all(|tag| is_short(tag)), "a longer tag")?;
            ensure(
                ["es", "zh-TW", "pt-BR"].iter().all(|tag| tags.contains(*tag)),
                "a tag is missing",
            )
        },
    ),
    ("full tags es-419 and zh-Hant-TW", |scene| {
        let tags = tags(scene)?;
        ensure(tags.contains("es-419") && tags.contains("zh-Hant-TW"), "a tag is missing")
    }),
    ("the gs1:faqs link has no hreflang member", |scene| {
        let links = scene.published()?.links;
        let mut faqs = links.iter().filter(|(name, _)| *name == format!("{VOC}faqs"));
        ensure(faqs.any(|(_, link)| link.get("hreflang").is_none()), "the member")
    }),
    ("keys use https://ref.gs1.org/voc/ whatever spelling was registered", |scene| {
        ensure(types(scene)?.keys().all(|name| name.starts_with(VOC)), "another namespace")
    }),
    ("every hreflang and context member is an array, also with one value", |scene| {
        let arrays = |link: &Value| {
            ["hreflang", "context"].iter().all(|name| link.get(name).is_none_or(Value::is_array))
        };
        ensure(scene.published()?.links.iter().all(|(_, link)| arrays(link)), "another form")
    }),
];

fn contexts(scene: &Scene<'_>) -> Result<Vec<Value>, String> {
    let document = scene.published()?.document;
    document["linkset"].as_array().cloned().ok_or_else(|| "no array".to_owned())
}

/// Returns the number of links by link type.
fn types(scene: &Scene<'_>) -> Result<BTreeMap<String, usize>, String> {
    let mut types = BTreeMap::new();
    for (name, _) in scene.published()?.links {
        *types.entry(name).or_default() += 1;
    }
    Ok(types)
}

fn holds_exactly(scene: &Scene<'_>, expected: &[(&str, usize)]) -> Verdict {
    let expected = expected.iter().map(|(name, count)| (format!("{VOC}{name}"), *count));
    ensure(types(scene)? == expected.collect(), "other links")
}

fn two_levels(scene: &mut Scene<'_>) -> Verdict {
    let anchors = scene.published()?.anchors;
    let nested = anchors.len() == 2 && anchors[0].starts_with(&format!("{}/", anchors[1]));
    ensure(nested, "other context objects")
}

fn default_link(scene: &mut Scene<'_>) -> Verdict {
    let links = scene.published()?.links;
    let of = |name: &str| -> Vec<Value> {
        let full = format!("{VOC}{name}");
        links.iter().filter(|(found, _)| *found == full).map(|(_, link)| link.clone()).collect()
    };
    let [default] = &of("defaultLink")[..] else { return Err("not one default link".to_owned()) };
    let members: Vec<&String> =
        default.as_object().into_iter().flat_map(|link| link.keys()).collect();
    ensure(members == ["href", "title"], "other members")?;
    ensure(of("pip").iter().any(|pip| href(pip) == href(default)), "no gs1:pip to the same target")
}

fn if_linkset_valid(scene: &mut Scene<'_>) -> Verdict {
    let found = published(scene.answer);
    let is_page = scene.answer.text().starts_with("<!DOCTYPE html>");
    ensure(
        found.is_none_or(|found| is_page || linkset_faults(&found.document).is_empty()),
        "not valid",
    )
}

fn tags(scene: &Scene<'_>) -> Result<BTreeSet<String>, String> {
    let links = scene.published()?.links;
    let tags = links.iter().filter_map(|(_, link)| link["hreflang"].as_array()).flatten();
    Ok(tags.filter_map(Value::as_str).map(str::to_owned).collect())
}

fn is_short(tag: &str) -> bool {
    let (language, region) = tag.split_once('-').map_or((tag, None), |(l, r)| (l, Some(r)));
    let lower = language.len() == 2 && language.bytes().all(|byte| byte.is_ascii_lowercase());
    lower && region.is_none_or(|r| r.len() == 2 && r.bytes().all(|byte| byte.is_ascii_uppercase()))
}

fn with_accept(scene: &mut Scene<'_>, accept: &str) -> crate::Answer {
    (scene.again)(&Ask::get(&scene.ask.target).header("Accept", accept))
}
