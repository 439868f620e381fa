//! The stream of a connection, which reports bytes read and written to the [watch](crate::watch),
//! and gives the answers to requests that [cannot be read](crate::unreadable).

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::handler::Handler;
use crate::unreadable;
use crate::watch::Watch;

/// A stream that reports bytes read and written to its watch.
pub(crate) struct WatchedStream<T, H> {
    stream: T,
    watch: Arc<Watch>,
    handler: Arc<H>,
    /// The rest of an answer that replaces bytes that were offered.
    replacement: Option<Bytes>,
}

impl<T, H> WatchedStream<T, H> {
    pub(crate) fn new(stream: T, watch: Arc<Watch>, handler: Arc<H>) -> Self {
        Self { stream, watch, handler, replacement: None }
    }
}

impl<T: AsyncRead + Unpin, H> AsyncRead for WatchedStream<T, H> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if buffer.filled().len() > before {
            self.watch.received();
        }
        polled
    }
}

impl<T: AsyncWrite + Unpin, H: Handler> WatchedStream<T, H> {
    /// Writes bytes, and nothing else.
    fn write(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.note(&polled, bytes.len());
        polled
    }

    /// Writes the rest of the replacement; the `offered` bytes are reported as written when it is
    /// complete.
    fn write_replacement(
        &mut self,
        cx: &mut Context<'_>,
        mut rest: Bytes,
        offered: usize,
    ) -> Poll<io::Result<usize>> {
        while !rest.is_empty() {
            match self.write(cx, &rest) {
                Poll::Ready(Ok(0)) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Poll::Ready(Ok(written)) => rest.advance(written),
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => {
                    self.replacement = Some(rest);
                    return Poll::Pending;
                }
            }
        }
        Poll::Ready(Ok(offered))
    }

    fn note(&self, polled: &Poll<io::Result<usize>>, offered: usize) {
        match polled {
            Poll::Ready(Ok(taken)) if *taken == offered => self.watch.sent_all(),
            Poll::Ready(Ok(taken)) => self.watch.sent_part(Some(offered - taken)),
            Poll::Ready(Err(_)) => {}
            Poll::Pending => self.watch.sent_part(Some(offered)),
        }
    }
}

impl<T: AsyncWrite + Unpin, H: Handler> AsyncWrite for WatchedStream<T, H> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if let Some(rest) = self.replacement.take() {
            return self.write_replacement(cx, rest, bytes.len());
        }
        let found = unreadable::find(bytes).filter(|_| self.watch.may_be_unread());
        let Some((start, status)) = found else { return self.write(cx, bytes) };
        if start > 0 {
            // The previous result; the rest is offered again.
            return self.write(cx, &bytes[..start]);
        }
        match self.handler.unreadable(status) {
            None => self.write(cx, bytes),
            Some(answer) => {
                self.watch.counts().unreadable();
                let answer = unreadable::to_bytes(&answer, bytes);
                self.write_replacement(cx, answer, bytes.len())
            }
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.note(&polled, slices.iter().map(|slice| slice.len()).sum());
        polled
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_flush(cx);
        match polled {
            Poll::Ready(Ok(())) => self.watch.sent_all(),
            Poll::Ready(Err(_)) => {}
            Poll::Pending => self.watch.sent_part(None),
        }
        polled
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
