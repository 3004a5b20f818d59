//! Managed dependencies, and the modules that they lead to.

use super::*;

#[test]
fn management_gives_versions_and_scopes() {
    let management = "${project.groupId}:own version=${project.version}
        x:lib version=${lib}
        x:scoped version=2 scope=test
        x:replaced version=3 scope=test
        x:optional version=4 optional=true
        x:jar-only version=5
        x:twice version=first
        x:twice version=second";
    let lines = "g:own
        x:lib
        x:scoped
        x:scoped classifier=other
        x:replaced
        x:optional
        x:jar-only type=test-jar
        x:twice
        x:unmanaged";
    let properties = "<properties><lib>1</lib></properties>";
    let a = child(
        "a",
        &[
            "<properties><lib>overridden</lib></properties>",
            &managed("x:replaced version=changed"),
            &dependencies(lines),
        ],
    );
    let other_group = child(
        "b",
        &["<groupId>other</groupId><version>7</version>", &dependencies("other:own\ng:own")],
    );
    check(
        &[
            ("pom.xml", &pom("g:parent:1", &[IS_POM, properties, &managed(management)])),
            ("a/pom.xml", &a),
            ("b/pom.xml", &other_group),
        ],
        expect![[r#"
            g:a 1 (a)
              -> g:own 1
              -> x:lib overridden
              -> x:scoped
              -> x:replaced changed
              -> x:optional 4
              -> x:jar-only
              -> x:twice second
              -> x:unmanaged
              -> x:scoped 2 (dev)
            other:b 7 (b)
              -> other:own 7
              -> g:own
            g:parent 1 () packaging="pom"
        "#]],
    );
}

#[test]
fn boms_of_this_repository_are_imported() {
    let bom = |artifact: &str, lines: &str| {
        let lines = lines.replace("IMPORT", "version=1 type=pom scope=import");
        pom(&format!("g:{artifact}:1"), &[IS_POM, &managed(&lines)])
    };
    let a = child(
        "a",
        &[
            &managed(
                "g:two version=1 type=pom scope=import
                elsewhere:bom version=1 type=pom scope=import",
            ),
            &dependencies("x:explicit\nx:both\nx:one\nx:nested\nx:own-words\nx:external"),
        ],
    );
    check(
        &[
            ("pom.xml", &bom("parent", "g:one IMPORT\nx:explicit version=parent")),
            ("a/pom.xml", &a),
            (
                "one/pom.xml",
                &bom(
                    "one",
                    "x:both version=one
                    x:one version=one
                    x:explicit version=one
                    g:two IMPORT",
                ),
            ),
            (
                "two/pom.xml",
                &bom(
                    "two",
                    "x:both version=two
                    x:own-words version=${project.artifactId}${dash} scope=provided
                    g:three IMPORT",
                ),
            ),
            ("three/pom.xml", &bom("three", "x:nested version=three\ng:one IMPORT")),
        ],
        expect![[r#"
            g:a 1 (a)
              -> x:explicit parent
              -> x:both two
              -> x:one one
              -> x:nested three
              -> x:external
              -> x:own-words two${dash} (peer)
            g:one 1 (one) packaging="pom"
            g:parent 1 () packaging="pom"
            g:three 1 (three) packaging="pom"
            g:two 1 (two) packaging="pom"
        "#]],
    );
}

#[test]
fn profiles() {
    let profile = |activation: &str, name: &str| {
        let dependencies = dependencies(&format!("x:{name} version=1\nx:base version={name}"));
        format!(
            "<profile><activation>{activation}</activation>\
            <properties><set>{name}</set></properties>{dependencies}</profile>"
        )
    };
    let with = |profiles: &[&str]| {
        let properties = "<properties><set>base</set></properties>";
        let dependencies = dependencies("x:base version=1\nx:set version=${set}");
        let profiles = format!("<profiles>{}<profile/></profiles>", profiles.concat());
        pom("g:a:1", &[properties, &dependencies, &profiles])
    };
    let by_default = profile("<activeByDefault>true</activeByDefault>", "default");
    let on_machine = profile("<jdk>17</jdk><property><name>!x</name></property>", "jdk");
    let off = profile("<property><name>x</name></property>", "off");
    let negated = profile("<property><name>!hadoop</name></property>", "negated");
    check(
        &[("pom.xml", &with(&[&off, &on_machine]))],
        expect![[r#"
        g:a 1 ()
          -> x:base 1
          -> x:set base
    "#]],
    );
    check(
        &[("pom.xml", &with(&[&off, &by_default, &on_machine]))],
        expect![[r#"
            g:a 1 ()
              -> x:base default
              -> x:set default
              -> x:default 1
        "#]],
    );
    check(
        &[("pom.xml", &with(&[&by_default, &negated, &off]))],
        expect![[r#"
            g:a 1 ()
              -> x:base negated
              -> x:set negated
              -> x:negated 1
        "#]],
    );
}

#[test]
fn internal_needs_the_same_version() {
    let app = |line: &str| pom("g:app:1", &[&dependencies(line)]);
    check(
        &[
            ("same/pom.xml", &app("g:lib version=2")),
            ("older/pom.xml", &app("g:lib version=1")),
            ("range/pom.xml", &app("g:lib version=[1,3)")),
            ("unknown/pom.xml", &app("g:lib")),
            ("expression/pom.xml", &app("g:lib version=${lib}")),
            ("lib/pom.xml", &pom("g:lib:2", &[])),
        ],
        expect![[r#"
            g:app 1 (expression)
              -> g:lib ${lib} [lib]
            g:lib 2 (lib)
            g:app 1 (older)
              -> g:lib 1
            g:app 1 (range)
              -> g:lib [1,3) [lib]
            g:app 1 (same)
              -> g:lib 2 [lib]
            g:app 1 (unknown)
              -> g:lib [lib]
        "#]],
    );
    check(
        &[
            ("pom.xml", &app("g:lib version=1\ng:app version=1\ng:app version=0 scope=test")),
            ("lib/pom.xml", &pom("g:lib:${revision}", &[])),
        ],
        expect![[r#"
            g:lib ${revision} (lib)
            g:app 1 ()
              -> g:lib 1 [lib]
              -> g:app 0 (dev)
        "#]],
    );
}

#[test]
fn of_two_with_one_name_the_nearest_is_meant() {
    let app = child("app", &[&dependencies("g:lib version=1")]);
    let lib = child("lib", &[]);
    check(
        &[
            ("app/pom.xml", &app),
            ("examples/one/app/pom.xml", &app),
            ("examples/one/lib/pom.xml", &lib),
            ("examples/two/app/pom.xml", &app),
            ("examples/two/lib/pom.xml", &lib),
            ("lib/pom.xml", &lib),
        ],
        expect![[r#"
            g:app 1 (app)
              -> g:lib 1 [lib]
            g:app 1 (examples/one/app)
              -> g:lib 1 [examples/one/lib]
            g:lib 1 (examples/one/lib)
            g:app 1 (examples/two/app)
              -> g:lib 1 [examples/two/lib]
            g:lib 1 (examples/two/lib)
            g:lib 1 (lib)
        "#]],
    );
}

#[test]
fn templates_are_never_a_target() {
    let lines = "${no}:${where} version=1\n${groupId}:${artifactId}-core version=1";
    check(
        &[
            ("template/pom.xml", &pom("${groupId}:${artifactId}:${version}", &[])),
            ("other/pom.xml", &pom("${no}:${where}:1", &[])),
            ("app/pom.xml", &child("app", &[&dependencies(lines)])),
        ],
        expect![[r#"
            g:app 1 (app)
              -> ${no}:${where} 1
              -> g:app-core 1
            ${no}:${where} 1 (other)
            ${groupId}:${artifactId} ${version} (template)
        "#]],
    );
}

#[test]
fn odd_poms_keep_what_can_be_kept() {
    let odd = "<version>ignored</version><dependencies>text<dependency><artifactId>x</artifactId>\
        </dependency><dependency/><other/><dependency><groupId> x </groupId>\
        <artifactId>y<!-- a comment --></artifactId><version/></dependency></dependencies>\
        <dependencyManagement/><profiles/><properties>text</properties>";
    check(
        &[("pom.xml", &pom("g:a:1", &[odd]))],
        expect![[r#"
        g:a 1 ()
          -> x:y
        problem: pom.xml: 2 dependencies without groupId or artifactId
    "#]],
    );
    let check_text = |text: &str, expected: Expect| check(&[("pom.xml", text)], expected);
    check_text(
        "<project xmlns='http://maven.apache.org/POM/4.0.0'><artifactId>a</artifactId></project>",
        expect![[r#"
            a ()
            problem: pom.xml: no groupId, and no parent to have it from
        "#]],
    );
    check_text(
        "<project><groupId>g</groupId></project>",
        expect![[r#"
        problem: pom.xml: no artifactId
    "#]],
    );
    check_text(
        "<settings/>",
        expect![[r#"
        problem: pom.xml: the root element is <settings>, not <project>
    "#]],
    );
    check_text(
        "<project>\n<artifactId>a</artifact></project>",
        expect![[r#"
            problem: pom.xml:2: expected 'artifactId' tag, not 'artifact' at 2:14
        "#]],
    );
    check_text(
        "<project><artifactId>a</artif",
        expect![[r#"
        problem: pom.xml:1: unexpected end of stream
    "#]],
    );
}

#[test]
fn thousands_of_modules_share_one_parent() {
    let managed_lines = (0..500).map(|n| format!("${{project.groupId}}:m{n} version=1\n"));
    let parent = pom("g:parent:1", &[&managed(&managed_lines.collect::<String>())]);
    let mut files = vec![("pom.xml".to_string(), parent)];
    files.extend((0..4_000).map(|n| {
        let dependencies = dependencies(&format!("g:m{}", (n + 1) % 500));
        (format!("m{n}/pom.xml"), child(&format!("m{n}"), &[&dependencies]))
    }));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, pom)| (&**path, &**pom)).collect();
    let rendered = render(&Maven, &files);
    assert_eq!(rendered.matches(" 1 [m").count(), 4_000);
}
