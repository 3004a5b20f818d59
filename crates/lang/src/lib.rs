//! Programming languages: bytes to facts. Pure and total: nothing here touches the disk, the network
//! or the clock, and a broken file yields the facts so far plus
//! [`Problem`](kenning_model::Problem)s.

mod chunk;
pub mod code;
pub mod languages;
pub mod skip;
