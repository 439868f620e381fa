//! Requests that are spelled with triplets of unreserved characters, over sockets (RFC 3986,
//! section 2.3; GS1 Digital Link URI Syntax 1.4.1, section 4.2).

use fingerpost_testkit::Ask;

use crate::support::{BOTH, Running};

const LINK: &str = "/01/09520123456788/10/A";

/// RFC 3986, section 2.3: the digits of an Application Identifier may be percent-encoded, in the
/// path and in the query. GS1-DL-25, RES-2.4-3, RES-2.4-15.
#[test]
fn rfc_3986_2_3_digits_of_names_may_be_percent_encoded() {
    let server = Running::standard_over_tls();
    for version in BOTH {
        let mut client = server.client(version);
        let mut get = |target: &str| client.send(&Ask::get(target).header("Accept", "text/html"));
        let location = |plain: &str| format!("https://example.com/en/defaultPage?{plain}");
        for path in [LINK, "/%30%31/09520123456788/1%30/A", "/0%31/09520123456788/%31%30/%41"] {
            // The query goes on as it came (RES-2.12-1): the target reads it.
            for query in ["17=261231", "%31%37=261231", "%317=26123&1%37=1", "%37%30%34%30=x"] {
                let answer = get(&format!("{path}?{query}"));
                assert_eq!(answer.status, 307, "{version:?} {path}?{query}: {}", answer.text());
                assert_eq!(answer.header("location"), Some(location(query)), "{path}?{query}");
            }
            // Both names of the preference are one (RES-2.6.2-5).
            for name in ["linkType", "%6CinkTyp%65"] {
                let linkset = get(&format!("{path}?{name}=linkset"));
                let plain = get(&format!("{LINK}?linkType=linkset"));
                assert_eq!((linkset.status, linkset.text()), (200, plain.text()), "{path} {name}");
            }
        }
        // A name that is no Application Identifier is told with its position in the path as
        // received.
        let ask = Ask::get("/%30%31/09520123456788/%31/A");
        let problem: serde_json::Value = serde_json::from_str(&client.send(&ask).text()).unwrap();
        assert_eq!((&problem["status"], &problem["part"]), (&400.into(), &"%31".into()));
    }
    // The home page reads what is in the query.
    let mut client = server.client(BOTH[0]);
    let mut said = |query: &str| {
        let encoded: String = query.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let link = format!("https%3A%2F%2Fa.example{LINK}%3F{encoded}");
        client.send(&Ask::get(&format!("/?q={link}")).header("Accept", "text/html")).text()
    };
    for query in ["17=261231", "%31%37=261231", "1%37=261231"] {
        let page = said(query);
        assert!(page.contains("Use by") && page.contains("261231"), "{query}: {page}");
    }
    assert!(said("%31%37=26123").contains("too short"));
}
