//! Bodies of responses that are made while they are sent: parts from a thread that may block.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::Body;
use bytes::Bytes;
use http_body::Frame;
use tokio::sync::mpsc::{Receiver, Sender, error::TrySendError};

use crate::admission::Turn;

/// Sends something to the task that answers a request. While that is behind, others have the slots
/// of this work. Returns whether anybody still waits for the answer.
pub(crate) fn send<T>(to: &Sender<T>, turn: &mut Turn, item: T) -> bool {
    match to.try_send(item) {
        Ok(()) => true,
        Err(TrySendError::Closed(_)) => false,
        Err(TrySendError::Full(item)) => {
            turn.aside(|| to.blocking_send(item).is_ok()).unwrap_or(false)
        }
    }
}

/// The end of a body before its time. The client learns from the connection, which ends, that
/// something is missing.
#[derive(Debug)]
pub(crate) struct CutOff;

impl std::fmt::Display for CutOff {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the response could not be completed")
    }
}

impl std::error::Error for CutOff {}

/// Returns a body of what arrives, each item as the part that `part` makes of it.
pub(crate) fn body<T: Send + Unpin + 'static>(
    first: T,
    items: Receiver<T>,
    part: impl FnMut(T) -> Result<Bytes, CutOff> + Send + Unpin + 'static,
) -> Body {
    Body::new(Streamed { first: Some(first), items, part })
}

struct Streamed<T, F> {
    first: Option<T>,
    items: Receiver<T>,
    part: F,
}

impl<T: Unpin, F: FnMut(T) -> Result<Bytes, CutOff> + Unpin> http_body::Body for Streamed<T, F> {
    type Data = Bytes;
    type Error = CutOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, CutOff>>> {
        let first = self.first.take();
        let item = match first {
            Some(first) => Some(first),
            None => ready!(self.items.poll_recv(cx)),
        };
        Poll::Ready(item.map(|item| (self.part)(item).map(Frame::data)))
    }
}
