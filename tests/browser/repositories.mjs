// The public repositories that the pictures show, put on disk: ripgrep out of its published crates, and
// Kenning itself, whose specs and skills are the ones at hand.

import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

const CRATES = ["globset", "grep", "grep-cli", "grep-matcher", "grep-printer", "grep-regex", "grep-searcher", "ignore"];

function run(program, words, options) {
  const done = spawnSync(program, words, { encoding: "utf8", maxBuffer: 1 << 28, ...options });
  if (done.status !== 0) throw new Error(`${program} ${words.join(" ")}: ${done.stderr}`);
  return done.stdout;
}

/** The crates as their repository has them: manifests as they were written, each in its folder. */
export function ripgrep(here, to) {
  const work = `${to}.fetched`;
  fs.mkdirSync(work, { recursive: true });
  fs.copyFileSync(path.join(here, "ripgrep/Cargo.toml"), path.join(work, "Cargo.toml"));
  fs.writeFileSync(path.join(work, "nothing.rs"), "");
  const said = JSON.parse(run("cargo", ["metadata", "--format-version", "1", "--quiet"], { cwd: work }));
  const folder = (name) => path.dirname(said.packages.find((one) => one.name === name).manifest_path);
  // A program is no dependency and so not told of, but it was fetched like the others and lies beside them.
  const pinned = /^ripgrep = "=(.*)"/m.exec(fs.readFileSync(path.join(work, "Cargo.toml"), "utf8"))[1];
  copyCrate(path.join(folder("ignore"), "..", `ripgrep-${pinned}`), to);
  for (const name of CRATES) copyCrate(folder(name), path.join(to, "crates", name.replace("grep-", "")));
  commit(to);
}

function copyCrate(from, to) {
  fs.cpSync(from, to, { recursive: true, filter: (file) => !/\.cargo(-ok|_vcs_info\.json)$/.test(file) });
  fs.renameSync(path.join(to, "Cargo.toml.orig"), path.join(to, "Cargo.toml"));
}

/** The files that git knows of this repository, as they are now. */
export function kenning(root, to) {
  const files = run("git", ["ls-files", "-z"], { cwd: root }).split("\0").filter(Boolean);
  const wanted = files.filter((file) => /^(src|specs|skills|docs|tests\/it|tests\/browser|README|Cargo)/.test(file) && !file.endsWith(".png"));
  for (const file of wanted.filter((file) => fs.existsSync(path.join(root, file)))) {
    fs.mkdirSync(path.dirname(path.join(to, file)), { recursive: true });
    fs.copyFileSync(path.join(root, file), path.join(to, file));
  }
  commit(to);
}

/** One commit of a fixed time and author, so that the same files give the same name. */
function commit(root) {
  const who = { NAME: "Somebody", EMAIL: "somebody@example.org", DATE: "2026-01-01T00:00:00Z" };
  const env = { ...process.env };
  for (const [key, value] of Object.entries(who)) env[`GIT_AUTHOR_${key}`] = env[`GIT_COMMITTER_${key}`] = value;
  for (const words of [["init", "-q"], ["add", "-A"], ["commit", "-qm", "As published"]]) execFileSync("git", words, { cwd: root, env });
}
