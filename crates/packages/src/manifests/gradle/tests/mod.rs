//! Files in, packages out.

mod files;
mod projects;

use expect_test::{Expect, expect};

use super::super::testing::render;
use super::Gradle;

fn check(files: &[(&str, &str)], expected: Expect) {
    expected.assert_eq(&render(&Gradle, files));
}
