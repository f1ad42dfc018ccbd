-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Tools of the command for policy authors: `help TOPIC`, `types`. Each gets the host, as
--- allot/tool.h has it, and the operands, and returns the exit status.

local api = require "allot.reference.api"
local codes = require "allot.reference.api.codes"
local core = require "allot.core"
local help = require "allot.reference.help"
local manual = require "allot.reference.manual"
local types = require "allot.reference.types"

local reference = {}

local DONE, USAGE, IO = 0, 2, 5

local function fail(host, status, code, message, hint)
  host.say { severity = "error", code = code, message = message, hint = hint }
  return status
end

--- The first operand is the topic, the others are verbs, for suggestions.
function reference.help(host, args)
  local topic = args[1]
  if topic == "policy" and host.option "format" == "scdoc" then
    host.out(manual.page())
    return DONE
  end
  local text, fault, near = help.text(topic, { table.unpack(args, 2) })
  if text then
    host.out(text)
    return DONE
  end
  return fail(host, USAGE, "E-usage", fault:gsub("no topic", "no verb or topic"),
    near and ("did you mean %s?"):format(near) or "allot help lists the verbs")
end

-- Rows { name, type, doc } as JSON has them.
local function rows_of(list, names_of)
  if not list then return nil end
  local made = core.list()
  for i, row in ipairs(list) do
    local one = { default = row.default, example = row.example }
    for place, key in ipairs(names_of) do one[key] = row[place] end
    made[i] = one
  end
  return made
end

local PARAM = { "name", "type", "doc" }

local function document()
  local all = {
    schema = "allot/api/v1", version = core.version, columns = {}, entries = {}, classes = {},
    aliases = rows_of(api.aliases, PARAM), diagnostics = rows_of(codes, { "code", "doc" }),
  }
  for i, entry in ipairs(api.entries) do
    local one = {}
    for key, value in pairs(entry) do one[key] = value end
    one.params = rows_of(entry.params, PARAM)
    one.returns = rows_of(entry.returns, { "type", "doc" })
    all.entries[i] = one
  end
  for i, class in ipairs(api.classes) do
    all.classes[i] = {
      name = class.name, of = class.of, doc = class.doc, fields = rows_of(class.fields, PARAM),
    }
  end
  for _, rows in ipairs(api.rows) do all.columns[rows[1]] = core.columns(rows[1]) end
  return all
end

--- Writes a file, unless a different one exists that a user may have edited.
local function write(host, path, text, keep)
  local there = host.read(path)
  if there == text then return DONE end
  if there and keep then
    host.out(("%s is there already and stays as it is\n"):format(path))
    return DONE
  end
  local done, why = host.write(path, text)
  if not done then
    return fail(host, IO, "E-io", ("%s cannot be written: %s"):format(path, why))
  end
  host.out(("%s written\n"):format(path))
  return DONE
end

--- The files of a format: name, text, and whether an existing one may be the user's own.
local FILES = {
  text = function ()
    return {
      { "allot.lua", types.stubs(core.version) },
      { "allot.fixture.lua", types.testing(core.version) },
      { ".luarc.json", types.luarc, true },
    }
  end,
  json = function ()
    return { { "allot.json", assert(core.encode(document(), { indent = 2 })) } }
  end,
  luacheck = function () return { { ".luacheckrc", types.luacheck(), true } } end,
  luarc = function () return { { ".luarc.json", types.luarc, true } } end,
}

--- Prints a format's first file, or writes all of its files.
function reference.types(host)
  local folder = host.option "out"
  local files = FILES[host.option "format" or "text"]()
  if not folder then
    host.out(files[1][2])
    return DONE
  end
  for _, file in ipairs(files) do
    local status = write(host, folder .. "/" .. file[1], file[2], file[3])
    if status ~= DONE then return status end
  end
  return DONE
end

return reference
