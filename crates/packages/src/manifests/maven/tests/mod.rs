//! Trees of POMs in, packages out. What they expect is what Maven's own model builder says of the
//! same trees (`tests/oracle/EffectivePom.java`).

mod managed;
mod poms;

use expect_test::{Expect, expect};

use super::super::testing::render;
use super::*;

fn check(files: &[(&str, &str)], expected: Expect) {
    expected.assert_eq(&render(&Maven, files));
}

/// A POM of `group:artifact:version` with more content.
fn pom(coordinates: &str, content: &[&str]) -> String {
    let [group, artifact, version] = coordinates.split(':').collect::<Vec<_>>()[..] else {
        panic!("{coordinates} is not group:artifact:version");
    };
    format!(
        "<project><groupId>{group}</groupId><artifactId>{artifact}</artifactId>\
        <version>{version}</version>{}</project>",
        content.concat()
    )
}

/// A POM that has its group and version from a parent; see [`parent`].
fn child(artifact: &str, content: &[&str]) -> String {
    let content = content.concat();
    let parent = parent("g:parent:1", "");
    format!("<project>{parent}<artifactId>{artifact}</artifactId>{content}</project>")
}

fn parent(coordinates: &str, relative_path: &str) -> String {
    pom(coordinates, &[relative_path]).replace("project>", "parent>")
}

/// `<dependency>` elements, written as `group:artifact` and then `element=value`s, one a line.
fn dependencies(lines: &str) -> String {
    let mut xml = String::from("<dependencies>");
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let mut words = line.split(' ');
        let (group, artifact) = words.next().and_then(|name| name.split_once(':')).unwrap();
        xml += &format!("<dependency><groupId>{group}</groupId>");
        xml += &format!("<artifactId>{artifact}</artifactId>");
        for (element, value) in words.filter_map(|word| word.split_once('=')) {
            xml += &format!("<{element}>{value}</{element}>");
        }
        xml += "</dependency>";
    }
    xml + "</dependencies>"
}

fn managed(lines: &str) -> String {
    let dependencies = dependencies(lines);
    format!("<dependencyManagement>{dependencies}</dependencyManagement>")
}

const IS_POM: &str = "<packaging>pom</packaging>";
