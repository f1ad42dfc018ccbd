-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Items of a state, as types for editors and as tables for documentation, from the table by which
-- documents are read (allot.members).

local core = require "allot.core"

local members = {}

--- The items, in the order in which documentation shows them, and the class of each for editors.
members.ITEMS = {
  { "task", "allot.Task" }, { "session", "allot.Session" }, { "job", "allot.Job" },
  { "reclaim", "allot.Reclaim" }, { "loan", "allot.Loan" }, { "lease", "allot.LeaseNow" },
  { "host", "allot.HostNow" }, { "consumer", "allot.ConsumerNow" },
  { "user", "allot.UserNow" },
}

-- A type's name in documentation, and for an editor.
local TYPES = {
  text = { "a string", "string" },
  consumer = { "a consumer's path", "string" },
  leaf = { "a leaf's path", "string" },
  group = { "a group's name", "string" },
  queue = { "a queue's name", "string" },
  integer = { "an integer", "integer" },
  time = { "a time", "integer|string" },
  boolean = { "true or false", "boolean" },
  texts = { "a list of strings", "string[]" },
  places = { "`{host: slots}`", "table<string, integer>" },
  amounts = { "`{resource: amount}`", "table<string, integer>" },
  claims = { "`[{consumer, slots}]`", "{consumer: string, slots: integer}[]" },
  slots = { "`{group: slots}` or an integer", "integer|table<string, integer>" },
  number = { "a number from 0", "number" },
  object = { "an object", "table" },
}

local function words(member)
  local list = {}
  for i, word in ipairs(member.words) do list[i] = word and ('"%s"'):format(word) or "false" end
  return list
end

--- "an integer 1 ... 10000 (1)": a member's values, and in parentheses its default.
function members.allowed(member)
  local text = member.words and table.concat(words(member), ", ") or TYPES[member.type][1]
  if member.digits then text = text .. " or an integer" end
  if member.type == "integer" or member.type == "slots" then
    if member.most == math.maxinteger then
      text = ("%s from %d"):format(text, member.least)
    elseif member.least ~= math.mininteger then
      text = ("%s %d ... %d"):format(text, member.least, member.most)
    end
  end
  if member.unit == "s" then text = text .. ", s" end
  if member.required then return text .. "; required" end
  local default = member.unset
  if member.words then default = words(member)[member.unset + 1] end
  local number = member.type == "integer" or member.type == "slots"
  local stated = member.words or number and default >= member.least
  return stated and ("%s (%s)"):format(text, default) or text
end

--- The rows of an item's table: each {key, values, meaning}; without members that only decisions
--- write.
function members.rows(list, prefix)
  local rows = {}
  for _, member in ipairs(list) do
    if member.name ~= "" and not member.passed and not member.key then
      local key = (prefix or "") .. member.name
      local doc = member.doc .. (member.rule and (" (%s)"):format(member.rule) or "")
      rows[#rows + 1] = { key, members.allowed(member), doc }
      if member.members then
        table.move(members.rows(member.members, key .. "."), 1, 99, #rows + 1, rows)
      end
    end
  end
  return rows
end

--- The same as Markdown.
function members.markdown(item)
  local out = { "| key | what it may be (default) | meaning |", "|---|---|---|" }
  for _, row in ipairs(members.rows(core.members(item))) do
    out[#out + 1] = ("| `%s` | %s | %s |"):format(row[1], row[2], row[3])
  end
  return table.concat(out, "\n")
end

--- The same as classes for an editor: lines are added to `out`.
function members.add_classes(out)
  for _, item in ipairs(members.ITEMS) do
    out[#out + 1] = ("\n--- A %s of a state's document.\n---@class %s"):format(item[1], item[2])
    for _, member in ipairs(core.members(item[1])) do
      if member.name ~= "" and not member.passed and not member.key then
        local kind = member.words and table.concat(words(member), "|") or TYPES[member.type][2]
        out[#out + 1] = ("---@field %s%s %s %s"):format(member.name,
          member.required and "" or "?", kind, member.doc)
      end
    end
  end
end

return members
