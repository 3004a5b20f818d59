//! What a family offers to a connection beside its operations: addresses to read, prompts, methods
//! of a protocol extension, tool descriptions that change, and work that goes on while a server runs.
//! A door asks for all of it through [`Offering`] and never learns which family answers.
//!
//! To offer something: a type that implements [`Offering`], and a line in [`OFFERINGS`].

use std::sync::Arc;

use serde_json::Value;

use super::prompts::{CODE_GUIDES, PACKAGE_GUIDES, Prompt};
use super::skills::SkillsOffering;
use super::{ErrorKind, Family, OpError};
use crate::engine::Engine;

/// Every family that offers more than operations.
pub const OFFERINGS: &[&dyn Offering] =
    &[super::specs::resources::SPECS, &SkillsOffering, CODE_GUIDES, PACKAGE_GUIDES];

/// One family's part. Whatever a family leaves out, it does not have.
pub trait Offering: Sync + std::fmt::Debug {
    fn family(&self) -> Family;

    /// The scheme of the family's addresses, such as `spec` for `spec://…`. Without one there is
    /// nothing to read, and the three methods below are never asked.
    fn scheme(&self) -> Option<&'static str> {
        None
    }

    /// What can be read, in a stable order; doors cut it into pages. It need not be everything
    /// that [`Offering::read`] knows.
    fn resources(&self, _engine: &Engine) -> Result<Vec<Resource>, OpError> {
        Ok(Vec::new())
    }

    /// How addresses are made.
    fn templates(&self) -> Vec<Template> {
        Vec::new()
    }

    /// What stands at an address of the family's scheme, else an error of the kind `NotFound`.
    fn read(&self, _engine: &Engine, uri: &str) -> Result<ResourceContents, OpError> {
        Err(resource_not_found(uri))
    }

    /// Methods that no revision of the protocol itself has.
    fn extension(&self) -> Option<&'static Extension> {
        None
    }

    /// Ways through the tools that an agent can be sent on.
    fn prompts(&self) -> &'static [Prompt] {
        &[]
    }

    /// The description of the family's tool of that name, where it depends on what is known now;
    /// it stands in for the summary.
    /// What it can be depends on who reads it: `client` is what the client calls itself, empty if
    /// it does not say.
    fn description(&self, _engine: &Engine, _tool: &str, _client: &str) -> Option<String> {
        None
    }

    /// Begins what has to go on while a server runs. Dropping the outcome ends it.
    fn start(&self, _engine: &Arc<Engine>, _tell: ChangeNotifier) -> Option<BackgroundWork> {
        None
    }
}

/// Something that can be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resource {
    pub uri: String,
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub mime_type: &'static str,
    /// In bytes, if that is known without reading it.
    pub size: Option<u64>,
}

/// A family of addresses, as an RFC 6570 template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    pub uri_template: &'static str,
    pub name: &'static str,
    pub description: &'static str,
    /// Nothing where it depends on the address.
    pub mime_type: Option<&'static str>,
}

/// What stands at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceContents {
    pub mime_type: &'static str,
    pub body: ResourceBody,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResourceBody {
    Text(String),
    Bytes(Vec<u8>),
}

/// A protocol extension that a server declares, with its methods.
#[derive(Debug)]
pub struct Extension {
    /// `vendor/name`, as the extension's specification says.
    pub id: &'static str,
    pub settings: fn() -> Value,
    pub methods: &'static [Method],
}

/// One method. A bad argument and something that is not found are both told as bad parameters.
#[derive(Debug)]
pub struct Method {
    pub name: &'static str,
    /// From the parameters of the request to its result.
    pub run: fn(&Engine, &Value) -> Result<Value, OpError>,
}

/// How work in the background tells connected clients what is no longer as they know it.
pub type ChangeNotifier = Arc<dyn Fn(ListChange) + Send + Sync>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListChange {
    /// The description of a tool.
    Tools,
    /// Which resources there are.
    Resources,
}

/// Work that goes on until this is dropped.
pub struct BackgroundWork {
    /// A line for the log: what was begun.
    pub start_message: String,
    pub guard: Box<dyn Send>,
}

/// The words for an address at which nothing stands.
pub fn resource_not_found(uri: &str) -> OpError {
    OpError::new(ErrorKind::NotFound, format!("nothing stands at {uri}"))
        .hint("resources/list and resources/templates/list say what can be read")
        .data(serde_json::json!({ "uri": uri }))
}

/// The offering that an address belongs to.
pub fn find_offering(
    offerings: &[&'static dyn Offering],
    uri: &str,
) -> Result<&'static dyn Offering, OpError> {
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
        for offering in OFFERINGS {
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
