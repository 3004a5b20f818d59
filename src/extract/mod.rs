//! Bytes to facts. Pure and total: nothing here touches the disk, the network or the clock, and a
//! broken file yields the facts so far plus [`Problem`](crate::model::Problem)s.

mod chunk;
pub mod code;
pub mod custom_packages;
pub mod docs;
pub mod langs;
pub mod manifests;
pub mod scip;
pub mod secrets;
pub mod skip;
