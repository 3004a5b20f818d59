//! Prefixes that a model expects before a text, so that the vectors of queries and their answers
//! are near each other. Such models were trained with these words and perform worse without them.

use crate::Purpose;

/// The prefixes of a family of models, which were trained with them.
struct QueryPrefix {
    /// A part of the model's name, in lower case.
    model: &'static str,
    query: &'static str,
    document: &'static str,
}

/// The prefixes, as the makers of each model document them. Models that are not listed need none.
const PROMPTS: &[QueryPrefix] = &[
    QueryPrefix {
        model: "nomic-embed-code",
        query: "Represent this query for searching relevant code: ",
        document: "",
    },
    QueryPrefix {
        model: "nomic-embed-text",
        query: "search_query: ",
        document: "search_document: ",
    },
    QueryPrefix {
        model: "mxbai-embed-large",
        query: "Represent this sentence for searching relevant passages: ",
        document: "",
    },
    QueryPrefix {
        model: "snowflake-arctic-embed",
        query: "Represent this sentence for searching relevant passages: ",
        document: "",
    },
    QueryPrefix {
        model: "qwen3-embedding",
        query: "Instruct: Given a question about a codebase, retrieve code that answers it\nQuery:",
        document: "",
    },
    // Only the English models of this family; bge-m3 needs none.
    QueryPrefix { model: "bge-small-en", query: BGE, document: "" },
    QueryPrefix { model: "bge-base-en", query: BGE, document: "" },
    QueryPrefix { model: "bge-large-en", query: BGE, document: "" },
];

const BGE: &str = "Represent this sentence for searching relevant passages: ";

/// Returns the text with the prefix of this model for this purpose.
pub fn add_prefix(model: &str, purpose: Purpose, text: &str) -> String {
    let model = model.to_lowercase();
    let prompt = PROMPTS.iter().find(|prompt| model.contains(prompt.model));
    let words = match (prompt, purpose) {
        (None, _) => "",
        (Some(prompt), Purpose::Query) => prompt.query,
        (Some(prompt), Purpose::Document) => prompt.document,
    };
    format!("{words}{text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_gets_what_it_wants() {
        let check = |model, purpose, expected: &str| {
            assert_eq!(add_prefix(model, purpose, "x"), expected, "{model}");
        };
        check("nomic-embed-text:latest", Purpose::Query, "search_query: x");
        check("nomic-embed-text", Purpose::Document, "search_document: x");
        check("mlx-community/bge-small-en-v1.5-4bit", Purpose::Document, "x");
        check("text-embedding-3-small", Purpose::Query, "x");
        assert!(add_prefix("BAAI/bge-base-en-v1.5", Purpose::Query, "x").starts_with("Represent"));
    }
}
