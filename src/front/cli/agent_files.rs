//! The texts that `ken install --note` leaves for agents: a note, a skill, and the profile of a
//! subagent. `skills/ask-kenning` has the same skill for people who copy it by hand.

/// The note for agents in AGENTS.md or CLAUDE.md.
pub const NOTE: &str = "\
## Finding your way: Kenning

This repository is indexed by Kenning (MCP server `kenning`, command `ken`). Before grep and before \
reading files one by one: `search_code` for a question or a name, `package_dependencies` and \
`package_impact` for who needs whom, `search_specs` for what is demanded, `suggest_skills` for how it is \
done here. Answers say path and lines; read those. Before you finish a change, `ken review` lists what it \
may break and which tests to run.";

/// A file that belongs to Kenning as a whole.
pub struct AgentFile {
    /// The name in the report.
    pub title: &'static str,
    /// The path below the root.
    pub path: &'static str,
    /// The clients that read it.
    clients: &'static [&'static str],
    /// The text.
    pub text: &'static str,
}

/// The mark by which a file of ours is recognized.
const MARK: &str = "<!-- kenning: written by `ken install` -->";

/// Every such file.
pub const AGENT_FILES: &[AgentFile] = &[
    AgentFile {
        title: "skill for agents",
        path: ".claude/skills/ask-kenning/SKILL.md",
        clients: &["claude-code"],
        text: SKILL,
    },
    AgentFile {
        title: "skill for agents",
        path: ".agents/skills/ask-kenning/SKILL.md",
        clients: &["codex", "cursor", "gemini", "opencode", "vscode"],
        text: SKILL,
    },
    AgentFile {
        title: "subagent",
        path: ".claude/agents/code-finder.md",
        clients: &["claude-code"],
        text: SUBAGENT,
    },
];

/// The skill. Its description decides when an agent reads it.
const SKILL: &str = "\
---
name: ask-kenning
description: Ask Kenning before grep or before reading files one by one. Use to find where something is \
done or defined, who calls it, what a change breaks, which tests to run, and what a spec demands.
---

<!-- kenning: written by `ken install` -->

# Ask Kenning

| you want | ask the MCP server `kenning` | or in a shell |
|---|---|---|
| where something is done | `search_code` with a question or a name | `ken search where are requests retried` |
| how something works | `code_research` with the question | `ken research 'how does login work'` |
| every line with a text | `search_code_fulltext` | `ken grep 'TODO('` |
| a definition with its source | `get_symbol` | `ken symbol Session.login` |
| who calls it, what uses it | `callers`, `find_references` | `ken callers Session.login` |
| what a change breaks, which tests to run | `impact`, `review` | `ken review` |
| who depends on a package | `package_impact` | `ken packages impact core` |
| what a spec demands of this code | `trace` | `ken specs trace --symbol Session.login` |

An operation that the server does not list is called with `operation`. Answers name path and line: read \
those lines only. If an answer says that it left something out, it names the argument that adds it.
";

/// The profile of a subagent that finds code and returns places instead of files.
const SUBAGENT: &str = "\
---
name: code-finder
description: Finds where and how something is done in this repository and returns places with line \
numbers. Use for questions about the code that would need many searches or files.
---

<!-- kenning: written by `ken install` -->

Answer the question about this repository with Kenning (MCP server `kenning`, else the command `ken`).

1. Ask `code_research` with the whole question. If it names the definitions that matter, stop here.
2. Else ask `search_code`, then `callers`, `callees` or `get_symbol` for what it found.
3. Use grep only for texts that Kenning does not index.

Return the answer in a few sentences, then a list of `path:line name` with one clause each. Do not return \
whole files. Say what you did not find.
";

impl AgentFile {
    /// True if a client reads this file.
    pub fn is_for(&self, client: &str) -> bool {
        self.clients.contains(&client)
    }

    /// Returns our text in place of an older one. Fails for a file that somebody else wrote.
    pub fn replace(&self, before: &str) -> Result<String, String> {
        if before.trim().is_empty() || before.contains(MARK) {
            Ok(self.text.to_string())
        } else {
            Err("Kenning did not write this file; it was not changed".to_string())
        }
    }

    /// Returns nothing in place of our text, and any other text as it is.
    pub fn remove(&self, before: &str) -> Result<String, String> {
        Ok(if before.contains(MARK) { String::new() } else { before.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_skill_of_the_repository_is_the_installed_one() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/skills/ask-kenning/SKILL.md");
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(text, SKILL.replace(&format!("{MARK}\n\n"), ""));
    }

    #[test]
    fn a_file_of_somebody_else_stays() {
        for file in AGENT_FILES {
            assert!(file.text.contains(MARK), "{}", file.path);
            assert_eq!(file.replace("").as_deref(), Ok(file.text));
            assert_eq!(file.replace(file.text).as_deref(), Ok(file.text));
            assert_eq!(file.remove(file.text).as_deref(), Ok(""));
            assert!(file.replace("mine").is_err());
            assert_eq!(file.remove("mine").as_deref(), Ok("mine"));
        }
    }
}
