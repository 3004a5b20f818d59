//! Files in, packages out. What npm 11, yarn 4 and pnpm say of the same was tried with each.

mod members;
mod workspaces;

use expect_test::{Expect, expect};

use super::super::testing::render;
use super::Npm;

fn check(files: &[(&str, &str)], expected: Expect) {
    expected.assert_eq(&render(&Npm, files));
}

/// One workspace with a target of some version, and what a member asks of it.
fn check_member(version: &str, requirement: &str, expected: Expect) {
    let target = format!(r#"{{"name": "lib", "version": "{version}"}}"#);
    let user = format!(r#"{{"name": "app", "dependencies": {{"lib": "{requirement}"}}}}"#);
    let rendered = render(
        &Npm,
        &[
            ("package.json", r#"{"workspaces": ["packages/*"]}"#),
            ("packages/app/package.json", &user),
            ("packages/lib/package.json", &target),
        ],
    );
    let dependencies = rendered.lines().filter(|line| line.starts_with("  ->"));
    expected.assert_eq(dependencies.collect::<String>().trim());
}
