//! Workspaces: their members, and the settings of their root.

use super::*;

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
            ("east/app/package.json", r#"{"name": "app", "dependencies": {"lib": "1"}}"#),
            ("east/lib/package.json", r#"{"name": "lib", "version": "1.0.0"}"#),
            (
                "west/app/package.json",
                r#"{"name": "app", "dependencies": {"lib": "1", "app": "*"}}"#,
            ),
            ("west/lib/package.json", r#"{"name": "lib", "version": "1.0.1"}"#),
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
            ("package.json", r#"{"name": "root", "workspaces": ["ignored/*"]}"#),
            ("apps/app/package.json", app),
            ("apps/tagged/package.json", r#"{"name": "tagged"}"#),
            ("libs/lib/package.json", r#"{"name": "lib", "version": "1.0.0"}"#),
            ("libs/old/package.json", r#"{"name": "old", "version": "1.0.0"}"#),
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
            ("a/package.json", r#"{"name": "a", "dependencies": {"b": "*"}}"#),
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
            ("ui/package.json", r#"{"name": "@acme/ui", "version": "1.10.3"}"#),
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
        &[("package.json", r#"{"name": "app", "dependencies": {"a": "catalog:"}}"#)],
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
            ("packages/lib/package.json", r#"{"name": "lib", "version": "3.0.0-beta.1"}"#),
            ("packages/other/package.json", r#"{"name": "@acme/other"}"#),
            ("packages/pinned/package.json", r#"{"name": "pinned", "version": "1.0.0"}"#),
            ("packages/tool/package.json", r#"{"name": "tool", "version": "6.0.0-rc.0"}"#),
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
            ("b/package.json", r#"{"workspaces": ["ok", 5, "broken[", "+(a|b)"]}"#),
            ("c/package.json", r#"{"workspaces": "packages/*"}"#),
            ("pnpm-workspace.yaml", "packages: {a: b}\ncatalog: [react]\n"),
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
            ("comment/package.json", "{\n  // a comment\n  \"name\": \"x\"\n}"),
            ("deep/package.json", &"[".repeat(100_000)),
            ("deeper/pnpm-workspace.yaml", &"- ".repeat(100_000)),
            ("empty/package.json", ""),
            ("empty/pnpm-workspace.yaml", ""),
            ("scalar/pnpm-workspace.yaml", "just text"),
            ("truncated/package.json", r#"{"name": "x", "dependencies": {"#),
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
