//! A syntax tree as a flat list in preorder. Query patterns look at a node many times, and an index
//! into a list costs less than a tree-sitter cursor.
//!
//! A subtree is a contiguous range of the list: the node at `i` owns `i..nodes[i].subtree_end`. So
//! the next sibling of a node is at its `subtree_end`, if the parent reaches that far.

use tree_sitter::{Node, TreeCursor};

use super::range_sweep::ByteRange;

/// The nodes of a tree, without the tokens that no pattern names. Filled from a tree-sitter tree,
/// or built by a language's own reader with `begin_node`, `add_leaf` and `end_node`.
#[derive(Default)]
pub struct FlatTree {
    /// In preorder; the root is the first.
    pub nodes: Vec<FlatNode>,
    /// Indexes of the nodes whose ends are not known yet, outermost first.
    open_nodes: Vec<u32>,
}

/// One node. Kinds and fields are the grammar's numbers.
#[derive(Clone, Copy)]
pub struct FlatNode {
    pub kind: u16,
    /// The field of the parent that holds it; 0 if none does, or if no pattern asks for it.
    pub field: u16,
    /// Byte offsets of a half-open range.
    pub start: u32,
    pub end: u32,
    /// Index of the first node after its subtree.
    pub subtree_end: u32,
    /// True if it is more than a punctuation mark or a keyword: tree-sitter's named nodes.
    pub is_named: bool,
    /// True if it may occur anywhere, as comments do.
    pub is_extra: bool,
}

impl FlatNode {
    /// The half-open range of its bytes.
    pub fn range(&self) -> ByteRange {
        ByteRange { start: self.start, end: self.end }
    }

    /// True if the parser found nothing that fits here. tree-sitter numbers such nodes `u16::MAX`.
    pub fn is_error(&self) -> bool {
        self.kind == u16::MAX
    }
}

/// The properties of a node kind that patterns look at. Lists of these are indexed by the id of the
/// kind. Nodes and fields that no pattern asks for are not copied.
#[derive(Clone, Copy, Default)]
pub struct KindInterest {
    pub is_named: bool,
    /// True if a pattern names this token.
    pub is_token: bool,
    /// True if a pattern asks for a field of such nodes.
    pub has_fields: bool,
}

impl FlatTree {
    /// Replaces the content by the tree below `root`. The loop needs no recursion, so depth is no
    /// limit.
    pub fn fill_from_tree(&mut self, root: Node, interests: &[KindInterest]) {
        self.nodes.clear();
        self.open_nodes.clear();
        let mut cursor = root.walk();
        loop {
            let is_kept = self.push_node(&cursor, interests);
            // Nothing below a dropped token is copied.
            if is_kept && cursor.goto_first_child() {
                self.open_nodes.push(self.last_index());
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                let end = self.last_index() + 1;
                if let Some(closed) = self.open_nodes.pop() {
                    self.nodes[closed as usize].subtree_end = end;
                }
            }
        }
    }

    /// Adds a node with children, which stays open until its [`end_node`](FlatTree::end_node).
    pub fn begin_node(&mut self, kind: u16, field: u16, start: usize) {
        self.add_leaf(kind, field, start..start);
        self.open_nodes.push(self.last_index());
    }

    /// Adds a node without children.
    pub fn add_leaf(&mut self, kind: u16, field: u16, range: std::ops::Range<usize>) {
        self.nodes.push(FlatNode {
            kind,
            field,
            start: saturating_u32(range.start),
            end: saturating_u32(range.end),
            subtree_end: saturating_u32(self.nodes.len() + 1),
            is_named: true,
            is_extra: false,
        });
    }

    /// Ends the innermost node that is open. Does nothing if none is.
    pub fn end_node(&mut self, end: usize) {
        let after = self.last_index() + 1;
        if let Some(closed) = self.open_nodes.pop() {
            let closed = &mut self.nodes[closed as usize];
            (closed.subtree_end, closed.end) = (after, saturating_u32(end));
        }
    }

    /// The kind of the innermost node that is open.
    pub fn innermost_open_kind(&self) -> Option<u16> {
        let innermost = self.open_nodes.last();
        innermost.map(|&open| self.nodes[open as usize].kind)
    }

    /// The direct children of the node at `index`, each with its index.
    pub fn children(&self, index: usize) -> impl Iterator<Item = (usize, &FlatNode)> {
        let end = self.nodes[index].subtree_end as usize;
        let mut next = index + 1;
        std::iter::from_fn(move || {
            let at = next;
            let node = (at < end).then(|| &self.nodes[at])?;
            next = node.subtree_end as usize;
            Some((at, node))
        })
    }

    /// Index of the last node; 0 for an empty list.
    fn last_index(&self) -> u32 {
        saturating_u32(self.nodes.len()).saturating_sub(1)
    }

    /// Adds the node at the cursor, unless it is a token of no interest. Returns true if it was
    /// added.
    fn push_node(&mut self, cursor: &TreeCursor, interests: &[KindInterest]) -> bool {
        let node = cursor.node();
        let kind = node.kind_id();
        // Only the kind of errors is beyond the table.
        let interest = interests
            .get(usize::from(kind))
            .copied()
            .unwrap_or(KindInterest { is_named: true, ..KindInterest::default() });
        if !interest.is_named && !interest.is_token {
            return false;
        }
        let parent = self.open_nodes.last().map(|&parent| self.nodes[parent as usize].kind);
        let has_fields = parent
            .and_then(|parent| interests.get(usize::from(parent)))
            .is_some_and(|interest| interest.has_fields);
        let field =
            if has_fields { cursor.field_id().map_or(0, std::num::NonZero::get) } else { 0 };
        self.nodes.push(FlatNode {
            kind,
            field,
            start: saturating_u32(node.start_byte()),
            end: saturating_u32(node.end_byte()),
            subtree_end: saturating_u32(self.nodes.len() + 1),
            is_named: interest.is_named,
            is_extra: interest.is_named && node.is_extra(),
        });
        true
    }
}

/// Converts a position. Texts are far smaller than the limit.
fn saturating_u32(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
