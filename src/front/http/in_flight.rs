//! What is in flight: counted from the first byte of a request to the last of its answer, so that a
//! server that stops can wait for it.

use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use http_body_util::BodyExt;
use tokio::sync::watch;

/// The count, shared by all who take part.
#[derive(Clone)]
pub struct InFlight(Arc<watch::Sender<usize>>);

impl Default for InFlight {
    fn default() -> InFlight {
        InFlight(Arc::new(watch::channel(0).0))
    }
}

/// One that is under way; ends when dropped.
pub struct Flight(InFlight);

impl Drop for Flight {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count -= 1);
    }
}

impl InFlight {
    /// One more, unless there are `most`.
    pub fn enter(&self, most: usize) -> Option<Flight> {
        let is_let_in = self.0.send_if_modified(|count| {
            let has_room = *count < most;
            *count += usize::from(has_room);
            has_room
        });
        is_let_in.then(|| Flight(self.clone()))
    }

    pub fn count(&self) -> usize {
        *self.0.borrow()
    }

    /// Waits until there is none.
    pub async fn none(&self) {
        let mut receiver = self.0.subscribe();
        // The sender is here, so it cannot be gone.
        let _ = receiver.wait_for(|count| *count == 0).await;
    }
}

impl Flight {
    /// Ends when all of the answer has left.
    pub fn until_sent(self, response: Response) -> Response {
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
        let flight = in_flight.enter(1).unwrap();
        assert!(in_flight.enter(1).is_none());
        let response = flight.until_sent(Response::new(Body::from("words")));
        assert_eq!(in_flight.count(), 1);
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(&bytes[..], b"words");
        in_flight.none().await;
        assert_eq!(in_flight.count(), 0);
    }
}
