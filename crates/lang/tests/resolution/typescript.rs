//! TypeScript: types that are computed, modules by names of their own, what closures and generic functions are given.

use super::*;
use kenning_model::ModuleName;

#[test]
fn typescript_gives_arguments_to_bases_and_back_what_was_called() {
    check(
        "=== a.ts
export class Base { save(): this { return this; } async load(): Promise<this> { return this; } }
export class Manager<D = any> extends Base { find() {} }
export class Orm<D extends Driver = Driver, M extends D[typeof Key] & Manager<D> = Manager<D>> {
  em!: M & { '~x'?: D };
  readonly #own: Manager;
  go() { this.#own.find(); this.em.find(); }
}
export class MyOrm<M extends Manager<X> = Manager<X>> extends Orm<X, M> {}
=== b.test.ts
import { Orm, MyOrm } from './a';
describe('x', () => {
  let orm: Orm;
  let mine: MyOrm;
  test('a', async () => {
    orm.em.save().find();
    mine.em.find();
    (await mine.em.load()).find();
  });
});
",
        &[
            "a.ts:6 find → a.ts:2 Manager.find (high, type of the receiver)",
            "a.ts:6 find → a.ts:2 Manager.find (high, requirement of the receiver's interface)",
            "b.test.ts:6 save → a.ts:1 Base.save (high, requirement of the receiver's interface)",
            "b.test.ts:6 find → a.ts:2 Manager.find (high, requirement of the receiver's interface)",
            "b.test.ts:7 find → a.ts:2 Manager.find (high, requirement of the receiver's interface)",
            "b.test.ts:8 find → a.ts:2 Manager.find (high, requirement of the receiver's interface)",
        ],
    );
}

#[test]
fn typescript_closures_get_what_the_function_gives_them() {
    check(
        "=== a.ts
export class Manager { find() {} transaction(run: (manager: Manager) => Promise<void>) {} }
export class Builder { where(x: string): this { return this; } }
export class Brackets { constructor(make: (qb: Builder) => any) {} }
export class Source { manager: Manager; }
=== b.ts
import { Manager, Brackets, Source } from './a';
function go(sources: Source[], manager: Manager) {
  manager.transaction(async (inner) => { inner.find(); });
  manager.transaction(async inner => inner.find());
  new Brackets((qb) => qb.where('x'));
  new Brackets(qb => { qb.where('x'); });
  Promise.all(sources.map(async source => { source.manager.find(); }));
  run('name', () => 1, sources.forEach((source) => source.manager.find()));
}
",
        &[
            "b.ts:3 find → a.ts:1 Manager.find (high, type of the receiver)",
            "b.ts:4 find → a.ts:1 Manager.find (high, type of the receiver)",
            "b.ts:5 where → a.ts:2 Builder.where (high, type of the receiver)",
            "b.ts:6 where → a.ts:2 Builder.where (high, type of the receiver)",
            "b.ts:7 find → a.ts:1 Manager.find (high, type of the receiver)",
            "b.ts:8 find → a.ts:1 Manager.find (high, type of the receiver)",
        ],
    );
}

#[test]
fn typescript_infers_generics_from_the_first_argument() {
    check(
        "=== a.ts
export class User { rename() {} }
export class Repository<E> { async find(): Promise<E[]> { return []; } async one(id: string): Promise<E | null> { return null; } }
export class Source {
  getRepository<E>(target: EntityTarget<E>, more?: string): Repository<E> { return null; }
  make<E>(target: { new (): E } | EntityTarget<E>): E { return null; }
  first<E>(all: E[]): E { return all[0]; }
}
async function go(source: Source, users: User[]) {
  const repository = source.getRepository(User, 'x');
  const found = await repository.find();
  found[0].rename();
  const one = await source.getRepository(User).one('a');
  one!.rename();
  source.make(User).rename();
  source.first(users).rename();
}
",
        &[
            "a.ts:10 find → a.ts:2 Repository.find (high, type of the receiver)",
            "a.ts:11 rename → a.ts:1 User.rename (high, type of the receiver)",
            "a.ts:13 rename → a.ts:1 User.rename (high, type of the receiver)",
            "a.ts:14 rename → a.ts:1 User.rename (high, type of the receiver)",
            "a.ts:15 rename → a.ts:1 User.rename (high, type of the receiver)",
        ],
    );
}

#[test]
fn typescript_classes_in_closures_hide_others_after_them() {
    check(
        "=== model.ts
export class Book { read() {} }
export { Book as Volume };
=== a.test.ts
import { Book } from './model';
class Page { turn() {} }
test('a', () => {
  new Book();
  new Page();
});
test('b', () => {
  class Book {}
  class Page { turn() {} }
  new Book();
  new Page().turn();
});
=== inner.ts
import { Book } from './model';
export function shelf() { new Book(); }
=== barrel.ts
export * from './inner';
=== outer.ts
import { Book, shelf } from './barrel';
shelf();
new Book();
",
        &[
            "a.test.ts:4 Book → model.ts:1 Book (high, same file)",
            "a.test.ts:5 Page → a.test.ts:2 Page (high, same file)",
            "a.test.ts:10 Book → a.test.ts:8 Book (high, same file)",
            "a.test.ts:11 Page → a.test.ts:9 Page (high, same file)",
            "a.test.ts:11 turn → a.test.ts:9 Page.turn (high, type of the receiver)",
            "outer.ts:2 shelf → inner.ts:2 shelf (high, import)",
            "outer.ts:3 Book → nothing",
        ],
    );
}

#[test]
fn typescript_asks_conditions_and_takes_templates() {
    check(
        "=== a.ts
export class Builder<T> { select(): Builder<T> { return this } }
export class Other {}
export type From<T, E> = [E] extends [keyof T]
  ? // The common case.
    Builder<T>
  : E extends string ? Builder<E> : never
export class Db { from<E>(e: E): From<this, E> { return null as any } }
export function sql(parts: TemplateStringsArray): Builder<string> { return null as any }
=== b.ts
import { Db, sql } from './a'
function one(db: Db) { db.from('x').select() }
function two() { sql`select ${sql`a`}`.select() }
",
        &[
            "b.ts:2 from → a.ts:7 Db.from (high, type of the receiver)",
            "b.ts:2 select → a.ts:1 Builder.select (high, type of the receiver)",
            "b.ts:3 select → a.ts:1 Builder.select (high, type of the receiver)",
            "b.ts:3 sql → a.ts:8 sql (high, import)",
            "b.ts:3 sql → a.ts:8 sql (high, import)",
        ],
    );
}

#[test]
fn typescript_passes_no_module_on_that_it_only_imports() {
    check(
        "=== parse.ts
export const parse = make()
=== schemas.ts
import * as parse from './parse'
export function string() { return parse }
=== index.ts
export * from './schemas'
export * from './parse'
=== b.ts
import * as z from './index'
z.parse(z.string())
",
        &[
            "b.ts:2 parse → parse.ts:1 parse (high, import)",
            "b.ts:2 string → schemas.ts:2 string (high, import)",
        ],
    );
}

#[test]
fn typescript_imports_by_names_that_manifests_and_configurations_give() {
    let module = |name: &str, path: &str, within: Option<&str>| ModuleName {
        name: name.to_string(),
        paths: vec!["nowhere.ts".to_string(), path.to_string()],
        within: within.map(str::to_string),
    };
    let mut core = package("npm", "core/package.json", &[]);
    core.modules = vec![
        module("core/fs", "core/dist/utils/fs-utils.d.ts", None),
        module("core/parts/*", "core/src/all/*/index.ts", None),
        module("@lib/*", "core/src/library/*", Some("app")),
        // The declaration nearest to the file wins.
        module("@near/*", "core/src/library/*", Some("")),
        module("@near/*", "core/src/near/*", Some("app")),
    ];
    let app = package("npm", "app/package.json", &["core"]);
    check_in(
        "=== core/src/utils/fs-utils.ts
export function exists() {}
=== core/src/all/door/index.ts
export function open() {}
=== core/src/library/texts.ts
export function trim() {}
=== core/src/near/texts.ts
export function cut() {}
=== app/near.ts
import { cut } from '@near/texts'
cut()
=== app/main.ts
import { exists } from 'core/fs'
import { open } from 'core/parts/door'
import { trim } from '@lib/texts'
exists(); open(); trim()
=== core/test.ts
import { trim } from '@lib/texts'
trim()
",
        &[core, app],
        &[
            "app/near.ts:2 cut → core/src/near/texts.ts:1 cut (high, import)",
            "app/main.ts:4 exists → core/src/utils/fs-utils.ts:1 exists (high, import)",
            "app/main.ts:4 open → core/src/all/door/index.ts:1 open (high, import)",
            "app/main.ts:4 trim → core/src/library/texts.ts:1 trim (high, import)",
            "core/test.ts:2 trim → nothing",
        ],
    );
}

#[test]
fn typescript_takes_types_apart() {
    check(
        "=== a.ts
export const KEY = Symbol()
export class Platform { schema(): Schema { return new Schema() } }
export class Sql extends Platform { override schema(): SqlSchema { return new SqlSchema() } }
export class Schema { create() {} }
export class SqlSchema extends Schema { override create() {} }
export class Manager<D> { flush() {} }
export class SqlManager<D> extends Manager<D> { query() {} }
export class Driver { platform(): Platform { return new Platform() }
  [KEY]!: Manager<this> }
export class SqlDriver extends Driver { override platform(): Sql { return new Sql() }
  override [KEY]!: SqlManager<this> }
export class Orm<D extends Driver, M extends D[typeof KEY] & Manager<D> = D[typeof KEY]> {
  em!: M
  get schema(): ReturnType<ReturnType<D['platform']>['schema']> { return null as any }
}
export function open() { return new Sql() }
=== b.ts
import { Orm, SqlDriver, Sql, open } from './a'
function one(orm: Orm<SqlDriver>) { orm.schema.create() }
function two(orm: Orm<SqlDriver>) { orm.em.query() }
function three(it: ReturnType<typeof open>) { it.schema() }
function four(it: InstanceType<typeof Sql>) { it.schema() }
",
        &[
            "a.ts:2 Schema → a.ts:4 Schema (high, same file)",
            "a.ts:3 SqlSchema → a.ts:5 SqlSchema (high, same file)",
            "a.ts:8 Platform → a.ts:2 Platform (high, same file)",
            "a.ts:10 Sql → a.ts:3 Sql (high, same file)",
            "a.ts:16 Sql → a.ts:3 Sql (high, same file)",
            "b.ts:2 create → a.ts:5 SqlSchema.create (high, type of the receiver)",
            "b.ts:3 query → a.ts:7 SqlManager.query (high, requirement of the receiver's interface)",
            "b.ts:4 schema → a.ts:3 Sql.schema (high, type of the receiver)",
            "b.ts:5 schema → a.ts:3 Sql.schema (high, type of the receiver)",
        ],
    );
}
