//! The OpenAPI document: made from the operations' declarations, so that it says what is so.

use axum::http::HeaderValue;
use serde_json::{Map, Value, json};

use crate::ops::{self, Effect, OpEntry};

/// As it is served, and its tag.
pub fn served() -> (String, HeaderValue) {
    let text = document().to_string();
    let hash = blake3::hash(text.as_bytes()).to_hex();
    let tag = HeaderValue::from_str(&format!("\"{}\"", &hash[..16]));
    (text, tag.expect("hexadecimal digits are fine in a header"))
}

pub fn document() -> Value {
    let mut paths = Map::new();
    for (path, operation) in FAMILIAR {
        let op = ops::find(operation).expect("the registry has it");
        paths.insert(path.to_string(), json!({ "post": familiar(op, path) }));
    }
    paths.insert("/indexer/index".to_string(), json!({ "post": index_job() }));
    paths.insert(
        "/indexer/jobs/{id}".to_string(),
        json!({ "get": look_at_job() }),
    );
    for op in ops::ALL {
        let path = format!("/api/{}", op.name);
        paths.insert(path, json!({ "post": operation(op, op.name) }));
    }
    for (path, id, summary, media_type) in PROBES {
        paths.insert(
            path.to_string(),
            json!({ "get": probe(id, summary, media_type) }),
        );
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Kenning",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Knows repositories (code, packages, specs, skills) and answers \
                            questions about them. The Model Context Protocol is spoken at /mcp.",
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
        },
        "servers": [{ "url": "/", "description": "This server" }],
        "security": [{ "token": [] }, {}],
        "tags": tags(),
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer",
                           "description": "Needed if the server was given a token" },
            },
            "schemas": { "Problem": problem(), "Job": job(), "Piece": piece() },
        },
    })
}

/// Routes that code-indexer's users know.
const FAMILIAR: [(&str, &str); 3] = [
    ("/search", "search_code_semantic"),
    ("/search/fulltext", "search_code_fulltext"),
    ("/search/payload", "search_code_by_payload"),
];

const PROBES: [(&str, &str, &str, &str); 4] = [
    (
        "/healthz",
        "health",
        "Whether the process lives",
        "application/json",
    ),
    (
        "/readyz",
        "readiness",
        "Whether it takes questions",
        "application/json",
    ),
    ("/metrics", "metrics", "Counts for Prometheus", "text/plain"),
    (
        "/openapi.json",
        "openapi",
        "This document",
        "application/json",
    ),
];

fn tags() -> Value {
    let families = ops::Family::ALL.map(|family| {
        let name = family.as_str();
        json!({ "name": name, "description": format!("Operations of the family {name}") })
    });
    let mut tags = families.to_vec();
    tags.push(json!({ "name": "indexer", "description": "Indexing in the background" }));
    tags.push(json!({ "name": "server", "description": "The server itself" }));
    Value::from(tags)
}

fn operation(op: &OpEntry, id: &str) -> Value {
    let reply = json!({ "description": "The answer", "content": {
        "application/json": { "schema": { "type": ["object", "array"] } },
        "text/plain": { "schema": { "type": "string" } },
    }});
    described(op, id, (op.schema)(), reply)
}

fn described(op: &OpEntry, id: &str, schema: Value, reply: Value) -> Value {
    let first = op.summary.split(['.', ':', ';']).next().unwrap_or_default();
    let mut statuses = vec!["400", "401", "404", "413", "429", "500", "503"];
    if op.effect == Effect::Updates {
        statuses.push("409");
    }
    let mut responses = problems(&statuses);
    responses.insert("200".to_string(), reply);
    json!({
        "operationId": id,
        "tags": [op.family.as_str()],
        "summary": first,
        "description": op.summary,
        "requestBody": {
            "required": schema["required"].is_array(),
            "content": { "application/json": { "schema": schema } },
        },
        "responses": responses,
    })
}

/// The same operation, where a collection may be a list.
fn familiar(op: &OpEntry, path: &str) -> Value {
    let mut schema = (op.schema)();
    let name = &mut schema["properties"]["collectionName"];
    name["type"] = json!(["string", "array"]);
    name["items"] = json!({ "type": "string" });
    let reply = json!({ "description": "What was found, best first", "content": {
        "application/json": { "schema": {
            "type": "array", "items": { "$ref": "#/components/schemas/Piece" },
        } },
    }});
    let id = path.trim_start_matches('/').replace('/', "_");
    described(op, &id, schema, reply)
}

fn index_job() -> Value {
    let mut responses = problems(&["400", "401", "404", "409", "413", "429", "503"]);
    responses.insert(
        "201".to_string(),
        json!({ "description": "It has begun; Location says where to look", "content": {
            "application/json": { "schema": { "$ref": "#/components/schemas/Job" } },
        }}),
    );
    json!({
        "operationId": "indexer_index",
        "tags": ["indexer"],
        "summary": "Index a repository in the background",
        "requestBody": { "required": true, "content": { "application/json": { "schema": {
            "type": "object",
            "properties": {
                "path": { "type": "string",
                          "description": "The repository; `projectId` is the same" },
                "collectionName": { "type": "string",
                                    "description": "What to call it; alone, which to refresh" },
                "provider": { "type": "string", "description": "Who makes the embeddings" },
                "include_tests": { "type": "boolean", "default": false },
                "rebuild": { "type": "boolean", "default": false },
            },
        } } } },
        "responses": responses,
    })
}

fn look_at_job() -> Value {
    let mut responses = problems(&["401", "404", "429"]);
    responses.insert(
        "200".to_string(),
        json!({ "description": "As it is; with `Accept: text/event-stream`, as it goes on",
            "content": {
                "application/json": { "schema": { "$ref": "#/components/schemas/Job" } },
                "text/event-stream": { "schema": { "type": "string" } },
        }}),
    );
    json!({
        "operationId": "indexer_job",
        "tags": ["indexer"],
        "summary": "How far a job is",
        "parameters": [{ "name": "id", "in": "path", "required": true,
                         "schema": { "type": "string" } }],
        "responses": responses,
    })
}

fn probe(id: &str, summary: &str, media_type: &str) -> Value {
    let mut responses = problems(&["401", "403", "503"]);
    let schema = match media_type {
        "application/json" => json!({ "type": "object" }),
        _ => json!({ "type": "string" }),
    };
    let content = json!({ media_type: { "schema": schema } });
    responses.insert(
        "200".to_string(),
        json!({ "description": "It is well", "content": content }),
    );
    json!({ "operationId": id, "tags": ["server"], "summary": summary, "responses": responses })
}

fn problems(statuses: &[&str]) -> Map<String, Value> {
    let problem = |status: &&str| {
        let code = status.parse().unwrap_or(500);
        let code = axum::http::StatusCode::from_u16(code).unwrap_or_default();
        let content = json!({ super::problem::MEDIA_TYPE: {
            "schema": { "$ref": "#/components/schemas/Problem" },
        }});
        let reason = code.canonical_reason().unwrap_or("Error");
        (
            status.to_string(),
            json!({ "description": reason, "content": content }),
        )
    };
    statuses.iter().map(problem).collect()
}

fn problem() -> Value {
    json!({
        "type": "object",
        "description": "Problem details (RFC 9457)",
        "required": ["type", "title", "status", "detail"],
        "properties": {
            "type": { "type": "string" },
            "title": { "type": "string" },
            "status": { "type": "integer" },
            "detail": { "type": "string", "description": "What went wrong" },
            "hint": { "type": "string", "description": "What to do next" },
            "data": { "type": "object", "description": "What a program can use" },
        },
    })
}

fn job() -> Value {
    json!({
        "type": "object",
        "required": ["jobId", "status"],
        "properties": {
            "jobId": { "type": "string" },
            "status": { "type": "string", "enum": ["running", "done", "failed", "cancelled"] },
            "message": { "type": "string" },
            "url": { "type": "string" },
            "path": { "type": "string" },
            "startedAt": { "type": "string", "format": "date-time" },
            "finishedAt": { "type": "string", "format": "date-time" },
            "progress": { "type": "object" },
            "result": { "type": "object", "description": "What index_codebase says at the end" },
            "error": { "type": "string" },
        },
    })
}

fn piece() -> Value {
    json!({
        "type": "object",
        "description": "A piece of code",
        "required": ["id", "collectionName", "filePath", "startLine", "endLine", "text"],
        "properties": {
            "score": { "type": "number" },
            "id": { "type": "string" },
            "collectionName": { "type": "string" },
            "filePath": { "type": "string" },
            "startLine": { "type": "integer" },
            "endLine": { "type": "integer" },
            "language": { "type": "string" },
            "kind": { "type": "string" },
            "symbol": { "type": "string" },
            "scope": { "type": "string" },
            "package": { "type": "string" },
            "is_exported": { "type": "boolean" },
            "match": { "type": "string", "enum": ["exact", "ignoring case", "words"] },
            "matchLines": { "type": "array", "items": { "type": "integer" } },
            "text": { "type": "string" },
        },
    })
}
