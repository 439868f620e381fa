//! JSON schemas of a record and its links, built from the limits that reading enforces.
//!
//! They describe the values of each member. Rules across members and links, such as a default link
//! in each record, are checked when the record is read.

use utoipa::openapi::schema::{
    AdditionalProperties, ArrayBuilder, KnownFormat, ObjectBuilder, OneOfBuilder, SchemaFormat,
    Type,
};
use utoipa::openapi::{Deprecated, Ref, RefOr, Schema};

use crate::limits::{
    MAX_ACCESS, MAX_CONTEXT_BYTES, MAX_DESCRIPTION_BYTES, MAX_DESCRIPTIONS, MAX_HREF_BYTES,
    MAX_LINK_TYPE_BYTES, MAX_LIST_ITEMS, MAX_MEDIA_TYPE_BYTES, MAX_ROLE_BYTES, MAX_TITLE_BYTES,
};
use crate::registration::MAX_LINKS;

/// The schema `Record`: everything registered at one level.
#[derive(Debug)]
pub enum Record {}

/// The schema `Link`: one link of a record.
#[derive(Debug)]
pub enum Link {}

impl utoipa::PartialSchema for Record {
    fn schema() -> RefOr<Schema> {
        let links = ArrayBuilder::new()
            .items(Ref::from_schema_name("Link"))
            .min_items(Some(1))
            .max_items(Some(MAX_LINKS))
            .description(Some("The links, in their order."));
        let anchor = text("The level as a path, or as a GS1 Digital Link URI.")
            .format(Some(SchemaFormat::Custom("gs1-anchor".to_owned())))
            .min_length(Some(1))
            .examples(["/01/09506000134352"]);
        let default_link_type = text("What a request without a link type gets: the list of links, the default link, the notice of a recall, or what the successor answers. Absent: as the level above, or the installation. The first two are refused unless `default_link_type_by_record` is set.")
            .enum_values(Some(["linkset", "gs1:defaultLink", "gs1:recallStatus", "successor-version"]));
        let context_from = text("Where the context of a request comes from that names none: the country of the client, if the operator has configured `country`, or nowhere. Absent: as the level above, or the organisation.")
            .enum_values(Some(["country", "request"]));
        let descriptions = ObjectBuilder::new()
            .schema_type(Type::Object)
            .description(Some("The description in other languages, by language tag (RFC 5646). Pages show the one that suits the reader."))
            .max_properties(Some(MAX_DESCRIPTIONS))
            .additional_properties(Some(AdditionalProperties::<Schema>::RefOr(
                Schema::from(label("The description in this language.", MAX_DESCRIPTION_BYTES)).into(),
            )));
        strict("Everything registered at one level. `docs/reference/records.md` has the rules across members.")
            .property("anchor", anchor)
            .property("itemDescription", label("What the links are about.", MAX_DESCRIPTION_BYTES))
            .property("itemDescriptions", descriptions)
            .property(
                "description",
                label("Another name of `itemDescription`.", MAX_DESCRIPTION_BYTES)
                    .deprecated(Some(Deprecated::True)),
            )
            .property("defaultLinkType", default_link_type)
            .property("contextFrom", context_from)
            .property("links", links)
            .required("anchor")
            .required("links")
            .into()
    }
}

impl utoipa::ToSchema for Record {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push(("Link".to_owned(), <Link as utoipa::PartialSchema>::schema()));
    }
}

impl utoipa::PartialSchema for Link {
    fn schema() -> RefOr<Schema> {
        let link_type =
            text("`gs1:pip`, the full IRI of a link type, or the name of a registered relation.")
                .format(Some(SchemaFormat::Custom("link-type".to_owned())))
                .min_length(Some(1))
                .max_length(Some(MAX_LINK_TYPE_BYTES))
                .examples(["gs1:pip"]);
        let href = text("The target; can contain placeholders such as `{01}` or `{10}`.")
            .format(Some(SchemaFormat::Custom("link-target".to_owned())))
            .min_length(Some(1))
            .max_length(Some(MAX_HREF_BYTES))
            .examples(["https://example.com/product"]);
        let media_type = text("The media type of the target.")
            .format(Some(SchemaFormat::Custom("media-type".to_owned())))
            .max_length(Some(MAX_MEDIA_TYPE_BYTES));
        let language = text("A language tag (RFC 5646).")
            .format(Some(SchemaFormat::Custom("language-tag".to_owned())));
        let context = label("A context value.", MAX_CONTEXT_BYTES);
        let access =
            list("The roles that may see the link (`[[roles]]`). Absent: everyone.", role())
                .min_items(Some(1))
                .max_items(Some(MAX_ACCESS));
        strict("One link of a record.")
            .property("linkType", link_type)
            .property("href", href)
            .property("title", label("The text that people read.", MAX_TITLE_BYTES))
            .property("type", media_type)
            .property("hreflang", list("The languages of the target.", language))
            .property("context", list("The context values for which it is meant.", context))
            .property("access", access)
            .property("validFrom", instant("When it becomes valid (RFC 3339); from 1970 on."))
            .property("validUntil", instant("When it stops being valid (RFC 3339)."))
            .property("default", default_role())
            .property("fwqs", ignored())
            .property("public", ignored())
            .required("linkType")
            .required("href")
            .required("title")
            .into()
    }
}

impl utoipa::ToSchema for Link {}

/// Returns an object schema that allows no other members.
fn strict(description: &str) -> ObjectBuilder {
    ObjectBuilder::new()
        .description(Some(description))
        .additional_properties(Some(AdditionalProperties::FreeForm(false)))
}

fn text(description: &str) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).description(Some(description))
}

/// Returns the schema of a human-readable text. The limit counts bytes of UTF-8, of which a
/// character has at least one.
fn label(description: &str, max_bytes: usize) -> ObjectBuilder {
    text(&format!("{description} At most {max_bytes} bytes of UTF-8."))
        .min_length(Some(1))
        .max_length(Some(max_bytes))
        .pattern(Some(
            r"^[^\u0000-\u001f\u007f-\u009f]*[^\s\u0000-\u001f\u007f-\u009f][^\u0000-\u001f\u007f-\u009f]*$",
        ))
}

fn list(description: &str, items: ObjectBuilder) -> ArrayBuilder {
    ArrayBuilder::new().items(items).max_items(Some(MAX_LIST_ITEMS)).description(Some(description))
}

fn role() -> ObjectBuilder {
    text("The name of a role.")
        .min_length(Some(1))
        .max_length(Some(MAX_ROLE_BYTES))
        .pattern(Some("^[a-z][a-z0-9-]*$"))
}

fn instant(description: &str) -> ObjectBuilder {
    text(description).format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
}

/// Returns the schema of the member that makes one line of two links.
fn default_role() -> OneOfBuilder {
    let description = "Whether the link is also the default link of the level (true), or a variant of it (`variant`). It stands for two links; records that are read have one wherever both stand together.";
    OneOfBuilder::new()
        .item(ObjectBuilder::new().schema_type(Type::Boolean))
        .item(ObjectBuilder::new().schema_type(Type::String).enum_values(Some(["variant"])))
        .description(Some(description))
}

/// Returns the schema of a member of earlier releases.
fn ignored() -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::Boolean)
        .description(Some("A member of earlier releases of the standard. Ignored."))
        .deprecated(Some(Deprecated::True))
}
