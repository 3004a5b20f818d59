//! The error of building a spec index. A bad spec is never an error: it is a problem in the report.

use kenning_embed::EmbedError;
use kenning_store::StoreError;

/// The reasons why a spec index could not be built. The previous index stays in place.
#[derive(Debug, thiserror::Error)]
pub enum SpecBuildError {
    /// The user stopped the build. Both lower layers report this case, and both map to it here.
    #[error("cancelled; the next run continues where this one stopped")]
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
