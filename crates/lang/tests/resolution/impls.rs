//! Impls of Rust, and the types that they are for.

use super::*;

#[test]
fn rust_impls_say_what_the_parameters_of_a_type_are() {
    check(
        "=== src/lib.rs
pub trait Buf { fn advance(&mut self, n: usize); }
pub trait Other { fn advance(&mut self, n: usize); }
pub struct Take<T> { inner: T, limit: usize }
impl<T: Buf> Buf for Take<T> { fn advance(&mut self, n: usize) {
    self.inner.advance(n); } }
impl<T> Take<T> where T: Buf { fn go(&mut self) { self.inner.advance(1); } }
pub struct R<B> { buf: B }
impl<B: Buf + Sized> R<B> { fn go(&mut self) { self.buf.advance(1) } }
",
        &[
            "src/lib.rs:5 advance → src/lib.rs:1 Buf.advance (high, requirement of the receiver's interface)",
            "src/lib.rs:6 advance → src/lib.rs:1 Buf.advance (high, requirement of the receiver's interface)",
            "src/lib.rs:8 advance → src/lib.rs:1 Buf.advance (high, requirement of the receiver's interface)",
        ],
    );
}

#[test]
fn an_impl_for_a_slice_is_called_as_it_is_written() {
    let table = symbol_table(
        "=== src/lib.rs
pub trait Buf { fn go(&self); }
impl Buf for &[u8] { fn go(&self) {} }
impl Buf for &mut [core::mem::MaybeUninit<u8>] { fn go(&self) {} }
impl<T: Buf> Buf for &mut T { fn go(&self) {} }
",
        &[],
        Load::Eager,
    );
    let symbols = table.file(0).symbols().iter();
    let impls = symbols.filter(|symbol| symbol.kind == kenning_model::ChunkKind::Extension);
    let names: Vec<&str> = impls.map(|symbol| symbol.name.as_str()).collect();
    let expected = ["&[u8]", "&mut [core::mem::MaybeUninit<u8>]", "&mut T"];
    assert_eq!(names, expected);
}

#[test]
fn a_call_on_a_wrapper_of_an_unknown_type_is_dispatched() {
    check(
        "=== src/lib.rs
use std::pin::Pin;
pub trait Read { fn poll(self: Pin<&mut Self>); }
impl<P> Read for Pin<P> { fn poll(self: Pin<&mut Self>) {} }
fn go<R>(reader: Pin<&mut R>) {
    reader.poll();
}
",
        &[
            "src/lib.rs:5 poll → src/lib.rs:2 Read.poll (high, requirement of the receiver's interface)",
        ],
    );
}
