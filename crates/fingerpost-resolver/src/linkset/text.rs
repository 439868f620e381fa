//! Linksets as text (RFC 9264 section 4.1): the syntax of the `Link` header field (RFC 8288 section
//! 3), one link on each line.
//!
//! ```text
//! linkset   = link *( "," CRLF link )
//! link      = "<" URI ">" *( ";" SP attribute )
//! attribute = name "=" DQUOTE *( qdtext / quoted-pair ) DQUOTE      ; visible ASCII and spaces
//!           / name "*=UTF-8''" *( attr-char / pct-encoded )         ; anything else (RFC 8187)
//! ```
//!
//! Stored text cannot end a link or begin another: quotes and backslashes are escaped in quoted
//! strings, everything outside visible ASCII is percent-encoded, and so are angle brackets in a
//! URI. Descriptions of levels are left out, because they are not links.

use fingerpost_uri::percent::push_triplet;

use super::Linkset;

impl Linkset<'_> {
    /// Returns the linkset as `application/linkset`, in ASCII. Each link has its anchor and all its
    /// attributes, with full language tags.
    pub fn to_link_text(&self) -> String {
        let mut out = String::new();
        for context in self.contexts() {
            let anchor = context.anchor();
            for group in context.groups() {
                for link in group.links() {
                    if !out.is_empty() {
                        out.push_str(",\r\n");
                    }
                    push_uri(&mut out, &link.href());
                    push_attribute(&mut out, "rel", group.link_type());
                    push_attribute(&mut out, "anchor", &anchor);
                    for tag in link.languages() {
                        push_attribute(&mut out, "hreflang", tag);
                    }
                    if let Some(media_type) = link.media_type() {
                        push_attribute(&mut out, "type", media_type);
                    }
                    push_attribute(&mut out, "title", link.title());
                    for value in link.contexts() {
                        push_attribute(&mut out, "context", value);
                    }
                }
            }
        }
        out
    }
}

/// Appends a URI in angle brackets.
fn push_uri(out: &mut String, uri: &str) {
    out.push('<');
    for byte in uri.bytes() {
        if byte.is_ascii_graphic() && !matches!(byte, b'<' | b'>') {
            out.push(char::from(byte));
        } else {
            push_triplet(byte, out);
        }
    }
    out.push('>');
}

/// Appends an attribute: as a quoted string if it is visible ASCII, else in the form of RFC 8187.
fn push_attribute(out: &mut String, name: &str, value: &str) {
    out.extend(["; ", name]);
    if value.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ') {
        out.push_str("=\"");
        for c in value.chars() {
            if matches!(c, '"' | '\\') {
                out.push('\\');
            }
            out.push(c);
        }
        out.push('"');
        return;
    }
    out.push_str("*=UTF-8''");
    for byte in value.bytes() {
        // RFC 8187 section 3.2.1: attr-char.
        if byte.is_ascii_alphanumeric() || b"!#$&+-.^_`|~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            push_triplet(byte, out);
        }
    }
}
