//! Parses one entry of a dependency table, such as `workspace:^`, `npm:other@1` or `../lib`.
//! [`super`] decides which package of the repository it means, if any.

use super::super::npm_range::NpmRange;

/// One parsed entry of a dependency table.
pub struct Specifier<'a> {
    /// The real name of the package, which an alias hides.
    pub name: &'a str,
    /// The version asked for, without protocol and alias; the entry as written if it names none.
    pub version_req: Option<&'a str>,
    pub source: SpecifierSource<'a>,
}

/// The source that a specifier asks for.
pub enum SpecifierSource<'a> {
    /// `workspace:^1.2`: a member of the workspace, and nothing else.
    Workspace,
    /// `workspace:../lib`: a member of the workspace, by its directory.
    WorkspacePath(&'a str),
    /// `file:`, `link:`, `portal:`, or a bare path.
    Path(&'a str),
    /// `^1.2`: the registry, or a member of the workspace whose version fits.
    Range(NpmRange),
    /// `latest`: whatever the registry calls so.
    Tag,
    /// `catalog:`, `catalog:name`: what that catalog of the workspace says.
    Catalog(&'a str),
    /// A URL, a repository, a tarball, a file outside.
    Elsewhere,
}

impl SpecifierSource<'_> {
    /// True if the entry must resolve to a member.
    pub fn is_workspace(&self) -> bool {
        matches!(self, SpecifierSource::Workspace | SpecifierSource::WorkspacePath(_))
    }
}

impl<'a> Specifier<'a> {
    /// True if any version is accepted, even a prerelease or none. `x` is not: npm and pnpm compare
    /// the text.
    pub fn accepts_any_version(&self) -> bool {
        matches!(self.version_req, None | Some("*"))
    }

    /// Parses an entry by its protocol, the part before the first colon.
    pub fn parse(name: &'a str, written: &'a str) -> Specifier<'a> {
        let written = written.trim();
        let (protocol, rest) = written.split_once(':').unwrap_or(("", written));
        match protocol {
            "workspace" => parse_workspace(name, rest),
            "npm" => parse_alias(name, rest),
            "catalog" => Specifier {
                name,
                version_req: Some(written),
                source: SpecifierSource::Catalog(match rest.trim() {
                    "" => "default",
                    catalog => catalog,
                }),
            },
            "file" | "link" | "portal" => {
                Specifier { name, version_req: Some(written), source: path_source(rest) }
            }
            _ => parse_plain(name, written),
        }
    }
}

/// Parses the rest of `workspace:`: a path, an alias `other@^1`, or a version.
fn parse_workspace<'a>(name: &'a str, rest: &'a str) -> Specifier<'a> {
    if rest.starts_with('.') || (rest.contains('/') && !rest.starts_with('@')) {
        return Specifier {
            name,
            version_req: Some(rest),
            source: SpecifierSource::WorkspacePath(rest),
        };
    }
    let (name, version) = split_alias(rest).unwrap_or((name, rest));
    Specifier { name, version_req: non_empty(version), source: SpecifierSource::Workspace }
}

/// Parses the rest of `npm:`. `npm:other@^1` asks for another name, and yarn's `npm:^1` for the
/// same.
fn parse_alias<'a>(name: &'a str, rest: &'a str) -> Specifier<'a> {
    if NpmRange::parse(rest).is_some() {
        return parse_plain(name, rest);
    }
    let (name, version) = split_alias(rest).unwrap_or((rest, ""));
    parse_plain(name, version)
}

/// Parses an entry without a protocol: a range, a path, a URL or repository, or a tag.
fn parse_plain<'a>(name: &'a str, written: &'a str) -> Specifier<'a> {
    let is_path = ["./", "../"].iter().any(|start| written.starts_with(start));
    let source = match NpmRange::parse(written) {
        Some(range) => SpecifierSource::Range(range),
        None if is_path || written == "." || written == ".." => path_source(written),
        None if written.contains([':', '/']) => SpecifierSource::Elsewhere,
        None => SpecifierSource::Tag,
    };
    Specifier { name, version_req: non_empty(written), source }
}

/// The source of a path. An absolute path never counts as inside of the repository.
fn path_source(path: &str) -> SpecifierSource<'_> {
    let is_absolute = path.starts_with(['/', '\\', '~']) || path.contains(':');
    if is_absolute { SpecifierSource::Elsewhere } else { SpecifierSource::Path(path) }
}

/// Splits `@scope/name@version` at the `@` that is not the scope's.
fn split_alias(text: &str) -> Option<(&str, &str)> {
    match text.rfind('@') {
        None | Some(0) => None,
        Some(at) => Some((&text[..at], &text[at + 1..])),
    }
}

fn non_empty(text: &str) -> Option<&str> {
    Some(text.trim()).filter(|text| !text.is_empty())
}
