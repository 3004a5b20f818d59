//! The files and lines that answer the first questions, in every ecosystem. A table of markers is
//! data: to add an ecosystem, add a row.

/// Lines with a marker in files of a kind. A name with a leading `*` is an ending.
pub type MarkerTable = &'static [(&'static [&'static str], &'static [&'static str])];

/// Lines that say how a program is started.
pub const START_MARKERS: MarkerTable = &[
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

/// Lines that say how a library is called and what it exports.
pub const LIBRARY_MARKERS: MarkerTable = &[
    (&["package.json"], &["\"name\":", "\"module\":", "\"types\":", "\"exports\":"]),
    (&["Cargo.toml"], &["name =", "[lib]"]),
    (&["pyproject.toml"], &["name ="]),
    (&["setup.py", "setup.cfg"], &["name="]),
    (&["go.mod"], &["module "]),
    (&["Package.swift"], &[".library(", ".plugin("]),
    (&["*.podspec", "*.gemspec"], &[".name ", ".name=", "require_path", "source_files"]),
    (&["composer.json"], &["\"name\":", "\"psr-4\""]),
    (&["pom.xml"], &["<artifactId>"]),
    (&["build.gradle", "build.gradle.kts"], &["maven-publish", "`java-library`"]),
    (&["build.sbt"], &["name :="]),
    (&["mix.exs"], &["app:"]),
    (&["pubspec.yaml"], &["name:"]),
    (&["*.csproj", "*.fsproj"], &["<PackageId>", "<AssemblyName>"]),
    (&["*.cabal"], &["name:", "library", "exposed-modules:"]),
    (&["CMakeLists.txt", "*.cmake"], &["add_library("]),
    (&["meson.build"], &["library("]),
    (&["build.zig"], &["addModule(", "addLibrary", "addStaticLibrary"]),
];

/// Files that begin a library by their name, the likeliest first.
pub const LIBRARY_FILES: &[&str] = &[
    "lib.rs",
    "__init__.py",
    "index.ts",
    "index.js",
    "index.mjs",
    "mod.ts",
    "main.zig",
    "root.zig",
    "init.lua",
];

/// Words in the names of documents that begin with an example, the likeliest first.
pub const GUIDE_WORDS: &[&str] = &[
    "readme",
    "quickstart",
    "quick-start",
    "getting",
    "usage",
    "tutorial",
    "index",
    "guide",
    "intro",
];

/// Words in the names of documents about changes, not about use.
pub const HISTORY_WORDS: &[&str] =
    &["upgrad", "migrat", "change", "contribut", "history", "release", "security"];

/// Files that start a program by their name.
pub const START_FILES: &[&str] =
    &["__main__.py", "manage.py", "wsgi.py", "asgi.py", "config.ru", "index.php", "artisan"];

/// Lines that say how tests are run.
pub const TEST_MARKERS: MarkerTable = &[
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
pub const TEST_COMMANDS: &[(&str, &str)] = &[
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
    (".rspec", "bundle exec rspec"),
    ("deno.json", "deno test"),
    ("conanfile.py", "ctest"),
    ("pubspec.yaml", "dart test"),
    ("stack.yaml", "stack test"),
    ("cabal.project", "cabal test"),
];

/// Commands that a line of a file at the root makes work: the file, the text, the command.
pub const TEST_COMMAND_LINES: &[(&str, &str, &str)] = &[
    ("package.json", "\"test\":", "npm test"),
    ("pyproject.toml", "[tool.pytest", "pytest"),
    ("setup.cfg", "[tool:pytest]", "pytest"),
    ("pyproject.toml", "[tool.tox", "tox"),
    ("pyproject.toml", "[tool.hatch", "hatch test"),
    ("noxfile.py", "def test", "nox"),
    ("composer.json", "\"test\":", "composer test"),
    ("Makefile", "\ntest:", "make test"),
    ("Makefile", "\ncheck:", "make check"),
    ("Makefile.am", "TESTS", "make check"),
    ("justfile", "\ntest", "just test"),
    ("CMakeLists.txt", "enable_testing", "ctest, after a build with CMake"),
    ("meson.build", "test(", "meson test"),
    ("Rakefile", "TestTask", "bundle exec rake test"),
    ("Rakefile", "RSpec", "bundle exec rake spec"),
];

/// Words of the names of types with settings.
pub const SETTING_WORDS: &[&str] =
    &["Config", "Configuration", "Settings", "Setting", "Options", "Option", "Conf", "Preferences"];

/// Calls and marks that declare an option of a command line, in any language.
pub const OPTION_DECLARATIONS: &[&str] = &[
    "add_argument(",
    "@click.option",
    "typer.Option(",
    "#[arg(",
    "#[clap(",
    ".Flags().",
    "flag.String(",
    "flag.Bool(",
    "flag.Int(",
    "OptionParser",
    "getopt_long(",
    "getopts ",
    ".option(\"-",
    ".option('-",
    ".addOption(",
    "@Option(",
    "@CommandLine.Option",
    "[Option(",
    "new Option<",
    "@Flag",
    "global_option",
];

/// Calls that read the environment, in any language.
pub const ENVIRONMENT_READS: &[&str] = &[
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
pub const SETTING_FILES: &[&str] =
    &["application.", "appsettings.", "config.", "settings.", ".env.example", ".env.sample"];

/// Folders with examples and documents.
pub const EXAMPLE_FOLDERS: &[&str] =
    &["example", "examples", "sample", "samples", "demo", "demos", "doc", "docs", "docs_src"];

/// Folders with tools for the developers of the product.
pub const DEVELOPER_FOLDERS: &[&str] = &[
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "website",
    "site",
    "playground",
    "fixtures",
    "fuzz",
    "scripts",
    "tools",
    "hack",
    "contrib",
    ".github",
    "integration",
];
