//! Promises of `fingerpost-uri`: no text makes a reader panic, errors point into the text, taking
//! apart loses nothing, and what is written reads again.

use fingerpost_uri::urn::thttp::{ServiceRequest, read_uri_list};
use fingerpost_uri::urn::{AnswerKey, Mode, NameKey, NamespaceRegistry, Urn, UrnBuf};
use fingerpost_uri::{ExtractOptions, ResolveOptions, Rung, Uri, UriRef, extract, split, www};

/// Reads the input as two lines, a URI reference and a base, and as a text that holds URIs.
pub fn uri(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    check_extraction(text);
    let (first, second) = text.split_once('\n').unwrap_or((text, ""));
    check_www(first, second);
    let base = Uri::parse(second).ok();
    match UriRef::parse(first) {
        Ok(reference) => {
            check_parts(reference);
            check_normal_forms(reference);
            base.into_iter().for_each(|base| check_resolution(reference, base));
        }
        Err(error) => {
            assert!(first.is_char_boundary(error.span().start), "{error} in {first:?}");
            assert!(!error.to_string().is_empty());
        }
    }
}

/// Reads the input as a URN in every mode, as data for one, and as a request for a service.
pub fn urn(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let registry = NamespaceRegistry::builtin();
    for mode in [Mode::Draft, Mode::Rfc8141, Mode::Auto] {
        match Urn::parse(text, mode) {
            Ok(urn) => check_urn(urn, &registry),
            Err(error) => assert!(text.is_char_boundary(error.span().start), "{error} in {text:?}"),
        }
    }
    if let Ok(built) = UrnBuf::build("example", text, &registry) {
        let urn = Urn::parse(built.as_str(), Mode::Draft).expect("what is built is a URN");
        assert_eq!(urn.nss().decode_utf8().as_deref(), Ok(text));
        assert!(urn.is_assigned_name());
    }
    if let Ok(request) = ServiceRequest::parse(text) {
        assert!(text.ends_with(request.operand()));
        assert_eq!(Urn::parse(request.operand(), Mode::Auto).is_ok(), request.word().takes_urn());
    }
    assert!(read_uri_list(text).all(|line| text.contains(line) && !line.is_empty()));
}

/// The splitter agrees, and the parts put together are the text.
fn check_parts(reference: UriRef<'_>) {
    let text = reference.as_str();
    let parts = split(text);
    let authority = reference.authority().map(|authority| authority.as_str());
    let (query, fragment) =
        (reference.query().map(|q| q.as_str()), reference.fragment().map(|f| f.as_str()));
    assert_eq!((parts.scheme, parts.authority), (reference.scheme(), authority), "{text:?}");
    assert_eq!((parts.query, parts.fragment), (query, fragment), "{text:?}");
    assert_eq!(parts.path, reference.path().as_str(), "{text:?}");
    let mut whole = String::new();
    parts.scheme.into_iter().for_each(|scheme| whole.extend([scheme, ":"]));
    authority.into_iter().for_each(|authority| whole.extend(["//", authority]));
    whole.push_str(parts.path);
    query.into_iter().for_each(|query| whole.extend(["?", query]));
    fragment.into_iter().for_each(|fragment| whole.extend(["#", fragment]));
    assert_eq!(whole, text);
    let _ = reference.display_safe().to_string();
    let _ = (reference.lints().count(), reference.host().map(|host| host.to_ipv4_lenient()));
    for segment in reference.path().segments() {
        let _ = segment.decode_utf8();
    }
}

/// Normal forms parse as the same kind, stay as they are, and are equal to where they come from.
fn check_normal_forms(reference: UriRef<'_>) {
    for rung in Rung::ALL {
        let normal = reference.normalise(rung);
        let again = UriRef::parse(&normal).expect("a normal form is a reference");
        assert_eq!(again.normalise(rung), normal, "{reference} at {}", rung.as_str());
        assert_eq!(again.kind(), reference.kind(), "{reference} → {normal}");
        assert!(reference.equal_at(again).is_some_and(|reached| reached <= rung), "{reference}");
    }
}

/// Targets parse and keep the fragment; a reference found for a target leads to it.
fn check_resolution(reference: UriRef<'_>, base: Uri<'_>) {
    for strict in [true, false] {
        for decode_dots in [true, false] {
            let options = ResolveOptions::new().strict(strict).decode_dots(decode_dots);
            let mut target = String::new();
            reference.resolve_into(base, options, &mut target);
            let target = Uri::parse(&target).expect("a target is a URI");
            assert_eq!(target.fragment(), reference.fragment(), "{base} + {reference}");
        }
    }
    let target = reference.resolve(base);
    let target = target.as_uri_ref().to_uri().expect("a target is a URI");
    let found = target.relativise(base);
    let again = found.as_uri_ref().resolve(base);
    // Dot-segments of the base are the one thing that resolution may leave; no reference leads to
    // those of the target.
    let without_dots = target.resolve(base);
    assert!([target.as_str(), without_dots.as_str()].contains(&again.as_str()), "{base} + {found}");
    assert_eq!(reference.is_same_document(base), {
        target.without_fragment().as_str() == base.without_fragment().as_str()
    });
}

/// What is found is a URI, at increasing places in the text.
fn check_extraction(text: &str) {
    let mut end = 0;
    for found in extract(text, ExtractOptions::new().suffix(true)) {
        assert!(Uri::parse(found.uri()).is_ok(), "{:?}", found.uri());
        assert!(found.alternative().is_none_or(|other| Uri::parse(other).is_ok()));
        assert!(found.span().start >= end && text.get(found.span().range()).is_some());
        end = found.span().end;
    }
}

fn check_www(text: &str, context: &str) {
    let _ = www::expand_partial(context, text);
    assert!(www::equivalent(text, text));
    for grammar in [www::Grammar::Bnf, www::Grammar::Tolerant, www::Grammar::Canonical] {
        match www::WwwUri::parse(text, grammar) {
            Ok(uri) => {
                drop((uri.view(), uri.search_words()));
                assert_eq!(www::relax(&www::relax(text)), www::relax(text), "{text:?}");
                assert_eq!(www::relax(&www::make_safer(text)), www::relax(text), "{text:?}");
            }
            Err(error) => assert!(text.is_char_boundary(error.span().start), "{error}"),
        }
    }
}

/// Keys are URNs whose keys they are; a registry only makes more names equal.
fn check_urn(urn: Urn<'_>, registry: &NamespaceRegistry<'_>) {
    assert!(Uri::parse(urn.as_str()).is_ok(), "{urn}");
    assert!(urn.as_str().starts_with(urn.name()));
    let _ = (urn.lints().count(), registry.check(urn));
    assert!(urn.directives().iter_effective().count() <= urn.directives().iter().count());
    for key in [NameKey::new(urn), NameKey::with_registry(urn, registry)] {
        let again = Urn::parse(key.as_str(), urn.mode()).expect("a key is a URN");
        assert_eq!(NameKey::new(again), key);
        assert_eq!(NameKey::with_registry(again, registry), NameKey::with_registry(urn, registry));
    }
    let key = AnswerKey::new(urn);
    let again = Urn::parse(key.as_str(), urn.mode()).expect("a key is a URN");
    assert_eq!(AnswerKey::new(again), key);
}
