-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Ceilings: what an account may use at once (GrpTRES), so that Slurm itself keeps to a decision.
--
-- An account may use its quota, and always what it owns: owners' jobs start without waiting for
-- anybody, also while the bridge or the service is down. Slurm counts an account's jobs in all
-- partitions: what those use, and want, that are not the consumer's comes on top.

local site = require "allot.slurm.site"

local ceiling = {}

local NONE = -1 -- Slurm's word for no limit

local function rows_of(decision)
  local rows = {}
  for name, group in pairs(decision.groups) do
    rows[name] = {}
    for _, row in ipairs(group.consumers) do rows[name][row.path] = row end
  end
  return rows
end

--- The whole slots of an exact "10/3".
local function whole(ratio)
  local over, under = ratio:match "^(%d+)/?(%d*)$"
  return math.tointeger(tonumber(over)) // (math.tointeger(tonumber(under)) or 1)
end

local function least(a, b)
  return a and b and math.min(a, b) or a or b
end

local function limit_of(plan, group, path)
  path = site.wildcard_of(plan, path) or path
  local own = plan.group_limits[group.name]
  return own and own[path] or plan.limits[path]
end

--- The amounts by TRES that an association may use; `of` gives those of a group, nil: any.
local function summed(groups, of)
  local sums = {}
  for _, group in ipairs(groups) do
    local amount = of(group)
    local before = sums[group.tres] or 0
    sums[group.tres] = (amount and before ~= NONE) and before + amount or NONE
  end
  return sums
end

--- By a decision: function (association) -> amounts by TRES.
function ceiling.by_decision(decision, plan, groups)
  local rows = rows_of(decision)
  return function (association)
    local sums = summed(groups, function (group)
      local row = rows[group.name] and rows[group.name][association.path]
      local limit = limit_of(plan, group, association.path)
      return least(row and math.max(row.quota, whole(row.owned)), limit)
    end)
    for tres, amount in pairs(association.beside) do
      if sums[tres] ~= NONE then sums[tres] = sums[tres] + amount end
    end
    return sums
  end
end

--- Open: what the plan's limits say, and nothing more.
function ceiling.open(plan, groups)
  return function (association)
    return summed(groups, function (group) return limit_of(plan, group, association.path) end)
  end
end

-- ---- Commands -----------------------------------------------------------------------------------

local function words_of(amounts)
  local words = {}
  for name, amount in pairs(amounts) do words[#words + 1] = name .. "=" .. amount end
  table.sort(words)
  return table.concat(words, ",")
end

--- Which amounts differ; and does one of them go down?
local function changes(wanted, has)
  local differ, down = {}, false
  for name, amount in pairs(wanted) do
    local now = has[name] or NONE
    if amount ~= now then
      differ[name] = amount
      down = down or amount ~= NONE and (now == NONE or amount < now)
    end
  end
  return next(differ) and differ, down
end

local function modify(row, cluster)
  local words = { "sacctmgr", "-i", "-Q", "modify", row.kind, "where",
    "name=" .. table.concat(row.names, ",") }
  if row.kind == "user" then words[#words + 1] = "account=" .. row.account end
  if row.where then words[#words + 1] = "partition=" .. row.where end
  if cluster then words[#words + 1] = "cluster=" .. cluster end
  words[#words + 1] = "set"
  words[#words + 1] = "GrpTRES=" .. row.words
  return words
end

--- The commands that bring the associations from what they have to what is wanted: one for all of
-- the same kind with the same amounts, those that lower something first; `most` of them. `cluster`
-- is named where there are several. The second result is how many are left for the next pass.
function ceiling.commands(associations, wanted, most, cluster)
  local rows, by_key = {}, {}
  for _, it in ipairs(associations) do
    local differ, down = changes(wanted(it), it.limits)
    if differ then
      local kind, words = it.user and "user" or "account", words_of(differ)
      local key = table.concat({ tostring(down), kind, it.user and it.account or "",
        it.where or "", words }, " ")
      local row = by_key[key]
      if not row then
        row = { kind = kind, account = it.account, where = it.where, words = words, down = down,
          names = {}, at = #rows }
        by_key[key], rows[#rows + 1] = row, row
      end
      row.names[#row.names + 1] = it.user or it.account
    end
  end
  table.sort(rows, function (a, b)
    if a.down ~= b.down then return a.down end
    return a.at < b.at
  end)
  local list = {}
  for i = 1, math.min(most, #rows) do list[i] = modify(rows[i], cluster) end
  return list, #rows - #list
end

return ceiling
