//! Shows the hits of every search operation as `ken search` shows them. It knows the reply types
//! and the names of the query arguments; `search_output` does the formatting.

use serde_json::Value;

use super::search_output::{self, OutputStyle};
use crate::front::hit_view::{AnswerView, HitView};
use crate::ops::Reply;
use crate::ops::code::search_code::SearchCodeReply;
use crate::ops::collections::collection_hit::CollectionHit;

/// Formats the hits for people; `None` if the reply is not of a search.
pub fn format_hits(arguments: &Value, reply: &Reply) -> Option<String> {
    format_hits_in_style(arguments, reply, &OutputStyle::for_stdout())
}

/// Formats the hits in a given style, so that tests need no terminal.
fn format_hits_in_style(arguments: &Value, reply: &Reply, style: &OutputStyle) -> Option<String> {
    let question = ["query", "textQuery"].iter().find_map(|name| arguments[name].as_str());
    let answer = match reply {
        Reply::Object(data) => AnswerView::from(data.downcast_ref::<SearchCodeReply>()?),
        Reply::List(data) => {
            let found: &Vec<CollectionHit> = data.downcast_ref()?;
            AnswerView { hits: collection_hit_views(found), ..AnswerView::default() }
        }
        _ => return None,
    };
    Some(search_output::format_hits(&answer, question.unwrap_or_default(), style))
}

/// Converts hits of collections. Each names its collection if they come from several.
fn collection_hit_views(found: &[CollectionHit]) -> Vec<HitView<'_>> {
    let first = found.first().map(|hit| &hit.collection_name);
    let are_mixed = found.iter().any(|hit| Some(&hit.collection_name) != first);
    let hits = found.iter().map(|hit| HitView {
        collection: are_mixed.then_some(hit.collection_name.as_str()),
        ..HitView::from(hit)
    });
    hits.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::search_output::OutputExtent;
    use super::*;
    use crate::ops::packages::reply_parts::PackageInfo;

    #[test]
    fn the_words_of_every_search_operation_are_marked() {
        let style = OutputStyle { extent: OutputExtent::Whole, is_coloured: true };
        for argument in ["query", "textQuery"] {
            let hit = CollectionHit { text: "go home".to_string(), ..CollectionHit::default() };
            let text =
                format_hits_in_style(&json!({ argument: "home" }), &Reply::list([hit]), &style)
                    .unwrap();
            assert!(text.contains("\x1b[1;4mhome\x1b[0m"), "{argument}: {text}");
        }
    }

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
        let shown = format_hits(&json!({ "query": "go" }), &Reply::list([hit])).unwrap();
        assert_eq!(shown, "src/a.rs:7  function  go  score 0.9  rust  exact\n    7  fn go() {}");
        assert_eq!(format_hits(&json!({}), &Reply::list(Vec::<PackageInfo>::new())), None);
    }
}
