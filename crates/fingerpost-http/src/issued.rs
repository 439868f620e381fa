//! Certificates that the program gives to a listener while it runs, and the answers by which an
//! authority sees that it may issue them: key authorizations over HTTP (RFC 8555 section 8.3), and
//! certificates in a handshake of their own (RFC 8737).

use std::sync::Arc;

use arc_swap::{ArcSwap, ArcSwapOption};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

use crate::certificate::Certificate;

/// The protocol of handshakes in which an authority validates a name (RFC 8737 section 6.2).
/// Nothing is ever sent over it.
pub(crate) const CHALLENGE_PROTOCOL: &[u8] = b"acme-tls/1";

/// The path at which an authority requests key authorizations.
const CHALLENGE_PATH: &str = "/.well-known/acme-challenge/";

/// The certificate that the program gives a listener while it runs. Clones share it.
#[derive(Clone, Debug)]
pub struct Issued(pub(crate) Arc<Current>);

impl Issued {
    /// Presents this certificate in each handshake from now on. Connections that are open stay as
    /// they are.
    pub fn present(&self, certificate: &Certificate) {
        self.0.replace(certificate.clone());
    }

    /// Answers handshakes by which an authority validates a name with these certificates, and no
    /// others.
    pub fn answer_challenges(&self, pending: &[(String, Certificate)]) {
        self.0.challenges.store(Arc::new(pending.to_vec()));
    }
}

/// The resolver that rustls calls at each handshake: the current certificate, if there is one.
#[derive(Debug, Default)]
pub(crate) struct Current {
    certificate: ArcSwapOption<CertifiedKey>,
    challenges: ArcSwap<Vec<(String, Certificate)>>,
}

impl Current {
    pub(crate) fn new(certificate: Option<Certificate>) -> Self {
        let certificate = ArcSwapOption::new(certificate.map(|certificate| certificate.0));
        Self { certificate, challenges: ArcSwap::default() }
    }

    pub(crate) fn replace(&self, certificate: Certificate) {
        self.certificate.store(Some(certificate.0));
    }

    pub(crate) fn certificate(&self) -> Option<Certificate> {
        self.certificate.load_full().map(Certificate)
    }

    fn challenge(&self, name: &str) -> Option<Arc<CertifiedKey>> {
        let pending = self.challenges.load();
        let found = pending.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map(|(_, certificate)| Arc::clone(&certificate.0))
    }
}

impl ResolvesServerCert for Current {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        // An authority that validates offers this protocol and no other (RFC 8737 section 3).
        if hello.alpn().is_some_and(|mut offered| {
            offered.next() == Some(CHALLENGE_PROTOCOL) && offered.next().is_none()
        }) {
            return self.challenge(hello.server_name()?);
        }
        self.certificate.load_full()
    }
}

/// The key authorizations that an authority can request at the moment. Clones share the list.
#[derive(Clone, Debug, Default)]
pub struct Tokens(Arc<ArcSwap<Vec<(String, String)>>>);

impl Tokens {
    /// Answers these tokens with these key authorizations, and no others.
    pub fn answer_challenges(&self, pending: Vec<(String, String)>) {
        self.0.store(Arc::new(pending));
    }

    /// Returns the key authorization that is to be answered at a path, if the path is that of a
    /// pending challenge.
    pub fn at(&self, path: &str) -> Option<String> {
        let token = path.strip_prefix(CHALLENGE_PATH)?;
        let pending = self.0.load();
        let (_, authorization) = pending.iter().find(|(own, _)| own == token)?;
        Some(authorization.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pending_tokens_are_answered() {
        let tokens = Tokens::default();
        let elsewhere = tokens.clone();
        assert_eq!(tokens.at("/.well-known/acme-challenge/a"), None);
        elsewhere.answer_challenges(vec![("a".to_owned(), "a.thumb".to_owned())]);
        assert_eq!(tokens.at("/.well-known/acme-challenge/a").as_deref(), Some("a.thumb"));
        for other in ["/.well-known/acme-challenge/", "/.well-known/acme-challenge/ab", "/a", "a"] {
            assert_eq!(tokens.at(other), None, "{other}");
        }
        elsewhere.answer_challenges(Vec::new());
        assert_eq!(tokens.at("/.well-known/acme-challenge/a"), None);
    }
}
