//! Every scenario of the skills contract, under its own name, over a real `ken serve --profile
//! skills`.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::support::{Client, KEN, Tree, until};

const LIST_CHANGED: &str = "notifications/tools/list_changed";

fn text(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n\n# {name}\n\nDo it.\n")
}

/// A project, a user and two plugins with skills.
fn shelves() -> Tree {
    let tree = Tree::new(&[(".claude/skills/bun/SKILL.md", "")]);
    tree.write(
        ".claude/skills/bun/SKILL.md",
        &text("bun", "Enhanced documentation skill for 'bun'"),
    );
    tree.write_at_home(".claude/skills/user/SKILL.md", &text("user", "用户的全局技能,必读!"));
    for plugin in ["example-skills", "other"] {
        for skill in ["pdf", &format!("only-{plugin}")] {
            let path = format!(".claude/plugins/cache/market/{plugin}/1.0/skills/{skill}/SKILL.md");
            let words = text(skill, &format!("The {skill} of {plugin}"));
            tree.write_at_home(&path, &words);
        }
    }
    let installed = |plugin: &str| {
        let path = tree.user().join(".claude/plugins/cache/market");
        json!([{"scope": "user", "installPath": path.join(plugin).join("1.0")}])
    };
    let list = json!({"version": 2, "plugins": {
        "example-skills@market": installed("example-skills"), "other@market": installed("other")}});
    tree.write_at_home(".claude/plugins/installed_plugins.json", &list.to_string());
    tree
}

fn serve(tree: &Tree) -> Client {
    Client::connect(tree.command(KEN, &["serve", "--profile", "skills"]))
}

/// A server that looks on a timer only, and often.
fn serve_by_timer(tree: &Tree) -> Client {
    let mut command = tree.command(KEN, &["serve", "--profile", "skills"]);
    command.env("KEN_SKILLS_EVENTS", "off");
    command.env("KEN_SKILLS_REFRESH_MS", "5");
    Client::connect(command)
}

/// As editors and git do it: the file is never half there.
fn replace(tree: &Tree, path: &str, text: &str) {
    tree.write("next", text);
    std::fs::rename(tree.root().join("next"), tree.root().join(path)).unwrap();
}

fn description(client: &mut Client) -> String {
    let listed = client.request("tools/list", json!({})).unwrap();
    listed["tools"][0]["description"].as_str().unwrap().to_string()
}

fn skill(client: &mut Client, name: &str) -> String {
    client.text("skill", json!({"name": name}))
}

fn failure(client: &mut Client, arguments: Value) -> Value {
    client.call("skill", arguments).unwrap_err()
}

// Requirement: MCP Server Initialization

#[test]
fn start_mcp_server_on_stdio() {
    let tree = shelves();
    let mut client = serve(&tree);
    assert_eq!(client.server["serverInfo"]["name"], "skills");
    assert_eq!(client.server["capabilities"]["tools"]["listChanged"], true);
    assert!(client.request("ping", json!({})).is_ok());
    client.close_input();
    // Whatever stood on stdout was JSON-RPC, or the client would have said so.
    let (status, _, stderr) = client.finish();
    assert!(status.success());
    assert!(stderr.contains("kenning:"), "{stderr}");
}

#[test]
fn initialize_skill_registry_on_startup() {
    let tree = shelves();
    tree.write(".agents/skills/broken/SKILL.md", "no frontmatter");
    let mut client = serve(&tree);
    assert!(description(&mut client).contains("- bun: "));
    client.close_input();
    let (_, _, stderr) = client.finish();
    assert!(stderr.contains("6 skills loaded from"), "{stderr}");
    let complaint = ".agents/skills/broken/SKILL.md:1: no frontmatter";
    assert!(stderr.contains(complaint), "{stderr}");
}

// Requirement: Skill Tool

#[test]
fn provide_skill_tool_definition() {
    let tree = shelves();
    let mut client = serve(&tree);
    let listed = client.request("tools/list", json!({})).unwrap();
    let tools = listed["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 1);
    assert_eq!(tools[0]["name"], "skill");
    let schema = &tools[0]["inputSchema"];
    assert_eq!(schema["type"], "object");
    assert_eq!(schema["required"], json!(["name"]));
    assert_eq!(schema["properties"]["name"]["type"], "string");
    let description = tools[0]["description"].as_str().unwrap();
    assert!(description.contains("bun") && description.contains("example-skills:pdf"));
}

#[test]
fn dynamic_skill_list_in_description() {
    let tree = shelves();
    let mut client = serve(&tree);
    let before = "Load a skill by name to get specialized instructions.\n\
                  \n\
                  Available skills:\n\
                  - bun: Enhanced documentation skill for 'bun'\n\
                  - user: 用户的全局技能,必读!\n\
                  - example-skills:only-example-skills: The only-example-skills of example-skills\n\
                  - example-skills:pdf: The pdf of example-skills\n\
                  - other:only-other: The only-other of other\n\
                  - other:pdf: The pdf of other";
    assert_eq!(description(&mut client), before);
    tree.write(".claude/skills/bun/SKILL.md", &text("bun", "Now with more"));
    client.wait_for_notification(LIST_CHANGED);
    let after = before.replace("Enhanced documentation skill for 'bun'", "Now with more");
    assert_eq!(description(&mut client), after);
}

#[test]
fn load_skill_by_name() {
    let tree = shelves();
    let mut client = serve(&tree);
    let directory = tree.user().join(".claude/skills/user");
    let content = text("user", "用户的全局技能,必读!");
    let expected = format!("Loading: user\nBase directory: {}\n\n{content}", directory.display());
    for name in ["user", "User", "USER", " user "] {
        assert_eq!(skill(&mut client, name), expected);
    }
}

#[test]
fn load_skill_by_full_namespaced_name() {
    let tree = shelves();
    let mut client = serve(&tree);
    let loaded = skill(&mut client, "example-skills:pdf");
    assert!(loaded.starts_with("Loading: example-skills:pdf\n"), "{loaded}");
    assert!(loaded.ends_with(&text("pdf", "The pdf of example-skills")), "{loaded}");
}

#[test]
fn load_skill_by_short_name_unambiguous() {
    let tree = shelves();
    let mut client = serve(&tree);
    let loaded = skill(&mut client, "only-other");
    assert!(loaded.starts_with("Loading: other:only-other\n"), "{loaded}");
}

#[test]
fn error_on_ambiguous_short_name() {
    let tree = shelves();
    let mut client = serve(&tree);
    let error = failure(&mut client, json!({"name": "pdf"}));
    assert_eq!(error["code"], -32602);
    let matches = json!(["example-skills:pdf", "other:pdf"]);
    assert_eq!(error["data"]["matches"], matches);
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("example-skills:pdf, other:pdf"), "{message}");
    assert!(message.contains("full name"), "{message}");
}

#[test]
fn error_on_skill_not_found() {
    let tree = shelves();
    let mut client = serve(&tree);
    let error = failure(&mut client, json!({"name": "bunn"}));
    assert_eq!(error["code"], -32001);
    assert_eq!(error["data"]["suggestions"], json!(["bun"]));
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("not found") && message.contains("did you mean bun?"));
    let error = failure(&mut client, json!({"name": "zzzzzzzz"}));
    assert_eq!(error["code"], -32001);
    assert_eq!(error["data"]["suggestions"], json!([]));
}

// Requirement: Skill Content Format

#[test]
fn include_base_directory_in_response() {
    let tree = shelves();
    let mut client = serve(&tree);
    let loaded = skill(&mut client, "bun");
    let mut lines = loaded.split('\n');
    assert_eq!(lines.next(), Some("Loading: bun"));
    let directory = tree.root().join(".claude/skills/bun");
    assert!(directory.is_absolute());
    let line = format!("Base directory: {}", directory.display());
    assert_eq!(lines.next(), Some(line.as_str()));
    assert_eq!(lines.next(), Some(""));
    assert_eq!(lines.next(), Some("---"));
}

#[test]
fn preserve_exact_formatting() {
    let tree = shelves();
    let odd = "\u{feff}---\r\nname: odd\r\ndescription: |\r\n  Two\r\n  lines\r\nextra: 1\r\n---\r\n\r\n\
               ```sh\r\n\techo \"a  b\"   \r\n```\n\n\n    indented\u{a0}日本語 🦀 \u{0001}\n\n";
    tree.write(".claude/skills/odd/SKILL.md", odd);
    let mut client = serve(&tree);
    let result = client.call("skill", json!({"name": "odd"})).unwrap();
    let loaded = result["content"][0]["text"].as_str().unwrap();
    let (_, content) = loaded.split_once("\n\n").unwrap();
    assert_eq!(content.as_bytes(), odd.as_bytes());
    assert!(result.get("structuredContent").is_none(), "{result}");
    assert!(description(&mut client).contains("- odd: Two lines\n"));
}

// Requirement: Auto-Refresh

#[test]
fn refresh_on_30_second_interval() {
    let tree = shelves();
    let settings = tree.ken_json(&["config"]);
    let interval =
        settings.as_array().unwrap().iter().find(|row| row["key"] == "skills.refresh_ms");
    assert_eq!(interval.unwrap()["value"], 30_000);
    // The same timer, set to go off sooner.
    let mut client = serve_by_timer(&tree);
    assert!(!description(&mut client).contains("late"));
    tree.write(".agents/skills/late/SKILL.md", &text("late", "Comes late"));
    client.wait_for_notification(LIST_CHANGED);
    assert!(description(&mut client).contains("- late: Comes late\n"));
    assert!(skill(&mut client, "late").contains("# late"));
}

#[test]
fn detect_new_skills() {
    let tree = shelves();
    for start in [serve, serve_by_timer] {
        let mut client = start(&tree);
        assert_eq!(failure(&mut client, json!({"name": "new"}))["code"], -32001);
        tree.write("skills/new/SKILL.md", &text("new", "Just made"));
        client.wait_for_notification(LIST_CHANGED);
        assert!(skill(&mut client, "new").contains("Just made"));
        std::fs::remove_dir_all(tree.root().join("skills")).unwrap();
    }
}

#[test]
fn detect_modified_skills() {
    let tree = shelves();
    for start in [serve, serve_by_timer] {
        let mut client = start(&tree);
        let path = ".claude/skills/bun/SKILL.md";
        let original = std::fs::read_to_string(tree.root().join(path)).unwrap();
        replace(&tree, path, &original.replace("Do it.", "Do it twice."));
        until("the new body", || skill(&mut client, "bun").contains("twice"));
        replace(&tree, path, &original);
        until("the old body", || !skill(&mut client, "bun").contains("twice"));
        // The description never changed, so nobody was told that it did.
        assert_eq!(client.notifications, Vec::<Value>::new());
    }
}

#[test]
fn detect_removed_skills() {
    let tree = shelves();
    for start in [serve, serve_by_timer] {
        let mut client = start(&tree);
        let path = ".claude/skills/bun/SKILL.md";
        let original = std::fs::read_to_string(tree.root().join(path)).unwrap();
        skill(&mut client, "bun");
        tree.remove(path);
        client.wait_for_notification(LIST_CHANGED);
        assert!(!description(&mut client).contains("bun"));
        let error = failure(&mut client, json!({"name": "bun"}));
        assert_eq!(error["code"], -32001);
        assert!(error["message"].as_str().unwrap().contains("not found"));
        tree.write(path, &original);
        client.wait_for_notification(LIST_CHANGED);
    }
}

// Requirement: Concurrent Request Handling

#[test]
fn handle_multiple_simultaneous_requests() {
    let tree = shelves();
    for number in 0..500 {
        let name = format!("skill-{number}");
        let path = format!(".claude/skills/{name}/SKILL.md");
        tree.write(&path, &text(&name, &format!("Number {number}.")));
    }
    let mut client = serve(&tree);
    let posted: Vec<(usize, u64)> = (0..1000)
        .map(|index| {
            let number = index * 7 % 500;
            let arguments = json!({"name": format!("skill-{number}")});
            let call = json!({"name": "skill", "arguments": arguments});
            (number, client.post("tools/call", call))
        })
        .collect();
    for (number, id) in posted {
        let result = client.wait(id).unwrap();
        let loaded = result["content"][0]["text"].as_str().unwrap();
        assert!(loaded.starts_with(&format!("Loading: skill-{number}\n")), "{loaded}");
        assert!(loaded.ends_with(&text(&format!("skill-{number}"), &format!("Number {number}."))));
    }
    let listed = description(&mut client);
    let names = listed.lines().filter(|line| line.starts_with("- skill-")).count();
    assert_eq!(names, 500);
}

#[test]
fn handle_requests_during_refresh() {
    let tree = shelves();
    let version = |number: usize| {
        let body = format!("version {number}\n").repeat(200);
        format!("---\nname: moving\ndescription: version {number}\n---\n{body}")
    };
    tree.write(".claude/skills/moving/SKILL.md", &version(0));
    let mut client = serve_by_timer(&tree);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut number = 0;
            while !done.load(Ordering::SeqCst) {
                number += 1;
                replace(&tree, ".claude/skills/moving/SKILL.md", &version(number));
            }
        });
        let mut seen = std::collections::HashSet::new();
        let started = std::time::Instant::now();
        while seen.len() < 20 && started.elapsed() < crate::support::PATIENCE {
            let ids: Vec<u64> = (0..20)
                .map(|_| {
                    let arguments = json!({"name": "moving"});
                    client.post("tools/call", json!({"name": "skill", "arguments": arguments}))
                })
                .collect();
            for id in ids {
                let result = client.wait(id).unwrap();
                let loaded = result["content"][0]["text"].as_str().unwrap();
                let versions: std::collections::HashSet<&str> = loaded
                    .lines()
                    .filter_map(|line| line.split_once("version ").map(|(_, number)| number))
                    .collect();
                assert_eq!(versions.len(), 1, "description and body disagree: {versions:?}");
                seen.extend(versions.into_iter().map(str::to_string));
            }
        }
        done.store(true, Ordering::SeqCst);
        assert!(seen.len() >= 20, "only {} refreshes were seen", seen.len());
    });
}

// Requirement: Error Responses

#[test]
fn invalid_tool_call_parameter() {
    let tree = shelves();
    let mut client = serve(&tree);
    for arguments in [json!({}), json!({"name": null}), json!({"name": ""}), json!({"name": " "})] {
        let error = failure(&mut client, arguments.clone());
        assert_eq!(error["code"], -32602, "{arguments}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("`name` is required"), "{message}");
    }
    let error = failure(&mut client, json!({"name": 3}));
    assert_eq!(error["code"], -32602);
    let error = client.request("tools/call", json!({"name": "skill"})).unwrap_err();
    assert_eq!(error["code"], -32602);
    assert!(error["message"].as_str().unwrap().contains("`name` is required"));
}

#[cfg(unix)]
#[test]
fn internal_errors() {
    let tree = shelves();
    // A link that leads in a circle cannot be read by anybody, whoever runs this.
    let folder = tree.root().join(".claude/skills/bun");
    std::os::unix::fs::symlink(folder.join("b"), folder.join("a")).unwrap();
    std::os::unix::fs::symlink(folder.join("a"), folder.join("b")).unwrap();
    let mut client = Client::connect(tree.command(KEN, &["serve", "--toolsets", "skills"]));
    let error = client.request("resources/read", json!({"uri": "skill://bun/a"})).unwrap_err();
    assert_eq!(error["code"], -32603, "{error}");
    let message = error["message"].as_str().unwrap().to_string();
    assert!(message.contains("symbolic links"), "{message}");
    client.close_input();
    let (_, _, stderr) = client.finish();
    assert!(stderr.contains(&message), "{stderr}");
}

/// A skill that is there and cannot be loaded is not one that does not exist.
#[test]
fn internal_errors_of_a_broken_skill() {
    let tree = shelves();
    tree.write(".claude/skills/half/SKILL.md", "---\nname: half\ndescr");
    tree.write_bytes(".claude/skills/latin/SKILL.md", b"---\nname: \xe4\n---\n");
    let large = text("large", &"x".repeat(2 << 20));
    tree.write(".claude/skills/large/SKILL.md", &large);
    let mut client = serve(&tree);
    for (name, reason) in
        [("half", "frontmatter"), ("LATIN", "not valid UTF-8"), ("large", "above the limit")]
    {
        let error = client.call("skill", json!({"name": name})).unwrap_err();
        assert_eq!(error["code"], -32603, "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(reason) && message.contains("SKILL.md"), "{message}");
    }
    // Mended, it is there.
    replace(&tree, ".claude/skills/half/SKILL.md", &text("half", "whole again"));
    client.wait_for_notification(LIST_CHANGED);
    skill(&mut client, "half");
    client.close_input();
    let (_, _, stderr) = client.finish();
    assert!(stderr.contains("\"large\" cannot be loaded"), "{stderr}");
}

// Requirement: Graceful Shutdown

#[cfg(unix)]
fn check_signal(name: &str) {
    let tree = shelves();
    let mut client = serve(&tree);
    skill(&mut client, "bun");
    let pending = client.post("tools/call", json!({"name": "skill", "arguments": {"name": "bun"}}));
    client.wait(pending).unwrap();
    client.signal(name);
    let (status, _, stderr) = client.finish();
    assert_eq!(status.code(), Some(0), "{stderr}");
    assert!(stderr.contains("shut down"), "{stderr}");
    assert!(!stderr.contains("timed out"), "{stderr}");
}

#[cfg(unix)]
#[test]
fn handle_sigint() {
    check_signal("INT");
}

#[cfg(unix)]
#[test]
fn handle_sigterm() {
    check_signal("TERM");
}
