//! A node of a file's syntax, from either kind of tree, with the few operations that cutting needs.
//! It hides from [`split`](super::split) that some languages are read without a grammar.

use crate::code::{ByteRange, FileSyntax, FlatTree};

/// A node of a tree-sitter tree or of a [`FlatTree`].
#[derive(Clone, Copy)]
pub enum SyntaxNode<'s> {
    /// A node of the tree that the grammar made.
    Tree(tree_sitter::Node<'s>),
    /// The node at this index of a flat tree.
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

    /// The direct children, in order. It allocates a list, because a tree-sitter cursor cannot
    /// outlive this call.
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

    /// The half-open range of its bytes.
    pub fn range(self) -> ByteRange {
        match self {
            SyntaxNode::Tree(node) => {
                let place = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
                ByteRange { start: place(node.start_byte()), end: place(node.end_byte()) }
            }
            SyntaxNode::Flat(flat, index) => flat.nodes[index].range(),
        }
    }

    /// The length in bytes, white space included.
    pub fn length(self) -> u32 {
        let range = self.range();
        range.end - range.start
    }

    /// True if the node is more than a punctuation mark or a keyword: tree-sitter's named nodes.
    pub fn is_named(self) -> bool {
        match self {
            SyntaxNode::Tree(node) => node.is_named(),
            SyntaxNode::Flat(flat, index) => flat.nodes[index].is_named,
        }
    }
}
