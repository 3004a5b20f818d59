//! What else was found: symbols, packages, specs, skills. Beside the code, a few of each; alone, all.

use maud::{Markup, html};
use serde_json::{Value, json};

use crate::front::web::visit::Visit;
use crate::front::web::words::{kind, number, text};

/// Of each, beside the code, and alone.
const FEW: usize = 6;
const MANY: usize = 60;

pub struct Beside {
    symbols: Vec<Value>,
    packages: Vec<Value>,
    specs: Vec<Value>,
    skills: Vec<Value>,
    most: usize,
}

impl Beside {
    pub fn ask(visit: &Visit, question: &str, only: &str) -> Beside {
        let most = if only == "all" { FEW } else { MANY };
        let asked = |name: &str, op: &str, arguments: Value, key: &str| match only {
            only if only == name || only == "all" => visit.list(op, arguments, key),
            _ => Vec::new(),
        };
        let query = json!({ "query": question, "limit": most });
        Beside {
            symbols: asked("symbols", "search_symbols", query, "symbols"),
            packages: asked(
                "packages",
                "search_packages",
                json!({ "query": question }),
                "results",
            ),
            specs: asked(
                "specs",
                "search_specs",
                json!({ "query": question }),
                "results",
            ),
            skills: asked(
                "skills",
                "suggest_skills",
                json!({ "task": question }),
                "results",
            ),
            most,
        }
    }

    pub fn show(&self, visit: &Visit, only: &str) -> Markup {
        if only == "code" {
            return html! {};
        }
        let lists = [
            (
                "symbols",
                "Symbols",
                rows(&self.symbols, self.most, |one| symbol(visit, one)),
            ),
            (
                "packages",
                "Packages",
                rows(&self.packages, self.most, |one| package(visit, one)),
            ),
            (
                "specs",
                "Specs",
                rows(&self.specs, self.most, |one| spec(visit, one)),
            ),
            (
                "skills",
                "Skills",
                rows(&self.skills, self.most, |one| skill(visit, one)),
            ),
        ];
        let is_empty = |name: &str| match name {
            "symbols" => self.symbols.is_empty(),
            "packages" => self.packages.is_empty(),
            "specs" => self.specs.is_empty(),
            _ => self.skills.is_empty(),
        };
        html! {
            aside class="beside" aria-label="Also found" {
                @for (name, word, rows) in lists {
                    @if !is_empty(name) {
                        section {
                            h2 { a href=(visit.here("only", Some(name))) { (word) } }
                            (rows)
                        }
                    } @else if only == name {
                        p class="empty" { "Nothing was found among the " (name) "." }
                    }
                }
            }
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

fn symbol(visit: &Visit, one: &Value) -> Markup {
    let (path, line) = (text(&one["path"]), number(&one["line"]));
    html! {
        a data-row href=(visit.symbol(path, line)) {
            span class="row-name" { (text(&one["symbol"])) " " (kind(text(&one["kind"]))) }
            span class="row-place" { (path) ":" (line) }
        }
    }
}

fn package(visit: &Visit, one: &Value) -> Markup {
    html! {
        a data-row href=(visit.package(text(&one["name"]), text(&one["kind"]))) {
            span class="row-name" { (text(&one["name"])) " " (kind(text(&one["kind"]))) }
            span class="row-place" { (text(&one["description"])) }
        }
    }
}

fn spec(visit: &Visit, one: &Value) -> Markup {
    html! {
        a data-row href=(visit.href("/spec", &[("id", text(&one["spec_id"]))])) {
            span class="row-name" { (text(&one["requirement"])) }
            span class="row-place" { (text(&one["spec_id"])) " · " (text(&one["snippet"])) }
        }
    }
}

fn skill(visit: &Visit, one: &Value) -> Markup {
    html! {
        a data-row href=(visit.href("/skill", &[("name", text(&one["name"]))])) {
            span class="row-name" { (text(&one["name"])) }
            span class="row-place" { (text(&one["description"])) }
        }
    }
}
