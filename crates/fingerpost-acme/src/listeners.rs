//! The listeners that present the certificate, and answer challenges.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fingerpost_http::{Certificate, Issued, Tokens};

/// The listeners that get the certificate. Clones are the same listeners.
#[derive(Clone, Debug, Default)]
pub struct Listeners {
    served: Arc<Mutex<Served>>,
    tokens: Tokens,
}

#[derive(Debug, Default)]
struct Served {
    certificate: Option<Certificate>,
    issued: Vec<Issued>,
}

/// A challenge that the authority can check.
#[derive(Clone, Debug)]
pub(crate) enum Pending {
    /// A token with its key authorization.
    Token(String, String),
    /// A name with the certificate that proves it.
    Handshake(String, Certificate),
}

impl Listeners {
    /// Begins with the listeners that answer tokens.
    pub fn answering(tokens: Tokens) -> Self {
        Self { tokens, served: Arc::default() }
    }

    /// Adds a listener, which presents the certificate from now on if there is one.
    pub fn add(&self, issued: Issued) {
        let mut served = self.served();
        if let Some(certificate) = &served.certificate {
            issued.present(certificate);
        }
        served.issued.push(issued);
    }

    /// Presents a certificate at every listener.
    pub(crate) fn present(&self, certificate: Certificate) {
        let mut served = self.served();
        served.issued.iter().for_each(|issued| issued.present(&certificate));
        served.certificate = Some(certificate);
    }

    /// Answers these challenges until the guard is dropped.
    pub(crate) fn answer(&self, pending: Vec<Pending>) -> Answering {
        let (mut tokens, mut handshakes) = (Vec::new(), Vec::new());
        for one in pending {
            match one {
                Pending::Token(token, authorization) => tokens.push((token, authorization)),
                Pending::Handshake(name, certificate) => handshakes.push((name, certificate)),
            }
        }
        self.tokens.answer_challenges(tokens);
        self.served().issued.iter().for_each(|issued| issued.answer_challenges(&handshakes));
        Answering(self.clone())
    }

    fn served(&self) -> MutexGuard<'_, Served> {
        self.served.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A guard for challenges that are answered.
pub(crate) struct Answering(Listeners);

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.tokens.answer_challenges(Vec::new());
        self.0.served().issued.iter().for_each(|issued| issued.answer_challenges(&[]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges_are_answered_until_the_order_ends() {
        let tokens = Tokens::default();
        let listeners = Listeners::answering(tokens.clone());
        let pending = Pending::Token("a".to_owned(), "a.thumb".to_owned());
        let answering = listeners.answer(vec![pending]);
        let path = "/.well-known/acme-challenge/a";
        assert_eq!(tokens.at(path).as_deref(), Some("a.thumb"));
        drop(answering);
        assert_eq!(tokens.at(path), None);
    }
}
