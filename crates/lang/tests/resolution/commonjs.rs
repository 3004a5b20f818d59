//! JavaScript before modules: `require`, `exports`, members that are assigned to objects and prototypes.

use super::*;
use kenning_model::ModuleName;

#[test]
fn what_is_required_is_what_was_exported() {
    check(
        "=== lib/a.js
exports.one = function () {};
exports.two = function two() {};
function three() {}
exports.three = three;
exports.four = three;
module.exports.five = () => three();
exports.six = require('./b');
=== lib/b.js
module.exports = function make() {};
=== lib/c.js
class Session { open() {} }
module.exports = Session;
=== lib/d.js
function alpha() {}
function beta() {}
module.exports = {
  alpha,
  renamed: beta,
  gamma() {},
  delta: function () {},
  epsilon: require('./b'),
};
=== lib/e.js
exports = module.exports = create;
exports.helper = function () {};
function create() {}
=== lib/f.js
module.exports = class Shop { sell() {} };
=== lib/g.js
const Session = require('./c');
module.exports = new Session();
=== lib/use.js
const a = require('./a');
var make = require('./b'), Session = require('./c');
const { alpha, renamed: other, gamma, delta, epsilon } = require('./d');
var two = require('./a').two;
const create = require('./e');
const Shop = require('./f');
const shared = require('./g');
const away = require('away');
function run() {
  a.one();
  two();
  a.three();
  a.four();
  a.five();
  a.six();
  make();
  alpha();
  other();
  gamma();
  delta();
  epsilon();
  require('./a').one();
  require('./b')();
  create();
  create.helper();
  new Shop().sell();
  shared.open();
  away.one();
  const inner = require('./a');
  inner.two();
  const { three } = require('./a');
  three();
  const session = new Session();
  session.open();
}
",
        &[
            "lib/use.js:10 one → lib/a.js:1 exports.one (high, import)",
            "lib/use.js:11 two → lib/a.js:2 exports.two (high, import)",
            "lib/use.js:12 three → lib/a.js:3 three (high, import)",
            "lib/use.js:13 four → lib/a.js:3 three (high, import)",
            "lib/use.js:14 five → lib/a.js:6 module.exports.five (high, import)",
            "lib/use.js:15 six → lib/b.js:1 module.exports (high, import)",
            "lib/use.js:16 make → lib/b.js:1 module.exports (high, import)",
            "lib/use.js:17 alpha → lib/d.js:1 alpha (high, import)",
            "lib/use.js:18 other → lib/d.js:2 beta (high, import)",
            "lib/use.js:19 gamma → lib/d.js:6 gamma (high, import)",
            "lib/use.js:20 delta → lib/d.js:7 delta (high, import)",
            "lib/use.js:21 epsilon → lib/b.js:1 module.exports (high, import)",
            "lib/use.js:22 one → lib/a.js:1 exports.one (high, import)",
            "lib/use.js:24 create → lib/e.js:3 create (high, import)",
            "lib/use.js:25 helper → lib/e.js:2 exports.helper (high, qualified path)",
            "lib/use.js:26 sell → lib/f.js:1 Shop.sell (high, type of the receiver)",
            "lib/use.js:27 open → lib/c.js:1 Session.open (high, type of the receiver)",
            "lib/use.js:28 one → nothing",
            "lib/use.js:30 two → lib/a.js:2 exports.two (high, import)",
            "lib/use.js:32 three → lib/a.js:3 three (high, import)",
            "lib/use.js:34 open → lib/c.js:1 Session.open (high, type of the receiver)",
        ],
    );
}

#[test]
fn members_are_assigned_to_objects() {
    check(
        "=== app.js
var app = exports = module.exports = {};
app.init = function init() {
  this.configure();
  this.unknownThing();
};
app.configure = function () {};
app.set = app.put = function () { this.init(); };
exports.extra = function () { this.other(); };
exports.other = function () { exports.extra(); };
var bag = { fill() { this.empty(); }, empty() {} };
=== use.js
var proto = require('./app');
proto.configure();
proto.set();
proto.extra();
function bare() { configure(); }
",
        &[
            "app.js:3 configure → app.js:6 app.configure (high, type of the receiver)",
            "app.js:4 unknownThing → nothing",
            "app.js:7 init → app.js:2 app.init (high, type of the receiver)",
            "app.js:8 other → app.js:9 exports.other (high, type of the receiver)",
            "app.js:9 extra → app.js:8 exports.extra (high, type of the receiver)",
            "app.js:10 empty → app.js:10 bag.empty (high, qualified path)",
            "use.js:2 configure → app.js:6 app.configure (high, type of the receiver)",
            "use.js:3 set → app.js:7 app.set (high, type of the receiver)",
            "use.js:4 extra → app.js:8 exports.extra (high, type of the receiver)",
            "use.js:5 configure → nothing",
        ],
    );
}

#[test]
fn functions_construct_and_inherit() {
    let sources = "=== view.js
module.exports = View;
function View(name) {
  this.lookup(name);
}
View.prototype.lookup = function lookup(name) { return this.resolve(name); };
View.prototype.resolve = function () {};
View.make = function () { return new View(); };
=== page.js
var util = require('util');
var View = require('./view');
function Page() { View.call(this); }
util.inherits(Page, View);
Page.prototype.show = function () { this.lookup(); };
function Sheet() {}
Sheet.prototype = Object.create(Page.prototype);
Sheet.prototype.print = function () { this.show(); };
function Card() {}
Object.setPrototypeOf(Card.prototype, View.prototype);
Card.prototype.turn = function () { this.resolve(); };
var page = new Page();
page.lookup();
new Sheet().print();
View.make().resolve();
";
    check(
        sources,
        &[
            "view.js:3 lookup → view.js:5 View.lookup (high, type of the receiver)",
            "view.js:5 resolve → view.js:6 View.resolve (high, type of the receiver)",
            "view.js:7 View → view.js:2 View (high, same file)",
            "page.js:5 lookup → view.js:5 View.lookup (high, base of the receiver's type)",
            "page.js:8 show → page.js:5 Page.show (high, base of the receiver's type)",
            "page.js:11 resolve → view.js:6 View.resolve (high, base of the receiver's type)",
            "page.js:13 lookup → view.js:5 View.lookup (high, base of the receiver's type)",
            "page.js:14 print → page.js:8 Sheet.print (high, type of the receiver)",
            "page.js:15 resolve → view.js:6 View.resolve (high, type of the receiver)",
        ],
    );
}

#[test]
fn fields_that_are_set_from_each_other_come_to_an_end() {
    let names: Vec<String> = (0..30).map(|index| format!("field{index}")).collect();
    let sets = names.iter().flat_map(|name| {
        let others = names.iter();
        others.map(move |other| format!("this.{name} = this.{other}.next();\n"))
    });
    let sets: String = sets.collect();
    check(
        &format!(
            "=== a.js\nclass Ring {{\nfill() {{\n{sets}this.field0 = new Ring();\n}}\ngo() {{ this.field0.go(); }}\n}}\n"
        ),
        &["a.js:905 go → a.js:905 Ring.go (high, type of the receiver)"],
    );
}

#[test]
fn the_directory_of_a_package_means_its_main_file() {
    let mut own = package("npm", "package.json", &[]);
    own.modules = vec![ModuleName {
        name: own.name.clone(),
        paths: vec!["web.d.ts".to_string(), "web.js".to_string()],
        within: None,
    }];
    check_in(
        "=== web.js
function web() {}
web.start = function () {};
module.exports = web;
=== web.d.ts
export declare function web(): void;
export default web;
=== test/one.js
const Web = require('..');
Web();
Web.start();
=== test/two.js
require('../')();
=== lib/deep/three.js
const Web = require('../..');
Web();
=== lib/page.js
exports.open = function () {};
=== lib/page.d.ts
export declare function open(): void;
=== lib/four.js
const page = require('./page');
page.open();
=== lib/five.ts
import { open } from './page';
open();
",
        &[own],
        &[
            "test/one.js:2 Web → web.js:1 web (high, import)",
            "test/one.js:3 start → web.js:2 web.start (high, qualified path)",
            "lib/deep/three.js:2 Web → web.js:1 web (high, import)",
            "lib/four.js:2 open → lib/page.js:1 exports.open (high, import)",
            "lib/five.ts:2 open → lib/page.d.ts:1 open (high, import)",
        ],
    );
}

#[test]
fn the_directory_of_the_root_means_its_index() {
    check(
        "=== index.js
module.exports = function make() {};
=== test/one.js
const make = require('..');
make();
",
        &["test/one.js:2 make → index.js:1 module.exports (high, import)"],
    );
}

#[test]
fn code_comes_before_the_declaration_of_its_types() {
    check(
        "=== lib/reply.js
function Reply() {}
Reply.prototype.sendPage = function (payload) {};
Reply.prototype.hijack = function () {};
=== types/reply.d.ts
export interface WebReply { sendPage(payload: any): void; status(): number }
=== test/one.js
app.get('/', function (request, reply) {
  reply.sendPage('a');
  reply.status();
});
",
        &[
            "test/one.js:2 sendPage → lib/reply.js:2 Reply.sendPage (medium, only member of that name)",
            "test/one.js:3 status → types/reply.d.ts:1 WebReply.status (medium, only member of that name)",
        ],
    );
}
