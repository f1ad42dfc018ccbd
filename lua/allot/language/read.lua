-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- `read(made, core)`: gives the core a policy's table, rule by rule.
--
-- The words have checked what they made. A table made by hand, or changed since, is checked here as
-- far as the core needs it. `core` has the host's functions, one for each kind of rule
-- (core/script/policy/read.c), which take amounts and keys as they stand: columns, numbers,
-- functions.

local names = require "allot.language.names"
local options = require "allot.language.options"

local format, type_of = string.format, math.type

local MOST = { attributes = 32, fills = 16, guards = 16, requirements = 32, properties = 32 }
local NAME_MOST, TESTS_MOST = 128, 8
local KEYS = {
  "kind", "name", "doc", "at", "options", "round", "attributes", "reclaim", "takes", "quota",
  "distribute", "scale", "reserve", "recall", "shared", "enforce", "task_attributes", "victims",
  "inside", "guards", "sessions", "requirements", "dispatch", "across", "backfill", "preempts",
  "fewest",
  "lift", "job_types", "slices", "lease", "said",
  "damping", "properties",
}
-- Rules of a policy that dispatches jobs, and rules that divide slots among consumers.
local DISPATCHES = {
  "dispatch", "across", "backfill", "preempts", "fewest", "lift", "job_types", "slices", "lease",
}
local DIVIDES = {
  "quota", "attributes", "reserve", "distribute", "reclaim", "takes", "inside", "recall", "shared",
  "enforce", "sessions",
}

-- ---- Fields of tables ---------------------------------------------------------------------------

local function fail(at, text, ...)
  error((at or "") .. format(text, ...), 0)
end

local function text_of(of, key)
  local value = of[key]
  if value ~= nil and type(value) ~= "string" then
    fail(nil, "%s is a %s, not a string", key, type(value))
  end
  return value
end

local function flag_of(of, key, otherwise)
  local value = of[key]
  if value == nil then return otherwise end
  if type(value) ~= "boolean" then
    fail(text_of(of, "at"), "%s is true or false, not a %s", key, type(value))
  end
  return value
end

local function whole_of(of, key)
  local value = of[key]
  if value ~= nil and type_of(value) ~= "integer" then
    fail(text_of(of, "at"), "%s is a %s, not a whole number", key, type(value))
  end
  return value
end

local function table_of(value, key)
  if value ~= nil and type(value) ~= "table" then
    fail(nil, "%s is a %s, not a table", key, type(value))
  end
  return value or {}
end

local function list_of(value, key, most)
  if value == nil then return {} end
  if type(value) ~= "table" then fail(nil, "%s is a %s, not a list", key, type(value)) end
  if #value > most then fail(nil, "at most %d %s are allowed", most, key) end
  return value
end

--- The table that a word made, and its place.
local function made_by(word, value, what)
  if type(value) ~= "table" or value.kind ~= word then
    fail(nil, "%s is no %s: make it with %s { ... }", what, word, word)
  end
  return value, text_of(value, "at")
end

--- The number of a word among those known, from 0; nil: not stated.
local function word_of(value, key, known)
  if value == nil then return nil end
  if type(value) ~= "string" then fail(nil, "%s is a %s, not a word", key, type(value)) end
  for i, word in ipairs(known) do
    if word == value then return i - 1 end
  end
  local rest = { table.unpack(known) }
  local last = table.remove(rest)
  fail(nil, '%s is "%s" or "%s", not "%s"', key, table.concat(rest, '", "'), last, value)
end

--- The tests of a relation, in order.
local function tests_of(relation, key)
  made_by("relation", relation, key)
  if #relation < 1 or #relation > TESTS_MOST then
    fail(nil, "a relation has 1 to %d tests", TESTS_MOST)
  end
  local tests = {}
  for i, it in ipairs(relation) do tests[i] = made_by("test", it, "an item of a relation") end
  return tests
end

-- ---- Rules that divide slots --------------------------------------------------------------------

local function label_of(fill)
  local label = text_of(fill, "label")
  if label and #label > NAME_MOST then
    fail(text_of(fill, "at"), "a fill's label is too long")
  end
  return label ~= "" and label or nil
end

--- Checks a fill, and returns its place, and whether it raises totals.
local function check_fill(fill, what, levels)
  local _, at = made_by("fill", fill, what)
  local up_to = fill.up_to
  label_of(fill)
  local word = type(up_to) == "table" and up_to.kind
  if word and word ~= "held" and not (levels and word == "percent") then
    made_by("part", up_to, "up_to")
  end
  if fill.again ~= nil then fail(at, "again is of slices alone") end
  local level = flag_of(fill, "level", false)
  if level and not levels then fail(at, "level is of fills in quota; %s has none", what) end
  return at, level
end

local function quota(rule, core)
  local list = rule "quota"
  if type(list) ~= "table" then fail(nil, "quota is a %s, not a list of fills", type(list)) end
  if #list < 1 or #list > MOST.fills then
    fail(nil, "quota has %d fills; 1 to %d are allowed", #list, MOST.fills)
  end
  for i, it in ipairs(list) do
    local kind = type(it) == "table" and it.kind
    if kind == "pool" then
      core.pool(label_of(it) or "fill" .. i, it.at, it.by, it.up_to)
    elseif kind == "loan" then
      core.loan(label_of(it) or "fill" .. i, it.at, it.lend_limit, it.borrow_limit, it.borrowers,
        it.by)
    else
      local at, level = check_fill(it, "an item of quota", true)
      core.fill(label_of(it) or "fill" .. i, at, it.by, it.up_to, it.order, level)
    end
  end
end

local function reclaim(rule, core)
  local it = rule "reclaim"
  if it == nil then return end
  if it == false then return core.switch "no_reclaim" end
  local at = check_fill(it, "reclaim", false)
  if it.up_to ~= nil and it.up_to ~= "over" then
    fail(nil, "reclaim takes what is over; its up_to is \"over\" or left out")
  end
  core.reclaim(nil, at, it.by, it.order)
end

--- The tests of two rows: columns of which the first row's is larger, and functions.
local function pairs_of(made, core, key)
  if made[key] == nil then return end
  for _, test in ipairs(tests_of(made[key], key)) do
    local of = test.test
    if of == "higher" and type(test.field) == "string" then
      of = test.field
    elseif type(of) ~= "function" then
      fail(text_of(test, "at"), "a test of %s is higher \"column\" or a function of two", key)
    end
    core[key](text_of(test, "at"), of)
  end
end

local DAMPING = {
  "hold_rounding", "dead_zone", "most_reclaimed", "reclaim_interval", "claim_delay",
}

local function damping(rule, core)
  for key, value in pairs(table_of(rule "damping", "damping")) do
    local flag = key == "hold_rounding"
    if not names.has(DAMPING, key) then fail(nil, "unknown key of damping: %s", tostring(key)) end
    if (flag and type(value) or type_of(value)) ~= (flag and "boolean" or "integer") then
      fail(nil, "damping: %s is %s", key, flag and "true or false" or "a whole number")
    end
    core.damp(key, flag and (value and 1 or 0) or value)
  end
end

-- Words that change nothing come first.
local SWITCHES = {
  { "shared", { "reclaim", "keep", "adjust" }, { "keep_shared", "adjust_shared" } },
  { "recall", { "last", "first" }, { "recall_first" } },
  { "enforce", { "parent", "leaf" }, { "across" } },
}
local ROUNDINGS = { "rank", "ceil_in_order", "largest_remainder", "webster" }

local function divide(made, rule, core)
  quota(rule, core)
  core.scale(flag_of(made, "scale", true) and 1 or 0)
  if made.reserve ~= nil then core.reserve(nil, made.at, made.reserve) end
  for _, it in ipairs(SWITCHES) do
    local number = word_of(rule(it[1]), it[1], it[2]) or 0
    if number > 0 then core.switch(it[3][number]) end
  end
  core.round(word_of(made.round, "round", ROUNDINGS) or 0)
  if made.distribute ~= nil then core.distribute(made.distribute) end
  reclaim(rule, core)
  pairs_of(made, core, "takes")
  damping(rule, core)
end

-- ---- Rules about tasks, sessions and hosts ------------------------------------------------------

--- Attributes of tasks; those that guards name as tags are made by this.
local function task_attributes(made, rule, core)
  local count, tags = 0, {}
  local function add(...)
    count = count + 1
    if count > MOST.attributes then
      fail(nil, "at most %d attributes of tasks are allowed, tags included", MOST.attributes)
    end
    core.task_attribute(...)
  end
  for _, it in ipairs(list_of(made.task_attributes, "task_attributes", MOST.attributes)) do
    local name, type, more = options.declaration(it)
    add(name, type, more.min, more.max, more.default, more.limit, more.doc)
    if type == "tag" then tags[name] = true end
  end
  for _, guard in ipairs(list_of(rule "guards", "guards", MOST.guards)) do
    local tag = type(guard) == "table" and text_of(guard, "tag")
    if tag and #tag > NAME_MOST then fail(nil, "a tag is at most %d bytes", NAME_MOST) end
    if tag and not tags[tag] then
      tags[tag] = true
      add(tag, "tag", 0, 1, 0)
    end
  end
end

local function guard(it, core)
  local _, at = made_by("guard", it, "an item of guards")
  local label, tag = text_of(it, "label"), text_of(it, "tag")
  if not label then fail(at, "a guard needs a label") end
  local min, max = whole_of(it, "min"), whole_of(it, "max")
  if tag then
    core.guard(label, at, "tag", tag, min, max)
  elseif type(it.test) == "function" then
    core.guard(label, at, "guard", it.test, 1, 1)
  else
    core.guard(label, at, "value", it.value, min, max)
  end
end

local SCHEDULINGS = { "proportional", "minimum", "priority" }

local function tasks(made, rule, core)
  if made.guards ~= nil then core.switch "unguarded" end
  for _, it in ipairs(list_of(rule "guards", "guards", MOST.guards)) do guard(it, core) end
  if rule "victims" ~= nil then core.victims(made.victims) end
  pairs_of(made, core, "inside")
  local sessions = table_of(made.sessions, "sessions")
  for i, scheduling in ipairs(SCHEDULINGS) do
    for _, fill in ipairs(list_of(sessions[scheduling], scheduling, MOST.fills)) do
      local at = check_fill(fill, "a fill of sessions", false)
      if type(fill.up_to) == "table" then fail(nil, "sessions take neither part nor held") end
      core.session(i - 1, at, fill.by, fill.up_to, fill.order)
    end
  end
  for _, it in ipairs(list_of(made.requirements, "requirements", MOST.requirements)) do
    made_by("requirement", it, "an item of requirements")
    if type(it.test) ~= "function" then
      fail(nil, "a requirement is a function, not a %s", type(it.test))
    end
    core.requirement(text_of(it, "name"), it.test)
  end
end

-- ---- Rules about queues and leases --------------------------------------------------------------

local BACKFILL = { "first_fit", "none", "easy", "conservative" }
local FEWEST = { "no", "mini_job", "optimal_mini_job" }
local WORDS = {
  lift = { "group_jlp", "group_max", "host_jlu", "user_jlp" },
  job_types = { "exclusive", "backfill" },
}

local function set(rule, core, key)
  local list, bits, known = rule(key), 0, WORDS[key]
  if list == nil then return end
  if type(list) ~= "table" or #list > #known then
    fail(nil, "%s is a list of at most %d words", key, #known)
  end
  for _, word in ipairs(list) do
    local number = 0
    while number < #known and known[number + 1] ~= word do number = number + 1 end
    if number == #known then fail(nil, "%s has a word that is not known", key) end
    bits = bits | 1 << number
  end
  core[key](bits)
end

local function preempts(made, core)
  local relation = made.preempts
  if relation == nil then return end
  if relation ~= false then
    for _, test in ipairs(tests_of(relation, "preempts")) do
      local at = text_of(test, "at")
      if test.test == "higher" and test.field ~= "priority" and test.field ~= "slot_share" then
        fail(at, 'higher takes "priority" or "slot_share"')
      end
      core.test(at, test.test == "higher" and test.field or test.test)
    end
  end
  core.preempts(relation == false)
end

local function slices(rule, core)
  local fill = rule "slices"
  if fill == nil then return end
  local _, at = made_by("fill", fill, "slices")
  if not fill.again or fill.by ~= 1 or type(fill.up_to) ~= "table"
    or fill.up_to.kind ~= "percent" then
    fail(at, "a slice goes up to percent \"slot_share\", again = true")
  end
  if fill.order == nil then fail(at, "slices are cut in an order") end
  core.slices(fill.order, at)
end

local function dispatch(made, rule, core)
  for _, key in ipairs(DIVIDES) do
    local it = made[key]
    if it ~= nil and (type(it) ~= "table" or #it > 0) then
      fail(nil, "a policy that dispatches jobs has no %s", key)
    end
  end
  if made.round ~= nil and made.round ~= "ceil_in_order" then
    fail(nil, "slices are rounded up: round = \"ceil_in_order\"")
  end
  if rule "dispatch" ~= nil then core.dispatch(made.dispatch) end
  local backfill = word_of(rule "backfill", "backfill", BACKFILL)
  if backfill then core.backfill(backfill) end
  preempts(made, core)
  if flag_of(made, "across", false) then core.switch "together" end
  local fewest = word_of(rule "fewest", "fewest", FEWEST)
  if fewest then core.fewest(fewest) end
  set(rule, core, "lift")
  set(rule, core, "job_types")
  slices(rule, core)
  if made.lease ~= nil and type(made.lease) ~= "function" then
    fail(nil, "lease is a function of provider and consumer, not a %s", type(made.lease))
  end
  if made.lease then core.lease(made.lease) end
end

-- ---- The whole ----------------------------------------------------------------------------------

local function properties(rule, core)
  for _, it in ipairs(list_of(rule "properties", "properties", MOST.properties)) do
    if type(it) == "string" then
      core.property()
    else
      local _, at = made_by("property", it, "an item of properties")
      if type(it.test) ~= "function" then
        fail(at, "a property is a function of a case, not a %s", type(it.test))
      end
      core.property(it.test)
    end
  end
end

local function check_keys(made)
  for key in pairs(made) do
    if type(key) ~= "string" then fail(nil, "unknown key of policy: %s", type(key)) end
    if not names.has(KEYS, key) then
      local near = names.nearest(key, KEYS)
      fail(nil, near and "unknown key of policy '%s'; did you mean '%s'?"
        or "unknown key of policy: %s", key, near)
    end
  end
end

--- True; or false: options of the plan are faulty, and the host knows of it.
return function (made, core)
  if type(made) ~= "table" then
    fail(nil, "the file returns a %s; it ends with return policy { ... }", type(made))
  end
  made_by("policy", made, "what the file returns")
  check_keys(made)
  core.name(text_of(made, "name"))
  for _, it in ipairs(list_of(made.attributes, "attributes", MOST.attributes)) do
    local name, type, more = options.declaration(it)
    core.attribute(name, type, more.min, more.max, more.default, more.limit, more.doc)
  end
  local values = options.values(list_of(made.options, "options", MOST.attributes), made.name, core)
  if not values then return false end
  --- A rule's value, or what a function of the options in its place returns, once.
  local function rule(key)
    if type(made[key]) == "function" then
      made[key] = core.call(made[key], options.copy(values, core))
    end
    return made[key]
  end
  task_attributes(made, rule, core)
  local dispatches = false
  for _, key in ipairs(DISPATCHES) do dispatches = dispatches or made[key] ~= nil end
  if dispatches then core.dispatches() else divide(made, rule, core) end
  tasks(made, rule, core)
  if dispatches then dispatch(made, rule, core) end
  properties(rule, core)
  return true
end
