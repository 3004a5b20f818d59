//! The pages as a browser gets them: what they say, what they may load, who may see them. What they
//! do in a real browser, `tests/browser/run` sees.

use crate::http::{Answer, Server};
use crate::support::Tree;

const HOSTILE: &str = "<img src=x onerror=alert(1)>";

const SESSION: &str = "\
/// Opens a session, twice over: <script>alert('doc')</script>
pub struct Session;

impl Session {
    pub fn login(&self) -> bool {
        check(\"</code><script>alert(2)</script>\")
    }
}

pub fn check(text: &str) -> bool {
    text.is_empty()
}

pub fn start() {
    Session.login();
}
";

const SPEC: &str = "\
# Signing in <script>alert('spec')</script>

## Purpose
Who may come in.

## Requirements
### Requirement: Login <b>bold</b>
The system SHALL check who logs in.

#### Scenario: Wrong password
- **WHEN** the password is wrong
- **THEN** login says no
";

const SKILL: &str = "\
---
name: sign-in
description: Signs people in <script>alert('skill')</script>
---

# Sign in

<script>alert('body')</script> [x](javascript:alert(3))
";

/// Everything that has a name or a text is out to do harm.
fn hostile() -> Tree {
    let tree = Tree::new(&[
        (
            "Cargo.toml",
            "[package]\nname = \"door\"\nversion = \"0.1.0\"\ndescription = \"<script>alert('package')</script>\"\n",
        ),
        ("src/session.rs", SESSION),
        ("openspec/specs/sign-in/spec.md", SPEC),
        (".claude/skills/sign-in/SKILL.md", SKILL),
    ]);
    tree.write(&format!("src/{HOSTILE}.rs"), "pub fn harmless() {}\n");
    tree.write("src/日本語 ø.rs", "pub fn größe() -> u8 { 1 }\n");
    let long: String = (1..=10_000).map(|line| format!("pub fn f{line}() {{}}\n")).collect();
    tree.write("src/long.rs", &long);
    tree.ken(&["index", "--name", "door"]);
    tree
}

fn page(server: &Server, path: &str) -> Answer {
    server.ask("GET", path, &[("accept", "text/html")], "")
}

/// Pages of every kind, each with something that it must say.
const PAGES: [(&str, &str); 13] = [
    ("/", "pieces of code"),
    ("/?part=about", "no known file has changed"),
    ("/?q=login", "Session"),
    ("/?q=login&only=symbols", "Session.login"),
    ("/file?path=src/session.rs", "1 caller"),
    ("/symbol?at=Session.login", "start"),
    ("/packages", "door"),
    ("/package?name=door", "0.1.0"),
    ("/specs", "sign-in"),
    ("/specs?part=coverage", "requirements have code"),
    ("/spec?id=sign-in", "Wrong password"),
    ("/skills", "sign-in"),
    ("/skill?name=sign-in", "Sign in"),
];

#[test]
fn every_page_says_what_it_should_and_runs_nothing() {
    let tree = hostile();
    let server = Server::start(&tree, &[], &[]);
    let all = PAGES.into_iter().chain([("/status", "Up to date")]);
    for (path, words) in all {
        let answer = page(&server, path);
        let text = answer.text();
        assert_eq!(answer.status, 200, "{path}: {text}");
        assert!(text.contains(words), "{path} lacks {words:?}: {text}");
        check_safe(path, &answer);
    }
    let by_name = page(&server, "/?q=harmless");
    assert!(by_name.text().contains("&lt;img src=x onerror=alert(1)&gt;.rs"));
    check_safe("a hostile name", &by_name);
    let file = page(&server, "/file?path=src/%3Cimg%20src=x%20onerror=alert(1)%3E.rs");
    assert!(file.text().contains("harmless"));
    check_safe("a hostile file", &file);
    let scripts = page(&server, "/file?path=src/%E6%97%A5%E6%9C%AC%E8%AA%9E%20%C3%B8.rs");
    assert!(scripts.text().contains("größe"));
}

/// No script but our own, nothing in line, and a policy that would refuse it anyway.
fn check_safe(path: &str, answer: &Answer) {
    let text = answer.text();
    let policy = answer.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'"), "{path}: {policy}");
    assert!(!policy.contains("unsafe"), "{path}: {policy}");
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    assert!(answer.header("content-type").starts_with("text/html"));
    for sign in ["<img src=x", "<script>", "=\"javascript:", " style=", " onerror=\"", "<style"] {
        assert!(!text.contains(sign), "{path} holds {sign}: {text}");
    }
    let scripts = text.matches("<script").count();
    assert_eq!(scripts, text.matches("<script defer src=\"/assets/kenning.js?v=").count());
}

#[test]
fn what_is_not_there() {
    let tree = hostile();
    let server = Server::start(&tree, &[], &[]);
    for (path, status, words) in [
        ("/no/such/<page>", 404, "/no/such/"),
        ("/file?path=src/absent.rs", 404, "not in the index"),
        ("/file?path=../../etc/passwd", 404, "not in the index"),
        ("/file", 400, "lacks `path`"),
        ("/symbol?at=nowhere", 404, "nothing here defines"),
        ("/package?name=%3Cb%3E", 404, "&lt;b&gt;"),
        ("/spec?id=..%2F..%2Fx", 404, ""),
        ("/?in=%3Cnone%3E", 404, "&lt;none&gt;"),
    ] {
        let answer = page(&server, &path.replace(['<', '>'], ""));
        let text = answer.text();
        assert_eq!(answer.status, status, "{path}: {text}");
        assert!(text.contains(words), "{path}: {text}");
        check_safe(path, &answer);
    }
    // A program gets what it always got.
    server.get("/no/such/page").problem(404);
}

#[test]
fn long_files_come_in_stretches() {
    let tree = hostile();
    let server = Server::start(&tree, &[], &[]);
    let first = page(&server, "/file?path=src/long.rs").text();
    assert!(first.contains("id=\"L1\"") && first.contains("lines 1–600 of 10,000"));
    assert!(!first.contains("id=\"L601\""));
    let later = page(&server, "/file?path=src/long.rs&line=9990").text();
    assert!(later.contains("id=\"L9990\"") && later.contains("id=\"L10000\""));
    assert!(later.contains("asked\" id=\"L9990\""), "the line stands out");
    let beyond = page(&server, "/file?path=src/long.rs&line=99999999").text();
    assert!(beyond.contains("id=\"L10000\""));
}

#[test]
fn styles_and_scripts_are_kept_until_they_change() {
    let tree = Tree::new(&[("a.rs", "fn a() {}\n")]);
    let server = Server::start(&tree, &[], &[]);
    let home = page(&server, "/").text();
    for (path, media_type) in [
        ("/assets/kenning.css", "text/css; charset=utf-8"),
        ("/assets/kenning.js", "text/javascript; charset=utf-8"),
        ("/assets/icon.svg", "image/svg+xml"),
    ] {
        let answer = server.get(path);
        assert_eq!((answer.status, answer.header("content-type")), (200, media_type));
        assert_eq!(answer.header("cache-control"), "no-cache");
        let tag = answer.header("etag").to_string();
        let again = server.ask("GET", path, &[("if-none-match", &tag)], "");
        assert_eq!((again.status, again.body.len()), (304, 0));
        let any = server.ask("GET", path, &[("if-none-match", "*")], "");
        assert_eq!(any.status, 304);
        let versioned = format!("{path}?v={}", tag.trim_matches('"'));
        assert!(home.contains(&versioned), "{versioned}");
        let kept = server.get(&versioned);
        assert!(kept.header("cache-control").contains("immutable"));
    }
    assert!(home.contains("not indexed yet"));
}

#[test]
fn a_token_is_exchanged_for_a_cookie() {
    let tree = hostile();
    let server = Server::start(&tree, &["--token", "secret"], &[]);
    let origin = format!("http://{}", server.address);
    let form = [("content-type", "application/x-www-form-urlencoded"), ("origin", &origin)];
    let asked = page(&server, "/packages?kind=cargo");
    assert_eq!(asked.status, 401);
    assert!(asked.text().contains("value=\"/packages?kind=cargo\""));
    assert!(!asked.text().contains("door"));
    check_safe("the form", &asked);
    server.get("/packages").problem(401);

    let wrong = server.ask("POST", "/sign-in", &form, "token=wrong&to=%2F");
    assert_eq!((wrong.status, wrong.header("set-cookie")), (401, ""));
    let right = server.ask("POST", "/sign-in", &form, "token=secret&to=%2Fpackages%3Fkind%3Dcargo");
    assert_eq!((right.status, right.header("location")), (303, "/packages?kind=cargo"));
    let elsewhere = server.ask("POST", "/sign-in", &form, "token=secret&to=%2F%2Fevil.example");
    assert_eq!(elsewhere.header("location"), "/");
    let cookie = right.header("set-cookie").to_string();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    assert!(!cookie.contains("secret"));

    let cookie = cookie.split(';').next().unwrap().to_string();
    let signed_in = [("cookie", cookie.as_str()), ("accept", "text/html")];
    assert_eq!(server.ask("GET", "/packages", &signed_in, "").status, 200);
    // To change something, the browser must say that a page of this very server asks.
    let index = |origin: Option<&str>| {
        let json = ("content-type", "application/json");
        let mut headers = vec![("cookie", cookie.as_str()), json];
        headers.extend(origin.map(|origin| ("origin", origin)));
        server.ask("POST", "/api/status", &headers, "{}").status
    };
    assert_eq!(index(Some(&origin)), 200);
    assert_eq!(index(None), 401);
    assert_eq!(index(Some("http://localhost:6274")), 401);
    assert_eq!(index(Some("https://evil.example")), 403);
    let forged = [("cookie", "ken_session=0"), ("accept", "text/html")];
    assert_eq!(server.ask("GET", "/", &forged, "").status, 401);
}

#[test]
fn pictures_of_packages_symbols_and_specs() {
    let tree = hostile();
    for (arguments, words) in [
        (&["graph"][..], "door"),
        (&["graph", "packages", "--format", "dot"], "digraph"),
        (&["graph", "symbols", "Session.login", "--format", "json"], "src/session.rs:14"),
        (&["graph", "symbols", "Session.login", "--format", "mermaid"], "flowchart"),
        (&["graph", "specs", "--format", "json"], "1 requirement\""),
        (&["graph", "specs", "sign-in", "--format", "svg"], "Login"),
    ] {
        let text = tree.ken(arguments);
        assert!(text.contains(words), "{arguments:?}: {text}");
    }
    let linked = ["graph", "symbols", "check", "--format", "svg", "--links", "http://h:1/"];
    let svg = tree.ken(&linked);
    assert!(svg.contains("<a href=\"http://h:1/symbol?at=src%2Fsession.rs%3A5\">"), "{svg}");
    assert!(!tree.ken(&["graph", "symbols", "check", "--format", "svg"]).contains("<a href"));
    let unnamed = tree.run(crate::support::KEN, &["graph", "symbols"]);
    assert!(!unnamed.status.success());
    assert!(String::from_utf8_lossy(&unnamed.stderr).contains("`name` is required"));
}
