//! EPC binary in the path (section 2.3).

use serde_json::Value;

use super::describe;
use super::linkset::JSON;
use crate::check::{Check, Release};
use crate::linkset::Linkset;
use crate::message::WebRequest;
use crate::run::{Run, answer};

/// A serial number that fits into an SGTIN-96.
pub(super) const SERIAL: u64 = 123_456_789_123;

const NEEDS: &str = "a GTIN whose items are redirected";

pub(super) const CHECKS: &[Check] = &[
    Check::shall("epc-hexadecimal", "2.3", &["RES-2.3-1", "RES-2.3-8"])
        .since(Release::V1_2)
        .expects("A path of eh and an EPC in hexadecimal is answered as the URI of the item.")
        .needs(NEEDS)
        .advice("Decode the EPC before the URI is validated."),
    Check::shall("epc-base64", "2.3", &["RES-2.3-2", "RES-2.3-8"])
        .since(Release::V1_2)
        .expects("A path of ex and an EPC in URI-safe base 64 is answered as the URI of the item.")
        .needs(NEEDS)
        .advice("Decode the EPC before the URI is validated."),
    Check::shall("epc-anchor", "2.3", &["RES-2.3-4"])
        .since(Release::V1_2)
        .expects("Anchors of the linkset of an EPC are uncompressed URIs.")
        .needs("a resolver that decodes EPCs, and a linkset")
        .advice("Build anchors from the decoded keys."),
    Check::shall("epc-invalid", "2.3, 2.4.1", &["RES-2.3-6"])
        .since(Release::V1_2)
        .expects("An EPC that cannot be decoded is answered with 400.")
        .needs("a resolver that decodes EPCs")
        .advice("Treat it as an invalid URI."),
    Check::shall("epc-schemes", "2.3", &["RES-2.3-1"])
        .since(Release::V1_2)
        .expects("EPCs of all schemes with a Digital Link are decoded: SSCC, SGLN, GRAI, GIAI, GSRN, GDTI, SGCN and others.")
        .needs("a resolver that decodes EPCs and announces all primary keys by \"all\"")
        .advice("Decode every scheme of the EPC Tag Data Standard, also if its key is unknown."),
    Check::shall("compressed-link", "2.3", &["RES-2.3-3"])
        .until(Release::V1_1)
        .expects("A URI that is compressed as in GS1 Digital Link 1.1 is answered as the uncompressed URI.")
        .needs("a GTIN that is redirected")
        .advice("Decompress the path before the URI is validated; since release 1.2 this is optional."),
    Check::shall("compressed-same-as", "2.3", &["RES-2.3-3", "RES-2.3-8"])
        .until(Release::V1_1)
        .expects("The answer to a compressed URI has a Link header to the uncompressed URI with rel=\"owl:sameAs\".")
        .needs("a resolver that decompresses URIs")
        .advice("Send Link: <uncompressed URI>; rel=\"owl:sameAs\"; release 1.2 removed it."),
];

/// EPCs of 96 bits (EPC Tag Data Standard, section 14) with the company prefix 9520123, each with
/// its scheme.
const EPCS: [(&str, u128); 8] = [
    ("SSCC-96", epc(0x31, 1_000_000_001 << 24)),
    ("SGLN-96", epc(0x32, (2 << 41) | 7)),
    ("GRAI-96", epc(0x33, (2 << 38) | 7)),
    ("GIAI-96", epc(0x34, 77)),
    ("GSRN-96", epc(0x2d, 1 << 24)),
    ("GSRNP-96", epc(0x2e, 1 << 24)),
    ("GDTI-96", epc(0x2c, (2 << 41) | 7)),
    // The digits of the serial number have a 1 in front.
    ("SGCN-96", epc(0x3f, (2 << 41) | 17)),
];

/// Returns an EPC: header, filter 0, partition 5, the company prefix, and the rest.
const fn epc(header: u128, rest: u128) -> u128 {
    (header << 88) | (5 << 82) | (9_520_123 << 58) | rest
}

pub(super) fn examine(run: &mut Run) {
    let subject = run.subject.clone();
    compressed(run);
    let Some(epc) = sgtin_96(&subject.key, SERIAL).filter(|_| subject.ai == "01") else { return };
    let (_, item) = answer!(run, WebRequest::get(format!("{}/21/{SERIAL}", subject.key_url())));
    if !item.is_redirect() {
        return;
    }
    let keys = run.description.get("supportedPrimaryKeys").and_then(Value::as_array);
    let is_announced = keys.is_some_and(|keys| keys.iter().any(|key| key == "all"));
    let mut decodes = false;
    for (id, path) in [
        ("epc-hexadecimal", format!("eh{epc:024x}")),
        ("epc-base64", format!("ex{}", base64(epc, 16))),
    ] {
        let (trial, response) = answer!(run, WebRequest::get(format!("{}/{path}", subject.root())));
        let is_same = response.status == item.status && response.location() == item.location();
        if !is_same && !is_announced && matches!(response.status, 400 | 404) {
            run.depends(
                id,
                &trial,
                format!(
                    "{}; the description file announces no EPCs by \"all\"",
                    describe(&response)
                ),
            );
        } else {
            run.expect(id, &trial, is_same, describe(&response));
            decodes |= is_same && id == "epc-hexadecimal";
        }
    }
    if decodes {
        decoded(run, epc);
        for (scheme, epc) in EPCS.iter().filter(|_| is_announced) {
            let url = format!("{}/eh{epc:024x}", subject.root());
            let (trial, response) = answer!(run, WebRequest::get(url));
            let found = format!("{} for {scheme}", describe(&response));
            let is_accepted = response.status == 404 || response.is_redirect();
            run.expect("epc-schemes", &trial, is_accepted, found);
        }
    }
}

/// The compression of GS1 Digital Link 1.1, which earlier releases require.
fn compressed(run: &mut Run) {
    let is_key = run.subject.ai == "01" && run.subject.key.len() == 14;
    let number = run.subject.key.parse::<u64>().ok().filter(|_| is_key);
    let (Some(number), true) = (number, run.standard() < Release::V1_2) else { return };
    let (_, plain) = answer!(run, WebRequest::get(run.subject.key_url()));
    if !plain.is_redirect() {
        return;
    }
    // The two digits of the Application Identifier, and 47 bits for 14 digits.
    let path = base64(((1 << 47) | u128::from(number)) << 5, 10);
    let (trial, response) = answer!(run, WebRequest::get(format!("{}/{path}", run.subject.root())));
    let is_same = response.location() == plain.location();
    run.expect("compressed-link", &trial, is_same, describe(&response));
    if is_same {
        let link = response.joined("link");
        let holds = link.contains("owl:sameAs") && link.contains(&run.subject.key);
        run.expect("compressed-same-as", &trial, holds, format!("Link {link}"));
    }
}

fn decoded(run: &mut Run, epc: u128) {
    let url = format!("{}/eh{epc:024x}", run.subject.root());
    let (trial, response) =
        answer!(run, WebRequest::get(format!("{url}?linkType=linkset")).header("accept", JSON));
    if let Some(linkset) = Linkset::read(&response.body) {
        let wrong = linkset.anchors.into_iter().find(|it| it.contains("/eh") || it.contains("/ex"));
        run.judge("epc-anchor", &trial, wrong.map_or(Ok(()), |it| Err(format!("anchor {it}"))));
    }
    let (trial, response) = answer!(run, WebRequest::get(&url[..url.len() - 4]));
    run.expect("epc-invalid", &trial, response.status == 400, describe(&response));
}

/// Returns the bits of a GTIN with a serial number as SGTIN-96 (EPC Tag Data Standard, section
/// 14.6.1), with a company prefix of 7 digits.
pub(super) fn sgtin_96(gtin: &str, serial: u64) -> Option<u128> {
    if gtin.len() != 14 || !gtin.bytes().all(|byte| byte.is_ascii_digit()) || serial >= 1 << 38 {
        return None;
    }
    let company: u128 = gtin[1..8].parse().ok()?;
    let item: u128 = format!("{}{}", &gtin[..1], &gtin[8..13]).parse().ok()?;
    // Header, filter 0, partition 5.
    Some((0x30 << 88) | (5 << 82) | (company << 58) | (item << 38) | u128::from(serial))
}

/// Returns bits as digits in URI-safe base 64 (RFC 4648, section 5).
fn base64(bits: u128, digits: u32) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let digits = (0..digits).rev().map(|index| (bits >> (6 * index)) & 63);
    digits.map(|digit| char::from(ALPHABET[digit as usize])).collect()
}

#[cfg(test)]
mod tests {
    use super::{SERIAL, base64, sgtin_96};

    /// RES-2.3-1, RES-2.3-2: the example of the EPC Tag Data Standard.
    #[test]
    fn an_sgtin_is_encoded_as_in_the_standard() {
        let bits = sgtin_96("09528765123457", SERIAL).unwrap();
        assert_eq!(format!("{bits:024x}"), "30164596f40c0e5cbe991a83");
        assert_eq!(base64(bits, 16), "MBZFlvQMDly-mRqD");
        assert_eq!(sgtin_96("0952876512345é", 1), None);
    }
}
