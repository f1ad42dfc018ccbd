-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot init NAME`: a policy to begin with, its spec, and a plan and a state to try it on.

local like = require "allot.reference.like"

local scaffold = {}

local DONE, USAGE, INVALID, IO = 0, 2, 3, 5

-- The files' texts; NAME stands for the name.
local FILES = {
  { "NAME.lua", [=[
-- NAME: owners first. What is left is shared by `share`, and nobody borrows more than its
-- `most_borrowed` slots. When slots go back, the tasks go that lose the least work, and none that
-- has run for less than a minute.
--
--   allot check NAME.lua NAME_plan.json       is it valid?
--   busted                                    does it do what it should? (NAME_spec.lua)
--   allot run NAME_plan.json NAME_state.json  what does it decide?

return policy {
  name = "NAME",

  -- What a plan may say of a consumer, beside `owned`, `reserve`, `limit`, `rank`, `share`, ...
  attributes = {
    most_borrowed = {
      type = "integer", min = 0, default = none, doc = "most slots beyond what it owns",
    },
  },

  -- How a family's slots are divided: fill by fill, each by a weight, up to an amount.
  quota = {
    fill "reserved" { by = "reserve", up_to = "reserve" },
    fill "owned" { by = "owned", up_to = "owned" },
    fill "borrowed" {
      by = "share",
      -- A function reads the columns that its parameters name, and answers in whole numbers.
      -- What is `none` reads as 1000000000, and more than that no amount can be.
      up_to = function (owned, most_borrowed)
        return math.min(owned + most_borrowed, 1000000000)
      end,
    },
  },

  -- Which tasks go when slots are given back: first the one that loses the least work.
  victims = order { function (ran, slots) return ran * slots end },
  guards = { min_run_time(60) },
}
]=] },
  { "NAME_spec.lua", [=[
-- What NAME.lua should do. Run `busted` in this folder.

local fixture = require "allot.fixture"

local POLICY = "NAME.lua"

--- A plan and a state in one line, decided by the policy.
local function case(line) return fixture(line, POLICY) end

describe("NAME", function ()
  setup(fixture.cover)
  -- Raises when a line of the policy never ran; a number behind the name asks for less than 100 %.
  teardown(function () fixture.covered(POLICY) end)

  it("gives owners what they own", function ()
    local it = case "prod{own=10} dev{own=5}: prod wants 12 holds 3, dev wants 9 holds 9"
    assert.quota(it, { prod = 10, dev = 5 })
    assert.gets(it, "prod", 3)
    assert.gives_back(it, "dev", 4)
    assert.settles(it)
  end)

  it("shares what is left by share", function ()
    local it = case "[slots=18] prod{own=6,share=2} dev{own=6}: prod wants 18, dev wants 18"
    assert.quota(it, { prod = 10, dev = 8 })
  end)

  it("lets nobody borrow more than its most", function ()
    local it = case "prod{own=10} dev{own=5,most_borrowed=2}: dev wants 15"
    assert.quota(it, "dev", 7)
  end)

  it("takes what loses the least work, and nothing that has just begun", function ()
    local it = case("[slots=4] prod{own=2} dev: prod wants 2, now=1000, "
      .. "dev wants 4 runs old{started=100} young{started=800} new{started=980}")
    assert.goes(it, "young")
    assert.stays(it, "old", "new")
  end)
end)
]=] },
  { "NAME_plan.json", [=[
// Who owns what, for NAME.lua.
{
  "version": 1,
  "policy": "NAME.lua",
  "consumers": [
    {"name": "prod", "owned": 10, "share": 2},
    {"name": "dev", "owned": 5, "most_borrowed": 4, "grace": 30},
    {"name": "guests", "rank": 1},
  ],
}
]=] },
  { "NAME_state.json", [=[
{
  "now": "2026-03-02T09:00:00Z",
  "consumers": {
    "/prod": {"demand": 12, "allocated": 6},
    "/dev": {"demand": 9, "allocated": 3},
    "/guests": {"demand": 4, "allocated": 4}
  }
}
]=] },
}

-- A file of the folder, not of a policy: an existing one stays.
local BUSTED = ".busted"

--- Prefixes that Lua searches by default.
local KNOWN = { ["/usr"] = true, ["/usr/local"] = true }

--- Where Lua finds the module that belongs to a command: paths for Lua files and for libraries, of
-- a build tree or below another prefix; nil if Lua finds the module by default.
local function module_paths(host, program)
  local home = program:match "^(.*)/bin/[^/]+$"
  local cache = home and host.read(home .. "/CMakeCache.txt")
  local lua = cache and cache:match "\nCMAKE_HOME_DIRECTORY:INTERNAL=([^\n]+)"
  if lua then
    lua, home = lua .. "/lua", home .. "/lua"
  elseif home and not KNOWN[home] then
    lua, home = home .. "/share/lua/5.4", home .. "/lib/lua/5.4"
  end
  if not lua or not host.read(lua .. "/allot/init.lua") then return nil end
  return ("%s/?.lua;%s/?/init.lua"):format(lua, lua), home .. "/?.so"
end

--- Settings of busted; and the library that they name, if it is not built.
local function busted(host, program)
  local lua, library = module_paths(host, program)
  local core = library and library:gsub("%?", "allot/core")
  local paths = lua and ("\n  lpath = %q, cpath = %q,\n"):format(lua, library) or ""
  return ('return { _all = { lua = "/usr/bin/lua5.4", ROOT = { "." }, pattern = "_spec"%s } }\n')
    :format(paths ~= "" and "," .. paths or ""), core and not host.read(core) and core
end

local function fail(host, status, finding)
  finding.severity = "error"
  host.say(finding)
  return status
end

local function write(host, path, text)
  local ok, message = host.write(path, text)
  if ok then
    host.out(("%s written\n"):format(path))
    return DONE
  end
  return fail(host, IO, {
    code = "E-io", file = path, message = "cannot be written: " .. message,
  })
end

--- Writes nothing if one of the files exists.
local function refuse(host, files, prefix, name)
  local status = DONE
  for _, file in ipairs(files) do
    local path = prefix .. file[1]:gsub("NAME", name)
    if host.read(path) then
      status = fail(host, INVALID, {
        code = "E-exists", file = path, message = "is there already, and stays as it is",
        hint = "take another name, or another folder with --out",
      })
    end
  end
  return status
end

local function tell(host, prefix, name, missing)
  local folder = prefix ~= "" and ("cd %s && "):format(prefix:sub(1, -2)) or ""
  host.out(([[

try it:
  %sbusted
  %sallot check NAME.lua NAME_plan.json
  %sallot run NAME_plan.json NAME_state.json
]]):format(folder, folder, folder):gsub("NAME", name))
  if missing then host.out(("\nbusted needs %s, which is not built\n"):format(missing)) end
end

--- The files' texts, those of --like if it is there; nil: there is no such peer, which is reported.
local function files_of(host, name, peer)
  if not peer then return FILES end
  local text, known, near = like.text(peer)
  if text then return like.files(text, name, peer) end
  fail(host, USAGE, {
    code = "E-usage", message = ("there is no peer %s; known are %s"):format(peer,
      table.concat(known, ", ")), hint = near and ("did you mean %s?"):format(near),
  })
end

--- The tool: allot/tool.h. The operand is the name.
function scaffold.init(host, args)
  local name, folder, peer = args[1], host.option "out", host.option "like"
  local prefix = folder and folder:gsub("/*$", "/") or ""
  if not name:find "^%a[%w_-]*$" or #name > 100 then
    return fail(host, USAGE, {
      code = "E-name", message = ("\"%s\" is no name: a letter, then letters, digits, _ and -")
        :format(name), hint = "the policy is written as NAME.lua; --out says where",
    })
  end
  local files = files_of(host, name, peer)
  if not files then return USAGE end
  if folder and not host.call("folder", folder) then return IO end
  local status = refuse(host, files, prefix, name)
  for _, file in ipairs(files) do
    if status == DONE then
      status = write(host, prefix .. file[1]:gsub("NAME", name), (file[2]:gsub("NAME", name)))
    end
  end
  local settings, missing = busted(host, host.call "program")
  if status == DONE and not host.read(prefix .. BUSTED) then
    status = write(host, prefix .. BUSTED, settings)
  end
  if status == DONE then tell(host, prefix, name, missing) end
  return status
end

return scaffold
