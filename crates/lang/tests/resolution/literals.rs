//! Objects that are written out, and functions that are called by their own members.

use super::*;

#[test]
fn an_object_that_is_written_out_has_what_is_written() {
    check(
        "=== a.ts
function freeze<T>(o: T): Readonly<T> { return Object.freeze(o) }
type F1 = Readonly<{ create(n: number): string; clone(n: number): string }>
interface F2 { create(n: number): string }
type F3 = { create(n: number): string }
export const N1: F1 = freeze<F1>({ create(n) { return '' } })
export const N2: F2 = { create(n) { return '' } }
export const N3: F3 = { create(n) { return '' } }
export const N4 = freeze({ create(n: number) { return '' } })
export const N5 = { create(n: number) { return '' } }
export const N6: Readonly<F2> = freeze({ create(n: number) { return '' } })
export const N7 = Object.freeze({ create(n: number) { return '' } })
=== b.ts
import { N1, N2, N3, N4, N5, N6, N7 } from './a'
function u1() { N1.create(1)
  N2.create(1)
  N3.create(1)
  N4.create(1)
  N5.create(1)
  N6.create(1)
  N7.create(1)
  N1.clone(2)
}
",
        &[
            "b.ts:2 create → a.ts:2 F1.create (high, type of the receiver)",
            "b.ts:3 create → a.ts:3 F2.create (high, requirement of the receiver's interface)",
            "b.ts:4 create → a.ts:4 F3.create (high, type of the receiver)",
            "b.ts:5 create → a.ts:8 N4.create (high, type of the receiver)",
            "b.ts:6 create → a.ts:9 N5.create (high, qualified path)",
            "b.ts:7 create → a.ts:3 F2.create (high, requirement of the receiver's interface)",
            "b.ts:8 create → a.ts:11 N7.create (high, type of the receiver)",
            "b.ts:9 clone → a.ts:2 F1.clone (high, type of the receiver)",
        ],
    );
}

#[test]
fn an_object_is_what_it_is_said_to_be() {
    let table = symbol_table(
        "=== a.ts
export interface F2 { create(n: number): string }
export const N2: F2 = { create(n) { return '' } }
export const other: F2 = make()
",
        &[],
        Load::Eager,
    );
    let found = Resolver::new(&table, 0).objects().find_typed_literals(0);
    let names = found.iter().map(|(subject, base)| {
        let name = |id: &SymbolId| table.symbol(*id).name.as_str();
        (name(subject), name(base))
    });
    assert_eq!(names.collect::<Vec<_>>(), [("N2", "F2")]);
}

#[test]
fn a_function_is_called_by_its_own_members() {
    check(
        "=== h.js
module.exports = handle
function handle (a) { return a }
function Page () {}
Page.prototype.open = function () {}
function Sub () { Page.call(this) }
Sub.prototype.open = function () { Page.prototype.open.call(this) }
=== a.js
const handle = require('./h')
function u1 () { handle.call(null, 1) }
function u2 () { handle.apply(null, [1]) }
function u3 () { return handle.bind(null) }
",
        &[
            "h.js:5 Page → h.js:3 Page (high, lexical scope)",
            "h.js:6 open → h.js:4 Page.open (high, qualified path)",
            "a.js:2 handle → h.js:2 handle (high, lexical scope)",
            "a.js:3 handle → h.js:2 handle (high, lexical scope)",
        ],
    );
}

#[test]
fn a_member_that_is_called_call_is_no_function_that_is_called() {
    check(
        "=== a.ts
class Client { call(name: string) {} }
class Page {
  client = new Client()
  open() { this.client.call('open') }
}
",
        &["a.ts:4 call → a.ts:1 Client.call (high, type of the receiver)"],
    );
}

#[test]
fn parts_of_an_object_are_no_names_in_it() {
    check(
        "=== a.ts
function refine() {}
function trim() {}
export const type = make('type', (inst: any) => {
  assign(inst, {
    refine() { return refine() },
    trim: () => trim(),
  })
})
",
        &[
            "a.ts:5 refine → a.ts:1 refine (high, same file)",
            "a.ts:6 trim → a.ts:2 trim (high, same file)",
        ],
    );
}

#[test]
fn a_function_under_another_name_gives_what_it_gives() {
    check(
        "=== types.ts
export class Text {
  min(n: number): this { return this }
  static create = (given?: string): Text => { return new Text() }
}
const textType = Text.create
export { textType as text }
=== b.ts
import * as z from './types'
z.text().min(1).min(2)
",
        &[
            "types.ts:3 Text → types.ts:1 Text (high, same file)",
            "b.ts:2 min → types.ts:2 Text.min (high, type of the receiver)",
            "b.ts:2 min → types.ts:2 Text.min (high, type of the receiver)",
            "b.ts:2 text → types.ts:5 textType (high, import)",
        ],
    );
}
