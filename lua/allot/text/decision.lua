-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- A decision for people: per group a table, then grants and reclaims, or queues.

local consumers = require "allot.text.consumers"
local core = require "allot.core"
local line = require "allot.text.line"
local queues = require "allot.text.queues"

local PLACES, TASKS = 6, 8 -- a longer list is cut; the decision's document has all
local BOLD, RESET = "\27[1m", "\27[0m"

local function put_head(host, group, plan, color)
  local name = color and BOLD .. group.name .. RESET or group.name
  host.out(("%s: %s, %s%s%s%s\n\n"):format(name, line.count(group.slots, "slot"),
    group.policy and ("policy %s, "):format(group.policy) or "",
    plan.consumers > 0 and ("%d idle, "):format(group.idle) or "",
    group.blocked > 0 and ("%d on hosts closed to others, "):format(group.blocked) or "",
    core.time(plan.now)))
end

--- The first few items, with a word for those left out.
local function some(items, most, text, rest)
  local out = {}
  for i = 1, math.min(#items, most) do out[i] = text(items[i]) end
  return table.concat(out, ", ") .. (#items > most and rest:format(#items - most) or "")
end

local function places(grant)
  return " on " .. some(grant.places, PLACES, function (place)
    return ("%s (%d)"):format(place.name, place.slots)
  end, " and %d more hosts")
    .. (grant.unplaced > 0 and ("; no host is known for %d"):format(grant.unplaced) or "")
end

local function tasks(row)
  return some(row.tasks, TASKS, line.safe, " and %d more")
end

local function grant(row)
  return row.consumer .. " gets " .. line.count(row.slots, "idle slot")
    .. (row.places and places(row) or "") .. "\n"
    .. (row.tasks and ("    starts %s\n"):format(tasks(row)) or "")
end

local function reclaim(row)
  return ("%s gives back %d%s, %s (%s: has %d, quota %d%s)\n%s"):format(row.consumer, row.slots,
    row.claims and ": " .. row.claims or "",
    row.grace > 0 and ("within %d s"):format(row.grace) or "at once", row.reason,
    row.allocated, row.quota,
    row.target ~= row.quota and (", may keep %d"):format(row.target) or "",
    row.tasks and ("    tasks %s; slot-seconds of work lost: %d%s\n"):format(tasks(row),
      row.lost, line.unknown(row.unknown)) or "")
end

local PHASES = {
  returned = "all are back", interrupted = "its tasks were notified", leeway = "its grace is over",
  overdue = "its leeway is over",
}

local function flight(row)
  local waits = row.left and (row.phase == "interrupted" or row.phase == "leeway")
  return ("%s%s gives back %d%s (%s: %s%s)\n"):format(row.id and row.id .. ": " or "", row.consumer,
    row.slots, row.returned > 0 and row.returned < row.slots
      and (", %d of them are back"):format(row.returned) or "", row.phase, PHASES[row.phase],
    waits and (", %d s left"):format(row.left) or "")
end

local function kill(row)
  return ("%s of %s\n"):format(row.task, row.consumer)
end

local LISTS = {
  { "grants", "grants, in this order", grant }, { "reclaims", "reclaims, in this order", reclaim },
  { "flights", "reclaims in flight", flight },
  { "kills", "tasks to kill and requeue now, since their time is over", kill },
}

local function put_list(host, group, of)
  local out = {}
  for row in host.rows(of[1]) do
    if row.group == group.name then out[#out + 1] = of[3](row) end
  end
  if #out > 0 then host.out(("\n%s:\n  "):format(of[2]) .. table.concat(out, "  ")) end
end

local function put_totals(host, group)
  local nothing = group.granted == 0 and group.held == 0 and group.reclaimed == 0
  for row in host.rows "reclaims" do nothing = nothing and row.group ~= group.name end
  host.out(("\n%s%s; %d of %s left\n"):format(nothing and "nothing to grant, nothing to give back"
    or ("granted %d, reclaimed %d"):format(group.granted, group.reclaimed),
    group.held > 0 and (", held idle %d"):format(group.held) or "", group.idle_left,
    line.count(group.idle, "idle slot")))
end

local decision = {}

--- args: the columns to write in; 0: any number.
function decision.show(host, args)
  local plan = host.rows "plan" ()
  local look = {
    width = tonumber(args[1]), color = host.call "terminal":find "color" ~= nil,
    all = host.option "all", columns = host.option "columns" or "auto",
  }
  local number = 0
  for group in host.rows "groups" do
    number = number + 1
    if number > 1 then host.out "\n" end
    put_head(host, group, plan, look.color)
    if plan.queues + plan.leases > 0 then
      queues.put(host, plan, look)
    else
      consumers.put(host, group, number, plan, look)
      for _, list in ipairs(LISTS) do put_list(host, group, list) end
      put_totals(host, group)
    end
  end
end

return decision
