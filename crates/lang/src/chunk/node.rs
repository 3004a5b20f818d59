//! A node of a file's syntax, from either kind of tree, with the operations that cutting needs.

use crate::code::{ByteRange, FileSyntax, FlatTree};

#[derive(Clone, Copy)]
pub enum SyntaxNode<'s> {
    Tree(tree_sitter::Node<'s>),
    /// The one at this index.
    Flat(&'s FlatTree, usize),
}

impl PartialEq for SyntaxNode<'_> {
    fn eq(&self, other: &SyntaxNode) -> bool {
        match (self, other) {
            (SyntaxNode::Tree(one), SyntaxNode::Tree(other)) => one == other,
            (SyntaxNode::Flat(_, one), SyntaxNode::Flat(_, other)) => one == other,
            _ => false,
        }
    }
}

impl<'s> SyntaxNode<'s> {
    /// Returns the root of the tree.
    pub fn root(syntax: &'s FileSyntax) -> SyntaxNode<'s> {
        match syntax {
            FileSyntax::Tree(tree) => SyntaxNode::Tree(tree.root_node()),
            FileSyntax::Flat(flat) => SyntaxNode::Flat(flat, 0),
        }
    }

    /// Those directly in it, in order.
    pub fn children(self) -> Vec<SyntaxNode<'s>> {
        match self {
            SyntaxNode::Tree(node) => {
                node.children(&mut node.walk()).map(SyntaxNode::Tree).collect()
            }
            SyntaxNode::Flat(flat, index) => {
                let children = flat.children(index);
                children.map(|(index, _)| SyntaxNode::Flat(flat, index)).collect()
            }
        }
    }

    pub fn range(self) -> ByteRange {
        match self {
            SyntaxNode::Tree(node) => {
                let place = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
                ByteRange { start: place(node.start_byte()), end: place(node.end_byte()) }
            }
            SyntaxNode::Flat(flat, index) => flat.nodes[index].range(),
        }
    }

    pub fn length(self) -> u32 {
        let range = self.range();
        range.end - range.start
    }

    /// True if it is more than a sign or a keyword.
    pub fn is_named(self) -> bool {
        match self {
            SyntaxNode::Tree(node) => node.is_named(),
            SyntaxNode::Flat(flat, index) => flat.nodes[index].is_named,
        }
    }
}
