//! Skills of plugins: where they are found, which of them, and when that changes.

use serde_json::json;

use crate::skills::{install, listed, text};
use crate::support::{Client, KEN, Tree};

#[test]
fn plugins_of_both_shapes_that_are_on() {
    let tree = Tree::new(&[]);
    for plugin in ["a", "b", "c"] {
        let path = format!(".claude/plugins/cache/m/{plugin}/1/skills/deep/{plugin}/SKILL.md");
        tree.write_at_home(&path, &text(plugin, "x"));
    }
    tree.write_at_home(".claude/plugins/cache/m/a/1/skills/ns/SKILL.md", &text("other:ns", "x"));
    let at = |plugin: &str| json!({"installPath": format!("cache/m/{plugin}/1")});
    install(
        &tree,
        json!({"a@m": at("a"), "b@m": [at("b")], "c@m": [at("c")], "gone@m": at("gone")}),
    );
    let all = ["plugin a:a", "plugin b:b", "plugin c:c", "plugin other:ns"];
    assert_eq!(listed(&tree, &[]), all);
    let problems = tree.ken_json(&["skills", "list"])["problems"].to_string();
    assert!(problems.contains("gone@m is not where it was installed"), "{problems}");
    // The user says which are on; the project, and then its local settings, know better.
    let on = json!({"enabledPlugins": {"a@m": true, "b@m": false}});
    tree.write_at_home(".claude/settings.json", &on.to_string());
    assert_eq!(listed(&tree, &[]), ["plugin a:a", "plugin other:ns"]);
    let on = json!({"enabledPlugins": {"b@m": true, "c@m": true}});
    tree.write(".claude/settings.json", &on.to_string());
    tree.write(".claude/settings.local.json", r#"{"enabledPlugins": {"a@m": false}}"#);
    assert_eq!(listed(&tree, &[]), ["plugin b:b", "plugin c:c"]);
    tree.write_at_home(".claude/plugins/installed_plugins.json", "nonsense");
    let answer = tree.ken_json(&["skills", "list"]);
    assert_eq!(answer["skill_count"], 0);
    assert!(answer["problems"][0].as_str().unwrap().contains("not JSON"), "{answer}");
}

/// Three plugins in one folder: without the catalog each would have the skills of all.
#[test]
fn a_catalog_divides_what_plugins_share() {
    let tree = Tree::new(&[]);
    let market = ".claude/plugins/marketplaces/market";
    for name in ["pdf", "docx", "art"] {
        let path = format!("{market}/skills/{name}/SKILL.md");
        tree.write_at_home(&path, &text(name, "x"));
    }
    let catalog = json!({"name": "market", "plugins": [
        {"name": "documents", "source": "./", "skills": ["./skills/pdf", "./skills/docx"]},
        {"name": "art", "source": "./", "skills": ["./skills/art", "../../../../secret"]}]});
    tree.write_at_home(&format!("{market}/.claude-plugin/marketplace.json"), &catalog.to_string());
    let path = tree.user().join(market);
    let plugin = || json!([{"installPath": path}]);
    install(&tree, json!({"documents@market": plugin(), "art@market": plugin()}));
    let expected = ["plugin art:art", "plugin documents:docx", "plugin documents:pdf"];
    assert_eq!(listed(&tree, &[]), expected);
}

/// A plugin shares its skills only: not its tests, its templates or an agent's own files.
#[test]
fn a_plugin_offers_its_skills_folder_and_what_its_manifest_names() {
    let tree = Tree::new(&[]);
    for path in [
        "p/skills/own",
        "p/more/named",
        "p/tests/fixtures/no",
        "p/.claude/skills/no",
        "p/docs/no",
        "single",
        "single/templates/no",
        "empty/docs/no",
    ] {
        let name = path.rsplit('/').next().unwrap();
        tree.write_at_home(&format!("{path}/SKILL.md"), &text(name, "x"));
    }
    tree.write_at_home("p/.claude-plugin/plugin.json", r#"{"name": "p", "skills": ["./more"]}"#);
    let at = |path: &str| json!([{"installPath": tree.user().join(path)}]);
    install(&tree, json!({"p@m": at("p"), "single@m": at("single"), "empty@m": at("empty")}));
    let expected = ["plugin p:named", "plugin p:own", "plugin single:single"];
    assert_eq!(listed(&tree, &[]), expected);
}

/// A marketplace may lie anywhere: `known_marketplaces.json` says where.
#[test]
fn a_known_marketplace_is_asked_where_it_lies() {
    let tree = Tree::new(&[]);
    for name in ["a", "b"] {
        tree.write_at_home(&format!("cache/p/skills/{name}/SKILL.md"), &text(name, "x"));
    }
    let catalog = |skill: &str| {
        let catalog = json!({"plugins": [{"name": "p", "skills": [format!("./skills/{skill}")]}]});
        tree.write_at_home("far/away/.claude-plugin/marketplace.json", &catalog.to_string());
    };
    catalog("b");
    install(&tree, json!({"p@m": [{"installPath": tree.user().join("cache/p")}]}));
    assert_eq!(listed(&tree, &[]), ["plugin p:a", "plugin p:b"]);
    let known = json!({"m": {"installLocation": tree.user().join("far/away")}});
    tree.write_at_home(".claude/plugins/known_marketplaces.json", &known.to_string());
    assert_eq!(listed(&tree, &[]), ["plugin p:b"]);
    // An update of the catalog is seen at once.
    let mut client = Client::connect(tree.command(KEN, &["serve", "--profile", "skills"]));
    client.text("skill", json!({"name": "p:b"}));
    catalog("a");
    client.wait_for_notification("notifications/tools/list_changed");
    client.text("skill", json!({"name": "p:a"}));
}

/// A plugin that was installed for one project is nobody else's.
#[test]
fn a_plugin_of_one_project_is_for_that_project() {
    let tree = Tree::new(&[("sub/file", "")]);
    tree.write_at_home("p/skills/s/SKILL.md", &text("s", "x"));
    for (project, expected) in [
        (tree.root(), &["plugin p:s"][..]),
        (tree.root().join("sub"), &[]),
        (tree.user().join("elsewhere"), &[]),
    ] {
        let entry = json!({"scope": "project", "projectPath": project,
                           "installPath": tree.user().join("p")});
        install(&tree, json!({"p@m": [entry]}));
        assert_eq!(listed(&tree, &[]), expected, "{}", project.display());
    }
}
