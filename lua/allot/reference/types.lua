-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Types for editors (LuaLS), names for luacheck, from the table of the API.

local api = require "allot.reference.api"
local members = require "allot.reference.members"

local types = {}

local HEAD = [[
---@meta allot
-- Made by `allot types`; do not edit. What a policy of allot %s finds in its sandbox, and
-- `require "allot"` in Lua programs. `allot help TOPIC` tells of each word.
]]

local function comment(text)
  return (text:gsub("%s+", " "):gsub("^", "--- "))
end

local function add_class(out, class)
  out[#out + 1] = ""
  out[#out + 1] = comment(class.doc)
  out[#out + 1] = "---@class " .. class.name
  for _, field in ipairs(class.fields) do
    local kind, optional = api.optional(field)
    local default = field.default and (" (%s)"):format(field.default) or ""
    out[#out + 1] = ("---@field %s%s %s %s%s"):format(field[1], optional and "?" or "",
      kind, field[3]:gsub("%s+", " "), default)
  end
end

--- `function string.split(s, separator) end`, after its documentation.
local function add_function(out, entry, name)
  local params = {}
  out[#out + 1] = ""
  out[#out + 1] = comment(entry.doc)
  if entry.differs then out[#out + 1] = comment("Not as in stock Lua: " .. entry.differs .. ".") end
  if entry.example then
    out[#out + 1] = "---\n--- ```lua\n--- " .. entry.example:gsub("\n", "\n--- ") .. "\n--- ```"
  end
  for i, param in ipairs(entry.params) do
    out[#out + 1] = ("---@param %s %s%s"):format(param[1], param[2],
      param[3] and " " .. param[3] or "")
    params[i] = param[1]:gsub("%?$", "")
  end
  for _, value in ipairs(entry.returns) do out[#out + 1] = "---@return " .. value[1] end
  for _, overload in ipairs(entry.overloads or {}) do
    out[#out + 1] = "---@overload " .. overload
  end
  out[#out + 1] = ("function %s(%s) end"):format(name, table.concat(params, ", "))
end

local function add_entry(out, entry, name)
  if entry.kind == "function" then return add_function(out, entry, name) end
  out[#out + 1] = ""
  out[#out + 1] = comment(entry.doc)
  out[#out + 1] = "---@type " .. entry.type
  out[#out + 1] = name .. " = nil"
end

local function add_types(out)
  for _, name in ipairs(api.opaque) do out[#out + 1] = "---@class " .. name end
  out[#out + 1] = "---@class allot.Row\n---@field [string] any a column, or a policy's attribute"
  for _, alias in ipairs(api.aliases) do
    out[#out + 1] = ("\n%s\n---@alias %s %s"):format(comment(alias[3]), alias[1], alias[2])
  end
  for _, class in ipairs(api.classes) do add_class(out, class) end
  members.add_classes(out)
end

local function add_tables(out)
  for _, name in ipairs { "string", "table", "math" } do
    out[#out + 1] = ("\n---@class %slib\n%s = {}"):format(name, name)
  end
end

--- Where a function of the engine is found in the stubs.
function types.place(entry)
  if entry.group == "testing" then return (entry.name:gsub("^assert%.", "luassert.")) end
  if entry.group ~= "core" or entry.name:find "[.:]" then return entry.name end
  return "allot." .. entry.name
end

--- The module "allot": the words, which are globals of policies, and the engine.
local function add_module(out)
  out[#out + 1] = "\n--- The module that `require \"allot\"` gives."
  out[#out + 1] = "---@class allot\nlocal allot = {}"
  out[#out + 1] = "\n--- And `require \"allot.core\"`: the engine alone.\n---@class allot.core"
  out[#out + 1] = "local core = {}"
  for _, name in ipairs { "Plan", "State", "Policy", "Decision" } do
    out[#out + 1] = ("\n---@class allot.%s\nlocal %s = {}"):format(name, name)
  end
  for _, entry in ipairs(api.entries) do
    if entry.group == "core" then add_entry(out, entry, types.place(entry)) end
  end
  for _, entry in ipairs(api.entries) do
    local name = entry.name
    if entry.group == "language" then out[#out + 1] = ("allot.%s = %s"):format(name, name) end
  end
  out[#out + 1] = "\nreturn allot"
end

--- The stub file: valid Lua that only editors read.
function types.stubs(version)
  local out = { HEAD:format(version) }
  add_types(out)
  add_tables(out)
  for _, group in ipairs { "language", "library" } do
    for _, entry in ipairs(api.entries) do
      if entry.group == group then add_entry(out, entry, entry.name) end
    end
  end
  add_module(out)
  return table.concat(out, "\n") .. "\n"
end

local TEST_HEAD = [[
---@meta allot.fixture
-- Made by `allot types`; do not edit. Specs of policies for allot %s: `allot help testing`.

--- What can be asked about a plan and a state; `allot.fixture` makes it.
---@class allot.TestCase
---@field plan table
---@field state table
local TestCase = {}

---@class luassert
local luassert = {}

--- Cases, and the assertions that it adds to busted's.
---@class allot.fixture
---@field check table<string, fun(case: allot.TestCase, ...: any): boolean, string?>
---@overload fun(given: string|table, policy?: string): allot.TestCase
local fixture = {}
]]

--- The stub file of `require "allot.fixture"`.
function types.testing(version)
  local out = { TEST_HEAD:format(version) }
  for _, entry in ipairs(api.entries) do
    if entry.group == "testing" and entry.name ~= "fixture" then
      add_entry(out, entry, types.place(entry))
    end
  end
  out[#out + 1] = "\nreturn fixture"
  return table.concat(out, "\n") .. "\n"
end

--- Globals as luacheck has them: names, and tables with their fields, in order.
local function globals()
  local list, fields = {}, {}
  for _, entry in ipairs(api.entries) do
    local within, name = entry.name:match "^(%l+)%.(%w+)$"
    if within and entry.group == "library" then
      fields[within] = fields[within] or {}
      table.insert(fields[within], name)
    elseif entry.group == "language" or entry.group == "library" then
      list[#list + 1] = entry.name
    end
  end
  return list, fields
end

local function quoted(list, indent)
  local lines, line = {}, indent
  for _, name in ipairs(list) do
    local piece = ('"%s",'):format(name)
    if #line + #piece + 1 > 98 then lines[#lines + 1], line = line, indent end
    line = line .. (line == indent and "" or " ") .. piece
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n")
end

--- A .luacheckrc: the globals that policies and their specs may read.
function types.luacheck()
  return 'std = "allot"\nfiles["**/*_spec.lua"] = { std = "lua54+busted" }\n\n' .. types.standard()
end

--- A block for a .luacheckrc: the standard `allot`, all globals that a policy may read.
function types.standard()
  local list, fields = globals()
  local out = {
    "-- What a policy finds in its sandbox (allot types --format luacheck).",
    "stds.allot = {", "  read_globals = {", quoted(list, "    "),
  }
  for _, name in ipairs { "math", "string", "table" } do
    out[#out + 1] = ("    %s = { fields = {\n%s\n    } },"):format(name,
      quoted(fields[name], "      "))
  end
  return table.concat(out, "\n") .. "\n  },\n}\n"
end

--- A .luarc.json: Lua 5.4 with allot's own library, as declared by the stubs beside it.
types.luarc = [[
{
  "runtime.version": "Lua 5.4",
  "runtime.builtin": {
    "basic": "disable", "coroutine": "disable", "debug": "disable", "io": "disable",
    "math": "disable", "os": "disable", "package": "disable", "string": "disable",
    "table": "disable", "utf8": "disable", "bit": "disable", "bit32": "disable", "jit": "disable"
  },
  "diagnostics.globals": ["describe", "it", "setup", "teardown", "before_each", "after_each"],
  "diagnostics.disable": ["lowercase-global"]
}
]]

return types
