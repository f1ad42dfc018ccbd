-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What changes from one plan and state of a session to another, in the session's words:
--- `consumers["/a"].owned: 4 -> 10`.

local core = require "allot.core"
local model = require "allot.repl.model"

local change = {}

local MOST, WIDTH = 6, 40 -- lines; bytes of a value

local function text_of(value)
  if value == nil then return "none" end
  local text = core.encode(value) or tostring(value)
  return #text > WIDTH and text:sub(1, WIDTH - 3) .. "..." or text
end

local LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

--- Can a key follow a dot? (The sandbox has no patterns.)
local function is_name(key)
  for i = 1, #key do
    local c = key:sub(i, i)
    if not LETTERS:find(c) and (i == 1 or c < "0" or c > "9") then return false end
  end
  return key ~= ""
end

local function field(place, key)
  if place == "" then return key end
  if type(key) ~= "string" then return ("%s[%d]"):format(place, key) end
  return is_name(key) and place .. "." .. key or ("%s[%q]"):format(place, key)
end

local function compare(place, before, after, out)
  if type(before) ~= "table" or type(after) ~= "table" then
    if before ~= after then
      out[#out + 1] = ("%s: %s -> %s"):format(place, text_of(before), text_of(after))
    end
    return
  end
  for key, value in pairs(before) do compare(field(place, key), value, after[key], out) end
  for key, value in pairs(after) do
    if before[key] == nil then compare(field(place, key), nil, value, out) end
  end
end

--- Lines: the first few changes between two pairs of documents { plan_value, state_value }.
function change.lines(before, after)
  local out = {}
  compare("", model.spread(before.plan_value, before.state_value),
    model.spread(after.plan_value, after.state_value), out)
  local more = #out - MOST
  for i = #out, MOST + 1, -1 do out[i] = nil end
  if more > 0 then out[MOST + 1] = ("and %d more"):format(more) end
  return out
end

return change
