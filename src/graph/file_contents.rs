//! Lines and members of indexed files.
//!
//! The text comes from the index and not from the disk, so lines and spans always agree.

use crate::graph::{Definition, Graph};
use kenning_model::{ChunkKind, RepoPath};
use kenning_store::StoreError;

impl Graph<'_> {
    /// Returns these lines of a file, from 1, both ends included; `None` if the file is not
    /// indexed.
    ///
    /// Lines beyond the end of the file are left out without an error.
    pub fn read_lines(
        &self,
        path: &RepoPath,
        start: u32,
        end: u32,
    ) -> Result<Option<String>, StoreError> {
        let Some(number) = self.snapshot.number_of(path)? else {
            return Ok(None);
        };
        let text = self.snapshot.text_of(number)?;
        Ok(text.map(|text| {
            let count = end.saturating_sub(start) as usize + 1;
            let lines = text.lines().skip(start.saturating_sub(1) as usize);
            lines.take(count).collect::<Vec<_>>().join("\n")
        }))
    }

    /// Returns the package of a file; `None` if it has none or is not indexed.
    pub fn package_of(&self, path: &RepoPath) -> Result<Option<String>, StoreError> {
        Ok(self.snapshot.file(path)?.and_then(|file| file.package))
    }

    /// Returns the direct members of a type, including those of its extensions, by path and line.
    ///
    /// Inherited members are not included. A member of another type with the same name is left out.
    pub fn all_members(&self, definition: &Definition) -> Result<Vec<Definition>, StoreError> {
        if !definition.is_type() {
            return self.nested_members(definition);
        }
        let whole = crate::graph::qualified_name(&definition.symbol);
        let mut found = Vec::new();
        for number in self.snapshot.files_with_members(&definition.symbol.name)? {
            let named = self.select_in_file_number(number, |symbol| {
                let scope = symbol.scope.as_deref();
                scope == Some(whole.as_str()) || scope == Some(definition.symbol.name.as_str())
            })?;
            for member in named {
                let owner = self.owner(&member)?;
                if owner.is_some_and(|owner| owner.target == definition.target) {
                    found.push(member);
                }
            }
        }
        found.sort_by(|a, b| (&a.path, a.symbol.line).cmp(&(&b.path, b.symbol.line)));
        Ok(found)
    }

    /// Returns the direct members of a definition that is not a type: a module, an extension.
    ///
    /// Headings of documents have no members.
    fn nested_members(&self, definition: &Definition) -> Result<Vec<Definition>, StoreError> {
        if definition.symbol.kind == ChunkKind::Section {
            return Ok(Vec::new());
        }
        let (outer, name) = (definition.symbol.span, definition.symbol.name.as_str());
        self.select_in_file(&definition.path, |symbol| {
            let last = symbol.scope.as_deref().and_then(|one| one.rsplit('.').next());
            let span = symbol.span;
            let is_within = outer.start_byte <= span.start_byte && span.end_byte <= outer.end_byte;
            is_within && span != outer && last == Some(name)
        })
    }

    /// Returns the definitions that these lines touch: the innermost, and those within the lines.
    /// If `first` is after `last`, the place between them is meant.
    ///
    /// This serves diffs: a hunk that only deletes has no lines of its own, only a place between
    /// two.
    pub fn definitions_touching(
        &self,
        path: &RepoPath,
        first: u32,
        last: u32,
    ) -> Result<Vec<Definition>, StoreError> {
        let mut found: Vec<Definition> = self.definitions_in_file(path)?;
        found.retain(|one| {
            let span = &one.symbol.span;
            let is_definition = one.symbol.kind != ChunkKind::Extension;
            is_definition && span.start_line <= last && first <= span.end_line
        });
        // A change of a member does not change its type.
        let spans: Vec<_> = found.iter().map(|one| one.symbol.span).collect();
        found.retain(|one| {
            let own = &one.symbol.span;
            let mut inner = spans.iter().filter(|inner| {
                *inner != own
                    && own.start_byte <= inner.start_byte
                    && inner.end_byte <= own.end_byte
            });
            let (low, high) = (first.min(last), first.max(last));
            !inner.any(|inner| inner.start_line <= low && high <= inner.end_line)
        });
        Ok(found)
    }
}
