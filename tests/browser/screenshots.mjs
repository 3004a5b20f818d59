// Pictures of each page for the guide, of any repository. The questions suit ripgrep; a page that has
// nothing to show there is left out, and that is said.

import fs from "node:fs";
import path from "node:path";
import { browse, index, open, serve, temporary } from "./stage.mjs";

const [out, repository] = process.argv.slice(2);
const chosen = (name, otherwise) => process.env[name] ?? otherwise;
const shots = {
  home: "/",
  search: `/?q=${encodeURIComponent(chosen("QUESTION", "walk parallel"))}`,
  file: `/file?path=${encodeURIComponent(chosen("FILE", "crates/ignore/src/walk.rs"))}&line=${chosen("LINE", "593")}`,
  symbol: `/symbol?at=${encodeURIComponent(chosen("SYMBOL", "WalkBuilder.build"))}`,
  packages: "/packages",
  specs: "/specs",
  spec: `/spec?id=${encodeURIComponent(chosen("SPEC", "none"))}`,
  skills: "/skills",
  status: "/status",
};
const MOST_BYTES = 150_000;

const home = temporary();
index(repository, home, path.basename(repository));
const server = await serve(repository, home);
const browser = await browse();
const only = process.env.ONLY?.split(",");
async function take(name, address, width, height) {
  const { page } = await open(browser, { width, height, scheme: "light" });
  const answer = await page.goto(server.address + address, { waitUntil: "networkidle0" });
  const isEmpty = !answer.ok() || (await page.$("main > .empty")) !== null;
  if (isEmpty) console.log(`${name}: nothing to show here`);
  else {
    const file = path.join(out, `${name}.png`);
    await page.screenshot({ path: file });
    const { size } = fs.statSync(file);
    console.log(`${name}: ${size} bytes${size > MOST_BYTES ? ", which is too many" : ""}`);
  }
  await page.close();
}
for (const [name, address] of Object.entries(shots)) {
  if (!only || only.includes(name)) await take(name, address, 1280, 680);
}
if (!only || only.includes("search-phone")) await take("search-phone", shots.search, 390, 844);
await browser.close();
server.end();
fs.rmSync(home, { recursive: true, force: true });
