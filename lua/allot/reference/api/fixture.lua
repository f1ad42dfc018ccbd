-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The API, part seven: `require "allot.fixture"` and its assertions, for specs of policies.
--
-- Each example is a program in which `fixture` is the module.

local CASE = { "case", "allot.TestCase", "the case" }

local LINE = 'local it = fixture("prod{own=10} dev{own=5}: prod wants 12 holds 3, '
  .. 'dev wants 9 holds 8")\n'
local TASKS = 'local it = fixture("prod{own=2} dev: prod wants 2, dev wants 2 runs t1 t2")\n'
local JOBS = 'local it = fixture("[policy=preemption] host h{slots=4} '
  .. 'queue hi{priority=9,preemptive} "\n  .. "queue lo{priority=1}: '
  .. 'lo runs l{slots=4,host=h}, hi awaits u{slots=4}, now=100")\n'

local COVERED = "fixture.cover()\n"
  .. 'local _ = fixture("a: a wants 1", "policies/hybrid.lua"):quota "a"\n'

local function slots_of(doc)
  return {
    params = { CASE,
      { "who", "string|table<string, integer>", "a consumer's path or last name; or slots by it" },
      { "slots?", "integer", "of the one consumer" } },
    returns = {}, doc = doc, errors = "an unknown consumer",
  }
end

local function fate_of(doc)
  return {
    params = { CASE, { "...", "string", "ids of tasks or jobs" } }, returns = {}, doc = doc,
    errors = "an unknown id",
  }
end

local function assertion(name, made, example)
  made.name, made.example = "assert." .. name, example
  made.doc = made.doc .. (" Under busted an assertion, with assert.not_%s its opposite; elsewhere "
    .. "`fixture.check.%s` returns true, or false and the reason."):format(name, name)
  return made
end

local list = {
  {
    name = "fixture",
    params = {
      { "given", "string|{plan: table, state: table}", "one line, such as \"prod{own=10} "
        .. "dev{own=5,limit=8}: prod wants 12 holds 3, dev wants 9\", or documents" },
      { "policy?", "string", "a ready-made name, a .lua file, or a text; else the plan's own" },
    },
    returns = { { "allot.TestCase", "the case" } },
    doc = "A case: a plan and a state. A line names consumers with their columns and attributes "
      .. "(`lab/(anna{share=2} ben)`: children of lab), `queue night{priority=10}` and `host "
      .. "h{slots=4}`. Brackets in front contain other keys of the plan: `[slots=20, evenly]`. "
      .. "Facts follow the colon: `wants 4`, `holds 2`, `used 900`, `runs t1 t2{slots=2}`, `has "
      .. "s1{priority=3}`, `lends 2 to prod`, `returns 3`, `awaits j1{slots=2}`, `is closed`, "
      .. "`now=1000`.",
    errors = "a line with a mistake, with its column; when the case is first used, an invalid "
      .. "plan, state or policy",
    example = LINE .. "assert(it:quota \"prod\" == 10)",
  },
  {
    name = "fixture.case",
    params = { { "given", "string|{plan: table, state: table}", "a line, or documents" },
      { "policy?", "string", "as of `fixture`" } },
    returns = { { "allot.TestCase", "the case" } },
    doc = "The same as a call of the module.",
    example = 'assert(fixture.case("a{own=3}: a wants 2"):quota "a" == 2)',
  },
  {
    name = "fixture.cover", params = {}, returns = {},
    doc = "Starts to count lines of policies, in cases that are made later.",
    example = "fixture.cover()",
  },
  {
    name = "fixture.coverage", params = { { "path", "string", "a policy's file" } },
    returns = { { "table", "percent, ran, all, and missed: a list of line, text" },
      { "string", "the same in words" } },
    doc = "Which lines of a file ran since `fixture.cover`.",
    errors = "a file that cannot be read; a call before `fixture.cover`",
    example = COVERED
      .. 'assert(fixture.coverage("policies/hybrid.lua").percent > 0)',
  },
  {
    name = "fixture.covered",
    params = { { "path", "string", "a policy's file" }, { "least?", "integer", "percent (100)" } },
    returns = {}, doc = "For a teardown: raises if fewer of the file's lines ran, and lists the "
      .. "lines that did not run.",
    example = COVERED
      .. 'fixture.covered("policies/hybrid.lua", 1)',
  },
  assertion("covered", {
    params = { { "path", "string", "a policy's file" }, { "least?", "integer", "percent (100)" } },
    returns = {}, doc = "At least that percentage of the file's lines ran since `fixture.cover`.",
  }, COVERED .. 'assert(fixture.check.covered("policies/hybrid.lua", 1))'),
  assertion("quota", slots_of "What consumers are entitled to.",
    LINE .. "assert(fixture.check.quota(it, { prod = 10, dev = 5 }))"),
  assertion("gets", slots_of "How many idle slots consumers are granted.",
    LINE .. 'assert(fixture.check.gets(it, "prod", 4))'),
  assertion("gives_back", slots_of "How many slots are reclaimed from consumers.",
    LINE .. 'assert(fixture.check.gives_back(it, "dev", 3))'),
  assertion("reserved", slots_of "How many idle slots are held for a reserve.",
    'local it = fixture "a{own=3,reserve=2}"\nassert(fixture.check.reserved(it, "a", 2))'),
  assertion("goes", fate_of "Tasks that a reclaim names.",
    TASKS .. 'assert(fixture.check.goes(it, "t1", "t2"))'),
  assertion("stays", fate_of "Tasks and jobs that no decision names.",
    TASKS:gsub("prod{", "[slots=3] prod{", 1) .. 'assert(fixture.check.stays(it, "t1"))'),
  assertion("starts", fate_of "Pending jobs that start.",
    JOBS .. 'assert(fixture.check.starts(it, "u"))'),
  assertion("resumes", fate_of "Suspended jobs that resume.", JOBS
    .. 'assert(not fixture.check.resumes(it, "u"))'),
  assertion("is_suspended", fate_of "Running jobs that are suspended for other jobs.",
    JOBS .. 'assert(fixture.check.is_suspended(it, "l"))'),
  assertion("is_killed", fate_of("Jobs that are requeued or killed, and tasks that are killed "
    .. "after their time to end."), JOBS .. 'assert(not fixture.check.is_killed(it, "l"))'),
  assertion("settles", {
    params = { CASE, { "most?", "integer", "cycles (20)" } }, returns = {},
    doc = "The case comes to rest when decisions are carried out again and again.",
  }, LINE .. "assert(fixture.check.settles(it))"),
  assertion("rests", {
    params = { CASE }, returns = {}, doc = "The decision changes nothing.",
  }, LINE .. "assert(fixture.check.rests(it:settle()))"),
}

local function method(name, params, returns, doc, example, errors)
  list[#list + 1] = {
    name = "TestCase:" .. name, params = params, returns = { returns }, doc = doc,
    example = LINE .. example, errors = errors,
  }
end

local WHO = { "name", "string", "a consumer's path, or its last name if that is unique" }
local SLOTS = { "integer", "slots" }

method("decide", {}, { "table", "the document `allot/decision/v1`" },
  "The decision about the case, computed once.", 'assert(it:decide().policy.name == "hybrid")')
method("explain", { { "what", "string", "a consumer, a task, a job" } },
  { "string", "lines, as `allot explain` prints them" }, "Explains the decision.",
  'assert(it:explain("prod"):find "owns 10 slots")')
method("step", {}, { "allot.TestCase", "a case of its own" },
  "The case a second later, with the whole decision carried out: reclaimed slots return at once.",
  "assert(it:step().state.consumers[\"/dev\"].allocated == 5)")
method("settle", { { "most?", "integer", "cycles (20)" } },
  { "allot.TestCase?", "the case at rest, and how many cycles it took; or nil and a message" },
  "Steps until a decision changes nothing.",
  'local last, cycles = it:settle()\nassert(last:gets "prod" == 0 and cycles == 2)')
method("row", { WHO }, { "table", "a row of the decision's document" },
  "The decision about a consumer.", 'assert(it:row("dev").over == 3)', "an unknown consumer")
method("quota", { WHO }, SLOTS, "What a consumer is entitled to.", 'assert(it:quota "dev" == 5)')
method("gets", { WHO }, SLOTS, "Idle slots that a consumer is granted.",
  'assert(it:gets "prod" == 4)')
method("gives_back", { WHO }, SLOTS, "Slots that are reclaimed from a consumer.",
  'assert(it:gives_back "dev" == 3)')
method("reserved", { WHO }, SLOTS, "Idle slots that are held for a consumer's reserve.",
  'assert(it:reserved "dev" == 0)')
method("fate", { { "id", "string", "a task or a job" } },
  { '"goes"|"starts"|"resumes"|"is suspended"|"is killed"|"stays"', "the task's or job's fate" },
  "The decision about a task or a job.", 'assert(not pcall(it.fate, it, "t9"))',
  "an unknown id")
method("expect", { { "wanted", "table<string, any>", "by assertion the expected value: slots by "
  .. "name, a list of ids, true" } }, { "allot.TestCase", "the case" },
  "Checks several assertions at once; needs no busted.",
  "it:expect { quota = { prod = 10, dev = 5 }, gets = { prod = 4 }, settles = true }",
  "assertions that do not hold, with the reasons")

return list
