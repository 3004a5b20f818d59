//! Java.

use super::{BASE, Declaration, Language};
use kenning_model::{ChunkKind, Visibility};

pub static JAVA: Language = Language {
    name: "java",
    extensions: &["java"],
    interpreters: &["java"],
    grammar: || tree_sitter_java::LANGUAGE.into(),
    query: include_str!("query.scm"),
    visibility,
    test_marks: &["@Test", "@ParameterizedTest", "@RepeatedTest", "@TestFactory"],
    ..BASE
};

fn visibility(declaration: &Declaration) -> Visibility {
    if declaration.says(&["public"]) {
        return Visibility::Public;
    }
    if declaration.says(&["private"]) {
        return Visibility::Private;
    }
    let outer = declaration.within(&[ChunkKind::Interface, ChunkKind::Enum]);
    outer.filter(|_| !declaration.says(&["protected"])).unwrap_or(Visibility::Internal)
}
