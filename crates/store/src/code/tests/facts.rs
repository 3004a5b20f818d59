//! Facts that come back, and filters on them.

use super::*;

#[test]
fn facts_come_back_and_go_with_their_file() {
    let home = home();
    let mut writer = Writer::open(&home.database, &settings(), &AllNamesDirty, &Silent).unwrap();
    let path = repo_path("src/a.rs");
    let symbol = Symbol {
        name: "login".to_string(),
        kind: ChunkKind::Method,
        visibility: Visibility::Internal,
        signature: Some("fn login(user: User)".to_string()),
        scope: Some("Session".to_string()),
        span: Span { start_line: 3, end_line: 5, start_byte: 30, end_byte: 80 },
        line: 4,
        parameters: vec![("user".to_string(), Some("User".to_string()))],
        type_text: None,
        is_test: true,
    };
    let reference = Reference {
        name: "authenticate".to_string(),
        kind: ReferenceKind::Call,
        receiver: Some("self".to_string()),
        labels: vec!["_".to_string()],
        line: 4,
        start_byte: 44,
        container: Some(0),
    };
    let heritage = Heritage {
        subject: "Session".to_string(),
        base: "Login".to_string(),
        kind: HeritageKind::Extension,
        condition: Some("T: Send".to_string()),
        line: 1,
    };
    let mut file = update("src/a.rs", vec![saying(1, "fn login() {}")]);
    file.facts.symbols = vec![symbol.clone()];
    file.facts.references = vec![reference.clone()];
    file.facts.heritage = vec![heritage.clone()];
    file.facts.problems = vec![Problem::new(&path, "odd").at_line(2)];
    file.packed = FileBlob::new("fn login() {}", &file.facts);
    let skip = Skip {
        stamp: Stamp { path: repo_path("big.bin"), size: 1, modified_ns: 2 },
        reason: "binary".to_string(),
    };
    let changes = Changes { skipped: Some(vec![skip.clone()]), ..updated(vec![file.clone()]) };
    writer.apply(&changes).unwrap();
    writer.apply(&updated(vec![file.clone()])).unwrap();
    let touched = Touch {
        stamp: Stamp { modified_ns: 77, ..file.stamp.clone() },
        package: Some("app".to_string()),
    };
    writer.apply(&Changes { touched: vec![touched], ..Changes::default() }).unwrap();

    let reader = Reader::open(&home.database).unwrap();
    let snapshot = reader.snapshot().unwrap();
    assert_eq!(snapshot.symbols_named("login").unwrap()[0].fact, symbol);
    assert_eq!(snapshot.symbols_in(&path).unwrap().len(), 1);
    assert_eq!(snapshot.references_to("authenticate").unwrap()[0].fact, reference);
    assert_eq!(snapshot.references_to("authenticat").unwrap(), []);
    assert_eq!(snapshot.references_in(&path).unwrap().len(), 1);
    assert_eq!(snapshot.heritage_of("Login").unwrap()[0].fact, heritage);
    assert_eq!(snapshot.problems().unwrap(), file.facts.problems);
    assert_eq!(snapshot.skips().unwrap(), [skip]);
    let record = snapshot.file(&path).unwrap().unwrap();
    assert_eq!((record.stamp.modified_ns, record.hash), (77, [3; 32]));
    assert_eq!(record.package.as_deref(), Some("app"));
    let ids: Vec<u32> = record.chunks.collect();
    let chunks = snapshot.chunks(&ids).unwrap();
    assert_eq!(chunks[0].kind, ChunkKind::Function);
    assert_eq!(chunks[0].span, file.facts.chunks[0].span);
    assert_eq!(texts(&snapshot, &ids), ["fn login() {}"]);
    drop(snapshot);

    writer.apply(&Changes { removed: vec![path], ..Changes::default() }).unwrap();
    let snapshot = reader.snapshot().unwrap();
    assert_eq!(snapshot.symbols_named("login").unwrap(), []);
    assert_eq!(snapshot.references_to("authenticate").unwrap(), []);
    assert_eq!(snapshot.heritage_of("Login").unwrap(), []);
    assert_eq!(snapshot.problems().unwrap(), []);
    assert_eq!(snapshot.files().unwrap(), []);
    assert_eq!(snapshot.search_terms(&[(1, 1.0)], &Filter::default(), 9).unwrap(), []);
    let stats = snapshot.stats().unwrap();
    assert_eq!((stats.files, stats.chunks, stats.segments), (0, 0, 0));
}

#[test]
fn filters_apply_inside_the_search() {
    let home = home();
    let mut writer = Writer::open(&home.database, &settings(), &AllNamesDirty, &Silent).unwrap();
    let mut files = Vec::new();
    for path in ["src/a.rs", "src/deep/b.rs", "web/c.ts", "tests/d.rs"] {
        let mut file = update(path, vec![saying(1, path), saying(1, path)]);
        file.facts.chunks[1].kind = ChunkKind::Struct;
        file.facts.language = if path.ends_with("ts") { "typescript" } else { "rust" };
        file.is_test = path.starts_with("tests");
        let is_test = file.is_test;
        let chunks = file.facts.chunks.iter_mut();
        chunks.for_each(|chunk| chunk.is_test = is_test);
        file.package = path.starts_with("src").then(|| "core".to_string());
        files.push(file);
    }
    writer.apply(&updated(files.clone())).unwrap();
    let reader = Reader::open(&home.database).unwrap();
    let check = |filter: Filter, expected: &[&str]| {
        let snapshot = reader.snapshot().unwrap();
        let hits = snapshot.search_terms(&[(1, 1.0)], &filter, 99).unwrap();
        let ids: Vec<u32> = hits.iter().map(|hit| hit.chunk).collect();
        let mut paths = texts(&snapshot, &ids);
        paths.dedup();
        assert_eq!(paths, expected, "{filter:?}");
    };
    let words = |words: &[&str]| words.iter().map(|word| word.to_string()).collect::<Vec<_>>();
    let open = Filter::default;
    for _ in 0..2 {
        check(Filter { globs: words(&["src/*.rs"]), ..open() }, &["src/a.rs"]);
        check(
            Filter { globs: words(&["src/**", "web/*"]), ..open() },
            &["src/a.rs", "src/deep/b.rs", "web/c.ts"],
        );
        check(Filter { languages: words(&["typescript"]), ..open() }, &["web/c.ts"]);
        check(Filter { packages: words(&["core"]), ..open() }, &["src/a.rs", "src/deep/b.rs"]);
        check(Filter { tests: Tests::Only, ..open() }, &["tests/d.rs"]);
        check(
            Filter { tests: Tests::Excluded, chunk_kinds: vec![ChunkKind::Struct], ..open() },
            &["src/a.rs", "src/deep/b.rs", "web/c.ts"],
        );
        check(Filter { chunk_kinds: vec![ChunkKind::Actor], ..open() }, &[]);
    }
    // The next generation's filters know what changed and what did not.
    let removed = vec![repo_path("web/c.ts")];
    let moved = update("web/e.ts", vec![saying(1, "web/e.ts")]);
    writer.apply(&Changes { removed, ..updated(vec![moved]) }).unwrap();
    check(Filter { globs: words(&["web/*", "tests/*"]), ..open() }, &["tests/d.rs", "web/e.ts"]);
    let bad = Filter { globs: words(&["[a"]), ..open() };
    let error = reader.snapshot().unwrap().search_terms(&[], &bad, 1).unwrap_err();
    assert!(error.to_string().contains("not a glob"), "{error}");
}

/// Something called `Session`, in this file, of this kind and scope.
fn session(path: &str, name: &str, kind: ChunkKind, scope: Option<&str>) -> FileUpdate {
    let mut file = update(path, vec![saying(1, "something")]);
    file.facts.symbols = vec![Symbol {
        name: name.to_string(),
        kind,
        visibility: Visibility::Public,
        signature: None,
        scope: scope.map(str::to_string),
        span: Span::default(),
        line: 1,
        parameters: Vec::new(),
        type_text: None,
        is_test: false,
    }];
    file.packed = FileBlob::new("something", &file.facts);
    file
}

#[test]
fn of_very_many_definitions_those_come_that_stand_for_the_name() {
    let home = home();
    let mut writer = Writer::open(&home.database, &settings(), &AllNamesDirty, &Silent).unwrap();
    let alias = |number: u32| {
        let path = format!("src/a{number:02}.rs");
        session(&path, "Session", ChunkKind::TypeAlias, Some("Client"))
    };
    let mut files: Vec<FileUpdate> = (0..20).map(alias).collect();
    files.push(session("src/low.rs", "session", ChunkKind::Function, None));
    files.push(session("src/z.rs", "Session", ChunkKind::Trait, None));
    writer.apply(&updated(files)).unwrap();
    let reader = Reader::open(&home.database).unwrap();
    let snapshot = reader.snapshot().unwrap();
    let found = |filter: &Filter, limit: usize| -> Vec<String> {
        let found = snapshot.definitions("Session", filter, limit).unwrap();
        assert!(found.iter().all(|one| one.chunks.len() == 1));
        let paths = found.iter().map(|one| one.symbol.path.to_string());
        paths.collect()
    };
    let all = Filter::default();
    assert_eq!(found(&all, 3), ["src/a00.rs", "src/a01.rs", "src/z.rs"]);
    assert_eq!(found(&all, 100).len(), 22);
    let some = Filter { globs: vec!["src/a1*.rs".to_string()], ..Filter::default() };
    assert_eq!(found(&some, 2), ["src/a10.rs", "src/a11.rs"]);
}
