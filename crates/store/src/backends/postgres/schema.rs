//! The tables: one registry for all collections, and a PostgreSQL schema for each state of one.
//!
//!   kenning.collections (name, root, schema_name, advertised_url)
//!   kenning_HASH_N.state, files, chunks, postings, terms
//!
//! `schema_name` is the schema of the current state. `HASH` identifies the collection and `N` counts
//! its states. The registry has no version: [`prepare`] adds and renames columns, and readers accept
//! the old names, because only a writer may alter the table.

use postgres::{Client, GenericClient};

use super::to_store_error;
use crate::StoreError;
use crate::backends::CollectionInfo;
use crate::backends::rows_to_store;
use crate::code::IndexSettings;

/// The oldest pgvector with `halfvec`.
const OLDEST_PGVECTOR: (u32, u32) = (0, 7);

/// The advisory lock for creating the registry: two processes that begin at once would both create
/// it.
const LOCK: i64 = 0x6b65_6e6e;

/// Creates the registry and the extension if they are missing.
pub fn prepare(client: &mut Client) -> Result<(), StoreError> {
    let mut transaction = client.transaction().map_err(to_store_error)?;
    let lock = "SELECT pg_advisory_xact_lock($1)";
    transaction.execute(lock, &[&LOCK]).map_err(to_store_error)?;
    let extension = "CREATE EXTENSION IF NOT EXISTS vector";
    transaction.batch_execute(extension).map_err(to_extension_error)?;
    check_version(&mut transaction)?;
    transaction.batch_execute(REGISTRY).map_err(to_store_error)?;
    transaction.commit().map_err(to_store_error)
}

const REGISTRY: &str = "
CREATE SCHEMA IF NOT EXISTS kenning;
CREATE TABLE IF NOT EXISTS kenning.collections (
    name text PRIMARY KEY,
    root text NOT NULL,
    schema_name text NOT NULL,
    advertised_url text
);
DO $$
DECLARE
    columns text[] := ARRAY(SELECT attname::text FROM pg_attribute
                            WHERE attrelid = 'kenning.collections'::regclass AND NOT attisdropped);
BEGIN
    IF 'place' = ANY (columns) AND 'schema_name' <> ALL (columns) THEN
        ALTER TABLE kenning.collections RENAME COLUMN place TO schema_name;
    END IF;
    IF 'door' = ANY (columns) AND 'advertised_url' <> ALL (columns) THEN
        ALTER TABLE kenning.collections RENAME COLUMN door TO advertised_url;
    END IF;
    IF to_regclass('kenning.places') IS NOT NULL
       AND to_regclass('kenning.schema_numbers') IS NULL THEN
        ALTER SEQUENCE kenning.places RENAME TO schema_numbers;
    END IF;
END $$;
ALTER TABLE kenning.collections ADD COLUMN IF NOT EXISTS advertised_url text;
CREATE SEQUENCE IF NOT EXISTS kenning.schema_numbers";

/// Returns a description of the server with its versions. The `vector` extension need not be
/// installed yet, as long as it is available.
pub fn describe(client: &mut Client) -> Result<String, StoreError> {
    let row = client.query_one("SHOW server_version", &[]);
    let full_version: String = row.map_err(to_store_error)?.get(0);
    // As packagers put it: `18.1 (Debian 18.1-1)`.
    let server = full_version.split(' ').next().unwrap_or_default();
    let select = "SELECT installed_version, default_version FROM pg_available_extensions
                  WHERE name = 'vector'";
    let row = client.query_opt(select, &[]).map_err(to_store_error)?;
    let (made, offered): (Option<String>, Option<String>) =
        row.map_or((None, None), |row| (row.get(0), row.get(1)));
    let version =
        made.or(offered).ok_or_else(|| missing_extension_error("the server does not have it"))?;
    check_pgvector(&version)?;
    Ok(format!("PostgreSQL {server} with pgvector {version}"))
}

fn to_extension_error(error: postgres::Error) -> StoreError {
    match to_store_error(error) {
        StoreError::Server { what, .. } => missing_extension_error(&what),
        other => other,
    }
}

fn missing_extension_error(what: &str) -> StoreError {
    StoreError::Server {
        backend: super::NAME,
        what: format!("the extension `vector` cannot be had: {what}"),
        remedy: "install pgvector (0.7 or newer) on the server, and let an owner of the \
                 database run CREATE EXTENSION vector"
            .to_string(),
    }
}

/// Fails if the installed pgvector is too old.
fn check_version(client: &mut impl GenericClient) -> Result<(), StoreError> {
    let select = "SELECT extversion FROM pg_extension WHERE extname = 'vector'";
    let row = client.query_one(select, &[]).map_err(to_store_error)?;
    check_pgvector(row.get(0))
}

fn check_pgvector(version: &str) -> Result<(), StoreError> {
    let mut numbers = version.split('.').map(|part| part.parse().unwrap_or(0));
    let found = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if found < OLDEST_PGVECTOR {
        Err(StoreError::Server {
            backend: super::NAME,
            what: format!("pgvector {version} is too old"),
            remedy: "install pgvector 0.7 or newer and run ALTER EXTENSION vector UPDATE"
                .to_string(),
        })
    } else {
        Ok(())
    }
}

/// Creates an empty schema, which no reader sees yet, and returns its name.
pub fn create_schema(
    client: &mut Client,
    name: &str,
    settings: &IndexSettings,
) -> Result<String, StoreError> {
    let mut transaction = client.transaction().map_err(to_store_error)?;
    let next = "SELECT nextval('kenning.schema_numbers')";
    let number: i64 = transaction.query_one(next, &[]).map_err(to_store_error)?.get(0);
    let schema = format!("{}{number}", prefix(name));
    let dense = match settings.dimension {
        0 => "halfvec".to_string(),
        dimension => format!("halfvec({dimension})"),
    };
    let tables = TABLES.replace("{schema}", &schema).replace("{dense}", &dense);
    transaction.batch_execute(&tables).map_err(to_store_error)?;
    let insert = format!("INSERT INTO {schema}.state VALUES (0, 0, $1, '{{}}', '{{}}')");
    let settings = rows_to_store::settings_json(settings).to_string();
    transaction.execute(&insert, &[&settings]).map_err(to_store_error)?;
    transaction.commit().map_err(to_store_error)?;
    Ok(schema)
}

/// Returns the prefix of the names of a collection's schemas.
fn prefix(name: &str) -> String {
    let hash = blake3::hash(name.as_bytes()).to_hex();
    format!("kenning_{}_", &hash[..16])
}

/// Removes the unpublished schemas that a killed build has left.
pub fn drop_drafts(
    client: &mut Client,
    name: &str,
    published: Option<&str>,
) -> Result<(), StoreError> {
    let select = "SELECT nspname::text FROM pg_namespace WHERE starts_with(nspname, $1)";
    let rows = client.query(select, &[&prefix(name)]).map_err(to_store_error)?;
    for schema in rows.iter().map(|row| row.get::<_, String>(0)) {
        if Some(schema.as_str()) != published {
            drop_schema(client, &schema)?;
        }
    }
    Ok(())
}

/// The tables of one state. Blobs use `EXTERNAL` storage: they are compressed already.
/// `terms.chunk_count` is the document frequency, maintained with each write, because counting
/// postings per query would be slow.
const TABLES: &str = "
CREATE SCHEMA {schema};
SET LOCAL search_path TO {schema}, public;
CREATE TABLE state (
    generation bigint NOT NULL,
    chunks bigint NOT NULL,
    settings text NOT NULL,
    metadata text NOT NULL,
    overview text NOT NULL
);
CREATE TABLE files (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    path text COLLATE \"C\" NOT NULL UNIQUE,
    size bigint NOT NULL,
    modified_ns bigint NOT NULL,
    hash bytea NOT NULL,
    language text NOT NULL,
    is_test bool NOT NULL,
    package text,
    chunks int NOT NULL,
    symbols int NOT NULL,
    name_hashes int[] NOT NULL,
    trigrams int[] NOT NULL,
    text_blob bytea STORAGE EXTERNAL NOT NULL,
    symbols_blob bytea STORAGE EXTERNAL NOT NULL,
    problems text
);
CREATE INDEX ON files USING gin (name_hashes);
CREATE INDEX ON files USING gin (trigrams);
CREATE TABLE chunks (
    id bigint PRIMARY KEY,
    file bigint NOT NULL REFERENCES files ON DELETE CASCADE,
    path text COLLATE \"C\" NOT NULL,
    ordinal int NOT NULL,
    count int NOT NULL,
    dirs text[] NOT NULL,
    endings text[] NOT NULL,
    language text NOT NULL,
    package text,
    kind text NOT NULL,
    is_test bool NOT NULL,
    is_header bool NOT NULL,
    is_exported bool,
    symbol text,
    scope text,
    signature text,
    start_line int NOT NULL,
    end_line int NOT NULL,
    start_byte int NOT NULL,
    end_byte int NOT NULL,
    terms int[] NOT NULL,
    dense {dense},
    UNIQUE (path, ordinal)
);
CREATE INDEX ON chunks (file);
CREATE INDEX ON chunks USING gin (dirs);
CREATE INDEX ON chunks USING gin (endings);
CREATE INDEX ON chunks (language);
CREATE INDEX ON chunks (package);
CREATE INDEX ON chunks (kind);
CREATE INDEX ON chunks (symbol);
CREATE INDEX ON chunks (scope);
CREATE INDEX ON chunks (start_line);
CREATE INDEX ON chunks (end_line);
CREATE INDEX ON chunks (is_test);
CREATE INDEX ON chunks (is_exported);
CREATE TABLE postings (term int NOT NULL, chunk bigint NOT NULL, weight smallint NOT NULL);
CREATE INDEX ON postings (term, chunk) INCLUDE (weight);
CREATE TABLE terms (term int PRIMARY KEY, chunk_count bigint NOT NULL)
";

/// Returns the schema of a collection's current state; `None` if there is no such collection.
pub fn find_schema(
    client: &mut impl GenericClient,
    name: &str,
) -> Result<Option<String>, StoreError> {
    let select = "SELECT coalesce(to_jsonb(one)->>'schema_name', to_jsonb(one)->>'place')
                  FROM kenning.collections one WHERE name = $1";
    match client.query_opt(select, &[&name]) {
        Err(error) if super::is_missing(&error) => Ok(None),
        row => Ok(row.map_err(to_store_error)?.map(|row| row.get(0))),
    }
}

/// Makes a schema the current state of its collection, and drops the one before.
pub fn publish(client: &mut Client, card: &CollectionInfo, to: &str) -> Result<(), StoreError> {
    let before = find_schema(client, &card.name)?;
    let switch = "INSERT INTO kenning.collections (name, root, schema_name, advertised_url)
                  VALUES ($1, $2, $3, $4)
                  ON CONFLICT (name) DO UPDATE
                  SET root = excluded.root, schema_name = excluded.schema_name,
                      advertised_url = excluded.advertised_url";
    let values: [&(dyn postgres::types::ToSql + Sync); 4] =
        [&card.name, &card.root, &to, &card.advertised_url];
    client.execute(switch, &values).map_err(to_store_error)?;
    match before.filter(|before| before != to) {
        Some(before) => drop_schema(client, &before),
        None => Ok(()),
    }
}

/// Removes a collection.
pub fn remove(client: &mut Client, name: &str) -> Result<(), StoreError> {
    let Some(schema) = find_schema(client, name)? else {
        return Err(StoreError::Unknown { name: name.to_string() });
    };
    let delete = "DELETE FROM kenning.collections WHERE name = $1";
    client.execute(delete, &[&name]).map_err(to_store_error)?;
    drop_schema(client, &schema)
}

/// Drops a schema. Waits for transactions that read it.
pub fn drop_schema(client: &mut Client, schema: &str) -> Result<(), StoreError> {
    let sql = format!("DROP SCHEMA IF EXISTS {schema} CASCADE");
    client.batch_execute(&sql).map_err(to_store_error)
}
