//! Skills beyond their contract: where they are found, resources and the Skills extension in both
//! generations, lists, rules and suggestions on the command line.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Client, KEN, Tree};

pub fn text(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n# {name}\n")
}

/// The names with their tiers, as `ken skills list` shows them.
pub fn listed(tree: &Tree, arguments: &[&str]) -> Vec<String> {
    let answer = tree.ken_json(&[&["skills", "list"], arguments].concat());
    let skills = answer["skills"].as_array().unwrap();
    let show = |skill: &Value| {
        let field = |name: &str| skill[name].as_str().unwrap().to_string();
        format!("{} {}", field("tier"), field("name"))
    };
    skills.iter().map(show).collect()
}

pub fn install(tree: &Tree, plugins: Value) {
    let list = json!({"version": 2, "plugins": plugins});
    tree.write_at_home(".claude/plugins/installed_plugins.json", &list.to_string());
}

#[test]
fn every_place_in_its_order() {
    let tree = Tree::new(&[]);
    for (folder, name) in [
        (".claude/skills", "p1"),
        (".agents/skills", "p2"),
        (".agent/skills", "p3"),
        ("skills", "p4"),
    ] {
        tree.write(&format!("{folder}/{name}/SKILL.md"), &text(name, "x"));
        let user = name.replace('p', "u");
        tree.write_at_home(&format!("{folder}/{user}/SKILL.md"), &text(&user, "x"));
        tree.write(&format!("{folder}/same/SKILL.md"), &text("same", folder));
        tree.write_at_home(&format!("{folder}/same/SKILL.md"), &text("SAME", "user"));
    }
    tree.write("extra/one/n/SKILL.md", &text("n", "x"));
    tree.write("two/SKILL.md", &text("two", "x"));
    let expected = [
        "project p1",
        "project p2",
        "project p3",
        "project p4",
        "project same",
        "user u1",
        "user u2",
        "user u3",
        "user u4",
    ];
    assert_eq!(listed(&tree, &[]), expected);
    let named = listed(&tree, &["--skill-dir", "extra", "--skill-dir", "two"]);
    assert_eq!(named[..2], ["named n", "named two"]);
    assert_eq!(named[2..], expected);
    let shown = tree.ken(&["skills", "show", "same"]);
    assert!(shown.contains("description: .claude/skills"), "{shown}");
    let answer = tree.ken_json(&["skills", "list", "--tier", "user"]);
    assert_eq!(answer["skill_count"], 4);
    assert_eq!(answer["hidden"].as_array().unwrap().len(), 4);
    let missing = tree.ken_json(&["skills", "list", "--skill-dir", "nowhere"]);
    assert!(missing["problems"][0].as_str().unwrap().contains("nowhere"));
}

#[test]
fn claude_config_dir_moves_the_users_skills() {
    let tree = Tree::new(&[("moved/skills/m/SKILL.md", &text("m", "x"))]);
    tree.write_at_home(".claude/skills/old/SKILL.md", &text("old", "x"));
    tree.write_at_home(".agents/skills/stays/SKILL.md", &text("stays", "x"));
    let mut command = tree.command(KEN, &["skills", "list", "--json"]);
    command.env("CLAUDE_CONFIG_DIR", tree.root().join("moved"));
    let output = command.output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let names: Vec<_> = answer["skills"].as_array().unwrap().iter().map(|s| &s["name"]).collect();
    assert_eq!(names, ["m", "stays"]);
}

#[cfg(unix)]
#[test]
fn linked_skills_are_loaded_and_watched() {
    let tree = Tree::new(&[("elsewhere/linked/SKILL.md", &text("linked", "first"))]);
    std::fs::create_dir_all(tree.root().join(".claude/skills")).unwrap();
    let link = tree.root().join(".claude/skills/linked");
    std::os::unix::fs::symlink(tree.root().join("elsewhere/linked"), &link).unwrap();
    std::os::unix::fs::symlink(tree.root(), tree.root().join(".claude/skills/loop")).unwrap();
    let mut client = Client::connect(tree.command(KEN, &["serve", "--profile", "skills"]));
    let loaded = client.text("skill", json!({"name": "linked"}));
    assert!(loaded.contains(&format!("Base directory: {}\n", link.display())), "{loaded}");
    tree.write("elsewhere/linked/SKILL.md", &text("linked", "second"));
    client.wait_for_notification("notifications/tools/list_changed");
    assert!(client.text("skill", json!({"name": "linked"})).contains("second"));
}

/// A link in a second folder of the project is the same skill, not a hidden one.
#[cfg(unix)]
#[test]
fn one_folder_is_one_skill_however_many_links_lead_to_it() {
    let tree = Tree::new(&[(".agents/skills/one/SKILL.md", &text("one", "x"))]);
    std::fs::create_dir_all(tree.root().join(".claude")).unwrap();
    let link = tree.root().join(".claude/skills");
    std::os::unix::fs::symlink(tree.root().join(".agents/skills"), link).unwrap();
    std::fs::create_dir_all(tree.root().join("skills")).unwrap();
    let link = tree.root().join("skills/again");
    std::os::unix::fs::symlink(tree.root().join(".agents/skills/one"), link).unwrap();
    let answer = tree.ken_json(&["skills", "list"]);
    assert_eq!((&answer["skill_count"], &answer["hidden"]), (&json!(1), &json!([])));
    assert_eq!(tree.ken_json(&["skills", "validate"])["checked"], 1);
}

/// The file itself may be a link; what it leads to is watched.
#[cfg(unix)]
#[test]
fn a_linked_file_is_watched() {
    let tree = Tree::new(&[("elsewhere/pdf.md", &text("pdf", "first"))]);
    let folder = tree.root().join(".claude/skills/pdf");
    std::fs::create_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink(tree.root().join("elsewhere/pdf.md"), folder.join("SKILL.md"))
        .unwrap();
    let mut client = Client::connect(tree.command(KEN, &["serve", "--profile", "skills"]));
    client.text("skill", json!({"name": "pdf"}));
    tree.write("elsewhere/pdf.md", &text("pdf", "second"));
    client.wait_for_notification("notifications/tools/list_changed");
}

/// A root that does not exist yet, one that is deleted and made again, a plugin that is installed.
#[test]
fn places_that_come_and_go_are_seen_at_once() {
    let tree = Tree::new(&[]);
    let mut client = Client::connect(tree.command(KEN, &["serve", "--profile", "skills"]));
    for _ in 0..2 {
        tree.write(".claude/skills/a/SKILL.md", &text("a", "x"));
        client.wait_for_notification("notifications/tools/list_changed");
        client.text("skill", json!({"name": "a"}));
        std::fs::remove_dir_all(tree.root().join(".claude")).unwrap();
        client.wait_for_notification("notifications/tools/list_changed");
        client.call("skill", json!({"name": "a"})).unwrap_err();
    }
    tree.write_at_home("plugins/p/skills/s/SKILL.md", &text("s", "x"));
    install(&tree, json!({"p@m": [{"installPath": tree.user().join("plugins/p")}]}));
    client.wait_for_notification("notifications/tools/list_changed");
    client.text("skill", json!({"name": "p:s"}));
    tree.write_at_home("plugins/p/skills/t/SKILL.md", &text("t", "x"));
    client.wait_for_notification("notifications/tools/list_changed");
    client.text("skill", json!({"name": "p:t"}));
}

fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

fn bundle() -> Tree {
    let tree = Tree::new(&[
        (".claude/skills/pdf/scripts/fill.py", "print('ü')\n"),
        (".claude/skills/pdf/scripts/deep/more.txt", "more"),
        (".claude/skills/Odd Name/notes.md", "notes"),
        ("secret.txt", "no"),
    ]);
    let skill = "---\nname: pdf\ndescription: Fills forms\nmetadata:\n  version: 2\n---\nDo.\n";
    tree.write(".claude/skills/pdf/SKILL.md", skill);
    tree.write_bytes(".claude/skills/pdf/logo.png", &[0x89, 0x50, 0, 0xff]);
    tree.write(".claude/skills/Odd Name/SKILL.md", &text("Odd Name", "x"));
    #[cfg(unix)]
    {
        let leak = tree.root().join(".claude/skills/pdf/leak");
        std::os::unix::fs::symlink(tree.root().join("secret.txt"), leak).unwrap();
    }
    tree
}

/// The Skills extension, the same for both generations.
fn check_extension(client: &mut Client, params: fn(Value) -> Value, not_found: i64) {
    let listed = client.request("skills/list", params(json!({}))).unwrap();
    assert_eq!(listed["resultType"], "complete");
    assert!(listed["ttlMs"].is_u64() && listed["cacheScope"].is_string());
    let skills = listed["skills"].as_array().unwrap();
    // A name that Agent Skills does not allow is not listed, and still served.
    assert_eq!(skills.len(), 1, "{listed}");
    assert_eq!(skills[0]["uri"], "skill://pdf/SKILL.md");
    let frontmatter =
        json!({"name": "pdf", "description": "Fills forms", "metadata": {"version": 2}});
    assert_eq!(skills[0]["frontmatter"], frontmatter);
    let got = client.request("skills/get", params(json!({"uri": "skill://pdf/SKILL.md"})));
    assert_eq!(got.unwrap()["skill"], skills[0]);
    let files = skills[0]["resources"].as_array().unwrap();
    let uris: Vec<_> = files.iter().map(|file| file["uri"].as_str().unwrap()).collect();
    assert_eq!(
        uris,
        [
            "skill://pdf/SKILL.md",
            "skill://pdf/logo.png",
            "skill://pdf/scripts/deep/more.txt",
            "skill://pdf/scripts/fill.py"
        ]
    );
    // As `printf more | sha256sum` says.
    let digest = "sha256:187897ce0afcf20b50ba2b37dca84a951b7046f29ed5ab94f010619f69d6e189";
    assert_eq!(files[2]["digest"], digest);
    assert_eq!(files[2]["size"], 4);
    let mut read = |uri: &str| {
        let answer = client.request("resources/read", params(json!({"uri": uri})));
        answer.map(|answer| answer["contents"][0].clone())
    };
    let python = read("skill://pdf/scripts/fill.py").unwrap();
    assert_eq!(
        (python["text"].as_str(), python["mimeType"].as_str()),
        (Some("print('ü')\n"), Some("text/x-python"))
    );
    assert_eq!(read("skill://pdf/logo.png").unwrap()["blob"], "iVAA/w==");
    assert_eq!(read("skill://Odd%20Name/notes.md").unwrap()["text"], "notes");
    for uri in [
        "skill://pdf/leak",
        "skill://pdf/../../../secret.txt",
        "skill://pdf/%2e%2e/x",
        "skill://pdf/scripts",
        "skill://pdf",
        "skill://nobody/SKILL.md",
        "file:///etc/passwd",
    ] {
        assert_eq!(read(uri).unwrap_err()["code"], not_found, "{uri}");
    }
    let mut directory = |uri: &str| {
        let answer = client.request("resources/directory/read", params(json!({"uri": uri})));
        answer.map(|answer| {
            let children = answer["resources"].as_array().unwrap().iter();
            children.map(|child| child["name"].as_str().unwrap().to_string()).collect::<Vec<_>>()
        })
    };
    assert_eq!(directory("skill://pdf").unwrap(), ["SKILL.md", "logo.png", "scripts"]);
    assert_eq!(directory("skill://pdf/scripts").unwrap(), ["fill.py", "deep"]);
    for uri in ["skill://pdf/SKILL.md", "skill://pdf/nothing", "skill://nobody"] {
        assert_eq!(directory(uri).unwrap_err()["code"], -32602, "{uri}");
    }
    for wrong in [json!({}), json!({"uri": 3}), json!({"uri": "skill://pdf"})] {
        let error = client.request("skills/get", params(wrong.clone())).unwrap_err();
        assert_eq!(error["code"], -32602, "{wrong}");
    }
    let error = client.request("skills/list", params(json!({"cursor": "x"}))).unwrap_err();
    assert_eq!(error["code"], -32602);
    let resources = client.request("resources/list", params(json!({}))).unwrap();
    let uris = resources["resources"].as_array().unwrap().iter().map(|resource| &resource["uri"]);
    let uris: Vec<_> = uris.collect();
    assert_eq!(uris, ["skill://Odd%20Name/SKILL.md", "skill://pdf/SKILL.md"]);
}

#[test]
fn the_skills_extension_after_a_handshake() {
    let tree = bundle();
    let mut client = Client::connect(tree.command(KEN, &["serve"]));
    let extension = &client.server["capabilities"]["extensions"]["io.modelcontextprotocol/skills"];
    assert_eq!(extension["directoryRead"], true);
    assert!(client.server["capabilities"]["resources"].is_object());
    check_extension(&mut client, |params| params, -32002);
}

#[test]
fn the_skills_extension_without_a_handshake() {
    let tree = bundle();
    let mut client = Client::start(tree.command(KEN, &["serve"]));
    let with_meta = |mut params: Value| {
        params["_meta"] = meta();
        params
    };
    check_extension(&mut client, with_meta, -32602);
}

/// The newer generation hears of changes through its subscription, and only of those it asked for.
#[test]
fn changes_reach_a_subscription() {
    let tree = bundle();
    let mut client = Client::start(tree.command(KEN, &["serve", "--profile", "skills"]));
    let wanted = json!({"toolsListChanged": true, "resourcesListChanged": true});
    client.post("subscriptions/listen", json!({"_meta": meta(), "notifications": wanted}));
    let acknowledged = client.wait_for_notification("notifications/subscriptions/acknowledged");
    assert_eq!(acknowledged["params"]["notifications"], json!({"toolsListChanged": true}));
    tree.write(".claude/skills/new/SKILL.md", &text("new", "x"));
    client.wait_for_notification("notifications/tools/list_changed");
    let listed = client.request("tools/list", json!({"_meta": meta()})).unwrap();
    let description = listed["tools"][0]["description"].as_str().unwrap();
    assert!(description.contains("- new: x"), "{description}");
    assert_eq!(client.notifications, Vec::<Value>::new());
}

/// A change that no client can see sends no notification, in either protocol generation.
#[test]
fn a_subscription_is_not_told_of_what_did_not_change() {
    let tree = bundle();
    let path = ".claude/skills/pdf/SKILL.md";
    let original = std::fs::read_to_string(tree.root().join(path)).unwrap();
    let mut client = Client::start(tree.command(KEN, &["serve", "--profile", "skills"]));
    let wanted = json!({"toolsListChanged": true});
    client.post("subscriptions/listen", json!({"_meta": meta(), "notifications": wanted}));
    client.wait_for_notification("notifications/subscriptions/acknowledged");
    tree.write(path, &original.replace("Do.", "Do it twice."));
    crate::support::until("the new body", || {
        let call = json!({"_meta": meta(), "name": "skill", "arguments": {"name": "pdf"}});
        let answer = client.request("tools/call", call).unwrap();
        answer["content"][0]["text"].as_str().unwrap().contains("twice")
    });
    assert_eq!(client.notifications, Vec::<Value>::new());
    // The first news is of the first change that can be seen.
    tree.write(path, &original.replace("Fills forms", "Fills in forms"));
    client.wait_for_notification("notifications/tools/list_changed");
    let listed = client.request("tools/list", json!({"_meta": meta()})).unwrap();
    let description = listed["tools"][0]["description"].as_str().unwrap();
    assert!(description.contains("Fills in forms"), "{description}");
}

#[test]
fn many_skills_are_listed_in_pages() {
    let tree = Tree::new(&[]);
    for number in 0..230 {
        let name = format!("s{number:03}");
        tree.write(&format!("skills/{name}/SKILL.md"), &text(&name, "x"));
    }
    let mut client = Client::connect(tree.command(KEN, &["serve"]));
    let mut names = Vec::new();
    let mut params = json!({});
    loop {
        let page = client.request("skills/list", params).unwrap();
        let skills = page["skills"].as_array().unwrap().iter();
        names
            .extend(skills.map(|skill| skill["frontmatter"]["name"].as_str().unwrap().to_string()));
        match page.get("nextCursor") {
            Some(cursor) => params = json!({"cursor": cursor}),
            None => break,
        }
    }
    let expected: Vec<String> = (0..230).map(|number| format!("s{number:03}")).collect();
    assert_eq!(names, expected);
}

/// Some clients cut long descriptions: the list is trimmed to their limit, and the log says so.
#[test]
fn a_long_list_is_trimmed_and_that_is_logged() {
    let tree = Tree::new(&[]);
    for number in 0..60 {
        let name = format!("skill-{number:02}");
        tree.write(&format!("skills/{name}/SKILL.md"), &text(&name, &"word ".repeat(50)));
    }
    let description = |client: &str, arguments: &[&str]| {
        let command = tree.command(KEN, &[&["serve", "--profile", "skills"], arguments].concat());
        let mut client = Client::connect_named(command, client);
        let listed = client.request("tools/list", json!({})).unwrap();
        client.close_input();
        let description = listed["tools"][0]["description"].as_str().unwrap().to_string();
        (description, client.finish().2)
    };
    let limit = ["--set", "skills.description_limit=2048"];
    // The client that cuts, and any client whose user says so.
    for (client, arguments) in [("claude-code", &[][..]), ("Claude-Code", &[]), ("other", &limit)] {
        let (short, stderr) = description(client, arguments);
        assert!(short.chars().count() <= 2048);
        assert!((0..30).all(|number| short.contains(&format!("- skill-{number:02}: word"))));
        assert!((0..60).all(|number| short.contains(&format!("- skill-{number:02}"))));
        assert!(stderr.contains("descriptions were cut to"), "{stderr}");
    }
    // A client without a limit gets the whole list.
    let (long, stderr) = description("other", &[]);
    let whole = "word ".repeat(50);
    assert!((0..60).all(|number| {
        let line = format!("- skill-{number:02}: {}", whole.trim_end());
        long.lines().any(|known| known == line)
    }));
    assert!(stderr.contains("a client that cuts at 2048 sees the first"), "{stderr}");
    let (longest, stderr) = description("claude-code", &["--set", "skills.description_limit=0"]);
    assert_eq!(longest, long);
    assert!(!stderr.contains("were cut to"), "{stderr}");
}

#[test]
fn the_command_line() {
    let tree = Tree::new(&[]);
    tree.write("skills/pdf/SKILL.md", &text("pdf", "Reads and fills PDF forms"));
    tree.write("skills/web/SKILL.md", &text("web", "Builds web sites"));
    let suggested = tree.ken_json(&["skills", "suggest", "fill in the form of this pdf"]);
    assert_eq!(suggested[0]["name"], "pdf");
    let shown = tree.ken(&["skills", "show", "web"]);
    assert!(shown.starts_with("Loading: web\nBase directory: "), "{shown}");
    assert_eq!(shown, tree.ken(&["skill", "web"]));
    let output = tree.run(KEN, &["skills", "show", "wbe"]);
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.contains("did you mean web?"), "{stderr}");
    let verdict = tree.ken_json(&["skills", "validate"]);
    assert_eq!((&verdict["valid"], &verdict["checked"]), (&json!(true), &json!(2)));
}

#[test]
fn validation_finds_the_line() {
    let tree = Tree::new(&[
        ("skills/good/SKILL.md", "---\nname: good\ndescription: x\n---\nDo.\n"),
        ("skills/Bad/SKILL.md", "---\ndescription: x\nname: Bad\n---\nDo.\n"),
        ("skills/odd/SKILL.md", "---\nname: odd\ndescription: x\nmodel: y\n---\nDo.\n"),
    ]);
    tree.write_bytes("skills/latin/SKILL.md", b"---\nname: \xE4\n");
    let run = |arguments: &[&str]| {
        let arguments = [&["skills", "validate", "--json"], arguments].concat();
        let output = tree.run(KEN, &arguments);
        let verdict: Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code(), verdict)
    };
    let (code, verdict) = run(&[]);
    assert_eq!(code, Some(1));
    assert_eq!(verdict["valid"], false);
    let findings = verdict["findings"].as_array().unwrap();
    let find = |folder: &str| {
        let path = Path::new("skills").join(folder).join("SKILL.md");
        let mut findings = findings.iter();
        let found = findings.find(|f| Path::new(f["path"].as_str().unwrap()).ends_with(&path));
        found.map(|finding| (finding["line"].as_u64().unwrap(), finding["severity"].clone()))
    };
    assert_eq!(find("Bad"), Some((3, json!("error"))));
    assert_eq!(find("odd"), Some((4, json!("warning"))));
    assert_eq!(find("latin"), Some((2, json!("error"))));
    assert_eq!(find("good"), None);
    assert_eq!(run(&["--path", "skills/good"]).0, Some(0));
    assert_eq!(run(&["--path", "skills/good/SKILL.md"]).1["checked"], 1);
    assert_eq!(run(&["--path", "skills/odd"]).0, Some(0));
    assert_eq!(run(&["--path", "skills/odd", "--strict"]).0, Some(1));
    let (_, error) = run(&["--path", "nowhere"]);
    assert!(error["error"]["message"].as_str().unwrap().contains("no SKILL.md"), "{error}");
}
