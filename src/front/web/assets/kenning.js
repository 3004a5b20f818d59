// Behaviour beyond links and forms: search while typing, keys, zoomable diagrams, the progress of
// an index run. The pages work without it.
"use strict";

const find = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

// Shows relative times; the title has the exact one.
function tellTimes(within) {
  const units = [["day", 86400], ["hour", 3600], ["minute", 60]];
  const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  for (const time of all("time[data-ago]", within)) {
    const seconds = (Date.now() - Date.parse(time.dateTime)) / 1000;
    if (!Number.isFinite(seconds)) continue;
    const unit = units.find(([, length]) => seconds >= length);
    time.title = time.dateTime;
    time.textContent = unit ? words.format(-Math.floor(seconds / unit[1]), unit[0]) : "just now";
  }
}

// Searches while the user types. Only the answer to the last request is shown.
function searchAsTyped(box, results) {
  let timer, latest = 0, shown = box.value;
  const ask = async () => {
    const text = box.value;
    if (text === shown) return;
    const mine = ++latest;
    const address = new URL(location.href);
    address.pathname = "/";
    address.searchParams.delete("limit");
    if (text.trim()) address.searchParams.set("q", text);
    else address.searchParams.delete("q");
    const part = new URL(address);
    part.searchParams.set("part", "results");
    try {
      const answer = await fetch(part, { headers: { accept: "text/html" } });
      const html = await answer.text();
      if (mine !== latest) return;
      if (!answer.ok) { location.assign(address); return; }
      results.innerHTML = html;
      shown = text;
      history.replaceState(null, "", address);
      document.title = document.title.replace(/^.*? · (?=.* · )/, "");
      tellTimes(results);
      for (const place of all("[data-load]", results)) loadPart(place);
    } catch { /* The server is gone or busy; the form still works. */ }
  };
  box.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(ask, 130); });
  if (!box.value && matchMedia("(hover: hover)").matches) box.focus();
}

// Handles keys: / to search, arrows to move between hits, Escape to go back.
function listenToKeys(box) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target;
    const isTyping = target.closest("input, textarea, select");
    if (event.key === "/" && !isTyping && box) {
      event.preventDefault();
      box.focus();
      box.select();
      return;
    }
    if (event.key === "Escape") {
      const open = find("details[open] > .sheet");
      if (open) {
        open.parentElement.open = false;
        find("summary", open.parentElement).focus();
      } else if (target === box) {
        box.value = "";
        box.dispatchEvent(new Event("input"));
      } else if (box && !isTyping) box.focus();
      return;
    }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    if (isTyping && target !== box || target.closest("[data-view]")) return;
    const rows = all("[data-row]").filter((row) => row.offsetParent);
    if (!rows.length) return;
    const here = rows.indexOf(target.closest("[data-row]"));
    if (here < 0 && target !== box && target !== document.body) return;
    event.preventDefault();
    const next = here + (event.key === "ArrowDown" ? 1 : -1);
    if (next < 0 && box) box.focus();
    else rows[Math.min(Math.max(next, 0), rows.length - 1)].focus();
  });
  document.addEventListener("click", (event) => {
    for (const sheet of all("details[open] > .sheet")) {
      if (!sheet.parentElement.contains(event.target)) sheet.parentElement.open = false;
    }
  });
}

// A picture that can be moved, zoomed and filtered. All of it is a matter of the view box.
function bringToLife(stage) {
  const view = find("[data-view]", stage), svg = find("svg", view);
  if (!svg) return;
  const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  const LEAST = 0.05, MOST = 4;
  // Smaller than the first nothing can be read; it begins at the second then.
  const LEGIBLE = 0.55, BEGUN = 0.8;
  let scale = 1, x = 0, y = 0;
  view.classList.add("live");
  svg.setAttribute("width", "100%");
  svg.setAttribute("height", "100%");
  svg.setAttribute("preserveAspectRatio", "xMinYMin meet");

  const draw = () => {
    const box = [x, y, view.clientWidth / scale, view.clientHeight / scale];
    svg.setAttribute("viewBox", box.map((number) => number.toFixed(2)).join(" "));
    stage.dataset.scale = scale.toFixed(3);
  };
  const size = () => {
    const room = Math.max(220, Math.min(innerHeight * 0.66, 760));
    const whole = Math.min(1, view.clientWidth / width);
    const shown = whole < LEGIBLE ? BEGUN : whole;
    view.style.height = `${Math.round(Math.min(room, Math.max(180, height * shown)))}px`;
  };
  const fit = () => {
    scale = Math.min(1, view.clientWidth / width, view.clientHeight / height);
    x = Math.min(0, (width - view.clientWidth / scale) / 2);
    y = Math.min(0, (height - view.clientHeight / scale) / 2);
    draw();
  };
  // Fits the diagram into the view. If that is too small to read, starts at its central node.
  const begin = () => {
    size();
    fit();
    if (scale >= LEGIBLE) return;
    const centre = find(".node.strong", svg);
    scale = BEGUN;
    [x, y] = [0, 0];
    draw();
    if (!centre) return;
    const box = centre.getBBox();
    const shift = offset(centre);
    x = Math.max(0, box.x + shift.x + box.width / 2 - view.clientWidth / scale / 2);
    const spare = height - view.clientHeight / scale;
    y = spare < 0 ? spare / 2 : Math.max(0, box.y + shift.y + box.height / 2 - view.clientHeight / scale / 2);
    draw();
  };
  // Returns the offset of the group that contains the node; it moves as a whole.
  const offset = (node) => {
    const group = node.closest("g[transform]");
    const move = group && group.transform.baseVal.consolidate();
    return move ? { x: move.matrix.e, y: move.matrix.f } : { x: 0, y: 0 };
  };
  const zoom = (factor, atX = view.clientWidth / 2, atY = view.clientHeight / 2) => {
    const next = Math.min(MOST, Math.max(LEAST, scale * factor));
    x += atX / scale - atX / next;
    y += atY / scale - atY / next;
    scale = next;
    draw();
  };

  for (const button of all("[data-zoom]", stage)) {
    button.addEventListener("click", () => {
      if (button.dataset.zoom === "fit") fit();
      else zoom(button.dataset.zoom === "in" ? 1.3 : 1 / 1.3);
    });
  }
  view.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const frame = view.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY / 240), event.clientX - frame.left, event.clientY - frame.top);
  }, { passive: false });

  const held = new Map();
  let moved = 0;
  view.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    held.set(event.pointerId, event);
    moved = 0;
  });
  view.addEventListener("pointermove", (event) => {
    const before = held.get(event.pointerId);
    if (!before) return;
    const [dx, dy] = [event.clientX - before.clientX, event.clientY - before.clientY];
    moved += Math.abs(dx) + Math.abs(dy);
    if (moved > 4 && !view.hasPointerCapture(event.pointerId)) {
      view.setPointerCapture(event.pointerId);
      view.classList.add("dragged");
    }
    if (held.size === 2) {
      const [other] = [...held.values()].filter((one) => one.pointerId !== event.pointerId);
      const far = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) || 1;
      const frame = view.getBoundingClientRect();
      zoom(far(event) / far(before), other.clientX - frame.left, other.clientY - frame.top);
    } else {
      x -= dx / scale;
      y -= dy / scale;
      draw();
    }
    held.set(event.pointerId, event);
  });
  const release = (event) => { held.delete(event.pointerId); view.classList.remove("dragged"); };
  view.addEventListener("pointerup", release);
  view.addEventListener("pointercancel", release);
  // The end of a drag is no click; a key is one.
  view.addEventListener("click", (event) => {
    if (moved > 4 && event.detail > 0) event.preventDefault();
    moved = 0;
  }, true);
  view.addEventListener("dragstart", (event) => event.preventDefault());
  view.addEventListener("keydown", (event) => {
    const step = 60 / scale;
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
    const move = moves[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (move) { x += move[0]; y += move[1]; draw(); }
    else if (event.key === "+" || event.key === "=") zoom(1.3);
    else if (event.key === "-") zoom(1 / 1.3);
    else if (event.key === "0") fit();
    else return;
    event.preventDefault();
  });
  // Moves the focused node into view.
  view.addEventListener("focusin", (event) => {
    const node = find(".node", event.target);
    if (!node) return;
    view.scrollTop = view.scrollLeft = 0;
    const box = node.getBBox(), shift = offset(node);
    const [left, top] = [box.x + shift.x, box.y + shift.y];
    const [seenX, seenY] = [view.clientWidth / scale, view.clientHeight / scale];
    if (left < x || left + box.width > x + seenX) x = left + box.width / 2 - seenX / 2;
    if (top < y || top + box.height > y + seenY) y = top + box.height / 2 - seenY / 2;
    draw();
  });

  const filter = find("[data-filter]", stage), count = find("[data-count]", stage);
  const nodes = all(".node", svg), edges = all(".edge, .head, .said", svg);
  const matching = () => nodes.filter((node) => !node.classList.contains("dim"));
  filter.addEventListener("input", () => {
    const text = filter.value.trim().toLowerCase();
    const name = (node) => find("title", node).textContent.toLowerCase();
    for (const node of nodes) node.classList.toggle("dim", !name(node).includes(text));
    for (const edge of edges) edge.classList.toggle("dim", text !== "");
    count.textContent = text ? `${matching().length} of ${nodes.length}` : "";
  });
  filter.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    const link = matching().map((node) => node.closest("a")).find(Boolean);
    if (link) link.focus();
  });
  begin();
  new ResizeObserver(() => { if (view.clientWidth) { size(); draw(); } }).observe(stage);
}

// Parts that take longer come when they are ready.
async function loadPart(place) {
  try {
    const answer = await fetch(place.dataset.load, { headers: { accept: "text/html" } });
    if (!answer.ok) throw new Error();
    place.innerHTML = await answer.text();
    tellTimes(place);
  } catch {
    const waiting = find(".loading", place);
    if (waiting) waiting.textContent = "What the requirements were traced to could not be told; is the code indexed?";
  }
}

// Starts an index run and follows its progress to the end.
function watchRuns(section) {
  const button = find("[data-start]", section), place = find("[data-progress]", section);
  const bar = find("progress", place), words = find("[data-stage-text]", place);
  const tell = (state) => {
    const { stage, done, total } = state.progress || {};
    if (total) { bar.max = total; bar.value = done; } else bar.removeAttribute("value");
    if (stage) words.textContent = total ? `${stage}: ${done} of ${total}` : stage;
  };
  const follow = (url) => {
    const events = new EventSource(url);
    const over = (message) => { events.close(); button.disabled = false; words.textContent = message; };
    events.addEventListener("progress", (event) => tell(JSON.parse(event.data)));
    events.addEventListener("done", () => { over("Done."); location.reload(); });
    for (const name of ["failed", "cancelled"]) {
      events.addEventListener(name, (event) => over(JSON.parse(event.data).error));
    }
    events.onerror = () => over("The server does not answer any more.");
  };
  button.addEventListener("click", async () => {
    button.disabled = true;
    place.hidden = false;
    try {
      const answer = await fetch("/indexer/index", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ path: section.dataset.index }),
      });
      const said = await answer.json();
      if (answer.status === 201) follow(said.url);
      else if (said.data && said.data.jobId) follow(`/indexer/jobs/${said.data.jobId}`);
      else { button.disabled = false; words.textContent = said.detail; }
    } catch {
      button.disabled = false;
      words.textContent = "The server does not answer.";
    }
  });
}

// On a small screen the outline waits to be opened; the line that was asked for is brought to the eye.
function settleFile() {
  const outline = find(".outline details");
  if (outline && matchMedia("(max-width: 62rem)").matches) outline.open = false;
  const asked = find(".listing .asked");
  if (asked && !location.hash) asked.scrollIntoView({ block: "center" });
  // The outline shows where one is.
  const lineOf = (hash) => Number(hash.replace("#L", "")) || 0;
  const line = lineOf(location.hash) || lineOf(asked?.id.replace("L", "#L") ?? "");
  const here = all(".outline a").filter((link) => lineOf(link.hash) <= line).pop();
  if (!here) return;
  here.setAttribute("aria-current", "true");
  const frame = here.closest(".outline");
  frame.scrollTop = here.offsetTop - frame.clientHeight / 3;
}

settleFile();
const box = find("#q"), results = find("[data-results]");
tellTimes(document);
listenToKeys(box);
if (box && results) searchAsTyped(box, results);
for (const stage of all("[data-stage]")) bringToLife(stage);
for (const place of all("[data-load]")) loadPart(place);
for (const section of all("[data-index]")) watchRuns(section);
