//! The link types and contexts of a linkset (sections 2.5.2, 2.5.6 and 2.14), and where GS1's
//! schema of linksets is narrower than the standard.

use std::rc::Rc;

use serde_json::Value;

use super::linkset::JSON;
use crate::check::{Check, Release};
use crate::linkset::contexts;
use crate::message::{Trial, WebRequest};
use crate::run::{Run, answer};

pub(super) const CHECKS: &[Check] = &[
    Check::should("vocabulary-gs1", "2.5.2", &["RES-2.5.2-2"])
        .expects("Link types of GS1 are terms of the GS1 Web Vocabulary, as of November 2026.")
        .needs("a linkset with link types of GS1")
        .advice("Choose a type of https://ref.gs1.org/voc/?show=linktypes; names are case-sensitive."),
    Check::should("vocabulary-declared", "2.14", &["RES-2.14-4"])
        .expects("Link types of other namespaces are declared by supportedLinkType.")
        .needs("a linkset with link types that are neither GS1's nor registered relation names")
        .advice("Add namespace and prefix to supportedLinkType of the description file."),
    Check::shall("vocabulary-duplicate", "2.14", &["RES-2.14-5"])
        .expects("No link type of another namespace has the name of a link type of GS1.")
        .needs("a linkset with link types that are neither GS1's nor registered relation names")
        .advice("Use the link type of GS1 instead."),
    Check::should("vocabulary-context", "2.5.6, 3", &["RES-2.5.6-3", "RES-3-8"])
        .expects("Contexts of links are among supportedContextValuesEnumerated.")
        .needs("a linkset with contexts, and a description file with supportedContextValuesEnumerated")
        .advice("Add the value to the description file."),
    Check::shall("schema-languages", "2.10", &["RES-2.10-3", "RES-2.5.4-2"])
        .since(Release::V1_2)
        .expects("Each hreflang has the form of GS1's linkset schema: en or fr-CA.")
        .needs("a linkset with hreflang")
        .advice("Shorten other language tags in JSON, or leave them out."),
    Check::shall("schema-description", "2.10", &["RES-2.10-3"])
        .since(Release::V1_2)
        .expects("Each link context object has itemDescription, a text, and no description, as in GS1's linkset schema.")
        .needs("a linkset")
        .advice("Add itemDescription, a short text about the item."),
];

/// The local names of the link types of the GS1 Web Vocabulary.
const TERMS: &str = "activityIdeas allergenInfo appDownload backgroundInfo brandHomepageClinical \
    brandHomepagePatient careersInfo certificationInfo consumerHandlingStorageInfo defaultLink \
    defaultLinkMulti dpp eifu epcis epil eventsInfo faqs handledBy hasRetailers homepage \
    ingredientsInfo instructions jws leaveReview locationInfo logisticsInfo loyaltyProgram masterData \
    menuInfo nutritionalInfo openingHoursInfo paymentLink pip productSustainabilityInfo promotion \
    purchaseSuppliesOrAccessories quickStartGuide recallStatus recipeInfo registerProduct \
    registryEntry relatedImage relatedVideo reportFound review safetyInfo scheduleTime serviceInfo \
    smartLabel smpc socialMedia statisticInfo subscribe support sustainabilityInfo traceability \
    tutorial userAgreement verificationService whatsInTheBox";

pub(super) fn examine(run: &mut Run) {
    if run.linkset.anchors.is_empty() {
        return;
    }
    let url = format!("{}?linkType=linkset", run.subject.url());
    let (trial, response) = answer!(run, WebRequest::get(url).header("accept", JSON));
    let links = run.linkset.links.clone();
    for link in &links {
        match link.relation.strip_prefix("gs1:") {
            Some(name) => run.expect("vocabulary-gs1", &trial, is_term(name), &*link.relation),
            None if link.relation.contains("://") => foreign(run, &trial, &link.relation),
            None => {}
        }
        context(run, &trial, &link.contexts);
        for tag in &link.languages {
            let found = format!("{tag}; BCP 47 allows it, GS1's schema does not");
            reading(run, "schema-languages", &trial, is_short(tag), found);
        }
    }
    let value: Value = serde_json::from_slice(&response.body).unwrap_or_default();
    for object in contexts(&value) {
        let is_described = object.get("itemDescription").is_some_and(Value::is_string)
            && !object.contains_key("description");
        let found = "itemDescription is missing, no text, or beside description; releases of the schema differ";
        reading(run, "schema-description", &trial, is_described, found.to_owned());
    }
}

/// Records that an answer is as expected, or that it depends on the reading.
fn reading(run: &mut Run, id: &'static str, trial: &Rc<Trial>, holds: bool, found: String) {
    if holds {
        run.expect(id, trial, true, "");
    } else {
        run.depends(id, trial, found);
    }
}

fn foreign(run: &mut Run, trial: &Rc<Trial>, relation: &str) {
    let types = run.description.get("supportedLinkType").and_then(Value::as_array);
    // A file that is missing or malformed is a finding of another check.
    if types.is_some()
        || !run.description.contains_key("supportedLinkType") && !run.description.is_empty()
    {
        let mut namespaces = types.into_iter().flatten().filter_map(|it| it["namespace"].as_str());
        let is_declared = namespaces.any(|namespace| relation.starts_with(namespace));
        run.expect("vocabulary-declared", trial, is_declared, relation);
    }
    let local = relation.rsplit(['/', '#']).next().unwrap_or_default();
    run.expect("vocabulary-duplicate", trial, !is_term(local), relation);
}

fn context(run: &mut Run, trial: &Rc<Trial>, values: &[String]) {
    let declared = run.description.get("supportedContextValuesEnumerated");
    let Some(declared) = declared.and_then(Value::as_array) else { return };
    let wrong = values.iter().find(|value| !declared.iter().any(|it| it == *value));
    if !values.is_empty() {
        let found = wrong.map(|value| format!("context {value}"));
        run.judge("vocabulary-context", trial, found.map_or(Ok(()), Err));
    }
}

fn is_term(name: &str) -> bool {
    TERMS.split_ascii_whitespace().any(|term| term == name)
}

/// Whether a language tag has two letters, or two and the two letters of a country.
fn is_short(tag: &str) -> bool {
    let mut subtags = tag.split('-');
    subtags.by_ref().take(2).all(|subtag| subtag.len() == 2) && subtags.next().is_none()
}
