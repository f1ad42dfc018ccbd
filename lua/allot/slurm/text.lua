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

local function sum(list)
  local total = 0
  for _, number in pairs(list or {}) do total = total + number end
  return total
end

--- The bridge's status as a document.
function text.status_of(bridge)
  local kept, leaves = bridge.kept, {}
  for path, leaf in pairs(kept.leaves or {}) do
    leaves[path] = { running = leaf.held[1] or 0, wanted = leaf.demand[1] or 0 }
  end
  return {
    schema = "allot/slurm/v1", at = bridge:now(), seen_at = bridge.seen_at,
    decided_at = bridge.did and bridge.decided_at, trouble = bridge.why, leaves = leaves,
    strangers = kept.strangers or {}, unknown_reasons = kept.unknown, dropped = bridge.dropped,
    did = bridge.did, flights = #(bridge.flights or {}), requeues_last_minute = #kept.times,
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
    lines[#lines + 1] = ("%s runs on %d slots, wants %d"):format(path, it.leaves[path].running,
      it.leaves[path].wanted)
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
