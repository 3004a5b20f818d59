//! URLs of pages and their query strings. It does not know the pages themselves.
//!
//! Unlike `ops::percent_encoding` it keeps `/` and `:` readable, and decodes `+` as a space, as forms
//! send it.

use std::fmt::Display;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The names and values of a query, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryPairs(Vec<(String, String)>);

impl QueryPairs {
    /// Parses a query string. Undecodable text stays as it is: at worst it finds nothing.
    pub fn parse(query: &str) -> QueryPairs {
        let pairs = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(name), decode(value))
        });
        QueryPairs(pairs.collect())
    }

    /// Returns the first value of that name, unless it is blank.
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut named = self.0.iter().filter(|(known, _)| known == name);
        let value = named.next().map(|(_, value)| value.as_str());
        value.filter(|value| !value.trim().is_empty())
    }

    /// Returns a copy with another value of that name, or without it. Drops pairs without a value.
    pub fn with_value(&self, name: &str, value: Option<&str>) -> QueryPairs {
        let mut pairs = self.0.clone();
        pairs.retain(|(known, value)| known != name && !value.is_empty());
        pairs.extend(value.map(|value| (name.to_string(), value.to_string())));
        QueryPairs(pairs)
    }

    /// The URL of a path with these values.
    ///
    /// For example, `/file` with `path` and `line` gives `/file?path=src/a.rs&line=7`. Without
    /// values there is no `?`.
    pub fn to_url(&self, path: &str) -> String {
        let pairs: Vec<String> = self
            .0
            .iter()
            .map(|(name, value)| format!("{}={}", encode(name), encode(value)))
            .collect();
        if pairs.is_empty() { path.to_string() } else { format!("{path}?{}", pairs.join("&")) }
    }
}

/// Everything that a value cannot contain; `/` and `:` stay readable.
const RESERVED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/').remove(b':');

/// Percent-encodes a name or a value.
fn encode(text: &str) -> impl Display {
    utf8_percent_encode(text, RESERVED)
}

/// Decodes a name or a value; an invalid escape stays as it is.
fn decode(text: &str) -> String {
    percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_value_goes_there_and_back() {
        for value in ["a b", "Größe/日本語", "<img src=x>&\"'#?%", "100%", "a+b"] {
            let pairs = QueryPairs::default().with_value("q", Some(value));
            let address = pairs.to_url("/");
            assert!(address.is_ascii(), "{address}");
            let query = address.strip_prefix("/?").unwrap();
            assert_eq!(QueryPairs::parse(query).get("q"), Some(value));
        }
    }

    #[test]
    fn forms_and_nonsense() {
        let pairs = QueryPairs::parse("q=two+words&&x&empty=&bad=%zz%4");
        assert_eq!(pairs.get("q"), Some("two words"));
        assert_eq!(pairs.get("x"), None);
        assert_eq!(pairs.get("bad"), Some("%zz%4"));
        assert_eq!(pairs.with_value("q", None).to_url("/"), "/?bad=%25zz%254");
    }
}
