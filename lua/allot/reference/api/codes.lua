-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- The codes of diagnostics: what each is about, and what to do. `allot help CODE` shows it.

return {
  -- Documents as texts.
  { "E-syntax", "The document is not JSON there. Plans may have comments and a comma behind the "
    .. "last member; other documents may not." },
  { "E-utf8", "Documents are UTF-8; the byte that the message names is not valid UTF-8." },
  { "E-depth", "Lists and objects nest deeper than the reader allows." },
  { "E-size", "The document is larger than the reader allows." },
  { "E-duplicate-key", "An object has a key twice. Remove one: allot does not guess which one you "
    .. "mean." },
  { "E-unknown-key", "That object has no such key; the hint names the nearest. Attributes and "
    .. "options are known where the policy declares them." },
  { "E-missing", "A required key is missing." },
  { "E-type", "A value is of another type than its key takes." },
  { "E-range", "A value in a document, or the result of a policy's function, is outside of its "
    .. "range." },
  { "E-name", "A name is malformed, too long or empty." },
  { "E-conflict", "Two keys state the same thing in different ways, or one needs another key that "
    .. "is missing." },
  { "E-unsupported", "Plans cannot state that in this version." },
  { "E-duplicate", "An item comes twice in a list." },
  { "E-duplicate-id", "Two tasks, jobs, sessions, reclaims or contracts have the same id." },
  { "E-duplicate-path", "Two siblings, or two queues, have the same name." },
  -- Names of things that do not exist.
  { "E-unknown-path", "No consumer of the plan has that path." },
  { "E-unknown-group", "The plan has no resource group of that name." },
  { "E-unknown-host", "The plan has no such host, and the state does not state its slots." },
  { "E-unknown-queue", "The plan has no such queue." },
  { "E-unknown-resource", "The plan's `resources` has no such resource." },
  { "E-unknown-lease", "The plan has no such contract." },
  { "E-unknown-consumer", "The plan has no such consumer to explain." },
  { "E-unknown-task", "The state has no such task to explain." },
  { "E-unknown-job", "The state has no such job to explain." },
  { "E-unknown-policy", "No ready-made policy has that name. To use a policy of your own, give a "
    .. "path that ends in .lua." },
  -- Consumers.
  { "E-not-leaf", "Only consumers without children hold slots, demand them and run tasks." },
  { "E-wildcard", "A consumer named * stands for any number of others: it states what each of them "
    .. "can have, and has no slots, demand or tasks of its own." },
  { "E-unbalanced", "Children own more than their parent. Leave out the parent's `owned`: the "
    .. "parent then owns the sum." },
  { "E-reserve", "A reserve is larger than what the consumer owns, or than the policy allows." },
  { "E-limit", "A limit is smaller than the reserves within it." },
  { "E-slots", "Slots do not add up, are more than 1000000000, or neither plan nor state says how "
    .. "many there are." },
  { "E-loan", "A loan, `lend` or `borrow` is not valid: only leaves lend and borrow, lender and "
    .. "borrower differ, and a list names each consumer once." },
  { "E-requires", "The policy's `requirements` has no requirement of that name." },
  { "E-exclusive", "Exclusive hosts cannot be used with policies that have loans." },
  { "E-claimant", "A policy's victims or guards read `claimant`, and hosts or several groups "
    .. "choose the victims." },
  { "E-decay", "A policy reads `usage` or `used_over_share`, and the plan does not say how use "
    .. "fades: `half_life` or `hist_hours`." },
  { "E-windows", "Windows are too many, or overlap in more ways than are checked." },
  { "E-timezone", "The system has no zone data of that name, or no zone data (package tzdata)." },
  -- States.
  { "E-allocated", "A leaf's `allocated` is less than its tasks hold." },
  { "E-claims", "The claims of a reclaim are for more slots than the reclaim gives back." },
  { "E-reclaim-task", "A reclaim names a task that cannot belong to the reclaim." },
  { "E-session", "A task is in a session of another consumer." },
  { "E-scheduling", "Sessions of one consumer are scheduled in different ways." },
  { "E-group", "A task's group is not its host's." },
  { "E-demand", "The jobs of a queue want more slots than a count can hold." },
  { "E-resize", "A resize names a job that does not run." },
  -- Queues and contracts.
  { "E-queues", "A plan has queues, or consumers: put the others into a plan of their own." },
  { "E-queue", "There is no such queue, or a list of queues is empty." },
  { "E-host", "There is no such host or group of hosts, or a list of hosts is empty." },
  { "E-hosts", "A job's `hosts` do not say where all of its slots are." },
  { "E-pool", "Queues of a pool each need a share, need the same hosts, and may not preempt." },
  { "E-backfill", "Interruptible backfill needs backfill and a run limit." },
  { "E-cycle", "Queues preempt each other in a circle, or groups are inside of each other." },
  { "E-lease", "Contracts lend the same slots twice, or to nobody." },
  -- Policies.
  { "E-policy", "The policy is not valid, by itself or with the options of the plan: the message "
    .. "names the line and what is allowed there. `allot help policy` lists a policy's keys." },
  { "E-policy-syntax", "The policy is not valid Lua 5.4." },
  { "E-policy-run", "A function of the policy failed: the function raised an error, or did not "
    .. "return a whole number. Nothing was decided." },
  { "E-policy-budget", "The policy ran past its budget of instructions: a loop does not end, or "
    .. "each row takes far too much work." },
  { "E-cycle-limit", "The functions of all policies together took more of a cycle than "
    .. "`allot serve --cycle-limit` allows; the message names the function that took most." },
  { "E-policy-memory", "The policy used more memory than a policy may." },
  -- Logs, and playing them.
  { "E-swf", "A line of a log is not in the Standard Workload Format: 18 numbers, -1 for an "
    .. "unknown value." },
  { "E-event", "A line of an event log does not have the keys of its event: the message names the "
    .. "key, and what is allowed." },
  { "E-trace", "The file is not a log: it contains bytes that no text has." },
  { "E-sacct", "The output of Slurm's sacct lacks a column, or a line has other columns than the "
    .. "first one, or a time that is no number of seconds. lua/allot/slurm/sacct.lua has the "
    .. "command that asks for it." },
  { "E-trace-line", "A line of a log is longer than the reader allows." },
  { "E-gzip", "A compressed log is damaged, or ends too early: fetch it again." },
  { "E-map", "No consumer or queue fits a job of a log, or the function of --map failed on the "
    .. "job. Write a function that gets a job and returns the job's consumer or queue." },
  { "E-simulate", "The plan cannot be simulated, or not with that log: a job that is not rigid "
    .. "counts as one task per slot, and a cycle takes a million tasks at most." },
  -- The command.
  { "E-usage", "The words on the command line are not valid; `allot help VERB` shows what is." },
  { "E-at", "No window of the plan begins or ends after that time." },
  { "E-exists", "The file exists already; allot does not overwrite it." },
  { "E-io", "A file cannot be read or written." },
  { "E-outside", "A client named a file that is not allowed. Allowed are policies (.lua) and plans "
    .. "(.json) beneath the folder of the service's plan, without `..` and without links that lead "
    .. "out, and files that the plan in use names already." },
  { "E-plot", "gnuplot draws the pictures: it is missing (package gnuplot-nox), or failed." },
  { "E-worker", "A process of --jobs ended before its work was done, killed for want of memory, "
    .. "say; --jobs 1 works in one process." },
  { "E-nothing", "Nothing was checked. This is an error so that a mistyped pattern does not look "
    .. "like success." },
  { "E-not-a-plan", "The document is of another kind than the command expects." },
  -- Warnings: nothing is refused.
  { "W-order", "Records of a log are not in the order of time; allot sorted them." },
  { "W-refused", "Jobs of a log could never run under the plan: the message names the first." },
  { "W-unfinished", "Jobs waited or ran when the simulation was over." },
  { "W-unsettled", "Cycles at one instant never stopped taking slots and giving them back: such a "
    .. "policy would not come to rest." },
  { "W-switches", "Windows switch more often than a picture has lines for: the picture shows the "
    .. "first switches." },
  { "W-interrupted", "The simulation was interrupted; the results end there." },
  { "W-group", "A group of users is empty." },
  { "W-decay", "The state has use of leaves, and the plan does not say how use fades, so none is "
    .. "counted: what was used before is lost. State `half_life` or `hist_hours`." },
  { "W-requires", "No open host meets a requirement: consumers that require it get nothing." },
  { "W-exclusive", "Other consumers run on an exclusive host: nobody gets the host's free slots." },
  { "W-hosts", "The state does not say on which hosts some slots are held." },
  { "W-balance", "The first level owns less than the planned slots, and some of its branches have "
    .. "ownership that scales." },
  { "W-overowned", "The first level owns more than the planned slots." },
  { "W-owned", "The policy does not use `owned`." },
  { "W-loan", "The plan states loans of a consumer that can neither lend nor borrow." },
  { "W-in-flight", "A consumer is giving back more slots than it holds." },
  { "W-leeway", "A reclaim is overdue: its tasks are killed, or the host is asked to kill them." },
  { "W-session", "The state has no session of a task's session id: the session counts with "
    .. "priority 1 and rank 0." },
  { "W-pool", "A key about a pool has no effect there." },
  { "W-preemption", "A relation between queues has no effect, since the priorities of the two "
    .. "queues forbid it." },
  { "W-slots", "Plan or state gives a number of slots, but jobs get the slots of their hosts, "
    .. "which are another number." },
  { "W-lease", "A contract lends nothing." },
  { "W-event", "An event of LSF has no counterpart here." },
  { "W-unused", "A key of LSF has no effect here." },
  { "W-params", "A parameter of LSF has no effect here." },
  -- What `allot check` finds out by trying.
  { "E-invariant", "The core broke a rule that must hold under every policy. Please report this "
    .. "bug with the case that `allot check` wrote." },
  { "E-same-answer", "The same plan and state gave two answers: a function of the policy "
    .. "remembers something between calls." },
  { "E-rest", "Slots, jobs or tasks go to and fro although demand does not change: quotas depend "
    .. "on what consumers hold, two queues preempt each other, or tasks take each other's place." },
  { "E-property", "A property that the policy promises does not hold in the case that `allot "
    .. "check` wrote." },
  { "W-budget", "A policy takes more than half of the instructions or memory that it may use." },
  { "W-unreachable", "A consumer of the plan gets no slot at any hour, even when only that "
    .. "consumer has demand." },
  { "W-fill", "A fill of a policy never gives a slot: its proportion is 0, or an earlier fill "
    .. "already gives everything up to need." },
  { "W-unread", "A policy declares an attribute and does not read it, or `takes` and reclaims "
    .. "nothing; or a rule for tasks reads what only jobs have; or a policy that stands in "
    .. "for the plan's own does not read what the plan's own policy declares." },
  { "W-no-effect", "A value of the plan has no effect there." },
  { "W-import", "A plan cannot state what a line of an LSF file states." },
  { "E-import", "Without that part of an LSF file the plan would mean something else: a queue "
    .. "whose hosts are unknown would get other hosts, or all." },

  -- The running service (allot serve).
  { "E-time", "The time of an event is before 1970, or more than a minute later than the service's "
    .. "clock. Set the sender's clock: a clock that runs ahead must not move other clocks." },
  { "E-key", "An event has the `key` of a different event of the last hour. The service did not "
    .. "enter the event. An event that is sent again with the same key is entered once." },
  { "E-store", "The store, the file of the service's events, cannot be opened, read or written; or "
    .. "another process uses it, under this or another name; or it is damaged, of a later version, "
    .. "or another program's database. The service acknowledges no event that is not in its "
    .. "store." },
  { "W-store", "The plan was changed while no service ran: the store's rows of removed consumers "
    .. "are left out. Or an earlier version accepted an event that no cycle can decide with: that "
    .. "event and those that depend on it are left out. Or there is no space to rewrite an old "
    .. "store, so its file does not get smaller. Or a PostgreSQL server is set up such that a "
    .. "crash of its machine loses what it committed." },
  { "E-slurm", "Slurm's commands cannot be run, do not answer in time, or their answer makes no "
    .. "sense. `allot slurm` changes nothing then." },
  { "E-connection", "No service answers at that address, or its answer is not JSON-RPC." },
  { "E-service", "The service refused the call; the service's own code and hint follow." },
  { "W-files", "So many connections need more open files than the system allows: the service "
    .. "admits fewer." },
  { "E-replay", "A record does not fit the plan or the events of its store." },
  { "E-listen", "The service cannot listen on a socket or an address." },
  { "E-token", "A token has 16 to 1024 bytes; its file has one a line, with a role before it." },
  { "E-reload", "A service under measurement did not take an edit of its own plan." },
  { "E-slow", "The new plan or policy takes far longer for a recorded cycle than the one in use. "
    .. "The reload was refused." },
  { "E-dropped", "A change of plan or policies waited and was dropped by `confirm`; `reload` tries "
    .. "it again." },
  { "E-state", "The service cannot decide about the cluster as it is, so nothing can be compared "
    .. "with what it decides." },
  { "E-version", "No such change waits to be confirmed, or the store has no such version." },
  { "E-no-shadow", "There is no shadow to drop or promote; the method `shadow` begins one." },
  { "E-standby", "Another service leads the store, or may by now: `leader` has its address, if it "
    .. "is known. Nothing was entered." },
  { "E-lost", "The service lost the lead before the event's fate was known. Send the event to the "
    .. "new leader with the same key: it is entered once. Without a key, ask first." },
  { "E-stopping", "The service is about to stop and takes no more events." },
  { "E-job-state", "The event is not possible in the job's state." },
  { "E-task-state", "A task that `start` names runs; `task` tells of tasks that wait." },
  { "E-source", "Another source of `sync` tells of that host, leaf, session, task or job. The row "
    .. "was left out." },
  { "E-stale", "A call of `sync` says how things were before the last one of its source. Nothing "
    .. "of it was entered." },
  { "E-memory", "There was no memory for a row of `sync`. The row was left out; the next call "
    .. "enters it." },
  { "E-unknown-method", "The service has no such call or event; the hint names the nearest." },
  { "E-unknown-session", "There is no such session." },
  { "E-unknown-reclaim", "No reclaim of that name is in flight; it may have come back already." },

  -- Pieces of input to a session (allot repl).
  { "E-desk", "A value assigned to the session's plan or state is not valid there, or a word of "
    .. "the session is not possible now. Nothing was changed." },
  { "E-repl", "The piece of Lua raised an error, or a command failed. Nothing was changed." },
  { "E-repl-syntax", "The piece is not valid Lua, or ends too soon." },
  { "E-repl-limit", "The session has used all of its memory, or calls nest too deep." },
  { "E-interrupted", "Ctrl-C stopped what ran. Nothing was changed." },
}
