//! A syntax tree as a flat list in preorder. Patterns look at a node many times, and a list makes
//! that cheap.

use tree_sitter::{Node, TreeCursor};

use super::innermost::Range;

/// The nodes of a tree, without the tokens that no pattern names.
#[derive(Default)]
pub struct Flat {
    pub nodes: Vec<FlatNode>,
    /// Indexes of the nodes whose ends are not known yet.
    open: Vec<u32>,
}

#[derive(Clone, Copy)]
pub struct FlatNode {
    pub kind: u16,
    /// The field of its parent that it is; 0 if it is none.
    pub field: u16,
    pub start: u32,
    pub end: u32,
    /// Index of the first node after its subtree.
    pub after: u32,
    pub is_named: bool,
    /// True if it may occur anywhere, as comments do.
    pub is_extra: bool,
}

impl FlatNode {
    pub fn range(&self) -> Range {
        Range { start: self.start, end: self.end }
    }

    pub fn is_error(&self) -> bool {
        self.kind == u16::MAX
    }
}

/// The properties of a node kind that patterns look at. A list of these is indexed by the id of the
/// kind.
#[derive(Clone, Copy, Default)]
pub struct Interest {
    pub is_named: bool,
    /// True if a pattern names this token.
    pub is_token: bool,
    /// True if a pattern asks for a field of such nodes.
    pub has_fields: bool,
}

impl Flat {
    /// Lays out the tree below `root`.
    pub fn fill(&mut self, root: Node, interests: &[Interest]) {
        self.nodes.clear();
        self.open.clear();
        let mut cursor = root.walk();
        loop {
            let is_kept = self.push(&cursor, interests);
            if is_kept && cursor.goto_first_child() {
                self.open.push(self.last());
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                let end = self.last() + 1;
                if let Some(closed) = self.open.pop() {
                    self.nodes[closed as usize].after = end;
                }
            }
        }
    }

    /// Adds a node with children, which stays open until its [`end`](Flat::end).
    pub fn begin(&mut self, kind: u16, field: u16, start: usize) {
        self.leaf(kind, field, start..start);
        self.open.push(self.last());
    }

    /// Adds a node without children.
    pub fn leaf(&mut self, kind: u16, field: u16, range: std::ops::Range<usize>) {
        self.nodes.push(FlatNode {
            kind,
            field,
            start: index(range.start),
            end: index(range.end),
            after: index(self.nodes.len() + 1),
            is_named: true,
            is_extra: false,
        });
    }

    /// Ends the innermost node that has not ended.
    pub fn end(&mut self, end: usize) {
        let after = self.last() + 1;
        if let Some(closed) = self.open.pop() {
            let closed = &mut self.nodes[closed as usize];
            (closed.after, closed.end) = (after, index(end));
        }
    }

    /// The kind of the innermost node that has not ended.
    pub fn innermost(&self) -> Option<u16> {
        let innermost = self.open.last();
        innermost.map(|&open| self.nodes[open as usize].kind)
    }

    /// The nodes directly in the one at `index`, each with its index.
    pub fn children(&self, index: usize) -> impl Iterator<Item = (usize, &FlatNode)> {
        let end = self.nodes[index].after as usize;
        let mut next = index + 1;
        std::iter::from_fn(move || {
            let at = next;
            let node = (at < end).then(|| &self.nodes[at])?;
            next = node.after as usize;
            Some((at, node))
        })
    }

    fn last(&self) -> u32 {
        index(self.nodes.len()).saturating_sub(1)
    }

    /// Keeps the node under the cursor, unless it is a token of no interest.
    fn push(&mut self, cursor: &TreeCursor, interests: &[Interest]) -> bool {
        let node = cursor.node();
        let kind = node.kind_id();
        // Only the kind of errors is beyond the table.
        let interest = interests.get(usize::from(kind)).copied();
        let interest = interest.unwrap_or(Interest { is_named: true, ..Interest::default() });
        if !interest.is_named && !interest.is_token {
            return false;
        }
        let parent = self.open.last().map(|&parent| self.nodes[parent as usize].kind);
        let has_fields = parent
            .and_then(|parent| interests.get(usize::from(parent)))
            .is_some_and(|interest| interest.has_fields);
        let field =
            if has_fields { cursor.field_id().map_or(0, std::num::NonZero::get) } else { 0 };
        self.nodes.push(FlatNode {
            kind,
            field,
            start: index(node.start_byte()),
            end: index(node.end_byte()),
            after: index(self.nodes.len() + 1),
            is_named: interest.is_named,
            is_extra: interest.is_named && node.is_extra(),
        });
        true
    }
}

fn index(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
