//! An npm registry on loopback that has every package in the same versions. It serves metadata
//! only: nothing is downloaded to decide where a dependency comes from.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};

pub struct Registry {
    pub url: String,
}

impl Registry {
    /// Serves until the process ends.
    pub fn start() -> Registry {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A client that goes away is no reason to stop.
                std::thread::spawn(|| answer(stream));
            }
        });
        Registry { url }
    }
}

fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut header = String::new();
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }
    let path = request.split(' ').nth(1).unwrap_or_default();
    let body = metadata(&path.trim_start_matches('/').replace("%2f", "/"));
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    )
}

fn metadata(name: &str) -> String {
    let versions: Vec<String> = (0..10)
        .flat_map(|major| (0..15).map(move |minor| (major, minor / 3, minor % 3)))
        .map(|(major, minor, patch)| format!("{major}.{minor}.{patch}"))
        .map(|version| {
            let tarball = format!("http://127.0.0.1:9/{version}.tgz");
            format!(
                r#""{version}": {{"name": "{name}", "version": "{version}",
                    "dist": {{"tarball": "{tarball}", "integrity": "sha512-AAAA"}}}}"#
            )
        })
        .collect();
    format!(
        r#"{{"name": "{name}", "dist-tags": {{"latest": "9.4.2"}}, "versions": {{{}}}}}"#,
        versions.join(",")
    )
}
