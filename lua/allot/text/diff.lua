-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Differences of two sides, for people: all of them for one state, sums for several.

local core = require "allot.core"
local line = require "allot.text.line"

local SHOWN = 20 -- rows of a list without --all
local BOLD, GREEN, YELLOW, RESET = "\27[1m", "\27[32m", "\27[33m", "\27[0m"

--- Measures of consumers, in the order of their columns; and those that a decision gives a group.
local COLUMNS = {
  "demand", "need", "allocated", "quota", "granted", "held", "reclaimed", "deficit",
}
local GROUP = { "idle_left", "granted", "held", "reclaimed", "tasks", "lost" }

local diff = {}

local function change_text(pair)
  return ("%d -> %d (%+d)"):format(pair.a, pair.b, pair.change)
end

local function letter(only)
  return only == "a" and "A" or "B"
end

-- ---- The sides ----------------------------------------------------------------------------------

local function side_line(label, side)
  local policy = side.instead ~= core.null and side.instead .. " in place of its own"
    or side.policy ~= core.null and side.policy
  return ("%s: %s%s%s%s\n"):format(label, side.live and "live " or "", line.safe(side.plan),
    policy and ", policy " .. policy or "", side.at ~= core.null and ", at " .. side.at or "")
end

function diff.sides(of)
  return side_line("A", of.a) .. side_line("B", of.b)
end

-- ---- Consumers, as a table ----------------------------------------------------------------------

--- "18 -> 20 +2" under each measure in which some consumer differs. A column is as wide as its
-- widest numbers; equal ones stand where B's do.
local function shape(rows, measure)
  local before, after, change = 0, 0, 0
  for _, row in ipairs(rows) do
    local it = row[measure]
    after = math.max(after, #tostring(it.b))
    if it.change ~= 0 then
      before = math.max(before, #tostring(it.a))
      change = math.max(change, #("%+d"):format(it.change))
    end
  end
  if change == 0 then return nil end
  return { measure = measure, before = before, after = after, change = change,
           width = math.max(#measure, before + 4 + after + 2 + change) }
end

local function cell(of, it, color)
  if it.change == 0 then
    return line.right((it.b ~= 0 and tostring(it.b) or "") .. (" "):rep(of.change + 2), of.width)
  end
  local text = ("%s -> %s  %s"):format(line.right(tostring(it.a), of.before),
    line.right(tostring(it.b), of.after), line.right(("%+d"):format(it.change), of.change))
  local blanks = (" "):rep(of.width - #text)
  if not color then return blanks .. text end
  return blanks .. (it.change > 0 and GREEN or YELLOW) .. text .. RESET
end

--- What only one side has: the consumer, or its group.
local function alone(row, groups)
  if row.only then return ("  only %s has it"):format(letter(row.only)) end
  local group = groups[row.group]
  return group and ("  only %s has this group"):format(letter(group)) or ""
end

local function put_table(host, state, color)
  local shapes, path, groups = {}, #"consumer", {}
  local titles = ""
  for _, row in ipairs(state.groups) do groups[row.group] = row.only end
  for _, row in ipairs(state.consumers) do path = math.max(path, #row.name) end
  for _, measure in ipairs(COLUMNS) do
    local it = shape(state.consumers, measure)
    shapes[#shapes + 1] = it
    if it then titles = titles .. "  " .. line.right(measure, it.width) end
  end
  titles = line.left("consumer", path) .. titles
  host.out((color and BOLD .. titles .. RESET or titles) .. "\n")
  for _, row in ipairs(state.consumers) do
    local cells = { line.left(row.name, path) }
    for i, it in ipairs(shapes) do cells[i + 1] = "  " .. cell(it, row[it.measure], color) end
    local text = table.concat(cells) .. alone(row, groups)
    host.out(text:gsub(" +$", "") .. "\n")
  end
end

-- ---- Lists --------------------------------------------------------------------------------------

--- "tasks 2 -> 3 (+1)" of each measure that differs.
local function measures(row, names)
  local out = {}
  for _, name in ipairs(names) do
    local it = row[name]
    if it.change ~= 0 then out[#out + 1] = name .. " " .. change_text(it) end
  end
  return table.concat(out, ", ")
end

local function is_none(row)
  return row.slots.a == 0 or row.slots.b == 0
end

--- Slots are in the table; grace means nothing where one side reclaims nothing.
local function reclaim(row)
  local text = measures(row, is_none(row) and { "tasks", "lost", "unknown" }
    or { "grace", "tasks", "lost", "unknown" })
  return text ~= "" and row.name .. ": " .. text or nil
end

local function slots(row)
  return row.slots.change ~= 0 and change_text(row.slots) or ""
end

local function pair(row)
  return ("%s to %s: %s"):format(row.name, row.to, slots(row))
end

local function fate(row, side)
  return row.killed[side] > 0 and "is killed" or row.reclaimed[side] > 0 and "goes"
    or row.only and row.only ~= side and "is not there" or "stays"
end

local function task(row)
  return ("%s of %s: %s -> %s"):format(line.safe(row.id), row.name, fate(row, "a"), fate(row, "b"))
end

local function job(row)
  return ("%s of %s: %s"):format(line.safe(row.id), row.name,
    measures(row, { "started", "resumed", "grown", "suspended", "killed" }))
end

local function place(row)
  return ("%s on %s: %s"):format(row.job and line.safe(row.job) or row.name, row.host, slots(row))
end

local PHASES = { [0] = "conn", "ok", "inactive" }

local function lease(row)
  local only = row.only and ("only %s has it; "):format(letter(row.only)) or ""
  local text = measures(row, { "provider", "consumer", "to_consumer" })
  if row.phase.change ~= 0 then
    text = text .. (text ~= "" and ", " or "")
      .. ("%s -> %s"):format(PHASES[row.phase.a], PHASES[row.phase.b])
  end
  return ("%s: %s%s"):format(row.id, only, text)
end

local LISTS = {
  { "reclaims", "what giving back costs", reclaim },
  { "claims", "who gives back how much to whom", pair },
  { "tasks", "tasks", task },
  { "jobs", "jobs, in slots", job },
  { "places", "slots given on hosts", place },
  { "loans", "loans, who lends how much to whom", pair },
  { "leases", "leases", lease },
}

--- A list under its title; rows beyond the limit are counted.
local function put_list(host, title, lines, all)
  local shown = all and #lines or math.min(#lines, SHOWN)
  if shown > 0 then
    host.out(("\n%s:\n  %s\n"):format(title, table.concat(lines, "\n  ", 1, shown)))
  end
  if #lines > shown then host.out(("  (and %d more: --all)\n"):format(#lines - shown)) end
end

-- ---- One state ----------------------------------------------------------------------------------

local function put_head(host, state)
  local a, b = core.time(state.now.a), core.time(state.now.b)
  host.out(("state: %s, %s%s\n"):format(line.safe(state.state), a, a == b and "" or " -> " .. b))
  for _, row in ipairs(state.groups) do
    if row.only then
      host.out(("group %s: only %s has it\n"):format(row.group, letter(row.only)))
    end
  end
  host.out "\n"
end

--- The sums of groups.
local function totals_line(state)
  local sum = {}
  for _, name in ipairs(GROUP) do
    local it = { a = 0, b = 0, change = 0 }
    for _, row in ipairs(state.groups) do
      for key, number in pairs(row[name]) do it[key] = it[key] + number end
    end
    sum[name] = it
  end
  local text = measures(sum, GROUP)
  return text ~= "" and text or "the totals are the same"
end

local function put_state(host, state, all)
  local color = host.call "terminal":find "color" ~= nil
  put_head(host, state)
  if #state.consumers > 0 and (all or not state.same) then put_table(host, state, color) end
  if state.same then
    return host.out((all and #state.consumers > 0 and "\n" or "")
      .. "no difference: both decide the same\n")
  end
  if #state.consumers == 0 then host.out "every consumer gets and gives back the same\n" end
  for _, list in ipairs(LISTS) do
    local lines = {}
    for _, row in ipairs(state[list[1]]) do lines[#lines + 1] = list[3](row) end
    put_list(host, list[2], lines, all)
  end
  host.out("\n" .. totals_line(state) .. "\n")
end

-- ---- Sums of several states ---------------------------------------------------------------------

local TOTALS = {
  { "granted", "slots granted" }, { "held", "slots held in reserve" },
  { "reclaimed", "slots reclaimed" }, { "tasks", "tasks that go" },
  { "lost", "slot-seconds of work lost" },
}

--- Appends a line; returns true if there is something to tell.
local function add_total(lines, name, it)
  if it.a == 0 and it.b == 0 then return false end
  lines[#lines + 1] = ("  %s %s\n"):format(name, change_text(it))
  return true
end

local function extreme(it, word)
  if it == core.null then return "" end
  return (", %s %+d in %s"):format(word, it.change, it.state)
end

--- B never sees what its own decisions would lead to.
local function put_totals(host, sums)
  local lines = {}
  for _, it in ipairs(TOTALS) do
    local both = sums.reclaims
    if add_total(lines, it[2], sums[it[1]]) and it[1] == "reclaimed"
      and both.added + both.saved > 0 then
      lines[#lines + 1] = ("    %d added, %d saved\n"):format(both.added, both.saved)
    end
  end
  for _, name in ipairs { "started", "resumed", "grown", "suspended", "killed" } do
    add_total(lines, "jobs " .. name, sums.jobs[name])
  end
  if #lines == 0 then return end
  host.out "\nin all (B decides about A's states, so these sums are no forecast):\n"
  host.out(table.concat(lines))
end

function diff.put_sums(host, sums)
  local lines = {}
  host.out(("%s, %d differ%s\n"):format(line.count(sums.states, "state"), sums.differ,
    sums.differ == 1 and "s" or ""))
  for i, row in ipairs(sums.consumers) do
    lines[i] = ("%s: in %s%s%s; in all %+d"):format(row.name, line.count(row.states, "state"),
      extreme(row.gain, "at most"), extreme(row.loss, "at worst"), row.quota.change)
  end
  put_list(host, "quotas, largest change first", lines, host.option "all")
  put_totals(host, sums)
end

--- Puts a document, allot/diff/v1.
function diff.put(host, of)
  host.out(diff.sides(of))
  if of.states[1] then
    put_state(host, of.states[1], host.option "all")
  else
    diff.put_sums(host, of.summary)
  end
end

function diff.show(host)
  diff.put(host, core.decode(host.call "document"))
end

return diff
