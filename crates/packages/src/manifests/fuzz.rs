//! Input that every parser must survive, whatever its format: nonsense, pieces of manifests, deep nesting
//! and long files. Run over [`MANIFESTS`], so a new ecosystem is covered by its line there.
//!
//! Each input is read in a thread of its own, with the stack of a worker thread and the name of the
//! input, so that an overflow, which no test can catch, at least says what caused it.

use std::collections::HashSet;
use std::thread;
use std::time::{Duration, Instant};

use super::{MANIFESTS, Manifest, Repo};
use kenning_model::{Package, PackageKey, RepoPath};

const STACK: usize = 2 << 20;
/// Much less of everything where nothing is optimised and each input would take a second;
/// `cargo test --release` has the full size.
const DEEP: usize = if cfg!(debug_assertions) { 200 } else { 100_000 };
const LONG: usize = if cfg!(debug_assertions) { 64 << 10 } else { 5 << 20 };

/// Pieces of manifests in every format that Kenning reads. Each parser is given all of them: a file
/// can have any content.
const SAMPLES: &[&str] = &[
    r#"{"name": "a", "version": 1, "workspaces": ["x/*", "!x/y"], "private": true,
        "dependencies": {"b": "workspace:^", "c": null, "d": {"version": "1"}}, "é": "\ud83d"}"#,
    "[package]\nname = 'a'\nversion.workspace = true\n[dependencies]\nb = { path = '../b' }\n\
        [[bin]]\nname = \"c\"\n[target.'cfg(unix)'.dependencies]\nd = '1'\n",
    "[project]\nname = \"a\"\ndependencies = [\"b>=1; python_version<'3'\", 'c[x] @ file:../c']\n\
        [dependency-groups]\ndev = [{include-group = 'e'}]\n[tool.uv.sources]\nc = {workspace=true}\n",
    "[versions]\nb = { strictly = '1' }\n[libraries]\nb-core = { module = 'b:core', version.ref = 'b' }\n",
    "<project xmlns='u'><parent><groupId>g</groupId></parent><artifactId>${a}</artifactId>\
        <dependencies><dependency><groupId>g</groupId><!-- c --></dependency></dependencies></project>",
    "<Project Sdk='S'><PropertyGroup><V>$([A]::B('$(C)'))</V></PropertyGroup><ItemGroup>\
        <PackageReference Include='a;b' Version='$(V)' /></ItemGroup></Project>",
    "packages:\n  - 'a/*'\ncatalog: &x\n  b: ^1\ncatalogs: {c: *x, <<: *x}\nd: |\n  text\n---\n? e\n: f\n",
    "module example.com/a/v2\n\ngo 1.22\n\nrequire (\n\tb.org/c v1.0.0 // indirect\n)\n\
        replace b.org/c => ../c\n",
    "-r other.txt\n-e ./a\nb[c]==1.0 ; python_version < '3' \\\n    --hash=sha256:0\n# comment\n",
    "[metadata]\nname = a\n[options]\ninstall_requires =\n    b\n    c>=1\n",
    "source 'https://a'\ngroup :test, :development do\n  gem \"b\", '~> 1', path: \"../#{c}\"\nend\n\
        gemspec\n<<~X\n  text\nX\n%w[d e].each { |f| gem f }\n",
    "requires 'A::B', '>= 1';\non test => sub {\n  requires 'C';\n};\n=pod\n\ntext\n\n=cut\n",
    "defmodule A.MixProject do\n  def project, do: [app: :a, deps: deps()]\n  defp deps do\n\
        [{:b, \"~> 1\", only: [:dev]}, {:c, in_umbrella: true}]\n  end\nend\n",
    "plugins { id 'java' }\ndependencies {\n  implementation project(':a:b')\n\
        testImplementation \"c:d:${v}\"\n  api(libs.e.f)\n}\ninclude ':a', ':b'\n/* comment */\n",
    "let package = Package(name: \"a\", dependencies: [.package(url: \"https://b\", from: \"1.0.0\"),\n\
        .package(path: \"../c\")], targets: [.target(name: \"a\", dependencies: [\"b\"])])\n",
];

/// Texts that are repeated to nest deeply, each with its closing text.
const NESTS: &[(&str, &str)] = &[
    ("[", "]"),
    ("{", "}"),
    ("(", ")"),
    ("<", ">"),
    ("<a>", "</a>"),
    ("<!--", "-->"),
    ("{\"a\":", "}"),
    ("{a=", "}"),
    ("a.", ""),
    ("- ", ""),
    ("? ", ""),
    ("!", ""),
    ("${", "}"),
    ("$(", ")"),
    ("\"#{", "}\""),
    ("\"${", "}\""),
    ("\"\\(", ")\""),
    ("a(", ")"),
    ("a do\n", "end\n"),
    ("a ? ", ": b"),
    ("/*", "*/"),
];

/// Texts that are repeated to make long files.
const LINES: &[&str] = &[
    "a",
    " ",
    "\n",
    "\r",
    "\0",
    "é",
    "\"",
    "'",
    "\\",
    "\\\n",
    "#",
    "-",
    "&",
    "a: b\n",
    "- &a *a\n",
    "a = '1'\n",
    "[a]\n",
    "[[a]]\n",
    "\"a\": \"1\",\n",
    "<a b='c'>d</a>\n",
    "<a b='c' ",
    "a==1 ; b < '3'\n",
    "require a v1\n",
    "gem 'a', '1'\n",
    "<<A\n",
    "requires 'a', 1;\n",
    "implementation 'a:b:1'\n",
    "{:a, \"~> 1\"},\n",
    ".package(path: \"a\"),\n",
];

/// Texts around nests and lines, so that a parser gets to see them: before, an example of what
/// belongs in between, and after.
const FRAMES: &[(&str, &str, &str)] = &[
    ("{\"name\":\"a\",\"dependencies\":", "{\"b\":\"1\"}", "}"),
    ("[package]\nname='a'\n[dependencies]\n", "b='1'\n", ""),
    ("[project]\nname='a'\ndependencies = ", "['b']\n", "\n"),
    (
        "<project><groupId>g</groupId><artifactId>a</artifactId><dependencies>",
        "<dependency><groupId>g</groupId><artifactId>b</artifactId></dependency>",
        "</dependencies></project>",
    ),
    ("<Project><ItemGroup>", "<PackageReference Include='b'/>", "</ItemGroup></Project>"),
    ("packages:\n  - ", "a\n", "\n"),
    ("module a\nrequire (\n", "b v1.0.0\n", ")\n"),
    ("dependencies {\n", "implementation 'b:c:1'\n", "}\n"),
    ("group :test do\n", "gem 'b'\n", "end\n"),
    ("let package = Package(name: \"a\", dependencies: [", ".package(path: \"b\")", "])\n"),
    ("defmodule A do\n  def project, do: [app: :a, deps: [", "{:b, \"1\"}", "]]\nend\n"),
];

/// Where nothing is optimised, every fifth costly input; `cargo test --release` tries all.
const STRIDE: usize = if cfg!(debug_assertions) { 5 } else { 1 };

/// A parser under test: one ecosystem, and one of the names of its files.
struct Subject {
    manifest: &'static dyn Manifest,
    path: RepoPath,
}

impl Subject {
    fn all() -> Vec<Subject> {
        let subjects = MANIFESTS.iter().flat_map(|manifest| {
            let patterns = manifest.files().iter();
            patterns.map(|pattern| {
                let path = format!("some/directory/{}", pattern.replace('*', "word"));
                Subject { manifest: *manifest, path: RepoPath::new(&path).expect("inside") }
            })
        });
        subjects.collect()
    }

    /// One of those that read every sample alike: `*.csproj` and `*.fsproj` are one parser, and the
    /// costly inputs need not be read by both.
    fn distinct() -> Vec<Subject> {
        let mut seen = HashSet::new();
        let mut subjects = Subject::all();
        subjects.retain(|subject| {
            let samples = SAMPLES.iter().copied().chain(FRAMES.iter().map(|frame| frame.0));
            let outcomes: Vec<_> = samples.map(|sample| subject.facts(sample)).collect();
            seen.insert((subject.manifest.kind(), outcomes))
        });
        subjects
    }

    fn facts(&self, text: &str) -> Option<String> {
        self.manifest.parse_erased(&self.path, text).facts
    }

    /// Nothing, and the frames in which this parser finds the example.
    fn frames(&self) -> Vec<(&'static str, &'static str)> {
        let frames = FRAMES
            .iter()
            .filter(|(before, example, after)| {
                let facts = self.facts(&[*before, example, after].concat());
                facts.is_some() && facts != self.facts(&[*before, after].concat())
            })
            .map(|(before, _, after)| (*before, *after));
        [("", "")].into_iter().chain(frames).collect()
    }

    /// Parses and links one file; what comes of it does not matter. Gives the time of the parsing.
    fn read(&self, input: &str, text: String) -> Duration {
        let (manifest, path) = (self.manifest, self.path.clone());
        let name = format!("{path} of {input}").replace('\0', "NUL");
        let worker = thread::Builder::new().name(name.clone()).stack_size(STACK).spawn(move || {
            let clock = Clock::start();
            let parsed = manifest.parse_erased(&path, &text);
            let elapsed = clock.elapsed();
            assert!(
                parsed.facts.is_some() || !parsed.problems.is_empty(),
                "neither facts nor problems"
            );
            let facts: Vec<_> = parsed.facts.map(|facts| (path, facts)).into_iter().collect();
            manifest.link_erased(&Repo { root_name: "root" }, &facts);
            elapsed
        });
        let outcome = worker.expect("a thread can be started").join();
        outcome.unwrap_or_else(|_| panic!("{name} panics"))
    }
}

/// Measures the time that this thread has a processor, where the system tells; the time on the wall
/// depends on what else the machine does.
struct Clock {
    wall: Instant,
    processor: Option<Duration>,
}

impl Clock {
    fn start() -> Clock {
        Clock { wall: Instant::now(), processor: Clock::processor() }
    }

    fn elapsed(&self) -> Duration {
        match (self.processor, Clock::processor()) {
            (Some(start), Some(end)) => end - start,
            _ => self.wall.elapsed(),
        }
    }

    fn processor() -> Option<Duration> {
        // Linux brings the number up to date when it schedules.
        thread::yield_now();
        let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        let nanoseconds = statistics.split(' ').next()?.parse().ok()?;
        Some(Duration::from_nanos(nanoseconds))
    }
}

/// A small generator, so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % below
    }
}

#[test]
fn pieces_of_manifests() {
    for subject in Subject::all() {
        for (number, sample) in SAMPLES.iter().enumerate() {
            for cut in (0..sample.len()).step_by(7).chain([sample.len()]) {
                let piece = String::from_utf8_lossy(&sample.as_bytes()[..cut]).into_owned();
                subject.read(&format!("sample {number} up to {cut}"), piece);
            }
        }
    }
}

#[test]
fn nonsense() {
    for subject in Subject::all() {
        for text in ["", " ", "\n\n", "\t \r\n", "\0", "null", "0", "\"", "---"] {
            subject.read(&format!("{text:?}"), text.to_string());
        }
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        for size in [10, 100, 1_000, 100_000] {
            let bytes: Vec<u8> = (0..size).map(|_| random.next(256) as u8).collect();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            subject.read(&format!("{size} random bytes"), text);
        }
        for number in 0..200 {
            let mut bytes = SAMPLES[random.next(SAMPLES.len())].as_bytes().to_vec();
            for _ in 0..=random.next(4) {
                let place = random.next(bytes.len());
                let (open, _) = NESTS[random.next(NESTS.len())];
                bytes.splice(place..place + random.next(2), open.bytes());
            }
            let text = String::from_utf8_lossy(&bytes).into_owned();
            subject.read(&format!("change {number}: {text:?}"), text);
        }
    }
}

/// Odd manifests beside and above each other still make packages that are told apart, and
/// dependencies that lead to them.
#[test]
fn what_is_linked_holds_together() {
    let whole = FRAMES.iter().map(|(before, example, after)| [*before, example, after].concat());
    let texts: Vec<String> = SAMPLES.iter().map(|sample| sample.to_string()).chain(whole).collect();
    for manifest in MANIFESTS {
        let mut facts = Vec::new();
        for pattern in manifest.files() {
            let file = pattern.replace('*', "word");
            for (number, text) in texts.iter().enumerate() {
                for directory in ["", "b/", &format!("{number}/"), &format!("{number}/b/")] {
                    let path = RepoPath::new(&format!("{directory}{file}")).expect("inside");
                    let parsed = manifest.parse_erased(&path, text);
                    facts.extend(parsed.facts.map(|facts| (path, facts)));
                }
            }
        }
        facts.sort();
        facts.dedup_by(|second, first| second.0 == first.0);
        let linked = manifest.link_erased(&Repo { root_name: "root" }, &facts);
        check_packages(manifest.kind(), &linked.packages);
    }
}

fn check_packages(kind: &str, packages: &[Package]) {
    let keys: HashSet<_> = packages.iter().map(Package::key).collect();
    assert_eq!(keys.len(), packages.len(), "{kind}: two packages are one");
    for package in packages {
        let dependencies = &package.dependencies;
        assert!(dependencies.is_sorted_by_key(|dependency| dependency.kind), "{package:?}");
        for dependency in dependencies {
            let target = dependency.internal.clone().map(|path| PackageKey {
                kind: kind.to_string(),
                name: dependency.name.clone(),
                path,
            });
            let is_known = target.is_none_or(|target| keys.contains(&target));
            assert!(is_known, "{} leads nowhere: {dependency:?}", package.manifest);
        }
    }
}

#[test]
fn deep_nesting() {
    for subject in Subject::distinct() {
        for (before, after) in subject.frames() {
            for (open, close) in NESTS.iter().step_by(STRIDE) {
                let input = format!("{before:?} and {DEEP} times {open:?}");
                let open = open.repeat(DEEP);
                subject.read(&input, [before, &open].concat());
                if !close.is_empty() {
                    let close = close.repeat(DEEP);
                    subject.read(&input, [before, &open, &close, after].concat());
                }
            }
        }
    }
}

#[test]
fn long_files() {
    for subject in Subject::distinct() {
        let long = |line: &str, length: usize| line.repeat(length / line.len());
        // The line that keeps this parser busiest is the one that it understands.
        let busiest = LINES.iter().max_by_key(|line| {
            let input = format!("{line:?} for a while");
            subject.read(&input, long(line, 10_000))
        });
        for line in ["a"].iter().chain(busiest) {
            subject.read(&format!("{LONG} bytes of {line:?}"), long(line, LONG));
        }
    }
}

#[test]
fn time_grows_with_the_length() {
    for subject in Subject::distinct() {
        for (before, after) in subject.frames() {
            let nests = NESTS.iter().map(|nest| nest.0);
            for unit in LINES.iter().copied().chain(nests).step_by(STRIDE) {
                let time = |length: usize| {
                    let text = [before, &unit.repeat(length / unit.len()), after].concat();
                    subject.read(&format!("{before:?} and {unit:?}"), text)
                };
                check_growth(&time, &format!("{} of {before:?} and {unit:?}", subject.path));
            }
        }
    }
}

/// Four times the length may take four times as long and some more, but not sixteen times, which is
/// what comparing everything with everything takes; unless what is longer still is refused.
fn check_growth(time: &dyn Fn(usize) -> Duration, name: &str) {
    const SHORT: usize = 2_000;
    const WORTH_MEASURING: Duration = Duration::from_millis(20);
    let mut short = time(SHORT);
    let mut long = time(4 * SHORT);
    let is_steep = |short: Duration, long: Duration| long > WORTH_MEASURING && long > 10 * short;
    for _ in 0..2 {
        // Whatever disturbs a measurement adds to it, so the least of several counts.
        if is_steep(short, long) {
            short = short.min(time(SHORT));
            long = long.min(time(4 * SHORT));
        }
    }
    assert!(
        !is_steep(short, long) || time(40 * SHORT) < long,
        "{name}: {short:?}, but {long:?} for four times the length"
    );
}
