//! The search paths of skills, in order: folders that the user named, the project's, the user's,
//! and those of enabled plugins.
//!
//! It lists folders and reads plugin lists. It does not read skills; `scan` does. A folder that
//! does not exist is fine, unless the user named it.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use crate::config::{Config, Origin};
use kenning_knowledge::docs::{
    InstalledPlugin, parse_catalog_skills, parse_enabled_plugins, parse_installed_plugins,
    parse_manifest_skills, parse_marketplace_locations,
};
use kenning_model::{SkillProblem, SkillTier};
use kenning_source::WatchTarget;
use kenning_source::skills::{RootKind, plugin_folder, read_optional, real_path, split_by_root};

/// A folder to search.
///
/// The order of search paths is the order of precedence: the first skill of a name wins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillSearchPath {
    pub root: PathBuf,
    pub tier: SkillTier,
    pub kind: RootKind,
    /// The plugin that the skills belong to, if any.
    pub plugin: Option<String>,
}

impl SkillSearchPath {
    /// Returns the folder that links below this path may not leave: the root, for skills of the
    /// repository.
    pub fn boundary<'c>(&self, config: &'c Config) -> Option<&'c Path> {
        let is_trusted = matches!(config.origin("skills.directories"), Origin::TrustedFile(_));
        let is_repositorys = match self.tier {
            SkillTier::Project => true,
            // The user approved a folder of the repository, not the later targets of links in it.
            SkillTier::Named => is_trusted && self.root.starts_with(config.root()),
            _ => false,
        };
        is_repositorys.then(|| config.root())
    }

    /// Returns the name under which a skill of this path is listed and loaded.
    pub fn full_name(&self, name: &str) -> String {
        match &self.plugin {
            Some(plugin) if !name.contains(':') => format!("{plugin}:{name}"),
            _ => name.to_string(),
        }
    }
}

/// The result of one look at settings and plugin lists.
#[derive(Debug, Default)]
pub struct SkillSearchPaths {
    pub paths: Vec<SkillSearchPath>,
    pub problems: Vec<SkillProblem>,
    /// The files that determine the search paths. They must be watched.
    pub targets: Vec<WatchTarget>,
}

/// The skill folders below a project and below a home.
const FOLDERS: [&str; 4] = [".claude/skills", ".agents/skills", ".agent/skills", "skills"];

/// The largest list of plugins that is read.
const MAX_LIST: u64 = 16 << 20;

/// Returns every search path, in order of precedence.
///
/// Folders named by the user come first, then the project's, the user's, and plugins.
pub fn find_search_paths(config: &Config) -> SkillSearchPaths {
    let mut found = SkillSearchPaths::default();
    for root in config.paths("skills.directories") {
        if real_path(&root).is_dir() {
            found.add(root, SkillTier::Named);
        } else {
            let message = "there is no such folder of skills (skills.directories, --skill-dir)";
            found.targets.push(WatchTarget::tree(real_path(&root)));
            found.problems.push(SkillProblem::new(root, message));
        }
    }
    for folder in FOLDERS {
        found.add(config.root().join(folder), SkillTier::Project);
    }
    let claude = config.path("skills.claude_config");
    if let Some(claude) = &claude {
        found.add(claude.join("skills"), SkillTier::User);
    }
    if let Some(home) = config.path("skills.home") {
        for folder in &FOLDERS[1..] {
            found.add(home.join(folder), SkillTier::User);
        }
    }
    if let Some(claude) = &claude {
        add_plugins(&mut found, config.root(), claude);
    }
    // If the home is also the project, its folders count as the project's.
    let mut seen = HashSet::new();
    found.paths.retain(|place| place.plugin.is_some() || seen.insert(real_path(&place.root)));
    found
}

impl SkillSearchPaths {
    /// Adds a folder whose tree may hold any number of skills.
    fn add(&mut self, root: PathBuf, tier: SkillTier) {
        self.paths.push(SkillSearchPath { root, tier, kind: RootKind::Tree, plugin: None });
    }

    /// Returns the folders that a plugin's list names. One outside of the plugin is a problem.
    ///
    /// A plugin is third-party code, so its list may not point at the user's files.
    fn folders_inside(&mut self, folder: &Path, listed: &[String]) -> Vec<PathBuf> {
        let (inside, outside) = split_by_root(folder, listed);
        for outside in outside {
            let message = format!("{outside:?} is named as skills of it, but lies outside");
            self.problems.push(SkillProblem::new(folder, message));
        }
        inside
    }

    /// Watches the folder, not the file: an editor replaces a file, and the file may not exist yet.
    fn watch_folder_of(&mut self, file: &Path) {
        let folder = file.parent().map(real_path);
        self.targets.extend(folder.map(WatchTarget::folder));
    }

    /// Reads and parses an optional file. A file that cannot be read or parsed is a problem.
    fn read_list<T>(&mut self, path: &Path, parse: fn(&str) -> Result<T, String>) -> Option<T> {
        let read = read_optional(path, MAX_LIST).and_then(|text| {
            let parsed = text.map(|text| parse(&text)).transpose();
            parsed.map_err(|message| SkillProblem::new(path, message))
        });
        read.unwrap_or_else(|problem| {
            self.problems.push(problem);
            None
        })
    }
}

/// Adds the skills of every plugin that is installed, enabled, and meant for this root.
fn add_plugins(found: &mut SkillSearchPaths, root: &Path, claude: &Path) {
    let plugins = claude.join("plugins");
    for folder in [claude, &plugins, &root.join(".claude")] {
        found.targets.push(WatchTarget::folder(real_path(folder)));
    }
    let installed = found
        .read_list(&plugins.join("installed_plugins.json"), parse_installed_plugins)
        .unwrap_or_default();
    if installed.is_empty() {
        return;
    }
    let enabled = merge_enabled_plugins(found, root, claude);
    let markets = found
        .read_list(&plugins.join("known_marketplaces.json"), parse_marketplace_locations)
        .unwrap_or_default();
    for plugin in installed {
        let is_on = enabled.as_ref().is_none_or(|on| on.get(&plugin.key) == Some(&true));
        if is_on && is_for_root(&plugin, root) {
            add_plugin(found, &plugins, &markets, &plugin);
        }
    }
}

/// Returns the enabled plugins; a later file wins. If no file has the setting, all plugins are
/// enabled.
///
/// Files of the project come last and override the user's, as in Claude Code.
fn merge_enabled_plugins(
    found: &mut SkillSearchPaths,
    root: &Path,
    claude: &Path,
) -> Option<BTreeMap<String, bool>> {
    let files = [
        claude.join("settings.json"),
        claude.join("settings.local.json"),
        root.join(".claude/settings.json"),
        root.join(".claude/settings.local.json"),
    ];
    let mut merged: Option<BTreeMap<String, bool>> = None;
    for file in files {
        if let Some(Some(said)) = found.read_list(&file, parse_enabled_plugins) {
            merged.get_or_insert_default().extend(said);
        }
    }
    merged
}

/// True if a plugin is installed for every project, or for one that contains the root.
fn is_for_root(plugin: &InstalledPlugin, root: &Path) -> bool {
    let project = plugin.project.as_ref();
    project.is_none_or(|project| root.starts_with(real_path(Path::new(project))))
}

/// A catalog's list takes precedence over the plugin's own folders. Without either, the plugin is
/// one skill.
fn add_plugin(
    found: &mut SkillSearchPaths,
    plugins: &Path,
    markets: &BTreeMap<String, String>,
    plugin: &InstalledPlugin,
) {
    let named = plugins.join(&plugin.install_path);
    let Some(folder) = plugin_folder(&named) else {
        let message = format!("the plugin {} is not where it was installed", plugin.key);
        found.problems.push(SkillProblem::new(named, message));
        return;
    };
    let listed = catalog_skill_folders(found, plugins, markets, plugin, &folder)
        .or_else(|| unlisted_skill_folders(found, &folder));
    let (roots, kind) = match listed {
        Some(listed) => (found.folders_inside(&folder, &listed), RootKind::SkillOrTree),
        None => (vec![folder], RootKind::Skill),
    };
    found.paths.extend(roots.into_iter().map(|root| SkillSearchPath {
        root,
        tier: SkillTier::Plugin,
        kind,
        plugin: Some(plugin.name().to_string()),
    }));
}

/// Returns a plugin's skill folders if no catalog lists them: `skills`, and those in its manifest.
/// A plugin without either may be a single skill. Other contents (tests, templates, hidden folders)
/// are not offered, as in Claude Code.
fn unlisted_skill_folders(found: &mut SkillSearchPaths, folder: &Path) -> Option<Vec<String>> {
    let manifest = folder.join(".claude-plugin/plugin.json");
    found.watch_folder_of(&manifest);
    let named = found.read_list(&manifest, parse_manifest_skills);
    let mut listed = named.flatten().unwrap_or_default();
    if folder.join("skills").is_dir() {
        listed.push("skills".to_string());
    }
    (!listed.is_empty()).then_some(listed)
}

/// Returns the skills that the plugin's marketplace catalog lists.
///
/// The catalog may be where the marketplace is registered, at its usual place, or in the plugin
/// itself.
fn catalog_skill_folders(
    found: &mut SkillSearchPaths,
    plugins: &Path,
    markets: &BTreeMap<String, String>,
    plugin: &InstalledPlugin,
    folder: &Path,
) -> Option<Vec<String>> {
    let market = plugin.marketplace();
    let known = market.and_then(|market| markets.get(market)).map(PathBuf::from);
    let usual = market.map(|market| plugins.join("marketplaces").join(market));
    let homes = known.into_iter().chain(usual).chain([folder.to_path_buf()]);
    for home in homes {
        let catalog = home.join(".claude-plugin/marketplace.json");
        found.watch_folder_of(&catalog);
        let text = found.read_list(&catalog, |text| Ok(text.to_string()));
        match text.map(|text| parse_catalog_skills(&text, plugin.name())) {
            Some(Ok(Some(listed))) => return Some(listed),
            Some(Err(message)) => found.problems.push(SkillProblem::new(catalog, message)),
            _ => {}
        }
    }
    None
}
