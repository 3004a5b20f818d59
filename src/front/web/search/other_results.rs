//! Results besides code: symbols, files, packages, specs, skills. Beside the code, a few of each
//! are shown; a list on its own shows more.

use maud::{Markup, html};
use serde_json::{Value, json};

use super::files;
use crate::front::web::components::{kind, name, number, path, text};
use crate::front::web::page_request::PageRequest;

/// The most results of a list: beside the code, and on its own.
const FEW: usize = 6;
const MANY: usize = 60;

pub struct Beside {
    lists: Vec<List>,
    most: usize,
}

struct List {
    /// The name of the list in the URL.
    name: &'static str,
    word: &'static str,
    found: Vec<Value>,
    row: RowRenderer,
}

type RowRenderer = fn(&PageRequest, &Value) -> Markup;
type Ask<'a> = &'a dyn Fn() -> Vec<Value>;

impl Beside {
    pub fn ask(visit: &PageRequest, question: &str, only: &str) -> Beside {
        let most = if only == "all" { FEW } else { MANY };
        let query = json!({ "query": question });
        let limited = json!({ "query": question, "limit": most });
        let task = json!({ "task": question });
        let lists: [(&str, &str, Ask, RowRenderer); 5] = [
            (
                "symbols",
                "Symbols",
                &|| visit.list("search_symbols", limited.clone(), "symbols"),
                symbol,
            ),
            ("files", "Files", &|| named(visit, question, most), file),
            (
                "packages",
                "Packages",
                &|| visit.list("search_packages", query.clone(), "results"),
                package,
            ),
            ("specs", "Specs", &|| visit.list("search_specs", query.clone(), "results"), spec),
            ("skills", "Skills", &|| visit.list("suggest_skills", task.clone(), "results"), skill),
        ];
        let wanted = lists.into_iter().filter(|(name, ..)| only == "all" || only == *name);
        let lists = wanted.map(|(name, word, ask, row)| List { name, word, found: ask(), row });
        Beside { lists: lists.collect(), most }
    }

    pub fn show(&self, visit: &PageRequest, only: &str) -> Markup {
        html! {
            @if !self.lists.is_empty() {
                aside class="beside" aria-label="Also found" {
                    @for list in &self.lists {
                        @if !list.found.is_empty() {
                            section {
                                h2 { a href=(visit.here("only", Some(list.name))) { (list.word) } }
                                (rows(&list.found, self.most, |one| (list.row)(visit, one)))
                            }
                        } @else if only == list.name {
                            p class="empty" { "Nothing was found among the " (list.name) "." }
                        }
                    }
                }
            }
        }
    }
}

fn named(visit: &PageRequest, question: &str, most: usize) -> Vec<Value> {
    let files = files::named(visit, question, most).into_iter();
    files.map(Value::from).collect()
}

fn file(visit: &PageRequest, one: &Value) -> Markup {
    let file = text(one);
    html! {
        a data-row href=(visit.href("/file", &[("path", file)])) {
            span class="row-name" { (path(file)) }
        }
    }
}

fn rows(list: &[Value], most: usize, row: impl Fn(&Value) -> Markup) -> Markup {
    html! {
        ul class="rows" {
            @for one in list.iter().take(most) { li { (row(one)) } }
        }
    }
}

fn symbol(visit: &PageRequest, one: &Value) -> Markup {
    let (place, line) = (text(&one["path"]), number(&one["line"]));
    html! {
        a data-row href=(visit.symbol(place, line)) {
            span class="row-name" { (name(text(&one["symbol"]))) " " (kind(text(&one["kind"]))) }
            span class="row-place" { (path(place)) ":" (line) }
        }
    }
}

fn package(visit: &PageRequest, one: &Value) -> Markup {
    html! {
        a data-row href=(visit.package(text(&one["name"]), text(&one["kind"]))) {
            span class="row-name" { (name(text(&one["name"]))) " " (kind(text(&one["kind"]))) }
            span class="row-place" dir="auto" { (text(&one["description"])) }
        }
    }
}

fn spec(visit: &PageRequest, one: &Value) -> Markup {
    html! {
        a data-row href=(visit.href("/spec", &[("id", text(&one["spec_id"]))])) {
            span class="row-name" { (name(text(&one["requirement"]))) }
            span class="row-place" { (name(text(&one["spec_id"]))) " · " (name(text(&one["snippet"]))) }
        }
    }
}

fn skill(visit: &PageRequest, one: &Value) -> Markup {
    html! {
        a data-row href=(visit.href("/skill", &[("name", text(&one["name"]))])) {
            span class="row-name" { (name(text(&one["name"]))) }
            span class="row-place" dir="auto" { (text(&one["description"])) }
        }
    }
}
