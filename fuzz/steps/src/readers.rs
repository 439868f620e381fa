//! Every reader of the toolkit crates, with the steps that it may take.

use fingerpost_epc::{Bits, Epc, EpcUrn, GcpLength, TagPattern};
use fingerpost_gs1::compression::{CompressOptions, compress, decompress, decompress_path};
use fingerpost_gs1::{DigitalLink, ElementString, EntityKey, Options, Order, Plausibility, Scan};
use fingerpost_identify::{Converter, OutputForm, inspect, read};
use fingerpost_resolver::{
    Anchor, Rules, Vocabulary, choose_language, read_linkset_context, read_record, takes_gzip,
    write_record,
};
use fingerpost_uri::urn::thttp::{ServiceRequest, read_uri_list, select, uri_list};
use fingerpost_uri::urn::{AnswerKey, Mode, NameKey, NamespaceRegistry, Urn, UrnBuf};
use fingerpost_uri::{ExtractOptions, Rung, Uri, UriRef, encode, extract, split, www};

/// A reader of text, and its promise: at most [`Reader::bound`] steps.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    /// Name in reports.
    pub name: &'static str,
    /// Steps for each byte of the text.
    pub per_byte: u64,
    /// What reads the text, and does everything with the result that takes time.
    pub read: fn(&str),
}

/// Steps of any reader besides those for each byte: tables that are searched, errors that are written, results that are converted.
const FIXED: u64 = 30_000;

impl Reader {
    /// Returns the number of steps that a text of this many bytes may take.
    #[must_use]
    pub fn bound(&self, len: usize) -> u64 {
        FIXED + self.per_byte * len as u64
    }
}

/// All readers.
pub const READERS: &[Reader] = &[
    reader("uri: parse", 15, parse_uri),
    reader("uri: normalise and compare", 50, normalise),
    reader("uri: resolve and relativise", 25, resolve),
    reader("uri: extract", 80, extract_uris),
    reader("uri: percent-encoding", 26, percent),
    reader("uri: first web syntax", 190, first_web_syntax),
    reader("uri: first web syntax, partial", 40, partial),
    reader("uri: URN", 25, urn),
    reader("uri: directives of a URN", 60, directives),
    reader("uri: keys of a URN", 60, urn_keys),
    reader("uri: build a URN", 26, build_urn),
    reader("uri: requests for a service", 20, services),
    reader("gs1: Digital Link", 60, digital_link),
    reader("gs1: Digital Link, all faults", 80, digital_link_faults),
    reader("gs1: Digital Link, lenient", 60, digital_link_lenient),
    reader("gs1: bracketed element string", 85, bracketed),
    reader("gs1: raw element string", 500, raw),
    reader("gs1: scan data", 500, scan),
    reader("gs1: entity key", 10, entity_key),
    reader("gs1: compressed", 220, compressed),
    reader("gs1: plausibility", 45, plausible),
    reader("epc: bits", 30, epc_bits),
    reader("epc: URN", 20, epc_urn),
    reader("identify: inspect", 520, inspected),
    reader("identify: read", 260, identified),
    reader("identify: convert", 2400, converted),
    reader("resolver: record", 2_000, record),
    reader("resolver: choose a language", 30, language),
    reader("resolver: accepted codings", 30, gzip),
    reader("resolver: anchor", 40, anchor),
];

const fn reader(name: &'static str, per_byte: u64, read: fn(&str)) -> Reader {
    Reader { name, per_byte, read }
}

fn parse_uri(text: &str) {
    let _ = split(text);
    let _ = Uri::parse(text);
    if let Ok(reference) = UriRef::parse(text) {
        let _ = (reference.lints().count(), reference.display_safe().to_string());
        let _ = (reference.path().segments().count(), reference.kind());
        let _ = reference.query().map(|query| query.pairs().count());
        let _ = reference.host().map(|host| host.to_ipv4_lenient());
    }
}

fn normalise(text: &str) {
    let Ok(reference) = UriRef::parse(text) else { return };
    for rung in Rung::ALL {
        let _ = reference.normalise(rung);
    }
    let _ = reference.equal_at(reference);
}

fn resolve(text: &str) {
    let (first, second) = text.split_at(text.floor_char_boundary(text.len() / 2));
    for (reference, base) in [(first, second), (text, "http://a/b/c"), ("../x", text)] {
        let (Ok(reference), Ok(base)) = (UriRef::parse(reference), Uri::parse(base)) else {
            continue;
        };
        let target = reference.resolve(base);
        if let Some(target) = target.as_uri_ref().to_uri() {
            let _ = (target.relativise(base), reference.is_same_document(base));
        }
    }
}

fn extract_uris(text: &str) {
    let _ = extract(text, ExtractOptions::new().suffix(true)).count();
}

fn percent(text: &str) {
    let _ = encode(text);
    let mut out = Vec::new();
    let _ = fingerpost_gs1::percent::decode(text.as_bytes(), &mut out);
    let _ = fingerpost_gs1::percent::decode_ascii(text);
}

fn first_web_syntax(text: &str) {
    for grammar in [www::Grammar::Bnf, www::Grammar::Tolerant, www::Grammar::Canonical] {
        if let Ok(uri) = www::WwwUri::parse(text, grammar) {
            let _ = (uri.view(), uri.search_words());
        }
    }
    let _ = (www::relax(text), www::make_safer(text), www::equivalent(text, text));
}

fn partial(text: &str) {
    let (first, second) = text.split_at(text.floor_char_boundary(text.len() / 2));
    let _ = (www::expand_partial(first, second), www::expand_partial("http://a/b/c", text));
}

fn urn(text: &str) {
    for mode in [Mode::Draft, Mode::Rfc8141, Mode::Auto] {
        if let Ok(urn) = Urn::parse(text, mode) {
            let _ = (urn.lints().count(), NamespaceRegistry::builtin().check(urn));
        }
    }
}

fn directives(text: &str) {
    let Ok(urn) = Urn::parse(text, Mode::Draft) else { return };
    let directives = urn.directives();
    let _ = (directives.iter_effective().count(), directives.duplicate_keywords().count());
    let _ = (directives.effective("s"), select(urn));
}

fn urn_keys(text: &str) {
    let Ok(urn) = Urn::parse(text, Mode::Auto) else { return };
    let registry = NamespaceRegistry::builtin();
    let _ = (NameKey::with_registry(urn, &registry), AnswerKey::with_registry(urn, &registry));
}

fn build_urn(text: &str) {
    let _ = UrnBuf::build("example", text, &NamespaceRegistry::builtin());
}

fn services(text: &str) {
    let _ = ServiceRequest::parse(text);
    let _ = uri_list(text, read_uri_list(text));
}

fn use_link(link: &DigitalLink<'_>) {
    let _ =
        (link.canonical(), link.entity_key(), link.to_element_string(), link.extensions().count());
}

fn digital_link(text: &str) {
    let _ = DigitalLink::parse(text).map(|link| use_link(&link));
    let _ = DigitalLink::parse_below("https://id.gs1.org", text, &Options::new());
}

fn digital_link_faults(text: &str) {
    let (_, findings) = DigitalLink::inspect(text, &Options::new());
    let _ = findings.to_string();
}

fn forgiving() -> Options {
    let lenient = Options::new().lenient().requisites(false);
    lenient.unknown_ais(true).unknown_ais_as_attributes(true).uri_syntax_1_4(true)
}

fn digital_link_lenient(text: &str) {
    let (link, findings) = DigitalLink::inspect(text, &forgiving());
    let _ = (link.map(|link| use_link(&link)), findings.to_string());
}

fn use_elements(item: &ElementString<'_>) {
    let _ = (item.to_bracketed(), item.to_raw(Order::PredefinedFirst), item.hri(true).count());
    let _ = DigitalLink::build_with("https://id.example.org", item, &Options::new());
}

fn bracketed(text: &str) {
    for options in [Options::new(), forgiving()] {
        let (item, findings) = ElementString::inspect_bracketed(text, &options);
        let _ = (item.map(|item| use_elements(&item)), findings.to_string());
    }
}

fn raw(text: &str) {
    for options in [Options::new(), forgiving()] {
        let (item, findings) = ElementString::inspect_raw(text, &options);
        let _ = (item.map(|item| use_elements(&item)), findings.to_string());
    }
    let _ = ElementString::parse_gtin(text);
}

fn scan(text: &str) {
    for options in [Options::new(), forgiving()] {
        let (scan, findings) = ElementString::inspect_scan(text, &options);
        let _ = findings.to_string();
        match scan {
            Some(Scan::Elements(item)) => use_elements(&item),
            Some(Scan::DigitalLink(link)) => use_link(&link),
            _ => {}
        }
    }
}

fn entity_key(text: &str) {
    let _ = EntityKey::from_canonical(text);
    if let Ok(key) = EntityKey::parse(text) {
        let _ = (key.levels().count(), key.to_element_string_text());
        let _ = key.pairs().map(|(ai, _)| key.value(ai)).count();
    }
}

fn compressed(text: &str) {
    for options in [Options::new(), forgiving()] {
        let _ = decompress_path(text, &options);
        if let Ok(read) = decompress(text, &options) {
            let _ = compress(&read.link(), &CompressOptions::new().optimise(true));
        }
        if let Ok(link) = DigitalLink::parse_with(text, &options) {
            let _ = compress(&link, &CompressOptions::new().optimise(true).other_pairs(true));
        }
    }
}

fn plausible(text: &str) {
    let _ = Plausibility::of(text);
}

fn epc_bits(text: &str) {
    let all = [
        Bits::from_hex(text),
        Bits::from_base64url(text),
        Bits::from_segment(text),
        Bits::from_raw_uri(text),
    ];
    for bits in all.into_iter().flatten() {
        let Ok(epc) = Epc::from_bits(&bits) else { continue };
        let _ =
            (epc.to_bits(), epc.hostname(), epc.elements(), epc.digital_link("https://a.example"));
        let _ = epc.identity(GcpLength::Digits(7));
    }
}

fn epc_urn(text: &str) {
    let _ = TagPattern::parse(text).map(|pattern| pattern.to_string());
    if let Ok(urn) = EpcUrn::parse(text) {
        let _ = (urn.to_string(), urn.elements().map(|values| values.entity_key().is_ok()));
    }
}

fn inspected(text: &str) {
    let found = inspect(text);
    assert!(found.is_valid() || !found.faults.is_empty(), "{text:?}");
}

fn identified(text: &str) {
    let _ = read(text);
}

fn converted(text: &str) {
    let converter = Converter::new().gcp_length(GcpLength::Digits(7)).lossy(true);
    let forms = [
        OutputForm::DigitalLink,
        OutputForm::ElementString,
        OutputForm::EpcUrn,
        OutputForm::EpcTag,
        OutputForm::EpcHex,
        OutputForm::EpcBase64,
        OutputForm::EpcLink,
        OutputForm::Compressed,
        OutputForm::Hri,
    ];
    for form in forms {
        let _ = converter.convert(text, form);
    }
}

fn record(text: &str) {
    let vocabulary = Vocabulary::builtin();
    let rules = Rules::new(&vocabulary);
    let _ = read_record(text.as_bytes(), &rules).map(|accepted| write_record(&accepted.entry));
    let _ = read_linkset_context(text.as_bytes(), &rules);
}

fn language(text: &str) {
    let available = ["ar", "de", "en", "en-GB", "es", "fr", "ja", "pt", "pt-BR", "zh-Hant-TW"];
    let _ = choose_language(text.as_bytes(), &available);
}

/// An anchor of any form, and what is done with one that was read.
fn anchor(text: &str) {
    let Ok(anchor) = Anchor::parse(text) else { return };
    let _ = Anchor::from_canonical(anchor.as_str());
    let _ = (anchor.form(), anchor.primary_key(), anchor.company_prefix_part());
    for key in ["01/09520123456788/22/2A/10/A150/21/7", "417/9506000134352"] {
        let _ = EntityKey::from_canonical(key).map(|key| anchor.level_of(&key).into_owned());
    }
}

fn gzip(text: &str) {
    let _ = takes_gzip(text.as_bytes());
}
