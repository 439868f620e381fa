//! Expectations of the resolver description file.

use serde_json::{Value, json};

use super::{Predicate, Scene, Verdict, ensure};
use crate::{Ask, description_faults};

pub(super) const TABLE: &[(&str, Predicate)] = &[
    (
        "valid JSON object; validates against the GS1 description file schema; has resolverRoot and \
         supportedPrimaryKeys",
        |scene| {
            let file = valid(scene)?;
            ensure(
                file["resolverRoot"].is_string() && file["supportedPrimaryKeys"].is_array(),
                "no such members",
            )
        },
    ),
    (
        "resolverRoot is https://id.example.org/shop/eu without trailing slash; the file itself is at the host root",
        |scene| is(scene, "resolverRoot", &json!("https://id.example.org/shop/eu")),
    ),
    ("supportedPrimaryKeys is the array [\"01\",\"414\"]", |scene| {
        is(scene, "supportedPrimaryKeys", &json!(["01", "414"]))
    }),
    (
        "\"all\" (alone) or the 16 keys; never \"all\" when any key or qualifier is unsupported",
        |scene| {
            // RES-3-4: "all" claims EPC decompression, so ask for it.
            is(scene, "supportedPrimaryKeys", &json!(["all"]))?;
            let compressed = (scene.again)(&Ask::get("/eh30164596f40c0e5cbe991a83"));
            ensure(compressed.status != 400, "no decompression")
        },
    ),
    ("linkTypeDefaultCanBeLinkset is false or absent", |scene| {
        let file = valid(scene)?;
        ensure(
            file.get("linkTypeDefaultCanBeLinkset").is_none_or(|found| found == false),
            "another value",
        )
    }),
    ("linkTypeDefaultCanBeLinkset is true", |scene| {
        is(scene, "linkTypeDefaultCanBeLinkset", &json!(true))
    }),
    (
        "supportedContextValuesEnumerated is [\"CH\",\"FR\"]; supportedContextValuesExternal is an array of objects \
         with nameOfList and url",
        |scene| {
            is(scene, "supportedContextValuesEnumerated", &json!(["CH", "FR"]))?;
            let lists = valid(scene)?["supportedContextValuesExternal"].clone();
            let lists = lists.as_array().filter(|lists| !lists.is_empty()).ok_or("no lists")?;
            let complete = |list: &Value| list["nameOfList"].is_string() && list["url"].is_string();
            ensure(lists.iter().all(complete), "an incomplete list")
        },
    ),
    (
        "contact is an object with fn, hasAddress (streetAddress, locality, region, postal-code, country-name) and \
         hasTelephone beginning tel:",
        |scene| {
            let contact = valid(scene)?["contact"].clone();
            ensure(contact["fn"].is_string(), "no fn")?;
            let address = &contact["hasAddress"];
            let members = ["streetAddress", "locality", "region", "postal-code", "country-name"];
            ensure(members.iter().all(|name| address[name].is_string()), "an incomplete address")?;
            let telephone = contact["hasTelephone"].as_str().unwrap_or_default();
            ensure(telephone.starts_with("tel:") && !telephone.contains(' '), "no tel: URI")
        },
    ),
    (
        "jsonLdContextLocation equals the URL sent in the Link header of linkset responses",
        |scene| {
            let location =
                valid(scene)?["jsonLdContextLocation"].as_str().unwrap_or_default().to_owned();
            // The first stored record has a linkset.
            let anchor = scene.case.stored.first().and_then(|record| record["anchor"].as_str());
            let Some(anchor) = anchor else {
                // Nothing is stored, so only the location itself can be checked.
                return ensure(
                    location.starts_with("https://ref.gs1.org/standards/resolver/"),
                    "another location",
                );
            };
            let ask = Ask::get(anchor).header("Accept", "application/linkset+json");
            let link = (scene.again)(&ask).header("link").unwrap_or_default();
            ensure(link.contains(&format!("<{location}>")), "another location")
        },
    ),
    ("no internal members such as _id, no claims of features that are off", |scene| {
        let file = valid(scene)?;
        let known = [
            "resolverRoot",
            "supportedPrimaryKeys",
            "linkTypeDefaultCanBeLinkset",
            "jsonLdContextLocation",
        ];
        let members = file.as_object().ok_or("no object")?;
        ensure(members.keys().all(|name| known.contains(&name.as_str())), "an unknown member")?;
        ensure(members.values().all(|value| !value.is_null()), "a null")
    }),
    (
        "supportedLinkType lists namespace https://example.net/voc/ with prefix ex: (colon included)",
        |scene| {
            let declared = valid(scene)?["supportedLinkType"].clone();
            let expected = json!({"namespace": "https://example.net/voc/", "prefix": "ex:"});
            ensure(
                declared.as_array().is_some_and(|list| list.contains(&expected)),
                "no such entry",
            )
        },
    ),
    ("name is Example Resolver; extensionProfile is https://example.org/ext", |scene| {
        is(scene, "name", &json!("Example Resolver"))?;
        is(scene, "extensionProfile", &json!("https://example.org/ext"))
    }),
];

fn valid(scene: &Scene<'_>) -> Result<Value, String> {
    let file = scene.json()?;
    match &description_faults(&file)[..] {
        [] => Ok(file),
        faults => Err(faults.join("; ")),
    }
}

fn is(scene: &Scene<'_>, name: &str, expected: &Value) -> Verdict {
    let found = &valid(scene)?[name];
    if found == expected { Ok(()) } else { Err(format!("{name} is {found}")) }
}
