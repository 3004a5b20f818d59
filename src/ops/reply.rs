//! The reply of an operation, before an entry point renders it.
//!
//! A reply is typed inside of the program and becomes JSON only at the wire. [`ReplyType`] is the
//! other direction: it turns JSON from a peer back into the type.

use std::any::Any;
use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::OpError;

/// The reply of an operation. It holds the operation's own type; an entry point takes that type out
/// and renders it, or makes JSON of it at the wire.
#[derive(Debug)]
pub enum Reply {
    /// One value of the operation's reply type.
    Object(Box<dyn ReplyData>),
    /// A `Vec` of several things. Text shows a bare array; structured content, which must be an
    /// object for older clients, holds it under `results`.
    List(Box<dyn ReplyData>),
    /// A document in a format of its own (DOT, SVG, …), shown as it is.
    Document { text: String, format: &'static str },
    /// A text that is the whole answer, to be shown byte for byte and in no other form: a client
    /// that prefers structured content would see it escaped.
    Text(String),
    /// A sentence in place of an answer, where the contract wants a success that says
    /// "not found". A shell still sees it as a failure.
    Notice(String),
    /// A notice about an unknown name, with a hint for the entry points that may show one.
    NotFound { text: String, hint: String },
}

/// The data of a reply. Every owned type that implements `Serialize` is one.
pub trait ReplyData: Any + Send {
    /// Converts the data to JSON.
    fn to_json(&self) -> Value;
}

impl<T: Any + Send + Serialize> ReplyData for T {
    /// Numbers and keys have the form that `serde_json::Value` gives them, on every entry point.
    fn to_json(&self) -> Value {
        serde_json::to_value(self).expect("reply types have text keys")
    }
}

impl dyn ReplyData {
    /// True if the data is a `T`.
    pub fn is<T: Any>(&self) -> bool {
        (self as &dyn Any).is::<T>()
    }

    /// Returns the data as a `T`, if it is one.
    pub fn downcast_ref<T: Any>(&self) -> Option<&T> {
        (self as &dyn Any).downcast_ref()
    }

    /// Takes the data out as a `T`, if it is one.
    fn downcast<T: Any>(self: Box<Self>) -> Option<T> {
        let data: Box<dyn Any> = self;
        data.downcast().ok().map(|data| *data)
    }
}

impl fmt::Debug for dyn ReplyData {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "{}", self.to_json())
    }
}

impl Reply {
    /// Creates a reply with one value.
    pub fn object(value: impl ReplyData) -> Reply {
        Reply::Object(Box::new(value))
    }

    /// Creates a reply with a list. It is always a `Vec<T>`, so that [`Reply::into_list`] can take
    /// it out.
    ///
    /// An empty list is a success that says that there is nothing.
    pub fn list<T: Any + Send + Serialize>(items: impl IntoIterator<Item = T>) -> Reply {
        Reply::List(Box::new(Vec::from_iter(items)))
    }

    /// Returns the object that the operation replied with. A notice becomes an error.
    pub fn into_object<T: Any>(self) -> Result<T, OpError> {
        match self {
            Reply::Object(data) => data.downcast().ok_or_else(unexpected_type::<T>),
            other => Err(other.into_error::<T>()),
        }
    }

    /// Returns the items of the list that the operation replied with. A notice becomes an error.
    pub fn into_list<T: Any>(self) -> Result<Vec<T>, OpError> {
        match self {
            Reply::List(data) => data.downcast().ok_or_else(unexpected_type::<T>),
            other => Err(other.into_error::<T>()),
        }
    }

    /// Converts a reply that is not the expected object to an error. A notice keeps its text.
    fn into_error<T>(self) -> OpError {
        match self {
            Reply::Notice(text) => OpError::new(super::ErrorKind::NotFound, text),
            Reply::NotFound { text, hint } => {
                OpError::new(super::ErrorKind::NotFound, text).hint(hint)
            }
            _ => unexpected_type::<T>(),
        }
    }

    /// Returns compact text for a reader that pays by the token, and the same as a JSON object for
    /// a program; no object for a text or a notice. Serialises once for both.
    pub fn contents(&self) -> (String, Option<Value>) {
        match self {
            Reply::Object(data) => {
                let json = data.to_json();
                (json.to_string(), Some(json))
            }
            Reply::List(data) => {
                let json = data.to_json();
                (json.to_string(), Some(json!({ "results": json })))
            }
            Reply::Document { text, format } => {
                (text.clone(), Some(json!({ "format": format, "text": text })))
            }
            Reply::Text(text) | Reply::Notice(text) | Reply::NotFound { text, .. } => {
                (text.clone(), None)
            }
        }
    }
}

/// The error of an operation whose reply has another type than the caller asked for. It is a defect
/// of this program.
fn unexpected_type<T>() -> OpError {
    let name = std::any::type_name::<T>();
    OpError::internal(format!("the operation does not reply with {name}"))
}

/// The type of an operation's reply. It parses JSON from another machine back into that type, and
/// checks in debug builds that an operation replies with it.
///
/// `ReplyType::of::<T>()` covers both a `T` and a list of `T`, because some operations reply with
/// either.
#[derive(Clone, Copy)]
pub struct ReplyType {
    /// Parses one value.
    object: ParseReply,
    /// Parses a list of values.
    list: ParseReply,
}

/// Parses JSON into a boxed reply type; `None` for another shape.
type ParseReply = fn(Value) -> Option<Box<dyn ReplyData>>;

impl ReplyType {
    /// The type of an operation that replies with text alone.
    pub const TEXT: ReplyType = ReplyType::of::<Value>();

    /// The type of an operation that replies with a `T`, or with a list of them.
    pub const fn of<T: ReplyData + Serialize + DeserializeOwned>() -> ReplyType {
        ReplyType { object: parse_reply::<T>, list: parse_reply::<Vec<T>> }
    }

    /// True if a reply is text, or holds this type and survives a trip to another machine. It
    /// serialises twice, so only debug builds call it.
    pub fn matches_reply(&self, reply: &Reply) -> bool {
        let (data, parsed) = match reply {
            Reply::Object(data) => (data, (self.object)(data.to_json())),
            Reply::List(data) => (data, (self.list)(data.to_json())),
            _ => return true,
        };
        // The same type and the same JSON: nothing is lost on a round trip.
        parsed.is_some_and(|parsed| {
            let is_same_type = (*parsed).type_id() == (**data).type_id();
            is_same_type && parsed.to_json() == data.to_json()
        })
    }

    /// Parses an object; `None` if it has another shape.
    pub fn parse_object(&self, json: Value) -> Option<Reply> {
        (self.object)(json).map(Reply::Object)
    }

    /// Parses a list; `None` if an item has another shape.
    pub fn parse_list(&self, json: Value) -> Option<Reply> {
        (self.list)(json).map(Reply::List)
    }
}

impl fmt::Debug for ReplyType {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.debug_struct("ReplyType").finish_non_exhaustive()
    }
}

/// Parses JSON into a `T`, boxed.
fn parse_reply<T: ReplyData + DeserializeOwned>(json: Value) -> Option<Box<dyn ReplyData>> {
    let parsed: T = serde_json::from_value(json).ok()?;
    Some(Box::new(parsed))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Kettle {
        name: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        size: Option<u32>,
    }

    fn kettle() -> Kettle {
        Kettle { name: "k".to_string(), size: None }
    }

    #[test]
    fn a_reply_holds_its_type() {
        assert_eq!(Reply::object(kettle()).into_object::<Kettle>().ok(), Some(kettle()));
        assert_eq!(Reply::list([kettle()]).into_list::<Kettle>().ok(), Some(vec![kettle()]));
        assert!(Reply::object(kettle()).into_object::<String>().is_err());
        assert!(Reply::list([kettle()]).into_object::<Kettle>().is_err());
        let error = Reply::Notice("no kettle".to_string()).into_list::<Kettle>().unwrap_err();
        assert_eq!(error.message, "no kettle");
    }

    #[test]
    fn json_is_made_at_the_wire() {
        let object = json!({ "name": "k" });
        assert_eq!(Reply::object(kettle()).contents(), (object.to_string(), Some(object)));
        let list = (r#"[{"name":"k"}]"#.to_string(), Some(json!({ "results": [{ "name": "k" }] })));
        assert_eq!(Reply::list([kettle()]).contents(), list);
        assert_eq!(Reply::Text("k".to_string()).contents(), ("k".to_string(), None));
    }

    #[test]
    fn json_becomes_the_type_again() {
        let of_kettles = ReplyType::of::<Kettle>();
        let one = of_kettles.parse_object(json!({ "name": "k" }));
        assert_eq!(one.unwrap().into_object::<Kettle>().ok(), Some(kettle()));
        let several = of_kettles.parse_list(json!([{ "name": "k" }]));
        assert_eq!(several.unwrap().into_list::<Kettle>().ok(), Some(vec![kettle()]));
        assert!(of_kettles.parse_object(json!({ "size": 3 })).is_none());
    }
}
