-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The text of a plan: small tables on one line, names first, a queue's keys in its file's order.

local lsf = require "allot.import.lsf"

local text = {}

-- Keys in the order in which a reader looks for them; others follow, by name.
local FIRST = {}
for i, key in ipairs {
  "version", "name", "policy", "use", "params", "resources", "user_groups", "host_groups", "hosts",
  "applications", "queues", "limits", "leases",
  "slots", "groups", "priority", "preemption", "slot_pool", "slot_share", "provider", "consumer",
  "owned", "share", "limit", "children", "from", "to", "group",
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

-- Parts that come from a place of a file stand between marks, which no text of a plan contains,
-- until their places in the plan are known.
local BEGIN, END = "\1%d\2", "\3"

local function marked(written, place, from)
  if not place then return written end
  from.places[#from.places + 1] = place
  return BEGIN:format(#from.places) .. written .. END
end

--- A text's length without marks.
local function length(written)
  return #(written:gsub("\1%d+\2", ""):gsub(END, ""))
end

--- The members of a list or an object, each as it would stand on a line of its own.
local function members(value, depth, from)
  local out, of = {}, from.at[value]
  if value[1] ~= nil then
    for i, item in ipairs(value) do out[i] = write(item, depth, from) end
    return out, "[", "]"
  end
  for i, key in ipairs(keys_of(value)) do
    local written = quote(key) .. ": " .. write(value[key], depth, from)
    out[i] = marked(written, of and of.keys and of.keys[key], from)
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

function write(value, depth, from)
  if type(value) == "string" then return quote(value) end
  if type(value) ~= "table" then return tostring(value) end
  local out, open, close = members(value, depth + 1, from)
  local line, place = open .. table.concat(out, ", ") .. close, from.at[value]
  place = place and place.row
  if not is_deep(value) and length(line) + 2 * depth <= LONGEST then
    return marked(line, place, from)
  end
  local indent = "\n" .. ("  "):rep(depth + 1)
  return marked(open .. indent .. table.concat(out, "," .. indent) .. "\n" .. ("  "):rep(depth)
    .. close, place, from)
end

--- Removes the marks of a text; returns the range of each marked part: { from, to, place }.
local function unmarked(written, places)
  local out, open, spans, done, at = {}, {}, {}, 0, 1
  while at do
    local mark = written:find("[\1\3]", at)
    out[#out + 1] = written:sub(at, (mark or 0) - 1)
    done = done + #out[#out]
    local number, behind = written:match("^\1(%d+)\2()", mark or #written + 1)
    if number then
      spans[#spans + 1] = { from = done + 1, place = places[tonumber(number)] }
      open[#open + 1] = spans[#spans]
    elseif mark then
      table.remove(open).to = done
    end
    at = behind or mark and mark + 1
  end
  return table.concat(out), spans
end

--- A plan as a document, its last line ended; and where in the files parts of it come from, for
--- text.place. `at`: by table of the plan where it comes from, { row, keys }, both or one.
function text.of(plan, at)
  local from = { at = at or {}, places = {} }
  return unmarked(write(plan, 0, from) .. "\n", from.places)
end

--- The place { file, line, col } that a line and column of a plan's text come from; nil: none.
function text.place(written, spans, line, col)
  local offset = 1
  for _ = 2, line do offset = (written:find("\n", offset, true) or #written) + 1 end
  offset = offset + col - 1
  local found
  for _, span in ipairs(spans) do
    if span.from <= offset and offset <= span.to then found = span.place end
  end
  return found
end

return text
