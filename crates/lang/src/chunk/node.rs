//! A node of a file's syntax, from either kind of tree, with the operations that cutting needs.

use crate::code::{Flat, Range, Syntax};

#[derive(Clone, Copy)]
pub enum Node<'s> {
    OfTree(tree_sitter::Node<'s>),
    /// The one at this index.
    OfRow(&'s Flat, usize),
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Node) -> bool {
        match (self, other) {
            (Node::OfTree(one), Node::OfTree(other)) => one == other,
            (Node::OfRow(_, one), Node::OfRow(_, other)) => one == other,
            _ => false,
        }
    }
}

impl<'s> Node<'s> {
    /// Returns the root of the tree.
    pub fn root(syntax: &'s Syntax) -> Node<'s> {
        match syntax {
            Syntax::Tree(tree) => Node::OfTree(tree.root_node()),
            Syntax::Row(flat) => Node::OfRow(flat, 0),
        }
    }

    /// Those directly in it, in order.
    pub fn children(self) -> Vec<Node<'s>> {
        match self {
            Node::OfTree(node) => node.children(&mut node.walk()).map(Node::OfTree).collect(),
            Node::OfRow(flat, index) => {
                let children = flat.children(index);
                children.map(|(index, _)| Node::OfRow(flat, index)).collect()
            }
        }
    }

    pub fn range(self) -> Range {
        match self {
            Node::OfTree(node) => {
                let place = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
                Range { start: place(node.start_byte()), end: place(node.end_byte()) }
            }
            Node::OfRow(flat, index) => flat.nodes[index].range(),
        }
    }

    pub fn length(self) -> u32 {
        let range = self.range();
        range.end - range.start
    }

    /// True if it is more than a sign or a keyword.
    pub fn is_named(self) -> bool {
        match self {
            Node::OfTree(node) => node.is_named(),
            Node::OfRow(flat, index) => flat.nodes[index].is_named,
        }
    }
}
