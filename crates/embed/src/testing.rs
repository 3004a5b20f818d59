//! A fake local service that answers, fails or hangs as a test wants.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::Value;

/// The reaction of the service to one request.
pub enum ServiceReaction {
    /// Status, further headers, body.
    Answer(u16, &'static str, String),
    /// Promises a longer body than it sends.
    BreakOff(String),
    /// Never answers.
    FallSilent,
}

#[derive(Clone, Debug)]
pub struct Request {
    /// Method and path.
    pub line: String,
    /// In lower case.
    pub headers: String,
    pub body: Value,
}

pub struct FakeService {
    address: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl FakeService {
    /// Starts the service. It calls `act` with the number of each request and the request.
    pub fn new(
        act: impl Fn(usize, &Request) -> ServiceReaction + Send + Sync + 'static,
    ) -> FakeService {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let requests: Arc<Mutex<Vec<Request>>> = Arc::default();
        let noted = requests.clone();
        let act = Arc::new(act);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (noted, act) = (noted.clone(), act.clone());
                std::thread::spawn(move || serve(stream, &noted, &*act));
            }
        });
        FakeService { address, requests }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

fn serve(
    mut stream: TcpStream,
    noted: &Mutex<Vec<Request>>,
    act: &dyn Fn(usize, &Request) -> ServiceReaction,
) {
    let Some(request) = receive(&stream) else {
        return;
    };
    let number = {
        let mut noted = noted.lock().unwrap();
        noted.push(request.clone());
        noted.len() - 1
    };
    let head = |status: u16, headers: &str, length: usize| {
        format!(
            "HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n"
        )
    };
    let text = match act(number, &request) {
        ServiceReaction::Answer(status, headers, body) => head(status, headers, body.len()) + &body,
        ServiceReaction::BreakOff(body) => head(200, "", body.len() + 100) + &body,
        // Blocks until the client gives up.
        ServiceReaction::FallSilent => {
            let _ = stream.read(&mut [0]);
            return;
        }
    };
    let _ = stream.write_all(text.as_bytes());
}

fn receive(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut headers = String::new();
    let mut length = 0;
    loop {
        let mut header_line = String::new();
        reader.read_line(&mut header_line).ok()?;
        let header = header_line.trim().to_string();
        if header.is_empty() {
            break;
        }
        if let Some(value) = header.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        headers += &format!("{header}\n");
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let line: Vec<&str> = line.split(' ').take(2).collect();
    Some(Request {
        line: line.join(" "),
        headers,
        body: serde_json::from_slice(&body).unwrap_or(Value::Null),
    })
}
