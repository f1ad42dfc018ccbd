// SPDX-License-Identifier: MIT
// Copyright the allot authors
// The tree of consumers: draws only visible rows, however many are above and below them.

import { $, bar, make, number, paint, reach, set } from "/draw.js";

const HIGH = 30, COLUMNS = ["allocated", "quota", "demand", "owned", "reserve", "lent", "borrowed",
  "shared", "in_flight"];

export class Tree {
  // hooks: watch(list of [path, from, count]), explain(row)
  constructor(hooks) {
    this.hooks = hooks;
    this.box = $("tree");
    this.space = $("space");
    this.rows = new Map(); // by path
    this.pool = [];
    this.here = 0;
    this.watching = "";
    this.clear();
    this.box.addEventListener("scroll", () => this.soon());
    this.box.addEventListener("keydown", event => this.key(event));
    this.box.addEventListener("click", event => this.click(event));
    new ResizeObserver(() => this.soon()).observe(this.box);
  }

  clear() {
    this.root = { path: "/", of: 0, at: -1, level: 0, open: new Map(), paths: [], top: null };
    this.found = null;
    this.rows.clear();
    this.watching = "";
  }

  // ---- Which row is where: a node has its open children by place only. ----

  size(node) {
    let size = node.of;
    for (const child of node.open.values()) size += this.size(child);
    return size;
  }

  // The parent node of the k-th row, and its place there.
  at(k) {
    if (this.found) return { path: this.found[k], level: 1, place: k, node: null };
    let node = this.root;
    for (;;) {
      let skipped = 0, inner = null;
      for (const [place, child] of [...node.open].sort((a, b) => a[0] - b[0])) {
        if (k <= place + skipped) break;
        const size = this.size(child);
        if (k <= place + skipped + size) {
          inner = child;
          k -= place + skipped + 1;
          break;
        }
        skipped += size;
      }
      if (!inner) {
        const place = k - skipped;
        return { path: node.paths[place], level: node.level + 1, place, node };
      }
      node = inner;
    }
  }

  // The number of a node's own row.
  line(node) {
    if (node === this.root) return -1;
    let line = this.line(node.top) + 1 + node.at;
    for (const [place, child] of node.top.open) if (place < node.at) line += this.size(child);
    return line;
  }

  count() { return this.found ? this.found.length : this.size(this.root); }

  // ---- What comes in ----

  branch(of) {
    let node = this.root;
    if (of.path !== "/") node = this.node(of.path, this.root);
    if (!node) return;
    node.of = of.of;
    node.paths.length = of.of;
    of.rows.forEach((row, i) => {
      node.paths[of.from + i] = row.path;
      this.rows.set(row.path, row);
    });
  }

  node(path, from) {
    for (const child of from.open.values()) {
      if (child.path === path) return child;
      if (path.startsWith(child.path + "/")) return this.node(path, child);
    }
    return null;
  }

  change(rows) {
    for (const row of rows) {
      const known = this.rows.get(row.path);
      if (known) Object.assign(known, row);
    }
  }

  show(found) {
    this.found = found && found.map(row => { this.rows.set(row.path, row); return row.path; });
    this.here = 0;
    this.box.scrollTop = 0;
    this.watching = "";
    this.soon();
  }

  // ---- What is seen ----

  soon() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => { this.asked = false; this.draw(); });
  }

  draw() {
    const count = this.count(), from = Math.max(0, Math.floor(this.box.scrollTop / HIGH) - 3);
    const to = Math.min(count, Math.ceil((this.box.scrollTop + this.box.clientHeight) / HIGH) + 3);
    this.here = Math.max(0, Math.min(this.here, count - 1));
    this.space.style.height = count * HIGH + "px";
    this.box.setAttribute("aria-rowcount", count);
    const wanted = new Map(), scales = new Map();
    for (let k = from; k < to; k++) {
      const it = this.at(k);
      if (it.node) {
        const range = wanted.get(it.node) || [it.place, it.place];
        wanted.set(it.node, [Math.min(range[0], it.place), Math.max(range[1], it.place)]);
      }
      const row = this.rows.get(it.path), top = it.node ? it.node.path : "";
      if (row) scales.set(top, Math.max(scales.get(top) || 0, reach(row)));
      this.fill(this.line_of(k - from), k, it, row);
    }
    for (let i = to - from; i < this.pool.length; i++) this.pool[i].hidden = true;
    for (let k = from; k < to; k++) {
      const node = this.pool[k - from];
      if (node.row) paint(node.bar, node.row, scales.get(node.top));
    }
    const active = this.here >= from && this.here < to && count > 0;
    if (active) this.box.setAttribute("aria-activedescendant", this.pool[this.here - from].id);
    else this.box.removeAttribute("aria-activedescendant");
    this.watch(wanted);
    if (this.due === this.here && count > 0) this.explain();
  }

  // The page's row for the i-th visible line.
  line_of(i) {
    if (this.pool[i]) return this.pool[i];
    const it = make("div", { class: "row", role: "row", id: "row" + i });
    it.fold = make("span", { class: "fold", "aria-hidden": "true" });
    it.text = make("span", {});
    it.more = make("span", { class: "more" });
    it.label = make("div", { class: "name", role: "rowheader" }, it.fold, it.text, it.more);
    it.bar = bar();
    it.cells = COLUMNS.map((name, k) => make("div",
      { class: k < 4 ? "n" : "n wide", role: "gridcell", "data-column": name }));
    it.append(it.label, it.bar, ...it.cells);
    this.space.append(it);
    this.pool[i] = it;
    return it;
  }

  fill(node, k, it, row) {
    const open = it.node && it.node.open.has(it.place);
    node.hidden = false;
    node.style.top = k * HIGH + "px";
    node.k = k;
    node.row = row;
    node.top = it.node ? it.node.path : "";
    node.classList.toggle("here", k === this.here);
    node.classList.toggle("why", row !== undefined && row.path === this.why);
    node.setAttribute("aria-level", it.level);
    node.setAttribute("aria-rowindex", k + 1);
    node.setAttribute("aria-posinset", it.place + 1);
    node.setAttribute("aria-setsize", it.node ? it.node.of : this.found.length);
    node.setAttribute("aria-selected", row !== undefined && row.path === this.why);
    if (row) node.dataset.path = row.path; else delete node.dataset.path;
    const folds = row && row.children > 0 && it.node;
    if (folds) node.setAttribute("aria-expanded", open); else node.removeAttribute("aria-expanded");
    set(node.fold, folds ? (open ? "▾" : "▸") : "");
    node.label.style.paddingLeft = (it.level - 1) * 1.1 + "rem";
    set(node.text, row ? (it.node ? row.name : row.path) : "…");
    set(node.more, row && row.children > 0 ? ` ${number(row.children)}` : "");
    node.label.title = row ? row.path : "";
    node.bar.hidden = !row;
    COLUMNS.forEach((name, i) => set(node.cells[i], row && (row[name] !== 0 || i < 4)
      ? number(row[name]) : ""));
    node.cells[0].classList.toggle("over", row !== undefined && row.over > 0);
    COLUMNS.forEach((name, i) => node.cells[i].setAttribute("aria-label",
      `${name.replace("_", " ")} ${row ? number(row[name]) : ""}`));
  }

  // Asks the service to watch only visible rows, not whole open branches.
  watch(wanted) {
    const list = [["/", 0, 0]];
    for (const [node, [from, to]] of wanted) list.push([node.path, from, to - from + 1]);
    if (list.length > 1) list.shift();
    if (this.root.of === 0) list[0] = ["/", 0, 50];
    const text = JSON.stringify(list);
    if (text === this.watching) return;
    this.watching = text;
    this.hooks.watch(list);
  }

  // ---- Keys and clicks ----

  fold(k, open) {
    const it = this.at(k), row = this.rows.get(it.path);
    if (!it.node || !row || row.children === 0) return false;
    if (it.node.open.has(it.place) === open) return false;
    if (open)
      it.node.open.set(it.place, { path: row.path, of: row.children, at: it.place, paths: [],
        level: it.level, open: new Map(), top: it.node });
    else
      it.node.open.delete(it.place);
    this.soon();
    return true;
  }

  go(k) {
    this.here = Math.max(0, Math.min(k, this.count() - 1));
    const top = this.here * HIGH;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    if (top + HIGH > this.box.scrollTop + this.box.clientHeight)
      this.box.scrollTop = top + HIGH - this.box.clientHeight;
    this.soon();
  }

  // Explains the current row; one not here yet, as soon as it is.
  explain() {
    const row = this.rows.get(this.at(this.here).path);
    this.due = row ? null : this.here;
    if (row) this.hooks.explain(row);
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.box.clientHeight / HIGH) - 1);
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity,
      End: Infinity };
    if (event.altKey || event.ctrlKey || event.metaKey || this.count() === 0) return;
    if (event.key in moves) {
      this.go(this.here + moves[event.key]);
    } else if (event.key === "ArrowRight") {
      const it = this.at(this.here);
      if (!this.fold(this.here, true) && it.node && it.node.open.has(it.place))
        this.go(this.here + 1);
    } else if (event.key === "ArrowLeft") {
      const it = this.at(this.here);
      if (!this.fold(this.here, false) && it.node && it.node !== this.root)
        this.go(this.line(it.node));
    } else if (event.key === "Enter" || event.key === " ") {
      this.explain();
    } else {
      return;
    }
    event.preventDefault();
  }

  click(event) {
    const row = event.target.closest(".row");
    if (!row) return;
    this.go(row.k);
    if (event.target.closest(".fold")) {
      if (!this.fold(row.k, true)) this.fold(row.k, false);
    } else {
      this.explain();
    }
  }
}
