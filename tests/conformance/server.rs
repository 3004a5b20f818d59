//! The HTTP server with the tools, resources and prompts that the MCP conformance suite asks for.
//! They run through the same dispatch as Kenning's own. The suite fixes their names and texts.
//!
//!     cargo run --example conformance -- FOLDER
//!
//! FOLDER is served; an empty one will do. The port is free, and the server prints it.

#![allow(clippy::print_stderr)]

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use kenning::config::{Config, ProcessEnv};
use kenning::engine::{Engine, Target};
use kenning::front::http::{self, Options};
use kenning::front::mcp::Profile;
use kenning::ops::{
    Args, BackgroundWork, Call, ChangeNotifier, Family, FamilyCapabilities, ListChange, OpEffect,
    OpEntry, OpError, Origin, Prompt, PromptArgument, Reply, ReplyType, Resource, ResourceBody,
    ResourceContents, Template, resource_not_found,
};
use serde_json::{Value, json};

fn main() -> ExitCode {
    let folder = std::env::args().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    match serve(folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(folder: PathBuf) -> Result<(), OpError> {
    let config = Config::load(&folder, &[], &ProcessEnv::from_process())
        .map_err(|error| OpError::bad_argument(error.to_string()))?;
    let mut options = Options::new(&config, Profile::all_families())?;
    options.port = 0;
    options.profile = Profile {
        tools: vec![&TEXT, &ERROR, &PROGRESS, &TOOL_CHANGE, &SCHEMA],
        offerings: vec![&Suite],
        ..Profile::all_families()
    };
    http::serve(Arc::new(Engine::new(config, Target::Root(folder))), options)
}

static TEXT: OpEntry = tool("test_simple_text", no_arguments, |_, _| {
    Ok(Reply::Text("This is a simple text response for testing.".to_string()))
});

static ERROR: OpEntry = tool("test_error_handling", no_arguments, |_, _| {
    Err(OpError::internal("This tool intentionally returns an error for testing"))
});

static PROGRESS: OpEntry = tool("test_tool_with_progress", no_arguments, |call, _| {
    for done in [0, 50, 100] {
        call.progress.report("working", done, Some(100));
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(Reply::Text("done".to_string()))
});

static TOOL_CHANGE: OpEntry = tool("test_trigger_tool_change", no_arguments, |_, _| {
    if let Some(notify) = &*NOTIFIER.lock().expect("no holder panics") {
        notify(ListChange::Tools);
    }
    Ok(Reply::Text("the list of tools has changed".to_string()))
});

static SCHEMA: OpEntry =
    tool("json_schema_2020_12_tool", rich_schema, |_, _| Ok(Reply::Text("done".to_string())));

/// Tells connections that a list has changed, once the server runs.
static NOTIFIER: Mutex<Option<ChangeNotifier>> = Mutex::new(None);

/// A tool of the suite.
const fn tool(
    name: &'static str,
    schema: fn() -> Value,
    run: fn(&Call, &Args) -> Result<Reply, OpError>,
) -> OpEntry {
    OpEntry {
        name,
        family: Family::Packages,
        origin: Origin::Kenning,
        summary: "A tool of the conformance suite",
        effect: OpEffect::Reads,
        schema: LazyLock::new(schema),
        reply: ReplyType::TEXT,
        examples: &[],
        run,
    }
}

fn no_arguments() -> Value {
    json!({ "type": "object", "properties": {} })
}

/// The schema that must reach a client unchanged.
fn rich_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            },
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": {
            "properties": { "contactMethod": { "const": "phone" } },
            "required": ["contactMethod"],
        },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

/// The resources and prompts of the suite.
#[derive(Debug)]
struct Suite;

impl FamilyCapabilities for Suite {
    fn family(&self) -> Family {
        Family::Packages
    }

    fn scheme(&self) -> Option<&'static str> {
        Some("test")
    }

    fn resources(&self, _: &Engine) -> Result<Vec<Resource>, OpError> {
        let listed = [("static-text", "text/plain"), ("static-binary", "image/png")];
        let resource = |(name, mime_type): (&str, &'static str)| Resource {
            uri: format!("test://{name}"),
            name: name.to_string(),
            description: Some("A resource of the conformance suite".to_string()),
            mime_type,
            ..Resource::default()
        };
        Ok(listed.map(resource).to_vec())
    }

    fn templates(&self) -> Vec<Template> {
        vec![Template {
            uri_template: "test://template/{id}/data",
            name: "template",
            description: "A template of the conformance suite",
            mime_type: Some("application/json"),
        }]
    }

    fn read(&self, _: &Engine, uri: &str) -> Result<ResourceContents, OpError> {
        let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
        let text = |mime_type, text: String| ResourceContents {
            mime_type,
            body: ResourceBody::Text(text),
        };
        match (uri, id) {
            ("test://static-text", _) => Ok(text(
                "text/plain",
                "This is the content of the static text resource.".to_string(),
            )),
            ("test://static-binary", _) => Ok(ResourceContents {
                mime_type: "image/png",
                body: ResourceBody::Bytes(vec![0x89, b'P', b'N', b'G', 0xff]),
            }),
            (_, Some(id)) => {
                let data =
                    json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
                Ok(text("application/json", data.to_string()))
            }
            _ => Err(resource_not_found(uri)),
        }
    }

    fn prompts(&self) -> &'static [Prompt] {
        &[
            Prompt {
                name: "test_simple_prompt",
                title: "A simple prompt",
                description: "A prompt of the conformance suite",
                arguments: &[],
                task: "This is a simple prompt for testing.",
                steps: &[],
                outcome: "",
            },
            Prompt {
                name: "test_prompt_with_arguments",
                title: "A prompt with arguments",
                description: "A prompt of the conformance suite",
                arguments: &[
                    PromptArgument { name: "arg1", description: "The first argument" },
                    PromptArgument { name: "arg2", description: "The second argument" },
                ],
                task: "Prompt with arguments: arg1='{arg1}', arg2='{arg2}'",
                steps: &[],
                outcome: "",
            },
        ]
    }

    fn start(&self, _: &Arc<Engine>, notify: ChangeNotifier) -> Option<BackgroundWork> {
        *NOTIFIER.lock().expect("no holder panics") = Some(notify);
        let start_message = "the tools of the conformance suite are served".to_string();
        Some(BackgroundWork { start_message, guard: Box::new(()) })
    }
}
