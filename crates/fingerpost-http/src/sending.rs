//! The body of a response on its way to the client: counted as unsent until the connection has
//! dropped its last byte, and handed over in slices, so that no buffer takes more of it than it
//! needs.
//!
//! A body of unknown size is made while it is sent. Each of its parts is counted by itself, and its
//! request is in progress until its end.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

use crate::watch::{RequestGuard, Watch};

/// Size of a slice: one frame of HTTP/2 (RFC 9113 section 4.2).
const SLICE: usize = 16 << 10;

/// A body that is counted while it is sent.
pub(crate) struct SentBody<B> {
    inner: B,
    /// Bytes that the inner body has produced and the connection has not accepted.
    rest: Bytes,
    held: Option<Arc<HeldBody>>,
    /// The request of a body of unknown size, until it ends.
    streamed: Option<RequestGuard>,
}

impl<B: Body> SentBody<B> {
    /// Counts a body; gives the request back if the connection may not hold that much.
    pub(crate) fn new(inner: B, guard: RequestGuard) -> Result<Self, RequestGuard> {
        let Some(size) = inner.size_hint().exact() else {
            return Ok(Self { inner, rest: Bytes::new(), held: None, streamed: Some(guard) });
        };
        let held = match usize::try_from(size) {
            Ok(0) => None,
            Ok(size) => match HeldBody::new(guard.watch(), size) {
                Some(held) => Some(Arc::new(held)),
                None => return Err(guard),
            },
            Err(_) => return Err(guard),
        };
        Ok(Self { inner, rest: Bytes::new(), held, streamed: None })
    }

    /// Returns a body that is not counted, because it is empty.
    pub(crate) fn empty(inner: B) -> Self {
        Self { inner, rest: Bytes::new(), held: None, streamed: None }
    }

    /// Counts a part of the body, unless the body is counted as a whole.
    fn counted(&self, data: Bytes) -> Bytes {
        let held = match (&self.held, &self.streamed) {
            (Some(held), _) => Arc::clone(held),
            (None, Some(guard)) => Arc::new(HeldBody::part(guard.watch(), data.len())),
            (None, None) => return data,
        };
        Bytes::from_owner(Owned { data, _held: held })
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
            self.streamed = None;
            return Poll::Ready(None);
        };
        Poll::Ready(Some(frame.map(|frame| match frame.into_data() {
            Ok(data) => {
                self.rest = self.counted(data);
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

    /// Counts a part of a body, of which the connection takes one at a time.
    fn part(watch: &Arc<Watch>, bytes: usize) -> Self {
        let part = watch.unsent().take_part(bytes, watch.now());
        Self { watch: Arc::clone(watch), bytes, part }
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
