-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Users and their groups (lsb.users), and their limits: a plan's `user_groups` and `limits`.
--
-- A limit of a group is one for all its users; of `group@`, one for each of them; of `default`, one
-- for each user and group that has no row. A group that a plan cannot state (`all`, `!`) is lost,
-- and so are rows that name it: a plan would take its name for a user's.

local lsf = require "allot.import.lsf"
local row_of = require "allot.import.row"

local users = {}

-- ---- Groups ----------------------------------------------------------------------------------

local MOST_STEPS = 200000 -- through groups inside of groups, in all

--- The users of words, with groups expanded: by name, and in order. Or nil and the reason.
local function taken_apart(words, known, steps)
  local seen, found, open = {}, {}, {}
  for i = #words, 1, -1 do open[#open + 1] = words[i] end
  while #open > 0 do
    local word = table.remove(open)
    local inner = not seen[word] and known.members[word]
    steps.left = steps.left - 1
    if steps.left < 0 then return nil, "there are too many groups inside of groups" end
    if not inner and not seen[word] and known.names[word] then
      return nil, ("the group '%s' is not stated before it"):format(word)
    end
    if not inner and not seen[word] then found[#found + 1] = word end
    seen[word] = true
    for i = inner and #inner or 0, 1, -1 do open[#open + 1] = inner[i] end
  end
  return found, seen
end

--- Members less those after a `~`; or nil and the reason.
local function members_of(words, known, steps)
  local with, without = {}, {}
  for _, word in ipairs(words) do
    local bare = word:match "^~(.*)$"
    if (bare or word) == "all" or word:find "^!" then
      return nil, ("'%s': a plan's groups are of users by name"):format(word)
    end
    local list = bare and without or with
    list[#list + 1] = bare or word
  end
  if not without[1] then return with end
  local all, why = taken_apart(with, known, steps)
  if not all then return nil, why end
  local out, fewer, less = {}, taken_apart(without, known, steps)
  if not fewer then return nil, less end
  for _, name in ipairs(all) do
    if not less[name] then out[#out + 1] = name end
  end
  return out
end

--- A group is lost with any of its members.
local function lose(known, name, holders)
  local open = { name }
  while #open > 0 do
    local lost = table.remove(open)
    if not known.lost[lost] then
      known.lost[lost] = true
      for _, holder in ipairs(holders[lost] or {}) do open[#open + 1] = holder end
    end
  end
end

--- Groups of users of all files: `members` by name, `lost` groups left out, `why` the
--- reasons, `names` of all.
function users.all_groups(sections)
  local known = { members = {}, lost = {}, why = {}, names = {} }
  local rows, holders, steps = {}, {}, { left = MOST_STEPS }
  row_of.each(sections, "usergroup", "GROUP_NAME", function (name, row)
    rows[#rows + 1] = { name, lsf.words(row_of.cell(row, "GROUP_MEMBER") or "") }
    known.names[name] = true
  end)
  for _, row in ipairs(rows) do
    local name, words = row[1], row[2]
    known.members[name], known.why[name] = members_of(words, known, steps)
    for _, word in ipairs(words) do
      local bare = word:gsub("^~", "")
      holders[bare] = holders[bare] or {}
      table.insert(holders[bare], name)
    end
  end
  for name in pairs(known.why) do lose(known, name, holders) end
  return known
end

local GROUP = { GROUP_NAME = true, GROUP_MEMBER = true }

function users.group(out, section, note, known)
  for _, row in ipairs(section.rows) do
    local name = row_of.cell(row, "GROUP_NAME")
    local _, at = row_of.cell(row, "GROUP_MEMBER")
    local list = name and known.users.members[name]
    row_of.note_others(row, GROUP, note)
    if name and known.users.lost[name] then
      note(at or row, at and at.col or 1, ("%s is not carried over: %s"):format(name,
        known.users.why[name] or "a group in it is not"))
    elseif list and list[1] then
      out.user_groups = out.user_groups or {}
      row_of.note_again(known.stated, "group", name, row, note)
      out.user_groups[name] = list
    else
      note(row, 1, ("%s has no members, so it is not carried over"):format(name or "a group"))
    end
  end
end

-- ---- What they may have ----------------------------------------------------------------------

local USER = { USER_NAME = true, MAX_JOBS = true, ["JL/P"] = true }
local PENDING = "a plan does not count pending jobs"
local WHY = { MAX_PEND_JOBS = PENDING, MAX_PEND_SLOTS = PENDING }

--- Limits of one row: `whose` sets a limit's subject.
local function add_limits(out, row, name, whose, note, known)
  local per_processor, counts = row_of.per_processor(row, "JL/P", note), {}
  counts[1] = { "MAX_JOBS", "slots", row_of.limit(row, "MAX_JOBS", note) }
  counts[2] = { "JL/P", "slots_per_processor", per_processor }
  row_of.note_rounded(row, "JL/P", per_processor, note)
  for _, of in ipairs(counts) do
    local made = { name = ("%s of %s"):format(of[1], name), [of[2]] = of[3] }
    for key, value in pairs(whose) do made[key] = value end
    made.per_host = of[1] == "JL/P" or nil
    if of[3] then
      out.limits = out.limits or {}
      table.insert(out.limits, made)
      known.at[made] = { row = row }
    end
  end
end

--- A row's subject as a limit states it; or nil and the reason.
local function whose_row(name, known)
  local group = name:match "^(.*)@$"
  if group and known.members[group] and not known.lost[group] then
    return { per_user = { group } }
  elseif group then
    return nil, known.lost[group] and "its group is not" or "no UserGroup says who is in its group"
  elseif known.lost[name] then
    return nil, "the group is not"
  elseif name == "all" or name:find "^[~!]" then
    return nil, "LSF has a name here, or default"
  end
  return { users = { name } }
end

function users.user(out, section, note, known)
  out.default_users = out.default_users or { rows = {}, named = {} }
  for _, row in ipairs(section.rows) do
    local name, at = row_of.cell(row, "USER_NAME")
    row_of.note_others(row, USER, note, WHY)
    if name == "default" then
      table.insert(out.default_users.rows, row)
    elseif name then
      local whose, why = whose_row(name, known.users)
      if whose then add_limits(out, row, name, whose, note, known) end
      if why then note(at, at.col, ("%s is not carried over: %s"):format(name, why)) end
      table.insert(out.default_users.named, name)
    else
      note(row, 1, "this row names nobody")
    end
  end
end

--- The names to which a `default` does not apply: users, also by `group@`, and groups.
local function excepted(named, known)
  local of_users, of_groups = { "all" }, { "all" }
  for _, name in ipairs(named) do
    local bare = name:gsub("@$", "")
    local group = known.names[bare]
    if not known.lost[bare] and (not group or bare ~= name) then
      of_users[#of_users + 1] = "~" .. bare
    end
    if group and not known.lost[bare] then of_groups[#of_groups + 1] = "~" .. bare end
  end
  return of_users[2] and of_users or true, of_groups[2] and of_groups or true
end

--- Rows of `default`, once all others are known.
function users.settle(out, note, known)
  local default = out.default_users
  out.default_users = nil
  if not (default and default.rows[1]) then return end
  local of_users, of_groups = excepted(default.named, known.users)
  for i, row in ipairs(default.rows) do
    if i > 1 then note(row, 1, "default is stated again; the least holds") end
    add_limits(out, row, "default", { per_user = of_users }, note, known)
    if next(out.user_groups or {}) then
      add_limits(out, row, "default, of groups", { per_group = of_groups }, function () end,
        known)
    end
  end
end

return users
