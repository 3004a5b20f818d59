//! Results besides code: symbols, files, packages, specs, skills. OtherResults the code, a few of each
//! are shown; a list on its own shows more.

use maud::{Markup, html};
use serde_json::json;

use super::file_name_search;
use crate::front::web::components::{kind, name, path};
use crate::front::web::page_request::PageRequest;
use crate::ops::code::search_symbols::{self, SearchSymbolsReply};
use crate::ops::code::symbol_row::SymbolRow;
use crate::ops::packages::reply_parts::PackageInfo;
use crate::ops::packages::search_packages;
use crate::ops::skills::suggest_skills::{self, Suggestion};
use crate::ops::specs::search_specs::{self, SearchSpecsReply, SpecHit};

/// Results of each list beside the code.
const FEW: usize = 6;
/// Results of a list on its own.
const MANY: usize = 60;

/// The results besides code.
pub struct OtherResults {
    /// The lists, also empty ones.
    lists: Vec<List>,
}

/// The results of one source.
struct List {
    /// The source.
    source: &'static Source,
    /// Each result as a row.
    rows: Vec<Markup>,
}

/// A kind of results.
struct Source {
    /// The name of the list in the URL.
    name: &'static str,
    /// The heading of the list.
    label: &'static str,
    /// Finds at most so many results and renders each; none on an error.
    search: fn(&PageRequest, &str, usize) -> Vec<Markup>,
}

/// All sources, in the order of the page.
const SOURCES: &[Source] = &[
    Source { name: "symbols", label: "Symbols", search: symbols },
    Source { name: "files", label: "Files", search: files_named },
    Source { name: "packages", label: "Packages", search: packages },
    Source { name: "specs", label: "Specs", search: specs },
    Source { name: "skills", label: "Skills", search: skills },
];

impl OtherResults {
    /// Searches the wanted sources, one after the other. A source that fails has no results.
    pub fn search(request: &PageRequest, question: &str, only: &str) -> OtherResults {
        let most = if only == "all" { FEW } else { MANY };
        let wanted = SOURCES.iter().filter(|source| only == "all" || only == source.name);
        let lists =
            wanted.map(|source| List { source, rows: (source.search)(request, question, most) });
        OtherResults { lists: lists.collect() }
    }

    /// Renders the lists.
    pub fn show(&self, request: &PageRequest, only: &str) -> Markup {
        html! {
            @if !self.lists.is_empty() {
                aside class="beside" aria-label="Also found" {
                    @for List { source, rows } in &self.lists {
                        @if !rows.is_empty() {
                            section {
                                h2 { a href=(request.this_page_with("only", Some(source.name))) { (source.label) } }
                                ul class="rows" { @for row in rows { li { (row) } } }
                            }
                        } @else if only == source.name {
                            p class="empty" { "Nothing was found among the " (source.name) "." }
                        }
                    }
                }
            }
        }
    }
}

/// Searches symbols.
fn symbols(request: &PageRequest, question: &str, most: usize) -> Vec<Markup> {
    let arguments = json!({ "query": question, "limit": most });
    let found = request
        .fetch_object(&search_symbols::OP, arguments)
        .map_or_else(|_| Vec::new(), |found: SearchSymbolsReply| found.symbols);
    found.iter().take(most).map(|one| symbol(request, one)).collect()
}

/// Renders one symbol.
fn symbol(request: &PageRequest, one: &SymbolRow) -> Markup {
    html! {
        a data-row href=(request.symbol_url(&one.path, one.line)) {
            span class="row-name" { (name(&one.symbol)) " " (kind(&one.kind)) }
            span class="row-place" { (path(&one.path)) ":" (one.line) }
        }
    }
}

/// Searches files.
fn files_named(request: &PageRequest, question: &str, most: usize) -> Vec<Markup> {
    file_name_search::find_files(request, question, most)
        .iter()
        .map(|file| file_row(request, file))
        .collect()
}

/// Renders one file.
fn file_row(request: &PageRequest, file: &str) -> Markup {
    html! {
        a data-row href=(request.page_url("/file", &[("path", file)])) {
            span class="row-name" { (path(file)) }
        }
    }
}

/// Searches packages.
fn packages(request: &PageRequest, question: &str, most: usize) -> Vec<Markup> {
    let found = request.fetch_list(&search_packages::OP, json!({ "query": question }));
    found.unwrap_or_default().iter().take(most).map(|one| package(request, one)).collect()
}

/// Renders one package.
fn package(request: &PageRequest, one: &PackageInfo) -> Markup {
    html! {
        a data-row href=(request.package_url(&one.name, &one.kind)) {
            span class="row-name" { (name(&one.name)) " " (kind(&one.kind)) }
            span class="row-place" dir="auto" { (one.description.as_deref().unwrap_or_default()) }
        }
    }
}

/// Searches requirements.
fn specs(request: &PageRequest, question: &str, most: usize) -> Vec<Markup> {
    let found = request
        .fetch_object(&search_specs::OP, json!({ "query": question }))
        .map_or_else(|_| Vec::new(), |found: SearchSpecsReply| found.results);
    found.iter().take(most).map(|one| spec(request, one)).collect()
}

/// Renders one requirement.
fn spec(request: &PageRequest, one: &SpecHit) -> Markup {
    html! {
        a data-row href=(request.page_url("/spec", &[("id", &one.spec_id)])) {
            span class="row-name" { (name(&one.requirement)) }
            span class="row-place" { (name(&one.spec_id)) " · " (name(&one.snippet)) }
        }
    }
}

/// Suggests skills.
fn skills(request: &PageRequest, question: &str, most: usize) -> Vec<Markup> {
    let found = request.fetch_list(&suggest_skills::OP, json!({ "task": question }));
    found.unwrap_or_default().iter().take(most).map(|one| skill(request, one)).collect()
}

/// Renders one skill.
fn skill(request: &PageRequest, one: &Suggestion) -> Markup {
    html! {
        a data-row href=(request.page_url("/skill", &[("name", &one.name)])) {
            span class="row-name" { (name(&one.name)) }
            span class="row-place" dir="auto" { (one.description) }
        }
    }
}
