-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A service's method `report`: its status in words for people, troubles first.

local core = require "allot.core"

-- A row is shown if its member exists and is not 0, false or empty ("a.b=text": if it equals text).
-- In its text {member} is a value, {member:unit} one with a unit: time, since (so many seconds
-- ago), s, ms, us, bytes, id (its first digits), or the noun that is counted. A part in [...]
-- is left out if its first member is missing, 0, false or empty.
local TROUBLES = {
  { "ails", "not well", "{ails}" },
  { "store.error", "disk",
    "nothing is acknowledged or decided until {store.path} can be written"
      .. "[; {store.waiting_bytes:bytes} wait in memory]" },
  { "reload.error.at", "reload",
    "changed files were refused {reload.error.at:time}, and what decided before goes on: "
      .. "[{reload.error.file}: ][line {reload.error.line}: ][{reload.error.code}: ]"
      .. "{reload.error.message}[ ({reload.error.hint})]"
      .. "[; the first of {reload.error.errors:error}: `allot check` has them all]" },
  { "reload.waits.version", "change",
    "{reload.waits.version} waits since {reload.waits.since:time}"
      .. "[: it would take {reload.waits.reclaims:slot}], and --most-change is "
      .. "{reload.waits.most_change}; `allot confirm` shows it, "
      .. "`allot confirm {reload.waits.version}` installs it, "
      .. "`allot confirm --drop` gives it up" },
  { "reload.rolled_back", "plan",
    "rolled back: the files are not what decides, until they change or `allot reload`" },
  { "since_start.failed_cycles", "cycles",
    "{since_start.failed_cycles:cycle} failed since the start; the log says why" },
  { "clock.behind", "clock",
    "{clock.behind:s} behind; the time stands still at {now:time}, and no deadline passes" },
  { "shadow.failed", "shadow",
    "{shadow.failed:cycle} failed[: {shadow.error.message}]; the shadow is {shadow.state}" },
  { "store.damaged_rows", "store", "{store.damaged_rows:row} of it cannot be read" },
  { "since_start.wrong_tokens", "clients",
    "{since_start.wrong_tokens:wrong token} since the start" },
  { "since_start.turned_away", "clients",
    "{since_start.turned_away:connection} turned away since the start: of another user, or too "
      .. "many" },
  { "since_start.refused", "clients",
    "{since_start.refused:event} refused since the start; each sender was told why" },
  { "since_start.missed", "clients",
    "{since_start.missed:decision} missed by subscribers that read too slowly" },
  { "clock.set_back", "clock",
    "{clock.set_back:time jump} forgotten since the start; the log says when" },
  { "reload.polled_only", "files",
    "the system does not say when files change: allot looks at them now and then" },
}
local FACTS = {
  { "healthy", "well", "the store is written, cycles succeed, the clock is right" },
  { "version", "runs",
    "allot {version}, since {up_seconds:since}; event {event}, decision {decision}" },
  { "role=following", "role",
    "stands by for {leader}[, {behind:event} behind]" },
  { "plan.file", "plan",
    "{plan.file} ({plan.sha256:id}), {books.consumers:consumer}; "
      .. "policy {reload.active.policies}[ ({plan.policy_sha256:id})]"
      .. "[; promoted: {reload.active.promoted}][; since {reload.active.since:time}]"
      .. "[; {reload.total.swapped:reload}, the last in {reload.last_ms:ms}]" },
  { "dearest.us", "policies",
    "of their functions \"{dearest.function}\" at {dearest.file}:{dearest.line} took most: "
      .. "{dearest.us:us} of the processor for {dearest.rows:row}" },
  { "shadow.state=building", "shadow", "[plan {shadow.plan} ][{shadow.policy} ]is read" },
  { "shadow.cycles", "shadow",
    "[plan {shadow.plan}, ][{shadow.policy}, ]since {shadow.since:time}: {shadow.differ} of "
      .. "{shadow.cycles:cycle} differ[, {shadow.skipped} left out]" },
  { "books.consumers", "cluster",
    "{books.tasks:task}, {books.jobs:job}, {books.sessions:session}, "
      .. "{books.reclaims:reclaim} in flight" },
  { "since_start.cycles", "cycles",
    "{since_start.cycles:cycle} since the start: {since_start.cycle_us_mean:us} on average, "
      .. "{since_start.cycle_us_most:us} at most; {since_start.events:event}, "
      .. "{since_start.decisions:decision}" },
  { "store.path", "disk",
    "{store.path}, {store.bytes:bytes}[, {store.unused_bytes:bytes} of it unused]"
      .. "[; slowest write {store.slowest_us:us}][; decisions from {store.oldest_decision} on]" },
  { "version", "clients",
    "{clients} connected, {subscribers} subscribed"
      .. "[; live view at http://{http.host}:{http.port}/, {http.viewers} watching]" },
}

-- ---- Values -------------------------------------------------------------------------------------

--- A member by its path; a list as one text; nil: it is missing.
local function find(status, path)
  local at = status
  for name in path:gmatch "[^.]+" do
    at = type(at) == "table" and at[name] or nil
  end
  return type(at) == "table" and table.concat(at, ", ") or at
end

local function full(value)
  return value and value ~= 0 and value ~= "" and value ~= core.null
end

local function holds(status, when)
  local path, text = when:match "^(.-)=(.*)$"
  if path then return find(status, path) == text end
  return full(find(status, when))
end

-- ---- Units --------------------------------------------------------------------------------------

--- The largest unit of which there is one, with a decimal digit below ten.
local function scaled(number, step, units)
  local unit = 1
  while units[unit + 1] and number >= step do number, unit = number / step, unit + 1 end
  return ((number >= 10 or number % 1 == 0) and "%.0f %s" or "%.1f %s"):format(number, units[unit])
end

local SPANS = { { 86400, "d" }, { 3600, "h" }, { 60, "min" }, { 1, "s" } }

--- The two largest units, and seconds alone: "2 h 5 min".
local function span(seconds)
  local i = 1
  while i < #SPANS and seconds < SPANS[i][1] do i = i + 1 end
  local rest = i < 3 and seconds % SPANS[i][1] // SPANS[i + 1][1] or 0
  return ("%d %s"):format(seconds // SPANS[i][1], SPANS[i][2])
    .. (rest > 0 and (" %d %s"):format(rest, SPANS[i + 1][2]) or "")
end

local function counted(number, noun)
  local digits = ("%d"):format(number):reverse():gsub("%d%d%d", "%0,"):reverse():gsub("^,", "")
  return digits .. " " .. noun .. (number == 1 and "" or "s")
end

local UNITS = {
  time = function(at, now)
    if at == now then return core.time(at) end
    return core.time(at) .. (at > now and (" (in %s)"):format(span(at - now))
      or (" (%s ago)"):format(span(now - at)))
  end,
  since = function(seconds, now)
    return ("%s (%s)"):format(core.time(now - seconds), span(seconds))
  end,
  s = span,
  ms = function(number) return scaled(number, 1000, { "ms", "s" }) end,
  us = function(number) return scaled(number, 1000, { "us", "ms", "s" }) end,
  bytes = function(number) return scaled(number, 1024, { "bytes", "KiB", "MiB", "GiB", "TiB" }) end,
}

-- ---- Rows ---------------------------------------------------------------------------------------

local function text_of(status, text)
  local now = status.now or 0
  text = text:gsub("%[(.-)%]", function(part)
    return full(find(status, part:match "{([^:}]*)")) and part or ""
  end)
  return (text:gsub("{([^:}]*):?([^}]*)}", function(path, unit)
    local value = find(status, path)
    if type(value) ~= "number" then return (unit == "id" and value:sub(1, 12)) or value or "" end
    if unit == "" then return ("%d"):format(value) end
    return UNITS[unit] and UNITS[unit](value, now) or counted(value, unit)
  end))
end

local function add_rows(to, status, rows, trouble)
  for _, row in ipairs(rows) do
    if holds(status, row[1]) then
      to[#to + 1] = { name = row[2], text = text_of(status, row[3]), trouble = trouble }
    end
  end
end

local report = {}

--- The report of a status, both JSON: {"healthy": ..., "rows": [{"name", "text", "trouble"}, ...]}.
function report.run(host, args)
  local status, rows = assert(core.decode(args[1])), core.list {}
  for _, it in ipairs(status.functions or {}) do
    if not status.dearest or it.us > status.dearest.us then status.dearest = it end
  end
  add_rows(rows, status, TROUBLES, true)
  add_rows(rows, status, FACTS, false)
  host.out(core.encode { healthy = status.healthy == true, rows = rows })
  return 0
end

return report
