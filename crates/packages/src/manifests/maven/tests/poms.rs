//! A POM with its parents.

use super::*;

#[test]
fn scopes_and_optional_become_kinds() {
    let lines = "x:none version=1
        x:test version=1 scope=test optional=true
        x:provided version=1 scope=provided
        x:provided-optional version=1 scope=provided optional=true
        x:runtime version=1 scope=runtime
        x:system version=1 scope=system
        x:optional version=1 optional=true
        x:not-optional version=1 optional=false
        x:compile version=1 scope=compile";
    check(
        &[("pom.xml", &pom("g:a:1", &[&dependencies(lines)]))],
        expect![[r#"
            g:a 1 ()
              -> x:none 1
              -> x:runtime 1
              -> x:system 1
              -> x:not-optional 1
              -> x:compile 1
              -> x:test 1 (dev)
              -> x:provided 1 (peer)
              -> x:provided-optional 1 (optional)
              -> x:optional 1 (optional)
        "#]],
    );
}

#[test]
fn types_and_classifiers_are_one_package_per_kind() {
    let lines = "x:a version=1
        x:a version=2 classifier=linux
        x:a version=3 type=test-jar scope=test
        x:a version=4 type=test-jar classifier=linux scope=test
        x:twice version=1
        x:twice version=2";
    check(
        &[("pom.xml", &pom("g:a:1", &[&dependencies(lines)]))],
        expect![[r#"
            g:a 1 ()
              -> x:a 1
              -> x:twice 2
              -> x:a 3 (dev)
        "#]],
    );
}

#[test]
fn children_inherit() {
    let parent = pom(
        "g:parent:1",
        &[
            IS_POM,
            "<name>Not inherited</name><description>Of the\n   parent</description>",
            "<properties><lib>3</lib><own>parent</own></properties>",
            "<modules><module>a</module></modules>",
            &dependencies(
                "x:everywhere version=${lib} scope=test
                x:changed version=1 scope=test",
            ),
        ],
    );
    let a = child(
        "a",
        &[
            "<properties><own>child</own></properties>",
            &dependencies("x:changed version=${own}-${lib}\ng:b version=${project.version}"),
        ],
    );
    let b = child("b", &["<groupId>other</groupId><version>2</version><description/>"]);
    check(
        &[("pom.xml", &parent), ("a/pom.xml", &a), ("b/pom.xml", &b)],
        expect![[r#"
            g:a 1 (a) "Of the parent"
              -> x:changed child-3
              -> g:b 1
              -> x:everywhere 3 (dev)
            other:b 2 (b)
              -> x:everywhere 3 (dev)
              -> x:changed 1 (dev)
            g:parent 1 () "Of the parent" packaging="pom"
              -> x:everywhere 3 (dev)
              -> x:changed 1 (dev)
        "#]],
    );
}

#[test]
fn parents_are_found_by_path_then_by_coordinates() {
    let with = |relative_path: &str, version: &str| {
        let parent = parent(&format!("g:parent:{version}"), relative_path);
        format!("<project>{parent}<artifactId>a</artifactId></project>")
    };
    let at = |path: &str| with(&format!("<relativePath>{path}</relativePath>"), "1");
    check(
        &[
            ("pom.xml", &pom("g:parent:1", &["<description>inherited</description>"])),
            ("default/pom.xml", &with("", "1")),
            ("deep/default-is-not-there/pom.xml", &with("", "1")),
            ("deep/directory/pom.xml", &at("../..")),
            ("deep/empty/pom.xml", &at("")),
            ("deep/file/another-is-there/pom.xml", &with("", "1")),
            ("deep/file/pom.xml", &at("..\\../pom.xml")),
            ("deep/outside/pom.xml", &at("../../../pom.xml")),
            ("expression/pom.xml", &with("", "${revision}")),
            ("other-version/pom.xml", &with("", "2")),
            ("range/pom.xml", &with("", "[1,2)")),
        ],
        expect![[r#"
            g:a 1 (deep/default-is-not-there) "inherited"
            g:a 1 (deep/directory) "inherited"
            g:a 1 (deep/empty) "inherited"
            g:a 1 (deep/file/another-is-there) "inherited"
            g:a 1 (deep/file) "inherited"
            g:a 1 (deep/outside) "inherited"
            g:a 1 (default) "inherited"
            g:a ${revision} (expression) "inherited"
            g:a 2 (other-version)
            g:parent 1 () "inherited"
            g:a [1,2) (range) "inherited"
        "#]],
    );
}

#[test]
fn parents_in_a_circle_are_a_problem() {
    check(
        &[
            ("a/pom.xml", &pom("g:a:1", &[&parent("g:b:1", "")])),
            ("b/pom.xml", &pom("g:b:1", &[&parent("g:a:1", "")])),
            ("c/pom.xml", &pom("g:c:1", &[&parent("g:a:1", "")])),
            ("self/pom.xml", &pom("g:self:1", &[&parent("g:self:1", "")])),
        ],
        expect![[r#"
            g:a 1 (a)
            g:b 1 (b)
            g:c 1 (c)
            g:self 1 (self)
            problem: a/pom.xml: it is among its own parents
            problem: b/pom.xml: it is among its own parents
            problem: self/pom.xml: it is among its own parents
        "#]],
    );
}

#[test]
fn expressions() {
    let version = "com.acme:parent:${revision}${changelist}";
    let properties = "<properties><revision>1.2</revision><changelist>-SNAPSHOT</changelist>\
        </properties>";
    let app = [
        "<project><artifactId>app</artifactId><name>App</name>",
        &parent(version, ""),
        "<packaging>${kind}</packaging><description>${project.name} ${version}</description>",
        "<properties><kind>war</kind><a>${b}.0</a><b>1</b><loop>${pool}</loop><empty/>",
        "<pool>${loop}</pool><project.version>never</project.version>",
        "<version>property</version></properties>",
        &dependencies(
            "${project.groupId}:parent version=${project.version} type=pom
            ${project.parent.groupId}:x version=${pom.version}
            y:nested version=${a}
            y:property-wins version=${version}
            y:loop version=${loop}
            y:unknown version=${env.HOME}/${user.home}/${nowhere}
            y:empty version=v${empty}
            y:open version=${a",
        ),
        "</project>",
    ];
    check(
        &[("pom.xml", &pom(version, &[IS_POM, properties])), ("app/pom.xml", &app.concat())],
        expect![[r#"
            com.acme:app 1.2-SNAPSHOT (app) "App property" packaging="war"
              -> com.acme:parent 1.2-SNAPSHOT []
              -> com.acme:x 1.2-SNAPSHOT
              -> y:nested 1.0
              -> y:property-wins property
              -> y:loop ${loop}
              -> y:unknown ${env.HOME}/${user.home}/${nowhere}
              -> y:empty v
              -> y:open ${a
            com.acme:parent 1.2-SNAPSHOT () packaging="pom"
        "#]],
    );
}
