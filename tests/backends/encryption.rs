//! PostgreSQL over TLS. The server that the suite brings along was built without it, so somebody stands
//! before it who speaks it: with a certificate for `localhost` of an authority that nobody else knows.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use kenning_store::StoreError;
use kenning_store::backends::{Backend, Connection, find};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection};

use crate::corpus::Corpus;
use crate::subject::{Subject, subjects};

fn file(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/backends/tls");
    folder.join(name)
}

fn connect(address: &str) -> Result<Arc<dyn Backend>, StoreError> {
    let connection = Connection { url: address.to_string(), ..Connection::default() };
    (find("postgres").unwrap().connect)(&connection)
}

/// Why an address cannot be used, and what to do.
fn refusal(address: &str) -> String {
    let outcome = connect(address).and_then(|backend| backend.server_info());
    match outcome.err().unwrap() {
        StoreError::Server { what, remedy, .. } => format!("{what}; {remedy}"),
        other => panic!("{other}"),
    }
}

/// Somebody who speaks TLS, and what goes on behind: the port.
fn guard(behind: Option<String>) -> u16 {
    let certificates = CertificateDer::pem_file_iter(file("server.pem")).unwrap();
    let certificates = certificates.map(Result::unwrap).collect();
    let key = PrivateKeyDer::from_pem_file(file("server.key")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(certificates, key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("localhost:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (config, behind) = (config.clone(), behind.clone());
            std::thread::spawn(move || pass(stream, config, behind.as_deref()));
        }
    });
    port
}

/// The client asks whether TLS is spoken; from then on everything is, and goes on in the clear.
fn pass(mut client: TcpStream, config: Arc<ServerConfig>, behind: Option<&str>) -> Option<()> {
    let mut question = [0; 8];
    client.read_exact(&mut question).ok()?;
    client.write_all(b"S").ok()?;
    let session = Arc::new(Mutex::new(ServerConnection::new(config).ok()?));
    let mut server = behind.and_then(|behind| TcpStream::connect(behind).ok());
    if let Some(server) = &server {
        let (from, to) = (server.try_clone().ok()?, client.try_clone().ok()?);
        let session = session.clone();
        std::thread::spawn(move || answer(from, to, &session));
    }
    let mut bytes = [0; 16 << 10];
    loop {
        let count = client.read(&mut bytes).ok().filter(|count| *count > 0);
        let Some(count) = count else {
            let _ = server.map(|server| server.shutdown(Shutdown::Both));
            return None;
        };
        let mut session = session.lock().unwrap();
        let mut fresh = &bytes[..count];
        while !fresh.is_empty() {
            session.read_tls(&mut fresh).ok()?;
            let state = session.process_new_packets();
            while session.wants_write() {
                session.write_tls(&mut client).ok()?;
            }
            let mut text = vec![0; state.ok()?.plaintext_bytes_to_read()];
            session.reader().read_exact(&mut text).ok()?;
            if let Some(server) = &mut server {
                server.write_all(&text).ok()?;
            }
        }
    }
}

fn answer(mut from: TcpStream, mut to: TcpStream, session: &Mutex<ServerConnection>) -> Option<()> {
    let mut bytes = [0; 16 << 10];
    loop {
        let count = from.read(&mut bytes).ok().filter(|count| *count > 0)?;
        let mut session = session.lock().unwrap();
        session.writer().write_all(&bytes[..count]).ok()?;
        while session.wants_write() {
            session.write_tls(&mut to).ok()?;
        }
    }
}

#[test]
fn a_server_must_show_who_it_is() {
    let port = guard(None);
    let unknown = refusal(&format!("postgres://a@localhost:{port}/a?sslmode=require"));
    assert!(unknown.contains("certificate") && unknown.contains("sslrootcert"), "{unknown}");
    // The certificate is for another name.
    let authority = file("authority.pem");
    let authority = authority.display();
    let other =
        format!("postgres://a@127.0.0.1:{port}/a?sslmode=verify-full&sslrootcert={authority}");
    let other = refusal(&other);
    assert!(other.contains("certificate") && other.contains("name of the host"), "{other}");
    let missing = refusal("postgres://a@localhost/a?sslmode=require&sslrootcert=/no/such/file");
    assert!(missing.contains("PEM"), "{missing}");
    let key = file("server.key");
    let empty = format!("postgres://a@localhost/a?sslmode=require&sslrootcert={}", key.display());
    let empty = refusal(&empty);
    assert!(empty.contains("no certificate in it"), "{empty}");
}

#[test]
fn a_server_that_does_not_speak_it_is_not_spoken_to() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let said = std::thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let mut question = [0; 8];
        client.read_exact(&mut question).unwrap();
        client.write_all(b"N").unwrap();
        let mut rest = Vec::new();
        let _ = client.read_to_end(&mut rest);
        rest
    });
    let refused = refusal(&format!("postgres://a:secret@127.0.0.1:{port}/a?sslmode=require"));
    assert!(refused.contains("turn TLS on"), "{refused}");
    assert_eq!(said.join().unwrap(), b"", "nothing was said in the clear");
}

#[test]
fn a_collection_is_written_and_read_over_tls() {
    let corpus = Corpus::read();
    let servers = subjects().into_iter();
    for open in servers.filter(|subject| subject.name == "postgres") {
        let behind = open.url.split('@').nth(1).unwrap();
        let (behind, database) = behind.split_once('/').unwrap();
        let user = open.url.split("//").nth(1).unwrap();
        let user = user.split('@').next().unwrap();
        let port = guard(Some(behind.to_string()));
        let authority = file("authority.pem");
        let url = format!(
            "postgres://{user}@localhost:{port}/{database}?sslmode=verify-full&sslrootcert={}",
            authority.display()
        );
        let backend = connect(&url).unwrap();
        let presence = backend.server_info().unwrap();
        assert!(presence.server.contains("encrypted"), "{presence:?}");
        let subject = Subject::at("postgres", backend, url);
        let lent = subject.collection();
        lent.apply(&corpus.settings(), &corpus.changes());
        let files = |shelf: &dyn kenning_store::backends::CollectionReader| {
            shelf.view().unwrap().files().unwrap()
        };
        let over_tls = files(&*lent.open());
        assert_eq!(over_tls.len(), corpus.files.len());
        assert_eq!(over_tls, files(&*open.backend.open(&lent.card.name).unwrap()));
    }
}
