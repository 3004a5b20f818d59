//! Many at once.

use serde_json::{Value, json};

use super::{Server, indexed};
use crate::support::until;

#[test]
fn many_callers_get_the_same_answers() {
    let tree = indexed();
    let server = Server::start(&tree, &[], &[]);
    let questions: [(&str, Value); 4] = [
        (
            "/search",
            json!({"query": "send again", "collectionName": "shop"}),
        ),
        (
            "/search/fulltext",
            json!({"textQuery": "query", "collectionName": "shop"}),
        ),
        (
            "/search/payload",
            json!({"payload": {"language": "rust"}, "collectionName": "shop"}),
        ),
        ("/api/search_code", json!({"query": "tokenize"})),
    ];
    let alone = questions
        .clone()
        .map(|(path, body)| server.post(path, &body).ok());
    std::thread::scope(|scope| {
        for caller in 0..32 {
            let (server, questions, alone) = (*server, &questions, &alone);
            scope.spawn(move || {
                for round in 0..10 {
                    let at = (caller + round) % questions.len();
                    let (path, body) = &questions[at];
                    assert_eq!(server.post(path, body).ok(), alone[at]);
                }
            });
        }
    });
    // An answer is counted until its last byte has left, a moment after it was read.
    until("all have left", || {
        server.gauge("ken_http_requests_in_flight") == 1
    });
}

#[test]
fn more_than_there_is_room_for_are_told_to_come_back() {
    let tree = indexed();
    let server = Server::start(&tree, &[], &[("KEN_HTTP_CONCURRENCY", "2")]);
    let first = server.begin("POST", "/search", &[], 100);
    server.wait_for_requests(1);
    let second = server.begin("POST", "/search", &[], 100);
    until("there is no room", || server.get("/healthz").status == 429);
    let refused = server.get("/metrics");
    refused.problem(429);
    assert_eq!(refused.header("retry-after"), "1");
    drop((first, second));
    until("there is room again", || {
        server.get("/healthz").status == 200
    });
}
