//! Errors inside the store, before the file that they concern is known.

use std::path::Path;

use super::varint::Malformed;
use crate::StoreError;

#[derive(Debug)]
pub enum Failure {
    Sql(rusqlite::Error),
    Malformed(Malformed),
    InvalidArgument(String),
}

pub type StoreResult<T> = Result<T, Failure>;

impl Failure {
    pub fn with_path(self, path: &Path) -> StoreError {
        match self {
            Failure::Sql(source) => StoreError::sql(path, source),
            Failure::Malformed(malformed) => {
                StoreError::Damaged { path: path.to_path_buf(), what: malformed.to_string() }
            }
            Failure::InvalidArgument(what) => StoreError::InvalidArgument { what },
        }
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Failure {
        Failure::Sql(error)
    }
}

impl From<Malformed> for Failure {
    fn from(malformed: Malformed) -> Failure {
        Failure::Malformed(malformed)
    }
}
