-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The API, part one: the words of the policy language. init.lua says what an entry is.

return {
  {
    name = "policy",
    params = { { "spec", "allot.PolicySpec", "the policy's keys" } },
    returns = { { "allot.PolicyTable", "what a policy file returns" } },
    doc = "A whole policy. A policy file returns one, and nothing else.",
    errors = "an unknown key, a column that the rule cannot read, a value of the wrong type",
    example = [[
return policy {
  name = "halves",
  quota = {
    fill "half" {
      up_to = function (owned, limit) return math.min(owned, limit) // 2 end,
    },
  },
}]],
  },
  {
    name = "fill",
    params = { { "label", "string",
      "the name of this part in decisions: letters, digits, `_`, `-`; it may be left out" } },
    returns = { { "fun(spec: allot.FillSpec): allot.Fill", "takes the fill's keys" } },
    overloads = { "fun(spec: allot.FillSpec): allot.Fill" },
    doc = "Pours slots over siblings: in proportion to `by`, each up to `up_to` and never above "
      .. "its need. Once slots run out, later fills give nothing.",
    errors = "a label that is not a name, an amount that is not a whole number, 0 to 1000000000",
    example = [[
return policy {
  name = "example",
  quota = { fill "owned" { by = "owned", up_to = "owned" }, fill "spare" { by = 1 } },
}]],
  },
  {
    name = "pool",
    params = { { "label", "string", "the name of this part in decisions" } },
    returns = { { "fun(spec: allot.PoolSpec): allot.Pool", "takes the pool's keys" } },
    doc = "Gives slots of the share pools, in proportion to `by`. A share pool is what a branch "
      .. "owns beyond what its children own, or the group beyond its first level. The nearest pool "
      .. "gives first.",
    errors = "a second pool, or a pool that does not follow the fill of what is owned",
    example = [[
return policy {
  name = "example",
  quota = {
    fill "owned" { by = "owned", up_to = "owned" },
    pool "shared" { by = "share" },
  },
}]],
  },
  {
    name = "loan",
    params = { { "label", "string", "the name of this part in decisions" } },
    returns = { { "fun(spec: allot.LoanSpec): allot.Loan", "takes the loan's keys" } },
    doc = "Lends slots that their owner does not want to the consumers it lends to. The decision's "
      .. "`loans` state who lends to whom; put them into the next state.",
    errors = "a loan that is not the last part, behind the fill of what is owned or a pool",
    example = [[
return policy {
  name = "example",
  quota = {
    fill "owned" { by = "owned", up_to = "owned" },
    loan "borrowed" { borrowers = order { "rank" } },
  },
}]],
  },
  {
    name = "order",
    params = { { "keys", "allot.Key[]", "1 to 8 keys, the first decides first" } },
    returns = { { "allot.Order", "an order of rows" } },
    doc = "Sorts rows by keys, the smallest value first; equal rows stay in plan order.",
    errors = "a key that is neither a column's name, nor a function, nor `asc` or `desc` of one",
    example = 'local by_rank = order { "rank", desc "demand" }',
  },
  {
    name = "asc",
    params = { { "key", "string|function", "a column's name, or a function of columns" } },
    returns = { { "allot.KeyWord", "a key" } },
    doc = "A key of an order: the smallest first, which is also the default.",
    example = 'local keys = order { asc "rank" }',
  },
  {
    name = "desc",
    params = { { "key", "string|function", "a column's name, or a function of columns" } },
    returns = { { "allot.KeyWord", "a key" } },
    doc = "A key of an order: the largest first.",
    example = 'local keys = order { desc "rank", desc (function (over, grace) return over - '
      .. 'grace end) }',
  },
  {
    name = "none", type = "integer",
    doc = "No bound: the default of an attribute such as a limit. Rules read it as 1000000000.",
    example = [[
local attributes = { most = { type = "integer", default = none, doc = "most slots" } }]],
  },
  {
    name = "part", type = "allot.Part",
    doc = "`up_to = part`: the planned share. What is planned for the parent is divided among all "
      .. "children in proportion to `by`, whatever they demand. At most one fill of a policy.",
    example = 'local planned = fill "planned" { by = "share", up_to = part }',
  },
  {
    name = "held", type = "allot.Part",
    doc = "`up_to = held`, behind a fill up to `part`: a row keeps what it holds, or its planned "
      .. "share if that is more. With `enforce` = \"leaf\" leaves of all branches are compared, "
      .. "and the best rank keeps first.",
    example = 'local kept = fill "kept" { by = "share", up_to = held, order = order { "rank" } }',
  },
  {
    name = "percent",
    params = { { "column", "string", "the column with the percentage: an attribute that is an "
      .. "integer, or `share`; in slices `slot_share`" } },
    returns = { { "allot.Percent", "an `up_to` of a fill, or of slices" } },
    doc = "In a fill of quota: so many percent of the slots that a consumer and its siblings "
      .. "divide (`parent_slots`), rounded down. In slices of a pool: a percentage of the slots "
      .. "that are cut, rounded up.",
    example = [[
local capped = fill "capped" { by = "share", up_to = percent "share" }
return policy {
  name = "example",
  slices = fill "slice" {
    order = order { "used_over_share" }, up_to = percent "slot_share", again = true,
  },
}]],
  },
  {
    name = "words",
    params = { { "list", "allot.WordsSpec",
      "1 to 16 words in lower case; `default` and `doc` beside them" } },
    returns = { { "allot.OptionSpec", "an option" } },
    doc = "An option that is a set of words. A plan gives the words as a text with blanks between, "
      .. "or as a list, in upper or lower case. A function of the options gets a table with true "
      .. "or false for each word.",
    example = 'local options = { when = words { "day", "night", default = { "day" } } }',
  },
  {
    name = "relation",
    params = { { "tests", "(allot.Test|fun(high: allot.QueueView|allot.Row, low: allot.QueueView|"
      .. "allot.Row): boolean)[]",
      "1 to 8 tests, all of which must hold" } },
    returns = { { "allot.Relation", "a `preempts`, a `takes` or an `inside`" } },
    doc = "Which queues' jobs may preempt which, which consumers may take slots from which, or "
      .. "which pending tasks of a leaf may take the place of which running ones (`id` and "
      .. "columns). In "
      .. "`preempts` a function is called once for every two queues of a plan; in `takes` for "
      .. "those two of which one lacks slots and the other is over, with their columns, `path` "
      .. "and `parent` (its path).",
    example = [[
return policy {
  name = "example",
  preempts = relation {
    higher "priority", function (high, low) return low.name ~= "night" end,
  },
}]],
  },
  {
    name = "higher",
    params = { { "field", "string",
      'a number that queues have, "priority" or "slot_share"; in `takes` a column of consumers, '
        .. "in `inside` of tasks" } },
    returns = { { "allot.Test", "a test of a relation" } },
    doc = "A test: the number of who preempts or takes is larger.",
    example = 'local test = relation { higher "priority" }',
  },
  {
    name = "preemptive_or_preemptable", type = "allot.Test",
    doc = "A test: the higher queue is `preemptive`, or the lower one `preemptable` (P-7).",
    example = 'local test = relation { preemptive_or_preemptable }',
  },
  {
    name = "guard",
    params = { { "label", "string", "the guard's name in explanations: 1 to 255 bytes" } },
    returns = { { "fun(spec: allot.GuardSpec|function): allot.Guard",
      "takes the bounds, or a function that returns true for tasks that may go" } },
    doc = "Protects tasks (or running jobs) whose value is outside of `min` and `max`.",
    errors = "neither min nor max, min above max",
    example = 'local warm = guard "warm" { value = "uninterrupted", min = 60 }',
  },
  {
    name = "min_run_time",
    params = { { "seconds", "integer", "0 to 1000000000" } },
    returns = { { "allot.Guard", "a guard" } },
    doc = "Protects tasks that have run for less, and tasks that share a slot with one of them.",
    example = "local guards = { min_run_time(600) }",
  },
  {
    name = "max_preemptions",
    params = { { "times", "integer", "0 to 1000000000" } },
    returns = { { "allot.Guard", "a guard" } },
    doc = "Protects tasks that were reclaimed that many times.",
    example = "local guards = { max_preemptions(3) }",
  },
  {
    name = "spare_tagged",
    params = { { "tag", "string", "a tag of tasks: letters, digits, `_`, `-`" } },
    returns = { { "allot.Guard", "a guard" } },
    doc = "Protects tasks that have the tag.",
    example = 'local guards = { spare_tagged "interactive" }',
  },
  {
    name = "max_job_preempt", type = "allot.Guard",
    doc = "Protects jobs preempted as often as `max_job_preempt` of application, queue or plan "
      .. "(P-30).",
    example = "local guards = { max_job_preempt }",
  },
  {
    name = "max_total_time_preempt", type = "allot.Guard",
    doc = "Protects jobs suspended in all for as long as `max_total_time_preempt` says (P-31).",
    example = "local guards = { max_total_time_preempt }",
  },
  {
    name = "no_preempt_interval", type = "allot.Guard",
    doc = "Protects jobs that were started or resumed less than `no_preempt_interval` ago (P-32).",
    example = "local guards = { no_preempt_interval }",
  },
  {
    name = "no_preempt_run_time", type = "allot.Guard",
    doc = "Protects jobs that have run as long as `no_preempt_run_time` says (P-33).",
    example = "local guards = { no_preempt_run_time }",
  },
  {
    name = "no_preempt_finish_time", type = "allot.Guard",
    doc = "Protects jobs as near to their run limit as `no_preempt_finish_time` says (P-34).",
    example = "local guards = { no_preempt_finish_time }",
  },
  {
    name = "most_recent_task", type = "allot.Order",
    doc = "An order of victims: tasks of the least important session first, then tasks that ran "
      .. "least.",
    example = 'local careful = host_by_host(most_recent_task)',
  },
  {
    name = "policy_default", type = "allot.Order",
    doc = "An order of victims: the least important session first, then the session that holds "
      .. "most above what it deserves, chosen anew for each slot; any of its tasks goes.",
    example = 'return policy { name = "example", like = "hybrid", victims = policy_default }',
  },
  {
    name = "host_by_host",
    params = { { "list", "allot.Order", "an order of victims of at most 7 keys" } },
    returns = { { "allot.Order", "the same, one host after another" } },
    doc = "Compares tasks only with tasks on the same host.",
    example = 'local victims = host_by_host(order { "ran" })',
  },
  {
    name = "preemption", type = "allot.Preemption",
    doc = "What the ready-made policies have in common: `preemption.options { ... }`, two "
      .. "options and those of the policy, and `preemption.victims`, the order that the two "
      .. "options choose.",
    example = [[
return policy {
  name = "example",
  options = preemption.options { late = { type = "boolean" } },
  quota = { fill "all" {} },
  victims = preemption.victims,
}]],
  },
  {
    name = "property",
    params = { { "text", "string", "the promise in words: 1 to 200 bytes" } },
    returns = { { "fun(test: fun(case: allot.Case): boolean, string?): allot.Property",
      "takes the test, which returns true, or false and what is wrong" } },
    doc = "A promise of a policy. `allot check` searches for a case that breaks it.",
    example = [[
return policy {
  name = "example",
  quota = { fill "all" {} },
  properties = {
    property "guests never get more than ten" (function (case)
      local guests = case.rows["/guests"]
      return not guests or guests.quota <= 10, "they get more"
    end),
  },
}]],
  },
}
