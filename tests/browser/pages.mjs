// Every page in a real browser. Each check says what it saw; the last line counts.

import fs from "node:fs";
import path from "node:path";
import { browse, index, namelessControls, open, poorContrast, serve, temporary, write } from "./stage.mjs";

const HOSTILE = "<img src=x onerror=hacked=1>";

const session = `/// Opens a session. <script>hacked = 2</script>
pub struct Session;

impl Session {
    /// Whether the password is right.
    pub fn login(&self, password: &str) -> bool {
        check(password, "</code></div><script>hacked = 3</script>")
    }
}

pub fn check(password: &str, other: &str) -> bool {
    password == other
}

pub fn start() {
    Session.login("x");
}
`;

const files = {
  "Cargo.toml": '[workspace]\nmembers = ["a", "b", "c"]\n',
  "a/Cargo.toml": '[package]\nname = "alpha"\nversion = "1.0.0"\ndescription = "<script>hacked = 4</script>"\n[dependencies]\nbeta = { path = "../b" }\n',
  "b/Cargo.toml": '[package]\nname = "beta"\nversion = "1.0.0"\n[dependencies]\ngamma = { path = "../c" }\n',
  "c/Cargo.toml": '[package]\nname = "gamma"\nversion = "1.0.0"\n[dependencies]\nalpha = { path = "../a" }\n',
  "a/src/lib.rs": session,
  [`a/src/${HOSTILE}.rs`]: "pub fn harmless() {}\n",
  "a/src/日本語.rs": "pub fn größe() -> u8 { 1 }\n",
  "a/src/שלום-עולם.rs": "/// Greets.\npub fn مرحبا() -> &'static str { \"نص من اليمين\" }\npub fn calls_it() { مرحبا(); }\n",
  "a/src/long.rs": Array.from({ length: 10_000 }, (_, line) => `pub fn f${line}() {}\n`).join(""),
  "openspec/specs/sign-in/spec.md": `# Signing in <script>hacked = 5</script>\n\n## Purpose\nWho may come in ${HOSTILE}.\n\n## Requirements\n### Requirement: Login\nThe system SHALL check the password when somebody logs in to a session.\n\n#### Scenario: Wrong ${HOSTILE}\n- **WHEN** the password is wrong\n- **THEN** login says no\n`,
  ".claude/skills/sign-in/SKILL.md": `---\nname: sign-in\ndescription: Signs people in ${HOSTILE}\n---\n\n# Sign in\n\n<script>hacked = 6</script> [x](javascript:hacked=7)\n`,
};

const pages = {
  home: "/",
  search: "/?q=login+password",
  "a hostile name": "/?q=harmless",
  file: "/file?path=a/src/lib.rs",
  "a hostile file": `/file?path=${encodeURIComponent(`a/src/${HOSTILE}.rs`)}`,
  "a name in another script": `/file?path=${encodeURIComponent("a/src/日本語.rs")}`,
  "a name from right to left": `/file?path=${encodeURIComponent("a/src/שלום-עולם.rs")}`,
  "a symbol from right to left": `/symbol?at=${encodeURIComponent("مرحبا")}`,
  "a long file": "/file?path=a/src/long.rs&line=5000",
  symbol: "/symbol?at=Session.login",
  packages: "/packages",
  package: "/package?name=alpha",
  specs: "/specs",
  spec: "/spec?id=sign-in",
  skills: "/skills",
  skill: "/skill?name=sign-in",
  status: "/status",
};

let passed = 0;
const failed = [];
function check(what, holds, saw = "") {
  if (holds) passed += 1;
  else failed.push(`${what}${saw ? `: ${saw}` : ""}`);
}

const work = temporary();
const root = path.join(work, "repo"), home = path.join(work, "home");
fs.mkdirSync(home, { recursive: true });
write(root, files);
index(root, home, "door");
const server = await serve(root, home);
const browser = await browse();
const base = server.address;

async function everyPage() {
  for (const [name, address] of Object.entries(pages)) {
    for (const [width, scheme] of [[1280, "light"], [1280, "dark"], [390, "light"]]) {
      const what = `${name} at ${width} in ${scheme}`;
      const { page, wrong } = await open(browser, { width, scheme });
      const answer = await page.goto(base + address, { waitUntil: "networkidle0" });
      check(`${what}: is there`, answer.status() === 200, answer.status());
      const policy = answer.headers()["content-security-policy"] ?? "";
      check(`${what}: has a policy`, policy.includes("default-src 'none'") && !policy.includes("unsafe"), policy);
      check(`${what}: nothing went wrong`, wrong.length === 0, wrong.join("; "));
      check(`${what}: nothing was injected`, await page.evaluate(() => typeof hacked === "undefined" && document.images.length === 1 && document.scripts.length === 1));
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      check(`${what}: no wider than the screen`, wide <= 1, wide);
      const nameless = await namelessControls(page);
      check(`${what}: every control has a name`, nameless.length === 0, nameless.join(", "));
      const poor = await page.evaluate(poorContrast);
      check(`${what}: every text has contrast`, poor.length === 0, poor.join("; "));
      check(`${what}: one first heading`, await page.evaluate(() => document.querySelectorAll("h1").length >= 1));
      await page.close();
    }
  }
}

async function search() {
  const { page, wrong } = await open(browser);
  await page.goto(base, { waitUntil: "networkidle0" });
  await page.keyboard.press("Tab");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("/");
  check("/ leads to the search", await page.evaluate(() => document.activeElement.id === "q"));
  await page.keyboard.type("check password");
  await page.waitForSelector("#results .hit");
  check("search finds while typing", (await page.$eval("#results", (element) => element.textContent)).includes("Session"));
  check("the address follows", page.url().includes("q=check"));
  check("words are marked", (await page.$$("#results mark")).length > 0);
  const focused = () => page.evaluate(() => document.activeElement.getAttribute("href") ?? document.activeElement.id);
  await page.keyboard.press("ArrowDown");
  const first = await focused();
  check("down goes to the first result", first.startsWith("/"), first);
  check("the focus is seen", await page.evaluate(() => {
    const style = getComputedStyle(document.activeElement);
    return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  }));
  await page.keyboard.press("ArrowDown");
  check("down again goes on", (await focused()) !== first);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  check("up leads back to the search", (await focused()) === "q");
  await page.keyboard.press("ArrowDown");
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  check("Enter opens the file", page.url().includes("/file?path="), page.url());
  await page.keyboard.press("Escape");
  check("Escape leads to the search", (await focused()) === "q");
  await page.goto(`${base}/?q=login`, { waitUntil: "networkidle0" });
  await page.keyboard.press("Tab");
  check("the first stop skips to the content", (await focused()) === "#main");
  check("nothing went wrong while searching", wrong.length === 0, wrong.join("; "));
  await page.close();
}

async function facets() {
  const { page } = await open(browser);
  await page.goto(`${base}/?q=login`, { waitUntil: "networkidle0" });
  const before = (await page.$$(".hit")).length;
  await page.click("summary.chip");
  const [chosen] = await page.$$(".facet[open] .sheet a");
  await Promise.all([page.waitForNavigation(), chosen.click()]);
  check("a facet narrows", (await page.$$(".chip.chosen")).length === 1 && (await page.$$(".hit")).length <= before);
  await page.close();
}

async function longFile() {
  const { page, wrong } = await open(browser);
  await page.goto(`${base}/file?path=a/src/long.rs&line=5000`, { waitUntil: "networkidle0" });
  const isSeen = (id) => page.$eval(id, (line) => {
    const { top, bottom } = line.getBoundingClientRect();
    return top > 0 && bottom < innerHeight;
  });
  check("the line is in sight", await isSeen("#L5000"));
  check("the outline shows where one is", (await page.$eval(".outline a[aria-current]", (link) => link.textContent)).includes("f4999"));
  await Promise.all([page.waitForNavigation(), page.click("a[rel=next]")]);
  check("the next part follows", (await page.$("#L5000")) === null && (await page.$("#L5700")) !== null, page.url());
  check("nothing went wrong while reading", wrong.length === 0, wrong.join("; "));
  await page.close();
}

/** What follows a name in a line stands to its right, whatever the name is written in. */
async function directions() {
  const { page } = await open(browser);
  const follows = (first, second) => page.evaluate((first, second) => {
    const [one, two] = [first, second].map((selector) => document.querySelector(selector).getBoundingClientRect());
    return one.right <= two.left + 1;
  }, first, second);
  await page.goto(`${base}/?q=${encodeURIComponent("مرحبا")}`, { waitUntil: "networkidle0" });
  check("the line number follows a name from right to left", await follows(".hit-place .path", ".hit-place .line"));
  check("directories come before it", await follows(".hit-place .directory", ".hit-place .base"));
  check("what kind it is follows a symbol from right to left", await follows(".beside .row-name bdi", ".beside .row-name .kind"));
  await page.goto(`${base}/file?path=${encodeURIComponent("a/src/שלום-עולם.rs")}`, { waitUntil: "networkidle0" });
  check("code runs from left to right around it", await follows("#L2 .k", "#L2 .s"));
  await page.close();
}

async function manyPackages() {
  const many = path.join(work, "many");
  const manifests = {};
  const names = Array.from({ length: 150 }, (_, place) => (place < 100 ? `packages/web-${place}` : `tools/tool-${place}`));
  for (const name of names) {
    manifests[`${name}/package.json`] = JSON.stringify({ name: name.split("/")[1], version: "1.0.0", dependencies: { "core": "*" } });
  }
  manifests["core/package.json"] = JSON.stringify({ name: "core", version: "1.0.0" });
  manifests["package.json"] = JSON.stringify({ name: "all", private: true, workspaces: ["core", "packages/*", "tools/*"] });
  write(many, manifests);
  index(many, home, "many");
  const server = await serve(many, home);
  const { page, wrong } = await open(browser);
  await page.goto(`${server.address}/packages`, { waitUntil: "networkidle0" });
  const labels = () => page.$$eval("[data-view] .node .label", (labels) => labels.map((label) => label.textContent));
  const gathered = await labels();
  check("many packages are gathered", gathered.length <= 60 && gathered.includes("packages/web-*"), gathered.join(", "));
  check("it is said what was gathered", (await page.$eval("[data-view]", (view) => view.textContent)).includes("gathered into"));
  const opening = await page.$('[data-view] a[href*="under="]');
  await Promise.all([page.waitForNavigation({ waitUntil: "networkidle0" }), opening.evaluate((link) => link.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true })))]);
  const opened = await labels();
  check("a click opens a gathered box", page.url().includes("under=") && opened.length > gathered.length && opened.includes("core"), opened.length);
  const back = await page.$$eval(".chip.chosen", (chips) => chips.map((chip) => chip.textContent));
  check("what was opened can be shut", back.some((text) => text.includes("Below")), back.join(", "));
  await page.goto(`${server.address}/packages?all=yes`, { waitUntil: "networkidle0" });
  check("each may have its own box", (await labels()).length >= 150);
  check("nothing went wrong with many packages", wrong.length === 0, wrong.join("; "));
  await page.close();
  server.end();
}

async function pictures() {
  const { page, wrong } = await open(browser);
  await page.goto(`${base}/packages`, { waitUntil: "networkidle0" });
  const box = () => page.$eval("[data-view] svg", (svg) => svg.getAttribute("viewBox"));
  const scale = () => page.$eval("[data-stage]", (stage) => Number(stage.dataset.scale));
  check("cycles are marked", (await page.$$("[data-view] .edge.cycle")).length > 0);
  const begun = await box(), unscaled = await scale();
  const view = await (await page.$("[data-view]")).boundingBox();
  await page.mouse.move(view.x + 12, view.y + view.height - 12);
  await page.mouse.down();
  await page.mouse.move(view.x + 72, view.y + view.height - 42, { steps: 4 });
  await page.mouse.up();
  check("dragging moves", (await box()) !== begun);
  await page.click("[data-zoom=in]");
  check("a button zooms", (await scale()) > unscaled, await scale());
  await page.focus("[data-view]");
  const still = await box();
  await page.keyboard.press("ArrowRight");
  check("arrows move", (await box()) !== still);
  const near = await scale();
  await page.keyboard.press("-");
  check("minus zooms out", (await scale()) < near);
  await page.keyboard.press("0");
  check("0 fits", (await scale()) === unscaled);
  await page.type("[data-filter]", "alp");
  check("the filter dims the rest", (await page.$$(".node.dim")).length === 2);
  check("the filter counts", (await page.$eval("[data-count]", (count) => count.textContent)) === "1 of 3");
  await page.keyboard.press("Enter");
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  check("Enter opens the box", page.url().includes("/package?name=alpha"), page.url());
  await page.goto(`${base}/symbol?at=check`, { waitUntil: "networkidle0" });
  const caller = await page.$("[data-view] a:has(.node:not(.strong))");
  await Promise.all([page.waitForNavigation(), caller.click()]);
  check("a click opens the box", page.url().includes("/symbol?at="), page.url());
  check("nothing went wrong with pictures", wrong.length === 0, wrong.join("; "));
  await page.close();
}

async function liveRun() {
  const { page, wrong } = await open(browser);
  write(root, { "a/src/fresh.rs": "pub fn brand_new() {}\n", "a/src/lib.rs": `${session}\npub fn later() {}\n` });
  await page.goto(`${base}/status`, { waitUntil: "networkidle0" });
  check("what changed is told", (await page.$eval(".run-state", (state) => state.textContent)).includes("2 files changed"));
  await Promise.all([page.waitForNavigation({ waitUntil: "networkidle0" }), page.click("[data-start]")]);
  check("a run brings it up to date", (await page.$eval(".run-state", (state) => state.textContent)).includes("Up to date"));
  await page.goto(`${base}/?q=brand_new`, { waitUntil: "networkidle0" });
  check("what is new is found", (await page.$eval("#results", (element) => element.textContent)).includes("fresh.rs"));
  check("nothing went wrong while indexing", wrong.length === 0, wrong.join("; "));
  await page.close();
}

async function signIn() {
  const guarded = await serve(root, home, ["--token", "open-sesame"]);
  const { page } = await open(browser);
  await page.goto(`${guarded.address}/packages`, { waitUntil: "networkidle0" });
  check("a token is asked for", (await page.$("#token")) !== null && !(await page.content()).includes("alpha"));
  await page.type("#token", "wrong");
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  check("a wrong one is refused", (await page.$("[role=alert]")) !== null);
  await page.type("#token", "open-sesame");
  await Promise.all([page.waitForNavigation({ waitUntil: "networkidle0" }), page.keyboard.press("Enter")]);
  check("the right one leads on", page.url().endsWith("/packages") && (await page.content()).includes("alpha"), page.url());
  check("no script sees the cookie", await page.evaluate(() => document.cookie === ""));
  await page.goto(`${guarded.address}/status`, { waitUntil: "networkidle0" });
  await Promise.all([page.waitForNavigation({ waitUntil: "networkidle0" }), page.click("[data-start]")]);
  check("who signed in may index", (await page.$eval(".run-state", (state) => state.textContent)).includes("Up to date"));
  await page.close();
  guarded.end();
}

try {
  for (const part of [everyPage, search, facets, longFile, directions, pictures, manyPackages, liveRun, signIn]) {
    try { await part(); } catch (error) { failed.push(`${part.name}: ${error.stack}`); }
  }
} finally {
  await browser.close();
  server.end();
  fs.rmSync(work, { recursive: true, force: true });
}
for (const one of failed) console.log(`FAILED ${one}`);
console.log(`${passed} passed, ${failed.length} failed`);
process.exit(failed.length ? 1 : 0);
