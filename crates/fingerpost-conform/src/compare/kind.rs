//! Kinds of differences, with their explanations.

use serde::Serialize;

/// Who notices a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// People who scan: they reach another page, or none.
    Scan,
    /// Software that reads linksets.
    Data,
    /// Nobody, in most cases: the same result in another form.
    Form,
}

impl Effect {
    /// Returns the effect as it is reported.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Scan => "scan",
            Self::Data => "data",
            Self::Form => "form",
        }
    }
}

/// A kind of difference.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct DifferenceKind {
    /// The id, which does not change between versions of this program.
    #[serde(rename = "kind")]
    pub id: &'static str,
    /// Who notices it.
    pub effect: Effect,
    /// What differs.
    pub title: &'static str,
    /// The usual causes, and what to do.
    pub explanation: &'static str,
}

macro_rules! kinds {
    ($($name:ident = $id:literal $effect:ident $title:literal $explanation:literal)*) => {
        $(pub(super) const $name: DifferenceKind = DifferenceKind {
            id: $id,
            effect: Effect::$effect,
            title: $title,
            explanation: $explanation,
        };)*
        /// All kinds, in the order of reports.
        pub(super) const KINDS: &[DifferenceKind] = &[$($name),*];
    };
}

kinds! {
    NO_ANSWER_NEW = "no-answer-new" Scan
        "The new resolver does not answer"
        "No complete answer within the limits of time and size. Run the command of the example, and look for the request in the log of the new resolver."
    FAILED = "failed" Scan
        "The new resolver fails (5xx)"
        "The fault is inside the new resolver; its log names it."
    MISSING = "missing" Scan
        "The new resolver does not know it (404, 410)"
        "The record was not imported, or the old resolver answers more than is registered: other spellings, a level above, or a link type that it replaces by the default link. Compare the record with the report of the import."
    REFUSED = "refused" Scan
        "The new resolver refuses it (4xx)"
        "The new resolver reads the request more strictly: a wrong check digit, a qualifier that does not belong to the key, an unknown query. The body of its answer says what is wrong. Correct what is printed or published; a wrong identifier answers for nobody."
    CHOICE = "choice" Scan
        "One redirects, the other one shows a page or a choice"
        "Several links fit equally well, and one resolver picks the first of them, or there is no link for the request and one resolver shows the linkset. Register which link is the default for the language, media type or context."
    TARGET = "target" Scan
        "Redirects lead to different addresses"
        "The record differs, or the resolvers choose differently among links of a type by language, media type or context. In fingerpost, `fingerpost explain` shows each step of the choice."
    TARGET_QUERY = "target-query" Scan
        "Redirects lead to the same page with another query"
        "One resolver passes the query of the request on to the target, or adds to it. The standard requires that it is passed on unchanged (GS1-Conformant Resolver 1.2.0, section 2.12)."
    TARGET_SPELLING = "target-spelling" Form
        "Redirects lead to the same address in another spelling"
        "Only the scheme (http or https), letter case, percent-encoding or a slash at the end differs. Web servers may tell them apart: open both once."
    STATUS = "status" Form
        "The same answer with another status"
        "302, 303 and 307 all send a scan to the target at once; 301 and 308 are also remembered by clients, so a later change of the link does not reach them."
    LOOP_OLD = "loop-old" Scan
        "The old resolver redirects in a circle"
        "The redirects inside the old resolver never leave it. There is nothing to keep."
    LOOP_NEW = "loop-new" Scan
        "The new resolver redirects in a circle"
        "A link of the record leads back to itself. Register the page that the scan is meant to reach."
    NO_ANSWER_OLD = "no-answer-old" Scan
        "The old resolver does not answer"
        "No complete answer within the limits of time and size, so there is nothing to compare with. Repeat with a lower --rate if it is overloaded."
    REPAIRED = "repaired" Form
        "The old resolver fails (5xx), the new one answers"
        "Nothing to do."
    ADDED = "added" Form
        "The old resolver does not know or refuses it, the new one answers"
        "The new resolver also looks at levels above, at records of any value and ranges, and reads more spellings; or the old one lost a record. Check that the target is the one you want."
    LINKSET_MISSING = "linkset-missing" Data
        "The new resolver has no linkset where the old one has one"
        "The record was not imported, or the answer is not JSON."
    LINKSET_ADDED = "linkset-added" Form
        "The old resolver has no linkset where the new one has one"
        "Nothing to do."
    LINK_MISSING = "link-missing" Data
        "Links of the old linkset are missing"
        "The import refused or merged the link (see its report), its validity has ended, or the old linkset repeats it at another level."
    LINK_ADDED = "link-added" Data
        "The new linkset has further links"
        "Often a descriptive link type for the target of a default link (RES-2.5.8-3), or a link of a level above that the old resolver leaves out."
    LINK_ATTRIBUTES = "link-attributes" Data
        "Links to the same address differ in language, media type or context"
        "Scans are chosen by these members. The import corrects spellings such as en_GB; other differences are in the record."
    LINK_TITLE = "link-title" Data
        "Links to the same address have different titles"
        "Pages show the title. Register the one you want."
    DESCRIPTION = "description" Data
        "itemDescription differs"
        "Pages show it as the name of the item. Register the one you want."
    MEDIA_TYPE = "media-type" Data
        "Answers have different media types"
        "Software may refuse a media type that it does not expect. Linksets are application/linkset+json (GS1-Conformant Resolver 1.2.0, section 2.10)."
    CORS = "cors" Data
        "Scripts of other websites can read only one of the linksets"
        "Access-Control-Allow-Origin is missing in one of the answers (GS1-Conformant Resolver 1.2.0, section 2.2)."
}

/// Returns a kind by its id.
pub(super) fn find(id: &str) -> Option<&'static DifferenceKind> {
    KINDS.iter().find(|kind| kind.id == id)
}

#[cfg(test)]
mod tests {
    use super::{KINDS, find};

    #[test]
    fn ids_are_unique() {
        for kind in KINDS {
            assert_eq!(find(kind.id), Some(kind));
            assert_eq!(KINDS.iter().filter(|it| it.id == kind.id).count(), 1, "{}", kind.id);
        }
    }
}
