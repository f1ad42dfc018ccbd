// SPDX-License-Identifier: MIT
// Copyright the allot authors
// Draws a consumer's bar, the timeline and lists of numbers. Texts are inserted only as text.

export const $ = id => document.getElementById(id);

export function make(tag, attributes = {}, ...inside) {
  const it = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) it.setAttribute(name, value);
  it.append(...inside);
  return it;
}

const numbers = new Intl.NumberFormat("en");
export const number = value => value === undefined || value === null ? "" : numbers.format(value);

export function set(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// ---- Bars ---------------------------------------------------------------------------------------

export const parts = ["owned", "lent", "own", "borrowed", "shared", "flight", "reserve", "demand",
  "quota"];

// The start and length of each part of a row's bar, in slots.
export function lengths(row) {
  const own = Math.max(0, Math.min(row.own_used, row.allocated));
  const flight = Math.min(row.in_flight, row.allocated);
  return {
    owned: [0, row.owned], reserve: [0, row.reserve], demand: [0, row.demand],
    quota: [row.quota, 0], own: [0, own], borrowed: [own, row.borrowed],
    shared: [own + row.borrowed, row.shared], flight: [row.allocated - flight, flight],
    lent: [Math.max(0, row.owned - row.lent), row.lent],
  };
}

export const reach = row => Math.max(row.owned, row.quota, row.allocated, 1);

export function bar() {
  return make("div", { class: "bar", role: "gridcell" },
    ...parts.map(part => make("i", { class: part, "aria-hidden": "true" })));
}

export function paint(into, row, scale) {
  const lies = lengths(row);
  parts.forEach((part, i) => {
    const [from, long] = lies[part], node = into.children[i];
    const left = Math.min(100, 100 * from / scale);
    const width = Math.min(100 - left, 100 * long / scale);
    node.style.left = left.toFixed(2) + "%";
    if (part !== "quota") node.style.width = width.toFixed(2) + "%";
    node.hidden = long <= 0 && part !== "quota";
  });
  into.children[parts.indexOf("demand")].classList.toggle("beyond", row.demand > scale);
  into.setAttribute("aria-label", words(row));
}

// The bar in words, for screen readers.
export function words(row) {
  const said = [`${number(row.allocated)} allocated of a quota of ${number(row.quota)}`];
  for (const [name, text] of [["own_used", "own"], ["borrowed", "borrowed"], ["shared", "shared"],
    ["in_flight", "in flight"], ["lent", "lent"], ["reserve", "reserved"]])
    if (row[name] > 0) said.push(`${number(row[name])} ${text}`);
  return said.join(", ");
}

// ---- Timeline -----------------------------------------------------------------------------------

const SVG = "http://www.w3.org/2000/svg";

function shape(tag, attributes, text) {
  const it = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) it.setAttribute(name, value);
  if (text !== undefined) it.textContent = text;
  return it;
}

export const clock = seconds => new Date(seconds * 1000).toISOString().slice(11, 19) + "Z";

// Points are [now, slots, allocated, demand, in flight]; lines are steps, as counts of slots are.
export function chart(svg, caption, points) {
  const wide = svg.clientWidth || 600, high = svg.clientHeight || 150;
  if (points.length < 2) return;
  const right = wide - 130, low = high - 18, first = points[0][0], last = points.at(-1)[0];
  const most = Math.max(1, ...points.map(at => Math.max(at[1], at[2], Math.min(at[3], 2 * at[1]))));
  const x = now => 4 + (right - 4) * (now - first) / Math.max(1, last - first);
  const y = slots => low - (low - 8) * Math.min(slots, most) / most;
  const steps = column => points.map((at, i) => i === 0
    ? `M${x(at[0]).toFixed(1)} ${y(at[column]).toFixed(1)}`
    : `H${x(at[0]).toFixed(1)}V${y(at[column]).toFixed(1)}`).join("");
  svg.setAttribute("viewBox", `0 0 ${wide} ${high}`);
  const lines = [["slots", 1, "slots"], ["demand", 3, "demand"], ["allocated", 2, "allocated"],
    ["flight", 4, "in flight"]].filter(line => line[1] !== 4 || points.some(at => at[4] > 0));
  const drawn = [shape("path", { class: "frame", d: `M4 8V${low}H${right}` }),
    shape("path", { class: "area", d: `${steps(2)}V${low}H4Z` })];
  // Labels stand at the ends of lines, moved apart where they would overlap.
  const tags = lines.map(([name, column, text]) => ({ name, text, at: y(points.at(-1)[column]) + 4,
    value: points.at(-1)[column] })).sort((a, b) => a.at - b.at);
  for (let i = 1; i < tags.length; i++) tags[i].at = Math.max(tags[i].at, tags[i - 1].at + 13);
  for (let i = tags.length - 1, most_y = low + 4; i >= 0; i--, most_y -= 13)
    tags[i].at = Math.min(tags[i].at, most_y);
  for (const [name, column] of lines) drawn.push(shape("path", { class: name, d: steps(column) }));
  for (const tag of tags)
    drawn.push(shape("text", { class: `tag ${tag.name}`, x: right + 6, y: tag.at },
      `${tag.text} ${number(tag.value)}`));
  drawn.push(shape("text", { x: 4, y: high - 4 }, clock(first)),
    shape("text", { x: right, y: high - 4, "text-anchor": "end" }, clock(last)));
  svg.replaceChildren(...drawn);
  const [, slots, allocated, demand] = points.at(-1);
  set(caption, `Since ${clock(first)}: allocated went from ${number(points[0][2])} to `
    + `${number(allocated)} of ${number(slots)} slots; demand is ${number(demand)}.`);
}

// ---- Numbers with names -------------------------------------------------------------------------

export function totals(into, of) {
  const shown = [["slots", of.slots], ["allocated", of.allocated], ["idle", of.idle],
    ["demand", of.demand], ["owned", of.owned], ["reserved", of.reserve], ["lent", of.lent],
    ["borrowed", of.borrowed], ["shared", of.shared]];
  if (into.children.length !== shown.length)
    into.replaceChildren(...shown.map(([name]) => make("div", {}, make("dt", {}, name),
      make("dd", {}))));
  shown.forEach(([, value], i) => set(into.children[i].lastChild, number(value)));
}

// The service's report, in its own words, troubles first.
export function report(into, rows) {
  into.replaceChildren(...rows.flatMap(({ name, text, trouble }) => {
    const kind = trouble ? { class: "trouble" } : {};
    return [make("dt", kind, name), make("dd", kind, text)];
  }));
}
