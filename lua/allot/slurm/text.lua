-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What the bridge says: lines of its log, and its status.

local core = require "allot.core"
local count = require("allot.text.line").count

local text = {}

function text.line(now, message)
  return ("%s %s\n"):format(core.time(now), message)
end

--- What a command did, for the log.
function text.command(words, why)
  local line = table.concat(words, " ")
  return why and ("failed: %s (%s)"):format(line, why) or "done: " .. line
end

--- What the service dropped of a truth; nil: nothing.
function text.left_out(answer)
  if (answer.dropped_count or 0) == 0 then return nil end
  local first = answer.dropped[1]
  return ("the service did not take %s (is its plan another?): %s: %s"):format(
    count(answer.dropped_count, "row"), first.id or first.name or first.row, first.error.message)
end

local function sum(list)
  local total = 0
  for _, number in pairs(list or {}) do total = total + number end
  return total
end

--- A number, or numbers by group.
local function amounts_of(list, site)
  if site.single then return list[1] or 0 end
  local amounts = {}
  for i, group in ipairs(site.groups) do amounts[group.name] = list[i] or 0 end
  return amounts
end

--- The bridge's status as a document.
function text.status_of(bridge)
  local kept, leaves = bridge.kept, {}
  for path, leaf in pairs(kept.leaves or {}) do
    leaves[path] = { running = amounts_of(leaf.held, kept.site),
      wanted = amounts_of(leaf.demand, kept.site) }
  end
  return {
    schema = "allot/slurm/v1", at = bridge:now(), seen_at = bridge.seen_at,
    decided_at = bridge.did and bridge.decided_at, trouble = bridge.why, leaves = leaves,
    strangers = kept.strangers or {}, unknown_reasons = kept.unknown, did = bridge.did,
    flights = bridge.flights, requeues_last_minute = #kept.times,
  }
end

--- A line for the service manager.
function text.summary(bridge, why)
  if why then return why end
  return ("%s of accounts outside the plan, %s in the last minute"):format(
    count(sum(bridge.kept.strangers), "running job"), count(#bridge.kept.times, "requeue"))
end

local function ago(now, at)
  return at and ("%d s ago"):format(now - at) or "never"
end

--- "4 slots", or "4 cpu, 1 gpu".
local function amounts_in_words(amounts, unit)
  if type(amounts) == "number" then return amounts .. unit end
  local words = {}
  for name, amount in pairs(amounts) do words[#words + 1] = ("%d %s"):format(amount, name) end
  table.sort(words, function (a, b) return a:match " .*" < b:match " .*" end)
  return table.concat(words, ", ")
end

--- Prints the status that the bridge wrote last; the exit status.
function text.show_status(host, file)
  local written, why = host.read(file)
  if not written then
    host.say { severity = "error", code = "E-io", file = file,
               message = "cannot be read: " .. why .. ": no bridge has run for this plan",
               hint = "beside the plan, or in the folder of --out: /run/allot-slurm has that of "
                 .. "allot-slurm.service" }
    return 5
  end
  local it, now = core.decode(written), math.tointeger(tonumber(host.call "now"))
  if host.option "format" == "json" then
    host.out(written)
    return 0
  end
  local lines = {
    ("last pass %s, last decision %s"):format(ago(now, it.at), ago(now, it.decided_at)),
  }
  if it.trouble then lines[#lines + 1] = "trouble: " .. it.trouble end
  local paths = {}
  for path in pairs(it.leaves) do paths[#paths + 1] = path end
  table.sort(paths)
  for _, path in ipairs(paths) do
    lines[#lines + 1] = ("%s runs on %s, wants %s"):format(path,
      amounts_in_words(it.leaves[path].running, " slots"),
      amounts_in_words(it.leaves[path].wanted, ""))
  end
  for account, jobs in pairs(it.strangers) do
    lines[#lines + 1] = ("account %s is not in the plan: %s"):format(account,
      count(jobs, "running job"))
  end
  for word, jobs in pairs(it.unknown_reasons or {}) do
    lines[#lines + 1] = ("waiting for %s, a reason that is not known, %s: no slots are wanted")
      :format(word, count(jobs, "job"))
  end
  lines[#lines + 1] = ("%s in flight, %s in the last minute"):format(
    count(it.flights, "reclaim"), count(it.requeues_last_minute, "requeue"))
  host.out(table.concat(lines, "\n") .. "\n")
  return 0
end

return text
