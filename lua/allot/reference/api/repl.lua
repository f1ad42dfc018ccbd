-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The API, part six: words of a session (`allot repl`) beside the language and the library.
--
-- Examples run in a session with a plan of `/a`, which owns 4 slots, and `/b`; both demand some.

local function text(doc)
  return { { "string[]", doc .. "; shown as lines" } }
end

return {
  {
    name = "plan", type = "table",
    doc = "The plan's keys except consumers and queues: slots, policy, hosts, windows, ...",
    example = "plan.slots = 12",
  },
  {
    name = "consumers", type = "table<string, table>",
    doc = "The plan's consumers by path. Assigning nil removes a consumer. A new path becomes the "
      .. "last of its siblings; its parent must exist.",
    example = 'consumers["/a"].owned = 6\nconsumers["/c"] = { owned = 2, limit = 5 }',
  },
  {
    name = "queues", type = "table<string, table>", doc = "The plan's queues by name.",
    example = "assert(pairs(queues))",
  },
  {
    name = "state", type = "table",
    doc = "The state's keys except jobs: now, consumers, hosts, tasks, sessions, reclaims, ...",
    example = 'state.slots = 10\nassert(state.consumers["/a"].demand == 1)',
  },
  {
    name = "jobs", type = "table<string, table>", doc = "The state's jobs by id.",
    example = "assert(pairs(jobs))",
  },
  {
    name = "demand",
    params = { { "path", "string", "a consumer" },
      { "slots", "integer|table<string, integer>|nil", "the demand; by group where the plan has "
        .. "several; nil: removes the demand" } },
    returns = {},
    doc = "Sets what a consumer demands.", errors = "a path that no leaf of the plan has",
    example = 'demand("/a", 40)',
  },
  {
    name = "holds",
    params = { { "path", "string", "a consumer" },
      { "slots", "integer|table<string, integer>|nil", "the slots held, likewise" } },
    returns = {},
    doc = "Sets what a consumer holds.", errors = "a path that no leaf of the plan has",
    example = 'holds("/b", 2)',
  },
  {
    name = "used",
    params = { { "path", "string", "a consumer" },
      { "slot_seconds", "integer|nil", "its use at the state's `now`; nil: removes it" } },
    returns = {},
    doc = "Sets what a consumer has used, in plans that count use (C-14).",
    errors = "a path that no leaf of the plan has",
    example = 'plan.half_life = 86400\nused("/a", 900)',
  },
  {
    name = "cycle", params = {},
    returns = { { "table", "the document `allot/decision/v1`; shown as `allot run` shows it" } },
    doc = "Decides about the session's plan and state, and changes neither. A grant names the "
      .. "pending tasks that start in `tasks`; its `slots` are theirs, less those that the "
      .. "consumer has and nothing uses. `parts.whole` of a consumer is what was left over for "
      .. "its next task.",
    errors = "a policy that fails while it runs",
    example = 'assert(cycle().grants[1].consumer == "/a")',
  },
  {
    name = "explain",
    params = { { "what", "string", "a path, a task's or job's id, a contract's name" },
      { "group?", "string", "a resource group; the first one without it" } },
    returns = text "sentences",
    doc = "Explains what a consumer gets, why a task or job waits, starts or goes, what a contract "
      .. "does.",
    errors = "an unknown path, id, contract or group",
    example = 'explain "/a"',
  },
  {
    name = "diff", params = {}, returns = text "consumers and jobs with another decision",
    doc = "Compares a decision about the present plan and state with the last cycle; if nothing "
      .. "changed since the last cycle, that one with the one before, and says so.",
    errors = "no cycle before", example = 'cycle()\ndemand("/b", 30)\ndiff()',
  },
  {
    name = "undo", params = { { "count?", "integer", "how many (1)" } },
    returns = text "what changes by that",
    doc = "Takes back the last piece of input that changed plan or state.",
    errors = "nothing to take back", example = 'consumers["/a"].owned = 9',
  },
  {
    name = "try",
    params = { { "policy", "string|table",
      "a ready-made name, a .lua file, a text, or a value of a plan's `policy`" } },
    returns = text "what the other policy decides otherwise",
    doc = "Decides with another policy, and does not change the plan.",
    errors = "an invalid policy",
    example = 'try "share_ratio"\ntry { use = "hybrid", evenly = true }',
  },
  {
    name = "step",
    params = { { "count?", "integer", "how often (1)" },
      { "seconds?", "integer", "between two cycles (60)" } },
    returns = { { "table[]", "a row for each: at, granted, reclaimed, idle" } },
    doc = "Decides and carries the decision out, again and again: consumers take up their grants, "
      .. "reclaimed slots return at their deadline, pending tasks and jobs start and go. Demand "
      .. "stays, and no job ends by itself.",
    example = "assert(#step(2) == 2)",
  },
  {
    name = "policies", params = {}, returns = text "names",
    doc = "The ready-made policies.", example = "assert(#policies() > 3)",
  },
}
