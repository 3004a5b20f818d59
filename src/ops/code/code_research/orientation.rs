//! Answers to the first questions about a repository: how it starts or how it is called, how it is
//! tested, what can be configured. They come from entry points, manifests, guides, test folders,
//! types with settings and reads of the environment.
//!
//! Manifests are read line by line: a line that contains a marker of its kind of file is shown. No
//! format is parsed, so that a broken file still answers.

mod library_use;
mod markers;
mod settings;

use super::findings::{FileExcerpt, Findings};
use super::outline::OutlineLine;
use crate::graph::{Graph, SymbolHit, qualified_name};
use crate::ops::OpError;
use crate::ops::number_format::count_noun;
use crate::search::orientation::Topic;
use kenning_lang::languages::{self, LanguageRole};
use kenning_model::RepoPath;
use library_use::{central_types, first_example, library_files};
use markers::{
    DEVELOPER_FOLDERS, ENVIRONMENT_READS, EXAMPLE_FOLDERS, LIBRARY_MARKERS, MarkerTable,
    OPTION_DECLARATIONS, SETTING_FILES, START_FILES, START_MARKERS, TEST_COMMAND_LINES,
    TEST_COMMANDS, TEST_MARKERS,
};
use settings::{default_settings, setting_types};

/// The most lines of each heading.
const MOST: usize = 12;

/// The functions that are named behind one that calls them first.
const STARTED: usize = 5;

/// The types with settings whose source is shown, and its lines.
const SHOWN_TYPES: usize = 3;
const TYPE_LINES: u32 = 45;

/// Collects the answer. `None` if the repository has none, so that a search can try.
pub fn research_topic(graph: &Graph, topic: Topic) -> Result<Option<Findings>, OpError> {
    let mut findings = Findings { walk: "orientation", ..Findings::default() };
    match topic {
        Topic::Start => findings.add_starts(graph)?,
        Topic::Tests => {
            findings.took = "test commands, frameworks in manifests, and test folders".into();
            findings.add_texts("commands", test_commands(graph)?);
            findings.add_lines("lines of manifests", test_lines(graph)?);
            findings.add_texts("test folders", test_folders(graph)?);
        }
        Topic::Configuration => findings.add_settings(graph)?,
    }
    Ok((!findings.lines.is_empty()).then_some(findings))
}

/// True if a question has an answer here. It reads no file, so it is cheap.
pub fn has_answer(graph: &Graph, topic: Topic) -> Result<bool, OpError> {
    let paths = graph.all_paths()?;
    Ok(match topic {
        Topic::Start => paths.iter().any(is_start_file) || !graph.program_starts()?.is_empty(),
        Topic::Tests => paths.iter().any(languages::is_test_path),
        Topic::Configuration => paths.iter().any(is_setting_file),
    })
}

impl Findings {
    /// Adds the entry points of a program, and the use of a library. A repository can be both.
    fn add_starts(&mut self, graph: &Graph) -> Result<(), OpError> {
        let (side, product): (Vec<SymbolHit>, Vec<SymbolHit>) =
            graph.program_starts()?.into_iter().partition(|hit| is_side_path(&hit.path));
        let files: Vec<RepoPath> = graph.all_paths()?.into_iter().filter(is_start_file).collect();
        let is_program = !product.is_empty() || !files.is_empty();
        self.took = if is_program {
            "entry points, lines of manifests that start a program, and the guide's first example, \
             if it uses definitions of this repository"
        } else {
            "no function starts a program here; as a library it is used like this: the guide's \
             first example, what it names, and what manifests export"
        }
        .into();
        self.add_program_starts(graph, product)?;
        self.add_lines("commands and targets", marked_lines(graph, START_MARKERS)?);
        self.add_files("files that start a program", files);
        if let Some(example) = first_example(graph)? {
            let (path, start, end) = (example.path.clone(), example.first, example.last);
            // The example says more than the head of a manifest.
            self.places.insert(0, FileExcerpt { path, start, end });
            let heading = format!("definitions that {}:{start} uses", example.path);
            self.add_symbols(&heading, example.used);
        }
        if !is_program {
            self.add_symbols("types, the most used first", central_types(graph)?);
            let exports = marked_lines(graph, LIBRARY_MARKERS)?;
            self.add_lines("lines of manifests about the library", exports);
            self.add_files("files that begin the library", library_files(&graph.all_paths()?));
        }
        let lines = side.iter().map(|hit| symbol_line(hit, ""));
        self.add_group("programs in examples, tools and benchmarks", lines.collect());
        Ok(())
    }

    /// Adds setting files, types with settings, and options of the command line and environment.
    fn add_settings(&mut self, graph: &Graph) -> Result<(), OpError> {
        self.took = "setting files, types with settings, defaults, options of the command line, \
                     reads of the environment"
            .into();
        let files = graph.all_paths()?.into_iter().filter(is_setting_file);
        let types = setting_types(graph)?;
        for hit in types.iter().take(SHOWN_TYPES) {
            let span = &hit.symbol.span;
            let end = span.end_line.min(hit.symbol.line + TYPE_LINES);
            self.places.push(FileExcerpt { path: hit.path.clone(), start: hit.symbol.line, end });
        }
        self.add_symbols("types with settings, the most used first", types);
        self.add_symbols("default settings", default_settings(graph)?);
        let options = product_lines(graph, OPTION_DECLARATIONS)?;
        self.add_lines("options of the command line", options);
        let environment = product_lines(graph, ENVIRONMENT_READS)?;
        self.add_lines("reads of the environment", environment);
        self.add_files("setting files", files.collect());
        Ok(())
    }

    /// Adds a heading with the lines below it, if there are any.
    fn add_group(&mut self, heading: &str, mut lines: Vec<OutlineLine>) {
        if lines.is_empty() {
            return;
        }
        let more = lines.len().saturating_sub(MOST);
        lines.truncate(MOST);
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        let text = format!("{heading}{more}");
        self.lines.push(OutlineLine { indent: 0, text, hop: 0, path: None });
        self.lines.extend(lines);
    }

    fn add_symbols(&mut self, heading: &str, hits: Vec<SymbolHit>) {
        for hit in hits.iter().take(2) {
            let span = &hit.symbol.span;
            let end = span.end_line.min(span.start_line + 20);
            self.places.push(FileExcerpt { path: hit.path.clone(), start: span.start_line, end });
        }
        let lines = hits.iter().map(|hit| symbol_line(hit, ""));
        self.add_group(heading, lines.collect());
    }

    /// Adds functions that start a program, each with the first functions that it calls.
    fn add_program_starts(&mut self, graph: &Graph, hits: Vec<SymbolHit>) -> Result<(), OpError> {
        let mut lines = Vec::new();
        for hit in hits.iter().take(MOST) {
            let found = graph.definitions_in_file(&hit.path)?;
            let definition = found.iter().find(|one| one.symbol.line == hit.symbol.line);
            let callees = definition.map_or(Ok(Vec::new()), |one| graph.callees(one))?;
            let mut names: Vec<String> = callees
                .into_iter()
                .filter_map(|link| link.other)
                .map(|other| qualified_name(&other.symbol))
                .collect();
            names.dedup();
            names.truncate(STARTED);
            let calls =
                if names.is_empty() { String::new() } else { format!(" → {}", names.join(", ")) };
            lines.push(symbol_line(hit, &calls));
        }
        for hit in hits.iter().take(2) {
            let span = &hit.symbol.span;
            let end = span.end_line.min(span.start_line + 20);
            self.places.push(FileExcerpt { path: hit.path.clone(), start: span.start_line, end });
        }
        lines.extend(hits.iter().skip(MOST).map(|hit| symbol_line(hit, "")));
        self.add_group("functions that start a program", lines);
        Ok(())
    }

    fn add_lines(&mut self, heading: &str, found: Vec<(RepoPath, u32, String)>) {
        for (path, line, _) in found.iter().take(3) {
            self.places.push(FileExcerpt { path: path.clone(), start: *line, end: line + 4 });
        }
        let lines = found.into_iter().map(|(path, line, text)| {
            let text = format!("{path}:{line}  {text}");
            OutlineLine { indent: 1, text, hop: 1, path: Some(path) }
        });
        self.add_group(heading, lines.collect());
    }

    fn add_files(&mut self, heading: &str, files: Vec<RepoPath>) {
        let lines = files.into_iter().map(|path| OutlineLine {
            indent: 1,
            text: path.to_string(),
            hop: 1,
            path: Some(path),
        });
        self.add_group(heading, lines.collect());
    }

    fn add_texts(&mut self, heading: &str, texts: Vec<String>) {
        let line = |text| OutlineLine { indent: 1, text, hop: 1, path: None };
        self.add_group(heading, texts.into_iter().map(line).collect());
    }
}

/// Formats a definition with its place.
fn symbol_line(hit: &SymbolHit, more: &str) -> OutlineLine {
    let (name, kind) = (hit.qualified_name(), hit.symbol.kind.as_str());
    let text = format!("{name}  {kind}  {}:{}{more}", hit.path, hit.symbol.line);
    OutlineLine { indent: 1, text, hop: 1, path: Some(hit.path.clone()) }
}

/// The folders of a path, for the order: what is near the root is the product's own.
fn depth(path: &RepoPath) -> usize {
    path.as_str().matches('/').count()
}

/// True for a file in a folder with one of these names.
fn is_below(path: &RepoPath, names: &[&str]) -> bool {
    let folders = path.as_str().rsplit_once('/').map_or("", |(folders, _)| folders);
    folders.split('/').any(|folder| names.contains(&folder.to_lowercase().as_str()))
}

/// True for an example or a document.
pub fn is_example_path(path: &RepoPath) -> bool {
    is_below(path, EXAMPLE_FOLDERS)
}

/// True for a file beside the product: examples, benchmarks, and tools for its developers.
fn is_side_path(path: &RepoPath) -> bool {
    is_example_path(path) || is_below(path, DEVELOPER_FOLDERS)
}

fn is_start_file(path: &RepoPath) -> bool {
    let is_script = path.as_str().starts_with("bin/") || path.as_str().starts_with("exe/");
    let is_known = START_FILES.contains(&path.file_name()) && depth(path) < 3;
    (is_script || is_known) && !languages::is_test_path(path) && !languages::is_prose(path)
}

fn is_setting_file(path: &RepoPath) -> bool {
    let name = path.file_name().to_lowercase();
    let is_named = SETTING_FILES.iter().any(|known| name.starts_with(known));
    // A test and a text for people may have such a name, too.
    let is_prose = languages::by_path(path).is_some_and(|one| one.role == LanguageRole::Prose);
    is_named && !is_prose && !languages::is_test_path(path)
}

fn fits(name: &str, patterns: &[&str]) -> bool {
    patterns.iter().any(|pattern| match pattern.strip_prefix('*') {
        Some(ending) => name.ends_with(ending),
        None => name == *pattern,
    })
}

/// Returns the lines with a marker, those near the root first.
fn marked_lines(
    graph: &Graph,
    markers: MarkerTable,
) -> Result<Vec<(RepoPath, u32, String)>, OpError> {
    /// The most lines of one file.
    const PER_FILE: usize = 6;
    let mut paths = graph.all_paths()?;
    paths.retain(|path| !languages::is_test_path(path));
    paths.sort_by_key(|path| (is_side_path(path), depth(path), path.clone()));
    let mut found = Vec::new();
    for path in paths {
        let Some((_, known)) = markers.iter().find(|(names, _)| fits(path.file_name(), names))
        else {
            continue;
        };
        let text = graph.read_lines(&path, 1, 2000)?.unwrap_or_default();
        let lines = text.lines().zip(1u32..);
        let marked = lines.filter(|(line, _)| known.iter().any(|marker| line.contains(marker)));
        for (line, number) in marked.take(PER_FILE) {
            found.push((path.clone(), number, shorten(line)));
        }
    }
    Ok(found)
}

/// Returns the lines of manifests about tests. Of a workflow only those that run tests.
fn test_lines(graph: &Graph) -> Result<Vec<(RepoPath, u32, String)>, OpError> {
    let mut lines = marked_lines(graph, TEST_MARKERS)?;
    lines.retain(|(path, _, line)| {
        let is_workflow = fits(path.file_name(), &["*.yml", "*.yaml"]);
        !is_workflow || line.contains("run: ") && line.contains("test")
    });
    Ok(lines)
}

/// Returns the commands that the manifests of the root make work.
fn test_commands(graph: &Graph) -> Result<Vec<String>, OpError> {
    let paths = graph.all_paths()?;
    let at_root = |name: &str| paths.iter().any(|path| path.as_str() == name);
    let known = TEST_COMMANDS.iter().filter(|(manifest, _)| at_root(manifest));
    let mut commands: Vec<String> =
        known.map(|(manifest, command)| format!("{command}  ({manifest})")).collect();
    for (file, marker, command) in TEST_COMMAND_LINES {
        let path = RepoPath::new(file).filter(|_| at_root(file));
        let text = path.map(|path| graph.read_lines(&path, 1, 2000));
        let text = text.transpose()?.flatten().unwrap_or_default();
        // The line end before the first line, for markers that begin a line.
        if format!("\n{text}").contains(marker) {
            commands.push(format!("{command}  ({file})"));
        }
    }
    commands.dedup_by(|a, b| a.split("  ").next() == b.split("  ").next());
    Ok(commands)
}

/// Returns the folders with test files and their number, the largest first. Tests beside the code
/// are one row.
fn test_folders(graph: &Graph) -> Result<Vec<String>, OpError> {
    let mut counts = std::collections::BTreeMap::new();
    for path in graph.all_paths()? {
        let is_program =
            languages::by_path(&path).is_some_and(|one| one.role == LanguageRole::Program);
        if is_program && languages::is_test_path(&path) {
            let folder = path.as_str().split('/').take(2.min(depth(&path))).collect::<Vec<_>>();
            *counts.entry(folder.join("/")).or_insert(0usize) += 1;
        }
    }
    let mut folders: Vec<(String, usize)> = counts.into_iter().collect();
    folders.sort_by_key(|(folder, count)| (std::cmp::Reverse(*count), folder.clone()));
    let row =
        |(folder, count): (String, usize)| format!("{folder}/  {}", count_noun(count, "test file"));
    Ok(folders.into_iter().map(row).collect())
}

/// Returns the first line of each file of the product that has one of these texts, and the number
/// of further lines. Files with most such lines come first.
fn product_lines(graph: &Graph, texts: &[&str]) -> Result<Vec<(RepoPath, u32, String)>, OpError> {
    let has_text = |line: &str| texts.iter().any(|text| line.contains(text));
    let mut found = Vec::new();
    graph.for_each_product_text(|path, text| {
        let is_program =
            languages::by_path(path).is_some_and(|one| one.role == LanguageRole::Program);
        if is_program && !is_side_path(path) && has_text(text) {
            let mut lines = text.lines().zip(1u32..).filter(|(line, _)| has_text(line));
            if let Some((line, number)) = lines.next() {
                let more = lines.count();
                let more_text =
                    if more > 0 { format!("  (and {more} more)") } else { String::new() };
                found.push((more, path.clone(), number, shorten(line) + &more_text));
            }
        }
        true
    })?;
    found.sort_by(|a, b| (b.0, &a.1).cmp(&(a.0, &b.1)));
    Ok(found.into_iter().map(|(_, path, line, text)| (path, line, text)).collect())
}

/// Returns a line without its indentation, up to 120 characters.
fn shorten(line: &str) -> String {
    line.trim().chars().take(120).collect()
}

#[cfg(test)]
mod tests;
