//! The tree of folders and name prefixes in which the nodes of a drawing lie, and the choice of the
//! branches that become boxes. `cluster` draws them.
//!
//!   packages/web-plugin-a     packages/ ─► web- ─► plugin- ─► a
//!   packages/web-core                           └► core
//!
//! A branch can be opened, which replaces one box by its children, or closed, which makes one box
//! of all nodes below it.

use std::collections::BTreeMap;

use super::{Drawing, Emphasis};

/// A folder with more children than fit is opened for its best connected ones only if at least this
/// many of them fit.
const MIN_SHOWN: usize = 8;

/// A folder may take at least this fraction (one in five) of the room, whatever its size.
const MIN_SHARE: usize = 5;

/// Some nodes that become one box.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// `packages/`, `packages/web-*`, or a place in full.
    pub name: String,
    pub members: Vec<usize>,
    /// True if other nodes of this place are not in the box.
    is_rest: bool,
}

impl Cluster {
    /// Returns a cluster of one node, which is drawn as it is.
    pub fn single(index: usize) -> Cluster {
        Cluster { name: String::new(), members: vec![index], is_rest: false }
    }

    /// Returns the text below the name: the number of members.
    pub fn detail(&self, noun: &str) -> String {
        if self.is_rest {
            format!("{} other {noun}", self.members.len())
        } else {
            format!("{} {noun}", self.members.len())
        }
    }
}

/// A folder, or a common prefix of names.
#[derive(Default)]
struct Folder {
    /// The nodes whose path ends here.
    own: Vec<usize>,
    children: BTreeMap<String, Folder>,
}

/// The tree of some nodes of a drawing.
pub struct Folders {
    root: Folder,
    /// Nodes without a place and strong nodes, which are never clustered.
    alone: Vec<usize>,
}

impl Folders {
    /// Sorts nodes into the tree.
    pub fn new(drawing: &Drawing, nodes: Vec<usize>) -> Folders {
        let mut folders = Folders { root: Folder::default(), alone: Vec::new() };
        for index in nodes {
            let node = &drawing.nodes[index];
            let place = node.place.as_deref();
            match place.filter(|_| node.emphasis != Emphasis::Strong) {
                Some(place) => folders.root.insert(steps(place), index),
                None => folders.alone.push(index),
            }
        }
        folders
    }

    /// Returns at most about `most` clusters. Opens the largest folder that fits, again and again,
    /// so that the folders that stay closed are those with too many children, and small ones.
    pub fn boxes(&self, most: usize, degrees: &[usize]) -> Vec<Cluster> {
        let room = most.saturating_sub(self.alone.len()).max(MIN_SHOWN);
        let mut shut: Vec<FolderBranch> = vec![FolderBranch::new(String::new(), &self.root)];
        let mut alone: Vec<FolderBranch> = Vec::new();
        let all = self.root.count().max(1);
        loop {
            let taken = shut.len() + alone.len();
            shut.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.prefix.cmp(&b.prefix)));
            // One folder of many does not take all the room because its names happen to suit.
            let share = |part: &FolderBranch| (room / MIN_SHARE).max(room * part.count / all);
            let fits = |part: &FolderBranch| {
                let opened = part.open().len();
                taken - 1 + opened <= room && opened <= share(part)
            };
            let Some(next) = shut.iter().position(fits) else {
                break;
            };
            let opened = shut.remove(next).open();
            let (few, many): (Vec<FolderBranch>, Vec<FolderBranch>) =
                opened.into_iter().partition(|part| part.count == 1);
            alone.extend(few);
            shut.extend(many);
        }
        let left = room.saturating_sub(shut.len() + alone.len());
        let mut boxes: Vec<Cluster> = Vec::new();
        // Where most of the drawing lies in one folder, its box would say nothing; names that begin
        // alike do, unless nearly all of them begin so.
        let says_something =
            |part: &FolderBranch| part.name().ends_with('*') && part.count * 10 < all * 9;
        let is_vague = |part: &FolderBranch| part.count * 2 > all && !says_something(part);
        let most_of_all = shut.first().is_some_and(is_vague);
        if left >= MIN_SHOWN && most_of_all {
            boxes.extend(shut.remove(0).keep_best_connected(left, degrees));
        }
        boxes.extend(shut.iter().chain(&alone).map(FolderBranch::close));
        boxes.extend(self.alone.iter().copied().map(Cluster::single));
        boxes.retain(|one| !one.members.is_empty());
        boxes
    }
}

/// A branch of the tree, or a single node.
#[derive(Clone)]
enum BranchContent<'f> {
    Folder(&'f Folder),
    One(usize),
}

/// A branch while boxes are chosen. `prefix` is its path.
#[derive(Clone)]
struct FolderBranch<'f> {
    prefix: String,
    inside: BranchContent<'f>,
    count: usize,
}

impl<'f> FolderBranch<'f> {
    /// Returns the branch of a folder. Skips folders whose only content is one folder: opening them
    /// would show nothing.
    fn new(mut prefix: String, mut folder: &'f Folder) -> FolderBranch<'f> {
        while let (true, 1) = (folder.own.is_empty(), folder.children.len()) {
            let Some((step, child)) = folder.children.iter().next() else {
                break;
            };
            prefix += step;
            folder = child;
        }
        FolderBranch { prefix, inside: BranchContent::Folder(folder), count: folder.count() }
    }

    /// Returns its nodes and children.
    fn open(&self) -> Vec<FolderBranch<'f>> {
        let BranchContent::Folder(folder) = self.inside else {
            return vec![self.clone()];
        };
        let own = folder.own.iter().map(|&index| FolderBranch {
            prefix: self.prefix.clone(),
            inside: BranchContent::One(index),
            count: 1,
        });
        let children = folder
            .children
            .iter()
            .map(|(step, child)| FolderBranch::new(format!("{}{step}", self.prefix), child));
        own.chain(children).collect()
    }

    /// Returns all nodes below it, in the order of the drawing.
    fn members(&self) -> Vec<usize> {
        let mut members = match self.inside {
            BranchContent::Folder(folder) => folder.members(),
            BranchContent::One(index) => vec![index],
        };
        members.sort_unstable();
        members
    }

    /// Returns its path, with `*` behind a prefix of names.
    fn name(&self) -> String {
        let is_whole = match self.inside {
            BranchContent::Folder(folder) => folder.children.is_empty(),
            BranchContent::One(_) => true,
        };
        if is_whole || self.prefix.ends_with('/') {
            self.prefix.clone()
        } else {
            format!("{}*", self.prefix)
        }
    }

    /// Returns the cluster of all nodes below it.
    fn close(&self) -> Cluster {
        Cluster { name: self.name(), members: self.members(), is_rest: false }
    }

    /// Returns the `room` best connected children, and one cluster with the rest.
    fn keep_best_connected(&self, room: usize, degrees: &[usize]) -> Vec<Cluster> {
        let mut inside: Vec<Cluster> = self.open().iter().map(FolderBranch::close).collect();
        let degree =
            |one: &Cluster| -> usize { one.members.iter().map(|&node| degrees[node]).sum() };
        inside.sort_by_key(|one| std::cmp::Reverse(degree(one)));
        let rest = inside.split_off(room.min(inside.len()));
        let mut members: Vec<usize> = rest.into_iter().flat_map(|one| one.members).collect();
        members.sort_unstable();
        if !members.is_empty() {
            inside.push(Cluster { name: self.name(), members, is_rest: true });
        }
        inside
    }
}

impl Folder {
    fn insert(&mut self, steps: Vec<&str>, index: usize) {
        let mut folder = self;
        for step in steps {
            folder = folder.children.entry(step.to_string()).or_default();
        }
        folder.own.push(index);
    }

    fn count(&self) -> usize {
        let children: usize = self.children.values().map(Folder::count).sum();
        self.own.len() + children
    }

    fn members(&self) -> Vec<usize> {
        let children = self.children.values().flat_map(Folder::members);
        self.own.iter().copied().chain(children).collect()
    }
}

/// Splits a place after each separator: `packages/babel-core` is `packages/`, `babel-`, `core`.
fn steps(place: &str) -> Vec<&str> {
    place.split_inclusive(['/', '-', '_', '.', ' ']).collect()
}
