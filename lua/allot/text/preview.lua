-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The effect of a switch of windows: reclaims, and lost work; for people, or as one more member of
-- the decision's document.

local core = require "allot.core"
local line = require "allot.text.line"

local function add_up(host)
  local all = { slots = 0, tasks = 0, lost = 0, unknown = 0, granted = 0 }
  for row in host.rows "reclaims" do
    all.slots, all.tasks = all.slots + row.slots, all.tasks + (row.tasks and #row.tasks or 0)
    all.lost, all.unknown = all.lost + row.lost, all.unknown + row.unknown
  end
  for row in host.rows "grants" do all.granted = all.granted + row.slots end
  return all
end

--- The numbers of the windows, from 0, whose bits are set.
local function bits(mask)
  local out = {}
  for i = 0, 63 do
    if mask >> i & 1 == 1 then out[#out + 1] = i end
  end
  return out
end

-- ---- For people ---------------------------------------------------------------------------------

local function put_windows(host, mask, what)
  local number = 0
  for window in host.rows "windows" do
    if mask >> number & 1 == 1 then host.out(("%s %s\n"):format(window.text, what)) end
    number = number + 1
  end
end

local function reclaim_text(row)
  local out = { ("%s gives back %s%s"):format(row.consumer, line.count(row.slots, "slot"),
    row.claims and ": " .. row.claims or "") }
  out[#out + 1] = "; by " .. core.time(row.deadline)
  if row.grace > 0 then out[#out + 1] = (" (%d s of grace)"):format(row.grace) end
  if row.tasks then
    out[#out + 1] = ("; task%s %s, %s of work lost%s"):format(#row.tasks == 1 and "" or "s",
      line.safe(table.concat(row.tasks, " ")), line.count(row.lost, "slot-second"),
      line.unknown(row.unknown))
  end
  return table.concat(out)
end

local function put_orders(host)
  local groups = 0
  for _ in host.rows "groups" do groups = groups + 1 end
  local function put(row, text)
    host.out((groups > 1 and row.group .. ": " or "") .. text .. "\n")
  end
  for row in host.rows "reclaims" do put(row, reclaim_text(row)) end
  for row in host.rows "grants" do
    put(row, ("%s gets %s"):format(row.consumer, line.count(row.slots, "idle slot")))
  end
end

local function put_sums(host, all)
  host.out(all.slots == 0 and "nothing is given back"
    or ("in all %s given back"):format(line.count(all.slots, "slot")))
  if all.tasks > 0 then
    host.out((" by %s, %s of work lost%s"):format(line.count(all.tasks, "task"),
      line.count(all.lost, "slot-second"), line.unknown(all.unknown)))
  end
  host.out(("; %s granted\n"):format(line.count(all.granted, "idle slot")))
end

-- ---- The whole ----------------------------------------------------------------------------------

local function put_document(host, from, now, before, after)
  local all = add_up(host)
  host.out(host.call "document":sub(1, -3)) -- without "}\n"
  host.out((',\n"preview": {"from": %d, "at": %d, "ends": [%s], "begins": [%s], "slots": %d, '
    .. '"tasks": %d, "lost": %d, "unknown": %d, "granted": %d}}\n'):format(from, now,
    table.concat(bits(before & ~after), ", "), table.concat(bits(after & ~before), ", "),
    all.slots, all.tasks, all.lost, all.unknown, all.granted))
end

local preview = {}

--- args: the state's own time; the windows that hold then, and at the decision's time, as bits.
function preview.show(host, args)
  local from, before, after = tonumber(args[1]), tonumber(args[2]), tonumber(args[3])
  local now = host.rows "plan" ().now
  if host.option "format" == "json" then return put_document(host, from, now, before, after) end
  host.out(("at %s, all else as at %s:\n"):format(core.time(now), core.time(from)))
  put_windows(host, before & ~after, "ends")
  put_windows(host, after & ~before, "begins")
  if before == after then host.out "the same windows hold as now\n" end
  put_orders(host)
  put_sums(host, add_up(host))
end

return preview
