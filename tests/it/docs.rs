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
