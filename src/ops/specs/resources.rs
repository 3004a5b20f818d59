//! Specs as MCP resources: `spec://ID` is a file as it was written, `spec://ID/REQUIREMENT` the
//! lines of one requirement. Ids may contain slashes, which clients send encoded or not.

use crate::engine::Engine;
use crate::engine::EngineError;
use crate::engine::specs::Specs;
use crate::engine::specs::requirement_text;
use crate::ops::percent_encoding::{decode, encode};
use crate::ops::specs::get_scenario::unknown_requirement_error;
use crate::ops::{
    Family, FamilyCapabilities, OpError, Resource, ResourceBody, ResourceContents, Template,
};
use kenning_knowledge::spec_build::StampedSpec;

/// The offering of the specs family.
pub const SPECS: &SpecCapabilities = &SpecCapabilities;

/// Implements the offering. It has no state.
#[derive(Debug)]
pub struct SpecCapabilities;

/// The media type of all specs.
const MARKDOWN: &str = "text/markdown";
/// The scheme of their URIs.
const SCHEME: &str = "spec";

impl FamilyCapabilities for SpecCapabilities {
    fn family(&self) -> Family {
        Family::Specs
    }

    fn scheme(&self) -> Option<&'static str> {
        Some(SCHEME)
    }

    /// Lists the specs. The template stands for their requirements.
    fn resources(&self, engine: &Engine) -> Result<Vec<Resource>, OpError> {
        let tree = engine.specs()?.parse_all_specs();
        let specs = tree.specs.into_iter().map(|stamped| Resource {
            uri: format!("{SCHEME}://{}", encode(&stamped.spec.id)),
            name: stamped.spec.id,
            title: Some(stamped.spec.title),
            description: Some(stamped.spec.purpose).filter(|purpose| !purpose.is_empty()),
            mime_type: MARKDOWN,
            size: Some(stamped.text.len() as u64),
        });
        Ok(specs.collect())
    }

    fn templates(&self) -> Vec<Template> {
        vec![
            Template {
                uri_template: "spec://{id}",
                name: "spec",
                description: "A spec as it was written",
                mime_type: Some(MARKDOWN),
            },
            Template {
                uri_template: "spec://{id}/{requirement}",
                name: "requirement",
                description: "One requirement of a spec, with its scenarios",
                mime_type: Some(MARKDOWN),
            },
        ]
    }

    fn read(&self, engine: &Engine, uri: &str) -> Result<ResourceContents, OpError> {
        let address = uri.split_once("://").map_or("", |(_, address)| address);
        let (spec, requirement) = find_spec(&engine.specs()?, address)?;
        let text = match requirement {
            None => spec.text,
            Some(name) => requirement_text(&spec, &name)
                .ok_or_else(|| unknown_requirement_error(&spec.spec, &name))?,
        };
        Ok(ResourceContents { mime_type: MARKDOWN, body: ResourceBody::Text(text) })
    }
}

/// Finds the spec of an address, and the requirement if it names one. An id may have several
/// segments, so the longest id that exists wins.
fn find_spec(specs: &Specs, address: &str) -> Result<(StampedSpec, Option<String>), EngineError> {
    // A `%` that nobody encoded stays what it is.
    // A `%` that nobody encoded stays as it is.
    let plain = |text: &str| decode(text).unwrap_or_else(|| text.to_string());
    let whole = match specs.get_spec_by_id(&plain(address)) {
        Err(not_found @ EngineError::SpecNotFound { .. }) => not_found,
        known => return Ok((known?, None)),
    };
    for (at, _) in address.rmatch_indices('/') {
        match specs.get_spec_by_id(&plain(&address[..at])) {
            Err(EngineError::SpecNotFound { .. }) => {}
            known => return Ok((known?, Some(plain(&address[at + 1..])))),
        }
    }
    Err(whole)
}
