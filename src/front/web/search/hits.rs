//! The hits of a code search, each with the lines that matter.

use maud::{Markup, html};

use crate::front::hit_view::HitView;
use crate::front::web::code_listing::{self, Excerpt, QueryWords};
use crate::front::web::components::{kind, notice, path};
use crate::front::web::page_request::PageRequest;
use crate::ops::code::search_code::SearchCodeReply;

/// Lines of each of the first hits, which are the most relevant, and of each other hit.
const LINES: [usize; 2] = [12, 6];
/// The number of hits with the longer excerpt.
const FIRST: usize = 4;

/// Renders all hits with the notice.
pub fn show(request: &PageRequest, question: &str, answer: &SearchCodeReply) -> Markup {
    let hits = &answer.results;
    let words = QueryWords::new(question);
    html! {
        (notice(answer.notice.as_deref()))
        @if hits.is_empty() && !answer.weak {
            p class="empty" { "No code was found. Ask in other words, or give a name as it is written." }
        }
        @if answer.weak && !hits.is_empty() {
            p { span class="kind weak" title="See docs/ranking.md" { "weak results" } }
        }
        ol class="hits" {
            @for (place, hit) in hits.iter().enumerate() {
                @let most = if place < FIRST { LINES[0] } else { LINES[1] };
                (render_hit(request, &hit.into(), most, &words))
            }
        }
    }
}

/// Renders one hit.
fn render_hit(request: &PageRequest, hit: &HitView, most: usize, words: &QueryWords) -> Markup {
    let (file, line) = (hit.path, hit.definition_line());
    let excerpt = Excerpt::new(hit.language, hit.content, hit.start_line, most, words);
    let href = request.file_url(file, excerpt.first_line);
    let plain = href.split('#').next().unwrap_or_default();
    html! {
        li class="hit" {
            div class="hit-head" {
                a class="hit-name" data-row href=(href) {
                    @match hit.symbol {
                        Some(symbol) => {
                            @if let Some(scope) = hit.scope { span class="scope" { bdi { (scope) } "." } }
                            strong { bdi { (symbol) } }
                        },
                        None => strong { (path(file)) },
                    }
                }
                (kind(hit.kind))
                @if hit.is_test { span class="kind test" { "test" } }
                @if hit.is_stale { span class="kind stale" { "changed since" } }
                span class="hit-place" {
                    @if hit.symbol.is_some() { (path(file)) }
                    span class="line" { ":" (line) }
                }
                @if let Some(symbol) = hit.symbol {
                    a class="hit-graph" href=(request.symbol_url(file, line)) title="Callers, callees, graph" {
                        "graph" span class="visually-hidden" { " of " bdi { (symbol) } }
                    }
                }
            }
            (code_listing::render_lines(&excerpt.lines, excerpt.first_line, words, plain))
            @if !hit.outline.is_empty() { (members(request, file, hit.outline)) }
            @if excerpt.lines_left_out > 0 {
                p class="hit-more" { (excerpt.lines_left_out) " more lines" }
            }
        }
    }
}

/// Renders the members of a large type, each given as `14: fn login(…)`.
fn members(request: &PageRequest, file: &str, outline: &[String]) -> Markup {
    html! {
        ul class="hit-members" {
            @for member in outline.iter().take(6) {
                @let (line, signature) = member.split_once(": ").unwrap_or(("", member));
                li {
                    @match line.parse() {
                        Ok(line) => a href=(request.file_url(file, line)) { code { (signature) } },
                        Err(_) => code { (signature) },
                    }
                }
            }
            @if outline.len() > 6 { li { "… and " (outline.len() - 6) " more" } }
        }
    }
}
