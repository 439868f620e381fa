//! The HTTP client for the storage: a server that answers endlessly, or names a huge length,
//! takes no memory for it.

use std::future::Future;
use std::pin::Pin;

use http_body_util::{BodyExt, Limited};
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse,
    HttpResponseBody, HttpService, ReqwestConnector,
};

use crate::limits::MAX_S3_ANSWER;

/// Makes clients whose answers are bounded.
#[derive(Debug)]
pub(super) struct Bounded;

impl HttpConnector for Bounded {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let client = ReqwestConnector::default().connect(options)?;
        Ok(HttpClient::new(BoundedService(client)))
    }
}

#[derive(Debug)]
struct BoundedService(HttpClient);

impl HttpService for BoundedService {
    fn call<'s, 'f>(
        &'s self,
        request: HttpRequest,
    ) -> Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'f>>
    where
        's: 'f,
        Self: 'f,
    {
        Box::pin(async move {
            let response = self.0.execute(request).await?;
            Ok(response.map(|body| {
                let too_long = |error| HttpError::new_boxed(HttpErrorKind::Decode, error);
                HttpResponseBody::new(Limited::new(body, MAX_S3_ANSWER).map_err(too_long))
            }))
        })
    }
}
