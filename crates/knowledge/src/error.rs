//! Why the index of specs could not be built. A bad spec is never among the reasons.

use kenning_embed::EmbedError;
use kenning_store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum SpecBuildError {
    #[error("cancelled; what was read is kept, and the next run goes on from there")]
    Cancelled,
    #[error(transparent)]
    Store(StoreError),
    #[error(transparent)]
    Embed(EmbedError),
}

impl From<StoreError> for SpecBuildError {
    fn from(error: StoreError) -> SpecBuildError {
        match error {
            StoreError::Cancelled => SpecBuildError::Cancelled,
            other => SpecBuildError::Store(other),
        }
    }
}

impl From<EmbedError> for SpecBuildError {
    fn from(error: EmbedError) -> SpecBuildError {
        match error {
            EmbedError::Cancelled => SpecBuildError::Cancelled,
            other => SpecBuildError::Embed(other),
        }
    }
}
