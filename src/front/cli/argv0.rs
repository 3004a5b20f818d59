//! The names that users of other tools type: `shire` and `spox` are small programs that call `ken` and
//! say by which name.

use std::ffi::OsString;

/// Comes first, and the name after it.
const CALLED_AS: &str = "--called-as";

/// The name that `ken` was called by, with the arguments that are meant for it.
pub fn split_called_as(arguments: &[OsString]) -> Option<(&str, Vec<OsString>)> {
    let (first, rest) = arguments.split_first()?.1.split_first()?;
    let (name, rest) = rest.split_first()?;
    let name = name.to_str().filter(|_| first == CALLED_AS)?;
    let arguments = [OsString::from(name)].into_iter().chain(rest.iter().cloned());
    Some((name, arguments.collect()))
}
