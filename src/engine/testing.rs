//! An engine over a small repository, indexed as `shop`, for the tests of those who ask it.

use std::path::Path;

use super::{Engine, IndexRequest, Target};
use crate::config::{Config, ProcessEnv};
use kenning_model::Silent;

/// It goes when this does.
pub struct Shop {
    pub engine: Engine,
    _directory: tempfile::TempDir,
}

pub fn shop(files: &[(&str, &str)]) -> Shop {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().canonicalize().unwrap();
    let root = place.join("repository");
    for (path, text) in files {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let engine = engine(&root, &place.join("home"));
    let request = IndexRequest { name: Some("shop"), ..IndexRequest::update(&root) };
    engine.index(&request, &Silent).unwrap();
    Shop { engine, _directory: directory }
}

fn engine(root: &Path, home: &Path) -> Engine {
    let settings = [("home".to_string(), home.display().to_string())];
    let config = Config::load(root, &settings, &ProcessEnv::default()).unwrap();
    Engine::new(config, Target::Root(root.to_path_buf()))
}
