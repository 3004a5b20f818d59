//! Plans the order in which a courier visits addresses.

use crate::geo::{Point, distance_km};

/// A place to visit, with the minutes of the day in which somebody is there.
#[derive(Clone, Debug)]
pub struct Stop {
    pub address: String,
    pub at: Point,
    pub opens: u32,
    pub closes: u32,
}

/// The stops in the order of the visits.
#[derive(Debug)]
pub struct Route {
    pub stops: Vec<Stop>,
    pub length_km: f64,
}

/// Builds a route from the nearest neighbour of each stop, then removes crossings.
pub fn plan_route(depot: Point, stops: &[Stop]) -> Route {
    let mut open: Vec<Stop> = stops.to_vec();
    let mut ordered = Vec::new();
    let mut here = depot;
    while let Some(next) = nearest(here, &open) {
        let stop = open.swap_remove(next);
        here = stop.at;
        ordered.push(stop);
    }
    two_opt(depot, &mut ordered);
    let length_km = length(depot, &ordered);
    Route { stops: ordered, length_km }
}

fn nearest(here: Point, open: &[Stop]) -> Option<usize> {
    (0..open.len()).min_by(|&a, &b| {
        distance_km(here, open[a].at).total_cmp(&distance_km(here, open[b].at))
    })
}

/// Reverses stretches of the route as long as that makes it shorter.
fn two_opt(depot: Point, stops: &mut [Stop]) {
    let mut improved = true;
    while improved {
        improved = false;
        for start in 0..stops.len() {
            for end in start + 1..stops.len() {
                let before = length(depot, stops);
                stops[start..=end].reverse();
                if length(depot, stops) + 1e-9 < before {
                    improved = true;
                } else {
                    stops[start..=end].reverse();
                }
            }
        }
    }
}

fn length(depot: Point, stops: &[Stop]) -> f64 {
    let mut here = depot;
    stops.iter().map(|stop| distance_km(std::mem::replace(&mut here, stop.at), stop.at)).sum()
}
