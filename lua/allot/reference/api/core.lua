-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The API, part four: `require "allot"` in Lua 5.4, beside the words of the language: the engine.
-- Where a word of the language and a function of the engine have the same name, `allot` has the
-- word and `require "allot.core"` the function.
--
-- Wrong use raises. A call that fails returns nil, a message ("plan.json:3:5: ...") and the list of
-- diagnostics. Each example is a program, in which `plan_text` and `state_text` are documents.

local FAILS = { { "string?", "the message of the first error" },
  { "allot.Diagnostic[]", "all diagnostics; after a success the warnings, in place of the "
    .. "message" } }

local function made(kind, doc)
  return { { kind .. "?", doc }, FAILS[1], FAILS[2] }
end

return {
  {
    name = "plan",
    params = {
      { "text", "string", "a plan, JSON (allot-plan(5))" },
      { "options?", "allot.PlanOptions", "the plan's file name, and policies by name" },
    },
    returns = made("allot.Plan", "the plan, sealed"),
    doc = "Reads a plan and the policies that it names. May read files: policies beside the plan.",
    errors = "an invalid plan or policy",
    example = [[
local plan = assert(allot.plan(plan_text, { file = "plan.json" }))
assert(plan:consumers()[1] == "/a")]],
  },
  {
    name = "state",
    params = {
      { "plan", "allot.Plan", "the state's plan" },
      { "text", "string", "a state, JSON" },
      { "options?", "allot.FileOptions", "the state's file name" },
    },
    returns = made("allot.State", "the state, sealed"),
    doc = "Reads a state: what leaves demand and hold now.",
    errors = "an invalid state",
    example = [[
local plan = assert(allot.plan(plan_text))
local state = assert(allot.state(plan, state_text))
assert(state)]],
  },
  {
    name = "cycle",
    params = {
      { "plan", "allot.Plan", "a plan" },
      { "state", "allot.State", "a state of that plan" },
    },
    returns = made("allot.Decision", "what to do now"),
    doc = "Decides. The same plan and state give the same decision, byte for byte.",
    errors = "a policy that fails while it runs, or runs past its budget",
    example = [[
local plan = assert(allot.plan(plan_text))
local decision = assert(allot.cycle(plan, assert(allot.state(plan, state_text))))
assert(decision:json():find "allot/decision/v1")]],
  },
  {
    name = "diff",
    params = {
      { "a", "allot.Decision", "a decision" },
      { "b", "allot.Decision", "another, of this plan and state or of others" },
      { "options?", "{all: boolean?}", "all: groups and consumers that are the same, too" },
    },
    returns = { { "table?", "`same`, and lists: groups, consumers, reclaims, claims, places, "
      .. "tasks, jobs, loans, leases; a number in their rows is { a = , b = , change = }" },
      FAILS[1], FAILS[2] },
    doc = "Compares two decisions: how much more or less each consumer gets, keeps and gives back.",
    example = [[
local plan = assert(allot.plan(plan_text))
local decision = assert(allot.cycle(plan, assert(allot.state(plan, state_text))))
assert(allot.diff(decision, decision).same)]],
  },
  {
    name = "coverage",
    params = { { "on?", "boolean", "true: counts from 0 the lines of policies that are loaded from "
      .. "now on; false: stops counting" } },
    returns = { { "table|true|nil", "without `on`: by file the lines that ran, as "
      .. "{ line = , from = , times = }; from: the first line of the function, 0 for the file "
      .. "itself" },
      FAILS[1], FAILS[2] },
    doc = "Counts which lines of policies run. `allot.fixture` shows it with the file's text.",
    example = [[
assert(allot.coverage(true))
assert(next(allot.coverage()) == nil)
assert(allot.coverage(false))]],
  },
  {
    name = "members",
    params = {
      { "item", '"task"|"session"|"job"|"reclaim"|"loan"|"lease"', "what states list" },
    },
    returns = { { "allot.Member[]" } },
    doc = "The members of an item of a state, as documents have them.",
    example = 'assert(allot.members "task"[1].name == "id")',
  },
  {
    name = "time", params = { { "seconds", "integer", "Unix seconds" } },
    returns = { { "string", "the time as RFC 3339 has it, in UTC" } },
    doc = "A time for people.",
    example = 'assert(allot.time(0) == "1970-01-01T00:00:00Z")',
  },
  {
    name = "columns",
    params = { { "rows",
      '"consumers"|"tasks"|"sessions"|"queues"|"leases"', "the rows of a rule" } },
    returns = { { "{name: string, doc: string}[]", "the columns that a rule can read, in order" } },
    doc = "The built-in columns of rows, and what they mean.",
    example = 'assert(allot.columns "consumers"[1].name == "owned")',
  },
  {
    name = "core.policy",
    params = {
      { "text", "string", "a policy, Lua" },
      { "options?", "allot.PolicyOptions", "the policy's file name, and its options" },
    },
    returns = made("allot.Policy", "the policy by itself"),
    doc = "Loads a policy without a plan. This function is in the module `allot.core`; "
      .. "`allot.policy` is the word of the language.",
    errors = "an invalid policy",
    example = [[
local core = require "allot.core"
local made = assert(core.policy 'return policy { name = "x", quota = { fill "all" {} } }')
assert(made:declared().name == "x")]],
  },
  {
    name = "ready",
    params = { { "name?", "string", "a ready-made policy" } },
    returns = { { "string|string[]|nil", "the policy's text; without a name the list of names" } },
    doc = "The ready-made policies.",
    example = 'assert(allot.ready "hybrid":find "return policy")',
  },
  {
    name = "peer",
    params = { { "name?", "string", "another scheduler" } },
    returns = { { "string|string[]|nil", "a policy's text with its rules; without a name the list "
      .. "of names" } },
    doc = "The rules of other schedulers, which stand in examples/peers.",
    example = 'assert(allot.peer "kueue":find "return policy")',
  },
  {
    name = "decode",
    params = {
      { "text", "string", "JSON" },
      { "options?", "allot.DecodeOptions", "the text's file name, and what the text may contain" },
    },
    returns = made("any", "the value: whole numbers are exact, null is `allot.null`"),
    doc = "Reads JSON of any kind. Lists remain lists when they become empty.",
    errors = "text that is not JSON, and repeated keys",
    example = [[
local value = assert(allot.decode '{"a": [1, null]}')
assert(value.a[1] == 1 and value.a[2] == allot.null)]],
  },
  {
    name = "encode",
    params = {
      { "value", "any", "a table with texts as keys, a list, a text, a number, a boolean" },
      { "options?", "allot.EncodeOptions", "indentation, and the greatest length" },
    },
    returns = made("string", "JSON, keys in the order of their bytes"),
    doc = "Writes JSON: the same value gives the same text. An empty table is an object, unless "
      .. "it is marked as a list.",
    errors = "functions, tables inside themselves, NaN, mixtures of list and object",
    example = 'assert(allot.encode { b = 1, a = { 2.5, true } } == \'{"a": [2.5, true], "b": 1}\')',
  },
  {
    name = "list",
    params = { { "table?", "table", "the table to mark; without it a new table" } },
    returns = { { "table", "the marked table" } },
    doc = "Marks a table as a list, also when it is empty.",
    example = 'assert(allot.encode(allot.list()) == "[]")',
  },
  {
    name = "limits", type = "table",
    doc = "The most that a policy may use: instructions, and bytes of memory.",
    example = 'assert(allot.limits.instructions == 10000000)',
  },
  {
    name = "null", type = "lightuserdata", doc = "The null of JSON.",
    example = 'assert(allot.encode { allot.null } == "[null]")',
  },
  {
    name = "rules", type = "string",
    doc = "The rules whose numbers explanations cite, as core/RULES.md has them.",
    example = 'assert(allot.rules:find("**C-6 Reclaim.**", 1, true))',
  },
  {
    name = "version", type = "string", doc = "The version of the library.",
    example = 'assert(allot.version:find "^%d+%.%d+%.%d+$")',
  },
  {
    name = "Plan:consumers", of = "allot.Plan", params = {},
    returns = { { "string[]", "paths, parents before their children" } },
    doc = "The consumers of a plan, in its order.",
    example = 'assert(#assert(allot.plan(plan_text)):consumers() == 2)',
  },
  {
    name = "Plan:use", of = "allot.Plan", params = {},
    returns = { { "{instructions: integer, loading: integer, memory: integer}",
      "instructions for 1000 rows and for loading, bytes" } },
    doc = "The most that any of the plan's policies given as texts has used so far.",
    example = 'assert(assert(allot.plan(plan_text)):use().instructions == 0)',
  },
  {
    name = "Policy:declared", of = "allot.Policy", params = {},
    returns = { { "table", "its name, attributes, options, fills, ..." } },
    doc = "The table that the policy's file returned; a function is { kind = \"function\" }.",
    example = [[
local core = require "allot.core"
assert(core.policy(core.ready "hybrid"):declared().name == "hybrid")]],
  },
  {
    name = "Policy:judge", of = "allot.Policy",
    params = {
      { "i", "integer", "which property, from 1" },
      { "case", "allot.Case", "a cycle" },
    },
    returns = { { "boolean?", "whether the property holds" }, FAILS[1], FAILS[2] },
    doc = "Tests one of a policy's own properties on a case.",
    errors = "a property that raises, or returns neither true nor false",
    example = [[
local made = assert(require "allot.core".policy [=[
return policy {
  name = "x",
  quota = { fill "all" {} },
  properties = { property "holds" (function (case) return case.group == "a" end) },
}]=])
assert(made:judge(1, { group = "a" }))]],
  },
  {
    name = "State:json", of = "allot.State", params = {},
    returns = { { "string?", "the document `allot/state/v1`" }, FAILS[1], FAILS[2] },
    doc = "A state as a document, which read under the same plan decides the same.",
    example = [[
local plan = assert(allot.plan(plan_text))
assert(assert(allot.state(plan, state_text)):json():find "allot/state/v1")]],
  },
  {
    name = "Decision:json", of = "allot.Decision", params = {},
    returns = { { "string?", "the document `allot/decision/v1`" }, FAILS[1], FAILS[2] },
    doc = "A decision as a document.",
    example = [[
local plan = assert(allot.plan(plan_text))
local decision = assert(allot.cycle(plan, assert(allot.state(plan, state_text))))
assert(decision:json())]],
  },
  {
    name = "Decision:explain", of = "allot.Decision",
    params = {
      { "what", "string", "a consumer's path, a task's or job's id, or a contract's name" },
      { "group?", "string", "a resource group; the first one without it" },
    },
    returns = { { "string[]?", "sentences, a line each" }, FAILS[1], FAILS[2] },
    doc = "Explains what a consumer gets, why a task or job waits, starts or goes, what a contract "
      .. "does.",
    errors = "an unknown path, id, contract or group",
    example = [[
local plan = assert(allot.plan(plan_text))
local decision = assert(allot.cycle(plan, assert(allot.state(plan, state_text))))
assert(decision:explain("/a")[1] == "/a owns 4 slots.")]],
  },
  {
    name = "Decision:apply", of = "allot.Decision",
    params = {
      { "options?", "allot.ApplyOptions", "how much time passes, and when slots are back" },
    },
    returns = made("allot.State", "a new state, sealed; the decision's own stays as it is"),
    doc = "The state once the decision is carried out. Tasks that start run. Other slots granted "
      .. "to a leaf with tasks become tasks `step-1`, ... What is reclaimed comes back as "
      .. "`returns` says: its tasks end, or wait again where some task waits.",
    example = [[
local plan = assert(allot.plan(plan_text))
local decision = assert(allot.cycle(plan, assert(allot.state(plan, state_text))))
local after = assert(decision:apply { seconds = 60, returns = "at deadline" })
assert(allot.cycle(plan, after))]],
  },
}
