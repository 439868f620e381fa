//! The header fields of a request that every answer depends on.

use std::borrow::Cow;

use http::header::{self, HeaderMap};

use crate::headers::add_line;

/// The fields of a request, read in one pass: finding one by its name takes longer than all of it.
#[derive(Debug, Default)]
pub(crate) struct RequestFields<'r> {
    /// All lines of `Accept`, joined by commas; empty if there are none.
    pub(crate) accept: Cow<'r, [u8]>,
    /// All lines of `Accept-Language`, joined by commas; empty if there are none.
    pub(crate) accept_language: Cow<'r, [u8]>,
    /// The first `User-Agent`; empty if there is none.
    pub(crate) user_agent: &'r [u8],
    /// The bytes of all names and values.
    pub(crate) bytes: usize,
}

impl<'r> RequestFields<'r> {
    /// Reads the fields of a request.
    pub(crate) fn read(fields: &'r HeaderMap) -> Self {
        let mut read = Self::default();
        for (name, value) in fields {
            let value = value.as_bytes();
            read.bytes += name.as_str().len() + value.len();
            if *name == header::ACCEPT {
                add_line(&mut read.accept, value);
            } else if *name == header::ACCEPT_LANGUAGE {
                add_line(&mut read.accept_language, value);
            } else if *name == header::USER_AGENT && read.user_agent.is_empty() {
                read.user_agent = value;
            }
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 35.2, 32.2: lines of a list are one list, whatever stands between them.
    #[test]
    fn lines_are_joined_and_all_bytes_counted() {
        let mut fields = HeaderMap::new();
        assert_eq!(RequestFields::read(&fields).bytes, 0);
        for (name, value) in [
            (header::ACCEPT, "text/html"),
            (header::USER_AGENT, "phone"),
            (header::ACCEPT_LANGUAGE, ""),
            (header::ACCEPT, "*/*;q=0.8"),
            (header::USER_AGENT, "curl/8"),
            (header::ACCEPT_LANGUAGE, "fr"),
        ] {
            fields.append(name, value.parse().unwrap());
        }
        let read = RequestFields::read(&fields);
        assert_eq!(*read.accept, *b"text/html, */*;q=0.8");
        assert_eq!(*read.accept_language, *b"fr");
        assert_eq!(read.user_agent, b"phone");
        let bytes = "accepttext/html".len() + "accept*/*;q=0.8".len();
        let bytes = bytes + "user-agentphone".len() + "user-agentcurl/8".len();
        assert_eq!(read.bytes, bytes + 2 * "accept-language".len() + "fr".len());
    }
}
