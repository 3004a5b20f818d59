//! The hits of every search operation, shown as `ken search` shows them.

use serde_json::Value;

use super::search_output::{self, OutputStyle};
use crate::front::hit::Hit;
use crate::ops::Reply;
use crate::ops::code::search_code::SearchCodeReply;
use crate::ops::collections::dto::CollectionHit;

/// Formats the hits for people; `None` if the reply has none.
pub fn text(arguments: &Value, reply: &Reply) -> Option<String> {
    let question = ["query", "text"].map(|name| arguments[name].as_str());
    let question = question.into_iter().flatten().next().unwrap_or_default();
    let (hits, notice) = match reply {
        Reply::Object(data) => {
            let found: &SearchCodeReply = data.downcast_ref()?;
            (found.results.iter().map(Hit::from).collect(), found.notice.as_deref())
        }
        Reply::List(data) => {
            let found: &Vec<CollectionHit> = data.downcast_ref()?;
            (of_collections(found), None)
        }
        _ => return None,
    };
    Some(search_output::text(&hits, notice, question, &OutputStyle::here()))
}

/// Names the collection of each hit if they come from several.
fn of_collections(found: &[CollectionHit]) -> Vec<Hit<'_>> {
    let first = found.first().map(|hit| &hit.collection_name);
    let are_mixed = found.iter().any(|hit| Some(&hit.collection_name) != first);
    let hits = found.iter().map(|hit| Hit {
        collection: are_mixed.then_some(hit.collection_name.as_str()),
        ..Hit::from(hit)
    });
    hits.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ops::packages::dto::PackageInfo;

    #[test]
    fn a_hit_of_a_collection_looks_like_any_other() {
        let hit = CollectionHit {
            score: Some(0.9),
            file_path: "src/a.rs".to_string(),
            start_line: 7,
            language: "rust".to_string(),
            kind: "function".into(),
            symbol: Some("go".to_string()),
            found_how: Some("exact".into()),
            text: "fn go() {}".to_string(),
            ..CollectionHit::default()
        };
        let shown = text(&json!({ "query": "go" }), &Reply::list([hit])).unwrap();
        assert_eq!(shown, "src/a.rs:7  function  go  score 0.9  rust  exact\n    7  fn go() {}");
        assert_eq!(text(&json!({}), &Reply::list(Vec::<PackageInfo>::new())), None);
    }
}
