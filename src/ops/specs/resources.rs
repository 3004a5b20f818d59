//! Specs at addresses: `spec://ID` is a file as it was written, `spec://ID/REQUIREMENT` the lines of
//! one requirement.

use crate::engine::Engine;
use crate::engine::specs::requirement_text;
use crate::ops::specs::get_scenario::no_requirement;
use crate::ops::{Body, Contents, Family, Offering, OpError, Resource, Template};

pub const SPECS: &SpecAddresses = &SpecAddresses;

#[derive(Debug)]
pub struct SpecAddresses;

const MARKDOWN: &str = "text/markdown";
const SCHEME: &str = "spec";

impl Offering for SpecAddresses {
    fn family(&self) -> Family {
        Family::Specs
    }

    fn scheme(&self) -> Option<&'static str> {
        Some(SCHEME)
    }

    /// The specs; that each requirement has an address too, the template says.
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

    fn read(&self, engine: &Engine, uri: &str) -> Result<Contents, OpError> {
        let address = uri.split_once("://").map_or("", |(_, address)| address);
        let (id, requirement) = match address.split_once('/') {
            Some((id, requirement)) => (id, Some(decode(requirement))),
            None => (address, None),
        };
        let spec = engine.specs()?.get_spec_by_id(&decode(id))?;
        let text = match requirement {
            None => spec.text,
            Some(name) => {
                requirement_text(&spec, &name).ok_or_else(|| no_requirement(&spec.spec, &name))?
            }
        };
        Ok(Contents {
            mime_type: MARKDOWN,
            body: Body::Text(text),
        })
    }
}

/// What an address may hold as it is stays; everything else, `/` too, becomes `%` and its bytes.
fn encode(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let parts = text.bytes().map(|byte| match is_plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    parts.collect()
}

/// A `%` that is none of ours stays what it is.
fn decode(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let digits = tail.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let byte = digits.and_then(|two| u8::from_str_radix(two, 16).ok());
        (rest, _) = match byte.filter(|_| *first == b'%') {
            Some(byte) => (&tail[2..], bytes.push(byte)),
            None => (tail, bytes.push(*first)),
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_hold_any_name() {
        for (text, address) in [
            ("auth", "auth"),
            ("a/b c", "a%2Fb%20c"),
            ("Größe", "Gr%C3%B6%C3%9Fe"),
            ("100%", "100%25"),
        ] {
            assert_eq!(encode(text), address);
            assert_eq!(decode(address), text);
        }
        assert_eq!(decode("50% of %zz %é"), "50% of %zz %é");
    }
}
