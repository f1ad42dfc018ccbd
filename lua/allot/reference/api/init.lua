-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What a policy author can write, in one table: words, keys, columns, library, engine, session.
--
-- Help, types for editors, names for luacheck and the reference are made from this table, and specs
-- compare the table with the code. An entry of `entries` has
--
--     group     "language", "library", "core", "testing" or "desk" (words of the REPL's session)
--     name      "fill", "string.split", "Decision:json"
--     params    { { name, type, doc }, ... } of a function; a name that ends in "?" may be left out
--     returns   { { type, doc }, ... }
--     overloads other ways to call it, as types
--     type      the type of a value, where the entry is not a function
--     doc       what it does: units, ranges; `errors`: what it refuses
--     differs   how it differs from stock Lua's
--     example   Lua that runs as it stands
--     since     the first version that has it
--
-- Types are written as LuaLS writes them. A class is { name, of, doc, fields }, a field { name,
-- type, doc, default = , example = , optional = }. A field may be left out if its type ends in "?"
-- or "|nil", or if `optional` is true.

local types = require "allot.reference.api.types"

local api = { entries = {}, aliases = types.aliases, opaque = types.opaque, classes = {} }

--- Groups in the order in which help shows them, with their titles, and where to read on.
api.groups = {
  { "language", "Words of the policy language" },
  { "library", "Lua's library, as policies have it" },
  { "core", "The engine, in Lua programs" },
  { "testing", "Specs of policies: `require \"allot.fixture\"`", "`allot init NAME` writes a "
    .. "spec to begin with; `allot help fixture` has the words of its lines." },
  { "desk", "A session of `allot repl`" },
}

local function add(group, list)
  for _, entry in ipairs(list) do
    entry.group = group
    entry.kind = entry.params and "function" or "value"
    entry.since = entry.since or "0.1.0"
    api.entries[#api.entries + 1] = entry
  end
end

add("language", require "allot.reference.api.words")
add("library", require "allot.reference.api.library")
add("core", require "allot.reference.api.core")
add("testing", require "allot.reference.api.fixture")
add("desk", require "allot.reference.api.repl")

for _, from in ipairs { require "allot.reference.api.policy", types.classes } do
  for _, class in ipairs(from) do api.classes[#api.classes + 1] = class end
end

--- The rows that rules read, and the rules that read them. Their columns: allot.columns(rows).
api.rows = {
  { "consumers", "Columns of consumers, in fills, distribute and reclaim" },
  { "tasks", "Columns of tasks and jobs, in victims, guards and dispatch" },
  { "sessions", "Columns of sessions, in sessions" },
  { "queues", "Columns of queues, in slices" },
  { "leases", "Columns of contracts of shared lease" },
}

--- Names of results, properties and events, by section: its name, its title, and rows of name, doc.
api.terms = require "allot.reference.api.terms"

--- The entry of a name, or nil.
function api.find(name)
  for _, entry in ipairs(api.entries) do
    if entry.name == name then return entry end
  end
end

--- The class of a name ("allot.FillSpec", or "case" of allot.Case), or the one that a word takes
--- ("fill"); or nil.
function api.class(name)
  for _, class in ipairs(api.classes) do
    if class.name == name or class.of == name or class.name:lower() == "allot." .. name then
      return class
    end
  end
end

--- The type of a field without the mark "?" or "|nil", and whether the field may be left out.
function api.optional(field)
  local kind = field[2]
  if field.optional then return kind, true end
  local bare = kind:match "^(.*)%?$" or kind:match "^(.*)|nil$"
  return bare or kind, bare ~= nil
end

--- How to call a function: "order(keys)"; of a value its name.
function api.call(entry)
  if entry.kind ~= "function" then return entry.name end
  local names = {}
  for i, param in ipairs(entry.params) do names[i] = param[1] end
  return ("%s (%s)"):format(entry.name, table.concat(names, ", "))
end

return api
