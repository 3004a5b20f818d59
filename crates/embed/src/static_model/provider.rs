//! The embedded model as one of the providers. No model file of the user's choice: that is what the
//! other providers are for.

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::{Encoder, Model};
use crate::{EmbedError, Embedder, Identity, Provider, ProviderSettings, Purpose, State, Vectors};
use kenning_model::Progress;

pub static PROVIDER: Provider = Provider {
    name: "static",
    aliases: &["embedded", "kenning"],
    summary: "the model inside of this program: no network, no download, no key",
    state: |_: &ProviderSettings| State::Available {
        model: model_name(),
        why: "it is a part of this program".to_string(),
    },
    open: |_: &ProviderSettings| Ok(Box::new(StaticProvider::open())),
};

/// Texts between two questions whether anybody still wants them.
const TEXTS_AT_A_TIME: usize = 256;

thread_local! {
    /// Made once for each thread: to make one takes longer than to encode a small file.
    static ENCODER: RefCell<Encoder<'static>> = RefCell::new(Model::embedded().encoder());
}

/// The embedded model as an [`Embedder`].
struct StaticProvider {
    model: &'static Model,
    identity: Identity,
}

impl StaticProvider {
    fn open() -> Self {
        let model = Model::embedded();
        let identity = Identity {
            provider: PROVIDER.name.to_string(),
            model: model_name(),
            dimension: model.dimension(),
        };
        Self { model, identity }
    }

    /// Encodes texts on this thread.
    fn embed_batch(&self, texts: &[&str]) -> Vectors {
        let mut vectors = Vectors::with_capacity(self.model.dimension(), texts.len());
        let mut row = vec![0.0; self.model.dimension()];
        ENCODER.with_borrow_mut(|encoder| {
            for text in texts {
                encoder.encode(text, &mut row);
                vectors.push(&row);
            }
        });
        vectors
    }
}

impl Embedder for StaticProvider {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn is_local(&self) -> bool {
        true
    }

    /// Questions and documents are alike to it.
    fn embed(
        &self,
        texts: &[&str],
        _purpose: Purpose,
        progress: &dyn Progress,
    ) -> Result<Vectors, EmbedError> {
        // A question does not wait in the pool behind files that are being indexed.
        if texts.len() <= TEXTS_AT_A_TIME && !progress.is_cancelled() {
            return Ok(self.embed_batch(texts));
        }
        let done = AtomicUsize::new(0);
        let parts: Option<Vec<Vectors>> = texts
            .par_chunks(TEXTS_AT_A_TIME)
            .map(|part| {
                if progress.is_cancelled() {
                    return None;
                }
                let vectors = self.embed_batch(part);
                let done = done.fetch_add(part.len(), Ordering::Relaxed) + part.len();
                progress.report("embedding", done, Some(texts.len()));
                Some(vectors)
            })
            .collect();
        let mut vectors = Vectors::with_capacity(self.identity.dimension, texts.len());
        for part in parts.ok_or(EmbedError::Cancelled)? {
            vectors.append(part);
        }
        Ok(vectors)
    }
}

/// Returns the model's name with the beginning of its content_hash. A new model gets a new name
/// without a version bump, so vectors of two models never mix in one index.
fn model_name() -> String {
    format!("kenning-static-{}", &Model::embedded().content_hash()[..8])
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenning_model::Silent;

    #[test]
    fn rows_are_in_the_order_of_the_texts() {
        let owned: Vec<String> = (0..1000).map(|n| format!("parse header {n}")).collect();
        let texts: Vec<&str> = owned.iter().map(String::as_str).collect();
        let provider = StaticProvider::open();
        let vectors = provider.embed(&texts, Purpose::Document, &Silent).unwrap();
        assert_eq!(vectors.len(), texts.len());
        for number in [0, 255, 256, 999] {
            let alone = provider.embed_batch(&[texts[number]]);
            assert_eq!(vectors.row(number), alone.row(0), "{number}");
        }
    }

    #[test]
    fn nobody_wants_it_any_more() {
        struct Gone;
        impl Progress for Gone {
            fn report(&self, _stage: &str, _done: usize, _total: Option<usize>) {}
            fn is_cancelled(&self) -> bool {
                true
            }
        }
        let outcome = StaticProvider::open().embed(&["text"], Purpose::Query, &Gone);
        assert_eq!(outcome, Err(EmbedError::Cancelled));
    }
}
