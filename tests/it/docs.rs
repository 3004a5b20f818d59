//! Generated files are what the declarations say today. `UPDATE_EXPECT=1 cargo test` renews them.

mod answers;

use expect_test::expect_file;

#[test]
fn the_command_line_reference_is_fresh() {
    expect_file!["../../docs/cli.md"].assert_eq(&kenning::front::cli::cli_reference());
}

#[test]
fn the_tool_reference_is_fresh() {
    let tree = answers::app();
    let page = kenning::front::cli::tool_reference(|op| answers::answered(&tree, op));
    expect_file!["../../docs/tools.md"].assert_eq(&page);
}

#[test]
fn the_page_on_configuration_is_fresh() {
    let page = kenning::front::cli::settings_reference();
    expect_file!["../../docs/configuration.md"].assert_eq(&page);
}

/// A changed schema is a change of the interface: somebody has to read this diff.
#[test]
fn the_schemas_are_as_recorded() {
    let schemas: serde_json::Map<String, serde_json::Value> =
        kenning::ops::ALL.iter().map(|op| (op.name.to_string(), op.schema.clone())).collect();
    let text = serde_json::to_string_pretty(&schemas).unwrap() + "\n";
    expect_file!["../golden/schemas.json"].assert_eq(&text);
}

/// A new provider, or a new setting of one, must be documented.
#[test]
fn the_page_on_providers_has_every_provider_and_setting() {
    let page = include_str!("../../docs/providers.md");
    for provider in kenning_embed::PROVIDERS {
        let name = provider.name;
        assert!(page.contains(&format!("\n## `{name}`")), "no section on {name}");
    }
    let groups =
        ["embedding.", "ollama.", "openai.", "voyage.", "mlx.", "swift_embeddings.", "reranker."];
    for setting in kenning::config::SETTINGS {
        let is_ours = groups.iter().any(|group| setting.key.starts_with(group));
        let is_there = page.contains(&format!("`{}`", setting.key));
        assert!(!is_ours || is_there, "no word on {}", setting.key);
    }
    for (variable, key) in kenning::config::FOREIGN_VARIABLES {
        let page = match key {
            key if is_serving(key) => HTTP,
            key if is_of_backends(key) => SCALING,
            _ => page,
        };
        assert!(page.contains(&format!("`{variable}`")), "no word on {variable}");
    }
}

const HTTP: &str = include_str!("../../docs/http.md");
const SCALING: &str = include_str!("../../docs/scaling.md");

fn is_of_backends(key: &str) -> bool {
    let groups = ["backend", "qdrant.", "postgres."];
    groups.iter().any(|group| key.starts_with(group))
}

/// A new backend, or a new setting of one, must be documented.
#[test]
fn the_page_on_scaling_has_every_backend_and_setting() {
    for entry in kenning_store::backends::BACKENDS {
        assert!(SCALING.contains(&format!("`{}`", entry.name)), "no word on {}", entry.name);
    }
    for setting in kenning::config::SETTINGS {
        let is_there = SCALING.contains(&format!("`{}`", setting.key));
        assert!(!is_of_backends(setting.key) || is_there, "no word on {}", setting.key);
    }
}

fn is_serving(key: &str) -> bool {
    key.starts_with("http.") || key.starts_with("mcp.")
}

/// A new route, or a new setting of the server, must be documented.
#[test]
fn the_page_on_http_has_every_route_and_setting() {
    for setting in kenning::config::SETTINGS {
        let is_there = HTTP.contains(&format!("`{}`", setting.key));
        assert!(!is_serving(setting.key) || is_there, "no word on {}", setting.key);
    }
    let document = kenning::front::http::document();
    for path in document["paths"].as_object().unwrap().keys() {
        let is_operation = path.starts_with("/api/");
        assert!(is_operation || HTTP.contains(path.as_str()), "no word on {path}");
    }
}

#[test]
fn the_openapi_document_is_fresh() {
    let document = kenning::front::http::document();
    let text = serde_json::to_string_pretty(&document).unwrap() + "\n";
    expect_file!["../../docs/openapi.json"].assert_eq(&text);
}

/// The pages that people read, with where they lie.
fn pages() -> Vec<(std::path::PathBuf, String)> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [root.to_path_buf(), root.join("docs")];
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let files = files.map(|file| file.unwrap().path());
    let mut pages: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .map(|path| (path.clone(), std::fs::read_to_string(path).unwrap()))
        .collect();
    pages.sort();
    pages
}

/// As hosts make addresses of headings.
fn anchors(page: &str) -> Vec<String> {
    let headings = page.lines().filter(|line| line.starts_with('#'));
    let headings = headings.map(|line| line.trim_start_matches('#').trim().to_lowercase());
    let plain = headings.map(|heading| {
        let kept = heading.chars();
        let kept = kept.filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.collect::<String>().replace(' ', "-")
    });
    plain.collect()
}

#[test]
fn every_link_leads_somewhere() {
    let link = regex::Regex::new(r"\]\(([^)\s]+)\)").unwrap();
    for (path, page) in pages() {
        for found in link.captures_iter(&page) {
            let target = &found[1];
            if target.contains("://") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let there = match file {
                "" => path.clone(),
                file => path.parent().unwrap().join(file),
            };
            assert!(there.exists(), "{}: {target}", path.display());
            if !anchor.is_empty() {
                let text = std::fs::read_to_string(&there).unwrap();
                let is_there = anchors(&text).iter().any(|known| known == anchor);
                assert!(is_there, "{}: {target}", path.display());
            }
        }
    }
}

#[test]
fn the_index_of_the_documentation_has_every_page() {
    let index = include_str!("../../docs/README.md");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    for (path, _) in pages() {
        let name = path.file_name().unwrap().to_str().unwrap();
        let is_page = path.parent() == Some(folder.as_path()) && name != "README.md";
        assert!(!is_page || index.contains(&format!("({name})")), "no word on {name}");
    }
}

/// A variable of another tool that Kenning reads must be documented.
#[test]
fn the_page_on_migration_has_every_variable_of_the_originals() {
    let page = include_str!("../../docs/migrate.md");
    for (variable, _) in kenning::config::FOREIGN_VARIABLES {
        let is_original = ["SWIFTINDEX_", "RERANKER_", "EMBEDDING_", "MCP_"]
            .iter()
            .any(|start| variable.starts_with(start));
        let is_there = page.contains(&format!("`{variable}`"));
        assert!(!is_original || is_there, "no word on {variable}");
    }
    let tools = kenning::ops::ALL.iter();
    let tools = tools.filter(|op| op.origin == kenning::ops::Origin::Contract);
    for op in tools {
        assert!(page.contains(&format!("`{}`", op.name)), "no word on {}", op.name);
    }
}
