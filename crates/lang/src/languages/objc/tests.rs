//! Texts that the language rewrites before they are parsed.

use crate::languages::tests::check_tiling;
use kenning_model::RepoPath;

/// Blanking keeps every position, whatever blanks the text has.
#[test]
fn wide_blanks_around_a_macro_do_no_harm() {
    let text = "\u{3000}NS_ASSUME_NONNULL_BEGIN\n@interface Foo : NSObject\n\u{3000}/// doc\n- (void)bar;\n@end\n";
    check_tiling(&RepoPath::new("a.m").unwrap(), text);
    check_tiling(&RepoPath::new("a.m").unwrap(), &text.replace('\u{3000}', "\u{a0} "));
}
