//! Expectations of pages.

use std::collections::BTreeSet;

use super::{Predicate, Scene, Verdict, ensure};
use crate::linkset::{page_targets, published, unescaped};

pub(super) const TABLE: &[(&str, Predicate)] = &[
    (
        "HTML page listing the three gs1:epil links; being the default type does not matter",
        |scene| {
            links_to_all(scene)?;
            let links = scene.published()?.links;
            let epil = |name: &String| name == "https://ref.gs1.org/voc/epil";
            ensure(links.len() == 3 && links.iter().all(|(name, _)| epil(name)), "other links")
        },
    ),
    ("HTML page with both links", |scene| {
        links_to_all(scene)?;
        ensure(scene.published()?.links.len() == 2, "not two links")
    }),
    ("HTML page: every link as a hyperlink", links_to_all),
    ("HTML page", links_to_all),
    ("HTML linkset page instead of a redirect", links_to_all),
    ("page may offer the available links", links_to_all),
    (
        "HTML; an anchor element for every distinct href; one script element of type application/ld+json whose JSON \
         has @context and the same links",
        |scene| {
            links_to_all(scene)?;
            ensure(scene.published()?.document["@context"].is_object(), "no context definitions")
        },
    ),
    ("human-readable page; status stays 400", |scene| {
        let page = scene.page()?;
        ensure(page.contains("<h1>") && scene.answer.status == 400, "no heading")
    }),
    (
        "markup in titles and descriptions is shown as text; the embedded JSON-LD contains no literal </script",
        |scene| {
            let page = scene.page()?;
            // The one script element, its end tag, and nothing that was stored.
            ensure(page.matches("<script").count() == 1, "a script element that was stored")?;
            ensure(page.matches("</script").count() == 1, "an end of script that was stored")?;
            ensure(!page.contains("<b>"), "an element that was stored")?;
            let record = scene.case.stored.first().ok_or("nothing stored")?;
            let visible = page.split("</head>").nth(1).map(unescaped).ok_or("no body")?;
            for text in [&record["itemDescription"], &record["links"][0]["title"]] {
                let text = text.as_str().ok_or("no text stored")?;
                ensure(visible.contains(text), "the text is not shown")?;
            }
            published(scene.answer).map(|_| ()).ok_or_else(|| "no JSON-LD".to_owned())
        },
    ),
];

/// Checks that every target of the embedded linkset is a hyperlink.
fn links_to_all(scene: &mut Scene<'_>) -> Verdict {
    let page = scene.page()?;
    let shown: BTreeSet<String> = page_targets(&page).into_iter().collect();
    let targets = scene.published()?.sorted_targets();
    ensure(!targets.is_empty(), "no links")?;
    ensure(targets.iter().all(|target| shown.contains(target)), "a link without hyperlink")
}
