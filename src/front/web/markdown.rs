//! Renders Markdown of a repository as safe HTML. Every text is escaped, and HTML in it stays text.
//! Links lead to the web or within the page. Pictures are replaced by their descriptions, because
//! they could track readers.

use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::code_listing::{self, QueryWords};
use crate::engine::highlight_lines;
use kenning_lang::languages::by_alias;

/// Renders Markdown. Headings become `down` levels smaller, and `after` may add something below
/// each heading.
pub fn render_markdown(text: &str, down: u8, after: &dyn Fn(&str) -> Markup) -> Markup {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH;
    let mut writer = Writer { out: String::new(), down, after, heading: None, code: None };
    for event in Parser::new_ext(text, options) {
        writer.handle_event(event);
    }
    PreEscaped(writer.out)
}

/// The state of rendering one text.
struct Writer<'w> {
    /// The HTML so far.
    out: String,
    /// The levels by which headings shrink.
    down: u8,
    /// Returns what follows a heading with this text.
    after: &'w dyn Fn(&str) -> Markup,
    /// The text of the open heading.
    heading: Option<String>,
    /// The info string and the text of the open code block.
    code: Option<(String, String)>,
}

impl Writer<'_> {
    /// Renders one event of the parser. Unknown events render nothing.
    fn handle_event(&mut self, event: Event) {
        match event {
            Event::Start(tag) => self.open_tag(tag),
            Event::End(tag) => self.close_tag(tag),
            Event::Text(text) => self.add_text(&text),
            Event::Code(text) => {
                if let Some(heading) = &mut self.heading {
                    heading.push_str(&text);
                }
                self.add(html! { code { (*text) } });
            }
            Event::Html(text) | Event::InlineHtml(text) => self.add_text(&text),
            Event::SoftBreak => self.out.push('\n'),
            Event::HardBreak => self.out += "<br>",
            Event::Rule => self.out += "<hr>",
            Event::TaskListMarker(is_done) => {
                self.out += if is_done { "☑ " } else { "☐ " };
            }
            _ => {}
        }
    }

    /// Appends markup.
    fn add(&mut self, markup: Markup) {
        self.out += &markup.into_string();
    }

    /// Appends a text, or collects it for the open heading or code block.
    fn add_text(&mut self, text: &str) {
        if let Some((_, code)) = &mut self.code {
            code.push_str(text);
            return;
        }
        if let Some(heading) = &mut self.heading {
            heading.push_str(text);
        }
        self.add(html! { (text) });
    }

    /// Renders the start of an element.
    fn open_tag(&mut self, tag: Tag) {
        match tag {
            Tag::Heading { level, .. } => {
                self.heading = Some(String::new());
                let level = self.shifted_level(level);
                self.out += &format!("<h{level}>");
            }
            Tag::CodeBlock(kind) => {
                let language = match kind {
                    CodeBlockKind::Fenced(name) => name.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            Tag::Link { dest_url, .. } => {
                if is_safe(&dest_url) {
                    let link = html! { a href=(*dest_url) rel="noopener noreferrer" {} };
                    self.out += link.into_string().trim_end_matches("</a>");
                } else {
                    self.out += "<a>"
                }
            }
            Tag::List(Some(first)) => self.out += &format!("<ol start=\"{first}\">"),
            other => self.out += plain_tag(&other.to_end()).0,
        }
    }

    /// Renders the end of an element. A code block is highlighted here, because only now its text
    /// is complete.
    fn close_tag(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(level) => {
                let level = self.shifted_level(level);
                self.out += &format!("</h{level}>");
                let heading = self.heading.take().unwrap_or_default();
                self.add((self.after)(&heading));
            }
            TagEnd::CodeBlock => {
                let (language, text) = self.code.take().unwrap_or_default();
                let lines = highlight_lines(language_name(&language), &text);
                self.add(html! { pre { code {
                    @for line in &lines { (code_listing::render_line(line, &QueryWords::default())) "\n" }
                } } });
            }
            TagEnd::Link => self.out += "</a>",
            TagEnd::List(true) => self.out += "</ol>",
            other => self.out += plain_tag(&other).1,
        }
    }

    /// The level of a heading in the page, at most 6.
    fn shifted_level(&self, level: HeadingLevel) -> u8 {
        (level as u8 + self.down).min(6)
    }
}

/// The HTML of elements without attributes.
fn plain_tag(tag: &TagEnd) -> (&'static str, &'static str) {
    match tag {
        TagEnd::Paragraph => ("<p>", "</p>"),
        TagEnd::BlockQuote(_) => ("<blockquote>", "</blockquote>"),
        TagEnd::List(_) => ("<ul>", "</ul>"),
        TagEnd::Item => ("<li>", "</li>"),
        TagEnd::Table => ("<div class=\"scroll\"><table>", "</table></div>"),
        TagEnd::TableHead | TagEnd::TableRow => ("<tr>", "</tr>"),
        TagEnd::TableCell => ("<td>", "</td>"),
        TagEnd::Emphasis => ("<em>", "</em>"),
        TagEnd::Strong => ("<strong>", "</strong>"),
        TagEnd::Strikethrough => ("<del>", "</del>"),
        // The text within is the picture's description.
        _ => ("", ""),
    }
}

/// Returns the language of a fenced block by its info string, such as `rs,ignore` or `js {1,3}`.
/// An unknown word is returned as it is; its block stays uncoloured.
fn language_name(info: &str) -> &str {
    let word = info.split([' ', ',', '{']).next().unwrap_or_default();
    by_alias(word).map_or(word, |language| language.name)
}

/// True for links to the web or within the page. `javascript:` and other schemes are not.
fn is_safe(address: &str) -> bool {
    ["https://", "http://", "#"].iter().any(|start| address.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let html = render_markdown(text, 1, &|_| html! {}).into_string();
        assert_eq!(html, expected);
    }

    #[test]
    fn hostile_text_stays_text() {
        check("a <img src=x onerror=alert(1)> b", "<p>a &lt;img src=x onerror=alert(1)&gt; b</p>");
        check("[x](javascript:alert(1))", "<p><a>x</a></p>");
        check("![<b>](https://evil.example/x.png)", "<p>&lt;b&gt;</p>");
        check(
            "[x](https://a.example/?\"><script>)",
            "<p><a href=\"https://a.example/?&quot;&gt;&lt;script&gt;\" \
             rel=\"noopener noreferrer\">x</a></p>",
        );
        check("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;");
    }

    #[test]
    fn the_usual_marks() {
        check(
            "# T\n\n- **a** `b`",
            "<h2>T</h2><ul><li><strong>a</strong> <code>b</code></li></ul>",
        );
        check("```rs\nfn\n```", "<pre><code><span class=\"k\">fn</span>\n</code></pre>");
        check(
            "[a](https://b.example)",
            "<p><a href=\"https://b.example\" rel=\"noopener noreferrer\">a</a></p>",
        );
    }

    #[test]
    fn something_may_follow_a_heading() {
        let html = render_markdown("### Requirement: A", 0, &|heading| html! { i { (heading) } });
        assert_eq!(html.into_string(), "<h3>Requirement: A</h3><i>Requirement: A</i>");
    }
}
