//! How long a request may take to arrive, and how large it may be.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tokio::time::{Instant, Sleep};

/// The limits on how a request arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// The longest pause between two parts of a body (30 s). A body that stops arriving ends in an error.
    pub pause: Duration,
    /// The most bytes of a body (1 GiB). A larger one ends in an error.
    pub body_bytes: u64,
}

impl Default for Arrival {
    fn default() -> Arrival {
        Arrival { pause: Duration::from_secs(30), body_bytes: 1024 * 1024 * 1024 }
    }
}

impl Arrival {
    /// `request` with a body that keeps to the limits.
    pub(crate) fn limit(self, request: Request) -> Request {
        request.map(|body| match body.is_end_stream() {
            true => body,
            false => Body::new(Arriving {
                body,
                limits: self,
                left: self.body_bytes,
                timer: Box::pin(tokio::time::sleep(self.pause)),
            }),
        })
    }
}

/// A body that ends in an error where it takes too long, or is too large.
struct Arriving {
    body: Body,
    limits: Arrival,
    left: u64,
    timer: Pin<Box<Sleep>>,
}

/// Why a body ended before its end.
#[derive(Debug, thiserror::Error)]
enum Stopped {
    #[error("the request's body stopped arriving")]
    Pause,
    #[error("the request's body has more than {0} bytes")]
    Size(u64),
}

impl HttpBody for Arriving {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = match Pin::new(&mut self.body).poll_frame(context) {
            Poll::Pending => {
                return match self.timer.as_mut().poll(context) {
                    Poll::Ready(()) => Poll::Ready(Some(Err(axum::Error::new(Stopped::Pause)))),
                    Poll::Pending => Poll::Pending,
                };
            }
            Poll::Ready(frame) => frame,
        };
        let next = Instant::now() + self.limits.pause;
        self.timer.as_mut().reset(next);
        if let Some(Ok(frame)) = &frame {
            let bytes = frame.data_ref().map_or(0, |data| data.len() as u64);
            match self.left.checked_sub(bytes) {
                Some(left) => self.left = left,
                None => return Poll::Ready(Some(Err(axum::Error::new(Stopped::Size(self.limits.body_bytes))))),
            }
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;

    fn limited(body: Body, pause: u64, body_bytes: u64) -> Body {
        Arrival { pause: Duration::from_millis(pause), body_bytes }.limit(Request::new(body)).into_body()
    }

    #[tokio::test]
    async fn a_body_within_the_limits_arrives_whole() {
        let body = limited(Body::from("hello"), 1000, 5);
        assert_eq!(body.size_hint().exact(), Some(5));
        assert_eq!(body.collect().await.unwrap().to_bytes(), "hello");
    }

    #[tokio::test]
    async fn a_body_that_is_too_large_or_stops_is_an_error() {
        let error = limited(Body::from("hello"), 1000, 4).collect().await.unwrap_err();
        assert!(error.to_string().contains("more than 4 bytes"), "{error}");
        struct Never;
        impl HttpBody for Never {
            type Data = Bytes;
            type Error = axum::Error;
            fn poll_frame(
                self: Pin<&mut Self>,
                _: &mut Context<'_>,
            ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
                Poll::Pending
            }
        }
        let error = limited(Body::new(Never), 20, 4).collect().await.unwrap_err();
        assert!(error.to_string().contains("stopped arriving"), "{error}");
    }
}
