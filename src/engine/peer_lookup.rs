//! What is on another machine: with a server of collections, only the one that indexed a repository
//! has its graph, its packages and its specs.

use super::indexing::advertised;
use super::{Engine, EngineError};
use crate::store::backends::Peer;

impl Engine {
    /// The machine to ask about the collection that an address means, if this one does not have what it
    /// was made of, and if the other has said where it can be asked.
    pub fn elsewhere(&self, address: Option<&str>) -> Result<Option<Peer>, EngineError> {
        let Some(remote) = self.remote()? else {
            return Ok(None);
        };
        let Ok(collection) = self.meant(&self.known_collections()?, address) else {
            return Ok(None);
        };
        if collection.has_code() {
            return Ok(None);
        }
        let cards = remote.collections()?;
        let card = cards.into_iter().find(|card| card.name == collection.name);
        let door = card.and_then(|card| card.door);
        let is_other = |door: &String| Some(door) != advertised(&self.config).as_ref();
        let token = self.config.text("http.token");
        Ok(door.filter(is_other).map(|door| Peer::new(&door, token)))
    }
}
