//! Generated files are what the declarations say today. `UPDATE_EXPECT=1 cargo test` renews them.

use expect_test::expect_file;

#[test]
fn the_command_line_reference_is_fresh() {
    expect_file!["../../docs/cli.md"].assert_eq(&kenning::front::cli::cli_reference());
}

#[test]
fn the_tool_reference_is_fresh() {
    expect_file!["../../docs/tools.md"].assert_eq(&kenning::front::cli::tool_reference());
}

/// A changed schema is a change of the interface: somebody has to read this diff.
#[test]
fn the_schemas_are_as_recorded() {
    let schemas: serde_json::Map<String, serde_json::Value> = kenning::ops::ALL
        .iter()
        .map(|op| (op.name.to_string(), (op.schema)()))
        .collect();
    let text = serde_json::to_string_pretty(&schemas).unwrap() + "\n";
    expect_file!["../golden/schemas.json"].assert_eq(&text);
}

/// Whoever adds a provider or a setting of one tells its users.
#[test]
fn the_page_on_providers_has_every_provider_and_setting() {
    let page = include_str!("../../docs/providers.md");
    for provider in kenning::embed::PROVIDERS {
        let name = provider.name;
        assert!(
            page.contains(&format!("\n## `{name}`")),
            "no section on {name}"
        );
    }
    let groups = [
        "embedding.",
        "ollama.",
        "openai.",
        "voyage.",
        "mlx.",
        "swift_embeddings.",
        "reranker.",
    ];
    for setting in kenning::config::SETTINGS {
        let is_ours = groups.iter().any(|group| setting.key.starts_with(group));
        let is_there = page.contains(&format!("`{}`", setting.key));
        assert!(!is_ours || is_there, "no word on {}", setting.key);
    }
    for (variable, key) in kenning::config::VARIABLES {
        let page = match key {
            key if is_serving(key) => HTTP,
            key if is_of_backends(key) => SCALING,
            _ => page,
        };
        assert!(
            page.contains(&format!("`{variable}`")),
            "no word on {variable}"
        );
    }
}

const HTTP: &str = include_str!("../../docs/http.md");
const SCALING: &str = include_str!("../../docs/scaling.md");

fn is_of_backends(key: &str) -> bool {
    let groups = ["backend", "qdrant.", "postgres."];
    groups.iter().any(|group| key.starts_with(group))
}

/// Whoever adds a backend or a setting of one tells its users.
#[test]
fn the_page_on_scaling_has_every_backend_and_setting() {
    for entry in kenning::store::backends::BACKENDS {
        assert!(
            SCALING.contains(&format!("`{}`", entry.name)),
            "no word on {}",
            entry.name
        );
    }
    for setting in kenning::config::SETTINGS {
        let is_there = SCALING.contains(&format!("`{}`", setting.key));
        assert!(
            !is_of_backends(setting.key) || is_there,
            "no word on {}",
            setting.key
        );
    }
}

fn is_serving(key: &str) -> bool {
    key.starts_with("http.") || key.starts_with("mcp.")
}

/// Whoever adds a route or a setting of the server tells its users.
#[test]
fn the_page_on_http_has_every_route_and_setting() {
    for setting in kenning::config::SETTINGS {
        let is_there = HTTP.contains(&format!("`{}`", setting.key));
        assert!(
            !is_serving(setting.key) || is_there,
            "no word on {}",
            setting.key
        );
    }
    let document = kenning::front::http::document();
    for path in document["paths"].as_object().unwrap().keys() {
        let is_operation = path.starts_with("/api/");
        assert!(
            is_operation || HTTP.contains(path.as_str()),
            "no word on {path}"
        );
    }
}

#[test]
fn the_openapi_document_is_fresh() {
    let document = kenning::front::http::document();
    let text = serde_json::to_string_pretty(&document).unwrap() + "\n";
    expect_file!["../../docs/openapi.json"].assert_eq(&text);
}
