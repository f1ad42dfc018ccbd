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
      { "name", "string", "the policy's name in decisions", example = 'name = "example"' },
      { "doc", "string?", "a sentence for people", example = 'doc = "Everybody is alike."' },
      { "like", "string?", "a ready-made policy: keys that are missing here are taken from it, "
        .. "attributes and options of both are joined", example = 'like = "hybrid"' },
      { "attributes", "table<string, allot.AttributeSpec>?", "columns that it adds to plans",
        example = 'attributes = { weight = { type = "integer", default = 1 } }' },
      { "options", "table<string, allot.OptionSpec>?", "switches that a plan can set: "
        .. '`{"use": "example", "late": true}`',
        example = 'options = { late = { type = "boolean", doc = "after hours" } }' },
      { "scale", "boolean?", "true: what consumers own scales with the group's size; false: it "
        .. "stays as planned", default = "true", example = "scale = false" },
      { "reserve", AMOUNT .. "|nil", "slots of a consumer that are never lent, in place of the "
        .. "plan's `reserve`, which it may read. At most what is owned and the limit count, and of "
        .. "a parent at least what is reserved below it", default = '"reserve"',
        example = 'reserve = function (owned, share) return math.max(owned - share, 0) end' },
      { "quota", "allot.Quota[]|fun(options: table): allot.Quota[]|nil",
        "1 to 16 fills, poured one after another; one pool and one loan may follow the fill of "
          .. "what is owned. The core puts a fill `reserved` first if the list has none",
        example = 'quota = { fill "owned" { by = "owned", up_to = "owned" }, fill "rest" {} }' },
      { "round", '"rank"|"ceil_in_order"|"largest_remainder"|"webster"|nil',
        "which of a family's fractions become slots. rank: one slot each by rank, then plan order; "
          .. "ceil_in_order: fractions are rounded up in the order of distribution while slots "
          .. "last; largest_remainder: the largest fractions first; webster: nobody loses a slot "
          .. "when the group gets more", default = '"rank"', example = 'round = "webster"' },
      { "distribute", "allot.Order|allot.Key[]|nil", "the order in which consumers get idle slots",
        default = 'order { "rank" }', example = 'distribute = order { "rank", desc "quota" }' },
      { "reclaim", "allot.Fill|false|fun(options: table): allot.Fill|false|nil",
        "the order in which consumers give slots back, and the proportion; false: slots return by "
          .. "themselves, except slots above a limit or above the group's size",
        default = 'fill { order = order { desc "rank" }, by = "over" }',
        example = 'reclaim = fill { order = order { desc "rank" }, by = "over", up_to = "over" }' },
      { "takes", "allot.Relation|fun(claimant: allot.Row, giver: allot.Row): boolean",
        "which consumers may take slots from which, in a policy of fills alone. Slots that a "
          .. "limit, the group's size or force takes go whatever it says", optional = true,
        default = "all may take from all", example = 'takes = relation { higher "share" }' },
      { "recall", '"last"|"first"|function|nil', "with loans: an owner calls its own slots back "
        .. "after (last) or before (first) it borrows slots of others", default = '"last"',
        example = 'recall = "first"' },
      { "shared", '"reclaim"|"adjust"|"keep"|function|nil', "with a pool. reclaim: pool slots are "
        .. "taken back for planned shares, from the worst rank above its planned share first; "
        .. "adjust: they are taken back by the ratio among consumers that want some; keep: they "
        .. "return by themselves", default = '"reclaim"', example = 'shared = "keep"' },
      { "enforce", '"parent"|"leaf"|function|nil', "which consumers give back. parent: siblings "
        .. "before other branches; leaf: all leaves alike", default = '"parent"',
        example = 'enforce = "leaf"' },
      { "damping", "allot.DampingSpec|function|nil", "what consumers may keep above their quota, "
        .. "unless the plan states its own",
        example = "damping = { dead_zone = 2, claim_delay = 60 }" },
      { "properties",
        "allot.Promise[]|fun(options: table): allot.Promise[]|nil",
        "at most 32 promises of the policy, which `allot check` tries to break: demand_monotone, "
        .. "envy_free, house_monotone, owners_first, reserve_kept, steady, work_conserving, or "
        .. "properties of its own",
        example = 'properties = { "work_conserving" }' },
      { "task_attributes", "table<string, allot.TaskAttributeSpec>?",
        "keys that the policy adds to the tasks of a state",
        example = 'task_attributes = { nice = { type = "integer", max = 19 } }' },
      { "victims", "allot.Order|allot.Key[]|fun(options: table): allot.Order|nil",
        "the order in which a leaf's tasks, or running jobs, go. Of tasks a function may also read "
          .. "`claimant`, the consumer that gets the slots, as `takes` reads it",
        default = 'order { "importance", desc "joined", "ran" }; of jobs order { "queue_order", '
          .. '"load", "host", "queue_priority", desc "started" }',
        example = 'victims = order { "importance", desc "started" }' },
      { "inside", "allot.Relation|fun(pending: allot.Row, running: allot.Row): boolean",
        "which pending tasks of a leaf may take the place of which of its running ones, within its "
          .. "quota; in a policy of fills, pools and loans", optional = true,
        default = "none may", example = 'inside = relation { higher "priority" }' },
      { "guards", "allot.Guard[]|fun(options: table): allot.Guard[]|nil",
        "at most 16 guards, which protect tasks; in a policy of queues `{}` means none. Of tasks a "
          .. "function may also read `claimant`, the consumer that gets the slots, as `takes` does",
        default = "none; in a policy of queues the five ready-made ones",
        example = 'guards = { min_run_time(60), spare_tagged "interactive" }' },
      { "sessions", "allot.SessionsSpec?", "how sessions of a leaf divide its slots",
        example = 'sessions = { priority = { fill { order = order { desc "priority" } } } }' },
      { "requirements", "table<string, function>?", "at most 32 requirements, which a consumer's "
        .. "`requires` can name: functions of a host's attributes that return true if the consumer "
        .. "can run on that host",
        example = "requirements = { gpu = function (gpus) return (gpus or 0) > 0 end }" },
      { "dispatch", "allot.Order|fun(options: table): allot.Order|nil", "the order of a queue's "
        .. "jobs. This key and those below make the policy a policy of queues, which has no quota",
        default = 'order { desc "priority", "submitted" }', example = 'dispatch = { "submitted" '
          .. '}' },
      { "across", "boolean?", "true: jobs of all queues, but those of pools and with fairshare, "
          .. "stand in one order, `dispatch`, whatever their PRIORITY; with `preempts = false`",
        default = "false", example = "across = false" },
      { "backfill", '"first_fit"|"none"|"easy"|"conservative"|function|nil', "which jobs may start "
        .. "before a job that waits for slots. first_fit: all that fit; none: no job; easy: those "
        .. "that do not delay the first that waits; conservative: those that delay none before "
        .. "them. Run limits say how long jobs run",
        default = '"first_fit"', example = 'backfill = "easy"' },
      { "preempts", "allot.Relation|false|fun(high: allot.QueueView, low: allot.QueueView): "
        .. "boolean",
        "which queues' jobs may preempt which; false: no job preempts another", optional = true,
        default = 'relation { higher "priority", preemptive_or_preemptable }',
        example = "preempts = false" },
      { "fewest", '"no"|"mini_job"|"optimal_mini_job"|function|nil', "how many jobs are preempted "
        .. "for one. no: one after another until it fits; mini_job: none that it fits without; "
        .. "optimal_mini_job: as few as possible",
        default = '"no"', example = 'fewest = "mini_job"' },
      { "lift", "string|string[]|table<string, boolean>|function|nil", "limits in which "
        .. "preempted jobs do not count: group_jlp, group_max, host_jlu, user_jlp",
        default = "none",
        example = 'lift = "user_jlp group_max"' },
      { "job_types", "string|string[]|table<string, boolean>|function|nil",
        "other jobs that preempt and are preempted: exclusive, backfill", default = "none",
        example = 'job_types = { "exclusive" }' },
      { "slices", "allot.Fill|function|nil", "the order in which queues of a pool get their "
        .. "percentage",
        default = 'fill "slice" { order = order { "used_over_share", desc "priority" }, up_to = '
          .. 'percent "slot_share", again = true }',
        example = 'slices = fill { order = { "used" }, up_to = percent "slot_share", again = '
          .. 'true }' },
      { "lease", 'fun(provider: allot.LeaseSide, consumer: allot.LeaseSide): '
        .. '"provider"|"consumer"|nil',
        "the side that gets the idle slots of a contract from now on; nil: nothing moves",
        optional = true, default = "the side that has more idle slots gives them to the other",
        example = 'lease = function (provider) if provider.idle == 0 then return "provider" end '
          .. 'end' },
    },
  },
  {
    name = "allot.FillSpec", of = "fill", doc = "The keys of a fill.",
    fields = {
      { "by", AMOUNT .. "|nil", "the proportion", default = "1: equally" },
      { "up_to", AMOUNT .. "|allot.Part|allot.Percent|nil", "the most a row takes from this fill "
        .. "and the fills before", default = "the row's need" },
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
      { "up_to", AMOUNT .. "|nil", "the most pool slots that a consumer takes",
        default = "the consumer's need" },
    },
  },
  {
    name = "allot.LoanSpec", of = "loan", doc = "The keys of a loan.",
    fields = {
      { "borrowers", "allot.Order|allot.Key[]|nil", "the order in which borrowers get slots",
        default = 'order { "rank" }' },
      { "by", AMOUNT .. "|nil", "the proportion in which borrowers borrow that are equal by that "
        .. "order, slots borrowed before counted in; 0: it borrows nothing",
        default = "one after another" },
      { "lend_limit", AMOUNT .. "|nil", "the most that a consumer lends", default = "none" },
      { "borrow_limit", AMOUNT .. "|nil", "the most that a consumer borrows", default = "none" },
    },
  },
  {
    name = "allot.GuardSpec", of = "guard", doc = "The keys of a guard: a value and its bounds.",
    fields = {
      { "value", "string|function", "a column of tasks, or a function of columns" },
      { "min", "integer?", "a task with a smaller value is protected" },
      { "max", "integer?", "a task with a larger value is protected" },
    },
  },
  {
    name = "allot.AttributeSpec", of = "attributes", doc = "A column that a policy adds to plans.",
    fields = {
      { "type", '"integer"|"boolean"', "the type of the value in a plan" },
      { "min", "integer?", "of integers, -1000000000 to 1000000000", default = "0" },
      { "max", "integer?", "of integers", default = "1000000000" },
      { "default", "integer|boolean|nil", "of a consumer that states nothing; `none`: no bound",
        default = "the bound nearest to 0; false" },
      { "limit", 'boolean|"percent"|nil', "true: the value is the most that a consumer may hold; "
        .. "percent: so many percent of what its parent may hold, at the first level of the "
        .. "group's slots, rounded down", default = "false" },
      { "doc", "string?", "a sentence for people" },
    },
  },
  {
    name = "allot.TaskAttributeSpec", of = "task_attributes", doc = "A key that a policy adds to "
      .. "tasks.",
    fields = {
      { "type", '"integer"|"boolean"|"tag"', "the type of the value in a state; a tag is an item "
        .. "of `tags`" },
      { "min", "integer?", "of integers", default = "0" },
      { "max", "integer?", "of integers", default = "1000000000" },
      { "default", "integer|boolean|nil", "of a task that states nothing" },
      { "doc", "string?", "a sentence for people" },
    },
  },
  {
    name = "allot.OptionSpec", of = "options", doc = "A switch that a plan can set beside `use`.",
    fields = {
      { "type", '"integer"|"boolean"|"string"|"words"', "the type of the value in a plan" },
      { "min", "integer?", "of integers", default = "0" },
      { "max", "integer?", "of integers", default = "1000000000" },
      { "default", "any", "of a plan that states nothing", default = "the bound nearest to 0; "
        .. "false; the first value; no words" },
      { "values", "string[]?", "of strings and words: the 1 to 16 that a plan may use" },
      { "doc", "string?", "a sentence for people" },
    },
  },
  {
    name = "allot.DampingSpec", of = "damping",
    doc = "Limits that keep slots from going to and fro.",
    fields = {
      { "hold_rounding", "boolean?", "true: no slot is reclaimed only because of rounding" },
      { "dead_zone", "integer?", "slots above its target that a consumer keeps" },
      { "most_reclaimed", "integer?", "percent, 1 to 100, of a consumer's slots that one cycle "
        .. "reclaims at most, but at least one slot" },
      { "reclaim_interval", "integer?", "seconds in which a consumer gives back at most once" },
      { "claim_delay", "integer?", "seconds that a claimant waits before it may reclaim" },
    },
  },
  {
    name = "allot.SessionsSpec", of = "sessions", doc = "Fills over the sessions of a leaf, 1 to "
      .. "16 for each way of scheduling.",
    fields = {
      { "proportional", "allot.Fill[]?", "for leaves with proportional scheduling",
        default = 'by "priority"' },
      { "minimum", "allot.Fill[]?", "for leaves with minimum scheduling",
        default = "minimum services, then by priority" },
      { "priority", "allot.Fill[]?", "for leaves with priority scheduling",
        default = "highest priority, then first created" },
    },
  },
}
