//! Collections of the server: their creation, the alias that publishes one, and the registry.
//!
//!   collection kenning               one point per collection of ours: name, root, door
//!   collection kenning_HASH_N        one state of a collection; HASH is that of its name
//!   alias      kenning_HASH          the published state

use serde_json::{Value, json};

use super::http::Http;
use super::{ClusterLayout, NAME, point_id};
use crate::StoreError;
use crate::backends::{CollectionInfo, rows_to_store};
use crate::code::IndexSettings;

/// The collection with a point for each of ours.
const REGISTRY: &str = "kenning";

/// The oldest Qdrant version with all features that are used.
const OLDEST: (u32, u32) = (1, 13);

/// The id of the point with the state of a collection.
pub const STATE: u64 = 0;

/// Returns the alias under which readers find a collection.
pub fn alias(name: &str) -> String {
    let hash = blake3::hash(name.as_bytes()).to_hex();
    format!("kenning_{}", &hash[..16])
}

/// The payload fields that filters use, with the kind of their index.
const FIELDS: &[(&str, &str)] = &[
    ("point_type", "keyword"),
    ("version", "keyword"),
    ("chunk_key", "keyword"),
    ("path", "keyword"),
    ("dirs", "keyword"),
    ("endings", "keyword"),
    ("language", "keyword"),
    ("package", "keyword"),
    ("kind", "keyword"),
    ("symbol", "keyword"),
    ("scope", "keyword"),
    ("test", "bool"),
    ("exported", "bool"),
    ("start_line", "integer"),
    ("end_line", "integer"),
    ("name_hashes", "integer"),
];

/// Returns the server's version. Fails if it is too old.
pub fn check_version(http: &Http) -> Result<String, StoreError> {
    let about = http.get("GET", "/", &Value::Null)?;
    let version = about["version"].as_str().unwrap_or_default().to_string();
    let mut numbers = version.split('.').map(|part| part.parse().unwrap_or(0));
    let found = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if found < OLDEST {
        Err(StoreError::Server {
            backend: NAME,
            what: format!("Qdrant {version:?} is too old"),
            remedy: "run Qdrant 1.13 or newer".to_string(),
        })
    } else {
        Ok(version)
    }
}

/// Returns the number of nodes; `None` if the server is no cluster, or does not say.
pub fn count_nodes(http: &Http) -> Option<usize> {
    let answer = http.ask("GET", "/cluster", &Value::Null).ok()?;
    let peers = answer.result["peers"].as_object();
    peers.map(serde_json::Map::len).filter(|nodes| *nodes > 0)
}

/// Creates the registry if there is none.
pub fn prepare(http: &Http, spread: ClusterLayout) -> Result<(), StoreError> {
    check_version(http)?;
    let path = format!("/collections/{REGISTRY}");
    if http.ask("GET", &path, &Value::Null)?.status == 404 {
        let body = json!({ "vectors": {}, "replication_factor": spread.replicas });
        let made = http.ask("PUT", &path, &body)?;
        // Another may have made it at this very moment.
        if made.status >= 300 && http.ask("GET", &path, &Value::Null)?.status != 200 {
            http.get("PUT", &path, &body)?;
        }
    }
    Ok(())
}

/// Creates the Qdrant collection of a new state, with its payload indexes and state point.
pub fn create(
    http: &Http,
    card: &CollectionInfo,
    collection: &str,
    settings: &IndexSettings,
    spread: ClusterLayout,
) -> Result<(), StoreError> {
    let path = format!("/collections/{collection}");
    let made = http.ask("PUT", &path, &collection_body(settings, spread))?;
    // A retry after a lost reply gets 409 too. Only a collection with a state point belongs to
    // another indexer.
    if made.status == 409 && read_state(http, collection)?.is_some() {
        return Err(StoreError::Busy {
            path: card.name.clone().into(),
            holder: "another indexer, through the server, at this very moment".to_string(),
        });
    }
    if made.status != 409 {
        made.success("PUT", &path)?;
    }
    for (field, kind) in FIELDS {
        let body = json!({ "field_name": field, "field_schema": kind });
        http.get("PUT", &format!("/collections/{collection}/index?wait=true"), &body)?;
    }
    let state = json!({
        "point_type": "state",
        "collection": collection,
        "generation": 0,
        "settings": rows_to_store::settings_json(settings),
        "metadata": {},
        "overview": {},
        "writing": false,
    });
    put_state(http, collection, &state)
}

/// Returns the request body that creates a collection.
fn collection_body(settings: &IndexSettings, spread: ClusterLayout) -> Value {
    let dense = match settings.dimension {
        0 => json!({}),
        size => json!({ "dense": { "size": size, "distance": "Dot", "datatype": "float16" } }),
    };
    json!({
        "vectors": dense,
        "sparse_vectors": { "bm25": { "modifier": "idf" }, "words": {}, "trigrams": {} },
        "shard_number": spread.shards,
        "replication_factor": spread.replicas,
        // One copy must have it; the others catch up. Otherwise a node that is down stops indexing.
        "write_consistency_factor": 1,
        "on_disk_payload": true,
    })
}

/// Returns the payload of a collection's state point; `None` if there is none.
pub fn read_state(http: &Http, collection: &str) -> Result<Option<Value>, StoreError> {
    let body = json!({ "ids": [STATE], "with_payload": true });
    let mut answer = http.read(&format!("/collections/{collection}/points"), &body)?;
    match answer.status {
        404 => Ok(None),
        200 => Ok(Some(answer.result[0]["payload"].take()).filter(Value::is_object)),
        status => Err(StoreError::Server {
            backend: NAME,
            what: format!("{collection}: {status} {}", answer.result),
            remedy: "see the log of the server".to_string(),
        }),
    }
}

/// Writes the state point.
pub fn put_state(http: &Http, collection: &str, state: &Value) -> Result<(), StoreError> {
    let body = json!({ "points": [{ "id": STATE, "vector": {}, "payload": state }] });
    http.get("PUT", &format!("/collections/{collection}/points?wait=true"), &body)?;
    Ok(())
}

/// Returns the Qdrant collection behind an alias.
pub fn resolve_alias(http: &Http, alias: &str) -> Result<Option<String>, StoreError> {
    let answer = http.get("GET", "/aliases", &Value::Null)?;
    let aliases = answer["aliases"].as_array().into_iter().flatten();
    let mut named = aliases.filter(|one| one["alias_name"] == alias);
    let found = named.next().and_then(|one| one["collection_name"].as_str());
    Ok(found.map(str::to_string))
}

/// Returns the Qdrant collections of all states of one of ours, published or not.
pub fn list_collections(http: &Http, name: &str) -> Result<Vec<String>, StoreError> {
    let prefix = format!("{}_", alias(name));
    let answer = http.get("GET", "/collections", &Value::Null)?;
    let all = answer["collections"].as_array().into_iter().flatten();
    let names = all.filter_map(|one| one["name"].as_str());
    let ours = names.filter(|name| name.starts_with(&prefix));
    Ok(ours.map(str::to_string).collect())
}

/// Points the alias to a collection, and removes the one before. Deleting and creating an alias in
/// one request is atomic.
pub fn publish(http: &Http, card: &CollectionInfo, to: &str) -> Result<(), StoreError> {
    let alias = alias(&card.name);
    let before = resolve_alias(http, &alias)?;
    let body = json!({ "points": [{
        "id": point_id(&["card", &card.name]),
        "vector": {},
        "payload": { "name": card.name, "root": card.root, "door": card.advertised_url },
    }] });
    http.get("PUT", &format!("/collections/{REGISTRY}/points?wait=true"), &body)?;
    let create = json!({ "create_alias": { "collection_name": to, "alias_name": alias } });
    let delete = json!({ "delete_alias": { "alias_name": alias } });
    let actions = match &before {
        Some(_) => vec![delete, create],
        None => vec![create],
    };
    http.get("POST", "/collections/aliases", &json!({ "actions": actions }))?;
    match before.filter(|before| before != to) {
        Some(before) => drop_collection(http, &before),
        None => Ok(()),
    }
}

/// Deletes a Qdrant collection.
pub fn drop_collection(http: &Http, collection: &str) -> Result<(), StoreError> {
    http.get("DELETE", &format!("/collections/{collection}"), &Value::Null)?;
    Ok(())
}

/// Returns the entries of the registry, by name.
pub fn list_infos(http: &Http) -> Result<Vec<CollectionInfo>, StoreError> {
    let mut cards = Vec::new();
    let mut body = json!({ "limit": 1000, "with_payload": true });
    loop {
        let path = format!("/collections/{REGISTRY}/points/scroll");
        let answer = http.ask("POST", &path, &body)?;
        if answer.status == 404 {
            return Ok(cards);
        }
        let points = answer.result["points"].as_array().into_iter().flatten();
        cards.extend(points.filter_map(|point| {
            let text = |key: &str| Some(point["payload"][key].as_str()?.to_string());
            Some(CollectionInfo {
                name: text("name")?,
                root: text("root")?,
                advertised_url: text("door"),
            })
        }));
        match &answer.result["next_page_offset"] {
            Value::Null => break,
            next => body["offset"] = next.clone(),
        }
    }
    cards.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(cards)
}

/// Removes a collection with all its states. The registry entry goes first.
pub fn remove(http: &Http, name: &str) -> Result<(), StoreError> {
    if resolve_alias(http, &alias(name))?.is_none() {
        return Err(StoreError::Unknown { name: name.to_string() });
    }
    let body = json!({ "points": [point_id(&["card", name])] });
    let path = format!("/collections/{REGISTRY}/points/delete?wait=true");
    http.get("POST", &path, &body)?;
    // An alias goes with what is behind it.
    for place in list_collections(http, name)? {
        drop_collection(http, &place)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backends::qdrant::filter;
    use crate::backends::remote_api::{PathCondition, Selection};
    use crate::code::{Exported, Tests};
    use kenning_model::ChunkKind;

    #[test]
    fn shards_and_copies_are_as_the_settings_say() {
        let settings = IndexSettings {
            provider: String::new(),
            model: String::new(),
            dimension: 0,
            chunker: String::new(),
            reference_length: 200.0,
        };
        let spread = ClusterLayout { shards: 3, replicas: 2 };
        let body = collection_body(&settings, spread);
        assert_eq!(body["shard_number"], 3);
        assert_eq!(body["replication_factor"], 2);
        assert_eq!(body["vectors"], json!({}));
    }

    /// The keys of all conditions, however deep.
    fn keys(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                found.extend(fields.get("key").and_then(Value::as_str).map(str::to_string));
                fields.values().for_each(|value| keys(value, found));
            }
            Value::Array(values) => values.iter().for_each(|value| keys(value, found)),
            _ => {}
        }
    }

    #[test]
    fn the_server_indexes_every_field_that_can_be_filtered_by() {
        let text = || vec!["x".to_string()];
        let everything = Selection {
            paths: Some(vec![
                PathCondition::File("a".to_string()),
                PathCondition::Under("b".to_string()),
                PathCondition::Ending(Some("c".to_string()), "rs".to_string()),
            ]),
            languages: text(),
            packages: text(),
            kinds: vec![ChunkKind::Function],
            tests: Tests::Only,
            symbols: text(),
            scopes: text(),
            start_lines: vec![1..=2],
            end_lines: vec![1..=2],
            exported: Exported::Only,
            only: Some(vec![("a".to_string(), 0)]),
        };
        let mut asked = Vec::new();
        keys(&Value::from(filter::conditions(&everything)), &mut asked);
        assert!(asked.len() >= 13, "{asked:?}");
        for key in asked {
            assert!(FIELDS.iter().any(|(field, _)| *field == key), "{key}");
        }
    }
}
