//! The skills family: ccski's one tool to the letter, and lists, validation, suggestions and the
//! Skills extension of MCP. Skills are read from folders; nothing of them is stored.

mod capabilities;
pub mod list_skills;
mod mcp_extension;
pub mod skill;
pub mod suggest_skills;
mod tool_description;
mod uri;
pub mod validate_skills;

pub use capabilities::SkillCapabilities;

/// Joins the words of a text on one line, as lists show it.
fn to_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
