//! The grid that ordering and placing work on: every layer a list of cells, every line between
//! neighbouring layers only. An arrow over several layers passes each of them through a lane.

use std::collections::HashMap;

use super::layering::Layers;
use super::{Arrow, Bundle};

/// Cells are boxes and lanes. The boxes come first, each with its own index.
pub struct Grid {
    boxes: usize,
    pub layer_of: Vec<usize>,
    /// The cells of each layer. Which ones is fixed here, their order is not.
    pub layers: Vec<Vec<usize>>,
    /// For each cell, those that it is joined with in the layer before and after.
    pub before: Vec<Vec<usize>>,
    pub after: Vec<Vec<usize>>,
    /// For each arrow, its cells along the flow.
    pub chains: Vec<Vec<usize>>,
}

/// With whom each arrow shares its lanes: with those from its source, or those to its target,
/// whichever are more. Either way a line can be followed without doubt: it has one beginning, or
/// one end.
pub fn bundle(layers: &Layers, arrows: &[Arrow]) -> Vec<Bundle> {
    let long = arrows.iter().zip(&layers.backward).filter(|(arrow, _)| {
        let [from, to] = [arrow.from, arrow.to].map(|index| layers.of_box[index]);
        from.abs_diff(to) > 1
    });
    let mut sizes: HashMap<_, usize> = HashMap::new();
    for (arrow, &backward) in long {
        for bundle in [Bundle::Source, Bundle::Target] {
            *sizes.entry((bundle.key(arrow), backward)).or_default() += 1;
        }
    }
    let choices = arrows.iter().zip(&layers.backward).map(|(arrow, &backward)| {
        let size = |bundle: Bundle| sizes.get(&(bundle.key(arrow), backward)).copied();
        if size(Bundle::Source) > size(Bundle::Target) { Bundle::Source } else { Bundle::Target }
    });
    choices.collect()
}

impl Bundle {
    /// What the arrows of one bundle have in common.
    fn key(self, arrow: &Arrow) -> (Bundle, usize, usize) {
        let end = match self {
            Bundle::Source => arrow.from,
            Bundle::Target => arrow.to,
        };
        (self, end, arrow.strand)
    }
}

impl Grid {
    pub fn new(layers: &Layers, arrows: &[Arrow], bundles: &[Bundle]) -> Grid {
        let mut grid = Grid {
            boxes: layers.of_box.len(),
            layer_of: layers.of_box.clone(),
            layers: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            chains: Vec::new(),
        };
        let mut lanes = HashMap::new();
        let arrows = arrows.iter().zip(bundles).zip(&layers.backward);
        for ((arrow, bundle), &backward) in arrows {
            let (first, last) = arrow.along_flow(backward);
            let mut chain = vec![first];
            for layer in layers.of_box[first] + 1..layers.of_box[last] {
                // What runs backward keeps to itself.
                let trunk = (bundle.key(arrow), backward, layer);
                chain.push(*lanes.entry(trunk).or_insert_with(|| grid.add_lane(layer)));
            }
            chain.push(last);
            grid.chains.push(chain);
        }
        grid.fill_layers();
        grid.join();
        grid
    }

    pub fn is_lane(&self, cell: usize) -> bool {
        cell >= self.boxes
    }

    /// The place of each cell in its layer.
    pub fn positions(&self) -> Vec<usize> {
        let mut positions = vec![0; self.layer_of.len()];
        for layer in &self.layers {
            for (place, &cell) in layer.iter().enumerate() {
                positions[cell] = place;
            }
        }
        positions
    }

    fn add_lane(&mut self, layer: usize) -> usize {
        self.layer_of.push(layer);
        self.layer_of.len() - 1
    }

    fn fill_layers(&mut self) {
        let count = self.layer_of.iter().max().map_or(0, |last| last + 1);
        self.layers = vec![Vec::new(); count];
        for (cell, &layer) in self.layer_of.iter().enumerate() {
            self.layers[layer].push(cell);
        }
    }

    fn join(&mut self) {
        let pairs = self.chains.iter().flat_map(|chain| chain.windows(2));
        let mut pairs: Vec<(usize, usize)> = pairs.map(|pair| (pair[0], pair[1])).collect();
        // Arrows that share their way here are one line.
        pairs.sort_unstable();
        pairs.dedup();
        self.before = vec![Vec::new(); self.layer_of.len()];
        self.after = vec![Vec::new(); self.layer_of.len()];
        for (first, second) in pairs {
            self.after[first].push(second);
            self.before[second].push(first);
        }
    }
}
