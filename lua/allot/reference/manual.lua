-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The reference of the policy language, allot-policy(7), from the table of the API; for scdoc.

local api = require "allot.reference.api"
local codes = require "allot.reference.api.codes"
local core = require "allot.core"

local manual = {}

local HEAD = [[
allot-policy(7)

# NAME

allot-policy - the language of policies

# DESCRIPTION

A policy is a Lua file that returns one table, made by *policy*. The heart of it is *quota*: a list
of fills, poured one after another from what a parent has over its children. It runs in a sandbox of
its own, under a budget of instructions and memory: no I/O, no clock, no loading of code, no random
numbers. Names that are not there are errors. A script proposes; the core keeps its invariants,
whatever the script says.

Where a rule takes an amount or a key, it takes a column's name, a number, or a function. A
function's parameters name the columns that it reads; it is called once for every row in a cycle,
never for a comparison, and returns an integer. One parameter that is no column is the whole row.
Columns that are true or false, tags among them, are so to Lua: write *vip and 2 or 1*. As a key of
an order such a column puts false first; it is no amount.

*print* and *log* show with *allot run --trace*, in *allot repl* and in tests.

]]

local TAIL = [[
# SEE ALSO

allot(1), allot-plan(5)
]]

--- Text with `code` in bold, and scdoc's other markup escaped.
local function escaped(text)
  text = text:gsub("%s+", " "):gsub("[\\_*~<>]", "\\%0")
  return (text:gsub("`([^`]+)`", "*%1*"))
end

local function add_fields(out, fields)
  for _, field in ipairs(fields) do
    local kind, optional = api.optional(field)
    local mark = optional and (field.default and "" or ", may be left out") or ""
    out[#out + 1] = ("*%s*: %s%s"):format(escaped(field[1]), escaped(kind), mark)
    out[#out + 1] = "\t" .. escaped(field[3]) .. "."
      .. (field.default and " Default: " .. escaped(field.default) .. "." or "") .. "\n"
  end
end

local function add_example(out, example)
  out[#out + 1] = "\n```\n" .. example .. "\n```\n"
end

local function add_entry(out, entry)
  out[#out + 1] = "## " .. escaped(api.call(entry)) .. "\n"
  out[#out + 1] = escaped(entry.doc) .. "\n"
  if entry.differs then
    out[#out + 1] = "Not as in stock Lua: " .. escaped(entry.differs) .. ".\n"
  end
  for _, param in ipairs(entry.params or {}) do
    out[#out + 1] = ("*%s*: %s"):format(escaped(param[1]), escaped(param[2]))
    if param[3] then out[#out + 1] = "\t" .. escaped(param[3]) .. "." end
    out[#out + 1] = ""
  end
  for _, value in ipairs(entry.returns or {}) do
    out[#out + 1] = ("Gives %s%s.\n"):format(escaped(value[1]),
      value[2] and ": " .. escaped(value[2]) or "")
  end
  if entry.errors then out[#out + 1] = "Refuses: " .. escaped(entry.errors) .. ".\n" end
  if entry.example then add_example(out, entry.example) end
end

local function add_columns(out)
  for _, rows in ipairs(api.rows) do
    out[#out + 1] = ("## %s\n"):format(escaped(rows[2]))
    for _, column in ipairs(core.columns(rows[1])) do
      out[#out + 1] = ("*%s*\n\t%s.\n"):format(escaped(column.name), escaped(column.doc))
    end
  end
end

--- The whole page, as scdoc reads it.
function manual.page()
  local out = { HEAD .. "# WORDS\n" }
  for _, entry in ipairs(api.entries) do
    if entry.group == "language" then add_entry(out, entry) end
  end
  out[#out + 1] = "# KEYS\n"
  for _, class in ipairs(api.classes) do
    out[#out + 1] = ("## %s\n\n%s\n"):format(escaped(class.of or class.name), escaped(class.doc))
    add_fields(out, class.fields)
  end
  out[#out + 1] = "# TYPES\n"
  for _, alias in ipairs(api.aliases) do
    out[#out + 1] = ("*%s*: %s\n\t%s.\n"):format(alias[1], escaped(alias[2]), escaped(alias[3]))
  end
  out[#out + 1] = "# COLUMNS\n"
  add_columns(out)
  for _, group in ipairs { { "library", "LIBRARY" }, { "core", "ENGINE" },
    { "testing", "TESTING" } } do
    out[#out + 1] = ("# %s\n"):format(group[2])
    for _, entry in ipairs(api.entries) do
      if entry.group == group[1] then add_entry(out, entry) end
    end
  end
  out[#out + 1] = "# DIAGNOSTICS\n"
  for _, row in ipairs(codes) do
    out[#out + 1] = ("*%s*\n\t%s\n"):format(row[1], escaped(row[2]))
  end
  out[#out + 1] = TAIL
  return table.concat(out, "\n")
end

return manual
