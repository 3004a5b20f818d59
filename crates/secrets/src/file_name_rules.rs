//! The table of file names that belong to secrets, and the classes of file extensions. Globs match
//! names in lower case. The first rule that matches and has no matching exception wins.

use std::collections::HashSet;
use std::sync::LazyLock;

use globset::{Glob, GlobSet, GlobSetBuilder};

use super::{FileClass, SecretKind};
use kenning_model::RepoPath;

/// How far a name decides that a file is a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameVerdict {
    /// The name is enough; the file is not even read.
    Final,
    /// It is a secret unless it holds only certificates or public keys.
    UnlessPublicKey,
    /// It is a secret unless it is a template, with placeholders where values would be.
    UnlessTemplate,
    /// It is a secret if a setting that is meant for one has any value that is no placeholder.
    IfAnyValue,
}

/// A row of the table.
struct NameRule {
    /// Globs over the name in lower case, or over the last two segments if they have a `/`.
    globs: &'static [&'static str],
    /// Globs over the name; a file that matches one does not fall under the rule.
    exceptions: &'static [&'static str],
    kind: SecretKind,
    verdict: NameVerdict,
}

/// Names of files that document which variables there are, and hold no values.
const SAMPLE_GLOBS: &[&str] =
    &["*example*", "*sample*", "*template*", "*.dist", "*.tpl", "*.tmpl", "*.defaults", "*.schema"];

/// The table; the first row that matches wins.
const NAME_RULES: &[NameRule] = &[
    NameRule {
        globs: &["id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "id_*", ".ssh/identity*"],
        exceptions: &["*.*"],
        kind: SecretKind::PrivateKey,
        verdict: NameVerdict::Final,
    },
    NameRule {
        globs: &["*.ppk", "*.agekey", "secring.*"],
        exceptions: &[],
        kind: SecretKind::PrivateKey,
        verdict: NameVerdict::Final,
    },
    NameRule {
        globs: &[
            "*.p12",
            "*.pfx",
            "*.pkcs12",
            "*.jks",
            "*.jceks",
            "*.bks",
            "*.keystore",
            "*.kdb",
            "*.kdbx",
            "*.keychain",
            "*.keychain-db",
            "*.mobileprovision",
        ],
        exceptions: &[],
        kind: SecretKind::KeyStore,
        verdict: NameVerdict::Final,
    },
    NameRule {
        globs: &["*.pem", "*.key", "*.p8", "*.pkcs8", "*.pk8"],
        exceptions: &[],
        kind: SecretKind::PrivateKey,
        verdict: NameVerdict::UnlessPublicKey,
    },
    NameRule {
        globs: &[".env", ".env.*", ".env-*", ".env_*", "*.env"],
        exceptions: SAMPLE_GLOBS,
        kind: SecretKind::Environment,
        verdict: NameVerdict::Final,
    },
    NameRule {
        globs: &[
            ".netrc",
            "_netrc",
            ".pgpass",
            "pgpass.conf",
            ".my.cnf",
            ".mylogin.cnf",
            ".htpasswd",
            ".git-credentials",
            ".dockercfg",
            ".pypirc",
            ".s3cfg",
            ".boto",
            ".vault-token",
            ".vault_pass*",
            ".aws/credentials",
            ".gem/credentials",
            ".cargo/credentials*",
        ],
        exceptions: SAMPLE_GLOBS,
        kind: SecretKind::Credentials,
        verdict: NameVerdict::Final,
    },
    NameRule {
        globs: &["*.tfstate", "*.tfstate.*"],
        exceptions: &[],
        kind: SecretKind::TerraformState,
        verdict: NameVerdict::Final,
    },
    NameRule {
        globs: &[
            "credentials",
            "credentials.*",
            "credentials-*",
            "credentials_*",
            ".credentials*",
            "secrets",
            "secrets.*",
            "secrets-*",
            "secrets_*",
            ".secrets*",
        ],
        exceptions: SAMPLE_GLOBS,
        kind: SecretKind::Credentials,
        verdict: NameVerdict::UnlessTemplate,
    },
    NameRule {
        globs: &[
            ".envrc",
            ".npmrc",
            ".yarnrc*",
            ".dockerconfigjson",
            ".docker/config.json",
            "kubeconfig*",
            "*.kubeconfig",
            ".kube/config",
            "*.tfvars",
            "*.tfvars.json",
            "service-account*.json",
            "service_account*.json",
            "serviceaccount*.json",
            "client_secret*.json",
            "*[-_.]credentials.*",
            "*[-_.]secrets.*",
            "*[-_.]secret.*",
            "secret.*",
            "credential.*",
        ],
        exceptions: SAMPLE_GLOBS,
        kind: SecretKind::Credentials,
        verdict: NameVerdict::IfAnyValue,
    },
];

/// The table as glob sets: one over names, one over the last two segments. Each has the index of
/// the rule for each of its globs.
struct CompiledRules {
    names: (GlobSet, Vec<usize>),
    paths: (GlobSet, Vec<usize>),
    /// By index of the rule.
    exceptions: Vec<GlobSet>,
}

/// Compiled once: a set matches all globs of the table in one pass.
static COMPILED: LazyLock<CompiledRules> = LazyLock::new(|| {
    let set = |globs: &[&str]| {
        let mut builder = GlobSetBuilder::new();
        for glob in globs {
            builder.add(Glob::new(glob).expect("the table's globs are valid"));
        }
        builder.build().expect("the table's globs are valid")
    };
    let numbered = NAME_RULES.iter().enumerate();
    let globs = numbered.flat_map(|(rule, row)| row.globs.iter().map(move |glob| (*glob, rule)));
    let (paths, names): (Vec<_>, Vec<_>) = globs.partition(|(glob, _)| glob.contains('/'));
    let compiled = |globs: Vec<(&str, usize)>| {
        let (globs, rules): (Vec<&str>, Vec<usize>) = globs.into_iter().unzip();
        (set(&globs), rules)
    };
    CompiledRules {
        names: compiled(names),
        paths: compiled(paths),
        exceptions: NAME_RULES.iter().map(|rule| set(rule.exceptions)).collect(),
    }
});

/// Returns the kind and the verdict of the first rule that a path falls under. Programs fall under
/// none.
pub fn match_name_rule(path: &RepoPath, class: FileClass) -> Option<(SecretKind, NameVerdict)> {
    if class == FileClass::Program {
        return None;
    }
    let name = path.file_name().to_ascii_lowercase();
    let directory = path.as_str().rsplit('/').nth(1).unwrap_or_default().to_ascii_lowercase();
    let compiled = &*COMPILED;
    let matched = |(globs, rules): &(GlobSet, Vec<usize>), text: &str| -> Vec<usize> {
        globs.matches(text).into_iter().map(|glob| rules[glob]).collect()
    };
    let mut rules = matched(&compiled.names, &name);
    rules.extend(matched(&compiled.paths, &format!("{directory}/{name}")));
    rules.sort_unstable();
    let rule = rules.into_iter().find(|rule| !compiled.exceptions[*rule].is_match(&name))?;
    let NameRule { kind, verdict: decides, .. } = NAME_RULES[rule];
    // `secrets.md` documents secrets, and a `secrets.json` of translations has none.
    let is_config_only = matches!(decides, NameVerdict::UnlessTemplate | NameVerdict::IfAnyValue);
    if is_config_only && (class != FileClass::Config || is_machine_data(path)) {
        return None;
    }
    Some((kind, decides))
}

/// Returns globs of hidden files that are secrets by name alone, and globs of their exceptions. A
/// walk that skips hidden files needs them to list such secrets.
pub fn hidden_names() -> (&'static [&'static str], &'static [&'static str]) {
    static HIDDEN: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
        let rules = NAME_RULES.iter().filter(|rule| rule.verdict == NameVerdict::Final);
        let globs = rules.flat_map(|rule| rule.globs.iter().copied());
        globs.filter(|glob| glob.starts_with('.') && !glob.contains('/')).collect()
    });
    (&HIDDEN, SAMPLE_GLOBS)
}

/// The extension of a name in lower case; empty if it has none. `.npmrc` is a name, not an
/// extension.
pub fn extension(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => extension,
        _ => "",
    }
}

/// Extensions of settings and of plain text that belong to no language of ours.
const CONFIG_WORDS: &str = "txt text csv tsv log ini cfg cnf conf config properties props env plist xml yaml \
    yml json json5 toml tfvars kubeconfig reg bak backup old orig save local dist \
    default defaults tf hcl example sample template prod production staging dev development \
    test ovpn rdp service secrets secret credentials auth asc crt cer";

/// Extensions of programs that belong to no language of ours, and of the files that build programs.
const PROGRAM_WORDS: &str = "erl hrl pl pm pod clj cljs cljc edn r jl nim ml mli fs fsi fsx vb groovy gradle \
    ps1 psm1 psd1 bat cmd awk tcl lisp el scm rkt vim asm s f f90 pas d cr coffee \
    sol v sv vhd cmake mk bzl bazel nix graphql gql prisma snap svg fish wat \
    applescript rules feature robot jsonnet libsonnet rego cue star mts cts xsd xsl \
    xslt wsdl resx csproj xaml";

/// A list of words as a set, made at its first use.
struct WordSet(LazyLock<HashSet<&'static str>>);

impl WordSet {
    fn contains(&self, word: &str) -> bool {
        self.0.contains(word)
    }
}

static CONFIG_EXTENSIONS: WordSet = WordSet(LazyLock::new(|| CONFIG_WORDS.split(' ').collect()));
static PROGRAM_EXTENSIONS: WordSet = WordSet(LazyLock::new(|| PROGRAM_WORDS.split(' ').collect()));
static MACHINE_DIRECTORIES: WordSet =
    WordSet(LazyLock::new(|| MACHINE_DIRECTORY_WORDS.split(' ').collect()));
static LIST_ENDINGS: WordSet = WordSet(LazyLock::new(|| LIST_ENDING_WORDS.split(' ').collect()));

/// The class of a file of no language of ours, by its extension. An unknown extension counts as
/// prose, for which the rules are the most careful.
pub fn class_of_extension(extension: &str) -> FileClass {
    match extension {
        "" => FileClass::Config,
        extension if CONFIG_EXTENSIONS.contains(extension) => FileClass::Config,
        extension if PROGRAM_EXTENSIONS.contains(extension) => FileClass::Program,
        _ => FileClass::Prose,
    }
}

/// Directories of translations, and of recordings of tests.
const MACHINE_DIRECTORY_WORDS: &str = "locale locales i18n l10n lang langs languages translation translations intl \
    messages _locales __snapshots__ snapshots cassettes";

/// Endings of names that list checksums or versions.
const LIST_ENDING_WORDS: &str = "lock lockfile sum sums checksum checksums integrity";

/// True if settings in such a file are translations, recordings or checksums. Their values look
/// random or have keys such as `password`, and are no secrets.
pub fn is_machine_data(path: &RepoPath) -> bool {
    let mut directories = path.as_str().rsplit('/').skip(1);
    let is_listed = |name: &str| MACHINE_DIRECTORIES.contains(&name.to_ascii_lowercase());
    let name = path.file_name().to_ascii_lowercase();
    let mut parts = name.split(['.', '-', '_']);
    directories.any(is_listed) || parts.any(|part| LIST_ENDINGS.contains(part))
}
