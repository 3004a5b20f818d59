//! The grid for ordering and placing: every layer is a list of cells, and lines join only
//! neighbouring layers. A long arrow has a dummy node, called a lane, in each layer that it
//! crosses.

use std::collections::HashMap;

use super::layering::Layers;
use super::{Arrow, Bundle};

/// The cells of all layers: boxes, and lanes (dummy nodes), by which an arrow passes a layer. The
/// boxes come first, each with its own index.
pub struct Grid {
    boxes: usize,
    pub layer_of: Vec<usize>,
    /// The cells of each layer. Their membership is fixed here, their order is not.
    pub layers: Vec<Vec<usize>>,
    /// The neighbours of each cell in the layer before and after.
    pub before: Vec<Vec<usize>>,
    pub after: Vec<Vec<usize>>,
    /// The cells of each arrow along the flow.
    pub chains: Vec<Vec<usize>>,
}

/// Chooses for each arrow whether it shares lanes with the arrows from its source or those to its
/// target. The larger group wins. Either way a line is easy to follow: it has one beginning, or one
/// end.
pub fn choose_bundles(layers: &Layers, arrows: &[Arrow]) -> Vec<Bundle> {
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
    /// Returns the key that the arrows of one bundle share.
    fn key(self, arrow: &Arrow) -> (Bundle, usize, usize) {
        let end = match self {
            Bundle::Source => arrow.from,
            Bundle::Target => arrow.to,
        };
        (self, end, arrow.strand)
    }
}

impl Grid {
    /// Places the boxes and adds the lanes. Arrows of one bundle share lanes.
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
                // Backward arrows share no lane with forward ones.
                let trunk = (bundle.key(arrow), backward, layer);
                chain.push(*lanes.entry(trunk).or_insert_with(|| grid.add_lane(layer)));
            }
            chain.push(last);
            grid.chains.push(chain);
        }
        grid.fill_layers();
        grid.connect_neighbours();
        grid
    }

    /// True if a cell is a lane.
    pub fn is_lane(&self, cell: usize) -> bool {
        cell >= self.boxes
    }

    /// Returns the index of each cell in its layer.
    pub fn positions(&self) -> Vec<usize> {
        let mut positions = vec![0; self.layer_of.len()];
        for layer in &self.layers {
            for (place, &cell) in layer.iter().enumerate() {
                positions[cell] = place;
            }
        }
        positions
    }

    /// Adds a lane to a layer.
    fn add_lane(&mut self, layer: usize) -> usize {
        self.layer_of.push(layer);
        self.layer_of.len() - 1
    }

    /// Fills the list of cells of each layer.
    fn fill_layers(&mut self) {
        let count = self.layer_of.iter().max().map_or(0, |last| last + 1);
        self.layers = vec![Vec::new(); count];
        for (cell, &layer) in self.layer_of.iter().enumerate() {
            self.layers[layer].push(cell);
        }
    }

    /// Fills the lists of neighbours in the layers before and after.
    fn connect_neighbours(&mut self) {
        let mut pairs: Vec<(usize, usize)> = self
            .chains
            .iter()
            .flat_map(|chain| chain.windows(2))
            .map(|pair| (pair[0], pair[1]))
            .collect();
        // Arrows that share this segment count as one line.
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
