//! Reads the settings of the courier service from a file and from the environment.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

/// The settings of the courier service.
#[derive(Clone, Debug)]
pub struct Config {
    pub carrier_url: String,
    pub max_idle: Duration,
}

impl Config {
    /// Reads `key = value` lines; variables that begin with `COURIER_` win.
    pub fn load(path: &Path, environment: &HashMap<String, String>) -> std::io::Result<Config> {
        let text = std::fs::read_to_string(path)?;
        let mut values: HashMap<String, String> = HashMap::new();
        for line in text.lines() {
            if let Some((key, value)) = line.split_once('=') {
                values.insert(key.trim().to_string(), value.trim().to_string());
            }
        }
        for (name, value) in environment {
            if let Some(key) = name.strip_prefix("COURIER_") {
                values.insert(key.to_lowercase(), value.clone());
            }
        }
        let seconds = values.get("max_idle").and_then(|text| text.parse().ok()).unwrap_or(30);
        Ok(Config {
            carrier_url: values.remove("carrier_url").unwrap_or_default(),
            max_idle: Duration::from_secs(seconds),
        })
    }
}
