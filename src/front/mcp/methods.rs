//! The methods of MCP, and the error messages for requests that cannot be read.

use serde_json::Value;

/// The methods of both protocol generations.
const KNOWN: [&str; 15] = [
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    "tools/call",
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "resources/subscribe",
    "resources/unsubscribe",
    "subscriptions/listen",
    "completion/complete",
    "logging/setLevel",
];

/// The methods that the newer generation has no more.
const REMOVED: [&str; 5] =
    ["initialize", "ping", "resources/subscribe", "resources/unsubscribe", "logging/setLevel"];

/// True for a method that only the older generation has.
pub fn was_removed(method: &str) -> bool {
    REMOVED.contains(&method)
}

/// True for a method of the protocol.
pub fn is_known(method: &str) -> bool {
    KNOWN.contains(&method)
}

/// Explains why the parameters of a known method cannot be read.
pub fn describe_bad_params(method: &str, params: Option<&Value>) -> String {
    let field = |name: &str| params.and_then(|params| params.get(name));
    let is_call = method == "tools/call";
    if is_call && !field("name").is_some_and(Value::is_string) {
        return "tools/call needs `name`, the tool's name, as a string".to_string();
    }
    let is_odd = |value: &Value| !value.is_object() && !value.is_null();
    if is_call && field("arguments").is_some_and(is_odd) {
        return "`arguments` of tools/call must be an object".to_string();
    }
    format!("the parameters of {method} cannot be read")
}

/// The key under which a request of the newer generation names its client.
pub const CLIENT: &str = "io.modelcontextprotocol/clientInfo";

/// Returns the client's name from its `clientInfo`. The older generation sends that in its
/// handshake.
pub fn client_name(said: Option<&Value>) -> Option<String> {
    Some(said?["name"].as_str()?.to_string())
}
