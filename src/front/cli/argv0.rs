//! The names that users of the original programs type. `shire` and `spox` are small programs that
//! start `ken` with `--called-as NAME` as the first arguments.

use std::ffi::OsString;

/// The first argument; the name follows it.
const CALLED_AS: &str = "--called-as";

/// Returns the name that `ken` was called by, and the arguments for it; `None` for a plain `ken`.
pub fn split_called_as(arguments: &[OsString]) -> Option<(&str, Vec<OsString>)> {
    let (first, rest) = arguments.split_first()?.1.split_first()?;
    // The name takes the place of `argv[0]`, which clap shows in its help.
    let (name, rest) = rest.split_first()?;
    let name = name.to_str().filter(|_| first == CALLED_AS)?;
    let arguments = [OsString::from(name)].into_iter().chain(rest.iter().cloned());
    Some((name, arguments.collect()))
}
