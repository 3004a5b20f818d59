//! The risk that a dependent breaks when a definition changes. A heuristic for ordering, not a
//! probability: only the order has a meaning.

use crate::graph::WalkStep;
use kenning_model::{Confidence, Visibility};

/// Returns a risk from 0 to 1 and its reasons in words.
///
/// It is the product of nearness (1 / hop), confidence, and reach. Reach grows with the number of
/// dependents (at most to 0.75), another package (0.15) and public visibility (0.1).
pub fn assess_risk(step: &WalkStep, is_elsewhere: bool, dependents: usize) -> (f64, String) {
    let mut why = vec![match step.hop {
        0 => "implements it".to_string(),
        1 => "direct".to_string(),
        hop => format!("{hop} levels away"),
    }];
    // Hop 0 is an implementation of the changed type, which is as near as a direct user.
    let nearness = 1.0 / step.hop.max(1) as f64;
    let sureness = match step.confidence {
        Confidence::Exact | Confidence::High => 1.0,
        Confidence::Medium => 0.75,
        Confidence::Low => 0.3,
    };
    if step.confidence < Confidence::High {
        why.push(format!("{} confidence", step.confidence.as_str()));
    }
    // The first dependents matter most: one adds 0.125, and the sum approaches 0.25.
    let mut reach = 0.5 + 0.25 * (1.0 - 1.0 / (1.0 + dependents as f64));
    if dependents > 0 {
        why.push(format!("{dependents} depend on it"));
    }
    if is_elsewhere {
        reach += 0.15;
        why.push("another package".to_string());
    }
    let definition = step.node.definition();
    if definition.is_some_and(|one| one.symbol.visibility == Visibility::Public) {
        reach += 0.1;
        why.push("public".to_string());
    }
    let risk: f64 = nearness * sureness * reach;
    ((risk * 100.0).round() / 100.0, why.join(", "))
}
