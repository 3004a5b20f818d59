//! The schemas of the routes' answers. The schemas of their arguments come from the operations.

use serde_json::{Value, json};

/// All schemas, by name.
pub fn all_schemas() -> Value {
    json!({ "Problem": problem_schema(), "Job": job_schema(), "Piece": chunk_schema() })
}

/// The schema of problem details.
fn problem_schema() -> Value {
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

/// The schema of a job's state.
fn job_schema() -> Value {
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
            "progress": {
                "type": "object",
                "required": ["stage", "done"],
                "properties": {
                    "stage": { "type": "string" },
                    "done": { "type": "integer" },
                    "total": { "type": ["integer", "null"] },
                },
            },
            "result": { "type": "object", "description": "The reply of index_codebase" },
            "error": { "type": "string" },
        },
    })
}

/// The schema of a hit. Its name in the document is `Piece`, which clients were generated from.
fn chunk_schema() -> Value {
    let twin = |kind: &str, of: &str| json!({ "type": kind, "description": format!("As {of}") });
    json!({
        "type": "object",
        "description": "A piece of code",
        "required": ["id", "collectionName", "filePath", "startLine", "endLine", "kind", "text"],
        "properties": {
            "score": { "type": "number", "description": "Absent for chunks that no ranking orders" },
            "id": { "type": "string" },
            "collectionName": { "type": "string" },
            "repo": twin("string", "collectionName"),
            "filePath": { "type": "string" },
            "file_path": twin("string", "filePath"),
            "startLine": { "type": "integer" },
            "start_line": twin("integer", "startLine"),
            "endLine": { "type": "integer" },
            "end_line": twin("integer", "endLine"),
            "language": { "type": "string" },
            "kind": { "type": "string" },
            "symbol_kind": twin("string", "kind"),
            "symbol": { "type": "string" },
            "symbol_name": twin("string", "symbol"),
            "scope": { "type": "string" },
            "package": { "type": "string" },
            "is_exported": { "type": "boolean" },
            "isTest": { "type": "boolean", "description": "Only of tests" },
            "stale": { "type": "boolean",
                       "description": "The file has changed since it was indexed" },
            "match": { "type": "string", "enum": ["exact", "ignoring case", "words"] },
            "matchLines": { "type": "array", "items": { "type": "integer" } },
            "text": { "type": "string" },
            "outline": { "type": "array", "items": { "type": "string" },
                         "description": "The members of a large type, whose text is its beginning" },
        },
    })
}
