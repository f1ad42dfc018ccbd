// SPDX-License-Identifier: MIT
// Copyright the allot authors
// The page: watches visible rows over a WebSocket, and fetches explanations and the report.

import { $, chart, clock, make, number, report, set, totals } from "/draw.js";
import { Tree } from "/tree.js";

let token = null, socket = null, group = null, explained = null, wait = 500;
let points = [], heard = 0, wanted = [["/", 0, 50]], spoke = 0;
let newest = null, told_of = null, telling = false, ails = null;

// ---- Asking -------------------------------------------------------------------------------------

async function ask(path, words = {}) {
  const query = new URLSearchParams(words).toString();
  const answer = await fetch(query ? `${path}?${query}` : path,
    token ? { headers: { authorization: `Bearer ${token}` } } : {});
  if (answer.status === 401) {
    await ask_token();
    return ask(path, words);
  }
  return { good: answer.ok, value: await answer.json() };
}

let asking = null;
function ask_token() {
  asking = asking || new Promise(done => {
    $("ask").addEventListener("close", () => {
      token = $("token").value;
      $("token").value = "";
      asking = null;
      done();
    }, { once: true });
    $("ask").showModal();
  });
  return asking;
}

// Screen readers get news now and then, not every change.
function say(text, now = false) {
  if (!now && Date.now() - spoke < 5000) return;
  spoke = Date.now();
  set($("said"), text);
}

function health(state, text) {
  if ($("health").dataset.state !== state) say(text, true);
  $("health").dataset.state = state;
  set($("health"), text);
}

// ---- The tree, and why --------------------------------------------------------------------------

const tree = new Tree({
  watch(list) {
    wanted = list;
    tell();
  },
  explain(row) {
    explained = row.path;
    tree.why = row.path;
    tree.soon();
    why(true);
  },
});

// "7: 4 slots, running since 08:21:27Z, goes by reclaim 3".
function task_text(it) {
  const waits = it.state === "pending";
  const since = waits ? it.submitted : it.started;
  const slots = typeof it.slots === "object"
    ? Object.keys(it.slots).sort().map(name => `${number(it.slots[name])} ${name}`).join(" + ")
    : `${number(it.slots || 1)} ${it.slots > 1 ? "slots" : "slot"}`;
  return `${it.id}: ${slots}, ${waits ? "pending" : "running"}`
    + (since ? ` since ${clock(since)}` : "") + (it.reclaim ? `, goes by reclaim ${it.reclaim}` : "");
}

function list(id, texts) {
  const said = JSON.stringify(texts);
  if ($(id).dataset.said === said) return;
  $(id).dataset.said = said;
  $(id).replaceChildren(...texts.map(text => make("li", {}, text)));
}

async function why(focus) {
  const path = explained;
  const [{ good, value }, tasks] = await Promise.all([
    ask("/explain", group ? { path, group } : { path }), ask("/tasks", { consumer: path })]);
  if (path !== explained) return;
  told_of = good ? `${value.cycle} ${value.event}` : newest;
  const lines = good ? value.lines || [] : [value.message || "it cannot be explained"];
  const texts = lines.map(line => typeof line === "string" ? line : line.text || "");
  set($("why-name"), path);
  set($("why-when"), good ? `at event ${number(value.event)}, ${clock(value.now)}` : "");
  list("why-lines", texts);
  list("why-tasks", tasks.good ? tasks.value.tasks.map(task_text) : []);
  $("why-tasks-name").hidden = $("why-tasks").children.length === 0;
  set($("why-tasks-name"), tasks.value.next ? "Tasks, the first 100" : "Tasks");
  $("why").hidden = false;
  if (focus) $("why").focus();
}

// Fetches the explanation again when its rows are of another cycle or event: one request at a time.
async function follow() {
  while (explained && told_of !== newest) {
    const before = newest;
    try { await why(false); } catch { return; }
    if (told_of !== newest && newest === before) return; // the service is ahead of the rows
  }
}

function why_soon() {
  if (telling) return;
  telling = true;
  follow().finally(() => { telling = false; });
}

function close_why() {
  explained = tree.why = null;
  $("why").hidden = true;
  tree.soon();
  $("tree").focus();
}

$("why-close").addEventListener("click", close_why);
$("why").addEventListener("keydown", event => { if (event.key === "Escape") close_why(); });

// ---- Search -------------------------------------------------------------------------------------

let typed = null, searched = "";

async function search() {
  const text = $("find").value.trim();
  searched = text;
  if (text === "") {
    set($("find-count"), "");
    tree.show(null);
    return;
  }
  const { good, value } = await ask("/state", group ? { find: text, group } : { find: text });
  if (!good || searched !== text) return;
  const { rows, more } = value.found;
  set($("find-count"), more ? `the first ${rows.length}` : `${rows.length} found`);
  tree.show(rows);
}

$("find").addEventListener("input", () => {
  clearTimeout(typed);
  typed = setTimeout(search, 200);
});
$("search").addEventListener("submit", event => {
  event.preventDefault();
  search().then(() => $("tree").focus());
});
$("find").addEventListener("keydown", event => {
  if (event.key === "Escape") { $("find").value = ""; search().then(() => $("tree").focus()); }
});
document.addEventListener("keydown", event => {
  if (event.key !== "/" || event.target.closest("input, select, dialog")) return;
  event.preventDefault();
  $("find").focus();
});

// ---- What comes ---------------------------------------------------------------------------------

function decisions(told, missed) {
  if (missed) $("told").prepend(make("li", {}, `${number(missed)} decisions not shown`));
  for (const it of told) {
    const parts = [["granted", "slots granted"], ["reclaimed", "slots reclaimed"],
      ["starts", "jobs started"], ["resumes", "jobs resumed"], ["suspends", "jobs suspended"],
      ["kills", "killed"]].filter(([name]) => it[name] > 0)
      .map(([name, text]) => `${number(it[name])} ${text}`);
    const text = `decision ${number(it.seq)}: ${parts.join(", ") || "orders"}`;
    $("told").prepend(make("li", {}, make("time", {}, clock(it.now)), text));
    while ($("told").children.length > 50) $("told").lastChild.remove();
  }
  if (told.length > 0 && told.at(-1).seq) say($("told").firstChild.lastChild.textContent);
}

function groups(names, now) {
  $("group-field").hidden = names.length < 2;
  if ($("group").options.length !== names.length)
    $("group").replaceChildren(...names.map(name => make("option", { value: name }, name)));
  $("group").value = now;
}

$("group").addEventListener("change", () => {
  group = $("group").value;
  points = [];
  tree.clear();
  tree.soon();
  if (explained) why(false);
});

function hear(message) {
  if (message.error) return health("bad", message.error);
  if (message.again) {
    tree.clear();
    points = [];
    return tree.soon();
  }
  heard = Date.now();
  if (message.fresh) {
    points = [];
    $("told").replaceChildren();
  }
  if (message.branches) message.branches.forEach(branch => tree.branch(branch));
  else tree.change(message.rows);
  for (const point of message.history)
    if (points.length > 0 && points.at(-1)[0] === point[0]) points[points.length - 1] = point;
    else points.push(point);
  points = points.slice(-300);
  groups(message.groups, message.group);
  totals($("totals"), message.totals);
  chart($("chart"), $("chart-text"), points);
  decisions(message.told, message.missed);
  set($("when"), `${message.policy}, ${number(message.consumers)} consumers, event `
    + `${number(message.event)}, ${clock(message.now)}`);
  health(ails ? "bad" : "good", ails || "live");
  newest = `${message.cycle} ${message.event}`;
  why_soon();
  tree.soon();
}

function tell() {
  if (!socket || socket.readyState !== WebSocket.OPEN) return;
  const message = { watch: wanted };
  if (token) message.token = token;
  if (group) message.group = group;
  socket.send(JSON.stringify(message));
}

function connect() {
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/events`);
  socket.addEventListener("open", () => { wait = 500; tell(); });
  socket.addEventListener("message", event => hear(JSON.parse(event.data)));
  socket.addEventListener("close", () => {
    health("bad", "not connected: trying again");
    setTimeout(connect, wait);
    wait = Math.min(8000, 2 * wait);
  });
}

// ---- What is asked now and then -----------------------------------------------------------------

// Shows the trouble of a service that still answers until the trouble ends.
function took_report(value) {
  const before = ails;
  report($("report"), value.rows);
  ails = value.healthy ? null : value.rows[0].text;
  if (ails || before) health(ails ? "bad" : "good", ails || "live");
}

async function now_and_then() {
  try {
    const { good, value } = await ask("/report");
    if (good) took_report(value);
    if (searched && document.visibilityState === "visible") {
      const { value: again } = await ask("/state", { find: searched, ...(group && { group }) });
      if (again.found && again.found.text === searched) tree.change(again.found.rows);
      tree.soon();
    }
  } catch { /* the socket notices that the service is gone */ }
  if (socket && socket.readyState === WebSocket.OPEN && Date.now() - heard > 6000)
    health("bad", "nothing new for a while");
}

await ask("/report").then(({ good, value }) => good && took_report(value)).catch(() => {});
connect();
setInterval(now_and_then, 3000);
