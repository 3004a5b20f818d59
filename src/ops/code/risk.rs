//! How risky it is that something depends on what changes, and why.

use crate::graph::WalkStep;
use kenning_model::{Confidence, Visibility};

/// The nearer, the surer, the more depends on it and the farther its users, the riskier.
pub fn assess_risk(step: &WalkStep, is_elsewhere: bool, dependents: usize) -> (f64, String) {
    let mut why = vec![match step.hop {
        0 => "implements it".to_string(),
        1 => "direct".to_string(),
        hop => format!("{hop} levels away"),
    }];
    let nearness = 1.0 / step.hop.max(1) as f64;
    let sureness = match step.sureness {
        Confidence::Exact | Confidence::High => 1.0,
        Confidence::Medium => 0.75,
        Confidence::Low => 0.3,
    };
    if step.sureness < Confidence::High {
        why.push(format!("{} confidence", step.sureness.as_str()));
    }
    let mut reach = 0.5 + 0.25 * (1.0 - 1.0 / (1.0 + dependents as f64));
    if dependents > 0 {
        why.push(format!("{dependents} depend on it"));
    }
    if is_elsewhere {
        reach += 0.15;
        why.push("another package".to_string());
    }
    let definition = step.place.definition();
    if definition.is_some_and(|one| one.symbol.visibility == Visibility::Public) {
        reach += 0.1;
        why.push("public".to_string());
    }
    let risk: f64 = nearness * sureness * reach;
    ((risk * 100.0).round() / 100.0, why.join(", "))
}
