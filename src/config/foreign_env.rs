//! Environment variables of other programs that set a value here: those of services, and those of
//! the original programs.
//!
//! Kenning's own variables are derived from the keys; see `env_and_flags`. A variable in this list
//! is only a default for a user who has it set anyway.

/// Variable → setting, from the weakest to the strongest. `KEN_…` is stronger than all of them.
pub const FOREIGN_VARIABLES: &[(&str, &str)] = &[
    ("QDRANT_URL", "qdrant.url"),
    ("QDRANT_API_KEY", "qdrant.key"),
    ("DATABASE_URL", "postgres.url"),
    ("OLLAMA_HOST", "ollama.url"),
    ("OPENAI_BASE_URL", "openai.url"),
    ("OPENAI_API_KEY", "openai.key"),
    ("VOYAGE_API_KEY", "voyage.key"),
    ("MLX_BASE_URL", "mlx.url"),
    // swift-index.
    ("SWIFTINDEX_PROVIDER", "embedding.provider"),
    ("SWIFTINDEX_EMBEDDING_PROVIDER", "embedding.provider"),
    ("SWIFTINDEX_EMBEDDING_MODEL", "embedding.model"),
    ("SWIFTINDEX_OLLAMA_HOST", "ollama.url"),
    ("SWIFTINDEX_OLLAMA_MODEL", "ollama.model"),
    ("SWIFTINDEX_OPENAI_API_KEY", "openai.key"),
    ("SWIFTINDEX_VOYAGE_API_KEY", "voyage.key"),
    // code-indexer.
    ("RERANKER_URL", "reranker.url"),
    ("RERANKER_API_KEY", "reranker.key"),
    ("RERANKER_MODEL_NAME", "reranker.model"),
    ("EMBEDDING_URL", "openai.url"),
    ("EMBEDDING_API_KEY", "openai.key"),
    ("EMBEDDING_MODEL_NAME", "openai.model"),
    ("EMBEDDING_VECTOR_SIZE", "openai.dimension"),
    ("EMBEDDING_BATCH_SIZE", "embedding.batch_size"),
    ("EMBEDDING_RETRIES", "embedding.retries"),
    ("EMBEDDING_RETRY_DELAY", "embedding.retry_delay_ms"),
    ("PORT", "http.port"),
    ("MCP_ENABLED", "mcp.enabled"),
    ("MCP_TRANSPORT", "mcp.transport"),
    ("MCP_SERVER_NAME", "mcp.server_name"),
    ("MCP_SERVER_VERSION", "mcp.server_version"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SETTINGS;

    #[test]
    fn every_variable_means_a_setting() {
        for (name, key) in FOREIGN_VARIABLES {
            let is_known = SETTINGS.iter().any(|setting| setting.key == *key);
            assert!(is_known, "{name}: there is no {key}");
        }
    }
}
