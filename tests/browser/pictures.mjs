// Pictures of each page, of public repositories: narrow and wide, light and dark, for whoever looks at them;
// those of docs/images are some of them. That each shows what it is to show is checked; how it looks is not.

import fs from "node:fs";
import path from "node:path";
import { browse, index, open, serve, temporary } from "./stage.mjs";
import { kenning, ripgrep } from "./repositories.mjs";

const [here, root, out] = process.argv.slice(2);
const MOST_BYTES = 200_000;
const WIDE = { width: 1280, height: 680 }, NARROW = { width: 390, height: 844 };

// What each page must have for its picture to be one of it.
const ofRipgrep = {
  home: ["/", ".languages .language"],
  search: ["/?q=walk+parallel", "#results .hit mark"],
  file: ["/file?path=crates/ignore/src/walk.rs&line=593", ".listing .asked"],
  symbol: ["/symbol?at=WalkBuilder.build", "[data-view] .node.strong"],
  packages: ["/packages", "[data-view] .node"],
  package: ["/package?name=grep", "[data-view] .node.strong"],
  status: ["/status", ".run.good"],
};
const ofKenning = {
  specs: ["/specs", "meter"],
  spec: ["/spec?id=packages", "[data-view] .node"],
  skills: ["/skills", ".cards a"],
  skill: ["/skill?name=judge-a-change", ".prose li"],
};
// The pictures of the documents.
const shown = ["home", "search", "search-dark", "search-phone", "file", "file-phone", "symbol", "packages", "packages-phone", "package", "specs", "spec", "skills", "skill", "status", "run"];

// A name that says nothing of the machine, since the page of the index shows it.
const work = path.join(path.dirname(temporary()), "kenning-pictures");
fs.rmSync(work, { recursive: true, force: true });
const home = path.join(work, "home");
fs.mkdirSync(home, { recursive: true });
fs.mkdirSync(out, { recursive: true });
const browser = await browse();
const wrong = [];

async function take(page, name) {
  const file = path.join(out, `${name}.png`);
  await page.screenshot({ path: file });
  const { size } = fs.statSync(file);
  if (shown.includes(name) && size > MOST_BYTES) wrong.push(`${name}: ${size} bytes, which is too many`);
}

async function pages(server, addresses) {
  for (const [name, [address, mark]] of Object.entries(addresses)) {
    for (const [ending, size, scheme] of [["", WIDE, "light"], ["-dark", WIDE, "dark"], ["-phone", NARROW, "light"], ["-phone-dark", NARROW, "dark"]]) {
      const { page } = await open(browser, { ...size, scheme });
      await page.goto(server.address + address, { waitUntil: "networkidle0" });
      if ((await page.$(mark)) === null) wrong.push(`${name}${ending}: has no ${mark}`);
      await take(page, name + ending);
      await page.close();
    }
  }
}

/** A run under way. The server is halted for the moment of the picture, so that it is of the middle. */
async function run(server) {
  const { page } = await open(browser, WIDE);
  await page.goto(`${server.address}/status`, { waitUntil: "networkidle0" });
  await page.click("[data-start]");
  await page.waitForFunction(() => {
    const { max, value } = document.querySelector("progress");
    return max > 50 && value > max / 4;
  });
  server.halt();
  await take(page, "run");
  const ended = page.waitForNavigation({ waitUntil: "networkidle0" });
  server.resume();
  await ended;
  if ((await page.$(".run.good")) === null) wrong.push("run: did not come to its end");
  await page.close();
}

async function of(name, put, addresses, more = async () => {}) {
  const repository = path.join(work, name);
  fs.mkdirSync(repository, { recursive: true });
  put(repository);
  const fresh = await serve(repository, home);
  try { await more(fresh); } finally { fresh.end(); }
  index(repository, home, name);
  const server = await serve(repository, home);
  try { await pages(server, addresses); } finally { server.end(); }
}

try {
  await of("ripgrep", (to) => ripgrep(here, to), ofRipgrep, run);
  await of("kenning", (to) => kenning(root, to), ofKenning);
} finally {
  await browser.close();
  fs.rmSync(work, { recursive: true, force: true });
}
const renew = process.env.RENEW;
for (const name of shown) {
  const committed = path.join(root, "docs/images", `${name}.png`);
  if (renew) fs.copyFileSync(path.join(out, `${name}.png`), committed);
  else if (!fs.existsSync(committed)) wrong.push(`docs/images/${name}.png is missing: tests/browser/run --renew makes it`);
}
const known = new Set(shown.map((name) => `${name}.png`));
for (const file of fs.readdirSync(path.join(root, "docs/images"))) {
  if (file.endsWith(".png") && !known.has(file)) wrong.push(`docs/images/${file} is not made by this run`);
}
for (const one of wrong) console.log(`FAILED ${one}`);
console.log(`${fs.readdirSync(out).length} pictures in ${path.relative(root, out)}, ${wrong.length} failed`);
process.exit(wrong.length ? 1 : 0);
