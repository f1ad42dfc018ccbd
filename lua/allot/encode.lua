-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `encode(value, indent, most)`: a Lua value as JSON text, for core.encode.
--
-- Keys come in the order of their bytes and integers are exact, so that the same value gives the
-- same text. `native` has what Lua's libraries, or those of a sandbox, lack: next (without
-- metamethods), quote (a JSON string), number (the fewest digits; nil: infinite or none), marked (a
-- list by core.list?), null.

local DEEPEST, STEPS, KEY_MOST = 1000, 20, 100
local concat, sort, rep, find = table.concat, table.sort, string.rep, string.find

local function is_bare(key)
  for _, mark in ipairs { "/", '"', " ", ".", "[", "]", "\0" } do
    if find(key, mark, 1, true) then return false end
  end
  return key ~= ""
end

--- The message, with the path through the open tables to the fault.
local function wrong(stack, message)
  local path = ""
  for i = 1, math.min(#stack, STEPS) do
    local at = stack[i].at
    if at == 0 then break end
    local key = stack[i].keys and stack[i].keys[at]
    local bare = key and is_bare(key)
    path = path .. (not key and ("[%d]"):format(at) or bare and (path == "" and "" or ".") .. key
      :sub(1, KEY_MOST) or '["' .. key:sub(1, KEY_MOST) .. '"]')
  end
  return nil, (path ~= "" and path .. ": " or "") .. message
end

--- An open table: its `items` by key, how many, its `keys` if it is an object, and the last item
--- that was written; or nil and its fault.
local function open(native, value)
  local items, count, length, keys = {}, 0, 0, {}
  for key, item in native.next, value do items[key], count = item, count + 1 end
  while items[length + 1] ~= nil do length = length + 1 end
  local list = native.marked(value) or length > 0
  local it = { of = value, items = items, count = count, at = 0 }
  if list and length == count then return it end
  for name in native.next, items do
    if type(name) ~= "string" then
      return nil, list
        and "a table is a list (1, 2, ...) or an object (texts), and this is a mixture"
        or "a key that is no text; the keys of an object are texts"
    end
    keys[#keys + 1] = name
  end
  if list then return nil, "a list that has other keys than 1, 2, ..." end
  sort(keys)
  it.keys = keys
  return it
end

--- The text of a value that is no table; or nil and its fault.
local function scalar(native, value)
  local kind = type(value)
  if kind == "string" then return native.quote(value) end
  if kind == "boolean" then return value and "true" or "false" end
  if value == native.null then return "null" end
  if kind ~= "number" then return nil, ("a %s, which is no value of JSON"):format(kind) end
  return native.number(value), "a number that is infinite or none (NaN)"
end

return function (native)
  return function (value, indent, most)
    local stack, inside, out, count, size = {}, {}, {}, 0, 0
    local comma, blanks = indent > 0 and "," or ", ", rep(" ", indent)
    local quoted = {} -- keys, which come again and again
    local function put(text)
      count = count + 1
      out[count], size = text, size + #text
    end
    while true do
      if type(value) == "table" then
        if #stack == DEEPEST then return wrong(stack, "tables nest deeper than 1000 levels") end
        if inside[value] then return wrong(stack, "a table that is inside itself") end
        local it, fault = open(native, value)
        if not it then return wrong(stack, fault) end
        stack[#stack + 1], inside[value] = it, true
        put(it.keys and "{" or "[")
      else
        local text, fault = scalar(native, value)
        if not text then return wrong(stack, fault) end
        put(text)
      end
      local it = stack[#stack]
      while it and it.at == it.count do -- closes tables that are written
        stack[#stack], inside[it.of] = nil, nil
        if it.count > 0 and indent > 0 then put("\n" .. rep(blanks, #stack)) end
        put(it.keys and "}" or "]")
        it = stack[#stack]
      end
      if not it then break end
      if size > most then return wrong(stack, "a text of more bytes than are allowed") end
      it.at = it.at + 1
      if it.at > 1 then put(comma) end
      if indent > 0 then put("\n" .. rep(blanks, #stack)) end
      local key = it.keys and it.keys[it.at]
      if key then
        quoted[key] = quoted[key] or native.quote(key) .. ": "
        put(quoted[key])
      end
      value = it.items[key or it.at]
    end
    return concat(out) .. (indent > 0 and "\n" or "")
  end
end
