//! URN services over HTTP (RFC 2169), and the URI lists in their responses (RFC 2483 section 5).
//!
//! `GET /uri-res/<service>?<uri>`: the operand is everything after the first question mark, as
//! written.

use alloc::string::String;
use alloc::vec::Vec;

use super::{Mode, Service, Urn};
use crate::uri_ref::Uri;

macro_rules! words {
    ($($(#[doc = $doc:literal])* $name:ident,)*) => {
        /// The services of RFC 2169 with their words in a path. `N2Cs` is our own extension.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(clippy::upper_case_acronyms, reason = "the names are the words of the standard")]
        pub enum Word {
            $($(#[doc = $doc])* $name,)*
        }

        impl Word {
            /// All words.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Returns the word in a path.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => stringify!($name)),* }
            }
        }
    };
}

words! {
    /// URN to URL: a redirect.
    N2L,
    /// URN to URLs: a list.
    N2Ls,
    /// URN to resource.
    N2R,
    /// URN to resources.
    N2Rs,
    /// URN to description.
    N2C,
    /// URN to descriptions.
    N2Cs,
    /// URN to URNs: a list.
    N2Ns,
    /// URL to URNs: a list.
    L2Ns,
    /// URL to URLs: a list.
    L2Ls,
    /// URL to description.
    L2C,
}

impl Word {
    /// Returns whether the operand is a URN; otherwise it is any other URI.
    pub const fn takes_urn(self) -> bool {
        !matches!(self, Self::L2Ns | Self::L2Ls | Self::L2C)
    }
}

/// A request for a service.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ServiceRequest<'a> {
    word: Word,
    operand: &'a str,
}

/// The error of a target that is not a request for a service.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RequestError {
    /// The path names no service, or more than one segment follows `/uri-res/`.
    UnknownService,
    /// There is no question mark, or nothing after it.
    MissingOperand,
    /// The operand has the wrong type for the service: a URN, or a URI other than a URN.
    InvalidOperand,
}

impl core::fmt::Display for RequestError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::UnknownService => "expected a service of RFC 2169, such as N2L, behind /uri-res/",
            Self::MissingOperand => "expected a URI behind the question mark, found nothing",
            Self::InvalidOperand => {
                "expected a URN for an N2 service and another URI for an L2 service"
            }
        })
    }
}

impl core::error::Error for RequestError {}

impl<'a> ServiceRequest<'a> {
    /// Parses a request target: path and query as written.
    ///
    /// ```
    /// use fingerpost_uri::urn::thttp::{ServiceRequest, Word};
    ///
    /// let request = ServiceRequest::parse("/uri-res/N2L?urn:isbn:0451450523")?;
    /// assert_eq!((request.word(), request.operand()), (Word::N2L, "urn:isbn:0451450523"));
    /// # Ok::<(), fingerpost_uri::urn::thttp::RequestError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// See [`RequestError`].
    pub fn parse(target: &'a str) -> Result<Self, RequestError> {
        let (path, operand) = target.split_once('?').unwrap_or((target, ""));
        let name = path.strip_prefix("/uri-res/").ok_or(RequestError::UnknownService)?;
        let word = Word::ALL.iter().copied().find(|word| word.as_str() == name);
        let word = word.ok_or(RequestError::UnknownService)?;
        if operand.is_empty() {
            return Err(RequestError::MissingOperand);
        }
        let is_urn = || Urn::parse(operand, Mode::Auto).is_ok();
        let is_locator =
            || Uri::parse(operand).is_ok_and(|uri| !uri.scheme().eq_ignore_ascii_case("urn"));
        // A fragment never reaches a resolver.
        let fits = if word.takes_urn() { is_urn() } else { is_locator() };
        if !fits || operand.contains('#') {
            return Err(RequestError::InvalidOperand);
        }
        Ok(Self { word, operand })
    }

    /// Returns the service.
    pub const fn word(self) -> Word {
        self.word
    }

    /// Returns the operand as written.
    pub const fn operand(self) -> &'a str {
        self.operand
    }
}

/// The data of a resolver. `None` means that it does not know the operand; an empty list, that it
/// has no entries of this kind.
pub trait Names {
    /// The error of a look-up.
    type Error;

    /// Returns the locators of a name, the best one first.
    ///
    /// # Errors
    ///
    /// The names cannot be looked up at the moment.
    fn locators(&self, name: Urn<'_>) -> Result<Option<Vec<String>>, Self::Error>;

    /// Returns all names of the thing with this name, in their preferred spelling.
    ///
    /// # Errors
    ///
    /// The names cannot be looked up at the moment.
    fn names(&self, name: Urn<'_>) -> Result<Option<Vec<String>>, Self::Error>;

    /// Returns the names of the thing at this locator.
    ///
    /// # Errors
    ///
    /// The names cannot be looked up at the moment.
    fn names_of(&self, locator: Uri<'_>) -> Result<Option<Vec<String>>, Self::Error>;

    /// Returns the other locators of the thing at this locator.
    ///
    /// # Errors
    ///
    /// The names cannot be looked up at the moment.
    fn locators_of(&self, locator: Uri<'_>) -> Result<Option<Vec<String>>, Self::Error>;
}

/// The answer to a request for a service.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ServiceAnswer {
    /// A redirect: 303 to clients of HTTP/1.1, 302 to older ones.
    Redirect(String),
    /// A list of URIs, of the type [`URI_LIST`].
    List(String),
    /// A description of the operand, which the resolver provides.
    Description,
    /// Nothing is known about the operand.
    Unknown,
    /// The operand is known, but has no locator.
    NoLocator,
    /// The service is known, but a link resolver cannot offer it, because it has no resources.
    NotOffered,
}

/// Answers a request from the data of a resolver.
///
/// # Errors
///
/// The errors of `names`.
pub fn respond<N: Names>(
    request: ServiceRequest<'_>,
    names: &N,
) -> Result<ServiceAnswer, N::Error> {
    // The operand is parsed once; the resolver sees only the parsed form.
    let list = |uris: Option<Vec<String>>| match uris {
        Some(uris) => {
            ServiceAnswer::List(uri_list(request.operand, uris.iter().map(String::as_str)))
        }
        None => ServiceAnswer::Unknown,
    };
    if let (true, Ok(name)) = (request.word.takes_urn(), Urn::parse(request.operand, Mode::Auto)) {
        return Ok(match request.word {
            Word::N2L => match names.locators(name)?.map(|locators| locators.into_iter().next()) {
                Some(Some(locator)) => ServiceAnswer::Redirect(locator),
                Some(None) => ServiceAnswer::NoLocator,
                None => ServiceAnswer::Unknown,
            },
            Word::N2Ls => list(names.locators(name)?),
            Word::N2Ns => list(names.names(name)?),
            Word::N2C | Word::N2Cs => ServiceAnswer::Description,
            _ => ServiceAnswer::NotOffered,
        });
    }
    let Ok(locator) = Uri::parse(request.operand) else { return Ok(ServiceAnswer::Unknown) };
    Ok(match request.word {
        Word::L2Ns => list(names.names_of(locator)?),
        Word::L2Ls => list(names.locators_of(locator)?),
        _ => ServiceAnswer::Description,
    })
}

/// Returns the request that a URN implies through its directive `s=`. Without one, it requests the
/// default locator.
///
/// ```
/// use fingerpost_uri::urn::thttp::{Word, select};
/// use fingerpost_uri::urn::{Mode, Urn};
///
/// let urn = Urn::parse("urn:isbn:0451450523?s=I2Ls", Mode::Auto)?;
/// assert_eq!(select(urn).word(), Word::N2Ls);
/// # Ok::<(), fingerpost_uri::urn::UrnError>(())
/// ```
pub fn select(urn: Urn<'_>) -> ServiceRequest<'_> {
    const OFFERED: &[(Service, Word)] = &[
        (Service::I2L, Word::N2L),
        (Service::I2Ls, Word::N2Ls),
        (Service::I2C, Word::N2C),
        (Service::I2Cs, Word::N2Cs),
        (Service::I2Ns, Word::N2Ns),
    ];
    let supported: Vec<_> = OFFERED.iter().map(|&(service, _)| service).collect();
    let service = Service::select(urn, Service::I2L, &supported);
    let word = OFFERED
        .iter()
        .find(|(offered, _)| *offered == service)
        .map_or(Word::N2L, |&(_, word)| word);
    ServiceRequest { word, operand: urn.as_str() }
}

/// The media type of [`uri_list`].
pub const URI_LIST: &str = "text/uri-list";

/// Returns a list of URIs: the requested one as a comment, then one per line; lines end with CR LF.
///
/// ```
/// use fingerpost_uri::urn::thttp::uri_list;
///
/// assert_eq!(uri_list("urn:foo:1", ["http://a/"]), "# urn:foo:1\r\nhttp://a/\r\n");
/// ```
pub fn uri_list<'u>(asked: &str, uris: impl IntoIterator<Item = &'u str>) -> String {
    let mut list = String::from("# ");
    list.extend([asked, "\r\n"]);
    uris.into_iter().for_each(|uri| list.extend([uri, "\r\n"]));
    list
}

/// Returns the URIs of a list, without its comments; lines may end with CR LF, CR or LF.
pub fn read_uri_list(list: &str) -> impl Iterator<Item = &str> {
    list.split(['\r', '\n'])
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}
