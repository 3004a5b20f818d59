//! What stands in the text of a file, as it was indexed.

use super::{Definition, Graph};
use crate::model::{ChunkKind, RepoPath};
use crate::store::StoreError;

impl Graph<'_> {
    /// These lines of a file, from 1, both ends included; `None` if the file is not known.
    pub fn lines(
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

    /// The package that a file belongs to.
    pub fn package_of(&self, path: &RepoPath) -> Result<Option<String>, StoreError> {
        Ok(self.snapshot.file(path)?.and_then(|file| file.package))
    }

    /// What stands directly in a type, and what its extensions add, by path and line.
    pub fn members_of(&self, of: &Definition) -> Result<Vec<Definition>, StoreError> {
        if !of.is_type() {
            return self.inside(of);
        }
        let whole = super::qualified(&of.symbol);
        let mut found = Vec::new();
        for number in self.snapshot.files_with_members(&of.symbol.name)? {
            let named = self.in_number(number, |symbol| {
                let scope = symbol.scope.as_deref();
                scope == Some(whole.as_str()) || scope == Some(of.symbol.name.as_str())
            })?;
            for member in named {
                let owner = self.owner(&member)?;
                if owner.is_some_and(|owner| owner.target == of.target) {
                    found.push(member);
                }
            }
        }
        found.sort_by(|a, b| (&a.path, a.symbol.line).cmp(&(&b.path, b.symbol.line)));
        Ok(found)
    }

    /// What stands directly in a definition that is no type: a module, an extension.
    fn inside(&self, of: &Definition) -> Result<Vec<Definition>, StoreError> {
        if of.symbol.kind == ChunkKind::Section {
            return Ok(Vec::new());
        }
        let (outer, name) = (of.symbol.span, of.symbol.name.as_str());
        self.in_file(&of.path, |symbol| {
            let last = symbol.scope.as_deref().and_then(|one| one.rsplit('.').next());
            let span = symbol.span;
            let is_within = outer.start_byte <= span.start_byte && span.end_byte <= outer.end_byte;
            is_within && span != outer && last == Some(name)
        })
    }

    /// The definitions that these lines are part of: the innermost, and those that lie within. If
    /// `first` comes after `last`, the place between them is meant.
    pub fn touched(
        &self,
        path: &RepoPath,
        first: u32,
        last: u32,
    ) -> Result<Vec<Definition>, StoreError> {
        let mut found: Vec<Definition> = self.of_file(path)?;
        found.retain(|one| {
            let span = &one.symbol.span;
            let is_definition = one.symbol.kind != ChunkKind::Extension;
            is_definition && span.start_line <= last && first <= span.end_line
        });
        // A type is not changed by a change of its member.
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
