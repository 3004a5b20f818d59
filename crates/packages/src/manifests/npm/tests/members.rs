//! Dependencies of a package, and those that are workspace members.

use super::*;

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
    check_member("1.2.3", ">=1 <2 || ^7", expect!["-> lib >=1 <2 || ^7 [packages/lib]"]);
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
    check_member("1.2.3", "workspace:../lib", expect!["-> lib ../lib [packages/lib]"]);
    check_member("1.2.3", "workspace:packages/lib", expect!["-> lib packages/lib [packages/lib]"]);
    check_member("1.2.3", "npm:lib@^1", expect!["-> lib ^1 [packages/lib]"]);
    check_member("1.2.3", "npm:^1", expect!["-> lib ^1 [packages/lib]"]);
    check_member("1.2.3", "file:../lib", expect!["-> lib file:../lib [packages/lib]"]);
    check_member("9.9.9", "link:../lib", expect!["-> lib link:../lib [packages/lib]"]);
    check_member("1.2.3", "portal:../lib/", expect!["-> lib portal:../lib/ [packages/lib]"]);
    check_member("1.2.3", "../lib", expect!["-> lib ../lib [packages/lib]"]);
    check_member("1.2.3", "file:/packages/lib", expect!["-> lib file:/packages/lib"]);
    check_member("1.2.3", "file:../../../../lib", expect!["-> lib file:../../../../lib"]);
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
            ("lib/package.json", r#"{"name": "@acme/lib", "version": "1.0.0"}"#),
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
