//! Entity tags: decides if a caller already has the newest state, so that the answer can be 304.
//! Tags are strong and made from a hash of the content.

use axum::http::{HeaderMap, header};

/// True if `If-None-Match` names the tag, which includes its quotes. A weak form matches as well,
/// because a proxy may have weakened it.
pub fn is_tag_known(headers: &HeaderMap, tag: &str) -> bool {
    let mut given = headers
        .get_all(header::IF_NONE_MATCH)
        .into_iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim);
    given.any(|one| one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn tags_that_are_known() {
        for (given, expected) in [
            (vec!["\"a\""], true),
            (vec!["W/\"a\""], true),
            (vec!["\"b\", \"a\""], true),
            (vec!["\"b\"", "\"a\""], true),
            (vec!["*"], true),
            (vec!["\"b\""], false),
            (vec!["a"], false),
            (vec![""], false),
            (vec![], false),
        ] {
            let mut headers = HeaderMap::new();
            for one in &given {
                headers.append(header::IF_NONE_MATCH, HeaderValue::from_static(one));
            }
            assert_eq!(is_tag_known(&headers, "\"a\""), expected, "{given:?}");
        }
    }
}
