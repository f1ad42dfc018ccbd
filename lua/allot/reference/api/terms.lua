-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The API, part eight: names that are no words of the language, in sections with a title. Each has
-- a topic of `allot help`; specs compare the names with what there is.

return {
  { "run", "Columns that `allot run` prints", {
    { "consumer", "its name, below its parent's" },
    { "own", "slots that it owns, scaled to the group's present size (C-1)" },
    { "reserve", "of these, slots that are never lent" },
    { "limit", "the most that it may hold" },
    { "demand", "slots that it wants; of a parent what its children want" },
    { "allocated", "slots that it holds before this decision" },
    { "own_used", "heading `own used`: of the slots that it owns, those that it uses (E-35); not "
      .. "to be mixed up with `usage`, its use over time" },
    { "lent", "slots of its own that others use (E-35)" },
    { "borrowed", "slots that others own and it uses (E-35)" },
    { "shared", "slots that it uses and nobody owns (E-35)" },
    { "planned", "slots that it would have if all consumers were busy (E-35)" },
    { "usage", "slot-seconds that it has used, faded (C-14): a number of the past, shown where "
      .. "the policy goes by it" },
    { "in_flight", "heading `in flight`: slots that it is giving back already" },
    { "quota", "slots that it is entitled to now, and behind them what each fill gave (C-3, C-4)" },
    { "granted", "idle slots that it gets now (C-5)" },
    { "held", "idle slots that nobody gets, kept for it: for its reserve (C-5), or until its next "
      .. "task can start whole (C-13)" },
    { "reclaimed", "slots that it gives back from now on (C-6, C-7)" },
  } },
  { "queues", "Columns that `allot run` prints in plans with queues (slots, not jobs)", {
    { "queue", "its name" },
    { "pool", "the pool that the queue shares with others (Q-1)" },
    { "prio", "its PRIORITY; larger is better (P-2)" },
    { "slice", "what it may have of its pool now (C-12)" },
    { "pending", "slots that its waiting jobs want" },
    { "running", "slots of jobs that ran before this decision" },
    { "susp", "slots of its suspended jobs" },
    { "starts", "slots of jobs that start" },
    { "resumes", "slots of jobs that resume" },
    { "grows", "slots that running jobs get in addition" },
    { "preempt", "slots of jobs that are preempted" },
    { "after", "slots in use once the decision is carried out" },
    { "resource", "the name of a shared resource" },
    { "total", "how much of the resource there is" },
    { "used", "how much of the resource running jobs have" },
    { "free", "how much of the resource is left" },
    { "jobs_waiting", "heading `jobs waiting`: jobs that wait for the resource" },
  } },
  { "properties", "Properties by name, promises that `allot check` tries", {
    { "work_conserving", "no slot stays idle while a consumer wants it, unless a limit (the "
      .. "consumer's or one above it) or a reserve forbids it" },
    { "owners_first", "no consumer gets less than it both owns and needs while a sibling gets more "
      .. "than the sibling owns and reserves" },
    { "reserve_kept", "once the decision is carried out, every consumer has its reserve, or idle "
      .. "slots are held for it" },
    { "envy_free", "siblings for which the plan states the same differ by at most one slot, unless "
      .. "the one with less wants no more" },
    { "house_monotone", "one more slot, planned and present, costs no consumer a slot" },
    { "demand_monotone", "a consumer that demands more does not get less" },
    { "steady", "quotas do not depend on what consumers hold now" },
  } },
  { "events", "Events of a service: allot call EVENT '{\"consumer\": \"/a\", ...}'", {
    { "demand", "all the slots that a leaf wants: `consumer`, `slots`" },
    { "release", "idle slots come back from a leaf: `consumer`, `slots`" },
    { "allocated", "the resource manager's own count of a leaf's slots: `consumer`, `slots`" },
    { "start", "a task runs on allocated slots: `id`, `consumer`, and its members" },
    { "finish", "a task or job has ended: `id`" },
    { "task", "members of a task change, or a new one waits: `id`" },
    { "decline", "a leaf wants no more slots until a time: `consumer`, `until`, `slots`" },
    { "returned", "slots of a reclaim have come back: `reclaim`, `slots`" },
    { "session", "a session and its members: `id`" },
    { "session_end", "a session is over: `id`" },
    { "host", "a host and its members: `name`" },
    { "host_gone", "a host is no more: `name`" },
    { "slots", "the group's actual size: `slots`" },
    { "submit", "a job of a queue: `id`, `queue`, and its members" },
    { "run", "something other than the service started or resumed a job: `id`, `hosts`" },
    { "requeue", "a job is pending again, as if it had never run: `id`" },
    { "fail", "the same, and not before a time: `id`, `until`" },
    { "stop", "a job's user stops it: `id`" },
    { "cont", "a job's user continues it: `id`" },
    { "withdraw", "a job's user cancels it: `id`" },
    { "lease", "what the two sides of a contract have: `name`, `provider`, `consumer`" },
  } },
}
