//! Bytes to facts. Pure and total: nothing here touches the disk, the network or the clock, and a
//! broken file yields the facts so far plus [`Problem`](kenning_model::Problem)s.

pub mod custom_packages;
pub mod docs;
pub mod manifests;
