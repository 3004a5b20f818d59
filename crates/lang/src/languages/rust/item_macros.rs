//! Macros whose arguments are items, or parse as items after a small rewrite: `cfg_rt! { … }`,
//! `lazy_static! { … }`, `bitflags! { … }`.

use crate::languages::ItemMacros;
use crate::languages::source_patch::{blank_non_code, blank_out, skip_blanks, word_length_at};

/// The nodes of the grammar, and the rewrite of arguments that are not quite items.
pub const ITEM_MACROS: ItemMacros = ItemMacros {
    call_kind: "macro_invocation",
    arguments_kind: "token_tree",
    holder_kinds: &[
        "declaration_list",
        "expression_statement",
        "impl_item",
        "mod_item",
        "trait_item",
    ],
    item_kinds: &[
        "const_item",
        "enum_item",
        "extern_crate_declaration",
        "foreign_mod_item",
        "function_item",
        "function_signature_item",
        "impl_item",
        "macro_definition",
        "mod_item",
        "static_item",
        "struct_item",
        "trait_item",
        "type_item",
        "union_item",
        "use_declaration",
    ],
    filler_kinds: &[
        "attribute_item",
        "block_comment",
        "empty_statement",
        "inner_attribute_item",
        "line_comment",
    ],
    item_end: ';',
    repair: repair_items,
};

/// Turns `static ref A: B = c;` into a static, and `struct A: u8 { const B = 1; }` into an enum,
/// whose names and members are the same. `None` if the text has neither.
fn repair_items(text: &str) -> Option<String> {
    let code = blank_non_code(text);
    let mut bytes = text.as_bytes().to_vec();
    let mut at = 0;
    let mut is_changed = false;
    while at < code.len() {
        let length = word_length_at(&code, at);
        if length == 0 {
            at += 1;
            continue;
        }
        let end = at + length;
        let next = skip_blanks(&code, end);
        match &code[at..end] {
            b"static" if code[next..].starts_with(b"ref ") => {
                blank_out(&mut bytes[next..next + 3]);
                is_changed = true;
            }
            b"struct" => is_changed |= repair_flags(&code, &mut bytes, at, next),
            _ => {}
        }
        at = end;
    }
    String::from_utf8(bytes).ok().filter(|_| is_changed)
}

/// Turns one `struct A: u8 { const B = 1; }` into `enum A { B = 1, }`. False if it is another
/// struct.
fn repair_flags(code: &[u8], bytes: &mut [u8], keyword: usize, name: usize) -> bool {
    let colon = skip_blanks(code, name + word_length_at(code, name));
    let open = code[colon..].iter().position(|byte| *byte == b'{').map(|at| colon + at);
    let Some(open) = open.filter(|_| code.get(colon) == Some(&b':')) else {
        return false;
    };
    let close = code[open..].iter().position(|byte| *byte == b'}').map(|at| open + at);
    let Some(close) = close else {
        return false;
    };
    bytes[keyword..keyword + 6].copy_from_slice(b"enum  ");
    blank_out(&mut bytes[colon..open]);
    let mut at = open;
    while at < close {
        let length = word_length_at(code, at);
        if &code[at..at + length] == b"const" {
            blank_out(&mut bytes[at..at + length]);
        } else if code[at] == b';' {
            bytes[at] = b',';
        }
        at += length.max(1);
    }
    true
}
