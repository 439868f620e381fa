//! The body of a response on its way to the client: counted as unsent until the connection has dropped its last byte, and handed over
//! in slices, so that no buffer takes more of it than it needs.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

use crate::watch::Watch;

/// Size of a slice: one frame of HTTP/2 (RFC 9113 section 4.2).
const SLICE: usize = 16 << 10;

/// A body that is counted while it is sent.
pub(crate) struct SentBody<B> {
    inner: B,
    /// What the inner body has given and the connection has not taken.
    rest: Bytes,
    held: Option<Arc<HeldBody>>,
}

impl<B: Body> SentBody<B> {
    /// Counts a body; `None` if the connection may not hold that much.
    pub(crate) fn new(inner: B, watch: &Arc<Watch>) -> Option<Self> {
        let size = inner.size_hint().lower();
        debug_assert!(inner.size_hint().exact().is_some(), "a body of known size");
        let held = match usize::try_from(size) {
            Ok(0) => None,
            Ok(size) => Some(Arc::new(HeldBody::new(watch, size)?)),
            Err(_) => return None,
        };
        Some(Self { inner, rest: Bytes::new(), held })
    }

    /// Returns a body that is not counted, because it is empty.
    pub(crate) fn empty(inner: B) -> Self {
        Self { inner, rest: Bytes::new(), held: None }
    }

    fn slice(&mut self) -> Frame<Bytes> {
        let end = self.rest.len().min(SLICE);
        Frame::data(self.rest.split_to(end))
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for SentBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        if !self.rest.is_empty() {
            return Poll::Ready(Some(Ok(self.slice())));
        }
        let Some(frame) = ready!(Pin::new(&mut self.inner).poll_frame(cx)) else {
            return Poll::Ready(None);
        };
        Poll::Ready(Some(frame.map(|frame| match frame.into_data() {
            Ok(data) => {
                self.rest = match &self.held {
                    Some(held) => Bytes::from_owner(Owned { data, _held: Arc::clone(held) }),
                    None => data,
                };
                self.slice()
            }
            Err(other) => other,
        })))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let mut hint = self.inner.size_hint();
        let rest = self.rest.len() as u64;
        if let Some(upper) = hint.upper() {
            hint.set_upper(upper + rest);
        }
        hint.set_lower(hint.lower() + rest);
        hint
    }
}

/// A body that a connection holds, counted until dropped.
#[derive(Debug)]
struct HeldBody {
    watch: Arc<Watch>,
    bytes: usize,
    part: u32,
}

impl HeldBody {
    /// Counts a body of this connection; `None` if it may not hold that much.
    fn new(watch: &Arc<Watch>, bytes: usize) -> Option<Self> {
        let part = watch.unsent().take(bytes, watch.now())?;
        Some(Self { watch: Arc::clone(watch), bytes, part })
    }
}

impl Drop for HeldBody {
    fn drop(&mut self) {
        self.watch.unsent().give_back(self.bytes, self.part);
    }
}

/// Bytes that are counted until the last slice of them is dropped.
struct Owned {
    data: Bytes,
    _held: Arc<HeldBody>,
}

impl AsRef<[u8]> for Owned {
    fn as_ref(&self) -> &[u8] {
        &self.data
    }
}
