//! The frame of every page: the head, the skip link, the search box, the navigation.

use maud::{DOCTYPE, Markup, html};

use super::page_request::{PageRequest, REPOSITORY};
use super::{PAGES, View, assets};

pub fn page(visit: &PageRequest, view: &View) -> Markup {
    let name = repository(visit);
    let title = if view.title.is_empty() {
        format!("{name} · Kenning")
    } else {
        format!("{} · {name} · Kenning", view.title)
    };
    let body = html! {
        header class="top" {
            a class="brand" href=(visit.href("/", &[])) aria-label="Kenning" {
                img src=(assets::versioned(assets::ICON)) alt="" width="24" height="24";
                span class="brand-name" { "Kenning" }
            }
            (switcher(visit, &name))
            (search_box(visit))
            nav class="menu" aria-label="Pages" {
                @for page in PAGES.iter().filter(|page| page.menu.is_some()) {
                    @let is_here = page.path == visit.page.path;
                    a href=(visit.href(page.path, &[])) aria-current=[is_here.then_some("page")] {
                        (page.menu.unwrap_or_default())
                    }
                }
            }
        }
        main id="main" tabindex="-1" { (view.main) }
    };
    document(&title, &body)
}

/// A page that is about no repository.
pub fn bare(title: &str, main: &Markup) -> Markup {
    let body = html! {
        header class="top" {
            a class="brand" href="/" aria-label="Kenning" {
                img src=(assets::versioned(assets::ICON)) alt="" width="24" height="24";
                span class="brand-name" { "Kenning" }
            }
        }
        main id="main" tabindex="-1" { (main) }
    };
    document(&format!("{title} · Kenning"), &body)
}

fn document(title: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                link rel="icon" href=(assets::versioned(assets::ICON)) type="image/svg+xml";
                link rel="stylesheet" href=(assets::versioned(assets::STYLE));
                script defer src=(assets::versioned(assets::SCRIPT)) {}
            }
            body {
                a class="skip" href="#main" { "Skip to the content" }
                (body)
            }
        }
    }
}

fn search_box(visit: &PageRequest) -> Markup {
    let is_search = visit.page.path == "/";
    let text = visit.get("q").filter(|_| is_search).unwrap_or_default();
    html! {
        form class="find" role="search" action="/" method="get" {
            @if let Some(name) = visit.get(REPOSITORY) {
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

/// Other repositories that are indexed, where there are some.
fn switcher(visit: &PageRequest, name: &str) -> Markup {
    let all = visit.engine.collections().map(|collections| collections.all());
    let all = all.unwrap_or_default();
    let root = visit.engine.root();
    html! {
        @if all.len() > 1 {
            details class="repositories" {
                summary { span class="visually-hidden" { "Repository: " } bdi { (name) } }
                div class="sheet" {
                    @for one in &all {
                        @let is_here = one.root == root;
                        a href=(super::query_string::Pairs::default().with(REPOSITORY, Some(&one.name)).at("/"))
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

fn repository(visit: &PageRequest) -> String {
    let own = visit.engine.code(None).ok();
    let own = own.map(|index| index.collection.name.clone());
    own.unwrap_or_else(|| {
        let root = visit.engine.root();
        let name = root.file_name().map(|name| name.to_string_lossy().into_owned());
        name.unwrap_or_else(|| root.display().to_string())
    })
}
