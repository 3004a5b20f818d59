//! A map from text that keeps its insertion order in JSON. It is for replies with a few entries
//! whose order has a meaning, such as the parts of a score by weight.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A few entries by name, in the order in which they were added. A `BTreeMap` would sort them.
/// There is no lookup: readers iterate.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderedMap<V>(Vec<(String, V)>);

impl<V> OrderedMap<V> {
    /// True if there are no entries.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Iterates over the entries in insertion order.
    ///
    /// Names are not checked for duplicates; JSON would show both.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &V)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}

impl<V> FromIterator<(String, V)> for OrderedMap<V> {
    fn from_iter<I: IntoIterator<Item = (String, V)>>(entries: I) -> OrderedMap<V> {
        OrderedMap(entries.into_iter().collect())
    }
}

impl<V: Serialize> Serialize for OrderedMap<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for OrderedMap<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<OrderedMap<V>, D::Error> {
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

/// Reads a JSON object entry by entry. `serde_json::Map` would sort the keys on the way.
struct Entries<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for Entries<V> {
    type Value = OrderedMap<V>;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<OrderedMap<V>, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(OrderedMap(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_keep_their_order() {
        let entries = [("b", 1), ("a", 2)].map(|(name, count)| (name.to_string(), count));
        let map = OrderedMap::from_iter(entries);
        let json = serde_json::to_string(&map).unwrap();
        assert_eq!(json, r#"{"b":1,"a":2}"#);
        assert_eq!(serde_json::from_str::<OrderedMap<i32>>(&json).unwrap(), map);
    }
}
