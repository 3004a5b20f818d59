// A repository on disk, a server of it, a browser; and what every page is held to.

import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import puppeteer from "puppeteer-core";

const KEN = process.env.KEN;

export function temporary() {
  return fs.mkdtempSync(path.join(os.tmpdir(), "kenning-browser-"));
}

export function write(root, files) {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(root, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  }
}

function surroundings(home) {
  return { ...process.env, KEN_HOME: path.join(home, "ken"), HOME: home, XDG_CONFIG_HOME: path.join(home, "config") };
}

export function index(root, home, name) {
  const run = spawnSync(KEN, ["index", "--name", name], { cwd: root, env: surroundings(home), encoding: "utf8" });
  if (run.status !== 0) throw new Error(`ken index: ${run.stderr}`);
}

/** A running `ken http`, and where it listens. */
export async function serve(root, home, more = []) {
  const server = spawn(KEN, ["http", "--port", "0", ...more], { cwd: root, env: surroundings(home) });
  let said = "";
  const address = await new Promise((resolve, reject) => {
    server.stderr.on("data", (data) => {
      said += data;
      const found = said.match(/listening on (http:\S+)/);
      if (found) resolve(found[1]);
    });
    server.on("exit", () => reject(new Error(`ken http ended: ${said}`)));
  });
  return { address, end: () => server.kill(), halt: () => server.kill("SIGSTOP"), resume: () => server.kill("SIGCONT") };
}

export function browse() {
  const args = ["--disable-gpu", "--hide-scrollbars", "--force-prefers-reduced-motion"];
  // Chromium's sandbox does not run as root.
  if (process.getuid?.() === 0) args.push("--no-sandbox");
  return puppeteer.launch({ executablePath: process.env.CHROMIUM, args, protocolTimeout: 120_000 });
}

/** A page that remembers everything that went wrong in it. */
export async function open(browser, { width = 1280, height = 860, scheme = "light" } = {}) {
  const page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  const wrong = [];
  page.on("console", (message) => { if (["error", "warn", "warning"].includes(message.type())) wrong.push(message.text()); });
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("dialog", async (dialog) => { wrong.push(`a dialog: ${dialog.message()}`); await dialog.dismiss(); });
  page.on("request", (request) => {
    const isOwn = new URL(request.url()).hostname === "127.0.0.1";
    if (!isOwn) wrong.push(`asked another server: ${request.url()}`);
  });
  const isPhone = width < 500;
  await page.setViewport({ width, height, isMobile: isPhone, hasTouch: isPhone });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  return { page, wrong };
}

/** Controls without a name, as a screen reader would find them. */
export async function namelessControls(page) {
  const session = await page.createCDPSession();
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  const roles = ["button", "link", "textbox", "searchbox", "combobox", "checkbox", "spinbutton", "DisclosureTriangle", "meter", "progressbar"];
  const nameless = nodes.filter((node) => !node.ignored && roles.includes(node.role?.value) && !node.name?.value?.trim());
  return nameless.map((node) => node.role.value);
}

/** Texts whose colour is too near to what is behind them. Runs in the page. */
export function poorContrast() {
  const parse = (text) => (text.match(/[\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
  const over = ([r, g, b, a = 1], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a)];
  const light = (colour) => {
    const [r, g, b] = colour.map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    if (!element) return [255, 255, 255];
    const own = parse(getComputedStyle(element).backgroundColor);
    return own[3] === undefined || own[3] === 1 ? own.slice(0, 3) : over(own, behind(element.parentElement));
  };
  const poor = new Set();
  for (const element of document.querySelectorAll("body *")) {
    const texts = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    const style = getComputedStyle(element);
    const isSeen = element.getClientRects().length > 0 && style.visibility === "visible";
    if (!texts || !isSeen || element.closest(".visually-hidden, .skip, title, option, noscript")) continue;
    const isDrawn = element instanceof SVGElement;
    const back = behind(element);
    const ink = over(parse(isDrawn ? style.fill : style.color), back);
    const [high, low] = [light(ink), light(back)].sort((a, b) => b - a);
    const ratio = (high + 0.05) / (low + 0.05);
    const size = parseFloat(style.fontSize), isBold = Number(style.fontWeight) >= 700;
    const least = size >= 24 || (isBold && size >= 18.66) ? 3 : 4.5;
    if (ratio < least) poor.add(`${element.tagName}.${element.getAttribute("class")} ${ratio.toFixed(2)} ${element.textContent.trim().slice(0, 30)}`);
  }
  return [...poor];
}
