-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `allot repl`: a session's plan and state, its words, and the undoing of failed pieces of input.
--
-- It runs in the session's sandbox (allot/repl.h), with the host's functions in allot.repl.native.
-- After every piece the documents are built: if they changed they are checked, and the old ones are
-- stored for undo; if they are wrong, or the piece failed, the old ones are restored.

local core = require "allot.core"
local native = require "allot.repl.native"
local names = require "allot.language.names"
local model = require "allot.repl.model"
local show = require "allot.repl.show"
local diff = require "allot.repl.diff"
local change = require "allot.repl.change"
local complete = require "allot.repl.complete"
local commands = require "allot.repl.commands"

local repl = {}

local DATA = { "plan", "consumers", "queues", "state", "jobs" }
local UNDO_MAX, SECONDS = 100, 60

local env = {}             -- what pieces see as globals
local order, file          -- of the documents: the order of their rows, the plan's name
local current              -- the texts that were checked last
local history = {}         -- texts before, the last one last
local undone               -- the piece went back in history
local globals              -- as they were before the piece
local sealed               -- { texts, plan, state }: what the engine read last
local last, before         -- decisions that cycle () made: { value, box }
-- The policies of a service's plan: { policies = texts by name, instead = the policy that stands in
-- for the plan's own, as long as that is `own`, as text }.
local served = {}
local standing             -- { text, name }: the live state

-- Marks are metatables of one table each: the table's kind for the REPL, and its extra data.
local LIST = native.getmetatable(core.list())

local function mark(value, kind, extra)
  return native.setmetatable(value, { kind = kind, extra = extra })
end

--- Kind and extra of a marked table; "list" for a list, even an empty one; or nil.
local function kind_of(value)
  local marks = type(value) == "table" and native.getmetatable(value)
  if not marks then return nil end
  if marks == LIST then return "list" end
  return native.rawget(marks, "kind"), native.rawget(marks, "extra")
end

-- ---- Documents ----------------------------------------------------------------------------------

local function hear(level, text, where)
  native.say(("%s: %s: %s\n"):format(where, level, text))
end

local function texts_now()
  local made = model.texts(env, order)
  made.file, made.order, made.served = file, order, served
  return made
end

local function same(a, b)
  return a.plan == b.plan and a.state == b.state and a.file == b.file and a.served == b.served
end

--- The engine's options beside a plan's text; `plan` is its value.
local function options_of(plan, name, from)
  local own = from.instead and core.encode { plan.policy } == from.own
  return {
    file = name, log = hear, policies = from.policies, instead = own and from.instead or nil,
  }
end

--- Plan and state as the engine has them.
local function seal(texts)
  if not (sealed and same(sealed.texts, texts)) then
    local plan, state = model.seal(texts, options_of(texts.plan_value, texts.file, texts.served))
    sealed = { texts = texts, plan = plan, state = state }
  end
  return sealed.plan, sealed.state
end

local function decide()
  return model.decide(seal(texts_now()))
end

--- Replaces the present values.
local function lay(plan, state, name)
  local tables
  tables, order = model.spread(plan, state)
  file = name
  for _, key in ipairs(DATA) do env[key] = tables[key] end
end

local function restore(texts)
  lay(core.decode(texts.plan), core.decode(texts.state), texts.file)
  order, served = texts.order, texts.served
end

--- The order of rows once new ones are there.
local function settle_order()
  for _, key in ipairs { "consumers", "queues", "jobs" } do
    order[key] = model.arrange(env[key], order[key], key)
  end
end

local function commit()
  local texts = texts_now()
  if not same(texts, current) then
    seal(texts)
    if not undone then
      history[#history + 1] = current
      if #history > UNDO_MAX then table.remove(history, 1) end
    end
    order = { consumers = order.consumers, queues = order.queues, jobs = order.jobs }
    settle_order()
    texts.order, current = order, texts
  end
  undone = nil
end

--- Records a piece's globals; the next one reads policies again, since their files may change.
local function remember()
  globals, sealed = {}, nil
  for name, value in pairs(env) do globals[name] = value end
end

local words = {}

-- ---- Showing ------------------------------------------------------------------------------------

local TITLES = { consumers = "consumer", queues = "queue", jobs = "job" }

--- A word that was not called.
local function word_text(value)
  for name, word in pairs(words) do
    if word == value then return ("%s is a function; :help %s"):format(name, name) end
  end
  return "function"
end

local function text_of(value)
  if type(value) == "function" then return word_text(value) end
  local kind = kind_of(value)
  if kind == "lines" then return table.concat(value, "\n") end
  if kind == "steps" then return show.steps(value) end
  for key, title in pairs(TITLES) do
    if value == env[key] then return show.text(value, order[key], title) end
  end
  if value == env.state.consumers then return show.text(value, nil, "consumer") end
  return show.text(value)
end

local function show_decision(value, box)
  native.decision(box)
  for _, it in ipairs(value.warnings) do native.out("warning: " .. it.message .. "\n") end
end

local function json_of(value)
  local text, message = core.encode(value)
  if not text then
    model.fail("ESCRIPT", { { severity = "error", code = "E-repl", message = message } })
  end
  return text
end

--- A value as JSON; a value without JSON, such as a function, as its text.
local function told_json(value)
  if value == nil then value = core.null end
  return core.encode(value) or json_of(text_of(value))
end

--- Texts and decisions to show once nothing can fail any more.
local function prepare(n, ...)
  local list = {}
  for i = 1, n do
    local value = select(i, ...)
    local kind, box = kind_of(value)
    if native.json then
      list[i] = told_json(value)
    elseif kind == "decision" then
      list[i] = { value, box }
    elseif value ~= nil or n > 1 or kind then
      list[i] = text_of(value)
    else
      list[i] = "nil"
    end
  end
  return list
end

--- Ends a piece that ran: shows its values if its changes are valid.
function repl.finish(n, ...)
  local list = prepare(n, ...)
  commit()
  remember()
  for _, it in ipairs(list) do
    if type(it) == "table" then
      show_decision(it[1], it[2])
    elseif it ~= "" then
      native.out(it .. "\n")
    end
  end
end

--- Ends a piece that failed: restores everything.
function repl.rollback()
  local gone = {}
  for name in pairs(env) do
    if globals[name] == nil then gone[#gone + 1] = name end
  end
  for _, name in ipairs(gone) do env[name] = nil end
  for name, value in pairs(globals) do env[name] = value end
  if undone then
    for i = #undone, 1, -1 do history[#history + 1] = undone[i] end
    undone = nil
  end
  restore(current)
  remember()
end

-- ---- Words --------------------------------------------------------------------------------------

local function lines(list)
  return mark(list, "lines")
end

local function row_of(path, what)
  if type(path) ~= "string" then
    model.refuse(("%s wants the path of a consumer, not a %s"):format(what, type(path)))
  end
  local rows = env.state.consumers
  if rows == nil then
    rows = {}
    env.state.consumers = rows
  end
  if rows[path] == nil then rows[path] = {} end
  return rows[path]
end

for word, member in pairs { demand = "demand", holds = "allocated", used = "usage" } do
  words[word] = function (path, amount)
    local row = row_of(path, word)
    row[member] = amount
    if word == "used" then row.usage_rest, row.usage_at = nil, amount and env.state.now end
  end
end

function words.cycle()
  local box = decide()
  local value = mark(core.decode(box:json()), "decision", box)
  before, last = last, { value = value, texts = texts_now() }
  return value
end

function words.explain(what, group)
  if type(what) ~= "string" then
    model.refuse("explain wants a consumer's path, or the id of a task or job",
      'like explain "/a"')
  end
  local list, message = decide():explain(what, group)
  if not list then
    local cut = message:find "; did you mean "
    model.refuse(cut and message:sub(1, cut - 1) or message, cut and message:sub(cut + 2))
  end
  return lines(list)
end

function words.diff()
  if not last then model.refuse("nothing was decided yet", "cycle () decides") end
  local list = diff.lines(last.value, core.decode(decide():json()))
  if #list == 0 and before and same(last.texts, texts_now()) then
    list = diff.lines(before.value, last.value)
    if #list > 0 then
      table.insert(list, 1, "nothing changed since the last cycle; it and the one before:")
    end
  end
  return lines(#list > 0 and list or { "no difference" })
end

function words.undo(count)
  count = count or 1
  if #history == 0 then model.refuse("there is nothing to undo") end
  undone = undone or {}
  local was, taken = texts_now(), 0
  for _ = 1, count do
    local texts = history[#history]
    if not texts then break end
    history[#history], undone[#undone + 1] = nil, texts
    restore(texts)
    taken = taken + 1
  end
  local list = change.lines(was, texts_now())
  if taken < count then table.insert(list, 1, ("there were only %d to undo"):format(taken)) end
  return lines(list)
end

--- A policy by its name, its text or its file: its value in a plan, and texts by name.
local function policy_of(it)
  if type(it) == "table" then return it, {} end
  if type(it) ~= "string" then
    model.refuse(("try wants a policy, not a %s"):format(type(it)),
      'a name ("hybrid"), a file ("fair.lua") or a text')
  end
  if core.ready(it) then return it, {} end
  if it:find "\n" or it:find "return" or it:find "{" then return "try", { try = it } end
  if not it:ends ".lua" then return it, {} end
  local text, why = native.read(it)
  if text then return it, { [it] = text } end
  if file:find "/" then return it, {} end -- beside the plan, perhaps
  model.fail("EIO", { { severity = "error", code = "E-io", file = it,
    message = "cannot be read: " .. why } })
end

function words.try(policy)
  local use, policies = policy_of(policy)
  local texts = texts_now()
  local old = core.decode(decide():json())
  local instead, tried = use, texts
  if type(use) == "table" then
    local value = {}
    for key, each in pairs(texts.plan_value) do value[key] = each end
    instead, value.policy = nil, use
    tried = { plan = json_of(value), state = texts.state, plan_value = value,
      state_value = texts.state_value }
  end
  local options = options_of(tried.plan_value, file, served)
  for name, text in pairs(served.policies or {}) do policies[name] = policies[name] or text end
  options.policies, options.instead = policies, instead
  local plan, state = model.seal(tried, options)
  local new = core.decode(model.decide(plan, state):json())
  local list = diff.lines(old, new)
  table.insert(list, 1, ("%s -> %s"):format(old.policy.name, new.policy.name))
  if #list == 1 then list[2] = "no difference" end
  return lines(list)
end

--- Sums over leaves; a parent stands before its children.
local function totals(decision)
  local sum = { granted = 0, reclaimed = 0, idle = 0 }
  for _, group in pairs(decision.groups) do
    sum.idle = sum.idle + (group.idle_left or 0)
    for i, row in ipairs(group.consumers) do
      local next_row = group.consumers[i + 1]
      if not (next_row and next_row.path:starts(row.path .. "/")) then
        sum.granted = sum.granted + (row.granted or 0)
        sum.reclaimed = sum.reclaimed + (row.reclaimed or 0)
      end
    end
  end
  return sum
end

function words.step(count, seconds)
  count, seconds = count or 1, seconds or SECONDS
  local rows = {}
  for i = 1, count do
    local texts = texts_now()
    local box = model.decide(seal(texts))
    local decision = core.decode(box:json())
    local after = assert(box:apply { seconds = seconds, returns = "at deadline" })
    local state = core.decode(after:json())
    state.schema = nil
    model.settle(env, state)
    do local _ <close> = after end
    sealed = nil
    do local _ <close> = box end
    rows[i] = totals(decision)
    rows[i].at = decision.now
  end
  return mark(rows, "steps")
end

function words.policies()
  return lines(core.ready())
end

-- ---- What the session calls ---------------------------------------------------------------------

-- Names of globals, in no order.
local function globals_there()
  local list = {}
  for _, of in ipairs { env, native.library } do
    for name in native.next, of do
      if type(name) == "string" then list[#list + 1] = name end
    end
  end
  return list
end

local function global(name)
  local value = native.rawget(env, name)
  if value == nil then value = native.rawget(native.library, name) end
  return value
end

-- A piece reads a global that is not its own.
local function find_global(_, name)
  local value = native.rawget(native.library, name)
  if value ~= nil or type(name) ~= "string" then return value end
  if name == "help" or name == "quit" or name == "exit" then
    error(("there is no '%s' here; commands begin with a colon: :%s")
      :format(name, name == "exit" and "quit" or name), 2)
  end
  local near = names.nearest(name, globals_there())
  error(("there is no '%s' here%s"):format(name, near and ("; did you mean '%s'?"):format(near)
    or ""), 2)
end

--- Begins with an empty plan; returns the globals of pieces.
function repl.open()
  env = native.setmetatable({}, { __index = find_global })
  for name, word in pairs(words) do env[name] = word end
  lay({ version = 1, policy = "hybrid" }, nil, "plan")
  current = texts_now()
  remember()
  return env
end

local function fail_document(findings)
  for _, it in ipairs(findings) do
    if it.code == "E-io" then model.fail("EIO", findings) end
  end
  model.fail("EINVALID", findings)
end

--- Takes a document's text as plan or state; faults name places in this text. `from`: the value
-- of `served` for a service's plan; nil: it is a file.
function repl.put_plan(text, name, from)
  local value = core.decode(text, { relaxed = true })
  from = from or {}
  from.own = from.instead and core.encode { value.policy }
  local plan, _, findings = core.plan(text, options_of(type(value) == "table" and value or {}, name,
    from))
  if not plan then fail_document(findings) end
  lay(value, nil, name)
  served = from
end

function repl.put_state(text, name)
  local plan = seal(texts_now())
  local state, _, findings = core.state(plan, text, { file = name })
  if not state then fail_document(findings) end
  lay(core.decode(texts_now().plan), core.decode(text), file)
end

local function start(put, text, name)
  put(text, name)
  commit()
  history, last, before = {}, nil, nil
  remember()
end

--- A plan beside a service has the live state, and diff () compares with the live plan.
function repl.plan(text, name)
  local decided = standing and last
  start(function ()
    repl.put_plan(text, name)
    if standing then repl.put_state(standing.text, standing.name) end
  end)
  last = decided or last
end

function repl.state(text, name) start(repl.put_state, text, name) end

--- Takes a service's answer, {plan, state}; diff () compares with what the service decides next.
function repl.live(text, name)
  local live = core.decode(text)
  standing = { text = core.encode(live.state), name = name }
  start(function ()
    repl.put_plan(live.plan.text, live.plan.file, live.plan)
    repl.put_state(standing.text, standing.name)
  end)
  words.cycle()
end

--- Both documents, for people.
function repl.documents()
  local texts = texts_now()
  return core.encode(texts.plan_value, { indent = 2 }), core.encode(texts.state_value,
    { indent = 2 })
end

--- Whether the user wants to leave.
function repl.command(text) return commands.run(repl, text) end

function repl.complete(text)
  return complete.at(text, {
    env = env, find = global, globals = globals_there, topics = globals_there,
    list = native.list,
  })
end

-- Suggests a consumer when a piece indexed a nil field.
function repl.hint(message) return complete.hint(message, env) end

return repl
