//! What other standards and sections make equivalent, and which of two contradicting rules counts.

use fingerpost_gs1::{DigitalLink, ElementString, Options};

/// RFC 3986, section 2.3: a triplet of an unreserved character is equivalent to the character, also
/// in the number of an Application Identifier. GS1-DL-25.
#[test]
fn rfc_3986_2_3_digits_of_names_may_be_percent_encoded() {
    let canonical = "https://id.gs1.org/01/09520123456788/10/A?17=261231";
    for uri in [
        "https://a.example/01/09520123456788/10/A?%31%37=261231",
        "https://a.example/01/09520123456788/10/A?1%37=261231&x=1",
        "https://a.example/%30%31/09520123456788/1%30/A?%317=261231",
    ] {
        for options in [Options::new(), Options::new().lenient()] {
            let link = DigitalLink::parse_with(uri, &options).unwrap();
            assert_eq!(link.canonical(), canonical, "{uri}");
            assert_eq!(link.warnings(), [], "{uri}");
            assert!(link.extensions().all(|extension| extension == "x=1"), "{uri}");
        }
    }
    // The same rules as without triplets.
    for (query, code) in [
        ("%31%30=A", "BELONGS_IN_PATH"),
        ("%37%30%34%30=1ABC", "NOT_AN_ATTRIBUTE"),
        ("%30%35=A", "UNKNOWN_NUMERIC_KEY"),
        ("17=261231&%31%37=261231", "DUPLICATE_AI"),
        ("%31%37=26123", "VALUE_TOO_SHORT"),
    ] {
        let uri = format!("https://a.example/01/09520123456788?{query}");
        assert_eq!(DigitalLink::parse(&uri).unwrap_err().code(), code, "{query}");
    }
    // Not digits: a parameter that is not ours.
    for query in ["%31%4g=1", "%31%41=1", "%61=1", "%=1", "1%37"] {
        let uri = format!("https://a.example/01/09520123456788?{query}");
        let link = DigitalLink::parse(&uri).unwrap();
        assert!(link.extensions().eq([query]) && link.attributes().is_empty(), "{query}");
    }
}

/// GS1 Digital Link URI Syntax 1.4.1, section 4.9: `itip-path` has (22), whose row in the
/// dictionary requires (01). ER-1, GS1-ASC-02.
#[test]
fn uri_syntax_4_9_a_variant_follows_an_itip() {
    let uri = "https://a.example/8006/095201234567880102/22/2A/10/B";
    let link = DigitalLink::parse(uri).unwrap();
    assert_eq!(link.canonical(), "https://id.gs1.org/8006/095201234567880102/22/2A/10/B");
    // What a URI says can be said in a barcode.
    let text = link.to_element_string().to_bracketed();
    let read = ElementString::parse_bracketed(&text).unwrap();
    assert_eq!(DigitalLink::build("https://a.example", &read).unwrap(), uri);
    // No other key has it.
    for text in ["(22)2A", "(00)195201234567891232(22)2A"] {
        let error = ElementString::parse_bracketed(text).unwrap_err();
        assert_eq!(error.code(), "AI_REQUIREMENT_MISSING", "{text}");
    }
}

/// RFC 3986, sections 3.2.1 and 7.5: messages do not show passwords. URI-SEC-06.
#[test]
fn rfc_3986_3_2_1_messages_hide_passwords() {
    for uri in ["https://me:secret@a.example/01/09520123456788", "https://me:secret@a.%/01/1"] {
        let error = DigitalLink::parse(uri).unwrap_err();
        assert_eq!(error.code(), "URI_HOST", "{uri}");
        let told = format!("{error} {error:?}");
        assert!(told.contains("me:***@a.") && !told.contains("secret"), "{told}");
    }
}
