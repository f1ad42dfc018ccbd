-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The commands of a session: lines that begin with a colon.

local core = require "allot.core"
local names = require "allot.language.names"
local native = require "allot.repl.native"
local model = require "allot.repl.model"

local commands = {}

local OVERVIEW = [[
The session's tables, to be read and assigned to:
  plan        slots, policy, hosts, windows, options, ...
  consumers   by path: consumers["/a"].owned = 12; nil removes, a new path adds
  queues      by name
  state       now, consumers, hosts, tasks, sessions, ...
  jobs        by id
Words:
  demand (path, slots)     what a consumer wants
  holds (path, slots)      what it has
  used (path, n)           what it has used until now, in slot-seconds
  cycle ()                 decides, and shows it as `allot run` does
  explain (path)           why it gets what it gets; also of a task or job
  diff ()                  what would be decided otherwise than last time; right
                           behind a cycle: what that one decided otherwise
  try (policy)             what another policy would: a name, a file or a text
  step (n, seconds)        carries out what is decided, n times, 60 s apart
  undo (n)                 takes back the last piece that changed something
  policies ()              the ready-made policies
Commands:
  :help TOPIC              about a word, a key, a column, a code: :help fill
  :load FILE               a plan or a state, or Lua to run (.lua)
  :save PLAN [STATE]       writes the documents
  :time CODE               how long that takes
  :quit                    leaves, as Ctrl-D does
Everything else is Lua, as policies have it; an expression is shown. Tab
completes, Ctrl-C stops what runs. What fails changes nothing.
]]

local function fail_io(path, why, what)
  model.fail("EIO", { { severity = "error", code = "E-io", file = path,
    message = ("cannot be %s: %s"):format(what, why) } })
end

local function words_of(text)
  local list = {}
  for _, word in ipairs(text:split " ") do
    if word ~= "" then list[#list + 1] = word end
  end
  return list
end

local run = {}

run[":help"] = function (_, rest)
  if rest == "" then
    native.out(OVERVIEW)
    return
  end
  local good, message, hint = native.help(rest)
  if not good then
    model.fail("EINVALID", { { severity = "error", code = "E-repl", message = message,
      hint = hint ~= "" and hint or nil } })
  end
end

local function compile(code, name)
  local chunk, message = native.compile(code, "=" .. name)
  if chunk then return chunk end
  model.fail("ESCRIPT", { { severity = "error", code = "E-repl-syntax", message = message } })
end

--- The values of a call in the form of finish: their number, and the values.
local function counted(...)
  return select("#", ...), ...
end

run[":load"] = function (repl, rest)
  if rest == "" then model.refuse(":load wants a file") end
  local text, why = native.read(rest)
  if not text then fail_io(rest, why, "read") end
  if rest:ends ".lua" then
    repl.finish(counted(compile(text, rest)()))
    return
  end
  local value, _, findings = core.decode(text, { file = rest, relaxed = true })
  if value == nil then model.fail("EINVALID", findings) end
  local state = type(value) == "table" and value.now ~= nil
  if state then repl.put_state(text, rest) else repl.put_plan(text, rest) end
  repl.finish(0)
  native.out(("%s is on the desk: %s\n"):format(state and "the state" or "the plan", rest))
end

run[":save"] = function (repl, rest)
  local files = words_of(rest)
  if #files == 0 or #files > 2 then
    model.refuse(":save wants the plan's file, and may have the state's behind it")
  end
  local texts = { repl.documents() }
  for i, path in ipairs(files) do
    local done, why = native.write(path, texts[i])
    if not done then fail_io(path, why, "written") end
    native.out(("wrote the %s to %s\n"):format(i == 1 and "plan" or "state", path))
  end
end

run[":time"] = function (repl, rest)
  local chunk = compile(rest, "repl")
  local from = native.clock()
  if not from then model.refuse("there is no clock here") end
  local function timed(...)
    local took = native.clock() - from
    repl.finish(...)
    native.out(("%.3f ms\n"):format(took / 1000))
  end
  timed(counted(chunk()))
end

run[":quit"] = function () return true end

--- Runs a line; unambiguous abbreviations are allowed. True: the user wants to leave.
function commands.run(repl, text)
  local line = text
  while line:ends "\n" or line:ends " " do line = line:sub(1, -2) end
  local blank = line:find " "
  local name = blank and line:sub(1, blank - 1) or line
  local rest = blank and line:sub(blank + 1) or ""
  while rest:starts " " do rest = rest:sub(2) end
  local found, list = {}, {}
  for each in pairs(run) do
    list[#list + 1] = each
    if each:starts(name) and #name > 1 then found[#found + 1] = each end
  end
  if #found ~= 1 then
    local near = names.nearest(name, list)
    model.refuse(("there is no command %s"):format(name),
      near and ("did you mean %s?"):format(near) or ":help lists the commands")
  end
  return run[found[1]](repl, rest)
end

return commands
