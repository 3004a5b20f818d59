//! Lookup of the peer that holds the rest of a collection. With a remote backend, only the machine
//! that indexed a repository has its graph, packages and specs.

use super::indexing::advertised_url;
use super::{Engine, EngineError};
use kenning_store::backends::Peer;

impl Engine {
    /// Returns the peer to ask about a collection, if this machine lacks its code index and the
    /// other one advertises an address.
    ///
    /// `None` also means that this machine can answer itself. The address comes from the backend;
    /// the token from the settings.
    ///
    /// An address that leads back to this machine is ignored, or a question would be passed in
    /// circles.
    pub fn find_peer(&self, address: Option<&str>) -> Result<Option<Peer>, EngineError> {
        let Some(remote) = self.remote_backend()? else {
            return Ok(None);
        };
        let Ok(collection) = self.resolve_collection(&self.known_collections()?, address) else {
            return Ok(None);
        };
        if collection.has_code() {
            return Ok(None);
        }
        let cards = remote.collections()?;
        let card = cards.into_iter().find(|card| card.name == collection.name);
        let indexer = card.and_then(|card| card.advertised_url);
        let is_other = |url: &String| Some(url) != advertised_url(&self.config).as_ref();
        let token = self.config.text("http.token");
        Ok(indexer.filter(is_other).map(|url| Peer::new(&url, token)))
    }
}
