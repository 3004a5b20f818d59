//! The web page: the answers of operations as HTML for people. It renders on the server, calls
//! operations and the engine like every entry point, and adds only the presentation. `front::http`
//! checks access before a request gets here.
//!
//! To add a page: a file with a `pub const PAGE`, and a line in [`PAGES`].

mod assets;
mod code_listing;
mod components;
mod drawing;
mod error_page;
mod file;
mod layout;
mod markdown;
mod package;
mod packages;
mod page_request;
mod query_string;
mod response;
mod search;
mod sign_in;
mod skill;
mod skills;
mod spec;
mod specs;
mod status;
mod symbol;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::{Method, StatusCode, header};
use axum::response::Response;
use axum::routing::get;
use maud::Markup;
use tokio_util::sync::CancellationToken;

use super::executor::Executor;
use crate::ops::OpError;
use page_request::PageRequest;

pub use sign_in::{BrowserSession, show_sign_in};

/// Every page.
const PAGES: &[&Page] = &[
    &search::PAGE,
    &file::PAGE,
    &symbol::PAGE,
    &packages::PAGE,
    &package::PAGE,
    &specs::PAGE,
    &spec::PAGE,
    &skills::PAGE,
    &skill::PAGE,
    &status::PAGE,
];

/// Paths that anybody may see: they hold nothing but our own styles and the way to sign in.
pub const OPEN_TO_ALL: &[&str] = &[assets::STYLE, assets::SCRIPT, assets::ICON, sign_in::PATH];

/// One page.
struct Page {
    /// The path of the page.
    path: &'static str,
    /// Its label in the navigation, if it is listed there.
    menu: Option<&'static str>,
    /// Renders the content. It may block: it runs on a thread of its own.
    show: fn(&PageRequest) -> Result<PageView, OpError>,
}

/// The title and the content of a page.
struct PageView {
    /// The title, empty for the home page.
    title: String,
    /// The content.
    main: Markup,
}

/// The state that all pages share.
pub struct Site {
    /// Runs the pages.
    pub executor: Executor,
    /// The longest time that a page may take.
    pub timeout: Duration,
    /// The session of signed-in browsers.
    pub session: BrowserSession,
}

/// The routes of all pages, assets and the sign-in.
pub fn routes(site: Site) -> Router {
    let site = Arc::new(site);
    let mut router = assets::routes();
    for page in PAGES {
        let site = site.clone();
        let serve = move |request: Request| serve(site.clone(), page, request);
        router = router.route(page.path, get(serve));
    }
    router.merge(sign_in::routes(site))
}

/// True if the request comes from a person's browser and not from a program.
pub fn is_from_browser(request: &Request) -> bool {
    let accepted = request.headers().get(header::ACCEPT).and_then(|value| value.to_str().ok());
    let is_read = [Method::GET, Method::HEAD].contains(request.method());
    is_read && accepted.is_some_and(|accepted| accepted.contains("text/html"))
}

/// The page for an unknown path.
pub fn not_found_page(path: &str) -> Response {
    let main = error_page::not_found_message(path);
    response::page(StatusCode::NOT_FOUND, layout::bare_page("Not found", &main))
}

/// Renders a page on a thread of its own, within the timeout. It is cancelled if the reader leaves.
async fn serve(site: Arc<Site>, page: &'static Page, request: Request) -> Response {
    let query = request.uri().query().unwrap_or_default().to_string();
    let cancelled = CancellationToken::new();
    let _when_the_reader_leaves = cancelled.clone().drop_guard();
    let work = site.executor.run_query(page.path, move |engine| {
        let request = match PageRequest::new(engine, page, &query, cancelled) {
            Ok(request) => request,
            Err(error) => return Ok(error_answer(&error)),
        };
        Ok(match (page.show)(&request) {
            Ok(view) if request.wants_part() => (StatusCode::OK, view.main),
            Ok(view) => (StatusCode::OK, layout::page(&request, &view)),
            Err(error) => {
                let view = error_page::error_view(&request, &error);
                (error_page::error_status(&error), layout::page(&request, &view))
            }
        })
    });
    let outcome = tokio::time::timeout(site.timeout, work).await;
    let (status, page) = match outcome {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => error_answer(&error),
        Err(_) => error_answer(&error_page::timeout_error(site.timeout)),
    };
    response::page(status, page)
}

/// The page for an error before the repository is known.
fn error_answer(error: &OpError) -> (StatusCode, Markup) {
    let main = error_page::error_message(error);
    (error_page::error_status(error), layout::bare_page("Not possible", &main))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_page_has_a_path_of_its_own() {
        let paths: HashSet<&str> = PAGES.iter().map(|page| page.path).collect();
        assert_eq!(paths.len(), PAGES.len());
        assert!(OPEN_TO_ALL.iter().all(|path| !paths.contains(path)));
    }
}
