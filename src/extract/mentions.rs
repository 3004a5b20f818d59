//! How source code mentions a package that it uses, for the ecosystems where name and mention are
//! tied. Where they are not (a Maven artifact says nothing of the Java packages inside), nothing
//! can be concluded from silence, and there is no entry.

/// The texts of which one must stand in the source of a package of `kind` that uses `name`.
/// `None` if this ecosystem does not tie them.
pub fn mentions(kind: &str, name: &str) -> Option<Vec<String>> {
    let identifier = name.replace(['-', '.'], "_");
    match kind {
        // An import, a path inside the package, or a configuration that extends it.
        "npm" => Some(
            ["\"", "'", "`"]
                .iter()
                .flat_map(|quote| [format!("{quote}{name}{quote}"), format!("{quote}{name}/")])
                .collect(),
        ),
        "cargo" => Some(vec![identifier]),
        "go" => Some(vec![format!("\"{name}\""), format!("\"{name}/")]),
        // `acme-core` is imported as `acme_core`, or as `acme.core` from a namespace package.
        "python" => {
            let dotted = name.replace('-', ".");
            Some(vec![identifier.to_lowercase(), identifier, dotted])
        }
        "dart" => Some(vec![format!("package:{name}/")]),
        _ => None,
    }
}
