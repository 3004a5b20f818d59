//! What interfaces of Go's own library ask for, because types and interfaces are often made of them.

const KNOWN: &[(&str, &[&str])] = &[
    ("error", &["Error() string"]),
    ("Stringer", &["String() string"]),
    ("Reader", &["Read(p []byte) (n int, err error)"]),
    ("Writer", &["Write(p []byte) (n int, err error)"]),
    ("Closer", &["Close() error"]),
    (
        "ReadCloser",
        &["Read(p []byte) (n int, err error)", "Close() error"],
    ),
    (
        "WriteCloser",
        &["Write(p []byte) (n int, err error)", "Close() error"],
    ),
    (
        "ReadWriteCloser",
        &[
            "Read(p []byte) (n int, err error)",
            "Write(p []byte) (n int, err error)",
            "Close() error",
        ],
    ),
    (
        "StringWriter",
        &["WriteString(s string) (n int, err error)"],
    ),
    ("ByteReader", &["ReadByte() (byte, error)"]),
    (
        "ResponseWriter",
        &[
            "Header() http.Header",
            "Write([]byte) (int, error)",
            "WriteHeader(statusCode int)",
        ],
    ),
    ("Flusher", &["Flush()"]),
    (
        "Hijacker",
        &["Hijack() (net.Conn, *bufio.ReadWriter, error)"],
    ),
    ("CloseNotifier", &["CloseNotify() <-chan bool"]),
    (
        "Pusher",
        &["Push(target string, opts *http.PushOptions) error"],
    ),
    (
        "Handler",
        &["ServeHTTP(http.ResponseWriter, *http.Request)"],
    ),
    ("Locker", &["Lock()", "Unlock()"]),
    ("Mutex", &["Lock()", "Unlock()", "TryLock() bool"]),
    (
        "RWMutex",
        &[
            "Lock()",
            "Unlock()",
            "RLock()",
            "RUnlock()",
            "TryLock() bool",
        ],
    ),
    ("Marshaler", &["MarshalJSON() ([]byte, error)"]),
    ("Unmarshaler", &["UnmarshalJSON([]byte) error"]),
    (
        "Context",
        &[
            "Deadline() (deadline time.Time, ok bool)",
            "Done() <-chan struct{}",
            "Err() error",
            "Value(key any) any",
        ],
    ),
];

/// The methods of the interface that libraries call so.
pub fn methods(name: &str) -> Option<&'static [&'static str]> {
    let mut known = KNOWN.iter();
    let (_, methods) = known.find(|(known, _)| *known == name)?;
    Some(methods)
}
