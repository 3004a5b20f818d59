//! Answers to the first questions about a repository: how it starts, how it is tested, what can be
//! configured. They come from entry points, manifests, test folders and reads of the environment.
//!
//! Manifests are read line by line: a line that contains a marker of its kind of file is shown. No
//! format is parsed, so that a broken file still answers.

use super::findings::{FileExcerpt, Findings};
use super::outline::OutlineLine;
use crate::graph::{Graph, SymbolHit};
use crate::ops::OpError;
use crate::ops::number_format::count_noun;
use crate::search::orientation::Topic;
use kenning_lang::languages::{self, LanguageRole};
use kenning_model::RepoPath;

/// Lines with a marker in files of a kind. A name with a leading `*` is an ending.
type MarkerTable = &'static [(&'static [&'static str], &'static [&'static str])];

/// The most lines of each heading.
const MOST: usize = 12;

/// Lines that say how a program is started.
const START_MARKERS: MarkerTable = &[
    (&["package.json"], &["\"bin\":", "\"main\":", "\"start\":", "\"dev\":", "\"serve\":"]),
    (&["pyproject.toml"], &["[project.scripts]", "[tool.poetry.scripts]", "[project.gui-scripts]"]),
    (&["setup.py", "setup.cfg"], &["console_scripts", "gui_scripts"]),
    (&["Cargo.toml"], &["[[bin]]", "default-run"]),
    (&["composer.json"], &["\"bin\":"]),
    (&["*.gemspec"], &[".executables"]),
    (&["*.csproj", "*.fsproj"], &["<OutputType>Exe", "Sdk.Web\"", "Sdk.Worker\""]),
    (&["pom.xml"], &["<mainClass>"]),
    (&["build.gradle", "build.gradle.kts"], &["mainClass"]),
    (&["pubspec.yaml"], &["executables:"]),
    (&["mix.exs"], &["mod:", "main_module:"]),
    (&["build.sbt"], &["mainClass"]),
    (&["Package.swift"], &[".executableTarget", ".executable("]),
    (&["build.zig"], &["addExecutable"]),
    (&["*.cabal"], &["executable ", "main-is:"]),
    (&["CMakeLists.txt", "*.cmake"], &["add_executable("]),
    (&["meson.build"], &["executable("]),
    (&["Makefile", "makefile", "GNUmakefile", "justfile"], &["run:", "start:", "serve:", "dev:"]),
    (&["Dockerfile", "*.dockerfile", "Containerfile"], &["ENTRYPOINT", "CMD "]),
    (&["Procfile"], &[":"]),
    (&["docker-compose.yml", "docker-compose.yaml", "compose.yaml"], &["command:", "entrypoint:"]),
];

/// Files that start a program by their name.
const START_FILES: &[&str] =
    &["__main__.py", "manage.py", "wsgi.py", "asgi.py", "config.ru", "index.php", "artisan"];

/// Lines that say how tests are run.
const TEST_MARKERS: MarkerTable = &[
    (
        &["package.json"],
        &["\"test", "\"jest\"", "\"vitest\"", "\"mocha\"", "\"@playwright/test\"", "\"cypress\""],
    ),
    (&["pyproject.toml", "setup.cfg", "requirements-dev.txt"], &["pytest", "[tool.tox"]),
    (&["tox.ini"], &["[testenv", "commands"]),
    (&["noxfile.py"], &["def test"]),
    (&["pytest.ini"], &["[pytest]", "testpaths"]),
    (&["Cargo.toml"], &["[dev-dependencies]", "[[test]]"]),
    (&["go.mod"], &["testify", "ginkgo"]),
    (&["pom.xml"], &["junit", "testng", "surefire"]),
    (&["build.gradle", "build.gradle.kts"], &["useJUnitPlatform", "testImplementation"]),
    (&["build.sbt"], &["% Test", "% \"test\""]),
    (&["Gemfile", "*.gemspec"], &["rspec", "minitest"]),
    (&["Rakefile"], &["TestTask", "RSpec"]),
    (&["composer.json"], &["phpunit", "pestphp", "\"test"]),
    (&["*.csproj", "*.fsproj"], &["xunit", "NUnit", "MSTest"]),
    (&["Package.swift"], &[".testTarget"]),
    (&["mix.exs"], &["test"]),
    (&["pubspec.yaml"], &["test:"]),
    (&["*.cabal"], &["test-suite"]),
    (&["build.zig"], &["addTest"]),
    (&["CMakeLists.txt"], &["enable_testing", "add_test"]),
    (&["meson.build"], &["test("]),
    (&["Makefile", "makefile", "GNUmakefile", "justfile"], &["test:", "check:", "tests:"]),
    (&["*.yml", "*.yaml"], &["run: "]),
];

/// The commands that run tests, by the manifest that makes them work.
const TEST_COMMANDS: &[(&str, &str)] = &[
    ("Cargo.toml", "cargo test"),
    ("go.mod", "go test ./..."),
    ("pom.xml", "mvn test"),
    ("build.gradle", "gradle test"),
    ("build.gradle.kts", "gradle test"),
    ("build.sbt", "sbt test"),
    ("mix.exs", "mix test"),
    ("Package.swift", "swift test"),
    ("build.zig", "zig build test"),
    ("tox.ini", "tox"),
    ("pytest.ini", "pytest"),
    ("phpunit.xml", "phpunit"),
    ("phpunit.xml.dist", "phpunit"),
];

/// Endings of the names of types with settings.
const SETTING_TYPES: &[&str] = &["Config", "Configuration", "Settings", "Options", "Conf"];

/// Calls that read the environment, in any language.
const ENVIRONMENT_READS: &[&str] = &[
    "os.environ",
    "os.getenv",
    "os.Getenv",
    "os.LookupEnv",
    "getenv(",
    "process.env",
    "::var(\"",
    "ENV[",
    "ENV.fetch",
    "GetEnvironmentVariable",
    "System.getenv",
    "$_ENV",
    "Deno.env",
    "System.get_env",
    "System.fetch_env",
    "processInfo.environment",
    "Platform.environment",
    "lookupEnv",
    "import.meta.env",
];

/// Beginnings of the names of files with settings.
const SETTING_FILES: &[&str] =
    &["application.", "appsettings.", "config.", "settings.", ".env.example", ".env.sample"];

/// Collects the answer. `None` if the repository has none, so that a search can try.
pub fn research_topic(graph: &Graph, topic: Topic) -> Result<Option<Findings>, OpError> {
    let mut findings = Findings { walk: "orientation", ..Findings::default() };
    match topic {
        Topic::Start => {
            findings.took = "entry points, and the lines of manifests that start a program".into();
            findings.add_symbols("functions that start a program", &graph.program_starts()?);
            findings.add_lines("commands and targets", marked_lines(graph, START_MARKERS)?);
            let files = graph.all_paths()?.into_iter().filter(is_start_file);
            findings.add_files("files that start a program", files.collect());
        }
        Topic::Tests => {
            findings.took = "test commands, frameworks in manifests, and test folders".into();
            findings.add_texts("commands", test_commands(graph)?);
            findings.add_lines("lines of manifests", test_lines(graph)?);
            findings.add_texts("test folders", test_folders(graph)?);
        }
        Topic::Configuration => {
            findings.took = "setting files, types with settings, reads of the environment".into();
            let files = graph.all_paths()?.into_iter().filter(is_setting_file);
            findings.add_files("setting files", files.collect());
            let mut types = graph.types_ending_with(SETTING_TYPES)?;
            // A type that is only called `Config` is the product's own more often than others.
            types.sort_by_key(|hit| (hit.symbol.name.len(), hit.path.clone(), hit.symbol.line));
            findings.add_symbols("types with settings", &types);
            findings.add_lines("reads of the environment", environment_reads(graph)?);
        }
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

    fn add_symbols(&mut self, heading: &str, hits: &[SymbolHit]) {
        for hit in hits.iter().take(4) {
            let span = &hit.symbol.span;
            let end = span.end_line.min(span.start_line + 20);
            self.places.push(FileExcerpt { path: hit.path.clone(), start: span.start_line, end });
        }
        let lines = hits.iter().map(|hit| {
            let (name, kind) = (hit.qualified_name(), hit.symbol.kind.as_str());
            let text = format!("{name}  {kind}  {}:{}", hit.path, hit.symbol.line);
            OutlineLine { indent: 1, text, hop: 1, path: Some(hit.path.clone()) }
        });
        self.add_group(heading, lines.collect());
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

/// The folders of a path, for the order: what is near the root is the product's own.
fn depth(path: &RepoPath) -> usize {
    path.as_str().matches('/').count()
}

fn is_start_file(path: &RepoPath) -> bool {
    let is_script = path.as_str().starts_with("bin/") || path.as_str().starts_with("exe/");
    let is_known = START_FILES.contains(&path.file_name()) && depth(path) < 3;
    (is_script || is_known) && !languages::is_test_path(path)
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
    paths.sort_by_key(|path| (depth(path), path.clone()));
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
    let root = RepoPath::new("package.json").map(|path| graph.read_lines(&path, 1, 2000));
    let script = root.transpose()?.flatten().unwrap_or_default();
    if script.contains("\"test\":") {
        commands.push("npm test  (package.json)".to_string());
    }
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

/// Returns one line of each file that reads the environment.
fn environment_reads(graph: &Graph) -> Result<Vec<(RepoPath, u32, String)>, OpError> {
    let mut found = Vec::new();
    graph.for_each_product_text(|path, text| {
        let is_program =
            languages::by_path(path).is_some_and(|one| one.role == LanguageRole::Program);
        if is_program && ENVIRONMENT_READS.iter().any(|call| text.contains(call)) {
            let mut lines = text.lines().zip(1u32..);
            let read =
                lines.find(|(line, _)| ENVIRONMENT_READS.iter().any(|call| line.contains(call)));
            found.extend(read.map(|(line, number)| (path.clone(), number, shorten(line))));
        }
        true
    })?;
    Ok(found)
}

/// Returns a line without its indentation, up to 120 characters.
fn shorten(line: &str) -> String {
    line.trim().chars().take(120).collect()
}

#[cfg(test)]
mod tests;
