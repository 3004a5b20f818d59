//! Where the nodes of a drawing lie, as a tree of folders and of beginnings of names, and which branches
//! of it become boxes when there is only so much room. What is drawn of them is decided in `gather`.

use std::collections::BTreeMap;

use super::{Drawing, Emphasis};

/// A folder with so many children that they do not all fit is opened for its best connected ones, if
/// there is room for so many of them.
const LEAST_SHOWN: usize = 8;

/// Whatever its size, a folder may take this part of the room.
const LEAST_SHARE: usize = 5;

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
    pub fn single(index: usize) -> Cluster {
        Cluster { name: String::new(), members: vec![index], is_rest: false }
    }

    pub fn detail(&self, noun: &str) -> String {
        if self.is_rest {
            format!("{} other {noun}", self.members.len())
        } else {
            format!("{} {noun}", self.members.len())
        }
    }
}

/// A folder, or the beginning that some names have in common.
#[derive(Default)]
struct Folder {
    own: Vec<usize>,
    children: BTreeMap<String, Folder>,
}

/// Where some nodes of a drawing lie.
pub struct Folders {
    root: Folder,
    alone: Vec<usize>,
}

impl Folders {
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

    /// The largest folders are opened for as long as there is room, so that what remains shut is what
    /// has too much in it, and what is small.
    pub fn boxes(&self, most: usize, degrees: &[usize]) -> Vec<Cluster> {
        let room = most.saturating_sub(self.alone.len()).max(LEAST_SHOWN);
        let mut shut: Vec<FolderPart> = vec![FolderPart::new(String::new(), &self.root)];
        let mut alone: Vec<FolderPart> = Vec::new();
        let all = self.root.count().max(1);
        loop {
            let taken = shut.len() + alone.len();
            shut.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.prefix.cmp(&b.prefix)));
            // One folder of many does not take all the room because its names happen to suit.
            let share = |part: &FolderPart| (room / LEAST_SHARE).max(room * part.count / all);
            let fits = |part: &FolderPart| {
                let opened = part.open().len();
                taken - 1 + opened <= room && opened <= share(part)
            };
            let Some(next) = shut.iter().position(fits) else {
                break;
            };
            let opened = shut.remove(next).open();
            let (few, many): (Vec<FolderPart>, Vec<FolderPart>) =
                opened.into_iter().partition(|part| part.count == 1);
            alone.extend(few);
            shut.extend(many);
        }
        let left = room.saturating_sub(shut.len() + alone.len());
        let mut boxes: Vec<Cluster> = Vec::new();
        // Where most of the drawing lies in one folder, its box would say nothing; names that begin
        // alike do, unless nearly all of them begin so.
        let says_something =
            |part: &FolderPart| part.name().ends_with('*') && part.count * 10 < all * 9;
        let is_vague = |part: &FolderPart| part.count * 2 > all && !says_something(part);
        let most_of_all = shut.first().is_some_and(is_vague);
        if left >= LEAST_SHOWN && most_of_all {
            boxes.extend(shut.remove(0).best_and_rest(left, degrees));
        }
        boxes.extend(shut.iter().chain(&alone).map(FolderPart::close));
        boxes.extend(self.alone.iter().copied().map(Cluster::single));
        boxes.retain(|one| !one.members.is_empty());
        boxes
    }
}

/// A folder on the way from one box to many.
#[derive(Clone)]
enum PartContent<'f> {
    Folder(&'f Folder),
    One(usize),
}

#[derive(Clone)]
struct FolderPart<'f> {
    prefix: String,
    inside: PartContent<'f>,
    count: usize,
}

impl<'f> FolderPart<'f> {
    /// A folder with nothing but one folder in it is not worth a step.
    fn new(mut prefix: String, mut folder: &'f Folder) -> FolderPart<'f> {
        while let (true, 1) = (folder.own.is_empty(), folder.children.len()) {
            let Some((step, child)) = folder.children.iter().next() else {
                break;
            };
            prefix += step;
            folder = child;
        }
        FolderPart { prefix, inside: PartContent::Folder(folder), count: folder.count() }
    }

    fn open(&self) -> Vec<FolderPart<'f>> {
        let PartContent::Folder(folder) = self.inside else {
            return vec![self.clone()];
        };
        let own = folder.own.iter().map(|&index| FolderPart {
            prefix: self.prefix.clone(),
            inside: PartContent::One(index),
            count: 1,
        });
        let children = folder.children.iter();
        let children =
            children.map(|(step, child)| FolderPart::new(format!("{}{step}", self.prefix), child));
        own.chain(children).collect()
    }

    fn members(&self) -> Vec<usize> {
        let mut members = match self.inside {
            PartContent::Folder(folder) => folder.members(),
            PartContent::One(index) => vec![index],
        };
        members.sort_unstable();
        members
    }

    fn name(&self) -> String {
        let is_whole = match self.inside {
            PartContent::Folder(folder) => folder.children.is_empty(),
            PartContent::One(_) => true,
        };
        if is_whole || self.prefix.ends_with('/') {
            self.prefix.clone()
        } else {
            format!("{}*", self.prefix)
        }
    }

    fn close(&self) -> Cluster {
        Cluster { name: self.name(), members: self.members(), is_rest: false }
    }

    /// As many of what is inside as there is room for, and a box for the others.
    fn best_and_rest(&self, room: usize, degrees: &[usize]) -> Vec<Cluster> {
        let mut inside: Vec<Cluster> = self.open().iter().map(FolderPart::close).collect();
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

/// `packages/babel-core` is `packages/`, `babel-`, `core`.
fn steps(place: &str) -> Vec<&str> {
    place.split_inclusive(['/', '-', '_', '.', ' ']).collect()
}
