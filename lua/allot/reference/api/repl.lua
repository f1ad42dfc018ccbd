-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The API, part six: what a session (`allot repl`) has beside the language and the library.
--
-- Examples stand on a desk with a plan of `/a`, which owns 4 slots, and `/b`; both demand some.

local function text(doc)
  return { { "string[]", doc .. "; shown as lines" } }
end

return {
  {
    name = "plan", type = "table",
    doc = "The plan's keys but consumers and queues: slots, policy, hosts, windows, options, ...",
    example = "plan.slots = 12",
  },
  {
    name = "consumers", type = "table<string, table>",
    doc = "The plan's consumers by path. What is assigned nil goes, a new path comes last among "
      .. "its siblings; parents must be there.",
    example = 'consumers["/a"].owned = 6\nconsumers["/c"] = { owned = 2, limit = 5 }',
  },
  {
    name = "queues", type = "table<string, table>", doc = "The plan's queues by name.",
    example = "assert(pairs(queues))",
  },
  {
    name = "state", type = "table",
    doc = "The state's keys but jobs: now, consumers, hosts, tasks, sessions, reclaims, ...",
    example = 'state.slots = 10\nassert(state.consumers["/a"].demand == 1)',
  },
  {
    name = "jobs", type = "table<string, table>", doc = "The state's jobs by id.",
    example = "assert(pairs(jobs))",
  },
  {
    name = "demand",
    params = { { "path", "string", "a consumer" },
      { "slots", "integer|table<string, integer>|nil", "what it wants; by group where there are "
        .. "several; nil: nothing is said" } },
    returns = {},
    doc = "Sets what a consumer demands.", errors = "a path that no leaf of the plan has",
    example = 'demand("/a", 40)',
  },
  {
    name = "holds",
    params = { { "path", "string", "a consumer" },
      { "slots", "integer|table<string, integer>|nil", "what it has" } },
    returns = {},
    doc = "Sets what a consumer holds.", errors = "a path that no leaf of the plan has",
    example = 'holds("/b", 2)',
  },
  {
    name = "cycle", params = {},
    returns = { { "table", "the document `allot/decision/v1`; shown as `allot run` shows it" } },
    doc = "Decides about what lies on the desk, and changes nothing of it.",
    errors = "a policy that fails while it runs",
    example = 'assert(cycle().grants[1].consumer == "/a")',
  },
  {
    name = "explain",
    params = { { "what", "string", "a path, a task's or job's id, a contract's name" },
      { "group?", "string", "a resource group; the first one without it" } },
    returns = text "sentences",
    doc = "Why somebody gets what it gets.", errors = "what is not there",
    example = 'explain "/a"',
  },
  {
    name = "diff", params = {}, returns = text "whose numbers differ, and how jobs fare otherwise",
    doc = "What would be decided now, beside the last cycle; where nothing changed since, the last "
      .. "two cycles.",
    errors = "no cycle before", example = 'cycle()\ndemand("/b", 30)\ndiff()',
  },
  {
    name = "undo", params = { { "count?", "integer", "how many (1)" } }, returns = {},
    doc = "Takes back the last piece of input that changed plan or state.",
    errors = "nothing to take back", example = 'consumers["/a"].owned = 9',
  },
  {
    name = "try",
    params = { { "policy", "string|table",
      "a ready-made name, a .lua file, a text, or what a plan's `policy` says" } },
    returns = text "what it would decide otherwise",
    doc = "Decides with another policy, and leaves the plan as it is.",
    errors = "an invalid policy",
    example = 'try "share_ratio"\ntry { use = "hybrid", evenly = true }',
  },
  {
    name = "step",
    params = { { "count?", "integer", "how often (1)" },
      { "seconds?", "integer", "between two cycles (60)" } },
    returns = { { "table[]", "a row for each: at, granted, reclaimed, idle" } },
    doc = "Decides and carries it out, again and again: grants are taken up, what is reclaimed "
      .. "returns at its deadline, jobs start and go. Demand stays, and no job ends by itself.",
    example = "assert(#step(2) == 2)",
  },
  {
    name = "policies", params = {}, returns = text "names",
    doc = "The ready-made policies.", example = "assert(#policies() > 3)",
  },
}
