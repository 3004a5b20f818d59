//! A syntax tree as a flat list in preorder. Patterns look at a node many times, and a list makes
//! that cheap.

use tree_sitter::{Node, TreeCursor};

use super::innermost::ByteRange;

/// The nodes of a tree, without the tokens that no pattern names.
#[derive(Default)]
pub struct FlatTree {
    pub nodes: Vec<FlatNode>,
    /// Indexes of the nodes whose ends are not known yet.
    open_nodes: Vec<u32>,
}

#[derive(Clone, Copy)]
pub struct FlatNode {
    pub kind: u16,
    /// The field of its parent that it is; 0 if it is none.
    pub field: u16,
    pub start: u32,
    pub end: u32,
    /// Index of the first node after its subtree.
    pub subtree_end: u32,
    pub is_named: bool,
    /// True if it may occur anywhere, as comments do.
    pub is_extra: bool,
}

impl FlatNode {
    pub fn range(&self) -> ByteRange {
        ByteRange { start: self.start, end: self.end }
    }

    pub fn is_error(&self) -> bool {
        self.kind == u16::MAX
    }
}

/// The properties of a node kind that patterns look at. A list of these is indexed by the id of the
/// kind.
#[derive(Clone, Copy, Default)]
pub struct KindInterest {
    pub is_named: bool,
    /// True if a pattern names this token.
    pub is_token: bool,
    /// True if a pattern asks for a field of such nodes.
    pub has_fields: bool,
}

impl FlatTree {
    /// Lays out the tree below `root`.
    pub fn fill_from_tree(&mut self, root: Node, interests: &[KindInterest]) {
        self.nodes.clear();
        self.open_nodes.clear();
        let mut cursor = root.walk();
        loop {
            let is_kept = self.push_node(&cursor, interests);
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

    /// Ends the innermost node that has not ended.
    pub fn end_node(&mut self, end: usize) {
        let after = self.last_index() + 1;
        if let Some(closed) = self.open_nodes.pop() {
            let closed = &mut self.nodes[closed as usize];
            (closed.subtree_end, closed.end) = (after, saturating_u32(end));
        }
    }

    /// The kind of the innermost node that has not ended.
    pub fn innermost_open_kind(&self) -> Option<u16> {
        let innermost = self.open_nodes.last();
        innermost.map(|&open| self.nodes[open as usize].kind)
    }

    /// The nodes directly in the one at `index`, each with its index.
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

    fn last_index(&self) -> u32 {
        saturating_u32(self.nodes.len()).saturating_sub(1)
    }

    /// Keeps the node under the cursor, unless it is a token of no interest.
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

fn saturating_u32(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
