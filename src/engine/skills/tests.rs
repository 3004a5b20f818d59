//! Tests of the snapshot: what a request sees while others swap it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use super::*;
use crate::config::ProcessEnv;
use crate::engine::Target as EngineTarget;

const PATIENCE: Duration = Duration::from_secs(60);

struct World {
    directory: tempfile::TempDir,
    engine: Arc<Engine>,
}

fn world(settings: &[(&str, &str)]) -> World {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    let surroundings = ProcessEnv { working_directory: root.clone(), ..ProcessEnv::default() };
    let settings: Vec<(String, String)> =
        settings.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let config = Config::load(&root, &settings, &surroundings).unwrap();
    let engine = Arc::new(Engine::new(config, EngineTarget::Root(root)));
    World { directory, engine }
}

impl World {
    fn write(&self, name: &str, text: &str) {
        let folder = self.directory.path().join(".claude/skills").join(name);
        std::fs::create_dir_all(&folder).unwrap();
        // Nobody ever sees half of it.
        std::fs::write(folder.join("next"), text).unwrap();
        std::fs::rename(folder.join("next"), folder.join("SKILL.md")).unwrap();
    }
}

fn versioned(name: &str, version: usize) -> String {
    let body = format!("{name} v{version}\n").repeat(50);
    format!("---\nname: {name}\ndescription: {name} v{version}\n---\n{body}")
}

/// Many readers, many refreshers and a writer: whatever view a reader holds, it is whole, every
/// skill agrees with itself, and it does not change while it is held.
#[test]
fn views_are_whole_while_others_refresh() {
    const SKILLS: usize = 10;
    let world = world(&[]);
    let name = |number: usize| format!("s{number:02}");
    for number in 0..SKILLS {
        world.write(&name(number), &versioned(&name(number), 0));
    }
    let done = AtomicBool::new(false);
    let (reads, refreshes) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while !done.load(Ordering::SeqCst) {
                    let view = world.engine.skills();
                    let before: Vec<Skill> = view.skills.clone();
                    assert_eq!(view.skills.len(), SKILLS);
                    for (number, skill) in view.skills.iter().enumerate() {
                        assert_eq!(skill.name, name(number));
                        let wrong = skill
                            .content
                            .lines()
                            .skip(4)
                            .filter(|line| *line != skill.description)
                            .count();
                        assert_eq!(wrong, 0, "{}", skill.description);
                    }
                    assert_eq!(before, view.skills);
                    reads.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::SeqCst) {
                    let (before, now) = world.engine.refresh_skills();
                    assert!(!Arc::ptr_eq(&before.unwrap(), &now));
                    refreshes.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        scope.spawn(|| {
            // Nobody may fail before the others were told to stop.
            let started = std::time::Instant::now();
            let mut version = 0;
            let is_enough =
                || reads.load(Ordering::SeqCst) > 200 && refreshes.load(Ordering::SeqCst) > 20;
            while !is_enough() && started.elapsed() < PATIENCE {
                version += 1;
                for number in 0..SKILLS {
                    world.write(&name(number), &versioned(&name(number), version));
                }
            }
            done.store(true, Ordering::SeqCst);
        });
    });
    assert!(reads.load(Ordering::SeqCst) > 200 && refreshes.load(Ordering::SeqCst) > 20);
}

/// A request that began before a refresh goes on with what it began with.
#[test]
fn a_request_keeps_its_snapshot() {
    let world = world(&[]);
    world.write("a", &versioned("a", 1));
    let held = world.engine.skills();
    world.write("a", &versioned("a", 2));
    world.engine.refresh_skills();
    assert_eq!(held.skills[0].description, "a v1");
    assert_eq!(world.engine.skills().skills[0].description, "a v2");
}

/// A file that is being written keeps its skill as it was for a while; one that stays broken is
/// told, by every name that it had.
#[test]
fn a_skill_that_breaks_is_kept_for_a_moment() {
    let world = world(&[]);
    world.write("folder", &versioned("given-name", 1));
    world.engine.skills();
    let start = Instant::now();
    for broken in ["---\nname: given-name\n", ""] {
        world.write("folder", broken);
        let (before, now) = world.engine.refresh_skills_at(start);
        assert_eq!(before.unwrap().skills, now.skills);
        assert_eq!((now.problems.len(), now.broken.len()), (1, 1));
    }
    // Mended in time: nothing ever happened.
    world.write("folder", &versioned("given-name", 2));
    let (_, now) = world.engine.refresh_skills_at(start);
    assert_eq!(now.skills[0].description, "given-name v2");
    assert_eq!((now.problems.len(), now.broken.len()), (0, 0));
    world.write("folder", "nothing of a skill");
    world.engine.refresh_skills_at(start);
    for seconds in [60, 90] {
        let later = start + Duration::from_secs(seconds);
        let (_, now) = world.engine.refresh_skills_at(later);
        assert_eq!(now.skills, []);
        assert_eq!(now.broken[0].names, ["folder", "given-name"]);
    }
}

/// Made once for the same skills, however often somebody looks.
#[test]
fn rankers_live_as_long_as_the_skills() {
    let world = world(&[]);
    world.write("a", &versioned("a", 1));
    let first = world.engine.skills();
    world.engine.rank_skills(&first, "task", Ranking::Words);
    let (_, same) = world.engine.refresh_skills();
    assert!(Arc::ptr_eq(&first.rankers, &same.rankers));
    world.write("a", &versioned("a", 2));
    let (_, other) = world.engine.refresh_skills();
    assert!(!Arc::ptr_eq(&first.rankers, &other.rankers));
}

/// A request during a refresh is answered at once, from the current snapshot.
#[test]
fn a_refresh_holds_up_nobody() {
    let world = world(&[]);
    world.write("a", &versioned("a", 1));
    let known = world.engine.skills();
    // As long as this is held, a refresh is under way.
    let refreshing = world.engine.skills.building.lock().unwrap();
    let (sender, answers) = channel();
    std::thread::scope(|scope| {
        scope.spawn(|| sender.send(world.engine.skills()).unwrap());
        let answer = answers.recv_timeout(PATIENCE);
        // Let go first: whoever waited would wait for ever.
        drop(refreshing);
        assert!(Arc::ptr_eq(&answer.expect("nobody waits"), &known));
    });
}

/// The timer alone, without events: each tick is a look.
#[test]
fn the_timer_looks_again() {
    let world = world(&[("skills.events", "off"), ("skills.refresh_ms", "1")]);
    world.write("a", &versioned("a", 1));
    world.engine.skills();
    let (sender, seen) = channel();
    let watch = world
        .engine
        .watch_skills(move |_, now| {
            let _ = sender.send(now.skills.len());
        })
        .unwrap();
    assert_eq!(seen.recv_timeout(PATIENCE), Ok(1));
    world.write("b", &versioned("b", 1));
    while seen.recv_timeout(PATIENCE).expect("the timer goes on") != 2 {}
    drop(watch);
    // The thread has stopped: its sender is gone.
    while seen.recv_timeout(PATIENCE).is_ok() {}
    assert_eq!(seen.recv_timeout(PATIENCE), Err(std::sync::mpsc::RecvTimeoutError::Disconnected));
}

#[test]
fn without_a_timer_there_are_only_events() {
    assert_eq!(super::watch::timer_interval(Some(0)), None);
    assert_eq!(super::watch::timer_interval(None), None);
    assert_eq!(super::watch::timer_interval(Some(30_000)), Some(Duration::from_secs(30)));
    let world = world(&[("skills.refresh_ms", "0")]);
    world.engine.skills();
    let (sender, seen) = channel();
    let watch = world.engine.watch_skills(move |_, now| {
        let _ = sender.send(now.skills.len());
    });
    world.write("a", &versioned("a", 1));
    while seen.recv_timeout(PATIENCE).expect("an event comes") != 1 {}
    drop(watch);
}

/// A file that did not change is not kept twice, and its flaw is told again.
#[test]
fn what_did_not_change_is_shared() {
    let world = world(&[]);
    world.write("same", &versioned("same", 1));
    world.write("moved", &versioned("moved", 1));
    world.write("odd", "---\nname: odd\ndescription: a: b\n---\n");
    let before = world.engine.skills();
    world.write("moved", &versioned("moved", 2));
    let (_, now) = world.engine.refresh_skills();
    let content = |view: &SkillView, name: &str| {
        let mut skills = view.skills.iter();
        let skill = skills.find(|skill| skill.name == name).unwrap();
        skill.content.clone()
    };
    assert!(Arc::ptr_eq(&content(&before, "same"), &content(&now, "same")));
    assert_ne!(content(&before, "moved"), content(&now, "moved"));
    assert_eq!(before.problems.len(), 1);
    assert_eq!(before.problems, now.problems);
}
