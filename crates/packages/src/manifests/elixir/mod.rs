//! Elixir: `mix.exs`, umbrellas included. Lock files are not read.
//!
//! As for Mix, a dependency is internal only if its path is given, by `path:` or by `in_umbrella:
//! true`. The name alone means Hex.

mod parse;

use std::collections::HashMap;

use self::parse::{DependencySource, MixDependency, MixProject};
use super::normalize_dependencies::normalize_dependencies;
use super::{Ecosystem, LinkedEcosystem, ParsedManifest, Repo};
use kenning_model::{Dependency, Package, RepoPath};

/// The ecosystem of Mix.
pub struct Elixir;

impl Ecosystem for Elixir {
    type Facts = MixProject;
    const KIND: &'static str = "elixir";
    const FILES: &'static [&'static str] = &["mix.exs"];

    fn parse(&self, path: &RepoPath, text: &str) -> ParsedManifest<MixProject> {
        parse::parse_mix_exs(path, text)
    }

    // Umbrella projects often have no `app`; they are named after their directory.
    fn link(&self, repo: &Repo, files: &[(RepoPath, MixProject)]) -> LinkedEcosystem {
        let name = |path: &RepoPath, facts: &MixProject| {
            let app = facts.app.clone();
            app.unwrap_or_else(|| repo.directory_name(&path.parent()))
        };
        let names: HashMap<RepoPath, String> =
            files.iter().map(|(path, facts)| (path.parent(), name(path, facts))).collect();
        let packages = files.iter().map(|(path, facts)| {
            let mut package = Package::new(Self::KIND, name(path, facts), path);
            package.version.clone_from(&facts.version);
            package.description.clone_from(&facts.description);
            if facts.is_umbrella {
                package.metadata.insert("mix_umbrella".to_string(), true.into());
            }
            let dependencies = facts.dependencies.iter();
            package.dependencies = dependencies
                .map(|dependency| link_dependency(dependency, &path.parent(), &names))
                .collect();
            normalize_dependencies(&mut package);
            package
        });
        LinkedEcosystem { packages: packages.collect(), problems: Vec::new() }
    }
}

/// Resolves one dependency. `in_umbrella` means the sibling directory of that name, as in Mix. An
/// internal dependency takes the name of its target.
fn link_dependency(
    dependency: &MixDependency,
    directory: &RepoPath,
    names: &HashMap<RepoPath, String>,
) -> Dependency {
    let home = match &dependency.source {
        DependencySource::Remote => None,
        DependencySource::Path(path) => directory.join(path),
        DependencySource::Umbrella => {
            directory.join("..").and_then(|apps| apps.join(&dependency.name))
        }
    };
    // A path that leads to no application of the repository is external.
    let internal = home.filter(|home| names.contains_key(home));
    let name = internal.as_ref().and_then(|home| names.get(home));
    Dependency {
        name: name.unwrap_or(&dependency.name).clone(),
        kind: dependency.kind,
        version_req: dependency.requirement.clone(),
        internal,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::testing::render;
    use super::*;

    fn check(files: &[(&str, &str)], expected: Expect) {
        expected.assert_eq(&render(&Elixir, files));
    }

    /// A `mix.exs` with these project options and other functions.
    fn mix(options: &str, functions: &str) -> String {
        format!(
            "defmodule My.MixProject do\n  use Mix.Project\n  @version \"1.2.0\"\n\
             def project do\n    [{options}]\n  end\n{functions}\nend\n"
        )
    }

    #[test]
    fn dependencies_of_every_kind() {
        let deps = r#"
  def application, do: [mod: {My, []}, extra_applications: [:logger]]

  defp deps do
    [
      {:plug, "~> 1.0"},
      {:"quoted-name", ">= 0.0.0", override: true},
      {:git_one, git: "https://example.com/x.git", tag: "v1"}, # a comment
      {:ecto, "~> 3.0", only: [:dev, :test], runtime: false},
      {:ex_doc, "~> 0.3", [only: :docs]},
      {:mox, "1.0", only: ~w(test dev)a},
      {:both, "1.0", only: [:test, :prod]},
      {:jason, "~> 1.0", optional: true},
      {:esbuild, "~> 0.8", runtime: false},
      {:renamed, "~> 2.0", hex: :real_name},
      {:computed, "~> #{version()}"},
      {:attribute, @version},
      {name, "1.0"}
    ] ++ more() ++ if(System.get_env("X"), do: [{:extra, "1.0"}], else: [])
  end

  defp more, do: [keyword: "~> 4.0", local: [path: "../gone"]]
"#;
        let options = r#"app: :my, version: @version, description: description(), deps: deps()"#;
        let description = "defp description do\n  \"\"\"\n  Does it.\n  \"\"\"\nend\n";
        check(
            &[("mix.exs", &mix(options, &(deps.to_string() + description)))],
            expect![[r#"
                my 1.2.0 () "Does it."
                  -> plug ~> 1.0
                  -> quoted-name >= 0.0.0
                  -> git_one
                  -> both 1.0
                  -> real_name ~> 2.0
                  -> computed
                  -> attribute 1.2.0
                  -> extra 1.0
                  -> keyword ~> 4.0
                  -> local
                  -> ecto ~> 3.0 (dev)
                  -> ex_doc ~> 0.3 (dev)
                  -> mox 1.0 (dev)
                  -> esbuild ~> 0.8 (build)
                  -> jason ~> 1.0 (optional)
                problem: mix.exs:24: a dependency whose name is computed was left out
            "#]],
        );
    }

    #[test]
    fn clauses_and_inline_lists() {
        check(
            &[
                (
                    "a/mix.exs",
                    &mix(
                        "app: @app, deps: deps(Mix.env())",
                        "@app :a\ndefp deps(:test), do: [{:x, \"1\"}]\n\
                         defp deps(env) when is_atom(env) do\n  [{:y, \"2\"}]\nend",
                    ),
                ),
                ("b/mix.exs", &mix("app: :b, deps: [{:z, \"3\"}] ++ @deps", "@deps [{:w, \"4\"}]")),
            ],
            expect![[r#"
                a (a)
                  -> x 1
                  -> y 2
                b (b)
                  -> z 3
                  -> w 4
            "#]],
        );
    }

    #[test]
    fn an_umbrella_and_paths() {
        check(
            &[
                ("mix.exs", &mix("apps_path: \"apps\", deps: []", "")),
                (
                    "apps/web/mix.exs",
                    &mix(
                        "app: :web, deps: deps()",
                        "defp deps, do: [{:core, in_umbrella: true}, {:gone, in_umbrella: true},
                          {:shared, path: \"../../libs/shared\", only: :test}, {:lib, \"1.0\"}]",
                    ),
                ),
                ("apps/core/mix.exs", &mix("app: :core", "")),
                ("libs/shared/mix.exs", &mix("app: :shared", "")),
                ("lib/mix.exs", &mix("app: :lib", "")),
            ],
            expect![[r#"
                core (apps/core)
                web (apps/web)
                  -> core [apps/core]
                  -> gone
                  -> lib 1.0
                  -> shared (dev) [libs/shared]
                lib (lib)
                shared (libs/shared)
                root () mix_umbrella=true
            "#]],
        );
    }

    #[test]
    fn truncated_and_nonsense_files() {
        let truncated = "defmodule M do\n  def project do\n    [app: :a, deps: [{:x, \"1\"}, {:y,";
        check(
            &[
                ("a/mix.exs", truncated),
                ("b/mix.exs", ""),
                ("c/mix.exs", "<html> ((("),
                ("d/mix.exs", &"[".repeat(100_000)),
                ("e/mix.exs", &"{:a, []},".repeat(1_000_000)),
                ("f/mix.exs", &mix("app: a(), version: 1, deps: a()", "defp a, do: a()")),
                ("g/mix.exs", "defmodule M do\n  def project, do: config()\nend"),
            ],
            expect![[r#"
                f (f)
                problem: a/mix.exs:1: a syntax error; what is around it may be missing
                problem: b/mix.exs: it has no literal project function
                problem: c/mix.exs:1: a syntax error; what is around it may be missing
                problem: d/mix.exs: more than 200 brackets open at once
                problem: e/mix.exs: larger than 128 KiB
                problem: g/mix.exs: it has no literal project function
            "#]],
        );
    }
}
