//! The courier service: routes, carriers and the life of a parcel.

pub mod client;
pub mod config;
pub mod geo;
pub mod parcel;
pub mod pool;
pub mod retry;
pub mod route;
