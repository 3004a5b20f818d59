//! Everything that a family offers to a connection beside its operations. That is resources,
//! prompts, methods of a protocol extension, tool descriptions that change, and background work of
//! a server.
//!
//! An entry point reads all of it through [`FamilyCapabilities`] and never learns which family
//! answers.
//!
//! To offer something: a type that implements [`FamilyCapabilities`], and a line in
//! [`FAMILY_CAPABILITIES`].

use std::sync::Arc;

use serde_json::Value;

use super::prompts::{CODE_GUIDES, PACKAGE_GUIDES, Prompt};
use super::skills::SkillCapabilities;
use super::{ErrorDetails, ErrorKind, Family, OpError};
use crate::engine::Engine;

/// Every family that offers more than operations. The order decides the order of lists.
pub const FAMILY_CAPABILITIES: &[&dyn FamilyCapabilities] =
    &[super::specs::resources::SPECS, &SkillCapabilities, CODE_GUIDES, PACKAGE_GUIDES];

/// The part of one family. Each method has a default that offers nothing.
pub trait FamilyCapabilities: Sync + std::fmt::Debug {
    /// The family, by which a profile chooses its offerings.
    fn family(&self) -> Family;

    /// The scheme of the family's addresses, such as `spec` for `spec://…`. Without one there is
    /// nothing to read, and the three methods below are never called.
    fn scheme(&self) -> Option<&'static str> {
        None
    }

    /// Lists the resources in a stable order; entry points cut the list into pages. It may be
    /// shorter than what [`FamilyCapabilities::read`] knows: a template can stand for the rest.
    fn resources(&self, _engine: &Engine) -> Result<Vec<Resource>, OpError> {
        Ok(Vec::new())
    }

    /// The URI templates from which a client can build addresses.
    fn templates(&self) -> Vec<Template> {
        Vec::new()
    }

    /// Reads the resource at an address of the family's scheme. Fails with the kind `NotFound` if
    /// there is none.
    fn read(&self, _engine: &Engine, uri: &str) -> Result<ResourceContents, OpError> {
        Err(resource_not_found(uri))
    }

    /// Methods that no revision of the protocol itself has.
    fn extension(&self) -> Option<&'static Extension> {
        None
    }

    /// Prompts that guide an agent through several tools.
    fn prompts(&self) -> &'static [Prompt] {
        &[]
    }

    /// Describes the family's tool of that name, if its description depends on what is known now.
    /// It replaces the summary.
    ///
    /// `client` is the name that the client gives itself, empty if it gives none: some clients cut
    /// long descriptions.
    fn description(&self, _engine: &Engine, _tool: &str, _client: &str) -> Option<String> {
        None
    }

    /// Starts the background work of a server. Dropping the result ends it.
    fn start(&self, _engine: &Arc<Engine>, _tell: ChangeNotifier) -> Option<BackgroundWork> {
        None
    }
}

/// A document that a client can list and read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resource {
    /// The address, which [`FamilyCapabilities::read`] takes.
    pub uri: String,
    /// A short name, for lists.
    pub name: String,
    /// A name for people, if it differs.
    pub title: Option<String>,
    /// One line on its content.
    pub description: Option<String>,
    /// The media type, by the name of the file alone.
    pub mime_type: &'static str,
    /// The size in bytes, if it is known without reading the resource.
    pub size: Option<u64>,
}

/// A family of addresses, as an RFC 6570 template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// The template, such as `spec://{id}/{requirement}`.
    pub uri_template: &'static str,
    /// The name under which clients list it.
    pub name: &'static str,
    /// The purpose, for an agent.
    pub description: &'static str,
    /// The media type; `None` if it depends on the address.
    pub mime_type: Option<&'static str>,
}

/// The content of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceContents {
    /// The media type, now by the content as well: bytes that are no UTF-8 are never `text/…`.
    pub mime_type: &'static str,
    /// The text or the bytes.
    pub body: ResourceBody,
}

/// A resource is text if its bytes are valid UTF-8, else bytes, which MCP sends in base64.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResourceBody {
    /// Valid UTF-8.
    Text(String),
    /// Anything else.
    Bytes(Vec<u8>),
}

/// A protocol extension that a server declares, with its methods.
#[derive(Debug)]
pub struct Extension {
    /// `vendor/name`, as the extension's specification says.
    pub id: &'static str,
    /// The value of the extension in the server's capabilities.
    pub settings: fn() -> Value,
    /// Its methods, which no revision of the protocol knows.
    pub methods: &'static [Method],
}

/// One method. A bad argument and an unknown name are both reported as bad parameters.
#[derive(Debug)]
pub struct Method {
    /// The name on the wire, such as `skills/list`.
    pub name: &'static str,
    /// Computes the result from the parameters of the request.
    pub run: fn(&Engine, &Value) -> Result<Value, OpError>,
}

/// A callback by which background work tells connected clients that a list has changed. It never
/// blocks.
pub type ChangeNotifier = Arc<dyn Fn(ListChange) + Send + Sync>;

/// A list that clients hold and should fetch again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListChange {
    /// The tools: the description of one differs.
    Tools,
    /// The resources: one was added, removed or renamed.
    Resources,
}

/// Work that goes on until this is dropped.
pub struct BackgroundWork {
    /// One line for the log that says what was started.
    pub start_message: String,
    /// Ends the work when it is dropped.
    pub guard: Box<dyn Send>,
}

/// The error for an address without a resource. Its data has the `uri`, which MCP asks for.
pub fn resource_not_found(uri: &str) -> OpError {
    OpError::new(ErrorKind::NotFound, format!("nothing stands at {uri}"))
        .hint("resources/list and resources/templates/list say what can be read")
        .details(ErrorDetails { uri: Some(uri.to_string()), ..ErrorDetails::default() })
}

/// Finds the offering that an address belongs to, by its scheme in any case of letters.
pub fn find_capabilities(
    offerings: &[&'static dyn FamilyCapabilities],
    uri: &str,
) -> Result<&'static dyn FamilyCapabilities, OpError> {
    let scheme = uri.split_once("://").map(|(scheme, _)| scheme);
    let mut offerings = offerings.iter().copied();
    let found = offerings.find(|offering| {
        let own = offering.scheme();
        own.is_some_and(|own| scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case(own)))
    });
    found.ok_or_else(|| resource_not_found(uri))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn schemes_methods_and_prompts_are_unique() {
        let mut taken = HashSet::new();
        for offering in FAMILY_CAPABILITIES {
            let scheme = offering.scheme();
            let extension = offering.extension();
            let methods = extension.into_iter().flat_map(|extension| extension.methods);
            let prompts = offering.prompts().iter().map(|prompt| prompt.name);
            let names = methods.map(|method| method.name).chain(prompts);
            for name in scheme.into_iter().chain(names) {
                assert!(taken.insert(name), "{name} twice");
            }
            if let Some(scheme) = scheme {
                for template in offering.templates() {
                    let begin = format!("{scheme}://");
                    assert!(template.uri_template.starts_with(&begin), "{template:?}");
                }
            }
        }
    }
}
