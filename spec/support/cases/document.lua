-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Writes Lua tables as JSON with sorted keys, so that what a failing spec prints is stable.

local document = {}

local function quote(text)
  return '"' .. text:gsub('[%c"\\]', function (c)
    return ("\\u%04x"):format(c:byte())
  end) .. '"'
end

local function keys_of(value, random)
  local keys = {}
  for key in pairs(value) do
    keys[#keys + 1] = key
  end
  table.sort(keys)
  if random then
    random:shuffle(keys)
  end
  return keys
end

local function write(value, out, style, depth)
  if type(value) ~= "table" then
    out[#out + 1] = type(value) == "string" and quote(value) or tostring(value)
    return
  end
  local is_list = value[1] ~= nil
  local keys = is_list and value or keys_of(value, style.random)
  local line = style.indent and "\n" .. (style.indent):rep(depth + 1) or ""
  out[#out + 1] = is_list and "[" or "{"
  for i, key in ipairs(keys) do
    out[#out + 1] = (i > 1 and "," or "") .. line
    if not is_list then
      out[#out + 1] = quote(key) .. ":" .. (style.indent and " " or "")
    end
    write(is_list and key or value[key], out, style, depth + 1)
  end
  out[#out + 1] = style.indent and line:sub(1, -1 - #style.indent) or ""
  out[#out + 1] = is_list and "]" or "}"
end

--- The text of a value; an empty table is `{}`. style.indent: a string put before each line, once
--- a level (nil: one line); style.random: shuffles the keys of objects.
function document.encode(value, style)
  local out = {}
  write(value, out, style or {}, 0)
  return table.concat(out)
end

--- n items of a list as text, each with its number where `item` has "#".
function document.many(n, item)
  local list = {}
  for i = 1, n do list[i] = item:gsub("#", i) end
  return table.concat(list, ", ")
end

return document
