//! Interfaces of the standard library of Go, with the methods that each requires. Types fulfil them
//! without naming them, and their source is not in the repository.
//!
//! The list has the interfaces that code commonly implements; it is not complete.

/// Interfaces by package and name, sorted, with their methods as Go writes them.
const INTERFACES: &[(&str, &[&str])] = &[
    (
        "context.Context",
        &[
            "Deadline() (deadline time.Time, ok bool)",
            "Done() <-chan struct{}",
            "Err() error",
            "Value(key any) any",
        ],
    ),
    ("driver.Valuer", &["Value() (driver.Value, error)"]),
    ("encoding.TextMarshaler", &["MarshalText() (text []byte, err error)"]),
    ("encoding.TextUnmarshaler", &["UnmarshalText(text []byte) error"]),
    ("error", &["Error() string"]),
    ("flag.Value", &["String() string", "Set(string) error"]),
    ("fmt.Stringer", &["String() string"]),
    ("http.CloseNotifier", &["CloseNotify() <-chan bool"]),
    ("http.Flusher", &["Flush()"]),
    ("http.Handler", &["ServeHTTP(http.ResponseWriter, *http.Request)"]),
    ("http.Hijacker", &["Hijack() (net.Conn, *bufio.ReadWriter, error)"]),
    ("http.Pusher", &["Push(target string, opts *http.PushOptions) error"]),
    (
        "http.ResponseWriter",
        &["Header() http.Header", "Write([]byte) (int, error)", "WriteHeader(statusCode int)"],
    ),
    ("http.RoundTripper", &["RoundTrip(*http.Request) (*http.Response, error)"]),
    ("io.ByteReader", &["ReadByte() (byte, error)"]),
    ("io.Closer", &[CLOSE]),
    ("io.ReadCloser", &[READ, CLOSE]),
    ("io.ReadWriteCloser", &[READ, WRITE, CLOSE]),
    ("io.ReadWriter", &[READ, WRITE]),
    ("io.Reader", &[READ]),
    ("io.ReaderFrom", &["ReadFrom(r io.Reader) (n int64, err error)"]),
    ("io.StringWriter", &["WriteString(s string) (n int, err error)"]),
    ("io.WriteCloser", &[WRITE, CLOSE]),
    ("io.Writer", &[WRITE]),
    ("io.WriterTo", &["WriteTo(w io.Writer) (n int64, err error)"]),
    ("json.Marshaler", &["MarshalJSON() ([]byte, error)"]),
    ("json.Unmarshaler", &["UnmarshalJSON([]byte) error"]),
    ("sort.Interface", &["Len() int", "Less(i, j int) bool", "Swap(i, j int)"]),
    ("sql.Scanner", &["Scan(src any) error"]),
    ("sync.Locker", &["Lock()", "Unlock()"]),
];

/// Structs that are commonly embedded for their methods.
const STRUCTS: &[(&str, &[&str])] = &[
    ("sync.Mutex", &["Lock()", "Unlock()", "TryLock() bool"]),
    ("sync.RWMutex", &["Lock()", "Unlock()", "RLock()", "RUnlock()", "TryLock() bool"]),
];

/// Names that other types of well-known libraries have as well: `heap.Interface`,
/// `bufio.ReadWriter`, `bufio.Scanner`, `reflect.Value`. They are not recognized without a package.
const AMBIGUOUS_NAMES: &[&str] = &["Interface", "ReadWriter", "Scanner", "Value"];

const READ: &str = "Read(p []byte) (n int, err error)";
const WRITE: &str = "Write(p []byte) (n int, err error)";
const CLOSE: &str = "Close() error";

/// Returns the interfaces with this name in any package: `http.Handler` for `Handler`.
pub fn find_go_interfaces(name: &str) -> impl Iterator<Item = &'static str> {
    let known = INTERFACES.iter().map(|(known, _)| *known);
    known.filter(move |known| known.split_once('.').is_some_and(|(_, own)| own == name))
}

/// Returns the methods that an interface requires, as Go writes them. The name includes the
/// package.
pub fn go_interface_methods(name: &str) -> Option<&'static [&'static str]> {
    let (_, methods) = INTERFACES.iter().find(|(known, _)| *known == name)?;
    Some(methods)
}

/// Returns the methods of an interface or a struct by its name without the package. `None` for a
/// name that several libraries use.
pub fn go_type_methods(name: &str) -> Option<&'static [&'static str]> {
    let own = |known: &'static str| known.rsplit('.').next().unwrap_or(known);
    let mut known = INTERFACES.iter().chain(STRUCTS);
    let (_, methods) =
        known.find(|(known, _)| own(known) == name && !AMBIGUOUS_NAMES.contains(&name))?;
    Some(methods)
}

/// Splits a method as Go writes it into its name and the types of its parameters. Several names may
/// share one type; no type in the tables has brackets of its own.
pub fn split_go_method(method: &str) -> (&str, Vec<&str>) {
    let (name, rest) = method.split_once('(').unwrap_or((method, ""));
    let inner = rest.split(')').next().unwrap_or_default();
    let mut types: Vec<&str> = inner.split(',').map(str::trim).collect();
    types.retain(|written| !written.is_empty());
    let has_names = types.iter().any(|written| written.contains(' '));
    let mut last = "";
    // From the last to the first: in `i, j int`, a name without a type has the type after it.
    for written in types.iter_mut().rev().filter(|_| has_names) {
        last = written.split_once(' ').map_or(last, |(_, own)| own);
        *written = last;
    }
    (name, types)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_types() {
        let all = INTERFACES.iter().flat_map(|(_, methods)| *methods);
        for method in all {
            assert!(!split_go_method(method).0.is_empty(), "{method}");
        }
        assert_eq!(split_go_method("Less(i, j int) bool"), ("Less", vec!["int", "int"]));
        assert_eq!(split_go_method("Flush()"), ("Flush", vec![]));
        let handler = ["http.ResponseWriter", "*http.Request"];
        let served = "ServeHTTP(http.ResponseWriter, *http.Request)";
        assert_eq!(split_go_method(served), ("ServeHTTP", handler.to_vec()));
        assert_eq!(split_go_method(READ), ("Read", vec!["[]byte"]));
    }

    #[test]
    fn names_with_and_without_their_package() {
        let known: Vec<&str> = find_go_interfaces("Handler").collect();
        assert_eq!(known, ["http.Handler"]);
        assert_eq!(go_interface_methods("Handler"), None);
        assert_eq!(go_interface_methods("io.Closer"), Some(&[CLOSE][..]));
        assert_eq!(go_type_methods("Closer"), Some(&[CLOSE][..]));
        assert_eq!(go_type_methods("Value"), None);
        assert!(go_type_methods("Mutex").is_some() && go_interface_methods("sync.Mutex").is_none());
    }
}
