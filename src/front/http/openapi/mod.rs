//! The OpenAPI document, made from the operations' declarations, so that it cannot be out of date.

mod schemas;

use axum::http::HeaderValue;
use serde_json::{Map, Value, json};

use super::dispatch::media_type;
use super::jobs;
use crate::ops::{self, OpEffect, OpEntry};

/// Returns the document as it is served, and its entity tag.
pub fn served_document() -> (String, HeaderValue) {
    let text = document().to_string();
    let hash = blake3::hash(text.as_bytes()).to_hex();
    let tag = HeaderValue::from_str(&format!("\"{}\"", &hash[..16]));
    (text, tag.expect("hexadecimal digits are fine in a header"))
}

/// Builds the document.
pub fn document() -> Value {
    let mut paths = Map::new();
    for (path, operation) in FAMILIAR {
        let op = ops::find(operation).expect("the registry has it");
        paths.insert(path.to_string(), json!({ "post": familiar_path(op, path) }));
    }
    paths.insert("/indexer/index".to_string(), json!({ "post": index_path() }));
    paths.insert("/indexer/jobs/{id}".to_string(), json!({ "get": job_path() }));
    for op in ops::ALL {
        let path = format!("/api/{}", op.name);
        paths.insert(path, json!({ "post": operation_path(op, op.name) }));
    }
    for probe in SERVER_ROUTES {
        paths.insert(probe.path.to_string(), json!({ "get": probe.describe() }));
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Kenning",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Knows repositories (code, packages, specs, skills) and answers \
                            questions about them. The Model Context Protocol is spoken at /mcp, \
                            and / is a page for people. A path that is not here is answered with \
                            404, a method that a path does not take with 405, both with problem \
                            details.",
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
            "responses": problem_responses(),
            "schemas": schemas::all_schemas(),
        },
    })
}

/// The routes of code-indexer, with their operations.
const FAMILIAR: [(&str, &str); 3] = [
    ("/search", "search_code_semantic"),
    ("/search/fulltext", "search_code_fulltext"),
    ("/search/payload", "search_code_by_payload"),
];

/// Operations that answer with text instead of JSON.
const TEXTS: [&str; 2] = ["get_spec", "skill"];

/// Error statuses of every route: 400 for an unreadable `Host`, 403 for a `Host` or an `Origin`
/// that is not allowed, 503 while the server is shutting down.
const ANYWHERE: [u16; 3] = [400, 403, 503];

/// Error statuses of routes that require a token and have a concurrency limit.
const GUARDED: [u16; 2] = [401, 429];

/// Error statuses of routes that read a body.
const WITH_BODY: [u16; 3] = [408, 413, 415];

/// A route about the server itself: its health, its metrics, this document.
struct ServerRoute {
    /// The path.
    path: &'static str,
    /// The operation id.
    id: &'static str,
    /// Its summary.
    summary: &'static str,
    /// The media type of its answer.
    media_type: &'static str,
    /// Error statuses in addition to those of every route.
    statuses: &'static [u16],
    /// The schema of its answer.
    schema: fn() -> Value,
}

/// All routes about the server.
const SERVER_ROUTES: [ServerRoute; 4] = [
    ServerRoute {
        path: "/healthz",
        id: "health",
        summary: "Whether the process lives",
        media_type: "application/json",
        statuses: &[],
        schema: || {
            json!({ "type": "object", "required": ["status"],
                    "properties": { "status": { "type": "string", "enum": ["ok"] } } })
        },
    },
    ServerRoute {
        path: "/readyz",
        id: "readiness",
        summary: "Tell if the server answers questions",
        media_type: "application/json",
        statuses: &[],
        schema: || {
            json!({ "type": "object", "required": ["status", "collections"], "properties": {
                "status": { "type": "string", "enum": ["ready"] },
                "collections": { "type": "integer", "description": "How many can be asked" },
            } })
        },
    },
    ServerRoute {
        path: "/metrics",
        id: "metrics",
        summary: "Counts for Prometheus",
        media_type: "text/plain",
        statuses: &[401],
        schema: || json!({ "type": "string" }),
    },
    ServerRoute {
        path: "/openapi.json",
        id: "openapi",
        summary: "This document",
        media_type: "application/json",
        statuses: &GUARDED,
        schema: || json!({ "type": "object" }),
    },
];

impl ServerRoute {
    /// Describes the route. Probes without 401 declare that they need no token.
    fn describe(&self) -> Value {
        let mut responses = problem_references(&[&ANYWHERE, self.statuses]);
        let content = json!({ self.media_type: { "schema": (self.schema)() } });
        responses
            .insert("200".to_string(), json!({ "description": "It is well", "content": content }));
        if self.id == "openapi" {
            let known = json!({ "description": "`If-None-Match` names this state of it" });
            responses.insert("304".to_string(), known);
        }
        let mut described = json!({
            "operationId": self.id, "tags": ["server"], "summary": self.summary,
            "responses": responses,
        });
        if !self.statuses.contains(&401) {
            described["security"] = json!([]);
        }
        described
    }
}

/// The tags: one for each family, and two for the server.
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

/// Describes `POST /api/{op}`.
fn operation_path(op: &OpEntry, id: &str) -> Value {
    let reply = json!({ "description": "The answer", "content": answer_content(op) });
    describe_operation(op, id, &op.schema, reply)
}

/// The media types of an answer, one for each format that the caller may choose.
fn answer_content(op: &OpEntry) -> Value {
    let listed = op.schema["properties"]["format"]["enum"].as_array();
    let formats: Vec<&str> = match listed {
        Some(formats) => formats.iter().filter_map(Value::as_str).collect(),
        None if TEXTS.contains(&op.name) => vec!["text"],
        None => vec!["json"],
    };
    let answer = |format: &&str| {
        let full = media_type(format);
        let name = full.split(';').next().unwrap_or(full);
        let schema = match *format {
            "json" => json!({ "type": ["object", "array"] }),
            _ => json!({ "type": "string" }),
        };
        (name.to_string(), json!({ "schema": schema }))
    };
    Value::Object(formats.iter().map(answer).collect())
}

/// Describes an operation with its arguments and error statuses.
fn describe_operation(op: &OpEntry, id: &str, schema: &Value, reply: Value) -> Value {
    let first = op.summary.split(['.', ':', ';']).next().unwrap_or_default();
    let own: &[u16] = match op.effect {
        OpEffect::Reads => &[404, 500],
        OpEffect::Updates => &[404, 409, 500],
    };
    let mut responses = problem_references(&[&ANYWHERE, &GUARDED, &WITH_BODY, own]);
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

/// Describes the operation with a list of collections allowed as `collectionName`.
fn familiar_path(op: &OpEntry, path: &str) -> Value {
    let mut schema = op.schema.clone();
    let name = &mut schema["properties"]["collectionName"];
    name["type"] = json!(["string", "array"]);
    name["items"] = json!({ "type": "string" });
    let reply = json!({ "description": "Results, best first", "content": {
        "application/json": { "schema": {
            "type": "array", "items": { "$ref": "#/components/schemas/Piece" },
        } },
    }});
    let id = path.trim_start_matches('/').replace('/', "_");
    describe_operation(op, &id, &schema, reply)
}

/// Describes `POST /indexer/index`.
fn index_path() -> Value {
    let mut responses = problem_references(&[&ANYWHERE, &GUARDED, &WITH_BODY, &[404, 409, 500]]);
    responses.insert(
        "201".to_string(),
        json!({
            "description": "It has begun",
            "headers": { "Location": {
                "description": "Where to look", "schema": { "type": "string" },
            } },
            "content": {
                "application/json": { "schema": { "$ref": "#/components/schemas/Job" } },
            },
        }),
    );
    json!({
        "operationId": "indexer_index",
        "tags": ["indexer"],
        "summary": "Index a repository in the background",
        "description": "Wants `path` (or code-indexer's `projectId`), or the name of a collection \
                        that is to be brought up to date.",
        "requestBody": {
            "required": true,
            "content": { "application/json": { "schema": &*jobs::SCHEMA } },
        },
        "responses": responses,
    })
}

/// Describes `GET /indexer/jobs/{id}`.
fn job_path() -> Value {
    let mut responses = problem_references(&[&ANYWHERE, &GUARDED, &[404]]);
    responses.insert(
        "200".to_string(),
        json!({ "description": "The state; with `Accept: text/event-stream`, events until the end",
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

/// The error statuses, by reference to the components.
fn problem_references(statuses: &[&[u16]]) -> Map<String, Value> {
    let mut statuses: Vec<u16> = statuses.concat();
    statuses.sort_unstable();
    let problem = |status: &u16| {
        let reference = format!("#/components/responses/{}", status_name(*status));
        (status.to_string(), json!({ "$ref": reference }))
    };
    statuses.iter().map(problem).collect()
}

/// The description of each error status.
const REFUSALS: [(u16, &str); 11] = [
    (400, "An argument is missing, wrong or unknown, or the request cannot be read"),
    (401, "No token, or the wrong one"),
    (403, "A name of this server or an origin of a page that may not call"),
    (404, "Not found, or not indexed"),
    (408, "The body did not come"),
    (409, "Another run is changing the same index; try again"),
    (413, "The request is too long"),
    (415, "The body is not JSON, or it is compressed"),
    (429, "Too many requests are under way; `Retry-After` says when to come back"),
    (500, "A failure of the server"),
    (
        503,
        "It took too long, somebody else who is needed does not answer, or the server is shutting \
         down",
    ),
];

/// The components of all error statuses.
fn problem_responses() -> Value {
    let refusal = |(status, description): &(u16, &str)| {
        let content = json!({ super::problem_details::MEDIA_TYPE: {
            "schema": { "$ref": "#/components/schemas/Problem" },
        }});
        let mut refusal = json!({ "description": description, "content": content });
        if *status == 429 {
            refusal["headers"] = json!({ "Retry-After": {
                "description": "In so many seconds", "schema": { "type": "integer" },
            } });
        }
        (status_name(*status), refusal)
    };
    Value::Object(REFUSALS.iter().map(refusal).collect())
}

/// The name of a status without spaces, for references.
fn status_name(status: u16) -> String {
    let status = axum::http::StatusCode::from_u16(status).unwrap_or_default();
    status.canonical_reason().unwrap_or("Error").replace(' ', "")
}
