-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The text of a plan: what is small on one line, names first, what a queue states in its order.

local lsf = require "allot.lsf"

local text = {}

-- Keys in the order in which a reader looks for them; others come behind, by name.
local FIRST = {}
for i, key in ipairs {
  "version", "name", "policy", "use", "params", "resources", "user_groups", "host_groups", "hosts",
  "applications", "queues", "limits", "leases",
  "slots", "priority", "preemption", "slot_pool", "slot_share", "provider", "consumer",
} do
  FIRST[key] = i
end

local ESCAPES = { ['"'] = '\\"', ["\\"] = "\\\\" }

local function quote(value)
  return '"' .. lsf.utf8(value):gsub('[%c"\\]', function (c)
    return ESCAPES[c] or ("\\u%04x"):format(c:byte())
  end) .. '"'
end

local function keys_of(object)
  local keys = {}
  for key in pairs(object) do keys[#keys + 1] = key end
  table.sort(keys, function (a, b)
    local x, y = FIRST[a] or math.huge, FIRST[b] or math.huge
    if x ~= y then return x < y end
    return a < b
  end)
  return keys
end

local LONGEST = 96

local write

--- The members of a list or an object, each as it would stand on a line of its own.
local function members(value, depth)
  local out = {}
  if value[1] ~= nil then
    for i, item in ipairs(value) do out[i] = write(item, depth) end
    return out, "[", "]"
  end
  for i, key in ipairs(keys_of(value)) do
    out[i] = quote(key) .. ": " .. write(value[key], depth)
  end
  return out, "{", "}"
end

--- Whether a table holds other tables that hold something by name.
local function is_deep(value)
  for _, inner in pairs(value) do
    if type(inner) == "table" and (inner[1] == nil or type(inner[1]) == "table") then
      return true
    end
  end
  return false
end

function write(value, depth)
  if type(value) == "string" then return quote(value) end
  if type(value) ~= "table" then return tostring(value) end
  local out, open, close = members(value, depth + 1)
  local line = open .. table.concat(out, ", ") .. close
  if not is_deep(value) and #line + 2 * depth <= LONGEST then return line end
  local indent = "\n" .. ("  "):rep(depth + 1)
  return open .. indent .. table.concat(out, "," .. indent) .. "\n" .. ("  "):rep(depth) .. close
end

--- A plan as a document, its last line ended.
function text.of(plan)
  return write(plan, 0) .. "\n"
end

return text
