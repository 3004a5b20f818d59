//! Trees of MSBuild files in, packages out. Expectations about properties, items and imports were
//! compared with what MSBuild itself says of such trees.

mod projects;
mod shared;

use expect_test::{Expect, expect};

use super::super::testing::render;
use super::*;

fn check(files: &[(&str, &str)], expected: Expect) {
    expected.assert_eq(&render(&Dotnet, files));
}

/// Like [`check`], for one project `src/App/App.csproj` with this content.
fn check_app(content: &str, expected: Expect) {
    check(&[("src/App/App.csproj", &project(content))], expected);
}

fn project(content: &str) -> String {
    format!("<Project Sdk='Microsoft.NET.Sdk'>{content}</Project>")
}

fn properties(content: &str) -> String {
    project(&format!("<PropertyGroup>{content}</PropertyGroup>"))
}

fn items(content: &str) -> String {
    project(&format!("<ItemGroup>{content}</ItemGroup>"))
}

const EMPTY: &str = "<Project Sdk='Microsoft.NET.Sdk'/>";
