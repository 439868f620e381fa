//! An order for a certificate, from the account to the chain (RFC 8555 section 7.4).

use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use fingerpost_http::Certificate;
use instant_acme::{
    Account, AccountBuilder, AuthorizationStatus, CertificateIdentifier, ChallengeType,
    ExternalAccountKey, Identifier, NewAccount, NewOrder, Order, OrderStatus, RetryPolicy,
};
use jiff::Timestamp;
use rcgen::{CertificateParams, CustomExtension, DistinguishedName, KeyPair};
use rustls::pki_types::PrivatePkcs8KeyDer;
use zeroize::Zeroizing;

use crate::client::Client;
use crate::config::{Challenge, Config};
use crate::error::{AcmeError, Told};
use crate::folder::Folder;
use crate::limits::VALIDATION_TIME;
use crate::listeners::{Listeners, Pending};
use crate::schedule::Window;

/// What is needed to order from an authority.
#[derive(Clone, Copy)]
pub(crate) struct Orderer<'o> {
    pub(crate) config: &'o Config,
    pub(crate) folder: &'o Folder,
    pub(crate) listeners: &'o Listeners,
    pub(crate) client: &'o Client,
}

/// A certificate that was issued, with the texts to keep.
pub(crate) struct Obtained {
    pub(crate) certificate: Certificate,
    pub(crate) chain: String,
    pub(crate) key: Zeroizing<String>,
}

impl Orderer<'_> {
    /// Gets a certificate, in place of another one if that is by the same authority.
    pub(crate) async fn obtain(
        &self,
        replaced: Option<&Certificate>,
    ) -> Result<Obtained, AcmeError> {
        self.client.retry_at().take();
        self.order_by_account(replaced).await.map_err(|error| self.with_time(error))
    }

    /// Orders with the account that is kept, or with a new one if the authority has forgotten it.
    async fn order_by_account(
        &self,
        replaced: Option<&Certificate>,
    ) -> Result<Obtained, AcmeError> {
        match self.order(&self.account().await?, replaced).await {
            Err(error) if error.is_problem("accountDoesNotExist") => {
                tracing::info!("the authority does not know the account: a new one is created");
                self.order(&self.new_account().await?, replaced).await
            }
            obtained => obtained,
        }
    }

    /// Returns the window in which the authority suggests to renew a certificate, and how long it
    /// is not asked for again.
    pub(crate) async fn window(
        &self,
        certificate: &Certificate,
    ) -> Result<(Option<Window>, Duration), AcmeError> {
        let Some(id) = identifier(certificate) else {
            return Err(AcmeError::Unusable("it has no identifier for the window".to_owned()));
        };
        let (info, retry_after) = self.account().await?.renewal_info(&id).await?;
        let time = |time: i64| Timestamp::from_second(time).ok();
        let window = &info.suggested_window;
        let ends = time(window.start.unix_timestamp()).zip(time(window.end.unix_timestamp()));
        Ok((ends.and_then(|(start, end)| Window::new(start, end)), retry_after))
    }

    /// Adds when the authority wants to be asked again.
    fn with_time(&self, error: AcmeError) -> AcmeError {
        match error {
            AcmeError::Authority { reason, kind, retry_at: _ } => {
                AcmeError::Authority { reason, kind, retry_at: self.client.retry_at().take() }
            }
            error => error,
        }
    }

    async fn order(
        &self,
        account: &Account,
        replaced: Option<&Certificate>,
    ) -> Result<Obtained, AcmeError> {
        let mut order = self.new_order(account, replaced).await?;
        let _answering = self.prepare(&mut order).await?;
        self.validate(&mut order).await?;
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::new(self.config.names())?;
        params.distinguished_name = DistinguishedName::new();
        order.finalize_csr(params.serialize_request(&key)?.der()).await?;
        let chain = order.poll_certificate(&RetryPolicy::new().timeout(VALIDATION_TIME)).await?;
        let key = Zeroizing::new(key.serialize_pem());
        let file = self.folder.certificate_path();
        let certificate = Certificate::from_pem(chain.as_bytes(), key.as_bytes(), &file)
            .map_err(|error| AcmeError::Unusable(error.to_string()))?;
        if let Some(name) = self.config.names().iter().find(|name| !certificate.is_for(name)) {
            return Err(AcmeError::Unusable(format!("it is not for {name}")));
        }
        Ok(Obtained { certificate, chain, key })
    }

    /// Returns the account at the authority, which is created if there is none.
    async fn account(&self) -> Result<Account, AcmeError> {
        match self.folder.account(self.config.directory())? {
            Some(credentials) => Ok(self.builder().from_credentials(credentials).await?),
            None => self.new_account().await,
        }
    }

    fn builder(&self) -> AccountBuilder {
        Account::builder_with_http(Box::new(self.client.clone()))
    }

    /// Creates an account at the authority, and keeps it.
    async fn new_account(&self) -> Result<Account, AcmeError> {
        let directory = self.config.directory();
        let contacts = self.config.contacts();
        let contacts: Vec<&str> = contacts.iter().map(String::as_str).collect();
        // The configuration is refused unless the operator agrees to the terms.
        let new = NewAccount {
            contact: &contacts,
            terms_of_service_agreed: true,
            only_return_existing: false,
        };
        let binding = self.binding()?;
        let made = self.builder().create(&new, directory.to_owned(), binding.as_ref()).await?;
        let (account, credentials) = made;
        self.folder.keep_account(directory, credentials)?;
        tracing::info!(account = account.id(), "account created at the authority");
        Ok(account)
    }

    /// Returns the account at the authority that the new account is bound to (RFC 8555 section
    /// 7.3.4).
    fn binding(&self) -> Result<Option<ExternalAccountKey>, AcmeError> {
        let Some((kid, path)) = self.config.binding() else { return Ok(None) };
        let text = std::fs::read_to_string(path).map(Zeroizing::new);
        let text = text.map_err(|error| AcmeError::File { path: path.to_owned(), error })?;
        let key = BASE64_URL_SAFE_NO_PAD.decode(text.trim().trim_end_matches('='));
        let key = key.ok().filter(|key| !key.is_empty()).map(Zeroizing::new);
        let key = key.ok_or_else(|| AcmeError::Content {
            key: "acme.eab_key_file",
            expected: "a key in the form base64url",
            path: path.to_owned(),
        })?;
        Ok(Some(ExternalAccountKey::new(kid.to_owned(), &key)))
    }

    async fn new_order(
        &self,
        account: &Account,
        replaced: Option<&Certificate>,
    ) -> Result<Order, AcmeError> {
        let names: Vec<_> = self.config.names().iter().cloned().map(Identifier::Dns).collect();
        let new = || match self.config.profile() {
            Some(profile) => NewOrder::new(&names).profile(profile),
            None => NewOrder::new(&names),
        };
        // An order that names its predecessor is not limited as others are (RFC 9773 section 5).
        if let Some(id) = replaced.and_then(identifier) {
            match account.new_order(&new().replaces(id)).await {
                Ok(order) => return Ok(order),
                Err(instant_acme::Error::Unsupported(_)) => {}
                Err(error) => {
                    let error = AcmeError::from(error);
                    let is_about_it = ["alreadyReplaced", "malformed", "conflict"];
                    if !is_about_it.iter().any(|kind| error.is_problem(kind)) {
                        return Err(error);
                    }
                    tracing::debug!(%error, "the order does not name the certificate before");
                }
            }
        }
        Ok(account.new_order(&new()).await?)
    }

    /// Makes the challenges of all names that the authority has not validated yet answerable, then
    /// says so.
    async fn prepare(&self, order: &mut Order) -> Result<crate::listeners::Answering, AcmeError> {
        let wanted = match self.config.challenge() {
            Challenge::Http01 => ChallengeType::Http01,
            Challenge::TlsAlpn01 => ChallengeType::TlsAlpn01,
        };
        let mut pending = Vec::new();
        let mut authorizations = order.authorizations();
        while let Some(authorization) = authorizations.next().await {
            let mut authorization = authorization?;
            if authorization.status == AuthorizationStatus::Valid {
                continue;
            }
            let name = authorization.identifier().to_string();
            let Some(challenge) = authorization.challenge(wanted.clone()) else {
                let challenge = self.config.challenge().name();
                return Err(AcmeError::NotOffered { name, challenge });
            };
            let proof = challenge.key_authorization();
            pending.push(match self.config.challenge() {
                Challenge::Http01 => {
                    Pending::Token(challenge.token.clone(), proof.as_str().to_owned())
                }
                Challenge::TlsAlpn01 => {
                    let certificate = proving(&name, proof.digest().as_ref())?;
                    Pending::Handshake(name, certificate)
                }
            });
        }
        let answering = self.listeners.answer(pending);
        let mut authorizations = order.authorizations();
        while let Some(authorization) = authorizations.next().await {
            let mut authorization = authorization?;
            if authorization.status == AuthorizationStatus::Pending
                && let Some(mut challenge) = authorization.challenge(wanted.clone())
            {
                challenge.set_ready().await?;
            }
        }
        Ok(answering)
    }

    /// Waits until the authority has validated all names.
    async fn validate(&self, order: &mut Order) -> Result<(), AcmeError> {
        let ended = order.poll_ready(&RetryPolicy::new().timeout(VALIDATION_TIME)).await;
        match ended {
            Ok(OrderStatus::Ready) => Ok(()),
            Ok(_) | Err(instant_acme::Error::Api(_)) => {
                let reasons = faults(order).await;
                match ended {
                    Err(error) if reasons.is_empty() => Err(error.into()),
                    _ => Err(AcmeError::Invalid(reasons.join("; "))),
                }
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Returns what the authority found at the names that it could not validate.
async fn faults(order: &mut Order) -> Vec<String> {
    let mut reasons = Vec::new();
    let mut authorizations = order.authorizations();
    while let Some(Ok(mut authorization)) = authorizations.next().await {
        if authorization.refresh().await.is_err() {
            continue;
        }
        let name = authorization.identifier().to_string();
        let errors = authorization.challenges.iter().filter_map(|one| one.error.as_ref());
        reasons.extend(errors.map(|problem| format!("{name}: {}", Told(problem))));
    }
    reasons
}

/// Returns the name by which an authority knows a certificate (RFC 9773 section 4.1).
fn identifier(certificate: &Certificate) -> Option<CertificateIdentifier<'static>> {
    CertificateIdentifier::try_from(certificate.leaf()?).ok().map(CertificateIdentifier::into_owned)
}

/// Returns the certificate that proves a name in a handshake (RFC 8737 section 3).
fn proving(name: &str, digest: &[u8]) -> Result<Certificate, AcmeError> {
    // SHA-256 has 32 bytes.
    let digest: &[u8; 32] = digest.try_into().map_err(|_| rcgen::Error::CouldNotParseKeyPair)?;
    let key = KeyPair::generate()?;
    let mut params = CertificateParams::new(vec![name.to_owned()])?;
    params.custom_extensions = vec![CustomExtension::new_acme_identifier(digest)];
    let made = params.self_signed(&key)?;
    let key = PrivatePkcs8KeyDer::from(key.serialize_der());
    Ok(Certificate::proving(made.der().clone(), key.into())?)
}

#[cfg(test)]
mod tests;
