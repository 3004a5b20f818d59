//! The stylesheet, the script and the icon. They are part of the program, and browsers keep them
//! until they change.

use std::sync::LazyLock;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::front::etag::is_tag_known;
use crate::ops::drawing_stylesheet;

/// The path of the stylesheet.
pub const STYLE: &str = "/assets/kenning.css";
/// The path of the script.
pub const SCRIPT: &str = "/assets/kenning.js";
/// The path of the icon.
pub const ICON: &str = "/assets/icon.svg";

/// One embedded file.
struct Asset {
    /// Its content.
    text: String,
    /// Its media type.
    media_type: &'static str,
    /// A hash of the content, for the entity tag and the versioned URL.
    tag: String,
}

/// All assets, hashed on first use.
static ASSETS: LazyLock<[(&str, Asset); 3]> = LazyLock::new(|| {
    // Pictures in a page may not bring their own styles along.
    let style = format!("{}{}", drawing_stylesheet(), include_str!("assets/kenning.css"));
    [
        (STYLE, Asset::new(style, "text/css; charset=utf-8")),
        (
            SCRIPT,
            Asset::new(
                include_str!("assets/kenning.js").to_string(),
                "text/javascript; charset=utf-8",
            ),
        ),
        (ICON, Asset::new(include_str!("assets/icon.svg").to_string(), "image/svg+xml")),
    ]
});

impl Asset {
    /// Hashes the content.
    fn new(text: String, media_type: &'static str) -> Asset {
        let hash = blake3::hash(text.as_bytes()).to_hex();
        Asset { tag: hash[..16].to_string(), text, media_type }
    }
}

/// The URL of an asset in a page. It changes with the content, so that browsers may keep it for
/// ever.
pub fn versioned_url(path: &str) -> String {
    let asset = ASSETS.iter().find(|(known, _)| *known == path);
    match asset {
        Some((path, asset)) => format!("{path}?v={}", asset.tag),
        None => path.to_string(),
    }
}

/// A route for each asset.
pub fn routes() -> Router {
    let mut router = Router::new();
    for (path, asset) in ASSETS.iter() {
        let serve =
            move |uri: Uri, headers: HeaderMap| async move { serve_asset(asset, &uri, &headers) };
        router = router.route(path, get(serve));
    }
    router
}

/// Serves an asset. Only its versioned URL is cached without asking.
fn serve_asset(asset: &'static Asset, uri: &Uri, headers: &HeaderMap) -> Response {
    let tag = format!("\"{}\"", asset.tag);
    let mut response = if is_tag_known(headers, &tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        Response::new(Body::from(asset.text.as_str()))
    };
    let is_versioned = uri.query() == Some(format!("v={}", asset.tag).as_str());
    let caching = if is_versioned { "public, max-age=31536000, immutable" } else { "no-cache" };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    let media_type = HeaderValue::from_static(asset.media_type);
    headers.insert(header::CONTENT_TYPE, media_type);
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    response
}
