//! Chooses the subject of a question: definitions here, a file, a name of another library, or
//! nothing that has a name.

use super::definition_choice::is_bare_module;
use crate::graph::{Definition, Graph};
use crate::ops::OpError;
use crate::ops::code::reply_parts::{
    NameMatch, join_notes, keep_types, match_definitions, place_and_name,
};
use crate::search::intent::{Intent, ResearchQuestion};
use kenning_model::RepoPath;

/// The subject of a question.
pub enum ResearchSubject {
    /// Definitions in this repository.
    Known(Vec<Definition>),
    /// A file: everything that it defines.
    File(RepoPath),
    /// A name that is mentioned here and defined elsewhere.
    Foreign(String),
    /// No subject; the text says why, if the question named something.
    None(Option<String>),
}

/// Returns the subject, and a note about the choice. The first name with a definition wins: the
/// intent lists the most likely first.
pub fn choose_subject(
    graph: &Graph,
    asked: &ResearchQuestion,
) -> Result<(ResearchSubject, Option<String>), OpError> {
    for name in &asked.names {
        if let Some(path) = find_only_file(graph, &name.text)? {
            return Ok((ResearchSubject::File(path), None));
        }
        let mut found = graph.locate(&name.text)?;
        if found.is_empty() {
            continue;
        }
        if matches!(asked.intent, Intent::Implementations | Intent::Supertypes) {
            keep_types(&mut found);
        }
        if let Some((path, note)) = contents_of_module(graph, &found)? {
            return Ok((ResearchSubject::File(path), Some(note)));
        }
        return known_subject(graph, &name.text, found);
    }
    // A plain word that is defined nowhere is part of the sentence, not a name.
    let named = asked.names.iter().find(|name| name.is_code);
    let Some(named) = named.map(|name| name.text.clone()) else {
        return Ok((ResearchSubject::None(None), None));
    };
    let is_mentioned = match asked.intent {
        Intent::Implementations => !graph.find_external_subtypes(&named)?.is_empty(),
        _ => !graph.find_mentions(&named)?.is_empty(),
    };
    if is_mentioned {
        let note = format!("nothing here defines {named}: what follows goes by its name alone");
        return Ok((ResearchSubject::Foreign(named), Some(note)));
    }
    let nearest = graph.nearest_names(&named)?;
    let nearest = if nearest.is_empty() {
        String::new()
    } else {
        format!("; near it: {}", nearest.join(", "))
    };
    let note = format!("nothing here is called {named}{nearest}");
    Ok((ResearchSubject::None(Some(note)), None))
}

/// Returns the file with the contents of a module that is only declared, and a note about it. `None`
/// if something else has the name, or the file is not here.
fn contents_of_module(
    graph: &Graph,
    found: &[Definition],
) -> Result<Option<(RepoPath, String)>, OpError> {
    if !found.iter().any(is_bare_module) {
        return Ok(None);
    }
    let ranked = graph.rank_candidates(found.to_vec())?;
    let Some((declared, others)) = ranked.split_first().filter(|(first, _)| is_bare_module(first))
    else {
        return Ok(None);
    };
    let others: Vec<String> = others.iter().take(3).map(place_and_name).collect();
    let others = if others.is_empty() {
        String::new()
    } else {
        format!("; others of that name: {}", others.join(", "))
    };
    let name = declared.symbol.name.as_str();
    let folder = declared.path.as_str().rsplit_once('/').map_or("", |(folder, _)| folder);
    let is_contents = |path: &&RepoPath| {
        let mut segments = path.as_str().rsplit('/');
        let stem = segments.next().and_then(|file| file.split('.').next());
        let is_in_folder = stem == Some("mod") && segments.next() == Some(name);
        path.as_str().starts_with(folder) && (stem == Some(name) || is_in_folder)
    };
    let paths = graph.all_paths()?;
    let nearest = paths.iter().filter(is_contents).min_by_key(|path| path.as_str().len());
    Ok(nearest.map(|path| {
        let (at, line) = (&declared.path, declared.symbol.line);
        (path.clone(), format!("{name} is declared at {at}:{line}; {path} is the module{others}"))
    }))
}

/// Returns definitions of a name as the subject, and a note if there are several.
fn known_subject(
    graph: &Graph,
    text: &str,
    found: Vec<Definition>,
) -> Result<(ResearchSubject, Option<String>), OpError> {
    let labels = graph.signatures_with_other_labels(text, &found);
    let labels = labels.map(|labels| labels_note(text, &labels));
    let NameMatch { definitions, note } = match_definitions(graph, text, found)?;
    let several = (definitions.len() > 1 && note.is_none()).then(|| {
        let count = definitions.len();
        format!(
            "{count} definitions are called {text}; all were followed: name one as Type.member \
             or path:line for less"
        )
    });
    Ok((ResearchSubject::Known(definitions), join_notes([labels, note, several])))
}

/// Returns the file that a text names by its path or the end of it. `a.b` may be one, if nothing
/// has that name.
fn find_only_file(graph: &Graph, text: &str) -> Result<Option<RepoPath>, OpError> {
    let path = RepoPath::new(text).filter(|path| path.as_str().contains(['/', '.']));
    let Some(path) = path.filter(|_| !text.contains(['(', ':'])) else {
        return Ok(None);
    };
    if !text.contains('/') && !graph.find_definitions(text)?.is_empty() {
        return Ok(None);
    }
    let mut files = graph.files_with_suffix(&path)?;
    Ok((files.len() == 1).then(|| files.remove(0)))
}

/// Notes that no definition takes the argument labels of the question.
fn labels_note(text: &str, labels: &[String]) -> String {
    let there = labels.join(", ");
    format!("nothing here takes the labels of {text}; what follows goes by the name: {there}")
}
