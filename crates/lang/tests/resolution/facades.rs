//! Names that reach their definitions through other crates, other names, or twins.

use super::*;

#[test]
fn a_crate_may_export_another_under_a_new_name() {
    let package = |name: &str, uses: &[&str]| package("cargo", &format!("{name}/Cargo.toml"), uses);
    check_in(
        "=== core_search/src/lib.rs
pub struct Searcher;
impl Searcher { pub fn search(&mut self) {} }
pub use inner::deep as renamed;
mod inner { pub fn deep() {} }
=== facade/src/lib.rs
pub extern crate core_search as searcher;
=== app/src/main.rs
struct Worker { searcher: facade::searcher::Searcher }
impl Worker { fn go(&mut self) { self.searcher.search(); } }
fn go(s: &mut facade::searcher::Searcher) {
    s.search();
    facade::searcher::renamed();
}
",
        &[
            package("core_search", &[]),
            package("facade", &["core_search"]),
            package("app", &["facade"]),
        ],
        &[
            "app/src/main.rs:2 search → core_search/src/lib.rs:2 Searcher.search (high, type of the receiver)",
            "app/src/main.rs:4 search → core_search/src/lib.rs:2 Searcher.search (high, type of the receiver)",
            "app/src/main.rs:5 renamed → core_search/src/lib.rs:4 inner.deep (high, import)",
        ],
    );
}

#[test]
fn shipped_code_imports_the_twin_that_is_no_test() {
    check(
        "=== src/lib.rs
mod fs;
mod pool;
=== src/pool.rs
pub fn spawn() {}
=== src/fs/mod.rs
#[cfg(test)]
mod mocks;
#[cfg(test)]
use mocks::spawn;
#[cfg(not(test))]
use crate::pool::spawn;
#[cfg(test)]
use mocks::only;
fn go() { spawn(); only(); }
=== src/fs/mocks.rs
pub fn spawn() {}
pub fn only() { spawn(); }
",
        &[
            "src/fs/mod.rs:9 spawn → src/pool.rs:1 spawn (high, import)",
            "src/fs/mod.rs:9 only → src/fs/mocks.rs:2 only (medium, import)",
            "src/fs/mocks.rs:2 spawn → src/fs/mocks.rs:1 spawn (high, same file)",
        ],
    );
}

#[test]
fn paths_lead_through_items_in_macros() {
    check(
        "=== src/lib.rs
cfg_rt! {
    pub mod task;
    pub use task::spawn;
}
fn go() { crate::spawn(); crate::task::spawn().abort(); }
=== src/task.rs
cfg_rt! {
    pub struct Handle;
    pub fn spawn() -> Handle { Handle }
    impl Handle { pub fn abort(&self) {} }
}
",
        &[
            "src/lib.rs:5 spawn → src/task.rs:3 spawn (high, import)",
            "src/lib.rs:5 spawn → src/task.rs:3 spawn (high, import)",
            "src/lib.rs:5 abort → src/task.rs:4 Handle.abort (high, type of the receiver)",
        ],
    );
}

#[test]
fn an_import_beside_a_definition_leads_to_the_thing_itself() {
    check(
        "=== src/lib.rs
mod blocking;
mod pool;
fn go() { crate::blocking::spawn(); crate::blocking::only(); }
=== src/pool.rs
pub fn spawn() {}
=== src/blocking.rs
cfg_rt! { pub use crate::pool::spawn; }
cfg_not_rt! { pub fn spawn() { panic!() } }
pub fn only() {}
",
        &[
            "src/lib.rs:3 spawn → src/pool.rs:1 spawn (high, import)",
            "src/lib.rs:3 only → src/blocking.rs:3 only (high, import)",
        ],
    );
}
