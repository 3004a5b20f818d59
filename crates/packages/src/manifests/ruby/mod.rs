//! Ruby: gemspecs and Gemfiles (`gems.rb`). A gemspec is a gem. A Gemfile lists what its directory
//! is developed with, so the two of one directory are one package.
//!
//! Lock files are not read, nor files that a Gemfile evaluates.

mod parse;

use std::collections::{BTreeMap, HashMap, HashSet};

use self::parse::{Gem, GemSource, RubyFile};
use super::normalize_dependencies::normalize_dependencies;
use super::{Ecosystem, LinkedEcosystem, ParsedManifest, Repo};
use kenning_model::{DepKind, Dependency, Package, RepoPath};

/// The ecosystem of RubyGems and Bundler.
pub struct Ruby;

impl Ecosystem for Ruby {
    type Facts = RubyFile;
    const KIND: &'static str = "ruby";
    const FILES: &'static [&'static str] = &["Gemfile", "gems.rb", "*.gemspec"];

    fn parse(&self, path: &RepoPath, text: &str) -> ParsedManifest<RubyFile> {
        let mut parsed = parse::parse_ruby_file(path, text);
        if let (Some(facts), Some(stem)) = (&mut parsed.facts, gemspec_stem(path)) {
            // By convention the file is called after the gem, whatever it computes.
            facts.name.get_or_insert_with(|| stem.to_string());
        }
        parsed
    }

    fn link(&self, repo: &Repo, files: &[(RepoPath, RubyFile)]) -> LinkedEcosystem {
        let gems = GemIndex::new(files);
        let mut packages: BTreeMap<(RepoPath, String), Package> = BTreeMap::new();
        for (path, facts) in files {
            let Some(name) = gem_name(path, facts) else {
                continue;
            };
            // Two gemspecs of one gem, for two platforms, are one package: the first.
            packages
                .entry((path.parent(), name.to_string()))
                .or_insert_with(|| gems.package_of_gemspec(path, name, facts));
        }
        for (path, facts) in gemfiles(files) {
            let directory = path.parent();
            let own_name = repo.directory_name(&directory);
            let name = match gems.find_developed_gem(&directory, &own_name, facts) {
                Some(name) => name.to_string(),
                None => own_name,
            };
            let package = packages
                .entry((directory, name.clone()))
                .or_insert_with(|| Package::new(Self::KIND, name, path));
            gems.add_gemfile(package, facts);
        }
        for package in packages.values_mut() {
            normalize_dependencies(package);
        }
        LinkedEcosystem { packages: packages.into_values().collect(), problems: Vec::new() }
    }
}

/// The name of a gemspec without its extension; `None` for a Gemfile.
fn gemspec_stem(path: &RepoPath) -> Option<&str> {
    path.file_name().strip_suffix(".gemspec")
}

/// The name of the gem that a file declares; `None` for a Gemfile.
fn gem_name<'f>(path: &RepoPath, facts: &'f RubyFile) -> Option<&'f str> {
    gemspec_stem(path).and(facts.name.as_deref())
}

/// The Gemfiles that Bundler reads: it ignores a `Gemfile` beside a `gems.rb`.
fn gemfiles(files: &[(RepoPath, RubyFile)]) -> impl Iterator<Item = (&RepoPath, &RubyFile)> {
    let named = |name: &'static str| {
        files
            .iter()
            .filter(move |(path, _)| path.file_name() == name)
            .map(|(path, facts)| (path, facts))
    };
    let newer: HashSet<RepoPath> = named("gems.rb").map(|(path, _)| path.parent()).collect();
    let older = named("Gemfile").filter(move |(path, _)| !newer.contains(&path.parent()));
    named("gems.rb").chain(older)
}

/// The gems that the repository declares, found by path or by name.
struct GemIndex<'f> {
    /// The gems of a directory, in the order of their files.
    by_directory: HashMap<RepoPath, Vec<&'f str>>,
    /// For a gem's name and each directory above, the shallowest gem of that name below it. `None`
    /// if two are equally deep.
    below: HashMap<(&'f str, RepoPath), Option<RepoPath>>,
}

/// The number of levels below a `path:` in which Bundler looks for a gemspec.
const PATH_SOURCE_DEPTH: usize = 2;

impl<'f> GemIndex<'f> {
    /// Indexes the gems, shallow ones first.
    fn new(files: &'f [(RepoPath, RubyFile)]) -> GemIndex<'f> {
        let mut homes: Vec<(usize, &str, RepoPath)> = Vec::new();
        for (path, facts) in files {
            if let Some(name) = gem_name(path, facts) {
                homes.push((path.segments().count(), name, path.parent()));
            }
        }
        homes.sort();
        homes.dedup();
        let mut by_directory: HashMap<RepoPath, Vec<&str>> = HashMap::new();
        let mut below: HashMap<(&str, RepoPath), (usize, Option<RepoPath>)> = HashMap::new();
        for (depth, name, home) in homes {
            for ancestor in home.ancestors() {
                let first = (depth, Some(home.clone()));
                let nearest = below.entry((name, ancestor)).or_insert(first);
                if nearest.0 == depth && nearest.1.as_ref() != Some(&home) {
                    nearest.1 = None;
                }
            }
            by_directory.entry(home).or_default().push(name);
        }
        let homes = below.into_iter().map(|(key, (_, home))| (key, home));
        GemIndex { by_directory, below: homes.collect() }
    }

    /// Finds the gem that a Gemfile is there to develop: the one of its directory. If there are
    /// several, it is the one that the Gemfile or the directory's name names.
    fn find_developed_gem(
        &self,
        directory: &RepoPath,
        directory_name: &str,
        facts: &RubyFile,
    ) -> Option<&'f str> {
        let names = self.by_directory.get(directory)?;
        if let [only] = names[..] {
            return Some(only);
        }
        let named = facts.gemspecs.iter().filter_map(|directive| directive.name.as_deref());
        let mut wanted = named.chain([directory_name]);
        wanted.find_map(|wanted| names.iter().copied().find(|name| *name == wanted))
    }

    /// Builds the package of a gemspec.
    fn package_of_gemspec(&self, path: &RepoPath, name: &str, facts: &RubyFile) -> Package {
        let mut package = Package::new(Ruby::KIND, name, path);
        package.version.clone_from(&facts.version);
        package.description.clone_from(&facts.summary);
        for gem in &facts.gems {
            self.add_dependency(&mut package, gem, gem.kind);
        }
        package
    }

    /// Adds the gems of a Gemfile to the package of its directory. The users of a gem never see its
    /// Gemfile, so everything that the gemspec does not require is for development.
    fn add_gemfile(&self, package: &mut Package, facts: &RubyFile) {
        let of_gem = package.manifest.file_name().ends_with(".gemspec");
        let declared: HashSet<String> =
            package.dependencies.iter().map(|dependency| dependency.name.clone()).collect();
        for gem in facts.gems.iter().filter(|gem| !declared.contains(&gem.name)) {
            let kind = if of_gem { DepKind::Dev } else { gem.kind };
            self.add_dependency(package, gem, kind);
        }
        let kind = if of_gem { DepKind::Dev } else { DepKind::Runtime };
        for directive in &facts.gemspecs {
            let Some(home) = package.path.join(&directive.path) else {
                continue;
            };
            let names = self.by_directory.get(&home).into_iter().flatten();
            let wanted = |name: &&&str| directive.name.as_deref().is_none_or(|it| it == **name);
            for name in names.filter(wanted) {
                package.dependencies.push(Dependency {
                    name: name.to_string(),
                    kind,
                    version_req: None,
                    internal: Some(home.clone()),
                });
            }
        }
    }

    /// Adds one gem as a dependency.
    fn add_dependency(&self, package: &mut Package, gem: &Gem, kind: DepKind) {
        let dependency = Dependency {
            name: gem.name.clone(),
            kind,
            version_req: gem.requirement.clone(),
            internal: self.find_home(gem, &package.path),
        };
        package.dependencies.push(dependency);
    }

    /// Finds the directory of the gem of this repository that is meant, as written in `directory`.
    /// Without a source, the nearest gem of that name is taken.
    fn find_home(&self, gem: &Gem, directory: &RepoPath) -> Option<RepoPath> {
        let nearest = |ancestor| self.below.get(&(gem.name.as_str(), ancestor));
        match &gem.source {
            GemSource::Elsewhere => None,
            GemSource::Unsaid => directory.ancestors().find_map(nearest)?.clone(),
            GemSource::Path(path) => {
                let top = directory.join(path)?;
                let depth = top.segments().count() + PATH_SOURCE_DEPTH;
                let home = nearest(top)?.as_ref()?;
                (home.segments().count() <= depth).then(|| home.clone())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::testing::render;
    use super::*;

    fn check(files: &[(&str, &str)], expected: Expect) {
        expected.assert_eq(&render(&Ruby, files));
    }

    #[test]
    fn a_gemfile_with_groups_and_options() {
        check(
            &[(
                "Gemfile",
                r#"
source "https://rubygems.org"
ruby "3.3"
gem "rails", "~> 8.0", ">= 8.0.1" # the framework
gem 'pg', ['>= 1', '< 2'], require: false
gem "puma".freeze, ">= #{oldest}"
gem("redis", git: "https://example.com/redis.git") if ENV["REDIS"]
gem "byebug", groups: [:development, :test]
gem "pry", :group => :development
gem computed
group :test do
  platforms :mri do
    gem "rspec"
  end
end
group :development, :production do
  gem "lograge"
end
group(:tools, optional: true) { gem "kamal" }
version = "1.2"
gem "last", version
%w[a b].each do |library|
  gem library, "1.0", path: "libs/#{library}", group: :test
end
"#,
            )],
            expect![[r#"
                root ()
                  -> rails ~> 8.0, >= 8.0.1
                  -> pg >= 1, < 2
                  -> puma
                  -> redis
                  -> lograge
                  -> last 1.2
                  -> byebug (dev)
                  -> pry (dev)
                  -> rspec (dev)
                  -> a 1.0 (dev)
                  -> b 1.0 (dev)
                  -> kamal (optional)
                problem: Gemfile:10: a gem whose name is computed was left out
            "#]],
        );
    }

    #[test]
    fn a_gemspec_and_what_it_computes() {
        check(
            &[
                (
                    "a.gemspec",
                    r#"
VERSION = "1.0"
Gem::Specification.new "a", VERSION do |spec|
  spec.name = "acme-a"
  spec.version = VERSION
  spec.summary = %q{Does a}
  spec.metadata = { "name" => "no" }
  spec.add_dependency "rack", "~> 2.2", ">= 2.2.8"
  spec.add_runtime_dependency(%q<rake>.freeze, [">= 1", "< 3"])
  spec.add_dependency "acme-core", Acme.version
  spec.add_development_dependency "rspec"
end
"#,
                ),
                (
                    "core/core.gemspec",
                    "Gem::Specification.new('core', '0.1') { |s| s.version = Acme::VERSION }",
                ),
                ("other/x.gemspec", "Gem::Specification.new do |s|\n  s.name = 'acme-core'\nend"),
            ],
            expect![[r#"
                acme-a 1.0 () "Does a"
                  -> rack ~> 2.2, >= 2.2.8
                  -> rake >= 1, < 3
                  -> acme-core [other]
                  -> rspec (dev)
                core (core)
                acme-core (other)
            "#]],
        );
    }

    #[test]
    fn a_gemfile_and_its_gemspec_are_one_package() {
        check(
            &[
                (
                    "acme.gemspec",
                    r#"Gem::Specification.new { |s| s.name = "acme"; s.add_dependency "rack" }"#,
                ),
                ("Gemfile", "gemspec\ngem 'rack', '3.0'\ngem 'rake'\ngem 'acme-web', path: 'web'"),
                ("web/acme-web.gemspec", ""),
                ("web/Gemfile", "gemspec path: '..'\ngemspec"),
            ],
            expect![[r#"
                acme ()
                  -> rack
                  -> rake (dev)
                  -> acme-web (dev) [web]
                acme-web (web)
                  -> acme (dev) []
            "#]],
        );
    }

    #[test]
    fn several_gemspecs_in_one_directory() {
        check(
            &[
                ("a.gemspec", ""),
                ("b.gemspec", ""),
                ("Gemfile", "gemspec name: 'b'\ngem 'rake'"),
                ("app/c.gemspec", ""),
                ("app/d.gemspec", ""),
                ("app/Gemfile", "gem 'a'\ngem 'c', path: '.'"),
                ("two/e.gemspec", ""),
                ("two/e-java.gemspec", "Gem::Specification.new { |s| s.name = 'e' }"),
                ("two/Gemfile", "gem 'rake'"),
            ],
            expect![[r#"
                a ()
                b ()
                  -> rake (dev)
                app (app)
                  -> a []
                  -> c [app]
                c (app)
                d (app)
                e (two)
                  -> rake (dev)
            "#]],
        );
    }

    #[test]
    fn paths_and_names_lead_into_the_repository() {
        check(
            &[
                ("engines/shop/shop.gemspec", ""),
                ("engines/a/b/c/deep.gemspec", ""),
                ("vendor/shop/shop.gemspec", ""),
                ("app/shop/shop.gemspec", ""),
                (
                    "app/Gemfile",
                    r#"
path "../engines" do
  gem "shop"
  gem "deep"
end
"#,
                ),
                ("other/Gemfile", "gem 'shop', path: '../vendor/shop', group: :test"),
                ("third/Gemfile", "gem 'shop'\ngem 'deep', github: 'acme/deep'"),
                ("app/web/Gemfile", "gem 'shop'\ngem 'gone', path: '../../../gone'"),
            ],
            expect![[r#"
                app (app)
                  -> shop [engines/shop]
                  -> deep
                shop (app/shop)
                web (app/web)
                  -> shop [app/shop]
                  -> gone
                deep (engines/a/b/c)
                shop (engines/shop)
                other (other)
                  -> shop (dev) [vendor/shop]
                third (third)
                  -> shop
                  -> deep
                shop (vendor/shop)
            "#]],
        );
    }

    #[test]
    fn gems_rb_wins_over_gemfile() {
        check(
            &[("gems.rb", "gem 'new'"), ("Gemfile", "gem 'old'")],
            expect![[r#"
                root ()
                  -> new
            "#]],
        );
    }

    #[test]
    fn truncated_and_nonsense_files() {
        check(
            &[
                ("a/Gemfile", "gem 'rack'\ngroup :test do\n  gem 'rspec', '~> 3"),
                ("b/Gemfile", "\u{0}}} <html> ((("),
                ("c/Gemfile", ""),
                ("d/Gemfile", &"[".repeat(100_000)),
                ("e/Gemfile", &"gem 'a'\n".repeat(1_000_000)),
                ("f/Gemfile", &"%w[".repeat(40_000)),
                ("g/Gemfile", &"group :a do\n".repeat(10_000)),
                ("h/h.gemspec", "Gem::Specification.new { |s| s.name = 1; s.version = 2 }"),
            ],
            expect![[r#"
                a (a)
                  -> rack
                  -> rspec
                c (c)
                h (h)
                problem: a/Gemfile:2: a syntax error; what is around it may be missing
                problem: b/Gemfile:1: a syntax error; what is around it may be missing
                problem: d/Gemfile: more than 200 brackets open at once
                problem: e/Gemfile: larger than 128 KiB
                problem: f/Gemfile: more than 200 brackets open at once
                problem: g/Gemfile:1: a syntax error; what is around it may be missing
            "#]],
        );
    }
}
