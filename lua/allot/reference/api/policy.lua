-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The API, part two: the tables that the words of the language take, key by key.
--
-- A class: name, `of` (the word that takes it, for people), doc, fields. A field: name, type, doc,
-- `default` as text, `example` (a line within a policy's braces).

local AMOUNT = "allot.Amount"

return {
  {
    name = "allot.PolicySpec", of = "policy", doc = "The keys of a policy.",
    fields = {
      { "name", "string", "what decisions call it", example = 'name = "example"' },
      { "doc", "string?", "a sentence for people", example = 'doc = "Everybody is alike."' },
      { "like", "string?", "a ready-made policy: what is not said here is as there, what both "
        .. "declare is joined", example = 'like = "hybrid"' },
      { "attributes", "table<string, allot.AttributeSpec>?", "columns that it adds to plans",
        example = 'attributes = { weight = { type = "integer", default = 1 } }' },
      { "options", "table<string, allot.OptionSpec>?", "switches that a plan can set: "
        .. '`{"use": "example", "late": true}`',
        example = 'options = { late = { type = "boolean", doc = "after hours" } }' },
      { "scale", "boolean?", "false: what is owned stays as planned when the group's size is "
        .. "another",
        default = "true", example = "scale = false" },
      { "quota", "allot.Quota[]|fun(options: table): allot.Quota[]",
        "1 to 16 fills, poured one after another; behind the one of what is owned one pool and "
          .. "one loan. The core puts `reserved` first where it is missing",
        example = 'quota = { fill "owned" { by = "owned", up_to = "owned" }, fill "rest" {} }' },
      { "round", '"rank"|"ceil_in_order"|"largest_remainder"|"webster"|nil',
        "which of a family's fractions become slots: one each by rank, then plan order; rounded "
          .. "up in the order of distribution while slots last; to the largest; so that nobody "
          .. "loses a slot because there are more", default = '"rank"', example = 'round = '
          .. '"webster"' },
      { "distribute", "allot.Order|allot.Key[]|nil", "who gets idle slots first",
        default = 'order { "rank" }', example = 'distribute = order { "rank", desc "quota" }' },
      { "reclaim", "allot.Fill|false|fun(options: table): allot.Fill|false|nil",
        "who gives back first, in proportion to what; false: slots return by themselves, unless "
          .. "a limit or the group's size does not hold them",
        default = 'fill { order = order { desc "rank" }, by = "over" }',
        example = 'reclaim = fill { order = order { desc "rank" }, by = "over", up_to = "over" }' },
      { "recall", '"last"|"first"|function|nil', "with loans: own slots are called back after, "
        .. "or before, those of others are borrowed", default = '"last"', example = 'recall = '
        .. '"first"' },
      { "shared", '"reclaim"|"adjust"|"keep"|function|nil', "with a pool: its slots are taken back "
        .. "for planned shares, from the worst rank above its own; by the ratio among those who "
        .. "want some; or they return by themselves", default = '"reclaim"',
        example = 'shared = "keep"' },
      { "enforce", '"parent"|"leaf"|function|nil', "who gives back: siblings before other "
        .. "branches, or all leaves alike", default = '"parent"', example = 'enforce = "leaf"' },
      { "damping", "allot.DampingSpec|function|nil", "what its consumers may keep, where the "
        .. "plan does not say otherwise", example = "damping = { dead_zone = 2, claim_delay = 60 "
        .. "}" },
      { "properties",
        "(string|allot.Property)[]|fun(options: table): (string|allot.Property)[]|nil",
        "what it promises, at most 32, and `allot check` tries: demand_monotone, envy_free, "
        .. "house_monotone, owners_first, reserve_kept, steady, work_conserving, or its own",
        example = 'properties = { "work_conserving" }' },
      { "task_attributes", "table<string, allot.TaskAttributeSpec>?",
        "keys of its own that tasks may have in a state",
        example = 'task_attributes = { nice = { type = "integer", max = 19 } }' },
      { "victims", "allot.Order|allot.Key[]|fun(options: table): allot.Order|nil",
        "the order in which a leaf's tasks, or running jobs, go",
        default = 'order { "importance", desc "joined", "ran" }; of jobs order { "queue_order", '
          .. '"load", "host", "queue_priority", desc "started" }',
        example = 'victims = order { "importance", desc "started" }' },
      { "guards", "allot.Guard[]|fun(options: table): allot.Guard[]|nil",
        "at most 16, which shelter tasks; of jobs `{}`: none", default = "none; of jobs the five "
          .. "ready-made", example = 'guards = { min_run_time(60), spare_tagged "interactive" }' },
      { "sessions", "allot.SessionsSpec?", "how sessions of a leaf divide its slots",
        example = 'sessions = { priority = { fill { order = order { desc "priority" } } } }' },
      { "requirements", "table<string, function>?", "at most 32, which a consumer's `requires` "
        .. "can name: functions of hosts' attributes that return true where it runs",
        example = "requirements = { gpu = function (gpus) return (gpus or 0) > 0 end }" },
      { "dispatch", "allot.Order|fun(options: table): allot.Order|nil", "the order of a queue's "
        .. "jobs. This key, or one of those below, makes it a policy of queues, which has no quota",
        default = 'order { desc "priority", "submitted" }', example = 'dispatch = { "submitted" '
          .. '}' },
      { "preempts", "allot.Relation|false|fun(high: allot.QueueView, low: allot.QueueView): "
        .. "boolean",
        "whose jobs may preempt whose; false: nobody", optional = true,
        default = 'relation { higher "priority", preemptive_or_preemptable }',
        example = "preempts = false" },
      { "fewest", '"no"|"mini_job"|"optimal_mini_job"|function|nil', "how many jobs go for one: "
        .. "one after another until it fits; none that it fits without; the fewest there are",
        default = '"no"', example = 'fewest = "mini_job"' },
      { "lift", "string|string[]|table<string, boolean>|function|nil", "limits in which "
        .. "preempted jobs do not count: group_jlp, group_max, host_jlu, user_jlp",
        default = "none",
        example = 'lift = "user_jlp group_max"' },
      { "job_types", "string|string[]|table<string, boolean>|function|nil",
        "what else preempts and is preempted: exclusive, backfill", default = "none",
        example = 'job_types = { "exclusive" }' },
      { "slices", "allot.Fill|function|nil", "in which order queues of a pool get their percentage",
        default = 'fill "slice" { order = order { "used_over_share", desc "priority" }, up_to = '
          .. 'percent "slot_share", again = true }',
        example = 'slices = fill { order = { "used" }, up_to = percent "slot_share", again = '
          .. 'true }' },
      { "lease", 'fun(provider: allot.LeaseSide, consumer: allot.LeaseSide): '
        .. '"provider"|"consumer"|nil',
        "whose the idle slots of a contract are from now on; nil: nothing moves", optional = true,
        default = "the idle slots of who has more go to the other",
        example = 'lease = function (provider) if provider.idle == 0 then return "provider" end '
          .. 'end' },
    },
  },
  {
    name = "allot.FillSpec", of = "fill", doc = "The keys of a fill.",
    fields = {
      { "by", AMOUNT .. "|nil", "the proportion", default = "1: equally" },
      { "up_to", AMOUNT .. "|allot.Part|allot.Percent|nil", "the most a row takes of it and of "
        .. "the fills before", default = "what it needs" },
      { "order", "allot.Order|allot.Key[]|nil", "groups of equal keys one after another",
        default = "all at once" },
      { "level", "boolean?", "of fills in quota: raises what rows have in all, with earlier fills, "
        .. "in proportion to `by` (C-15)", default = "false" },
      { "again", "boolean?", "of slices alone: what they leave over is cut once more" },
    },
  },
  {
    name = "allot.PoolSpec", of = "pool", doc = "The keys of a pool.",
    fields = {
      { "by", AMOUNT .. "|nil", "the proportion", default = "1: equally" },
      { "up_to", AMOUNT .. "|nil", "the most of pool slots a consumer takes",
        default = "what it needs" },
    },
  },
  {
    name = "allot.LoanSpec", of = "loan", doc = "The keys of a loan.",
    fields = {
      { "borrowers", "allot.Order|allot.Key[]|nil", "who is served first",
        default = 'order { "rank" }' },
      { "lend_limit", AMOUNT .. "|nil", "the most that a consumer lends", default = "none" },
      { "borrow_limit", AMOUNT .. "|nil", "the most that a consumer borrows", default = "none" },
    },
  },
  {
    name = "allot.GuardSpec", of = "guard", doc = "The keys of a guard: a value and its bounds.",
    fields = {
      { "value", "string|function", "a column of tasks, or a function of such" },
      { "min", "integer?", "below it a task is spared" },
      { "max", "integer?", "above it a task is spared" },
    },
  },
  {
    name = "allot.AttributeSpec", of = "attributes", doc = "A column that a policy adds to plans.",
    fields = {
      { "type", '"integer"|"boolean"', "what a plan states" },
      { "min", "integer?", "of integers, -1000000000 to 1000000000", default = "0" },
      { "max", "integer?", "of integers", default = "1000000000" },
      { "default", "integer|boolean|nil", "of who states nothing; `none`: no bound",
        default = "the bound nearest to 0; false" },
      { "limit", "boolean?", "true: the most that a consumer may hold", default = "false" },
      { "doc", "string?", "a sentence for people" },
    },
  },
  {
    name = "allot.TaskAttributeSpec", of = "task_attributes", doc = "A key that a policy adds to "
      .. "tasks.",
    fields = {
      { "type", '"integer"|"boolean"|"tag"', "what a state states; a tag is one of `tags`" },
      { "min", "integer?", "of integers", default = "0" },
      { "max", "integer?", "of integers", default = "1000000000" },
      { "default", "integer|boolean|nil", "of a task that states nothing" },
      { "doc", "string?", "a sentence for people" },
    },
  },
  {
    name = "allot.OptionSpec", of = "options", doc = "A switch that a plan can set beside `use`.",
    fields = {
      { "type", '"integer"|"boolean"|"string"|"words"', "what a plan states" },
      { "min", "integer?", "of integers", default = "0" },
      { "max", "integer?", "of integers", default = "1000000000" },
      { "default", "any", "of a plan that states nothing", default = "the bound nearest to 0; "
        .. "false; the first value; no words" },
      { "values", "string[]?", "of strings and words: 1 to 16" },
      { "doc", "string?", "a sentence for people" },
    },
  },
  {
    name = "allot.DampingSpec", of = "damping", doc = "What keeps slots from going to and fro.",
    fields = {
      { "hold_rounding", "boolean?", "nothing is reclaimed that only rounding asks for" },
      { "dead_zone", "integer?", "slots above its target that a consumer keeps" },
      { "most_reclaimed", "integer?", "percent, 1 to 100, of what it holds that go in one "
        .. "cycle, but at least one slot" },
      { "reclaim_interval", "integer?", "seconds in which it gives once at most" },
      { "claim_delay", "integer?", "seconds that a claimant waits before it may reclaim" },
    },
  },
  {
    name = "allot.SessionsSpec", of = "sessions", doc = "Fills over the sessions of a leaf, 1 to "
      .. "16 each.",
    fields = {
      { "proportional", "allot.Fill[]?", "of leaves scheduled so", default = 'by "priority"' },
      { "minimum", "allot.Fill[]?", "likewise", default = "minimum services, then by priority" },
      { "priority", "allot.Fill[]?", "likewise", default = "highest priority, then first created" },
    },
  },
}
