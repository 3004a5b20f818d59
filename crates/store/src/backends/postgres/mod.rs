//! PostgreSQL with pgvector: a schema for each state of a collection, one transaction for each
//! batch of changes, and a snapshot for each request. Words are a table of postings with a covering
//! index; a vector is a `halfvec`.
//!
//! A rebuild writes to a schema of its own; the registry switches to it when it is complete. The
//! connection is not encrypted unless the address has `sslmode=require`; then the server's
//! certificate is checked.

mod filter_sql;
mod reader;
mod schema;
mod tls;
mod writer;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use postgres::config::{Host, SslMode};
use postgres::error::SqlState;
use postgres::{Client, Config, NoTls};

use self::tls::{Encrypted, Encryption};
use super::remote_api::{CollectionState, Records, Server};
use super::remote_collection::RemoteCollection;
use super::{
    Backend, BackendCapabilities, BackendEntry, CollectionInfo, CollectionReader, CollectionWriter,
    Connection, ServerInfo, WriterStart,
};
use crate::StoreError;
use crate::code::IndexSettings;

pub const ENTRY: BackendEntry = BackendEntry {
    name: "postgres",
    caps: BackendCapabilities {
        snapshots: true,
        exact_vectors: true,
        exact_rarity: true,
        shared: true,
    },
    summary: "PostgreSQL with pgvector, at DATABASE_URL",
    variable: "DATABASE_URL",
    connect: |connection| Ok(Arc::new(Postgres::new(connection)?)),
};

const NAME: &str = "postgres";

/// More connections than this are closed after use.
const MAX_IDLE: usize = 8;

/// A server that is up answers sooner.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A connection pool to one database.
#[derive(Clone)]
pub struct Postgres {
    shared: Arc<ClientPool>,
}

/// The pool. Clones of [`Postgres`] share it.
struct ClientPool {
    config: Config,
    /// `None` if the connection is in the clear.
    encrypted: Option<Encrypted>,
    idle: Mutex<Vec<Client>>,
}

impl Postgres {
    fn new(connection: &Connection) -> Result<Postgres, StoreError> {
        let wanted = tls::parse_address(&connection.url)?;
        let parsed: Result<Config, postgres::Error> = wanted.address.parse();
        let mut config = parsed.map_err(|error| StoreError::Server {
            backend: NAME,
            what: format!("DATABASE_URL is no address of a PostgreSQL server: {error}"),
            remedy: "give one such as postgres://user:password@host:5432/database".to_string(),
        })?;
        let is_socket = |host: &Host| !matches!(host, Host::Tcp(_));
        let encrypted = match &wanted.encryption {
            // A socket does not leave the machine; nobody encrypts it.
            Encryption::Checked { authorities } if !config.get_hosts().iter().all(is_socket) => {
                config.ssl_mode(SslMode::Require);
                Some(Encrypted::new(authorities.as_ref())?)
            }
            _ => None,
        };
        config.connect_timeout(CONNECT_TIMEOUT).application_name("kenning");
        let idle = Mutex::default();
        Ok(Postgres { shared: Arc::new(ClientPool { config, encrypted, idle }) })
    }

    /// Returns an idle connection, else a new one. If the server has closed an idle one, it was
    /// restarted, so the others are dropped too.
    fn client(&self) -> Result<Client, StoreError> {
        let idle = self.lock_idle().pop();
        if let Some(mut client) = idle {
            match client.is_valid(CONNECT_TIMEOUT) {
                Ok(()) => return Ok(client),
                Err(_) => self.lock_idle().clear(),
            }
        }
        let config = &self.shared.config;
        let connected = match &self.shared.encrypted {
            Some(encrypted) => config.connect(encrypted.clone()),
            None => config.connect(NoTls),
        };
        connected.map_err(to_store_error)
    }

    /// Returns a connection to the pool. No transaction may be open on it.
    fn return_client(&self, client: Client) {
        let mut idle = self.lock_idle();
        if idle.len() < MAX_IDLE && !client.is_closed() {
            idle.push(client);
        }
    }

    fn lock_idle(&self) -> std::sync::MutexGuard<'_, Vec<Client>> {
        let idle = self.shared.idle.lock();
        idle.unwrap_or_else(PoisonError::into_inner)
    }
}

impl Server for Postgres {
    fn begin(&self, name: &str) -> Result<(CollectionState, Box<dyn Records + '_>), StoreError> {
        let (head, rows) = reader::SnapshotRows::begin(self, name)?;
        Ok((head, Box::new(rows)))
    }
}

impl Backend for Postgres {
    fn server_info(&self) -> Result<ServerInfo, StoreError> {
        let mut client = self.client()?;
        let mut server = schema::describe(&mut client)?;
        if self.shared.encrypted.is_some() {
            server.push_str(", encrypted");
        }
        self.return_client(client);
        Ok(ServerInfo { server, silent_urls: Vec::new() })
    }

    fn collections(&self) -> Result<Vec<CollectionInfo>, StoreError> {
        let mut client = self.client()?;
        // Until a writer of this version comes, the column may have its old name or not exist.
        let select = "SELECT name, root,
                             coalesce(to_jsonb(one)->>'advertised_url', to_jsonb(one)->>'door')
                      FROM kenning.collections one ORDER BY name COLLATE \"C\"";
        let rows = match client.query(select, &[]) {
            Err(error) if is_missing(&error) => Vec::new(),
            rows => rows.map_err(to_store_error)?,
        };
        self.return_client(client);
        let cards = rows.iter().map(|row| CollectionInfo {
            name: row.get(0),
            root: row.get(1),
            advertised_url: row.get(2),
        });
        Ok(cards.collect())
    }

    fn open(&self, name: &str) -> Result<Box<dyn CollectionReader>, StoreError> {
        Ok(Box::new(RemoteCollection::open(Arc::new(self.clone()), name)?))
    }

    fn write(
        &self,
        card: &CollectionInfo,
        settings: &IndexSettings,
        begin: WriterStart,
    ) -> Result<Box<dyn CollectionWriter>, StoreError> {
        let client = self.client()?;
        Ok(Box::new(writer::PostgresWriter::begin(client, card, settings, begin)?))
    }

    fn remove(&self, name: &str) -> Result<(), StoreError> {
        let mut client = self.client()?;
        schema::remove(&mut client, name)?;
        self.return_client(client);
        Ok(())
    }
}

/// True if the registry or a schema does not exist: no collection was ever stored there, or it was
/// just removed.
fn is_missing(error: &postgres::Error) -> bool {
    let code = error.code();
    code == Some(&SqlState::UNDEFINED_TABLE) || code == Some(&SqlState::INVALID_SCHEMA_NAME)
}

/// Converts an error of the driver, with advice on how to fix it.
fn to_store_error(error: postgres::Error) -> StoreError {
    let code = error.code();
    let is = |state: &SqlState| code == Some(state);
    let what = match error.as_db_error() {
        Some(known) => known.message().to_string(),
        None => error_chain(&error),
    };
    let remedy = if what.contains("no encryption") || what.contains("SSL off") {
        "the server wants an encrypted connection: add `?sslmode=require` to DATABASE_URL"
    } else if what.contains("server does not support TLS") {
        "turn TLS on at the server, or leave `sslmode` out of DATABASE_URL where the way there is safe"
    } else if what.contains("certificate") {
        "add `&sslrootcert=FILE` to DATABASE_URL, with the certificate of the server's authority, and \
         use the name of the host that the server's certificate has"
    } else if error.is_closed() || code.is_none() {
        "check that PostgreSQL is up and that DATABASE_URL names its host and port"
    } else if is(&SqlState::INVALID_PASSWORD) || is(&SqlState::INVALID_AUTHORIZATION_SPECIFICATION)
    {
        "check the user and the password in DATABASE_URL"
    } else if is(&SqlState::INVALID_CATALOG_NAME) {
        "create the database, or name another in DATABASE_URL"
    } else if is(&SqlState::INSUFFICIENT_PRIVILEGE) {
        "the user needs CREATE on the database; without it, an owner must create the schema \
         `kenning` and the extension `vector`"
    } else if is(&SqlState::DISK_FULL) {
        "make room on the disk of the server"
    } else {
        "see the log of the server"
    };
    StoreError::Server { backend: NAME, what, remedy: remedy.to_string() }
}

/// Returns an error with its cause.
fn error_chain(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}
