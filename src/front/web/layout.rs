//! The frame of every page: the head, the skip link, the search box, the navigation and the choice
//! of repository.

use maud::{DOCTYPE, Markup, html};

use super::page_request::{PageRequest, REPOSITORY};
use super::{PAGES, PageView, assets};

/// Renders a page inside of the frame.
pub fn page(request: &PageRequest, view: &PageView) -> Markup {
    let name = repository(request);
    let title = if view.title.is_empty() {
        format!("{name} · Kenning")
    } else {
        format!("{} · {name} · Kenning", view.title)
    };
    let body = html! {
        header class="top" {
            a class="brand" href=(request.page_url("/", &[])) aria-label="Kenning" {
                img src=(assets::versioned_url(assets::ICON)) alt="" width="24" height="24";
                span class="brand-name" { "Kenning" }
            }
            (switcher(request, &name))
            (search_box(request))
            nav class="menu" aria-label="Pages" {
                @for page in PAGES.iter().filter(|page| page.menu.is_some()) {
                    @let is_here = page.path == request.page.path;
                    a href=(request.page_url(page.path, &[])) aria-current=[is_here.then_some("page")] {
                        (page.menu.unwrap_or_default())
                    }
                }
            }
        }
        main id="main" tabindex="-1" { (view.main) }
    };
    document(&title, &body)
}

/// Renders a page that is about no repository, such as an error before one was found.
pub fn bare_page(title: &str, main: &Markup) -> Markup {
    let body = html! {
        header class="top" {
            a class="brand" href="/" aria-label="Kenning" {
                img src=(assets::versioned_url(assets::ICON)) alt="" width="24" height="24";
                span class="brand-name" { "Kenning" }
            }
        }
        main id="main" tabindex="-1" { (main) }
    };
    document(&format!("{title} · Kenning"), &body)
}

/// Renders the HTML document. It has no inline scripts or styles, which the policy forbids.
fn document(title: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                link rel="icon" href=(assets::versioned_url(assets::ICON)) type="image/svg+xml";
                link rel="stylesheet" href=(assets::versioned_url(assets::STYLE));
                script defer src=(assets::versioned_url(assets::SCRIPT)) {}
            }
            body {
                a class="skip" href="#main" { "Skip to the content" }
                (body)
            }
        }
    }
}

/// Renders the search box. On the search page it keeps the query.
fn search_box(request: &PageRequest) -> Markup {
    let is_search = request.page.path == "/";
    let text = request.get("q").filter(|_| is_search).unwrap_or_default();
    html! {
        form class="find" role="search" action="/" method="get" {
            @if let Some(name) = request.get(REPOSITORY) {
                input type="hidden" name=(REPOSITORY) value=(name);
            }
            input id="q" type="search" name="q" value=(text) autocomplete="off" spellcheck="false"
                autocapitalize="off" aria-label="Search code, symbols, packages, specs and skills"
                placeholder="Search code, symbols, packages, specs, skills"
                aria-keyshortcuts="/";
            kbd aria-hidden="true" { "/" }
        }
    }
}

/// Renders the choice of repositories, if several are indexed.
fn switcher(request: &PageRequest, name: &str) -> Markup {
    let all = request.engine.collections().map(|collections| collections.all()).unwrap_or_default();
    let root = request.engine.root();
    html! {
        @if all.len() > 1 {
            details class="repositories" {
                summary { span class="visually-hidden" { "Repository: " } bdi { (name) } }
                div class="sheet" {
                    @for one in &all {
                        @let is_here = one.root == root;
                        a href=(super::query_string::QueryPairs::default().with_value(REPOSITORY, Some(&one.name)).to_url("/"))
                            aria-current=[is_here.then_some("true")] {
                            strong { bdi { (one.name) } }
                            small { bdi { (one.root.display()) } }
                        }
                    }
                }
            }
        } @else {
            span class="repository" { bdi { (name) } }
        }
    }
}

/// The name of the repository: its collection, else its folder.
fn repository(request: &PageRequest) -> String {
    let own = request.engine.code(None).ok().map(|index| index.collection.name.clone());
    own.unwrap_or_else(|| {
        let root = request.engine.root();
        let name = root.file_name().map(|name| name.to_string_lossy().into_owned());
        name.unwrap_or_else(|| root.display().to_string())
    })
}
