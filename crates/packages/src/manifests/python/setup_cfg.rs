//! Parses `setup.cfg`. It reads only the fields by which setuptools declares a package, and skips
//! the many sections of other tools.

use std::collections::BTreeMap;

use super::PythonDeclaration;
use super::requirement::PythonRequirement;
use crate::manifests::ParsedManifest;
use crate::manifests::line_errors::LineErrors;
use kenning_model::RepoPath;

/// Parses a `setup.cfg`. It declares a package if it has `[metadata]` or `[options]`.
pub fn parse(path: &RepoPath, text: &str) -> ParsedManifest<PythonDeclaration> {
    let mut bad_lines = LineErrors::default();
    let sections = SetupCfgSections::new(text, &mut bad_lines);
    let metadata = |key| sections.text("metadata", key);
    let mut requirements = |key| sections.parse_requirements("options", key, &mut bad_lines);
    let mut declaration = PythonDeclaration {
        is_package: sections.has_section("metadata") || sections.has_section("options"),
        name: metadata("name"),
        version: metadata("version"),
        description: metadata("description").or_else(|| metadata("summary")),
        runtime: requirements("install_requires"),
        dev: requirements("tests_require"),
        build: requirements("setup_requires"),
        ..PythonDeclaration::default()
    };
    for key in sections.keys(EXTRAS) {
        let extra = sections.parse_requirements(EXTRAS, key, &mut bad_lines);
        declaration.optional.extend(extra);
    }
    ParsedManifest::with_problems(declaration, bad_lines.into_problem(path).into_iter().collect())
}

/// The section of optional requirements.
const EXTRAS: &str = "options.extras_require";

/// The wanted sections, in the dialect of Python's `configparser`. A value continues on lines that
/// are indented deeper than its key; comments have lines of their own.
#[derive(Default)]
struct SetupCfgSections {
    /// Section, key, lines of the value.
    sections: BTreeMap<String, BTreeMap<String, NumberedLines>>,
    /// The section that is being read, if it is wanted.
    section: Option<String>,
    /// The key whose value is being read, and how deep it is indented.
    option: Option<(String, usize)>,
}

/// The lines of a value, each with its number. The first is the line of the key, even if it is
/// empty.
type NumberedLines = Vec<(u32, String)>;

impl SetupCfgSections {
    /// Reads all lines and records those that are not understood.
    fn new(text: &str, bad_lines: &mut LineErrors) -> SetupCfgSections {
        let mut sections = SetupCfgSections::default();
        for (index, line) in text.lines().enumerate() {
            let line_number = index as u32 + 1;
            if !sections.read_line(line_number, line) {
                let message = "this is neither a section nor an option".to_string();
                bad_lines.add(line_number, message);
            }
        }
        sections
    }

    /// Reads one line. Returns false if it is not understood. Lines of unwanted sections are always
    /// accepted.
    fn read_line(&mut self, line_number: u32, line: &str) -> bool {
        let indent = line.len() - line.trim_start().len();
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            return true;
        }
        let section = self.section.as_ref();
        let options = section.and_then(|section| self.sections.get_mut(section));
        if let Some((key, depth)) = &self.option
            && indent > *depth
        {
            if let Some(value) = options.and_then(|options| options.get_mut(key)) {
                value.push((line_number, line.to_string()));
            }
        } else if let Some(header) = line.strip_prefix('[').and_then(|line| line.split_once(']')) {
            self.option = None;
            self.section = Some(header.0.to_string()).filter(|name| is_wanted(name));
            if let Some(section) = &self.section {
                self.sections.entry(section.clone()).or_default();
            }
        } else if let Some((key, value)) = line.split_once(['=', ':']) {
            // Dashes are an older spelling.
            let key = key.trim().to_ascii_lowercase().replace('-', "_");
            if let Some(options) = options {
                let value = vec![(line_number, value.trim().to_string())];
                options.insert(key.clone(), value);
            }
            self.option = Some((key, indent));
        } else {
            return options.is_none();
        }
        true
    }

    /// True if the file has the section.
    fn has_section(&self, section: &str) -> bool {
        self.sections.contains_key(section)
    }

    /// The keys of a section.
    fn keys(&self, section: &str) -> impl Iterator<Item = &str> {
        let options = self.sections.get(section).into_iter();
        options.flat_map(|options| options.keys().map(String::as_str))
    }

    /// The lines of a value. None if setuptools computes it with `attr:` or `file:`, because
    /// nothing is declared then.
    fn value_lines(&self, section: &str, key: &str) -> &[(u32, String)] {
        let options = self.sections.get(section);
        let value =
            options.and_then(|options| options.get(key)).map(Vec::as_slice).unwrap_or_default();
        let first = value.iter().find(|(_, line)| !line.is_empty());
        match first {
            Some((_, line)) if line.starts_with("attr:") || line.starts_with("file:") => &[],
            _ => value,
        }
    }

    /// A value as one line of text.
    fn text(&self, section: &str, key: &str) -> Option<String> {
        let lines: Vec<&str> =
            self.value_lines(section, key).iter().map(|(_, line)| line.as_str()).collect();
        Some(lines.join(" ").trim().to_string()).filter(|text| !text.is_empty())
    }

    /// Parses requirements: one on each line below the key, or several on its own line, separated
    /// by semicolons.
    fn parse_requirements(
        &self,
        section: &str,
        key: &str,
        bad_lines: &mut LineErrors,
    ) -> Vec<PythonRequirement> {
        let value = self.value_lines(section, key);
        let separator = if value.len() == 1 { ';' } else { '\n' };
        let mut requirements = Vec::new();
        for (line_number, line) in value {
            let texts = line.split(separator).map(str::trim);
            for text in texts.filter(|text| !text.is_empty()) {
                match PythonRequirement::parse_named(text) {
                    Some(requirement) => requirements.push(requirement),
                    None => bad_lines.add(*line_number, format!("`{text}` is not a requirement")),
                }
            }
        }
        requirements
    }
}

/// True for the sections that declare a package.
fn is_wanted(section: &str) -> bool {
    ["metadata", "options", EXTRAS].contains(&section)
}
