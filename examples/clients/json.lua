-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- JSON in plain Lua, as much as a client needs: integers stay integers, null becomes json.null.

local json = {}

json.null = setmetatable({}, { __name = "null", __tostring = function () return "null" end })

-- ---- Writing --------------------------------------------------------------------------------

local ESCAPES = {
  ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t",
}

local function quote(text)
  return '"' .. text:gsub('[%c"\\]', function (char)
    return ESCAPES[char] or ("\\u%04x"):format(char:byte())
  end) .. '"'
end

local encode

local function encode_list(list)
  local parts = {}
  for i, value in ipairs(list) do
    parts[i] = encode(value)
  end
  return "[" .. table.concat(parts, ",") .. "]"
end

-- Keys in order, so that the same table gives the same text.
local function encode_object(object)
  local keys, parts = {}, {}
  for key in pairs(object) do
    keys[#keys + 1] = assert(type(key) == "string" and key, "keys are strings, or 1, 2, ...")
  end
  table.sort(keys)
  for i, key in ipairs(keys) do
    parts[i] = quote(key) .. ":" .. encode(object[key])
  end
  return "{" .. table.concat(parts, ",") .. "}"
end

--- A table with an item 1 is a list, every other table an object.
function encode(value)
  local kind = type(value)
  if value == json.null then
    return "null"
  elseif kind == "table" then
    return value[1] ~= nil and encode_list(value) or encode_object(value)
  elseif kind == "string" then
    return quote(value)
  elseif math.type(value) == "integer" or kind == "boolean" then
    return tostring(value)
  end
  error(("a %s is nothing that the service reads"):format(math.type(value) or kind))
end

json.encode = encode

-- ---- Reading --------------------------------------------------------------------------------

local UNESCAPES = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }

local function fail(at, what)
  error(("JSON, byte %d: %s"):format(at, what), 0)
end

local function code_at(text, at)
  local code = tonumber(text:match("^%x%x%x%x", at) or fail(at, "four digits are wanted"), 16)
  return code, at + 4
end

-- The text and the end of the escape whose backslash is at `at`.
local function unescape(text, at)
  local char = text:sub(at + 1, at + 1)
  if char ~= "u" then
    return UNESCAPES[char] or char, at + 2
  end
  local code, past = code_at(text, at + 2)
  if code >= 0xD800 and code < 0xDC00 and text:sub(past, past + 1) == "\\u" then
    local low
    low, past = code_at(text, past + 2)
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
  end
  return utf8.char(code), past
end

local function decode_text(text, at)
  local parts = {}
  at = at + 1
  while true do
    local stop = text:find('["\\]', at) or fail(at, "a string does not end")
    parts[#parts + 1] = text:sub(at, stop - 1)
    if text:sub(stop, stop) == '"' then
      return table.concat(parts), stop + 1
    end
    parts[#parts + 1], at = unescape(text, stop)
  end
end

local decode

local function skip(text, at)
  return text:find("[^ \t\r\n]", at) or #text + 1
end

local function decode_list(text, at)
  local list = {}
  at = skip(text, at + 1)
  while text:sub(at, at) ~= "]" do
    list[#list + 1], at = decode(text, at)
    at = skip(text, at)
    if text:sub(at, at) == "," then
      at = skip(text, at + 1)
    elseif text:sub(at, at) ~= "]" then
      fail(at, "a list goes on with a comma or ends")
    end
  end
  return list, at + 1
end

local function decode_object(text, at)
  local object = {}
  at = skip(text, at + 1)
  while text:sub(at, at) ~= "}" do
    local key
    key, at = decode_text(text, at)
    at = skip(text, at)
    if text:sub(at, at) ~= ":" then
      fail(at, "a colon is wanted")
    end
    object[key], at = decode(text, skip(text, at + 1))
    at = skip(text, at)
    if text:sub(at, at) == "," then
      at = skip(text, at + 1)
    elseif text:sub(at, at) ~= "}" then
      fail(at, "an object goes on with a comma or ends")
    end
  end
  return object, at + 1
end

local WORDS = { ["true"] = true, ["false"] = false, null = json.null }

local function decode_word(text, at)
  local word = text:match("^[%w+.-]+", at) or fail(at, "no value begins so")
  local value = WORDS[word]
  if value == nil then
    value = tonumber(word) or fail(at, "no such word")
  end
  return value, at + #word
end

local BEGINS = { ['"'] = decode_text, ["["] = decode_list, ["{"] = decode_object }

--- The value that begins at `at`, and its end.
function decode(text, at)
  return (BEGINS[text:sub(at, at)] or decode_word) (text, at)
end

function json.decode(text)
  local value, at = decode(text, skip(text, 1))
  if skip(text, at) <= #text then
    fail(at, "there is more behind the value")
  end
  return value
end

return json
