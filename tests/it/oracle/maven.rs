//! Java: against Maven's own model builder, driven by `tests/oracle/EffectivePom.java`, which says
//! what it prints.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Edge, Facts, Package, assert_same, command, find_program, kenning, maven_tree};
use super::{output_of, say_unchecked, tree_of};
use crate::support::Tree;

const WHAT: &str = "maven packages against Maven";

struct Maven {
    java: PathBuf,
    /// The folder with the jars that Maven is made of.
    library: PathBuf,
}

impl Maven {
    fn find() -> Option<Maven> {
        let java = find_program("java", WHAT)?;
        let maven = find_program("mvn", WHAT)?.canonicalize().unwrap();
        // Beside `bin` wherever Maven comes from; Debian's `mvn` leads there by way of a link.
        let home = maven.parent().and_then(Path::parent).unwrap();
        let library = home.join("lib");
        let modules = output_of(command(&java, home, &[]).arg("--list-modules"));
        if !library.is_dir() {
            say_unchecked(WHAT, &format!("there is no {}", library.display()));
            None
        } else if !modules.contains("jdk.compiler") {
            say_unchecked(WHAT, "this Java runs no source files");
            None
        } else {
            Some(Maven { java, library })
        }
    }

    fn facts(&self, tree: &Tree) -> Facts {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle/EffectivePom.java");
        let mut command = command(&self.java, &tree.root(), &["JAVA_", "JDK_", "MAVEN_"]);
        command.arg("-cp").arg(self.library.join("*")).arg(program).arg(".");
        let lines: Vec<Value> = output_of(&mut command)
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let directories: BTreeMap<(&str, Option<&str>), String> = lines
            .iter()
            .filter(|line| line.get("packaging").is_some())
            .map(|line| ((text(line, "module").unwrap(), text(line, "version")), directory(line)))
            .collect();
        let mut facts = Facts::default();
        for line in &lines {
            assert!(line.get("error").is_none(), "{line}");
            match line.get("dependency") {
                Some(_) => facts.edges.push(edge(line, &directories)),
                None => facts.packages.push(Package {
                    name: text(line, "module").unwrap().to_string(),
                    version: text(line, "version").map(str::to_string),
                    directory: directory(line),
                }),
            }
        }
        facts
    }
}

fn text<'a>(line: &'a Value, key: &str) -> Option<&'a str> {
    line[key].as_str()
}

fn directory(line: &Value) -> String {
    let pom = Path::new(text(line, "pom").unwrap());
    pom.parent().unwrap().to_str().unwrap().to_string()
}

fn edge(line: &Value, directories: &BTreeMap<(&str, Option<&str>), String>) -> Edge {
    let (name, version) = (text(line, "dependency").unwrap(), text(line, "version"));
    let kind = match text(line, "scope") {
        Some("test") => "dev",
        _ if line["optional"] == true => "optional",
        Some("provided") => "peer",
        _ => "runtime",
    };
    Edge {
        from: directory(line),
        name: name.to_string(),
        requirement: version.map(str::to_string),
        kind: kind.to_string(),
        internal: directories.get(&(name, version)).cloned(),
    }
}

fn check(tree: &Tree) {
    let Some(maven) = Maven::find() else { return };
    assert_same("maven", &maven.facts(tree), &kenning(tree, "maven"));
}

/// A POM with `body`, and `dependencies` as `group:artifact[:version[:scope]]`.
fn pom(body: &str, dependencies: &[&str]) -> String {
    let dependencies: String = dependencies.iter().map(|text| dependency(text, "")).collect();
    format!(
        "<project><modelVersion>4.0.0</modelVersion>{body}\
         <dependencies>{dependencies}</dependencies></project>"
    )
}

pub fn dependency(text: &str, more: &str) -> String {
    let tags = ["groupId", "artifactId", "version", "scope"];
    let parts = tags.iter().zip(text.split(':'));
    let parts: String = parts.map(|(tag, value)| format!("<{tag}>{value}</{tag}>")).collect();
    format!("<dependency>{parts}{more}</dependency>")
}

fn parent(coordinates: &str) -> String {
    let tags = ["groupId", "artifactId", "version", "relativePath"];
    let parts = tags.iter().zip(coordinates.split(':'));
    let parts: String = parts.map(|(tag, value)| format!("<{tag}>{value}</{tag}>")).collect();
    format!("<parent>{parts}</parent>")
}

const ROOT: &str = "
    <groupId>com.acme</groupId><artifactId>root</artifactId><version>${revision}</version>
    <packaging>pom</packaging>
    <modules><module>core</module><module>web</module><module>deep</module></modules>
    <properties>
        <revision>3.1</revision><guava>31</guava><twice>${guava}.1</twice>
        <group>com.acme</group>
    </properties>
    <dependencyManagement><dependencies>
        <dependency><groupId>com.acme</groupId><artifactId>bom</artifactId><version>1</version>
            <type>pom</type><scope>import</scope></dependency>
        <dependency><groupId>org.g</groupId><artifactId>guava</artifactId><version>${twice}</version></dependency>
        <dependency><groupId>org.t</groupId><artifactId>junit</artifactId><version>5</version><scope>test</scope></dependency>
        <dependency><groupId>com.acme</groupId><artifactId>core</artifactId><version>${project.version}</version></dependency>
        <dependency><groupId>org.o</groupId><artifactId>lazy</artifactId><version>1</version><optional>true</optional></dependency>
        <dependency><groupId>org.c</groupId><artifactId>native</artifactId><version>1</version><classifier>linux</classifier></dependency>
    </dependencies></dependencyManagement>
    <profiles><profile><id>always</id><activation><activeByDefault>true</activeByDefault></activation>
        <dependencies><dependency><groupId>org.p</groupId><artifactId>by-profile</artifactId><version>1</version></dependency></dependencies>
    </profile><profile><id>asked</id>
        <dependencies><dependency><groupId>org.p</groupId><artifactId>on-demand</artifactId><version>1</version></dependency></dependencies>
    </profile></profiles>";

#[test]
fn parents_properties_management_and_boms() {
    let of_root = parent("com.acme:root:${revision}");
    let tree = Tree::new(&[
        ("pom.xml", &pom(ROOT, &["org.t:junit", "org.s:slf4j:2"])),
        (
            "bom/pom.xml",
            &pom(
                "<groupId>com.acme</groupId><artifactId>bom</artifactId><version>1</version><packaging>pom</packaging>
                 <properties><jackson>2.9</jackson><guava>1</guava></properties>
                 <dependencyManagement><dependencies>
                   <dependency><groupId>org.j</groupId><artifactId>jackson</artifactId><version>${jackson}</version></dependency>
                   <dependency><groupId>org.g</groupId><artifactId>guava</artifactId><version>${guava}</version></dependency>
                   <dependency><groupId>com.acme</groupId><artifactId>web</artifactId><version>3.1</version><scope>provided</scope></dependency>
                 </dependencies></dependencyManagement>",
                &[],
            ),
        ),
        (
            "core/pom.xml",
            &pom(
                &format!("{of_root}<artifactId>core</artifactId>"),
                &["org.g:guava", "org.j:jackson", "org.o:lazy", "org.t:junit::compile", "org.x:open"],
            )
            .replace("<version></version>", ""),
        ),
        (
            "web/pom.xml",
            &pom(
                &format!("{of_root}<artifactId>web</artifactId><properties><guava>99</guava><own>7</own></properties>"),
                &[
                    "${project.groupId}:core:${project.version}",
                    "${group}:deep:${project.parent.version}:runtime",
                    "org.g:guava",
                    "org.y:own:${own}",
                    "org.y:missing:${missing}",
                    "org.s:slf4j:1",
                    "javax:servlet:4:provided",
                ],
            ),
        ),
        (
            "deep/pom.xml",
            &pom(&format!("{of_root}<artifactId>deep</artifactId><packaging>pom</packaging>"), &["com.acme:core"]),
        ),
        (
            "deep/er/pom.xml",
            &pom(
                &format!("{}<groupId>com.acme.er</groupId><artifactId>er</artifactId><version>9</version>",
                    parent("com.acme:deep:${revision}")),
                &["com.acme:web", "com.acme:core:3.0", "com.acme:core-gone:1"],
            ),
        ),
        // A parent from elsewhere: what it manages is not known here.
        (
            "boot/pom.xml",
            &pom(
                &format!("{}<artifactId>boot</artifactId><packaging>pom</packaging>", parent("org.spring:parent:3:")),
                &["org.spring:web", "com.acme.er:er:9", "com.acme:core:3.1:test"],
            ),
        ),
        // A parent beside it, found by its path.
        (
            "boot/child/pom.xml",
            &pom(
                &format!("{}<artifactId>child</artifactId>", parent("org.spring:boot:3:../pom.xml")),
                &[],
            ),
        ),
    ]);
    add_types_and_classifiers(&tree);
    check(&tree);
}

/// Several artifacts of one package; Kenning knows packages.
fn add_types_and_classifiers(tree: &Tree) {
    let dependencies = [
        dependency("org.ty:a:1", "<type>test-jar</type><scope>test</scope>"),
        dependency("org.ty:a:1", ""),
        dependency("org.ty:b:1", "<classifier>linux</classifier><optional>true</optional>"),
        dependency("org.ty:b:1", "<classifier>mac</classifier><optional>true</optional>"),
        dependency("org.x:optional-test:1", "<optional>true</optional><scope>test</scope>"),
        dependency("org.x:provided:1", "<optional>false</optional><scope>provided</scope>"),
        dependency("org.x:system:1", "<scope>system</scope><systemPath>/x.jar</systemPath>"),
        dependency(
            "org.x:excluding:1",
            "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>",
        ),
    ];
    for name in ["a", "b", "c"] {
        let head =
            format!("<groupId>org.ty</groupId><artifactId>{name}</artifactId><version>1</version>");
        let text = pom(&head, &[]);
        let text = match name {
            "c" => {
                text.replace("<dependencies>", &format!("<dependencies>{}", dependencies.concat()))
            }
            _ => text,
        };
        tree.write(&format!("types/{name}/pom.xml"), &text);
    }
}

#[test]
fn sixty_generated_packages() {
    check(&tree_of(&maven_tree::files(7)));
}
