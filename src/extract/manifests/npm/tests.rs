//! Files in, packages out. What npm 11, yarn 4 and pnpm say of the same was tried with each.

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

#[test]
fn kinds_of_dependencies() {
    check(
        &[(
            "package.json",
            r#"{"name": "web", "version": "1.2.0", "description": "The site",
                "dependencies": {"react": "^18", "fsevents": "1"},
                "devDependencies": {"vitest": "~1.2.0"},
                "peerDependencies": {"react-dom": ">=17"},
                "peerDependenciesMeta": {"react-dom": {"optional": true}},
                "optionalDependencies": {"fsevents": "2"},
                "bundleDependencies": ["react"]}"#,
        )],
        expect![[r#"
            web 1.2.0 () "The site"
              -> react ^18
              -> vitest ~1.2.0 (dev)
              -> react-dom >=17 (peer)
              -> fsevents 2 (optional)
        "#]],
    );
}

#[test]
fn packages_without_a_name_take_the_directory_s() {
    check(
        &[
            ("package.json", r#"{"private": true}"#),
            ("fixtures/plain/package.json", r#"{"type": "module"}"#),
            ("fixtures/empty/package.json", r#"{"name": ""}"#),
        ],
        expect![[r#"
            empty (fixtures/empty)
            plain (fixtures/plain)
            root ()
        "#]],
    );
}

#[test]
fn ranges_on_members() {
    check_member("1.2.3", "^1.0.0", expect!["-> lib ^1.0.0 [packages/lib]"]);
    check_member("1.2.3", "^2.0.0", expect!["-> lib ^2.0.0"]);
    check_member(
        "1.2.3",
        ">=1 <2 || ^7",
        expect!["-> lib >=1 <2 || ^7 [packages/lib]"],
    );
    check_member("1.2.3", "", expect!["-> lib [packages/lib]"]);
    check_member("1.2.3", "latest", expect!["-> lib latest"]);
    check_member("1.0.0-alpha.1", "*", expect!["-> lib * [packages/lib]"]);
    check_member("1.0.0-alpha.1", "x", expect!["-> lib x"]);
    check_member("1.0.0-alpha.1", "^1.0.0", expect!["-> lib ^1.0.0"]);
    check_member(
        "1.0.0-alpha.1",
        "^1.0.0-alpha.0",
        expect!["-> lib ^1.0.0-alpha.0 [packages/lib]"],
    );
    check_member("", "*", expect!["-> lib * [packages/lib]"]);
    check_member("", "x", expect!["-> lib x"]);
    check_member("", "^1.0.0", expect!["-> lib ^1.0.0"]);
    check_member("not a version", "^1.0.0", expect!["-> lib ^1.0.0"]);
}

#[test]
fn protocols_on_members() {
    check_member("1.2.3", "workspace:*", expect!["-> lib * [packages/lib]"]);
    check_member("1.2.3", "workspace:^", expect!["-> lib ^ [packages/lib]"]);
    check_member("", "workspace:^1.2", expect!["-> lib ^1.2 [packages/lib]"]);
    check_member("1.2.3", "workspace:", expect!["-> lib [packages/lib]"]);
    check_member(
        "1.2.3",
        "workspace:../lib",
        expect!["-> lib ../lib [packages/lib]"],
    );
    check_member(
        "1.2.3",
        "workspace:packages/lib",
        expect!["-> lib packages/lib [packages/lib]"],
    );
    check_member("1.2.3", "npm:lib@^1", expect!["-> lib ^1 [packages/lib]"]);
    check_member("1.2.3", "npm:^1", expect!["-> lib ^1 [packages/lib]"]);
    check_member(
        "1.2.3",
        "file:../lib",
        expect!["-> lib file:../lib [packages/lib]"],
    );
    check_member(
        "9.9.9",
        "link:../lib",
        expect!["-> lib link:../lib [packages/lib]"],
    );
    check_member(
        "1.2.3",
        "portal:../lib/",
        expect!["-> lib portal:../lib/ [packages/lib]"],
    );
    check_member("1.2.3", "../lib", expect!["-> lib ../lib [packages/lib]"]);
    check_member(
        "1.2.3",
        "file:/packages/lib",
        expect!["-> lib file:/packages/lib"],
    );
    check_member(
        "1.2.3",
        "file:../../../../lib",
        expect!["-> lib file:../../../../lib"],
    );
    check_member("1.2.3", "file:./lib.tgz", expect!["-> lib file:./lib.tgz"]);
    check_member(
        "1.2.3",
        "git+ssh://git@example.com/lib.git#v1",
        expect!["-> lib git+ssh://git@example.com/lib.git#v1"],
    );
    check_member(
        "1.2.3",
        "https://example.com/lib.tgz",
        expect!["-> lib https://example.com/lib.tgz"],
    );
    check_member("1.2.3", "acme/lib", expect!["-> lib acme/lib"]);
    check_member("1.2.3", "jsr:^1", expect!["-> lib jsr:^1"]);
}

#[test]
fn aliases_resolve_to_the_real_name() {
    check(
        &[
            ("package.json", r#"{"name": "root", "workspaces": ["*"]}"#),
            (
                "app/package.json",
                r#"{"name": "app", "dependencies": {"a": "npm:@acme/lib@^1", "b": "workspace:@acme/lib@*",
                    "c": "workspace:core@^", "d": "file:../core", "e": "npm:lodash@4", "f": "npm:lodash",
                    "g": "npm:@types/node@latest"}}"#,
            ),
            ("core/package.json", r#"{"name": "core"}"#),
            (
                "lib/package.json",
                r#"{"name": "@acme/lib", "version": "1.0.0"}"#,
            ),
        ],
        expect![[r#"
            app (app)
              -> @acme/lib ^1 [lib]
              -> @acme/lib * [lib]
              -> core ^ [core]
              -> core file:../core [core]
              -> lodash 4
              -> lodash
              -> @types/node latest
            core (core)
            @acme/lib 1.0.0 (lib)
            root ()
        "#]],
    );
}

#[test]
fn a_workspace_protocol_without_a_member_is_a_problem() {
    check_member("1.0.0", "workspace:core@*", expect!["-> core *"]);
    check(
        &[
            ("a/package.json", r#"{"workspaces": ["x"]}"#),
            (
                "a/x/package.json",
                r#"{"name": "x", "dependencies": {"y": "workspace:*", "x": "*"}}"#,
            ),
            ("b/package.json", r#"{"name": "y"}"#),
        ],
        expect![[r#"
            a (a)
            x (a/x)
              -> x *
              -> y *
            y (b)
            problem: a/x/package.json: `y` is `workspace:*`, and its workspace has no such package
        "#]],
    );
}

#[test]
fn members_and_strangers() {
    check(
        &[
            (
                "package.json",
                r#"{"name": "root", "version": "1.0.0", "workspaces": {"packages": ["packages/**", "!**/test/**"]}}"#,
            ),
            (
                "packages/a/package.json",
                r#"{"name": "a", "version": "1.0.0", "dependencies": {"root": "^1", "t": "1", "b": "1", "stranger": "*"}}"#,
            ),
            (
                "packages/a/test/t/package.json",
                r#"{"name": "t", "version": "1.0.0", "dependencies": {"a": "1", "stranger": "1"}}"#,
            ),
            (
                "packages/deep/b/package.json",
                r#"{"name": "b", "version": "1.1.0", "peerDependencies": {"a": "1"}}"#,
            ),
            (
                "stranger/package.json",
                r#"{"name": "stranger", "version": "1.0.0", "dependencies": {"a": "1", "t": "1"}}"#,
            ),
        ],
        expect![[r#"
            root 1.0.0 ()
            a 1.0.0 (packages/a)
              -> b 1 [packages/deep/b]
              -> root ^1 []
              -> stranger *
              -> t 1
            t 1.0.0 (packages/a/test/t)
              -> a 1
              -> stranger 1 [stranger]
            b 1.1.0 (packages/deep/b)
              -> a 1 (peer) [packages/a]
            stranger 1.0.0 (stranger)
              -> a 1
              -> t 1 [packages/a/test/t]
        "#]],
    );
}

#[test]
fn packages_outside_of_workspaces_see_each_other() {
    check(
        &[
            (
                "modules/a/package.json",
                r#"{"name": "a", "version": "1.0.0", "dependencies": {"b": "^2.0.0", "react": "*"}}"#,
            ),
            (
                "modules/b/package.json",
                r#"{"name": "b", "version": "2.1.0", "dependencies": {"a": "^2.0.0"}}"#,
            ),
            ("fixtures/react/package.json", r#"{}"#),
        ],
        expect![[r#"
            react (fixtures/react)
            a 1.0.0 (modules/a)
              -> b ^2.0.0 [modules/b]
              -> react *
            b 2.1.0 (modules/b)
              -> a ^2.0.0
        "#]],
    );
}

#[test]
fn one_name_in_two_directories() {
    check(
        &[
            (
                "east/app/package.json",
                r#"{"name": "app", "dependencies": {"lib": "1"}}"#,
            ),
            (
                "east/lib/package.json",
                r#"{"name": "lib", "version": "1.0.0"}"#,
            ),
            (
                "west/app/package.json",
                r#"{"name": "app", "dependencies": {"lib": "1", "app": "*"}}"#,
            ),
            (
                "west/lib/package.json",
                r#"{"name": "lib", "version": "1.0.1"}"#,
            ),
            (
                "west/vendored/package.json",
                r#"{"name": "x", "dependencies": {"lib": "file:../../east/lib"}}"#,
            ),
        ],
        expect![[r#"
            app (east/app)
              -> lib 1 [east/lib]
            lib 1.0.0 (east/lib)
            app (west/app)
              -> app *
              -> lib 1 [west/lib]
            lib 1.0.1 (west/lib)
            x (west/vendored)
              -> lib file:../../east/lib [east/lib]
        "#]],
    );
}

#[test]
fn nested_roots_are_one_workspace_for_yarn_and_two_for_pnpm() {
    let inner = r#"{"name": "inner", "version": "1.0.0", "workspaces": ["sub/*"]}"#;
    let sub = r#"{"name": "sub", "dependencies": {"lib": "1", "inner": "1"}}"#;
    let lib = r#"{"name": "lib", "version": "1.0.0"}"#;
    check(
        &[
            ("package.json", r#"{"workspaces": ["packages/*"]}"#),
            ("packages/inner/package.json", inner),
            ("packages/inner/sub/s/package.json", sub),
            ("packages/lib/package.json", lib),
        ],
        expect![[r#"
            root ()
            inner 1.0.0 (packages/inner)
            sub (packages/inner/sub/s)
              -> inner 1 [packages/inner]
              -> lib 1 [packages/lib]
            lib 1.0.0 (packages/lib)
        "#]],
    );
    check(
        &[
            ("pnpm-workspace.yaml", "packages: ['packages/**']"),
            ("packages/inner/pnpm-workspace.yaml", "packages: ['sub/*']"),
            ("packages/inner/package.json", inner),
            ("packages/inner/sub/s/package.json", sub),
            ("packages/lib/package.json", lib),
        ],
        expect![[r#"
            inner 1.0.0 (packages/inner)
            sub (packages/inner/sub/s)
              -> inner 1 [packages/inner]
              -> lib 1
            lib 1.0.0 (packages/lib)
        "#]],
    );
}

#[test]
fn pnpm_workspaces() {
    let app = r#"{"name": "app", "dependencies": {"lib": "^1", "old": "1", "tagged": "latest"}, "peerDependencies": {"lib": "1"}}"#;
    let files = |settings| {
        [
            ("pnpm-workspace.yaml", settings),
            (
                "package.json",
                r#"{"name": "root", "workspaces": ["ignored/*"]}"#,
            ),
            ("apps/app/package.json", app),
            ("apps/tagged/package.json", r#"{"name": "tagged"}"#),
            (
                "libs/lib/package.json",
                r#"{"name": "lib", "version": "1.0.0"}"#,
            ),
            (
                "libs/old/package.json",
                r#"{"name": "old", "version": "1.0.0"}"#,
            ),
        ]
    };
    check(
        &files("packages:\n  - apps/*\n  # why not\n  - '!**/old'\n  - \"libs/**\"\n"),
        expect![[r#"
            app (apps/app)
              -> lib ^1 [libs/lib]
              -> old 1
              -> tagged latest [apps/tagged]
              -> lib 1 (peer) [libs/lib]
            tagged (apps/tagged)
            lib 1.0.0 (libs/lib)
            old 1.0.0 (libs/old)
            root ()
        "#]],
    );
    check(
        &files("packages: [apps/*, libs/*]\nlinkWorkspacePackages: false"),
        expect![[r#"
            app (apps/app)
              -> lib ^1
              -> old 1
              -> tagged latest
              -> lib 1 (peer) [libs/lib]
            tagged (apps/tagged)
            lib 1.0.0 (libs/lib)
            old 1.0.0 (libs/old)
            root ()
        "#]],
    );
    // Without `packages` it holds settings only, and the workspace is npm's.
    check(
        &[
            ("pnpm-workspace.yaml", "onlyBuiltDependencies: [esbuild]"),
            ("package.json", r#"{"workspaces": ["a", "b"]}"#),
            (
                "a/package.json",
                r#"{"name": "a", "dependencies": {"b": "*"}}"#,
            ),
            ("b/package.json", r#"{"name": "b"}"#),
        ],
        expect![[r#"
            a (a)
              -> b * [b]
            b (b)
            root ()
        "#]],
    );
}

#[test]
fn catalogs() {
    check(
        &[
            (
                "pnpm-workspace.yaml",
                "packages: ['*']\ncatalog:\n  react: ^18.2.0\n  '@acme/ui': 1.10\ncatalogs:\n  legacy:\n    react: 16\n",
            ),
            (
                "app/package.json",
                r#"{"name": "app", "dependencies": {"react": "catalog:", "@acme/ui": "catalog:default",
                    "vue": "catalog:"}, "peerDependencies": {"react": "catalog:legacy"},
                    "devDependencies": {"x": "catalog:nowhere"}}"#,
            ),
            (
                "ui/package.json",
                r#"{"name": "@acme/ui", "version": "1.10.3"}"#,
            ),
        ],
        expect![[r#"
            app (app)
              -> @acme/ui 1.10 [ui]
              -> react ^18.2.0
              -> vue catalog:
              -> x catalog:nowhere (dev)
              -> react 16 (peer)
            @acme/ui 1.10.3 (ui)
            problem: app/package.json: `vue` is not in the catalog `default`
            problem: app/package.json: `x` is not in the catalog `nowhere`
        "#]],
    );
    check(
        &[
            (
                "package.json",
                r#"{"workspaces": {"packages": ["app"], "catalog": {"a": "1"}, "catalogs": {"c": {"b": "2"}}},
                    "catalogs": {"d": {"b": "npm:beta@3"}}, "dependencies": {"a": "catalog:"}}"#,
            ),
            (
                "app/package.json",
                r#"{"name": "app", "dependencies": {"a": "catalog:", "b": "catalog:c"},
                    "devDependencies": {"b": "catalog:d"}}"#,
            ),
        ],
        expect![[r#"
            app (app)
              -> a 1
              -> b 2
              -> beta 3 (dev)
            root ()
              -> a 1
        "#]],
    );
    // yarn's catalogs are in a hidden file.
    check(
        &[(
            "package.json",
            r#"{"name": "app", "dependencies": {"a": "catalog:"}}"#,
        )],
        expect![[r#"
            app ()
              -> a catalog:
        "#]],
    );
}

#[test]
fn overrides() {
    check(
        &[
            (
                "pnpm-workspace.yaml",
                "packages: ['packages/*', 'play/*']\noverrides:\n  tool: 'workspace:*'\n  'x>lib': 0.0.0\n",
            ),
            (
                "package.json",
                r#"{"name": "root", "dependencies": {"lib": "file:packages/lib"},
                "pnpm": {"overrides": {"lib": "$lib", "tool@1": "2"}},
                "resolutions": {"**/other": "portal:packages/other", "app/lib": "7"},
                "overrides": {"deep": {"lib": "1"}, "pinned": "0.1.0"}}"#,
            ),
            (
                "packages/lib/package.json",
                r#"{"name": "lib", "version": "3.0.0-beta.1"}"#,
            ),
            ("packages/other/package.json", r#"{"name": "@acme/other"}"#),
            (
                "packages/pinned/package.json",
                r#"{"name": "pinned", "version": "1.0.0"}"#,
            ),
            (
                "packages/tool/package.json",
                r#"{"name": "tool", "version": "6.0.0-rc.0"}"#,
            ),
            (
                "play/app/package.json",
                r#"{"name": "app", "dependencies": {"tool": "^5.0.0", "lib": "1", "other": "2", "pinned": "^1"}}"#,
            ),
        ],
        expect![[r#"
            root ()
              -> lib file:packages/lib [packages/lib]
            lib 3.0.0-beta.1 (packages/lib)
            @acme/other (packages/other)
            pinned 1.0.0 (packages/pinned)
            tool 6.0.0-rc.0 (packages/tool)
            app (play/app)
              -> lib 1 [packages/lib]
              -> @acme/other 2 [packages/other]
              -> pinned ^1
              -> tool ^5.0.0 [packages/tool]
        "#]],
    );
}

#[test]
fn odd_fields_do_not_lose_the_rest() {
    check(
        &[
            (
                "package.json",
                r#"{"name": ["x"], "version": 1.5, "description": {"en": "x"}, "workspaces": 7,
                "dependencies": null, "devDependencies": [], "peerDependencies": ["a"],
                "optionalDependencies": {"b": {"version": "1"}, "c": " ^2 ", "d": null}, "catalogs": {"x": 1}}"#,
            ),
            ("a/package.json", r#"{"workspaces": {"nohoist": ["x"]}}"#),
            (
                "b/package.json",
                r#"{"workspaces": ["ok", 5, "broken[", "+(a|b)"]}"#,
            ),
            ("c/package.json", r#"{"workspaces": "packages/*"}"#),
            (
                "pnpm-workspace.yaml",
                "packages: {a: b}\ncatalog: [react]\n",
            ),
        ],
        expect![[r#"
            a (a)
            b (b)
            c (c)
            root 1.5 ()
              -> c ^2 (optional)
            problem: package.json: `b` in `optionalDependencies` is an object, not a text
            problem: package.json: `d` in `optionalDependencies` is null, not a text
            problem: package.json: `name` is a list, not a text
            problem: package.json: `version` is a number, not a text
            problem: package.json: `description` is an object, not a text
            problem: package.json: `peerDependencies` is a list, not an object
            problem: package.json: `x` is a number, not an object
            problem: package.json: `workspaces` is a number, not a list
            problem: b/package.json: `workspaces` lists a number, not a text
            problem: pnpm-workspace.yaml: `catalog` is a list, not an object
            problem: pnpm-workspace.yaml: `packages` is an object, not a list
            problem: b/package.json: the pattern `broken[` cannot be read: unclosed character class; missing ']'
            problem: b/package.json: the pattern `+(a|b)` is of an unsupported kind
        "#]],
    );
}

#[test]
fn broken_files() {
    check(
        &[
            ("array/package.json", "[]"),
            (
                "comment/package.json",
                "{\n  // a comment\n  \"name\": \"x\"\n}",
            ),
            ("deep/package.json", &"[".repeat(100_000)),
            ("deeper/pnpm-workspace.yaml", &"- ".repeat(100_000)),
            ("empty/package.json", ""),
            ("empty/pnpm-workspace.yaml", ""),
            ("scalar/pnpm-workspace.yaml", "just text"),
            (
                "truncated/package.json",
                r#"{"name": "x", "dependencies": {"#,
            ),
        ],
        expect![[r#"
            problem: array/package.json: its top level is a list, not an object
            problem: comment/package.json:2: key must be a string at line 2 column 3
            problem: deep/package.json:1: recursion limit exceeded at line 1 column 128
            problem: deeper/pnpm-workspace.yaml:1: budget breached: Depth { depth: 25 } at line 1, column 49
            problem: empty/package.json:1: EOF while parsing a value at line 1 column 0
            problem: scalar/pnpm-workspace.yaml: its top level is a text, not an object
            problem: truncated/package.json:1: EOF while parsing an object at line 1 column 31
        "#]],
    );
}
