use courier::client::{CarrierError, Method, Request, Response};
use courier::retry::{RetryPolicy, send_with_retries};

fn request(method: Method) -> Request {
    Request { method, path: "/windows/10115".to_string(), body: Vec::new() }
}

#[test]
fn an_overloaded_carrier_is_asked_again() {
    let mut calls = 0;
    let answer = send_with_retries(&RetryPolicy::default(), &request(Method::Get), |_| {
        calls += 1;
        if calls < 3 { Err(CarrierError::Status(503)) } else { Ok(Response { status: 200, body: vec![] }) }
    });
    assert!(answer.is_ok());
    assert_eq!(calls, 3);
}

#[test]
fn a_post_is_not_sent_twice() {
    let mut calls = 0;
    let _ = send_with_retries(&RetryPolicy::default(), &request(Method::Post), |_| {
        calls += 1;
        Err(CarrierError::Status(503))
    });
    assert_eq!(calls, 1);
}
