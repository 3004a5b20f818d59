//! Counters of requests and connections in flight. A request counts until the last byte of its
//! answer is sent, so that a stopping server can wait for it.

use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use http_body_util::BodyExt;
use tokio::sync::watch;

/// A shared counter of what is in flight.
#[derive(Clone)]
pub struct InFlight(Arc<watch::Sender<usize>>);

impl Default for InFlight {
    fn default() -> InFlight {
        InFlight(Arc::new(watch::channel(0).0))
    }
}

/// One counted request or connection. Dropping it lowers the counter.
pub struct RequestGuard(InFlight);

impl Drop for RequestGuard {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count -= 1);
    }
}

impl InFlight {
    /// Raises the counter; `None` if it has reached `most`.
    pub fn try_enter(&self, most: usize) -> Option<RequestGuard> {
        // One atomic step: two requests cannot both take the last place.
        let is_let_in = self.0.send_if_modified(|count| {
            let has_room = *count < most;
            *count += usize::from(has_room);
            has_room
        });
        is_let_in.then(|| RequestGuard(self.clone()))
    }

    /// The current value.
    pub fn count(&self) -> usize {
        *self.0.borrow()
    }

    /// Waits until the counter is 0.
    pub async fn wait_until_empty(&self) {
        let mut receiver = self.0.subscribe();
        // This cannot fail: `self` holds the sender.
        let _ = receiver.wait_for(|count| *count == 0).await;
    }
}

impl RequestGuard {
    /// Ties the flight to the response's body, so that it ends when the whole answer is sent.
    pub fn hold_until_sent(self, response: Response) -> Response {
        response.map(|body| {
            Body::new(body.map_frame(move |frame| {
                let _under_way = &self;
                frame
            }))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_flight_ends_with_its_answer() {
        let in_flight = InFlight::default();
        let flight = in_flight.try_enter(1).unwrap();
        assert!(in_flight.try_enter(1).is_none());
        let response = flight.hold_until_sent(Response::new(Body::from("words")));
        assert_eq!(in_flight.count(), 1);
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(&bytes[..], b"words");
        in_flight.wait_until_empty().await;
        assert_eq!(in_flight.count(), 0);
    }
}
