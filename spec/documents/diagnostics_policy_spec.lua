-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- What is said of policies that are not valid, fault by fault: those that other specs have no use
--- for. `spec/support/house/diagnostics.lua` finds the faults that no spec produces.

local core = require "allot.core"
local many = require "spec.support.cases.document".many

local PLAN = '{"version": 1, "policy": "x", "consumers": [{"name": "a", "owned": 4}]}'
local QUEUES = '{"version": 1, "policy": "x", "slots": 4, "queues": [{"name": "a"}]}'

--- What is wrong with a policy's text.
local function fault_of(text, plan)
  local made, message, list = core.plan(plan or PLAN, { policies = { x = text } })
  if made then return "nothing" end
  for _, finding in ipairs(list) do
    message = ("%s; %s; %s"):format(message, finding.message, finding.hint)
  end
  return message
end

local function says(cases, text_of)
  local otherwise = {}
  for _, case in ipairs(cases) do
    local message = fault_of(text_of(case[1]))
    if not message:find(case[2], 1, true) then otherwise[case[1]] = message end
  end
  assert.same({}, otherwise)
end

describe("a fault in what a policy declares", function ()
  it("is told", function ()
    says({
      { 'attributes = { a = { type = "boolean", min = 0 } }', "a boolean has no min and max" },
      { 'attributes = { a = { type = "boolean", default = 1 } }', "default is true or false" },
      { 'attributes = { a = { type = "integer", limit = 1 } }', "limit is true, false or" },
      { "attributes = { a = 1 }", "attribute 'a' is a number, not a table { type = , ... }" },
      { 'attributes = { a = { type = "integer", doc = 1 } }', "doc is a string" },
      { "attributes = 1", "attributes is a number, not a table of attributes by name" },
      { 'attributes = { ["1a"] = { type = "integer" } }', "'1a' is no name of an attribute" },
      { 'options = { a = { type = "string", min = 0 } }', "a string has no min and max" },
      { 'options = { a = { type = "string", values = { 1 } } }', "values is a list of strings" },
      { 'options = { a = { type = "words", min = 0 } }', "words have no min and max" },
      { "options = { a = words {} }", "words are a list of 1 to 16" },
      { 'options = { a = words { "A" } }', "word 1 is no name in lower case" },
      { 'options = { a = words { "a", default = 1 } }',
        "is words: a text, a list, or a table { a = true }" },
      { "options = { a = words(1) }", "words needs a list of words, not a number" },
      { 'options = { a = words { "a", mode = 1 } }', "words is a list, with default and doc" },
      { "scale = 1", "scale is true or false, not a number" },
      { "recall = 1", "recall is a word, not a number" },
      { "reclaim = function () end", "reclaim is a function that returned nothing" },
      { "reclaim = fill { up_to = part }", "reclaim takes neither part, held, percent nor again" },
      { 'reclaim = fill { by = "over", level = true }',
        "reclaim takes slots: it raises no totals" },
      { 'round = "ceil_in_order", distribute = order { "quota" }', "which then cannot go by "
        .. "quota" },
      { "sessions = 1", "sessions is a number, not a table { proportional = { fill ... }, ... }" },
      { "sessions = { minimum = {} }", "sessions.minimum is a list of 1 to 16 fills" },
      { "sessions = { minimum = { 1 } }", "sessions.minimum[1] is no fill" },
      { "sessions = { minimum = { fill { up_to = held } } }",
        "sessions take neither part, held nor percent" },
      { "sessions = { minimum = { fill { level = true } } }",
        "level is of fills in quota; those of sessions have none" },
      { "requirements = 1", "requirements is a number, not a table of functions by name" },
      { 'requirements = { ["1"] = function (a) return a end }', "'1' is no name of a requirement" },
      { "requirements = { " .. many(33, "r# = function (a) return a end") .. " }",
        "at most 32 requirements are allowed" },
      { "victims = 1", "victims is an order of tasks" },
      { "guards = guard \"a\" { value = \"ran\", min = 1 }", "guards is a list" },
      { "guards = { " .. many(17, 'guard "g#" { value = "ran", min = 1 }') .. " }",
        "at most 16 guards are allowed" },
      { "properties = { " .. many(33, 'property "p#" (function () return true end)') .. " }",
        "at most 32 properties are allowed" },
    }, function (keys)
      return ('return policy { name = "x", quota = { fill "a" {} }, %s }'):format(keys)
    end)
  end)

  it("is told of parts of a quota", function ()
    local OWNED = 'fill "o" { by = "owned", up_to = "owned" }'
    says({
      { OWNED .. ', pool "p" {}, fill "f" {}', "behind a pool or a loan there is no fill" },
      { OWNED .. ', pool "p" {}, pool "q" {}', "there is one pool and one loan at most" },
      { 'fill "f" {}, pool "p" {}', "before that at most the fill of reserve, and nothing else" },
      { 'fill "o" { by = "owned", up_to = "owned", level = true }, pool "p" {}',
        'before a pool or a loan stands fill "owned" { by = "owned", up_to = "owned" }' },
      { 'fill "f" { level = 1 }', "level is true or false, not a number" },
      { 'fill "f" { again = true }', "again is of slices" },
      { 'fill "f" { up_to = {} }', "up_to is a table; it is a column's name" },
    }, function (list)
      return ('return policy { name = "x", quota = { %s } }'):format(list)
    end)
  end)

  it("is told of queues", function ()
    says({
      { "dispatch = 1", 'dispatch is an order of tasks: order { desc "priority" }, not a number' },
      { "dispatch = function () end", "dispatch is a function that returned nothing" },
      { "slices = 1", 'slices is a fill: fill "slice" { order = order { "used_over_share" }, '
        .. 'up_to = percent "slot_share", again = true }' },
      { 'fewest = "no", quota = {}', "'quota' divides slots among consumers; this policy" },
      { 'fewest = "no", round = "rank"', 'queue by queue: round = "ceil_in_order", or left out' },
      { "lease = 1", "lease is a function of provider and consumer, not a number" },
      { "preempts = relation { 1 }", 'test 1 of a relation is a number; a test is higher '
        .. '"priority" or a function of two; of queues also preemptive_or_preemptable' },
      { "preempts = relation { higher(7) }",
        'higher takes the name of a number: higher "priority"; not a number' },
      { "preempts = relation { a = 1 }", "a relation is a list of tests; it has no 'a'" },
      { "preempts = relation {}", "a relation has 0 tests; 1 to 8 are allowed" },
      { 'slices = fill { by = 2, order = { "used" }, up_to = percent "slot_share", again = true }',
        "it has no by" },
      { 'slices = fill { order = { "used" }, up_to = percent "slot_share" }',
        "what slices leave over is cut again: again = true" },
      { 'slices = fill { order = { "used" }, up_to = percent "slot_share", again = true, '
        .. "level = true }", "level is of fills in quota; slices have none" },
      { 'slices = fill { up_to = percent "slot_share", again = true }',
        'slices are cut in an order: order = order { "used_over_share" }' },
    }, function (keys) return ('return policy { name = "x", %s }'):format(keys) end)
  end)
end)

describe("a fault in a word's own use", function ()
  it("is told", function ()
    says({
      { "policy(1)", "policy needs a table, not a number" },
      { "fill(1)", "fill needs a table { by = , up_to = , order = }, not a number" },
      { "fill { again = 1 }", "again is true or false, not a number" },
      { 'pool "p" (1)', "pool needs a table { by = , up_to = }, not a number" },
      { 'pool "1" {}', "a pool's label is a name" },
      { "pool {}", "pool needs a label first" },
      { 'loan "l" (1)', "loan needs a table { borrowers = , lend_limit = , borrow_limit = }" },
      { 'loan "1" {}', "a loan's label is a name" },
      { "loan {}", "loan needs a label first" },
      { "desc(1)", "desc needs a column's name or a function, not a number" },
      { "order(1)", "order needs a list of keys, not a number" },
      { 'order { "rank", a = 1 }', "an order is a list of keys; it has no 'a'" },
      { "order { " .. many(9, '"rank"') .. " }", "an order has at most 8 keys" },
      { 'guard "g" (1)', "guard needs a table { value = , min = , max = } or a function" },
      { "relation(1)", "relation needs a list of tests, not a number" },
    }, function (use) return "return " .. use end)
  end)
end)

--- Whoever makes by hand what words make is told too.
describe("a fault in a table that no word has made", function ()
  local function policy(keys) return ('return { kind = "policy", name = "x", %s }'):format(keys) end
  local QUOTA = 'quota = { { kind = "fill", by = 1 } }, '

  it("is told", function ()
    says({
      { "nme = 1", "unknown key of policy 'nme'; did you mean 'name'?" },
      { "[1] = 1", "unknown key of policy: number" },
      { "attributes = { 1 }", "a declaration is a table, not a number" },
      { "attributes = { {} }", "a declaration needs a name" },
      { 'attributes = { { name = "a", min = 1 << 40 } }', "min is out of range" },
      { "lease = 1", "lease is a function of provider and consumer, not a number" },
      { 'attributes = { { name = "a", min = "x" } }', "min is a string, not a whole number" },
      { "attributes = 1", "attributes is a number, not a list" },
      { 'options = { { name = "a", values = { 1 } } }', "values is a list of strings" },
      { 'options = { { name = "a", values = { "b" }, default = 1 } }',
        "default is none of the values" },
      { 'quota = { { kind = "fill", by = 1, label = ("x"):rep(200) } }',
        "a fill's label is too long" },
      { 'quota = { { kind = "fill", by = 1, again = true } }', "again is of slices alone" },
      { 'quota = { { kind = "fill", by = 1, level = 1 } }',
        "level is true or false, not a number" },
      { QUOTA .. 'reclaim = { kind = "fill", by = "over", level = true }',
        "level is of fills in quota; reclaim has none" },
      { "quota = 1", "quota is a number, not a list of fills" },
      { "quota = { 1 }", "an item of quota is no fill: make it with fill { ... }" },
      { QUOTA .. "scale = 1", "scale is true or false, not a number" },
      { QUOTA .. "recall = 1", "recall is a number, not a word" },
      { QUOTA .. 'recall = "x"', 'recall is "last" or "first", not "x"' },
      { QUOTA .. 'shared = "x"', 'shared is "reclaim", "keep" or "adjust", not "x"' },
      { QUOTA .. 'enforce = "x"', 'enforce is "parent" or "leaf", not "x"' },
      { QUOTA .. "damping = 1", "damping is a number, not a table" },
      { QUOTA .. "damping = { x = 1 }", "unknown key of damping: x" },
      { QUOTA .. "guards = 1", "guards is a number, not a list" },
      { QUOTA .. "guards = { " .. many(17, "{}") .. " }", "at most 16 guards are allowed" },
      { QUOTA .. "guards = { 1 }", "an item of guards is no guard" },
      { QUOTA .. 'guards = { { kind = "guard" } }', "a guard needs a label" },
      { QUOTA .. 'guards = { { kind = "guard", label = "g", min = "x" } }',
        "min is a string, not a whole number" },
      { QUOTA .. 'guards = { { kind = "guard", tag = ("x"):rep(200) } }', "a tag is at most 128" },
      { QUOTA .. "task_attributes = { " .. many(32, '{ name = "a#" }')
        .. ' }, guards = { { kind = "guard", tag = "t" } }', "tags included" },
      { QUOTA .. "sessions = 1", "sessions is a number, not a table" },
      { QUOTA .. "sessions = { minimum = { 1 } }", "a fill of sessions is no fill" },
      { QUOTA .. 'sessions = { minimum = { { kind = "fill", by = 1, up_to = part } } }',
        "sessions take neither part nor held" },
      { QUOTA .. "requirements = { 1 }", "an item of requirements is no requirement" },
      { QUOTA .. 'requirements = { { kind = "requirement", name = "a" } }',
        "a requirement is a function, not a nil" },
      { QUOTA .. "victims = 1", "an order is a list of keys, not a number" },
      { QUOTA .. "victims = { 1 }", "an order is a list of keys; a number is none" },
      { QUOTA .. "victims = { " .. many(9, "{}") .. " }", "an order has at most 8 keys" },
      { QUOTA .. "victims = { { key = true } }", "key is a boolean, which gives no numbers" },
      { QUOTA .. 'takes = { kind = "relation", { kind = "test", test = "higher" } }',
        'a test of takes is higher "column" or a function of two' },
      { QUOTA .. "properties = 1", "properties is a number, not a list" },
      { QUOTA .. "properties = { 1 }", "an item of properties is no property" },
      { QUOTA .. 'properties = { { kind = "property" } }',
        "a property is a function of a case, not a nil" },
      { QUOTA .. "properties = { " .. many(33, '"steady"') .. " }",
        "at most 32 properties are allowed" },
      { "lift = 1", "lift is a list of at most 4 words" },
      { 'fewest = "no", round = "rank"', 'slices are rounded up: round = "ceil_in_order"' },
      { 'preempts = { kind = "relation", { kind = "test", test = "higher" } }',
        'higher takes "priority" or "slot_share"' },
      { 'preempts = { kind = "relation", { kind = "test", test = math.max } }',
        "a test is a function of the library; write one in Lua" },
      { 'preempts = { kind = "relation", { kind = "test" } }',
        "a test is a word of relations or a function" },
      { 'slices = { kind = "fill", by = 1, again = true, up_to = { kind = "percent" } }',
        "slices are cut in an order" },
    }, policy)
  end)
end)

describe("a fault in a policy's functions", function ()
  local function parameters(n)
    return ('return policy { name = "x", quota = { fill { by = function (%s) return 1 end } } }')
      :format(many(n, "p#"):gsub("p%d+", "owned"))
  end

  it("is told of what they are", function ()
    assert.truthy(fault_of(parameters(100)):find("a function reads at most ", 1, true))
    assert.truthy(fault_of(('return policy { name = "x", quota = { fill {} }, '
      .. "requirements = { a = function (%s) return true end } }"):format(many(65, "p#")))
      :find("a requirement reads at most ", 1, true))
  end)
end)

describe("a fault in a script as a whole", function ()
  it("is told", function ()
    says({
      { "_ENV[1] = 1", "globals cannot be set" },
      { "x = 1", "assignment to global 'x'; did you mean 'local x'?" },
      { 'require "io"', "no module 'io' here; a policy can require \"allot\" alone" },
      { "error(nil)", "an error is a string or a table, not a nil" },
      { "error({})", "the script raised a table without a message" },
      { "select(-5)", "index out of range" },
      { "for _ in pairs { [{}] = 1 } do end", "pairs: a table as key has no place" },
      { '("a"):split ""', "an empty separator splits nothing" },
      { '("a"):rep(5000)', "string.rep would make more than 4096 bytes" },
      { '("%p"):format {}', "'%p' is not there: addresses differ from run to run" },
      { "table.insert({})", "table.insert(list, [position,] value)" },
      { "table.insert({}, 5, 1)", "position out of the list" },
      { "table.remove({ 1 }, 5)", "position out of the list" },
      { "table.concat { {} }", "table.concat: value 1 is a table" },
      { 'local x = ("a"):rep(4000) table.concat { x, x }',
        "table.concat would make more than 4096 bytes" },
      { "local t = {} for i = 1, 300 do t[i] = i end table.unpack(t)",
        "table.unpack: more than 250 values" },
      { "local t = { 1, nil, 3 } table.sort(t)", "table.sort: the list has a hole at 2" },
      { "local function f() return f() + 1 end f()", "calls are nested deeper than 200" },
      { "assert(false)", "assertion failed!" },
    }, function (text) return text .. '\nreturn policy { name = "x", quota = { fill {} } }' end)
    assert.truthy(fault_of(("-"):rep(1024 * 1024 + 1)):find("a policy file is at most 1 MiB", 1,
      true))
  end)

  it("is told of a name that is no policy's", function ()
    local _, _, list = core.plan '{"version": 1, "policy": "qqqqqq", "consumers": []}'
    assert.equal("a policy of your own is a path that ends in .lua", list[1].hint)
  end)

  it("is told of one for the wrong kind of plan", function ()
    assert.truthy(fault_of('return policy { name = "x", quota = { fill {} } }', QUEUES)
      :find("divides slots among consumers, but the plan has queues", 1, true))
    assert.truthy(fault_of('return policy { name = "x", fewest = "no" }')
      :find("dispatches queues' jobs, but the plan has consumers", 1, true))
  end)
end)
