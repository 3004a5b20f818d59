//! An encrypted connection to PostgreSQL: the TLS parameters of the address, and the stream that
//! the driver uses. The driver brings its own async runtime, which drives this code; nothing blocks
//! here.
//!
//! A certificate is always verified, including its name, where libpq's `require` accepts any: an
//! encrypted connection to an unknown server would be no better than an open one.

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use postgres::Socket;
use postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, InvalidDnsNameError, ServerName};
use rustls::{ClientConfig, RootCertStore};
use sha2::{Digest, Sha256, Sha384, Sha512};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::TlsConnector;

use super::NAME;
use crate::StoreError;

/// The encryption that an address asks for, and the address without the parameters that the driver
/// does not know.
#[derive(Debug, PartialEq, Eq)]
pub struct TlsAddress {
    pub address: String,
    pub encryption: Encryption,
}

/// The encryption of a connection.
#[derive(Debug, PartialEq, Eq)]
pub enum Encryption {
    Open,
    /// Checked against these certificates, else against those that browsers trust.
    Checked {
        authorities: Option<PathBuf>,
    },
}

/// Splits an address into TLS parameters (`sslmode`, `sslrootcert`) and the rest, which the driver
/// parses. Handles URLs and the `key=value` form. Parameters that ask for a client certificate are
/// refused, because ignoring them would connect in another way than asked.
pub fn parse_address(address: &str) -> Result<TlsAddress, StoreError> {
    let is_url = address.starts_with("postgres://") || address.starts_with("postgresql://");
    let (before, parameters, separator) = match (is_url, address.split_once('?')) {
        (true, Some((before, parameters))) => (Some(before), parameters, '&'),
        (true, None) => (Some(address), "", '&'),
        (false, _) => (None, address, ' '),
    };
    let (mut mode, mut authorities, mut kept) = (None, None, Vec::new());
    for parameter in parameters.split(separator) {
        match parameter.split_once('=') {
            Some(("sslmode", value)) => mode = Some(value),
            Some(("sslrootcert", value)) if value != "system" => {
                authorities = Some(decode_path(value))
            }
            Some(("sslrootcert", _)) => {}
            Some((name @ ("sslcert" | "sslkey" | "sslcrl" | "sslpassword"), _)) => {
                return Err(address_error(
                    format!(
                        "the address has `{name}`, and this client shows no certificate of its own"
                    ),
                    "let the server ask for a password, or connect through a proxy that has the certificate",
                ));
            }
            _ => kept.push(parameter),
        }
    }
    let kept = kept.join(&separator.to_string());
    let address = match before {
        Some(before) if kept.is_empty() => before.to_string(),
        Some(before) => format!("{before}?{kept}"),
        None => kept,
    };
    let encryption = match mode {
        None | Some("disable" | "allow" | "prefer") => Encryption::Open,
        Some("require" | "verify-ca" | "verify-full") => Encryption::Checked { authorities },
        Some(other) => {
            return Err(address_error(
                format!("`sslmode={other}` means nothing"),
                "choose disable, require or verify-full",
            ));
        }
    };
    Ok(TlsAddress { address, encryption })
}

/// Decodes the percent escapes of a path in a URL.
fn decode_path(value: &str) -> PathBuf {
    let mut bytes = Vec::new();
    let mut rest = value.as_bytes();
    while let [first, behind @ ..] = rest {
        let code = behind
            .get(..2)
            .and_then(|code| std::str::from_utf8(code).ok())
            .and_then(|code| u8::from_str_radix(code, 16).ok());
        match (first, code) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            _ => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    PathBuf::from(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns an error about the address.
fn address_error(what: String, remedy: &str) -> StoreError {
    StoreError::Server { backend: NAME, what, remedy: remedy.to_string() }
}

/// Makes encrypted connections.
#[derive(Clone)]
pub struct Encrypted(TlsConnector);

impl Encrypted {
    /// Prepares TLS with the given authorities, or with those of Mozilla's root program.
    pub fn new(authorities: Option<&PathBuf>) -> Result<Encrypted, StoreError> {
        let mut roots = RootCertStore::empty();
        match authorities {
            None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
            Some(file) => {
                let unreadable = |error: &dyn std::fmt::Display| {
                    address_error(
                        format!("{}: {error}", file.display()),
                        "`sslrootcert` names a file with certificates in PEM form",
                    )
                };
                let read =
                    CertificateDer::pem_file_iter(file).map_err(|error| unreadable(&error))?;
                for certificate in read {
                    let certificate = certificate.map_err(|error| unreadable(&error))?;
                    roots.add(certificate).map_err(|error| unreadable(&error))?;
                }
                if roots.is_empty() {
                    return Err(unreadable(&"there is no certificate in it"));
                }
            }
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| {
                address_error(error.to_string(), "this is a defect of Kenning; please report it")
            })?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Encrypted(TlsConnector::from(Arc::new(config))))
    }
}

impl MakeTlsConnect<Socket> for Encrypted {
    type Stream = Stream;
    type TlsConnect = Handshake;
    type Error = InvalidDnsNameError;

    fn make_tls_connect(&mut self, host: &str) -> Result<Handshake, InvalidDnsNameError> {
        Ok(Handshake { connector: self.0.clone(), name: ServerName::try_from(host.to_string())? })
    }
}

/// A TLS handshake with a server of this name.
pub struct Handshake {
    connector: TlsConnector,
    name: ServerName<'static>,
}

impl TlsConnect<Socket> for Handshake {
    type Stream = Stream;
    type Error = std::io::Error;
    type Future = Pin<Box<dyn Future<Output = std::io::Result<Stream>> + Send>>;

    fn connect(self, socket: Socket) -> Self::Future {
        let connecting = self.connector.connect(self.name, socket);
        Box::pin(async move { connecting.await.map(Stream) })
    }
}

/// An encrypted stream.
pub struct Stream(tokio_rustls::client::TlsStream<Socket>);

impl TlsStream for Stream {
    // Lets SCRAM detect a man in the middle that has a valid certificate of its own.
    fn channel_binding(&self) -> ChannelBinding {
        let (_, session) = self.0.get_ref();
        let own = session.peer_certificates().and_then(|all| all.first());
        match own.and_then(|certificate| fingerprint(certificate)) {
            Some(print) => ChannelBinding::tls_server_end_point(print),
            None => ChannelBinding::none(),
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

/// Returns the channel binding data (RFC 5929, `tls-server-end-point`): the certificate's hash, by
/// the algorithm of its signature. It binds a password to this connection.
fn fingerprint(certificate: &[u8]) -> Option<Vec<u8>> {
    /// The object identifiers of RSA and of ECDSA signatures, without the last byte, which names
    /// the hash.
    const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01];
    const ECDSA: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03];
    let (whole, _) = element(certificate, 0x30)?;
    let (_, behind) = element(whole, 0x30)?;
    let (signature, _) = element(behind, 0x30)?;
    let (algorithm, _) = element(signature, 0x06)?;
    let (last, family) = algorithm.split_last()?;
    match (family, last) {
        // SHA-1 and MD5 are to be replaced by SHA-256.
        (RSA, 4 | 5 | 11) | (ECDSA, 2) => Some(Sha256::digest(certificate).to_vec()),
        (RSA, 12) | (ECDSA, 3) => Some(Sha384::digest(certificate).to_vec()),
        (RSA, 13) | (ECDSA, 4) => Some(Sha512::digest(certificate).to_vec()),
        _ => None,
    }
}

/// Returns the content of a DER element, and the bytes after it.
fn element(bytes: &[u8], kind: u8) -> Option<(&[u8], &[u8])> {
    let (&found, rest) = bytes.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(first), rest),
        _ => {
            let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            let digits = digits.iter().filter(|_| digits.len() <= 4);
            let length = digits.fold(0, |length, digit| length << 8 | usize::from(*digit));
            (length, rest)
        }
    };
    (found == kind).then(|| rest.split_at_checked(length)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(address: &str, expected: &str) {
        let shown = match parse_address(address) {
            Ok(TlsAddress { address, encryption: Encryption::Open }) => format!("{address} open"),
            Ok(TlsAddress { address, encryption: Encryption::Checked { authorities } }) => {
                format!("{address} checked {authorities:?}")
            }
            Err(error) => error.to_string(),
        };
        assert!(shown.contains(expected), "{address}: {shown}");
    }

    #[test]
    fn addresses() {
        check("postgres://a@b/c", "postgres://a@b/c open");
        check("postgres://a@b/c?sslmode=prefer", "postgres://a@b/c open");
        check(
            "postgres://a@b/c?sslmode=require&application_name=x",
            "postgres://a@b/c?application_name=x checked None",
        );
        check(
            "postgresql://a@b/c?connect_timeout=3&sslmode=verify-full&sslrootcert=/a%20b/ca.pem",
            "postgresql://a@b/c?connect_timeout=3 checked Some(\"/a b/ca.pem\")",
        );
        check("host=b user=a sslmode=verify-ca dbname=c", "host=b user=a dbname=c checked None");
        check("postgres://b/c?sslmode=maybe", "sslmode=maybe");
        check("postgres://b/c?sslkey=/x", "no certificate of its own");
        check("postgres://a:p%3Dss@b/c", "postgres://a:p%3Dss@b/c open");
    }

    #[test]
    fn a_certificate_is_known_by_its_hash() {
        // SEQUENCE { SEQUENCE {}, SEQUENCE { OID ecdsa-with-SHA256 } }
        let oid = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
        let mut certificate = vec![0x30, 14, 0x30, 0, 0x30, 10, 0x06, 8];
        certificate.extend(oid);
        assert_eq!(fingerprint(&certificate).unwrap().len(), 32);
        *certificate.last_mut().unwrap() = 3;
        assert_eq!(fingerprint(&certificate).unwrap().len(), 48);
        // Ed25519 leaves it open; nonsense is no certificate.
        *certificate.last_mut().unwrap() = 99;
        assert_eq!(fingerprint(&certificate), None);
        for end in 0..certificate.len() {
            assert_eq!(fingerprint(&certificate[..end]), None);
        }
        assert_eq!(element(&[0x30, 0x88, 1, 2], 0x30), None);
    }
}
